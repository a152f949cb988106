internal import CSandbox
import Glibc
public import HostBasics

extension CrashJournal {
    /// What a journal states about a process that ended without closing the journal.
    public struct Record: Sendable, Hashable {
        /// How the process ended.
        public enum End: Sendable, Hashable {
            /// Nothing was recorded: the process was killed, the machine lost power, or the process ended in another
            /// way.
            case unknown
            /// A signal ended it, with this number.
            case signal(Int32)
            /// A plug-in called `exit`.
            case exit
        }

        /// The number of the process.
        public let processIdentifier: Int32
        /// When the journal was begun: nanoseconds since 1970, by the system's clock.
        public let started: Int64
        /// When the end was recorded; nil if it was not.
        public let ended: Int64?
        /// How it ended.
        public let end: End
        /// The plug-ins that were being loaded at the end.
        public let loads: [Load]
        /// The plug-ins whose code was found in the crash, the nearest to its cause first.
        public let suspects: [Suspect]
        /// Whether code of plug-ins was in the process.
        public let hadPlugins: Bool
        /// The thread that crashed.
        let thread: UInt32
    }

    /// A plug-in that was being loaded.
    public struct Load: Sendable, Hashable {
        /// The plug-in's identifier.
        public let identifier: String
        /// The step of its load.
        public let step: LoadStep
        let thread: UInt32
    }

    /// A plug-in that may have caused a crash.
    public struct Suspect: Sendable, Hashable {
        /// The plug-in's identifier.
        public let identifier: String
        /// Why it is suspected.
        public let certainty: Certainty
        /// The step of its load at that time; nil if it was not being loaded.
        public var step: LoadStep?
    }

    /// Why a plug-in is suspected, the most certain reason first.
    public enum Certainty: Int, Sendable, Hashable, CaseIterable {
        /// The instruction that failed is in its code.
        case faultingCode = 1
        /// Its code called the code that failed, or `exit`.
        case caller = 2
        /// An address of its code is on the stack, perhaps left over from an earlier call, or another thread was
        /// loading it.
        case onTheStack = 3
        /// The thread that crashed was loading it, or its load was the only one under way.
        case loading = 4

        /// Whether one such crash is a strike; otherwise it counts half, and never alone.
        public var isCertain: Bool { self != .onTheStack }
    }
}

extension CrashJournal.Record {
    /// The plug-ins to which the end is attributed: one if the cause is certain, otherwise all possible ones.
    ///
    /// Empty if nothing points to a plug-in.
    public var blamed: [CrashJournal.Suspect] {
        // Only the nearest one: its callers passed values that it accepted.
        if var first = suspects.first(where: \.certainty.isCertain) {
            first.step = loads.last { $0.identifier == first.identifier && $0.thread == thread }?.step
            return [first]
        }
        // Loads are nested, so the last one on a thread is the one that was running.
        let innermost = Set(loads.map(\.thread)).compactMap { thread in loads.last { $0.thread == thread } }
        let isRecorded = end != .unknown
        let certain = isRecorded ? innermost.filter { $0.thread == thread } : innermost.count == 1 ? innermost : []
        if let load = certain.first {
            return [.init(identifier: load.identifier, certainty: .loading, step: load.step)]
        }
        let loading = innermost.sorted { $0.identifier < $1.identifier }.map { load in
            CrashJournal.Suspect(identifier: load.identifier, certainty: .onTheStack, step: load.step)
        }
        return suspects + loading.filter { load in !suspects.contains { $0.identifier == load.identifier } }
    }

    /// Whether the process crashed with plug-ins in it, and it is not known which of them was the cause.
    var isUnexplained: Bool {
        guard case .signal = end else { return false }
        return hadPlugins && !blamed.contains(where: \.certainty.isCertain)
    }

    /// The end as a noun phrase.
    var endText: String {
        switch end {
        case .unknown: "an end that left no trace, as SIGKILL or the loss of power does"
        case .signal(let number): "the signal \(SignalName(number).text)"
        case .exit: "a call of exit()"
        }
    }

    func death(of suspect: CrashJournal.Suspect) -> Quarantine.Death {
        Quarantine.Death(
            time: ended ?? started, end: endText, phase: suspect.step?.rawValue ?? "code",
            isCertain: suspect.certainty.isCertain)
    }
}

// MARK: - From the file

extension CrashJournal.Record {
    /// `record`: a record that phs_journal_read() has checked.
    init(_ record: phs_journal_record, hadPlugins: Bool) {
        processIdentifier = Int32(bitPattern: record.process)
        started = record.started
        thread = record.thread
        self.hadPlugins = hadPlugins
        switch record.state {
        case PHS_JOURNAL_CRASHED.rawValue: end = .signal(record.signal)
        case PHS_JOURNAL_EXITED.rawValue: end = .exit
        default: end = .unknown
        }
        ended = end == .unknown ? nil : record.ended
        loads = withUnsafeBytes(of: record.loads) { bytes in
            bytes.bindMemory(to: phs_journal_load.self).compactMap { load in
                guard let step = CrashJournal.step(load.phase) else { return nil }
                return CrashJournal.Load(identifier: Self.text(load.identifier), step: step, thread: load.thread)
            }
        }
        suspects = withUnsafeBytes(of: record.suspects) { bytes in
            bytes.bindMemory(to: phs_journal_suspect.self).prefix(Int(record.suspect_count)).compactMap { suspect in
                guard let certainty = CrashJournal.Certainty(rawValue: Int(suspect.certainty)) else { return nil }
                return CrashJournal.Suspect(identifier: Self.text(suspect.identifier), certainty: certainty)
            }
        }
    }

    /// The text in an array of C, which ends with a zero.
    private static func text<Characters>(_ characters: Characters) -> String {
        withUnsafeBytes(of: characters) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }
}
