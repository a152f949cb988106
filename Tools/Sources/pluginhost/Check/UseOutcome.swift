import CChildProcess
import Glibc
@_spi(Tools) import PluginHost

extension PluginError.Code {
    /// The code registered something after its entry had returned.
    static let lateRegistration = Self(rawValue: "lateRegistration")
    /// Two loads of a bundle registered different things.
    static let registrationsVary = Self(rawValue: "registrationsVary")
    /// The bundle could not be unloaded and loaded again.
    static let reloadFailed = Self(rawValue: "reloadFailed")
    /// Objects still exist after all were released.
    static let objectsKept = Self(rawValue: "objectsKept")
    /// Each released object left memory behind.
    static let memoryKept = Self(rawValue: "memoryKept")
    /// The entry took too long.
    static let slowEntry = Self(rawValue: "slowEntry")
    /// The code wrote to standard output while it was loaded.
    static let outputInEntry = Self(rawValue: "outputInEntry")
    /// The code started a thread while it was loaded.
    static let threadInEntry = Self(rawValue: "threadInEntry")
}

/// The outcome of using a bundle's code, which the separate process reports.
struct UseOutcome: Codable {
    /// The outcome of the load, with everything that went wrong afterwards.
    var load: LoadOutcome!
    /// How long the entry took.
    private(set) var entryMilliseconds = 0.0
    /// Reasons by the ids of rules that could not be checked.
    private(set) var notRun: [String: String] = [:]
    /// Whether everything was used; otherwise the process ended too early.
    private(set) var hasFinished = false

    /// The most milliseconds that an entry may take.
    static let longestEntry = 100.0

    init(_ load: LoadOutcome?) { self.load = load }

    // MARK: In the separate process

    /// Loads a bundle, makes and releases objects of everything that it registered, unloads it and loads it again.
    ///
    /// `comparesState`: whether to compare the state of the process before and after the load, and after the use.
    init(using bundle: PluginBundle, _ report: ChildReport, comparesState: Bool) {
        let watch = EntryWatch(bundle.bundlePath)
        HostEnvironment.current.loadStep = { path, step in
            watch.leave(path, step)
            report.send(.step(bundlePath: path, step: step.rawValue))
            watch.begin(path, step)
        }
        let before = comparesState ? ProcessState() : nil
        load = LoadOutcome(loading: bundle)
        let loaded = addChanges(of: bundle, "while it was loaded", since: before)
        guard load.state == .loaded else { return }
        entryMilliseconds = LoadOutcome.milliseconds(watch.duration)
        add(watch.findings(bundle))
        let use = Use(bundle: bundle, report: report)
        for registration in bundle.registrations {
            checkObjects(of: registration, use)
        }
        checkPrincipal(use)
        checkReload(use)
        addChanges(of: bundle, "while it was used", since: loaded)
        if comparesState, loaded == nil {
            notRun[PluginError.Code.processChanged.rawValue] =
                "The state of the process is in /proc, which cannot be read."
        }
        checkLateRegistrations(of: bundle, hasThreads: watch.hasThreads)
        hasFinished = true
    }

    private mutating func add(_ findings: [PluginFinding]) { load.add(findings) }

    /// Adds what the code has changed in the process.
    ///
    /// - Returns: the state now.
    @discardableResult
    private mutating func addChanges(of bundle: PluginBundle, _ when: String, since old: ProcessState?) -> ProcessState?
    {
        // Code in a process of its own changes only that process, and the host prepares to start others.
        guard let old, let now = ProcessState() else { return nil }
        let place = LoadExecution.inProcess.place(of: bundle, in: bundle.runtimeFindings()?.runtime)
        if place == .inProcess { add(now.findings(since: old, when: when, file: bundle.executablePath)) }
        return now
    }

    /// The bundle, and the report that receives its steps.
    private struct Use {
        let bundle: PluginBundle
        let report: ChildReport

        /// Runs code of the bundle as a step with a name, such as “in deactivate”.
        func step<Result>(_ name: String, _ body: () throws -> Result) rethrows -> Result {
            report.send(.step(bundlePath: bundle.bundlePath, step: name))
            defer { report.send(.step(bundlePath: bundle.bundlePath, step: LoadPlace.end)) }
            return try body()
        }
    }

    // MARK: Objects

    /// How many objects exist at a time, how many are made before memory is first measured, and how many between two
    /// measurements.
    private static let atATime = 3, first = 4, measured = 16
    /// The smallest amount of memory, in bytes, that a program can allocate for an object.
    private static let leastMemory = 16

    private mutating func checkObjects(of registration: PluginBundle.Registration, _ use: Use) {
        guard registration.kind == .provider || registration.kind == .cProvider else { return }
        let name = "the \(registration.kind.rawValue) “\(registration.name)”"
        let point = registration.extensionPoint
        do {
            try use.step("while creating and releasing objects of \(name)") {
                var objects: [Any?] = []
                for _ in 0..<Self.atATime { objects.append(try use.bundle.makeObject(of: registration)) }
                objects.removeAll()
                let left = use.bundle.liveObjects.first {
                    $0.name == registration.name && $0.kind == registration.kind && $0.extensionPoint == point
                }
                // A provider may return one shared object to every caller.
                if let left, left.count > 1 {
                    return add([
                        PluginFinding(
                            .warning, .objectsKept, filePath: use.bundle.executablePath, subject: registration.name,
                            message:
                                "\(left.count) of \(Self.atATime) objects of \(name) still exist after their release.",
                            remedy: "Keep no strong references to objects that were handed out.")
                    ])
                }
                try make(Self.first, registration, use)
                let start = Self.memory(use)
                try make(Self.measured, registration, use)
                let middle = Self.memory(use)
                try make(Self.measured, registration, use)
                let end = Self.memory(use)
                // A cache that grows once is not a leak; continued growth is.
                let least = Self.measured * Self.leastMemory
                guard middle - start >= least, end - middle >= least else { return }
                add([
                    PluginFinding(
                        .warning, .memoryKept, filePath: use.bundle.executablePath, subject: registration.name,
                        message: """
                            Each object of \(name) that was created and released left about \
                            \((end - start) / (2 * Self.measured)) bytes behind.
                            """,
                        remedy: "Free in release, or in deinit, everything that was allocated.")
                ])
            }
        } catch {
            note(error, of: registration.kind)
        }
    }

