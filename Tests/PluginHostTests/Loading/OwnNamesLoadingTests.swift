import Dispatch
import ELFImages
import Foundation
import Glibc
import HostBasics
import TestSupport
import Testing

@_spi(Tools) @testable import PluginHost

/// Bundles that carry libraries with equal names: each gets its own, in every order.
@Suite(.timeLimit(.minutes(3))) struct OwnNamesLoadingTests {
    private func carrier(_ name: String, _ library: String, _ value: Int) throws -> CarrierFixture {
        try CarrierFixture(name, carrying: library, CarrierFixture.source(value))
    }

    // MARK: - Two bundles

    @Test(.fault(700), arguments: [[1, 2], [2, 1]])
    func twoBundlesWithOneSONAMEHaveTheirOwnLibraries(order: [Int]) throws {
        let library = "libtwo\(order[0]).so.1"
        let bundles = try order.map { try carrier("Two\(order[0])of\($0)", library, $0).load() }
        #expect(try bundles.map { try $0.number() } == order)
        #expect(try bundles[0].number("next_number") == 1)
        #expect(try bundles[1].number("next_number") == 1)
        #expect(try bundles[0].number("next_number") == 2)
        #expect(bundles.map(\.hasOwnNames) == [false, true])
        #expect(bundles[1].bundlePath == bundles[1].originalPath)
        // By these the crash journal finds the code that belongs to a bundle.
        #expect(CopiedPaths.copies(of: bundles[0].bundlePath).isEmpty)
        #expect(CopiedPaths.copies(of: bundles[1].bundlePath) == [bundles[1].mappedCode?.copy?.path])
    }

    @Test(.fault(701)) func aLibraryThatOnlyALibraryNeedsIsTheBundlesOwn() throws {
        func bundle(_ name: String, _ value: Int) throws -> PluginBundle {
            let inner = try CarrierFixture.built("libinner701.so.1", CarrierFixture.source(value))
            let middle = try CarrierFixture.built(
                "libmiddle701.so.1", "extern int part(void); int outer(void) { return part() * 10; }",
                [inner, "-Wl,-rpath,$ORIGIN"])
            let fixture = try CarrierFixture(
                name, library: "libmiddle701.so.1", functions: ["outer"], linkedWith: [middle])
            try fixture.install(middle)
            try fixture.install(inner, as: "libinner701.so.1")
            return try fixture.load()
        }
        #expect(try bundle("Middle1", 1).number("outer") == 10)
        #expect(try bundle("Middle2", 2).number("outer") == 20)
    }

    @Test(.fault(702)) func librariesWithSymbolVersionsAreEachBundlesOwn() throws {
        let versions = try ELFFixtures.file("versions702.map", "PART_1 { global: part; next_number; };".utf8)
        for value in [1, 2] {
            let fixture = try CarrierFixture(
                "Versions\(value)", carrying: "libversions702.so.1", CarrierFixture.source(value),
                flags: ["-Wl,--version-script,\(versions)"])
            #expect(try fixture.load().number() == value)
        }
    }

    @Test(.fault(703)) func equalLibrariesHaveTwoStates() throws {
        let first = try carrier("Equal1", "libequal.so.1", 1).load()
        let second = try carrier("Equal2", "libequal.so.1", 1).load()
        #expect(try first.number("next_number") == 1)
        #expect(try second.number("next_number") == 1)
    }

    @Test(.fault(704)) func oneFileInTwoBundlesIsSharedWithoutACopy() throws {
        let first = try carrier("Linked1", "liblinked704.so.1", 1)
        let second = try carrier("Linked2", "liblinked704.so.1", 1)
        unlink(second.libraryPath)
        #expect(link(first.libraryPath, second.libraryPath) == 0)
        let bundles = try [first.load(), second.load()]
        #expect(try bundles.map { try $0.number("next_number") } == [1, 2])
        #expect(!bundles[1].hasOwnNames)
    }

    @Test func aLibraryThatIsFoundByTheNameOfItsFileIsTheBundlesOwn() throws {
        func bundle(_ value: Int) throws -> PluginBundle {
            // Without a SONAME, the needed name is the path that the linker was given, here a name.
            let folder = "carried/unnamed-\(value)"
            _ = try ELFFixtures.c(folder + "/libunnamed.so", CarrierFixture.source(value))
            let fixture = try CarrierFixture(
                "Unnamed\(value)", library: "libunnamed.so",
                linkedWith: ["-L", ELFFixtures.directory + "/" + folder, "-lunnamed"])
            try fixture.install(ELFFixtures.directory + "/" + folder + "/libunnamed.so")
            return try fixture.load()
        }
        #expect(try bundle(1).number() == 1)
        let second = try bundle(2)
        #expect(try second.number() == 2 && second.hasOwnNames)
    }

    @Test(.fault(711)) func aLibraryWithTheNameOfTheSystemsLeavesThatNameToTheSystem() throws {
        // Parts of glibc that nothing uses.
        let name = try #require(
            ["libBrokenLocale.so.1", "libnsl.so.1", "libanl.so.1"].first {
                CarriedNames.systemLibrary($0) != nil && !LoadedLibrary.isPresent($0)
            })
        let bundle = try carrier("System", name, 3).load()
        #expect(try bundle.number() == 3 && bundle.hasOwnNames)
        #expect(!LoadedLibrary.isPresent(name))
    }

    @Test(.fault(727)) func twoVersionsOfASwiftLibraryHaveTypesOfTheirOwn() throws {
        func bundle(_ value: Int) throws -> PluginBundle {
            let source = """
                protocol Valued { var value: Int32 { get } }
                class Base<Element> { init() {} }
                final class Box: Base<String>, Valued { let value: Int32 = \(value) }
                @c(part) public func part() -> Int32 {
                    let anything: Any = Box()
                    guard anything is Base<String>, !(anything is Base<Int>) else { return -1 }
                    return (anything as? any Valued)?.value ?? -2
                }
                """
            let built = try ELFFixtures.swift(
                "carried/swift-\(value).so", module: "CarriedSwift", source,
                ["-emit-library", "-Xlinker", "-soname", "-Xlinker", "libCarriedSwift.so"])
            let fixture = try CarrierFixture(
                "SwiftCarrier\(value)", library: "libCarriedSwift.so", functions: ["part"], linkedWith: [built])
            try fixture.install(built)
            return try fixture.load()
        }
        let bundles = try [bundle(1), bundle(2), bundle(3)]
        #expect(try bundles.map { try $0.number() } == [1, 2, 3])
        #expect(try bundles[0].number() == 1)
    }

    @Test(.fault(728)) func codeThatOpensALibraryByItsNameGetsTheFirst() throws {
        let more = """
            #include <dlfcn.h>
            int by_name(void) {
                void *library = dlopen("libbyname.so.1", RTLD_NOW);
                return library ? ((int (*)(void))dlsym(library, "part"))() : -1;
            }
            """
        let bundles = try [1, 2].map { value in
            try CarrierFixture(
                "ByName\(value)", carrying: "libbyname.so.1", CarrierFixture.source(value),
                functions: ["part", "by_name"], more: more)
        }
        _ = try bundles[0].load()
        let second = try bundles[1].load()
        #expect(try second.number() == 2 && second.number("by_name") == 1)
    }

    // MARK: - Unique symbols

    @Test(.fault(716, 717)) func uniqueStaticsAreOnePerBundle() throws {
        let source = """
            __asm__(".data\\n.type unique_716, %gnu_unique_object\\n.size unique_716, 4\\n.p2align 2\\n"
                    "unique_716: .long 0\\n"
                    ".section .tdata,\\"awT\\",%progbits\\n.type local_717, %gnu_unique_object\\n"
                    ".size local_717, 4\\n.p2align 2\\nlocal_717: .long 0\\n.text");
            extern int unique_716; extern __thread int local_717;
            """
        func bundle(_ number: Int) throws -> PluginBundle {
            try CarrierFixture(
                "Unique\(number)", carrying: "libunique716.so.1",
                source + "int part(void) { return ++unique_716; } int local(void) { return ++local_717; }",
                functions: ["part", "local", "mine", "my_local"],
                more: source + "int mine(void) { return ++unique_716; } int my_local(void) { return ++local_717; }"
            )
            .load()
        }
        for number in [1, 2, 3] {
            let bundle = try bundle(number)
            #expect(try bundle.number("part") == 1 && bundle.number("mine") == 2 && bundle.number("part") == 3)
            #expect(try bundle.number("local") == 1 && bundle.number("my_local") == 2)
            #expect(bundle.hasOwnNames == (number > 1))
        }
    }

    @Test(.fault(716)) func uniqueStaticsOfExecutablesAloneAreOnePerBundle() throws {
        let source = """
            __asm__(".data\\n.type alone_716, %gnu_unique_object\\n.size alone_716, 4\\n.p2align 2\\n"
                    "alone_716: .long 0\\n.text");
            extern int alone_716; int part(void) { return ++alone_716; }
            """
        for number in [1, 2] {
            let bundle = try CarrierFixture(
                "Alone\(number)", library: "", functions: ["part"], more: source, linkedWith: []
            ).load()
            #expect(try bundle.number() == 1 && bundle.number() == 2)
        }
    }

    // MARK: - Refusals

    @Test(.fault(705)) func aNameThatIsTooShortIsALibraryClash() throws {
        _ = try carrier("Short1", "p", 1).load()
        let second = try carrier("Short2", "p", 2)
        let error = try second.refusal()
        #expect(error.code == .libraryClash && error.subject == "p" && error.filePath == second.libraryPath)
        #expect(error.description.contains("too short"))
        #expect(error.findings[0].remedy.hasSuffix("-Wl,-soname,p-short2.so."))
    }

    @Test(.fault(706)) func aNameThatASymbolSharesIsALibraryClash() throws {
        let source = "int shared_name(void) __asm__(\"libshared706.so.1\"); int shared_name(void) { return 1; } "
        let fixtures = try [1, 2].map {
            try CarrierFixture("Shared\($0)", carrying: "libshared706.so.1", source + CarrierFixture.source($0))
        }
        #expect(try fixtures[0].load().number() == 1)
        let error = try fixtures[1].refusal()
        #expect(error.code == .libraryClash && error.subject == "libshared706.so.1")
        #expect(error.description.contains(fixtures[0].path) && error.description.contains(fixtures[1].libraryPath))
        #expect(error.findings[0].remedy.contains("-Wl,-soname,libshared706-shared2.so.1"))
        // Nothing is left of the copy. Other tests make copies at the same time.
        let place = try PrivateDirectory.shared().path
        let copied = DirectoryListing(path: place).names.keys.flatMap { name in
            DirectoryListing(path: Path.join(place, name)).names.keys
        }
        #expect(!copied.contains("Shared2.bundle"))
    }

    @Test(.fault(709)) func withoutAPlaceForCopiesTheClashIsAnErrorWithItsCause() async {
        await #expect(processExitsWith: .success) {
            setenv("PLUGINHOST_COPIES", "/proc/pluginhost-copies", 1)
            let first = try CarrierFixture("NoPlace1", carrying: "libnoplace.so.1", CarrierFixture.source(1))
            let second = try CarrierFixture("NoPlace2", carrying: "libnoplace.so.1", CarrierFixture.source(2))
            _ = try first.load()
            let error = try second.refusal()
            #expect(error.findings.map(\.code) == [.libraryClash, .copyFailed])
            #expect(error.description.contains(first.libraryPath) && error.description.contains(second.libraryPath))
            #expect(error.isProvisional)
        }
    }

    @Test(.fault(710)) func aLibraryThatOnlyAnotherBundleCarriesIsMissing() throws {
        let first = try carrier("Only1", "libonly.so.1", 1)
        _ = try first.load()
        let built = try CarrierFixture.built("libonly.so.1", CarrierFixture.source(1))
        let second = try CarrierFixture("Only2", library: "libonly.so.1", linkedWith: [built])
        let error = try second.refusal()
        #expect(error.code == .dependencyMissing && error.subject == "libonly.so.1")
        #expect(error.description.contains(first.path) && error.description.contains(first.libraryPath))
        let checked = try PluginBundle.open(path: second.path).findings()
        #expect(checked.contains { $0.code == .dependencyMissing && $0.subject == "libonly.so.1" })
        // It loads once it carries the library.
        try second.install(built)
        #expect(try second.load().number() == 1)
    }

    // MARK: - Changes meanwhile

    @Test(.fault(708)) func aLibraryThatIsReplacedDuringTheCopyIsCopiedAgain() throws {
        _ = try carrier("Replaced1", "libreplaced.so.1", 1).load()
        let second = try carrier("Replaced2", "libreplaced.so.1", 2)
        let other = try CarrierFixture.built("libreplaced.so.1", CarrierFixture.source(3))
        let bytes = try OpenedFile(path: other).bytes(atMost: 1 << 20)
        // While it is replaced again and again, a load has one of the files or a typed error.
        let done = DispatchSemaphore(value: 0)
        let isDone = Lock(false)
        Thread {
            while !isDone.withLock({ $0 }) {
                try? second.tree.write("Replaced2.bundle/Contents/Frameworks/new", bytes: bytes)
                try? second.tree.rename(
                    "Replaced2.bundle/Contents/Frameworks/new",
                    to: "Replaced2.bundle/Contents/Frameworks/libreplaced.so.1")
                usleep(500)
            }
            done.signal()
        }.start()
        let attempt = Result { try second.load() }
        isDone.withLock { $0 = true }
        done.wait()
        switch attempt {
        case .success(let bundle): #expect(try [2, 3].contains(bundle.number()))
        case .failure(let error):
            #expect([.libraryClash, .executableChanged].contains((error as? PluginError)?.code), "\(error)")
            #expect(try second.load().number() == 3)
        }
    }

    @Test(.fault(729)) func whatAKilledProcessEditedIsRemovedByTheNext() async throws {
        let fixture = try carrier("Killed", "libkilled.so.1", 1)
        try fixture.tree.write("copies/a")
        fixture.tree.remove("copies/a")
        let place = fixture.tree("copies")
        chmod(place, 0o700)
        await #expect(processExitsWith: .signal(SIGKILL)) { [place = place as String, path = fixture.path as String] in
            let directory = try PrivateDirectory(in: [place])
            _ = try BundleCopy(of: path, in: directory) { _, _ in kill(getpid(), SIGKILL) == 0 }
        }
        func drafts() -> [String] {
            DirectoryListing(path: place).names.keys.flatMap { name in
                DirectoryListing(path: Path.join(place, name)).names.keys.filter { $0.hasSuffix(".part") }
            }
        }
        #expect(drafts().count == 1)
        let next = try PrivateDirectory(in: [place])
        #expect(drafts().isEmpty)
        withExtendedLifetime(next) {}
    }
}
