import Glibc

/// A directory that looks like a bundle, and what became of opening it.
public struct PluginCandidate: Sendable {
    /// The absolute path.
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
    /// and never into a bundle.
    ///
    /// - Parameters:
    ///   - directory: the directory.
    ///   - extensions: the extensions of bundles' names, without the dot.
    /// - Returns: the candidates in the order of their names.
    /// - Throws: ``PluginError`` of code `bundleNotFound` if the directory cannot be listed.
    public static func scan(directory: String, extensions: Set<String> = ["bundle"]) throws -> [PluginCandidate] {
        guard let stream = opendir(directory) else {
            throw PluginError(
                bundlePath: directory,
                PluginFinding(
                    .bundleNotFound, filePath: directory,
                    message: "The directory \(quoted(directory)) cannot be listed: \(describe(errno: errno)).",
                    remedy: "Check the path and its permissions."))
        }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) { String(cString: $0) }
            }
            if let dot = name.lastIndex(of: "."), dot != name.startIndex,
                extensions.contains(String(name[name.index(after: dot)...]))
            {
                names.append(name)
            }
        }
        return names.sorted().map { candidate(path: BundlePath.join(directory, $0)) }
    }

    private static func candidate(path: String) -> PluginCandidate {
        do throws(PluginError) {
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
}
