import CPluginSupport.Shims
import Foundation
import TestSupport
import Testing

@testable import HostBasics
@testable import PluginHost
@testable import PluginWorkers

/// `$STATE`: the directory in which a plug-in keeps what should outlive a restart.
///
/// Each test of a plug-in runs in a process of its own, because it changes the environment.
@Suite(.timeLimit(.minutes(5))) struct StateDirectoryTests {
    private static let asks = "PHPermissions = { files = ({ path = \"$STATE\"; access = write; }); };"

    /// Lets the user's directory for state be one of a test, which another user can reach.
    private static func useState(in directory: URL) -> String {
        let path = directory.appending(path: "state").path
        setenv("XDG_STATE_HOME", path, 1)
        HostEnvironment.current.name = "Keeper"
        if geteuid() == 0 { HostEnvironment.current.isolation.user = OtherUser.name }
        return path
    }

    private static func status(_ path: String) throws -> stat {
        var found = stat()
        try #require(lstat(path, &found) == 0, "\(path)")
        return found
    }

    private static func state(_ plugin: CrashingPlugin) throws -> ForeignValue {
        try plugin.bundle.function("state")()
    }

    // MARK: In the application's process

    @Test func aPlugInInTheApplicationHasADirectoryOfItsOwn() async {
        await #expect(processExitsWith: .success) {
            let plugin = try CrashingPlugin(execution: "any")
            let all = StateDirectoryTests.useState(in: plugin.directory)
            #expect(!FileManager.default.fileExists(atPath: all))
            let path = all + "/Keeper/plugins/org.example.Crashing"
            #expect(try StateDirectoryTests.state(plugin) == .string(path))
            for made in [all, all + "/Keeper", path] {
                let mode = try StateDirectoryTests.status(made).st_mode
                // The workers of root have another user, who passes through those above.
                let expected: mode_t = geteuid() == 0 && made != path ? 0o711 : 0o700
                #expect(mode & 0o7777 == expected && mode & S_IFMT == S_IFDIR)
            }
            // Somebody removed it.
            try FileManager.default.removeItem(atPath: path)
            #expect(try StateDirectoryTests.state(plugin) == .string(path))
            #expect(FileManager.default.fileExists(atPath: path))
            let swift = try GadgetPlugin(execution: "any")
            #expect(try swift.make().perform("state") == all + "/Keeper/plugins/org.example.Gadget")
        }
    }

    @Test func aDirectoryThatCannotBeMadeIsNoneAndTheLogSaysWhy() async {
        await #expect(processExitsWith: .success) {
            let logged = Lock<[String]>([])
            HostEnvironment.current.log = { record in logged.withLock { $0.append(record.message) } }
            let plugin = try CrashingPlugin(execution: "any")
            let all = StateDirectoryTests.useState(in: plugin.directory)
            try Data().write(to: URL(filePath: all))
            #expect(try StateDirectoryTests.state(plugin) == .null)
            HostEnvironment.current.name = "a/b"
            #expect(try StateDirectoryTests.state(plugin) == .null)
            let lines = logged.withLock(\.self)
            #expect(lines.count == 2 && lines[0].contains(all) && lines[0].contains("XDG_STATE_HOME"), "\(lines)")
            #expect(lines.last?.contains("“a/b”") == true)
        }
    }

    // MARK: In a worker

    @Test(arguments: OtherUser.canConfine ? [false, true] : [false])
    func aWorkerHasTheSameDirectoryIfItWasGranted(isSandboxed: Bool) async {
        await #expect(processExitsWith: .success) { [isSandboxed] in
            HostEnvironment.current.isolation.execution = { _ in isSandboxed ? .sandboxed : .isolated }
            let plugin = try CrashingPlugin(execution: "any", info: StateDirectoryTests.asks)
            let all = StateDirectoryTests.useState(in: plugin.directory)
            #expect(try StateDirectoryTests.state(plugin) == .null, "it was not granted")
            plugin.bundle.unload()
            #expect(!FileManager.default.fileExists(atPath: all))

            HostEnvironment.current.isolation.grant = { _, asked in asked }
            let path = all + "/Keeper/plugins/org.example.Crashing"
            #expect(try StateDirectoryTests.state(plugin) == .string(path))
            let keeps = try plugin.bundle.function("keeps", as: ((String, UInt32) -> Int32).self)
            #expect(try keeps(path + "/notes", 5) == 1)
            let notes = try StateDirectoryTests.status(path + "/notes")
            #expect(notes.st_size == 5)
            // Where the host is root, the worker has another user.
            let directory = try StateDirectoryTests.status(path)
            #expect(directory.st_uid == notes.st_uid && directory.st_mode & 0o7777 == 0o700)
            if geteuid() == 0 { #expect(directory.st_uid == getpwnam(OtherUser.name).pointee.pw_uid) }
            if isSandboxed {
                #expect(try keeps(all + "/Keeper/plugins/other", 5) == 0)
                #expect(try keeps(plugin.directory.path + "/outside", 5) == 0)
            }
            plugin.bundle.unload()
            // In the application's process it finds what it kept.
            let swift = try GadgetPlugin(execution: "isolated")
            #expect(try swift.make().perform("state") == "none", "it did not ask")
        }
    }

    @Test func whatTheApplicationKeepsBesidesDoesNotKeepTheWorkersUserOut() async {
        await #expect(processExitsWith: .success) {
            HostEnvironment.current.isolation.execution = { _ in .isolated }
            HostEnvironment.current.isolation.grant = { _, asked in asked }
            let plugin = try CrashingPlugin(execution: "any", info: StateDirectoryTests.asks)
            let all = StateDirectoryTests.useState(in: plugin.directory)
            try CrashJournal.begin(application: "Keeper", handlers: false)
            #expect(try StateDirectoryTests.state(plugin) == .string(all + "/Keeper/plugins/org.example.Crashing"))
            let mode = try StateDirectoryTests.status(all + "/Keeper/journals").st_mode
            #expect(mode & 0o066 == 0, "nobody else can list or change what is in it")
        }
    }

    @Test func aPlugInThatDoesNotAskHasNoneInAWorker() async {
        await #expect(processExitsWith: .success) {
            HostEnvironment.current.isolation.grant = { _, _ in
                var all = PluginPermissions()
                all.files = [.init("$STATE", .write)]
                return all
            }
            let plugin = try CrashingPlugin()
            let all = StateDirectoryTests.useState(in: plugin.directory)
            #expect(try StateDirectoryTests.state(plugin) == .null)
            #expect(!FileManager.default.fileExists(atPath: all))
        }
    }

    @Test func plugInsOfAGroupDoNotShareTheProcessThatReachesADirectory() async {
        await #expect(processExitsWith: .success) {
            HostEnvironment.current.isolation.execution = { _ in .isolated }
            HostEnvironment.current.isolation.group = { _ in "both" }
            HostEnvironment.current.isolation.grant = { _, asked in asked }
            let one = try CrashingPlugin(execution: "any", name: "One", info: StateDirectoryTests.asks)
            let all = StateDirectoryTests.useState(in: one.directory)
            let other = one.directory.appending(path: "Two.bundle")
            try FileManager.default.copyItem(at: one.directory.appending(path: "One.bundle"), to: other)
            try Data("{ CFBundleIdentifier = Two; NSExecutable = One; \(StateDirectoryTests.asks) }".utf8)
                .write(to: other.appending(path: "Contents/Info.plist"))
            let two = try PluginBundle.open(path: other.path)
            #expect(try StateDirectoryTests.state(one) == .string(all + "/Keeper/plugins/org.example.One"))
            #expect(try two.function("state")() == .string(all + "/Keeper/plugins/Two"))
            #expect(try one.bundle.function("process")() != two.function("process")())
        }
    }

    @Test func aSpareWorkerServesNoOtherPlugInsDirectory() async {
        await #expect(processExitsWith: .success) {
            HostEnvironment.current.isolation.execution = { _ in .isolated }
            HostEnvironment.current.isolation.grant = { _, asked in asked }
            HostEnvironment.current.isolation.spares = 1
            let one = try CrashingPlugin(execution: "any", name: "One", info: StateDirectoryTests.asks)
            let two = try CrashingPlugin(execution: "any", name: "Two", info: StateDirectoryTests.asks)
            let all = StateDirectoryTests.useState(in: one.directory)
            #expect(try StateDirectoryTests.state(one) == .string(all + "/Keeper/plugins/org.example.One"))
            let limit = Wait.ofATest
            while WorkerSpares.shared.count == 0, limit.sleep() {}
            let spare = try #require(WorkerSpares.shared.workers.first).processIdentifier
            #expect(try StateDirectoryTests.state(two) == .string(all + "/Keeper/plugins/org.example.Two"))
            #expect(try two.bundle.function("process")() != .int(Int64(spare)))
        }
    }

    @Test func aDirectoryThatCannotBeMadeIsTheErrorOfTheLoad() async {
        await #expect(processExitsWith: .success) {
            HostEnvironment.current.isolation.grant = { _, asked in asked }
            let plugin = try CrashingPlugin(info: StateDirectoryTests.asks)
            let all = StateDirectoryTests.useState(in: plugin.directory)
            let plugins = URL(filePath: all + "/Keeper/plugins")
            try FileManager.default.createDirectory(at: plugins, withIntermediateDirectories: true)
            // Whoever puts a link there would choose what a later worker may write to.
            let path = plugins.path + "/org.example.Crashing"
            try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: plugin.directory.path)
            let error = #expect(throws: PluginError.self) { try plugin.bundle.loadAndReturnError() }
            #expect(error?.code == .workerUnavailable && error?.bundlePath == plugin.bundle.bundlePath)
            #expect(error?.filePath == path && error?.subject == "$STATE")
            #expect(error?.findings[0].remedy.contains("Remove what is in its place") == true)
            #expect(PluginWorker.all.isEmpty)
        }
    }

    @Test func aPlugInThatKeepsMoreThanItsLimitIsEnded() async {
        await #expect(processExitsWith: .success) {
            HostEnvironment.current.isolation.grant = { _, asked in asked }
            let plugin = try CrashingPlugin(info: StateDirectoryTests.asks + " PHLimits = { state = 1; };")
            let all = StateDirectoryTests.useState(in: plugin.directory)
            let path = all + "/Keeper/plugins/org.example.Crashing"
            let keeps = try plugin.bundle.function("keeps", as: ((String, UInt32) -> Int32).self)
            #expect(try keeps(path + "/few", 1 << 19) == 1)
            let worker = try #require(PluginWorker.all.first)
            // Longer than the time between two measurements.
            try await Task.sleep(for: .seconds(5))
            #expect(worker.end == nil, "half of the limit is within it")
            #expect(try keeps(path + "/many", 1 << 20) == 1)
            #expect(worker.waitForEnd()?.cause == .limit(.state))
            let error = #expect(throws: PluginError.self) { try worker.load(plugin.bundle) }
            #expect(error?.code == .workerEnded && error?.workerEnd?.cause == .limit(.state))
        }
    }

    // MARK: The directory itself

    @Test func onlyItsOwnerMayEnterItAndAnotherUserReachesIt() throws {
        let tree = try TemporaryTree()
        let user = UserDirectories { $0 == "XDG_STATE_HOME" ? tree("above") : nil }
        let directory = try #require(StateDirectory(of: "a", in: "App", user: user))
        let owner: UInt32 = geteuid() == 0 ? 12_345 : geteuid()
        try directory.make(for: (owner, getegid()))
        let found = try Self.status(directory.path)
        #expect(found.st_uid == owner && found.st_mode & 0o7777 == 0o700)
        // Only root has workers with another user.
        let mode: mode_t = geteuid() == 0 ? 0o711 : 0o700
        for above in [tree("above"), tree("above/App"), tree("above/App/plugins")] {
            let found = try Self.status(above)
            #expect(found.st_uid == geteuid() && found.st_mode & 0o7777 == mode)
        }
    }

    @Test func aFileInItsPlaceIsAnError() throws {
        let tree = try TemporaryTree(["above/App/plugins/a": "text"])
        let user = UserDirectories { $0 == "XDG_STATE_HOME" ? tree("above") : nil }
        let directory = try #require(StateDirectory(of: "a", in: "App", user: user))
        #expect(throws: StateDirectory.Failure.self) { try directory.make() }
        #expect(try Self.status(directory.path).st_mode & S_IFMT == S_IFREG)
    }
}
