import Fixtures
import Foundation
import Testing

/// An application that uses one hostile plug-in, in a process of its own: what happens to it is the result of the test.
///
/// It loads a harmless plug-in first, so that everything that the library keeps exists before anything is counted.
struct HostileHost {
    /// What the application reported.
    struct Report: CustomStringConvertible {
        let values: [String: String]
        let output: Tool.Output

        subscript(_ key: String) -> String { values[key] ?? "" }
        func number(_ key: String) -> Int { Int(self[key]) ?? -1 }
        var description: String { "\(values) \(output)" }
    }

    static let program = Result {
        try Compiler.executable(
            "HostileHost", source: interface + source, flags: ["-enable-upcoming-feature", "ExistentialAny"])
    }

    /// An interface with callbacks, and its proxy.
    ///
    /// Host and plug-in are compiled with a copy each, because they share nothing but the names of the methods.
    static let interface = """
        import PluginABI
        public protocol Caller: Plugin {
            func storm(_ count: Int, _ callback: RemoteCallback<Int, Int>) throws -> Int
            func deepen(_ depth: Int, _ callback: RemoteCallback<Int, Int>) throws -> Int
            func fail() throws
        }
        public final class CallerProxy: Caller {
            private let remote: RemoteObject
            private init(_ remote: RemoteObject) { self.remote = remote }
            public init(context: PluginContext) throws { throw RemoteObject.isNoPlugin }
            public func storm(_ count: Int, _ callback: RemoteCallback<Int, Int>) throws -> Int {
                try remote.call(0, count, callback)
            }
            public func deepen(_ depth: Int, _ callback: RemoteCallback<Int, Int>) throws -> Int {
                try remote.call(1, depth, callback)
            }
            public func fail() throws { try remote.call(2) }
            public static let interface = RemoteInterface<any Caller>(
                proxy: { CallerProxy($0) },
                methods: [
                    RemoteMethod("storm(_:_:)") { try $0.storm($1, $2) },
                    RemoteMethod("deepen(_:_:)") { try $0.deepen($1, $2) },
                    RemoteMethod("fail()") { try $0.fail() },
                ])
        }
        extension ExtensionPoint where Interface == any Caller {
            public static var caller: Self { .init("org.example.caller", remote: CallerProxy.interface) }
        }

        """

    /// A plug-in that calls its caller again and again.
    static let caller =
        interface + """
            struct OwnError: Error { let text: String }
            final class Calling: Caller {
                init(context: PluginContext) {}
                func storm(_ count: Int, _ callback: RemoteCallback<Int, Int>) throws -> Int {
                    for number in 0..<count { _ = try callback(number) }
                    return count
                }
                func deepen(_ depth: Int, _ callback: RemoteCallback<Int, Int>) throws -> Int {
                    depth == 0 ? 0 : try callback(depth - 1) + 1
                }
                func fail() throws { throw OwnError(text: "the plug-in's own") }
            }
            @c(plugin_entry)
            public func pluginEntry(_ host: UnsafePointer<plugin_host>) -> plugin_status {
                registerPlugin(with: host) { plugin in plugin.provide(.caller, named: "calling", Calling.init) }
            }
            """

    /// Starts the application and waits for its end.
    ///
    /// `execution`: `isolated` or `sandboxed`. `path`: a directory or file for the action. `milliseconds`: the time limit of
    /// a call; 0 for none.
    static func run(
        _ execution: String, _ bundle: BundleFixture, _ action: String, path: String = "", number: Int64 = 0,
        milliseconds: Int = 0
    ) throws -> Report {
        let output = try Tool.output(
            try program.get().path,
            [execution, try harmless.get().path, bundle.path, "\(milliseconds)", action, path, "\(number)"])
        let lines = output.standardOutput.split(separator: "\n").compactMap { line -> (String, String)? in
            let parts = line.split(separator: "\t", maxSplits: 1).map(String.init)
            return parts.count == 2 ? (parts[0], parts[1]) : nil
        }
        return Report(values: Dictionary(lines) { $1 }, output: output)
    }

    /// The plug-in that runs before and after.
    private static let harmless = Result { try HostilePlugins.bundle("Harmless") }

