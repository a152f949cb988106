import BundleReading
import CatalogIndexing
@_spi(Tools) import HostBasics
import HostRecords
public import PluginABI

/// Where the code of a bundle runs, and everything that decides it, as far as files state it.
///
/// For tools: a tool does not have the closures of an application's ``IsolationPolicy``, so the application records their
/// decisions, and this shows those of its last run.
@_spi(Tools) public struct PlacementReasons: Sendable {
    /// Who decides.
    @_spi(Tools) public enum Decider: String, Sendable, CaseIterable {
        /// `PHExecution` of the bundle.
        case bundle
        /// The compiler: code of another Swift toolchain runs in a worker.
        case toolchain
        /// The administrator's list.
        case administrator
        /// The crashes that the code caused.
        case crashes
        /// The application's policy, when it last ran the plug-in.
        case policy
    }

    /// One decision.
    @_spi(Tools) public struct Reason: Sendable {
        /// Who decides.
        public let decider: Decider
        /// The least safe place that this decision allows.
        public let execution: PluginExecution
        /// The decision as a sentence.
        public let sentence: String
    }

    /// The safest of all decisions; `in-process` if nothing decides.
    public let execution: PluginExecution
    /// All decisions that demand a worker process, or that forbid one; the safest first.
    public let reasons: [Reason]
    /// Whether the decisions contradict one another, so that the code is not loaded.
    public let isConflict: Bool
    /// What the application granted when it last ran the plug-in in a worker, as `--grant` spells it; nil if it is not
    /// known.
    public let granted: [String]?

    init(_ reasons: [Reason], granted: [String]?) {
        execution = reasons.map(\.execution).max() ?? .inProcess
        isConflict = execution != .inProcess && reasons.contains { $0.execution == .inProcess }
        self.reasons = reasons.enumerated().sorted {
            ($1.element.execution, $0.offset) < ($0.element.execution, $1.offset)
        }.map(\.element)
        self.granted = granted
    }

    /// The place, and what the code can reach there, in a few words.
    public var summary: String {
        switch execution {
        case .inProcess: "in the application's process"
        case .isolated: "isolated: in a process of its own, with the rights of the user"
        case .sandboxed: "sandboxed: in a process of its own that reaches only what was granted"
        }
    }
}

/// The lists of an application that decide where its plug-ins run, read once for many plug-ins.
///
/// **Threads.** A value.
@_spi(Tools) public struct PlacementSources: Sendable {
    private let application: String?
    private let administrator: ExecutionList
    private let struck: Set<String>
    private let recorded: [String: ApplicationRecord.Placing]

    /// Reads the lists of an application; nil for none, so that only the bundle itself decides.
    ///
    /// **Cost.** Reads four small files.
    public init(application: String?) {
        self.application = application
        guard let application else {
            (administrator, struck, recorded) = (ExecutionList(), [], [:])
            return
        }
        administrator = ExecutionList.read(of: application).list
        struck = Quarantine.of(application: application).struckBundles
        let path = ApplicationRecord.path(of: application, in: IndexFile.userDirectory)
        recorded = path.flatMap(ApplicationRecord.init(path:))?.placings ?? [:]
    }

    /// Where the code of a bundle runs, and why.
    ///
    /// **Cost.** Reads the head and the notes of the executable.
    public func reasons(for bundle: PluginBundle) -> PlacementReasons {
        let request = bundle.manifest.executionRequest
        let key = ManifestKey.execution.spelling
        var reasons: [PlacementReasons.Reason] = []
        func add(_ decider: PlacementReasons.Decider, _ execution: PluginExecution, _ sentence: String) {
            reasons.append(.init(decider: decider, execution: execution, sentence: sentence))
        }
        if request == .inProcess {
            add(.bundle, .inProcess, "\(key) in its Info.plist is “in-process”: it cannot run anywhere else.")
        } else if let least = request?.least, least != .inProcess {
            add(.bundle, least, "\(key) in its Info.plist asks for “\(least)”.")
        }
        if let toolchain = bundle.foreignToolchain {
            add(
                .toolchain, .isolated,
                "Another Swift toolchain than the host's built it (\(toolchain.escapedForDisplay)).")
        }
        let demand = administrator.demand(for: bundle.displayIdentifier)
        if demand != .inProcess {
            add(.administrator, demand, "The administrator demands that it runs \(demand), or safer.")
        }
        if request != .inProcess, struck.contains(bundle.originalPath) {
            add(.crashes, .isolated, "Its code ended the application before, and also works in a process of its own.")
        }
        let placing = recorded[bundle.displayIdentifier]
        if let placing, placing.execution != .inProcess {
            add(
                .policy, placing.execution,
                "The application's policy decided “\(placing.execution)” when it last ran the plug-in.")
        }
        return PlacementReasons(reasons, granted: placing?.granted)
    }
}
