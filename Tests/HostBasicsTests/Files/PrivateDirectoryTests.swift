import Glibc
import TestSupport
import Testing

@testable import HostBasics

@Suite struct PrivateDirectoryTests {
    private func refusal(_ place: String) -> String? {
        do throws(PrivateDirectory.Failure) {
            _ = try PrivateDirectory(in: [place])
            return nil
        } catch { return error.refusals.first?.reason }
    }

    @Test func itIsMadeForItsOwnerAloneAndRemovedWithTheObject() throws {
        let tree = try TemporaryTree()
        var directory: PrivateDirectory? = try PrivateDirectory(in: [tree("copies")])
        let path = try #require(directory?.path)
        #expect(Path.isInside(path, directory: tree("copies")))
        // The workers of root have another user: it can enter the directory, but not list it.
        let mode: UInt32 = geteuid() == 0 ? 0o711 : 0o700
        #expect(FileIdentity(path: path).map { $0.mode & 0o777 } == mode)
        #expect(FileIdentity(path: tree("copies")).map { $0.mode & 0o777 } == mode)
        close(open(path + "/file", O_WRONLY | O_CREAT, 0o600))
        directory = nil
        #expect(FileIdentity(path: path) == nil)
        #expect(FileIdentity(path: tree("copies")) != nil)
    }

    @Test func theFirstPlaceOfUseIsTaken() throws {
        let tree = try TemporaryTree(["file": ""])
        let directory = try PrivateDirectory(in: [tree("missing/deep"), tree("file"), tree("good"), tree("other")])
        #expect(Path.isInside(directory.path, directory: tree("good")))
        #expect(FileIdentity(path: tree("other")) == nil)
    }

    @Test func placesThatOthersCouldReachAreRefused() throws {
        let tree = try TemporaryTree(["open/": "", "real/": ""])
        chmod(tree("open"), 0o755)
        chmod(tree("real"), 0o700)
        try tree.link("link", to: "real")
        #expect(refusal(tree("open")) == "can be opened by other users (its permissions are not 0700)")
        #expect(refusal(tree("link"))?.hasPrefix("cannot be used") == true)
        if geteuid() == 0 {
            try tree.write("foreign/")
            chmod(tree("foreign"), 0o700)
            chown(tree("foreign"), 1, 1)
            #expect(refusal(tree("foreign")) == "belongs to another user")
        }
    }

