/// A step of a load that runs code that is not the application's.
///
/// An application that records each step when it begins knows, after a crash, which plug-in caused it and where:
/// ```swift
/// HostEnvironment.current.loadStep = { path, step in journal.note(path, step.rawValue) }
/// ```
public enum LoadStep: String, Sendable, Hashable, CaseIterable {
    /// The dynamic linker loads the executable and the libraries that it needs, and runs their constructors.
    case opening
    /// The entry runs.
    case entry
    /// The hooks run that inform the plug-in that it is about to be offered.
    case activation
    /// Nothing of this load runs any more, whether it succeeded or failed.
    case end
}
