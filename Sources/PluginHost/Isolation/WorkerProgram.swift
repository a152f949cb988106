/// The program that runs plug-ins outside of the application's process.
///
/// It is never looked for on `PATH` or in the current directory.
public enum WorkerProgram: Sendable, Hashable {
    /// The first that exists of: the file `pluginhost-worker` in the directory ``HostEnvironment/workerPath``; the same in
    /// `../libexec/pluginhost` of the directory of the library; the application's own executable.
    case automatic
    /// The application's own executable: the library in it runs the worker instead of `main`.
    ///
    /// For applications that are shipped as one file. The library must be linked to the executable, not opened later.
    case hostExecutable
    /// The program at an absolute path.
    case program(String)
}
