import PluginHost

/// How far a load had got, in words.
enum LoadPlace: Equatable {
    /// The bundle was read and checked; none of its code had run.
    case beforeCode
    /// `step` is the raw value of a LoadStep.
    case step(String, ofBundle: String)
    /// Its code was loaded, and the tool examined the registrations.
    case betweenSteps
    /// The outcome was reported, and the process ended.
    case afterLoad

    static let end = LoadStep.end.rawValue
    /// The call of a function in the bundle.
    ///
    /// It is not a step of a load.
    static let call = "call"

    /// “in plugin_entry”.
    func words(for bundlePath: String) -> String {
        switch self {
        case .beforeCode: "before any of its code ran"
        case .betweenSteps: "after its entry and hooks had run"
        case .afterLoad: "after the load, when the process ended"
        case .step(let step, let path):
            Self.words(for: step) + (path == bundlePath ? "" : " of the bundle “\(path)”, which it needs")
        }
    }

    private static func words(for step: String) -> String {
        switch LoadStep(rawValue: step) {
        case .opening: "in a constructor or in the dynamic linker, before plugin_entry"
        case .entry: "in plugin_entry"
        case .activation: "in activate"
        case .end: "in the load"
        // The steps of other commands are already words.
        case nil: step == call ? "in the function that was called" : step
        }
    }

    /// Where the author should look for the fault.
    var advice: String {
        switch self {
        case .beforeCode:
            "Run “pluginhost check” on the bundle. If that finds nothing, report a bug in PluginHost, with the bundle."
        case .step(LoadStep.opening.rawValue, _):
            "Look at the constructors and static initialisers of the executable and of its libraries; “pluginhost check” "
                + "finds a damaged file."
        case .step(LoadStep.entry.rawValue, _): "Correct what plugin_entry does; a debugger shows the place."
        case .step(LoadStep.activation.rawValue, _): "Correct what activate does; a debugger shows the place."
        case .step(Self.call, _): "Correct what the function does with these arguments; a debugger shows the place."
        case .step(let step, _) where LoadStep(rawValue: step) == nil:
            "Correct what the code does there; a debugger shows the place."
        case .step, .betweenSteps: "Look at the threads and signal handlers that the code set up."
        case .afterLoad: "Look at the functions that the code runs at the end of a process: destructors and atexit()."
        }
    }
}
