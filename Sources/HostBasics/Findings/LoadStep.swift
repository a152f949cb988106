/// A step of a load that runs code other than the application's.
///
/// An application that records the beginning of each step knows, after a crash, which plug-in caused it and at which
/// step:
/// ```swift
/// HostEnvironment.current.loadStep = { path, step in journal.note(path, step.rawValue) }
/// ```
public enum LoadStep: String, Sendable, Hashable, CaseIterable {
    /// The dynamic linker loads the executable and the libraries that it needs, and runs their constructors.
    case opening
    /// The entry runs.
    case entry
    /// The hooks for the activation run; afterwards the registrations are offered.
    case activation
    /// The load has ended, whether it succeeded or failed, and runs no more code.
    case end
}
