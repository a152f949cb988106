/// The libraries that a plug-in's bundle carries in a directory of its own, for code that needs them by their names.
///
/// A library `libX.so.1` stands there as a file of that name, or as the executable of a framework that has the name or the
/// SONAME. What a link leads to outside of the bundle is none of the bundle's.
///
/// **Cost.** The reading of the head of each library that is asked for.
struct CarriedLibraries {
    /// The directory.
    let directory: String
    private let bundlePath: String
    private let frameworkExecutables: @Sendable () -> [String]

    /// - Parameters:
    ///   - directory: where the libraries are.
    ///   - bundlePath: the bundle's directory; files outside of it are not the bundle's.
    ///   - frameworkExecutables: the executables of the frameworks in the directory. Called only where no file of the
    ///     directory has the name that is asked for.
    init(directory: String, bundlePath: String, frameworkExecutables: @escaping @Sendable () -> [String]) {
        self.directory = directory
        self.bundlePath = bundlePath
        self.frameworkExecutables = frameworkExecutables
    }

    /// The library that a DT_NEEDED finds, or nil. `unread`: takes files that the system does not let be read.
    func file(named name: String, unread: UnreadFiles = UnreadFiles()) -> ImageFile? {
        if let file = own(Path.join(directory, name), unread) { return file }
        for path in frameworkExecutables() {
            if let file = own(path, unread), file.ownName == name || Path.lastComponent(path) == name { return file }
        }
        return nil
    }

    private func own(_ path: String, _ unread: UnreadFiles) -> ImageFile? {
        guard let file = try? ImageFile(path: path, unread: unread), let real = file.file.resolvedPath,
            Path.isInside(real, directory: bundlePath)
        else { return nil }
        return file
    }
}
