package import HostBasics

/// A small file that survives every end of the application, and names the plug-in whose code ended it.
///
/// ```swift
/// let records = try CrashJournal.begin(application: "workbench")
/// let start = CrashJournal.advice(records)               // .without(["org.example.Loud"]) after its crash
/// let catalog = PluginCatalog(application: "workbench", options: .init(safeStart: start))
/// ```
/// Begin it once, at the start, after other handlers of signals are installed. Afterwards each load writes its steps
/// into the journal. A handler of SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT and SIGSYS adds the signal and the
/// plug-ins whose code it finds in the crash, and then calls the handlers that were installed before. A call of `exit`
/// in a plug-in is recorded, too. SIGKILL and a loss of power leave no trace, and no plug-in is blamed for them, unless
/// one was being loaded.
///
/// The next start reads the journal, and counts a strike for the plug-in that is to blame. After one strike, a plug-in
/// whose extension points all have a remote interface runs in a worker process. After two strikes within seven days it
/// is in ``Quarantine``. A plug-in that was replaced since then has no strikes.
///
/// The journals are in `journals`, in the application's directory in `$XDG_STATE_HOME`, by default `~/.local/state`.
public enum CrashJournal {
    /// Which plug-ins to leave out at this start.
    ///
    /// - Parameter records: the result of ``begin(application:handlers:)``.
    /// - Returns: ``SafeStart/without(_:)`` the plug-ins that are certainly to blame; ``SafeStart/noPlugins`` after two
    ///   crashes with plug-ins in the process that cannot be blamed on one of them; otherwise ``SafeStart/normal``.
    public static func advice(_ records: [Record]) -> SafeStart {
        let blamed = Set(records.flatMap(\.blamed).filter(\.certainty.isCertain).map(\.identifier))
        if !blamed.isEmpty { return .without(blamed.sorted()) }
        return records.count(where: \.isUnexplained) >= 2 ? .noPlugins : .normal
    }

    /// The step with a number in the journal.
    static func step(_ number: UInt32) -> LoadStep? {
        LoadStep.allCases.first { $0.numberInJournal == number && $0 != .end }
    }
}

extension LoadStep {
    /// The number in the journal.
    package var numberInJournal: UInt32 {
        switch self {
        case .opening: 1
        case .entry: 2
        case .activation: 3
        case .end: 4
        }
    }
}
