import HostBasics

/// The libraries in a directory of a bundle, for code that needs them by name.
///
/// A library `libX.so.1` is a file with that name, or the executable of a framework with that name or SONAME. The
/// target of a link that leads out of the bundle does not belong to the bundle.
///
/// **Cost.** Reads the head of each requested library.
package struct CarriedLibraries {
    /// The directory.
    package let directory: String
    private let bundlePath: String
    private let frameworkExecutables: @Sendable () -> [String]

    /// - Parameters:
    ///   - directory: where the libraries are.
    ///   - bundlePath: the bundle's directory; files outside of it do not belong to the bundle.
    ///   - frameworkExecutables: the executables of the frameworks in the directory. Called only if no file of the
    ///     directory has the requested name.
    package init(directory: String, bundlePath: String, frameworkExecutables: @escaping @Sendable () -> [String]) {
        self.directory = directory
        self.bundlePath = bundlePath
        self.frameworkExecutables = frameworkExecutables
    }

    /// The library for a DT_NEEDED name, or nil.
    ///
    /// `unread`: collects files that the system does not let us read.
    package func file(named name: String, unread: UnreadFiles = UnreadFiles()) -> ELFFile? {
        if let file = plainFile(named: name, unread: unread) { return file }
        for path in frameworkExecutables() {
            if let file = own(path, unread), file.ownName == name || Path.lastComponent(path) == name { return file }
        }
        return nil
    }

    /// The file of the directory with a name; nil if there is none.
    func plainFile(named name: String, unread: UnreadFiles = UnreadFiles()) -> ELFFile? {
        own(Path.join(directory, name), unread)
    }

    private func own(_ path: String, _ unread: UnreadFiles) -> ELFFile? {
        guard let file = try? ELFFile(path: path, unread: unread), let real = file.file.resolvedPath,
            Path.isInside(real, directory: bundlePath)
        else { return nil }
        return file
    }
}
