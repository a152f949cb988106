/// A step of a load that runs code which is not the application's.
///
/// An application that notes the steps as they begin knows, after a crash, which plug-in ended it and where:
/// ```swift
/// HostEnvironment.current.loadStep = { path, step in journal.note(path, step.rawValue) }
/// ```
public enum LoadStep: String, Sendable, Hashable, CaseIterable {
    /// The dynamic linker brings in the executable and the libraries that it needs, and runs their constructors.
    case opening
    /// The entry runs.
    case entry
    /// The hooks run by which the plug-in learns that it is about to be offered.
    case activation
    /// Nothing of this load runs any more, whether it succeeded or not.
    case end
}
