import CSandbox
import Foundation
import HostBasics
@_spi(PluginHost) import PluginABI
import TestSupport
import Testing

@_spi(Tools) @testable import PluginHost
@_spi(Tools) @testable import PluginWorkers

/// Directories in the place of the file system of control groups: a group that was delegated, and that of this process below it.
private final class PretendedGroups: Sendable {
    let root = FileManager.default.temporaryDirectory.appending(path: "groups-\(UUID().uuidString)")
    /// The files of a group that the kernel makes.
    private static let files = [
        "cgroup.procs", "cgroup.controllers", "cgroup.subtree_control", "memory.max", "memory.swap.max",
        "memory.oom.group", "memory.events",
    ]
    let parent: String
    let system: ControlGroupSystem

    init(own: String = "/unit.service/host", line: String? = nil) throws {
        let file = root.appending(path: "membership").path
        parent = root.path + Path.parent(own)
        try FileManager.default.createDirectory(atPath: root.path + own, withIntermediateDirectories: true)
        try Data("3:memory:/other\n\(line ?? "0::\(own)")\n".utf8).write(to: URL(filePath: file))
        system = ControlGroupSystem(
            root: root.path, membership: file,
            makeDirectory: { path in
                guard mkdir(path, 0o755) == 0 else { return -1 }
                for name in Self.files { close(open(Path.join(path, name), O_CREAT | O_WRONLY | O_EXCL, 0o644)) }
                return 0
            },
            removeDirectory: { path in
                // As a group with processes.
                if access(Path.join(path, "busy"), F_OK) == 0 {
                    errno = EBUSY
                    return -1
                }
                for name in Self.files { unlink(Path.join(path, name)) }
                return rmdir(path)
            })
        for (name, text) in [("cgroup.controllers", "cpu memory pids\n"), ("cgroup.subtree_control", "pids\n")] {
            try Data(text.utf8).write(to: URL(filePath: Path.join(parent, name)))
        }
    }

    deinit { try? FileManager.default.removeItem(at: root) }

    func text(_ name: String, in group: String) throws -> String {
        try String(contentsOfFile: Path.join(group, name), encoding: .utf8)
    }

    /// The groups of workers.
    var workers: [String] {
        get throws {
            try FileManager.default.contentsOfDirectory(atPath: parent).filter { $0.hasPrefix("pluginhost-") }.sorted()
        }
    }

    func setEvents(_ text: String, of group: String) throws {
        try Data(text.utf8).write(to: URL(filePath: Path.join(group, "memory.events")))
    }

    /// Waits until no group of a worker is there.
    func becomeEmpty() throws -> Bool {
        let limit = Wait.ofATest
        while try !workers.isEmpty { if !limit.sleep() { return false } }
        return true
    }
}

