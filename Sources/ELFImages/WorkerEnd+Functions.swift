public import HostBasics

extension WorkerEnd {
    /// A line for each frame of ``backtrace`` with the name of the function, as in
    /// “reset(_:) + 24 in /opt/app/Charts.bundle/Contents/Linux/Charts”.
    ///
    /// For a frame without a name, because the file's symbols were stripped or the file is gone, the line is the
    /// frame's description.
    ///
    /// **Threads.** Any. **Cost.** Reads the symbols of each file once: some milliseconds for large ones.
    public func backtraceLines() -> [String] {
        var files: [String: LibraryFunctions] = [:]
        return backtrace.enumerated().map { number, frame in
            if files[frame.path] == nil, let file = try? ELFFile(path: frame.path) {
                files[frame.path] = LibraryFunctions(of: file)
            }
            // A caller's frame is the address to which the call returns, which may be after the end of the function.
            let call: UInt64 = number == 0 || frame.offset == 0 ? 0 : 1
            guard let place = files[frame.path]?.function(at: frame.offset - call) else { return frame.description }
            let name = SymbolNames.demangled(place.name) ?? place.name
            return "\(name) + \(place.distance + call) in \(frame.path)"
        }
    }
}
