import Fixtures
import Foundation
import Testing

/// What an application notices of plug-ins that attack it: docs/implementation.md lists them by number.
///
/// The attacks are in `Tests/CSandboxTests/Programs/hostile.c`; a test beside that file shows that each of them does
/// what its name says where nothing contains it.
@Suite(.serialized, .timeLimit(.minutes(10))) struct HostilePlugins {
    /// When an action runs: in a call of the host, or by itself.
    enum Moment: String, Sendable {
        case call, constructor, entry, loaded, activation, deactivation, destructor, exit

        var flags: [String] { self == .call ? [] : ["AT_\(rawValue.uppercased())"] }
    }

    /// What the host gets.
    enum Outcome: Sendable {
        /// The call returns a number in this range.
        case returns(ClosedRange<Int64>)
        /// The call fails with this code, and the message contains the text.
        case fails(String, String)
        /// One of several, where the kernel decides.
        indirect case either([Outcome])
        /// The host ends the worker for this violation of the protocol; the answer of the call may be faster.
        case breaksProtocol(String)
    }

    struct Attack: Sendable, CustomTestStringConvertible {
        let number: Int
        let action: String
        var path = ""
        var amount: Int64 = 0
        var moment = Moment.call
        /// Of a call, in milliseconds.
        var limit = 0
        let isolated: Outcome?
        let sandboxed: Outcome?

        var testDescription: String { "\(number) \(action) \(moment == .call ? "" : "at \(moment)")" }

        /// The same in both modes.
        static func both(
            _ number: Int, _ action: String, path: String = "", amount: Int64 = 0, at moment: Moment = .call,
            limit: Int = 0, _ outcome: Outcome, sandboxed: Outcome? = nil
        ) -> Attack {
            Attack(
                number: number, action: action, path: path, amount: amount, moment: moment, limit: limit,
                isolated: outcome, sandboxed: sandboxed ?? outcome)
        }

        /// Contained by a sandbox only.
        static func confined(
            _ number: Int, _ action: String, path: String = "", amount: Int64 = 0, limit: Int = 0, _ outcome: Outcome
        ) -> Attack {
            Attack(
                number: number, action: action, path: path, amount: amount, limit: limit, isolated: nil,
                sandboxed: outcome)
        }
    }

    private static func dies(_ signal: String) -> Outcome { .fails("workerEnded", signal) }
    private static let fillsFile = Outcome.either([dies("the signal SIGXFSZ"), .returns(1...64)])
    private static let timesOut = Outcome.fails("callTimedOut", "")
    private static let violates = Outcome.either([.fails("workerEnded", "protocol"), .fails("protocolViolation", "")])
    private static let wrongLength = Outcome.breaksProtocol("a packet of the control socket has a wrong length")
    private static let outOfOrder = Outcome.breaksProtocol("a packet of the control socket has a wrong sequence")
    private static let denied = Outcome.returns(0...0)

    // As faults of docs/faults.md: faults 124, 125, 126 and 127 are the attacks 1, 2, 3 and 4; fault 128 is 7, fault 129 the
    // deadlock of 8, faults 134 and 135 its other three; fault 130 is 5, fault 131 is 6, fault 132 is 10, fault 133 is 9;
    // fault 136 is 31, fault 137 is 26, fault 138 is 19, fault 139 is 27, fault 140 is 35, fault 143 is 21.
    static let attacks: [Attack] = [
        .both(1, "segfault", dies("the signal SIGSEGV")),
        .both(2, "abort", dies("the signal SIGABRT")),
        .both(3, "trap", .either([dies("the signal SIGILL"), dies("the signal SIGTRAP")])),
        .both(4, "exit", at: .constructor, .fails("workerEnded", "status 0")),
        .both(4, "exit", at: .entry, .fails("workerEnded", "status 0")),
        .both(4, "exit", dies("status 0")),
        .confined(5, "fork bomb", amount: 64, denied),
        .both(6, "private memory", amount: 2048, limit: 8000, .either([.returns(1...600), dies("")])),
        .both(6, "shared memory", amount: 1024, limit: 8000, .either([.returns(1...600), dies("memory")])),
        .both(6, "memory file", amount: 256, limit: 8000, fillsFile, sandboxed: denied),
        .both(6, "big file", path: "BOX", amount: 256, limit: 8000, fillsFile, sandboxed: denied),
        .both(7, "loop", limit: 500, timesOut),
        .both(8, "deadlock", limit: 500, timesOut),
        .both(8, "initialiser deadlock", limit: 500, timesOut),
        .both(8, "initialiser deadlock", at: .constructor, .fails("callTimedOut", "")),
        .both(8, "join loader", at: .constructor, .fails("callTimedOut", "")),
        .both(9, "close everything", limit: 1000, .either([.returns(1...1), dies("status 0")])),
        .both(10, "output", amount: 1024, limit: 500, .either([timesOut, .returns(1...1024)])),
        .both(10, "output", amount: 1024, limit: 1000, timesOut),
        // Also in the lanes, where either side may see it first.
        .both(
            10, "noise everywhere", amount: 16, limit: 1000, .either([wrongLength, violates, dies("status 1")])),
        .both(10, "log storm", amount: 100_000, limit: 3000, .either([.returns(100_000...100_000), timesOut])),
        .confined(11, "signal host", amount: 9, denied),
        .confined(11, "signal host", amount: 19, denied),
        .confined(11, "trace host", denied),
        .confined(12, "read host", denied),
        .confined(12, "read file", path: "BOX/victim", denied),
        .confined(12, "read by descriptors", denied),
        .confined(13, "network", denied),
        .confined(14, "write outside", path: "BOX", denied),
        .both(15, "ignore signals", limit: 500, timesOut),
        .both(16, "change process", .returns(0...5)),
        .both(17, "descriptors", amount: 100_000, .returns(1...256)),
        // Whoever reads the noise first decides: the plug-in's own side, which ends, or the host.
        .both(
            18, "corrupt lanes", amount: 300, limit: 1000,
            .either([.returns(1...1), dies("status 1"), violates, timesOut])),
        .both(19, "giant message", limit: 1000, wrongLength),
        .both(19, "short message", limit: 1000, wrongLength),
        .both(19, "forged length", amount: 1 << 30, limit: 1000, wrongLength),
        .both(19, "unknown message", amount: 999, limit: 1000, outOfOrder),
        // It is believed, and killed.
        .both(19, "false crash", amount: Int64(SIGSEGV), dies("the signal SIGSEGV")),
        .both(19, "false crash", amount: Int64(SIGKILL), violates),
        .both(19, "surplus descriptors", amount: 1, limit: 1000, outOfOrder),
        // A host that looks only afterwards sees nothing but the true answer.
        .both(
            19, "shrink window", limit: 1000, .either([dies("status 1"), violates, timesOut, .returns(1...2)]),
            sandboxed: denied),
        .both(20, "quick end", at: .constructor, .fails("workerEnded", "status 0")),
        .both(20, "quick end", at: .entry, .fails("workerEnded", "status 0")),
        .both(20, "quick end", at: .activation, .fails("workerEnded", "status 0")),
        // The next call finds a new worker.
        .both(20, "quick end", at: .loaded, .returns(7...7)),
        .both(20, "quick end", at: .deactivation, .returns(7...7)),
        .both(20, "quick end", at: .destructor, .returns(7...7)),
        .both(21, "stack overflow", dies("the signal SIGSEGV")),
        .both(21, "stack overflow in thread", dies("the signal SIGSEGV")),
        .both(21, "stack overflow", at: .constructor, dies("the signal SIGSEGV")),
        .both(
            22, "exception",
            .either([.fails("functionFailed", "thrown out of the call"), dies("the signal SIGABRT")])),
        .both(22, "exception in thread", dies("the signal SIGABRT")),
        .both(22, "throw", .fails("callFailed", "Calling.OwnError")),
        .both(23, "outliving threads", amount: 4, .returns(4...4)),
        .confined(24, "threads", amount: 100_000, limit: 20_000, .either([.returns(1...40_000), dies(""), timesOut])),
        .confined(25, "run shell", denied),
        .confined(25, "run setuid", denied),
        .confined(26, "double fork", path: "session", amount: 5, denied),
        .confined(26, "leave session", denied),
        .both(27, "stop itself", limit: 500, .either([timesOut, .returns(1...1)])),
        .confined(28, "outlive host", denied),
        .confined(29, "kernel", denied),
        .both(30, "load own library", path: "BOX", .returns(0...1), sandboxed: denied),
        .both(31, "loop", at: .destructor, .returns(7...7)),
        .both(31, "loop", at: .exit, .returns(7...7)),
        .both(31, "loop", at: .deactivation, .returns(7...7)),
        // C does not define what happens.
        .both(32, "jump out", limit: 1000, .either([.returns(1...1), dies("the signal ")])),
        .both(32, "jump to earlier call", limit: 1000, .either([.returns(1...1), dies("the signal ")])),
        .both(33, "callback storm", amount: 1 << 40, limit: 1000, timesOut),
        .both(33, "callback recursion", amount: 10_000, limit: 5000, .fails("callRefused", "")),
        // As many as take longer than the limit: the host must see one before the true answer.
        .both(34, "answer other lanes", amount: 1 << 20, limit: 1000, violates),
        .both(35, "broken pipe", .either([dies("the signal SIGPIPE"), denied])),
    ]

    private static let source = Result {
        try String(
            contentsOf: Workspace.project.appending(path: "Tests/CSandboxTests/Programs/hostile.c"),
            encoding: .utf8)
    }

    /// A bundle whose code does an action by itself, or what its function is called with.
    static func bundle(_ name: String, _ action: String = "", at moment: Moment = .call) throws -> BundleFixture {
        let flags = moment.flags.map { "-D\($0)=\"\(action)\"" }
        return try BundleFixture(
            name, code: .c(try source.get(), flags: ["-D_GNU_SOURCE", "-lpthread", "-ldl"] + flags))
    }

    /// The other plug-ins: what C cannot do.
    private static func bundle(for attack: Attack) throws -> BundleFixture {
        if attack.action.hasPrefix("callback") || attack.action == "throw" {
            return try BundleFixture("Calling", code: .swift(HostileHost.caller))
        }
        if attack.action.contains("exception") {
            return try BundleFixture("Throwing", code: .cxx(throwing, flags: ["-lpthread"]))
        }
        return try bundle("Hostile", attack.action, at: attack.moment)
    }

    private static let throwing = """
        #include <cstring>
        #include <stdexcept>
        #include <thread>
        extern "C" int64_t act(const char *name, const char *, int64_t number) {
            if (std::strcmp(name, "exception") == 0) throw std::runtime_error("thrown out of the call");
            if (std::strcmp(name, "exception in thread") == 0) std::thread([] { throw 1; }).join();
            return number;
        }
        extern "C" plugin_status plugin_entry(const plugin_host *host) {
            plugin_function function = {
                {sizeof function, 1}, PLUGIN_STRING("act"), PLUGIN_STRING("(string, string, int64) -> int64"),
                reinterpret_cast<plugin_code>(act)};
            return host->register_function(host, &function);
        }
        """

    // A machine that does something else may be late once; a host that answers late is late each time.
    private func attack(_ attack: Attack, _ execution: String) throws {
        guard let expected = execution == "isolated" ? attack.isolated : attack.sandboxed else { return }
        var late: [HostileHost.Report] = []
        while late.count < 3, let report = try self.attack(attack, execution, expected) { late.append(report) }
        #expect(late.count < 3, "three times, not within 100 ms: \(late)")
    }

    // Returns the report if the host answered late. A bundle that does harm by itself gets a harmless call, which shows
    // what is left of it.
    private func attack(_ attack: Attack, _ execution: String, _ expected: Outcome) throws -> HostileHost.Report? {
        let box = Workspace.temporary.appending(path: "hostile-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: box, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o777])
        try Data("victim".utf8).write(to: box.appending(path: "victim"))
        let isCall = attack.moment == .call
        let report = try HostileHost.run(
            execution, try Self.bundle(for: attack), isCall ? attack.action : "nothing",
            path: attack.path.replacing("BOX", with: box.path), number: isCall ? attack.amount : 7,
            milliseconds: attack.limit)

        #expect(report.output.status == 0 && report["alive"] == "yes", "the host lives: \(report)")
        let loads = report["load"] == "done"
        let answer = loads ? report["call"] : report["load"]
        #expect(Self.matches(answer, expected, end: report["end"]), "\(answer): \(report)")
        #expect(report["unnamed"].isEmpty, "every error is a PluginError of the bundle: \(report)")
        // Of a load: the time that the application gives a worker to start.
        let step = loads ? "call" : "load", limit = loads ? attack.limit : 2000
        let isError = loads && attack.limit > 0 || Int64(answer) == nil
        // From the end of the worker to the caller the news passes at most four threads, each of which may be late.
        let most = limit + 100 + 4 * report.number("\(step) lateness")
        let time = report.number("\(step) time")
        #expect(time >= 0)
        #expect(report["harmless"] == "43", "another plug-in works: \(report)")
        for leak in ["descriptors", "surplus threads", "windows", "children", "workers"] {
            #expect(report.number(leak) <= 0, "\(leak): \(report)")
        }
        #expect(report.number("memory") < 32, "\(report)")
        #expect(report["process"] == "unchanged")
        #expect(try Data(contentsOf: box.appending(path: "victim")) == Data("victim".utf8))
        return isError && time > most ? report : nil
    }

    private static func matches(_ answer: String, _ expected: Outcome, end: String) -> Bool {
        switch expected {
        case .returns(let range): Int64(answer).map(range.contains) ?? false
        case .fails(let code, let text): answer.hasPrefix("\(code):") && (text.isEmpty || answer.contains(text))
        case .either(let outcomes): outcomes.contains { matches(answer, $0, end: end) }
        case .breaksProtocol(let text):
            end.contains(text) && (Int64(answer) != nil || matches(answer, violates, end: end))
        }
    }

    @Test(
        .fault(124, 125, 126, 127, 128, 129, 130, 131, 132, 133, 134, 135, 136, 137, 138, 139, 140, 143),
        arguments: attacks.filter { $0.isolated != nil })
    func anIsolatedAttackStaysInItsProcess(_ attack: Attack) throws {
        try self.attack(attack, "isolated")
    }

    @Test(
        .fault(124, 125, 126, 127, 128, 129, 130, 131, 132, 133, 134, 135, 136, 137, 138, 139, 140, 143),
        arguments: attacks.filter { $0.sandboxed != nil })
    func aSandboxedAttackReachesNothing(_ attack: Attack) throws {
        try self.attack(attack, "sandboxed")
    }

    // MARK: 36

    @Test(.fault(141), arguments: ["isolated", "sandboxed"])
    func everyWorkerEndsWhenItsHostIsKilled(execution: String) throws {
        let host = Process()
        let output = Pipe()
        host.executableURL = try HostileHost.program.get()
        host.arguments = [
            execution, try Self.bundle("Harmless").path, try Self.bundle("Hostile").path, "0", "linger", "", "0",
        ]
        host.standardOutput = output
        try host.run()
        var text = ""
        while !text.contains("worker\t"), case let data = output.fileHandleForReading.availableData, !data.isEmpty {
            text += String(decoding: data, as: UTF8.self)
        }
        let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("worker\t") }, "\(text)")
        let worker = try #require(Int32(line.dropFirst("worker\t".count)))
        #expect(kill(worker, 0) == 0)
        kill(host.processIdentifier, SIGKILL)
        // In looks of a millisecond each: a busy machine delays them as it delays the kernel's work.
        for _ in 0..<10_000 where Self.runs(worker) { usleep(1000) }
        #expect(!Self.runs(worker))
        host.waitUntilExit()
    }

    /// Whether code of a process runs; one whose status nobody has collected yet has a number, but runs nothing.
    private static func runs(_ process: Int32) -> Bool {
        guard let state = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8),
            let end = state.lastIndex(of: ")")
        else { return false }
        return !state[end...].hasPrefix(") Z") && !state[end...].hasPrefix(") X")
    }
}