    @Test(.fault(753), .enabled(if: geteuid() == 0, "only root has workers of another user"))
    func rootsPlacesThatOthersCannotEnterAreTheLast() async {
        await #expect(processExitsWith: .success) {
            let tree = try TemporaryTree(["closed/": "", "open/": ""])
            chmod(tree.path, 0o755)
            chmod(tree("closed"), 0o700)
            setenv("XDG_RUNTIME_DIR", tree("closed"), 1)
            setenv("TMPDIR", tree("open"), 1)
            setenv("XDG_CACHE_HOME", tree("closed/cache"), 1)
            let places = [tree("open/pluginhost-0"), tree("closed/pluginhost"), tree("closed/cache/pluginhost")]
            #expect(PrivateDirectory.places == places)
            // One that an earlier version made.
            mkdir(tree("open/pluginhost-0"), 0o700)
            let directory = try PrivateDirectory(in: PrivateDirectory.places)
            #expect(Path.parent(directory.path) == tree("open/pluginhost-0"))
            #expect(Path.isReachableByOthers(directory.path + "/file"))
        }
    }

    @Test func onlyFilesOfADeadProcessAreRemoved() throws {
        let tree = try TemporaryTree([
            "copies/process-dead/lock": "", "copies/process-dead/1/X.bundle/a": "", "copies/process-halfmade/": "",
            "copies/something/lock": "",
        ])
        chmod(tree("copies"), 0o700)
        try tree.link("copies/process-link", to: "../elsewhere")
        try tree.write("elsewhere/lock")
        let living = try PrivateDirectory(in: [tree("copies")])
        let other = try PrivateDirectory(in: [tree("copies")])
        #expect(living.path != other.path)
        #expect(FileIdentity(path: living.path) != nil)
        #expect(FileIdentity(path: tree("copies/process-dead")) == nil)
        #expect(FileIdentity(path: tree("copies/process-halfmade")) == nil)
        #expect(FileIdentity(path: tree("copies/something/lock")) != nil)
        #expect(FileIdentity(path: tree("elsewhere/lock")) != nil)
    }

    @Test(.fault(197)) func aLockThatAnotherProcessHoldsIsWaitedForWithinALimitAndTheNextPlaceIsTaken() throws {
        let tree = try TemporaryTree(["held/": "", "free/": ""])
        for name in ["held", "free"] { chmod(tree(name), 0o700) }
        // A lock belongs to an open file, so another one of this process works like another process.
        let lock = open(tree("held/lock"), O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        try #require(flock(lock, LOCK_EX) == 0)
        let start = ContinuousClock.now
        let directory = try PrivateDirectory(in: [tree("held"), tree("free")], longestWait: .milliseconds(200))
        #expect(Path.isInside(directory.path, directory: tree("free")))
        do throws(PrivateDirectory.Failure) {
            _ = try PrivateDirectory(in: [tree("held")], longestWait: .milliseconds(200))
            Issue.record("the place is held")
        } catch {
            let reason = try #require(error.refusals.first?.reason)
            #expect(reason.contains(tree("held/lock")) && reason.contains("another process"))
        }
        // Twice a fifth of a second; without a limit it would never end.
        #expect(ContinuousClock.now - start < .seconds(60))
        // It is refused only this time.
        close(lock)
        let later = try PrivateDirectory(in: [tree("held")], longestWait: .milliseconds(200))
        #expect(Path.isInside(later.path, directory: tree("held")))
        #expect(PrivateDirectory.longestWait <= .seconds(10))
    }

    @Test(.fault(197)) func aProcessThatRemovesMuchLetsOthersIn() throws {
        let tree = try TemporaryTree(["copies/dead-left/1/X.bundle/a": ""])
        chmod(tree("copies"), 0o700)
        for number in 0..<200 { try tree.write("copies/process-dead\(number % 10)/\(number)/X.bundle/a") }
        let directory = try PrivateDirectory(in: [tree("copies")], longestWait: .zero)
        let names = DirectoryListing(path: tree("copies")).names.keys.filter { $0 != "lock" }
        #expect(names.map(tree.callInCopies) == [directory.path])
    }

    /// Imitates a process that is killed: the kernel releases its lock, and its file still exists.
    @Test func aKilledProcessesDirectoryIsRemovedByTheNextAndALivingOnesIsNot() async {
        await #expect(processExitsWith: .success) {
            let tree = try TemporaryTree(["copies/": ""])
            chmod(tree("copies"), 0o700)
            var ends: [CInt] = [0, 0]
            pipe(&ends)
            let child = ForkedChild.start {
                guard let directory = try? PrivateDirectory(in: [tree("copies")]) else { return 1 }
                write(ends[1], directory.path, directory.path.utf8.count)
                pause()
                return 0
            }
            var buffer = [UInt8](repeating: 0, count: 4096)
            let count = read(ends[0], &buffer, 4096)
            let path = String(decoding: buffer[..<count], as: UTF8.self)
            _ = try PrivateDirectory(in: [tree("copies")])
            precondition(FileIdentity(path: path) != nil, "a living process lost its directory")
            kill(child, SIGKILL)
            _ = ForkedChild.end(of: child)
            precondition(FileIdentity(path: path) != nil)
            _ = try PrivateDirectory(in: [tree("copies")])
            precondition(FileIdentity(path: path) == nil, "a dead process's directory is still there")
        }
    }

    @Test func itIsRemovedAtTheEndOfTheProcessAndNotAtThatOfAChild() async {
        await #expect(processExitsWith: .success) {
            let tree = try TemporaryTree(["copies/": ""])
            chmod(tree("copies"), 0o700)
            setenv("PLUGINHOST_COPIES", tree("copies"), 1)
            func count() -> Int { DirectoryListing(path: tree("copies")).names.count }
            let isRemoved = ForkedChild.succeeds {
                guard (try? PrivateDirectory.shared()) != nil, count() == 2 else { return false }
                let grandchild = ForkedChild.start { exit(0) }
                guard ForkedChild.end(of: grandchild) != nil else { return false }
                guard count() == 2 else { return false }
                exit(0)
            }
            precondition(isRemoved)
            // The lock of the place remains.
            precondition(count() == 1)
        }
    }

    @Test func aFileSystemThatRefusesCodeIsRefused() async {
        await #expect(processExitsWith: .success) {
            let tree = try TemporaryTree(["mounted/": "", "other/": ""])
            let isReported = ForkedChild.succeeds {
                // If the system gives the child no namespaces, there is nothing to check.
                guard ForkedChild.enterOwnNamespaces(), ForkedChild.mountWithoutCode(at: tree("mounted")) else {
                    return true
                }
                do throws(PrivateDirectory.Failure) {
                    _ = try PrivateDirectory(in: [tree("mounted/copies")])
                    return false
                } catch {
                    return error.refusals[0].reason == "is on a file system that is mounted noexec"
                }
            }
            precondition(isReported)
        }
    }
}

extension TemporaryTree {
    fileprivate func callInCopies(_ name: String) -> String { self("copies/" + name) }
}