/// The control group of a worker, in directories that stand for those of the kernel.
@Suite(.serialized, .timeLimit(.minutes(5))) struct ControlGroupTests {
    private let fixture: WorkerFixture

    init() throws { fixture = try WorkerFixture() }

    private func start(_ system: ControlGroupSystem, _ placement: Placement) throws -> PluginWorker {
        var start = WorkerStart(placement, for: fixture.bundle)
        start.groups = system
        return try PluginWorker.start(start)
    }

    @Test(.fault(835)) func aWorkerHasAGroupInTheOneThatWasDelegated() throws {
        let groups = try PretendedGroups()
        for execution in [PluginExecution.isolated, .sandboxed] where execution == .isolated || OtherUser.canConfine {
            var placement = fixture.placement(execution)
            placement.limits.memory = 256
            let worker = try start(groups.system, placement)
            let names = try groups.workers
            try #require(names.count == 1 && names[0].hasPrefix("pluginhost-\(getpid())-"))
            let group = Path.join(groups.parent, names[0])
            #expect(try groups.text("cgroup.procs", in: group) == "0", "the worker itself has joined")
            let most = (256 << 20) + Int(PHS_WINDOW_SIZE)
            #expect(try groups.text("memory.max", in: group) == "\(most + most / 8)")
            #expect(try groups.text("memory.swap.max", in: group) == "0")
            #expect(try groups.text("memory.oom.group", in: group) == "1")
            #expect(try groups.text("cgroup.subtree_control", in: groups.parent).hasPrefix("+memory"))
            worker.stop(by: .seconds(10))
            #expect(worker.waitForEnd()?.cause == .host)
            #expect(try groups.becomeEmpty())
        }
    }

    @Test(.fault(836)) func anEndByTheKernelInAGroupAtItsLimitIsTheLimitOfMemory() throws {
        let groups = try PretendedGroups()
        let ends: [(events: String, cause: WorkerEnd.Cause, origin: WorkerEnd.Origin)] = [
            ("low 0\nhigh 0\nmax 9\noom 1\noom_kill 1\noom_group_kill 1\n", .limit(.memory), .misuse),
            // The memory of the whole machine, or of a group above, was used up.
            ("low 0\nhigh 0\nmax 0\noom 0\noom_kill 1\n", .signal(SIGKILL), .elsewhere),
            // Somebody killed it.
            ("low 0\nhigh 0\nmax 3\noom 0\noom_kill 0\n", .signal(SIGKILL), .elsewhere),
            ("", .signal(SIGKILL), .elsewhere),
        ]
        for (events, cause, origin) in ends {
            let worker = try start(groups.system, fixture.placement())
            try groups.setEvents(events, of: Path.join(groups.parent, try #require(groups.workers.first)))
            #expect(kill(worker.processIdentifier, SIGKILL) == 0)
            #expect(worker.waitForEnd()?.cause == cause, "\(events)")
            #expect(worker.values.withLock(\.life.ended?.origin) == origin, "\(events)")
            #expect(try groups.becomeEmpty())
        }
        // A crash is one even if the kernel ended a process of the group before.
        let worker = try start(groups.system, fixture.placement())
        try groups.setEvents("oom 1\noom_kill 1\n", of: Path.join(groups.parent, try #require(groups.workers.first)))
        #expect(kill(worker.processIdentifier, SIGSEGV) == 0)
        #expect(worker.waitForEnd()?.cause == .signal(SIGSEGV))
    }

    @Test(.fault(837)) func aDelegatedGroupThatCannotBeUsedIsReportedAndTheOtherLimitsHold() async {
        await #expect(processExitsWith: .success) {
            let lines = Lock<[String]>([])
            HostEnvironment.current.log = { record in lines.withLock { $0.append(record.message) } }
            let fixture = try WorkerFixture()
            func outcome(_ system: ControlGroupSystem, _ groups: PretendedGroups) throws {
                for _ in 0..<2 {
                    var start = WorkerStart(fixture.placement(), for: fixture.bundle)
                    start.groups = system
                    let worker = try PluginWorker.start(start)
                    #expect(worker.confinement.enforced == [.memory])
                    worker.stop(by: .seconds(10))
                    #expect(worker.waitForEnd()?.cause == .host)
                    #expect(try groups.becomeEmpty())
                }
            }
            let groups = try PretendedGroups()
            var system = groups.system
            // A limit on how many groups there may be.
            system.makeDirectory = { _ in
                errno = EAGAIN
                return -1
            }
            try outcome(system, groups)
            // The group vanishes, as when somebody takes it for a left-over, between its creation and the start.
            let make = groups.system.makeDirectory
            system.makeDirectory = { path in
                let result = make(path)
                unlink(Path.join(path, "cgroup.procs"))
                return result
            }
            try outcome(system, groups)
            // No controller can be turned on, as where the delegated group has a process of its own.
            unlink(Path.join(groups.parent, "cgroup.subtree_control"))
            try outcome(groups.system, groups)
            let limit = Wait.ofATest
            while lines.withLock(\.count) < 3, limit.sleep() {}
            let reports = lines.withLock { $0.filter { $0.contains("control group") } }
            #expect(reports.count == 3, "each reason once: \(reports)")
            for (report, words) in zip(reports, ["mkdir “\(groups.parent)/pluginhost-", "join “", "open “"]) {
                #expect(report.contains(words) && report.contains("DelegateSubgroup="), "\(report)")
            }
        }
    }

    /// A group of version 2 that the kernel made below that of the tests; nil if they may not make one.
    private static func realGroup() throws -> String? {
        let mounts = try String(contentsOfFile: "/proc/self/mounts", encoding: .utf8).split(separator: "\n")
        let lines = try String(contentsOfFile: "/proc/self/cgroup", encoding: .utf8).split(separator: "\n")
        guard let mount = mounts.map({ $0.split(separator: " ") }).first(where: { $0[2] == "cgroup2" })?[1],
            let own = lines.first(where: { $0.hasPrefix("0::") })?.dropFirst(3)
        else { return nil }
        let group = "\(mount)\(own == "/" ? "" : own)/pluginhost-test-\(UUID().uuidString)"
        return mkdir(group, 0o755) == 0 ? group : nil
    }

    private static let canMakeGroups: Bool = {
        guard let group = try? realGroup() else { return false }
        return rmdir(group) == 0
    }()

    @Test(.fault(835), .enabled(if: Self.canMakeGroups)) func aProcessIsInItsGroupBeforeItsProgramRuns() throws {
        let group = try #require(try Self.realGroup())
        defer { #expect(rmdir(group) == 0) }
        var ends: [Int32] = [-1, -1]
        try #require(phs_worker_make_pipe(&ends) == 0)
        let (output, written) = (RemoteDescriptor(adopting: ends[0]), RemoteDescriptor(adopting: ends[1]))
        let plan = WorkerPlan(
            program: "/bin/cat", arguments: ["cat", "/proc/self/cgroup"], environment: [],
            descriptors: [-1, written.descriptor, written.descriptor], limits: [],
            groupProcesses: group + "/cgroup.procs", ruleset: -1, user: nil, directories: [], hasProcesses: false,
            kernel: nil)
        let process = try plan.start().get()
        #expect(process.join_error == 0)
        let limit = Wait.ofATest
        while phs_worker_look(process.descriptor).state == PHS_WORKER_RUNS, limit.sleep() {}
        #expect(phs_worker_reap(process.descriptor).state == PHS_WORKER_EXITED)
        close(process.descriptor)
        var bytes = [UInt8](repeating: 0, count: 4_096)
        let count = read(output.descriptor, &bytes, bytes.count)
        let lines = String(decoding: bytes[..<max(0, count)], as: UTF8.self).split(separator: "\n")
        let own = try #require(lines.first { $0.hasPrefix("0::") })
        #expect(own.hasSuffix("/" + Path.lastComponent(group)), "\(lines)")
    }

    @Test func leftOversOfApplicationsThatEndedAreRemoved() throws {
        let groups = try PretendedGroups()
        // The number of a process that has ended.
        let ended = Process()
        ended.executableURL = URL(filePath: "/bin/true")
        try ended.run()
        ended.waitUntilExit()
        let names = [
            "pluginhost-\(ended.processIdentifier)-1", "pluginhost-\(ended.processIdentifier)-2",
            "pluginhost-\(getppid())-1", "pluginhost-\(getpid())-0", "pluginhost-x-1", "other",
        ]
        for name in names { try #require(groups.system.makeDirectory(Path.join(groups.parent, name)) == 0) }
        // A process that the worker of an application left behind is still in it.
        try Data().write(to: URL(filePath: Path.join(groups.parent, "\(names[1])/busy")))
        let group = try #require(try groups.system.makeGroup(memory: 1 << 20))
        let left = try groups.workers
        #expect(left == ([names[1], names[2], names[4], Path.lastComponent(group.path)]).sorted())
        // Its own that could not be removed when its worker ended.
        let busy = Path.join(group.path, "busy")
        try Data().write(to: URL(filePath: busy))
        group.remove()
        #expect(access(group.path, F_OK) == 0)
        unlink(busy)
        let next = try #require(try groups.system.makeGroup(memory: 1 << 20))
        #expect(access(group.path, F_OK) != 0 && access(next.path, F_OK) == 0)
        // While it is in use, nobody takes it for a left-over.
        let third = try #require(try groups.system.makeGroup(memory: .max))
        #expect(access(next.path, F_OK) == 0)
        #expect(try groups.text("memory.max", in: third.path) == "max")
    }

    @Test func onlyADelegatedGroupIsUsed() throws {
        func isUsed(_ own: String, line: String? = nil) throws -> Bool {
            let groups = try PretendedGroups(own: own, line: line)
            let isUsed = try groups.system.makeGroup(memory: 1 << 20) != nil
            #expect(try groups.workers.count == (isUsed ? 1 : 0))
            return isUsed
        }
        #expect(try isUsed("/system.slice/x.service/main"))
        #expect(try isUsed("/user.slice/user@1.service/app.slice/x.scope/host"))
        // The process is in the group of the unit itself, or in one that somebody else manages.
        for own in ["/system.slice/x.service", "/user.slice/user@1.service/init.scope", "/app.slice/x", "/x"] {
            #expect(try !isUsed(own), "\(own)")
        }
        for line in ["0::/", "0::/../x.service/main", "1:name=systemd:/x.service/main", "0::/gone.service/main", ""] {
            #expect(try !isUsed("/x.service/main", line: line), "\(line)")
        }
        // Whoever prepares a group otherwise marks it; not every file system has such marks.
        let marked = try PretendedGroups(own: "/x/main")
        if PretendedGroups.mark(marked.parent) { #expect(try marked.system.makeGroup(memory: 1 << 20) != nil) }
        // In a container, the root may be the delegated group.
        let container = try PretendedGroups(own: "/main")
        if PretendedGroups.mark(container.root.path) {
            let group = try container.system.makeGroup(memory: 1 << 20)
            #expect(group.map { Path.parent($0.path) } == container.root.path)
        }
        // The groups of version 1 have no such file.
        let other = try PretendedGroups()
        unlink(Path.join(other.parent, "cgroup.controllers"))
        #expect(try other.system.makeGroup(memory: 1 << 20) == nil)
    }
}

extension PretendedGroups {
    /// - Returns: whether the file system keeps such a mark.
    static func mark(_ directory: String) -> Bool {
        let program = Process()
        program.executableURL = URL(filePath: "/usr/bin/env")
        let text = "import os, sys; os.setxattr(sys.argv[1], 'user.delegate', b'1')"
        program.arguments = ["python3", "-c", text, directory]
        program.standardError = FileHandle.nullDevice
        guard (try? program.run()) != nil else { return false }
        program.waitUntilExit()
        return program.terminationStatus == 0
    }
}
