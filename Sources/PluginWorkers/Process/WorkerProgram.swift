/// The program that runs plug-ins outside of the application's process.
///
/// It is never searched for on `PATH` or in the current directory.
public enum WorkerProgram: Sendable, Hashable {
    /// The first of these that exists: the file `pluginhost-worker` in the directory ``HostEnvironment/workerPath``;
    /// the same file in `../libexec/pluginhost`, seen from the library's directory; the application's own executable.
    case automatic
    /// The application's own executable: the library in it runs the worker instead of `main`.
    ///
    /// For applications that are shipped as one file. The library must be linked to the executable, not opened later.
    case hostExecutable
    /// The program at an absolute path.
    case program(String)
}
