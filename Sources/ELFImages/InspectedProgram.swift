/// A program with its libraries as files, which are read once for the inspections of many plug-ins.
///
/// Without it, each inspection reads the symbol tables of all libraries of the program again, usually some 30 MB. A file
/// that is replaced meanwhile is not read again.
///
/// **Threads.** Use a value on one thread only. **Cost.** Keeps the tables in memory.
public final class InspectedProgram {
    /// The program's executable.
    public let path: String
    private var kept: HostLibraries?

    /// - Parameter path: the program's executable.
    public init(path: String) { self.path = path }

    /// The program and its libraries, for the next inspection.
    ///
    /// They are read again if the last inspection could not read a file.
    var libraries: HostLibraries {
        if let kept, kept.unread.first == nil {
            kept.renewReadLimits()
            return kept
        }
        let libraries = HostLibraries(.program(self), excluding: nil)
        kept = libraries
        return libraries
    }
}