    private static let source = #"""
        import Foundation
        import Glibc
        import PluginHost
        import Synchronization

        // At once: a host that dies has reported what it did before.
        func report(_ key: String, _ value: Any) {
            FileHandle.standardOutput.write(Data("\(key)\t\(value)\n".utf8))
        }

        func entries(_ directory: String) -> [String] {
            (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        }
        func text(_ file: String) -> String { (try? String(contentsOfFile: file, encoding: .utf8)) ?? "" }
        // The descriptor of the listing itself is in each listing.
        var descriptors: Int { entries("/proc/self/fd").count }
        var descriptorNames: [String] {
            entries("/proc/self/fd").compactMap {
                try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")
            }
        }
        var threads: Int { entries("/proc/self/task").count }
        var windows: Int { text("/proc/self/maps").split(separator: "\n").count { $0.contains("memfd:") } }
        var residentKiB: Int {
            let line = text("/proc/self/status").split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
            return line.flatMap { Int($0.split(separator: " ").dropFirst().first ?? "") } ?? 0
        }
        // Processes whose parent is this one.
        var children: Int {
            entries("/proc").count { name in
                guard let number = Int(name), number > 0 else { return false }
                let line = text("/proc/\(number)/stat")
                guard let end = line.lastIndex(of: ")") else { return false }
                return line[line.index(after: end)...].split(separator: " ").dropFirst().first == "\(getpid())"
            }
        }

        func milliseconds(_ duration: Duration) -> Int { Int(duration / .milliseconds(1)) }

        // How late this machine runs a thread that has slept for a millisecond: the most since the last reset. What the
        // library does in time can be as late at each hand-over from one thread to another.
        let lateness = Atomic<Int>(0)
        Thread.detachNewThread {
            let clock = ContinuousClock()
            while true {
                let begin = clock.now
                usleep(1000)
                lateness.max(milliseconds(clock.now - begin) - 1, ordering: .relaxed)
            }
        }

        // Runs something, and reports how long it took.
        func timed<Result>(_ key: String, _ body: () throws -> Result) rethrows -> Result {
            let clock = ContinuousClock()
            lateness.store(0, ordering: .relaxed)
            let begin = clock.now
            defer {
                report("\(key) time", milliseconds(clock.now - begin))
                report("\(key) lateness", lateness.load(ordering: .relaxed))
            }
            return try body()
        }

        // Each error has to name the plug-in.
        func describe(_ error: any Error, of bundle: PluginBundle) -> String {
            let known = error as? PluginError
            if known?.bundlePath != bundle.bundlePath { report("unnamed", "\(type(of: error))") }
            let text = known.map { "\($0.code): \($0.description)" } ?? "\(type(of: error)): \(error)"
            return text.replacing("\n", with: " ")
        }

        // What an action calls, made before its time begins: a time limit is that of one call.
        func action(_ bundle: PluginBundle) throws -> (String, String, Int64) throws -> Int64 {
            if let caller = try bundle.providers(of: .caller).first?.make() {
                nonisolated(unsafe) let caller = caller
                return { name, _, number in try call(caller, name, Int(number)) }
            }
            let act = try bundle.function("act", as: ((String, String, Int64) -> Int64).self)
            return { try act($0, $1, $2) }
        }
        func act(_ bundle: PluginBundle, _ name: String, _ path: String, _ number: Int64) throws -> Int64 {
            try action(bundle)(name, path, number)
        }

        // Answers each callback by a call that leads to the next callback.
        final class Deepener: @unchecked Sendable {
            var callback: RemoteCallback<Int, Int>?
            init(_ caller: any Caller) {
                nonisolated(unsafe) let caller = caller
                callback = RemoteCallback { [unowned self] in try caller.deepen($0, callback!) }
            }
        }

        func call(_ caller: any Caller, _ name: String, _ number: Int) throws -> Int64 {
            switch name {
            case "callback storm": return Int64(try caller.storm(number, RemoteCallback { $0 }))
            case "callback recursion":
                let deepener = Deepener(caller)
                defer { deepener.callback = nil }
                return Int64(try caller.deepen(number, deepener.callback!))
            case "throw":
                try caller.fail()
                return 0
            default: return Int64(number)
            }
        }

        func stopWorkers() async { for worker in PluginWorker.all { await worker.stop(within: .seconds(1)) } }

        let arguments = CommandLine.arguments
        let execution: PluginExecution = arguments[1] == "sandboxed" ? .sandboxed : .isolated
        let callTime = Int(arguments[4])!
        let breaksProtocol = arguments[5].hasSuffix("message") || arguments[5] == "forged length"
            || arguments[5] == "surplus descriptors" || arguments[5] == "noise everywhere"
        HostEnvironment.current.isolation.execution = { _ in execution }
        HostEnvironment.current.isolation.callTime = callTime == 0 ? nil : .milliseconds(callTime)
        HostEnvironment.current.isolation.startTime = .seconds(2)
        if getuid() == 0 { HostEnvironment.current.isolation.user = "nobody" }

        let harmless = try PluginBundle.open(path: arguments[2])
        guard try act(harmless, "nothing", "", 42) == 42 else { exit(3) }
        await stopWorkers()
        // A thread that Dispatch starts at the first task opens what Dispatch needs, a timer last; on a busy machine later
        // than the line above.
        for _ in 0..<1_000 where !descriptorNames.contains("anon_inode:[timerfd]") { usleep(1000) }
        let before = (descriptors, threads, windows, residentKiB)
        let mask = umask(0o22)
        umask(mask)
        let place = FileManager.default.currentDirectoryPath
        let language = setlocale(LC_ALL, nil).map { String(cString: $0) }

        let hostile = try PluginBundle.open(path: arguments[3])
        do {
            try timed("load") { try hostile.loadAndReturnError() }
            report("load", "done")
        } catch { report("load", describe(error, of: hostile)) }
        if hostile.isLoaded, arguments[5] == "linger" {
            for worker in PluginWorker.all { report("worker", worker.processIdentifier) }
            _ = try? act(hostile, "loop", "", 0)
        }
        if hostile.isLoaded {
            // What dies between load and call is dead then.
            if arguments[5] == "nothing" { usleep(500_000) }
            // It jumps into the frames of an earlier call.
            if arguments[5] == "jump to earlier call" { _ = try? act(hostile, arguments[5], "", 0) }
            let worker = PluginWorker.all.first
            do {
                let act = try action(hostile)
                report("call", try timed("call") { try act(arguments[5], arguments[6], Int64(arguments[7])!) })
            } catch { report("call", describe(error, of: hostile)) }
            // The answer is in a lane; what came on the control socket is seen by another thread, which may be later.
            if breaksProtocol {
                for _ in 0..<10_000 {
                    if case .ended = worker?.state { break }
                    usleep(1000)
                }
            }
            if case .ended(let end)? = worker?.state { report("end", end.cause) }
            // What the first call left behind.
            do {
                report("next", try act(hostile, "nothing", "", 7))
            } catch { report("next", describe(error, of: hostile)) }
            timed("unload") { hostile.unload() }
        }
        await stopWorkers()

        report("harmless", (try? act(harmless, "nothing", "", 43)) ?? -1)
        await stopWorkers()
        // Threads that served the last worker may still be ending. Those of Dispatch, one for each processor, and those that
        // deliver the log and clean up come and go; to wait for them takes seconds.
        let mostThreads = before.1 + ProcessInfo.processInfo.processorCount + 2
        for _ in 0..<100 where descriptors > before.0 || threads > mostThreads || windows > before.2 || children > 0 {
            usleep(10_000)
        }
        report("descriptors", descriptors - before.0)
        if descriptors > before.0 { report("open", descriptorNames.sorted()) }
        report("surplus threads", threads - mostThreads)
        report("windows", windows - before.2)
        report("memory", (residentKiB - before.3) / 1024)
        report("children", children)
        report("workers", PluginWorker.all.count)
        let kept = umask(mask) == mask && FileManager.default.currentDirectoryPath == place
            && setlocale(LC_ALL, nil).map { String(cString: $0) } == language && getenv("HOSTILE") == nil
        report("process", kept ? "unchanged" : "changed")
        report("alive", "yes")
        """#
}