    private func make(_ count: Int, _ registration: PluginBundle.Registration, _ use: Use) throws {
        for _ in 0..<count { _ = try use.bundle.makeObject(of: registration) }
    }

    private static func memory(_ use: Use) -> Int {
        _ = use.bundle.liveObjects  // drops the records of released objects
        return Int(child_memory())
    }

    private mutating func checkPrincipal(_ use: Use) {
        guard use.bundle.manifest.principalClass != nil else { return }
        do {
            try use.step("while creating an object of the principal class") {
                _ = try use.bundle.makePrincipal(as: AnyObject.self)
            }
        } catch {
            note(error)
        }
    }

    /// Adds the findings of an error.
    ///
    /// If a service of another plug-in is missing, or only the application can describe the table of a factory in C, the
    /// objects could not be checked.
    private mutating func note(_ error: any Error, of kind: PluginBundle.Registration.Kind? = nil) {
        let findings = (error as? PluginError)?.findings ?? []
        let reason: String
        if let missing = findings.first(where: { $0.code == .serviceMissing }) {
            reason = "\(missing.message) Name the bundle that provides it on the same command line."
        } else if kind == .cProvider, let table = findings.first(where: { $0.code == .notRemote }) {
            reason = "\(table.message) Test the plug-in in its application, or with the test kit."
        } else {
            return add(findings)
        }
        for code in [PluginError.Code.instantiationFailed, .objectsKept, .memoryKept] { notRun[code.rawValue] = reason }
    }

    // MARK: Loading again

    private mutating func checkReload(_ use: Use) {
        let bundle = use.bundle
        let before = bundle.registrations
        var reason: String?
        do {
            let isUnloaded = try use.step("in deactivate") { try bundle.unloadAndReturnError() }
            if !isUnloaded { reason = "It stayed loaded." }
            try bundle.loadAndReturnError()
            if bundle.registrations != before { reason = "Its registrations are not the same as before." }
        } catch {
            reason = (error as? PluginError)?.findings.first?.message ?? "\(error)"
        }
        guard let reason else { return }
        add([
            PluginFinding(
                .warning, .reloadFailed, filePath: bundle.executablePath,
                message: "The bundle was loaded and unloaded, and could not be loaded again. \(reason)",
                remedy: "Undo in deactivate everything that activate did.")
        ])
    }

    // MARK: Threads

    /// How long to wait for a forbidden late registration by a thread that the code started.
    private static let patience: UInt32 = 200_000  // microseconds

    private mutating func checkLateRegistrations(of bundle: PluginBundle, hasThreads: Bool) {
        if hasThreads { usleep(Self.patience) }
        for what in bundle.lateRegistrations {
            add([
                PluginFinding(
                    .warning, .lateRegistration, filePath: bundle.executablePath, subject: what,
                    message: "The plug-in registered \(what) after its entry had returned; the host ignores it.",
                    remedy: "Finish all registrations before plugin_entry returns.")
            ])
        }
    }
}

/// Observes what a bundle's constructors and entry do in addition to registering.
private final class EntryWatch: @unchecked Sendable {
    // @unchecked because only the thread that loads uses it.

    private let path: String
    private let clock = ContinuousClock()
    private var threads = 0
    private var start: ContinuousClock.Instant?
    private(set) var duration = Duration.zero
    private var outputSize = 0
    private var startedThreads = 0
    private var isRunning = false

    init(_ path: String) { self.path = path }

    /// Whether the code has started threads.
    var hasThreads: Bool { startedThreads > 0 || child_threads() > threads }

    /// Call this when a step begins.
    func begin(_ path: String, _ step: LoadStep) {
        guard path == self.path else { return }
        if step == .opening {
            threads = Int(child_threads())
            child_output_begin()
            isRunning = true
        }
        if step == .entry { start = clock.now }
    }

    /// Call this when the step before this one has ended.
    func leave(_ path: String, _ step: LoadStep) {
        guard path == self.path, isRunning, step == .activation || step == .end else { return }
        isRunning = false
        if let start { duration = clock.now - start }
        outputSize = Int(child_output_end())
        startedThreads = max(Int(child_threads()) - threads, 0)
    }

    func findings(_ bundle: PluginBundle) -> [PluginFinding] {
        var findings: [PluginFinding] = []
        if outputSize > 0 {
            findings.append(
                PluginFinding(
                    .warning, .outputInEntry, filePath: bundle.executablePath, subject: "plugin_entry",
                    message: "The code wrote \(outputSize) bytes to standard output while it was loaded.",
                    remedy: "Use the host's log()."))
        }
        // For code in a worker, they are those of the library that supervises it.
        if startedThreads > 0, !bundle.isInWorker {
            findings.append(
                PluginFinding(
                    .warning, .threadInEntry, filePath: bundle.executablePath, subject: "plugin_entry",
                    message:
                        "\(startedThreads == 1 ? "A thread" : "\(startedThreads) threads") that the code started ran when plugin_entry returned.",
                    remedy: "Start threads in activate, and end them in deactivate."))
        }
        return findings
    }
}
