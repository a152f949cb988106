import Glibc

/// A directory that looks like a bundle, and what became of opening it.
public struct PluginCandidate: Sendable {
    /// The absolute path; of a bundle, with its links resolved.
    public let path: String
    /// The bundle, or nil if it cannot be opened.
    public let bundle: PluginBundle?
    /// What keeps the bundle from being loaded, as far as the directory and Info.plist tell; nil if nothing does.
    public let error: PluginError?
}

extension PluginBundle {
    /// Every bundle in a directory, with a verdict, without running any code.
    ///
    /// A bundle is a directory whose name ends with one of the extensions. It looks at the directory's own entries only
    /// and never into a bundle. A name that is no bundle after all, or was removed meanwhile, is a candidate with an
    /// error. A bundle that is found through several links is one candidate, and two bundles of one identifier are two:
    /// ``init(identifier:)`` tells which is used.
    ///
    /// - Parameters:
    ///   - directory: the directory.
    ///   - extensions: the extensions of bundles' names, without the dot; compared with case.
    /// - Returns: the candidates in the order of their names.
    /// - Throws: ``PluginError`` of code `bundleNotFound` if the directory cannot be listed, or not to its end.
    public static func scan(directory: String, extensions: Set<String> = ["bundle"]) throws -> [PluginCandidate] {
        try scan(directory: directory, extensions: extensions) { readdir($0) }
    }

    /// - Parameter next: reads the next entry of an open directory, as readdir() does.
    static func scan(
        directory: String, extensions: Set<String>,
        next: (OpaquePointer) -> UnsafeMutablePointer<dirent>?
    ) throws(PluginError) -> [PluginCandidate] {
        guard let stream = opendir(directory) else { throw unlisted(directory, errno) }
        defer { closedir(stream) }
        var entries: [Entry] = []
        while true {
            errno = 0
            guard let entry = next(stream) else {
                if errno != 0 { throw unlisted(directory, errno) }
                break
            }
            let name = Entry(entry)
            if name.hasExtension(of: extensions) { entries.append(name) }
        }
        var seen: Set<PluginBundle> = []
        return entries.sorted { $0.name < $1.name }.map { candidate($0, in: directory) }
            .filter { candidate in candidate.bundle.map { seen.insert($0).inserted } ?? true }
    }

    /// A name in a directory.
    private struct Entry {
        let name: String
        /// Whether the name is UTF-8, so that it can be asked for.
        let isReadable: Bool

        init(_ entry: UnsafeMutablePointer<dirent>) {
            // The name may be longer than d_name is declared, on file systems with long names.
            let start = UnsafeRawPointer(entry) + MemoryLayout<dirent>.offset(of: \.d_name)!
            let characters = start.assumingMemoryBound(to: CChar.self)
            let valid = String(validatingCString: characters)
            name = valid ?? String(cString: characters)
            isReadable = valid != nil
        }

        func hasExtension(of extensions: Set<String>) -> Bool {
            guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return false }
            return extensions.contains(String(name[name.index(after: dot)...]))
        }
    }

    private static func candidate(_ entry: Entry, in directory: String) -> PluginCandidate {
        let path = BundlePath.join(directory, entry.name)
        do throws(PluginError) {
            guard entry.isReadable else { throw unreadableName(path) }
            let bundle = try BundleOpening.bundle(path: path)
            let error =
                bundle.manifestError
                ?? (bundle.manifest.findings.isEmpty
                    ? nil : PluginError(bundlePath: bundle.bundlePath, findings: bundle.manifest.findings))
            return PluginCandidate(path: bundle.bundlePath, bundle: bundle, error: error)
        } catch {
            return PluginCandidate(path: BundlePath.normalized(path) ?? path, bundle: nil, error: error)
        }
    }

    private static func unlisted(_ directory: String, _ error: CInt) -> PluginError {
        PluginError(
            bundlePath: directory,
            PluginFinding(
                .bundleNotFound, filePath: directory,
                message: "The directory \(quoted(directory)) cannot be listed: \(describe(errno: error)).",
                remedy: "Check the path and its permissions."))
    }

    private static func unreadableName(_ path: String) -> PluginError {
        PluginError(
            bundlePath: path,
            PluginFinding(
                .bundleNotFound, filePath: path,
                message: "The name of \(quoted(path)) is not UTF-8; “\u{FFFD}” stands for what cannot be read.",
                remedy: "Rename the bundle."))
    }
}
