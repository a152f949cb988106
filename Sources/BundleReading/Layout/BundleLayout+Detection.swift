import Glibc
package import HostBasics

extension BundleLayout {
    /// The layout of the directory at an absolute path without links.
    ///
    /// Rules, in order: a wrapped bundle, unless it also has `Contents`; the well-known folders, `Contents` before
    /// `Resources` before `Support Files`, but `Resources` first in a `.framework`; flat. In a framework, the files of
    /// its version are used in addition to those at its top, or instead of them if the links at the top were lost. Only
    /// the folders of the root are examined, nothing deeper.
    ///
    /// **Cost.** The root is listed once; if it has versions, so are their directory and the current version.
    ///
    /// - Parameters:
    ///   - root: the bundle's directory.
    ///   - failure: set to the first item that could not be examined; the layout may then be wrong.
    /// - Returns: the layout; flat if nothing else is recognised.
    package static func detect(root: String, failure: inout OpenedDirectory.Failure?) -> BundleLayout {
        var folders = WellKnownFolders(of: root)
        defer { failure = failure ?? folders.failure }
        if let wrapped = wrapped(root, &folders) { return wrapped }
        let layout = plain(&folders, isFramework: root.hasSuffix(".framework")) ?? flat
        guard root.hasSuffix(".resources") else { return layout }
        let parent = root.split(separator: "/").dropLast().last.map(String.init) ?? ""
        return layout.backed(by: installed(Path.stem(root), in: parent))
    }

    /// Whether a directory has an Info.plist in one of the places of its layout.
    package static func hasInfoList(root: String) -> Bool {
        var failure: OpenedDirectory.Failure?
        let places = detect(root: root, failure: &failure).infoDirectories.map { Path.join(root, $0) }
        return places.contains { place in
            infoNames.contains { FileIdentity(path: Path.join(place, $0))?.isRegularFile ?? false }
        }
    }

    /// The layout according to the well-known folders; nil if there are none.
    private static func plain(_ folders: inout WellKnownFolders, isFramework: Bool) -> BundleLayout? {
        let top = top(&folders, isFramework: isFramework)
        guard isFramework, let version = folders.findVersion() else { return top }
        // A version has the same layout as a framework without versions.
        var innerFolders = WellKnownFolders(of: folders.root + "/" + version)
        let inner = Self.top(&innerFolders, isFramework: true) ?? flat
        folders.note(innerFolders.failure)
        let versioned = inner.below(version, name: "versioned framework")
        return top?.backed(by: versioned) ?? versioned
    }

    private static func top(_ folders: inout WellKnownFolders, isFramework: Bool) -> BundleLayout? {
        let openStep = folders.find("Resources").map(openStep(in:))
        let contents = folders.find("Contents").map(contents(in:))
        let first = isFramework ? openStep ?? contents : contents ?? openStep
        return first ?? folders.find("Support Files").map(supportFiles(in:))
    }

    /// The layout of a wrapped bundle, or nil if the directory is not one.
    ///
    /// `WrappedBundle` is a relative link that stays inside the bundle, next to `Wrapper/`. A wrapped bundle inside
    /// another one is not supported.
    private static func wrapped(_ root: String, _ folders: inout WellKnownFolders) -> BundleLayout? {
        // Contents is checked first here too, because nearly every bundle is recognised by it before its root is
        // listed.
        guard folders.find("Contents") == nil, folders.find("Wrapper") != nil, let link = folders.find("WrappedBundle"),
            Path.linkTarget(root + "/" + link)?.hasPrefix("/") == false,
            let resolved = Path.resolved(root + "/" + link), let part = Path.part(of: resolved, in: root)
        else { return nil }
        var innerFolders = WellKnownFolders(of: resolved)
        let inner = plain(&innerFolders, isFramework: resolved.hasSuffix(".framework")) ?? flat
        folders.note(innerFolders.failure)
        return inner.below(String(part), name: "wrapped \(inner.name)")
    }
}

/// The folders of a directory by their well-known names, in upper or lower case.
private struct WellKnownFolders {
    let root: String
    /// Nil if the directory may be entered but not listed: then only the exact names are tried.
    private let spellings: [String: String]?
    /// The first item that could not be examined, or nil.
    private(set) var failure: OpenedDirectory.Failure?

    private static let names: Set = [
        "contents", "resources", "support files", "versions", "wrapper", "wrappedbundle", "current",
    ]

    init(of root: String) { self.init(of: root, DirectoryListing(path: root)) }

    init(of root: String, _ listing: DirectoryListing) {
        self.root = root
        failure = listing.failure.map { OpenedDirectory.Failure(path: root, errno: $0) }
        guard listing.identity != nil else {
            spellings = nil
            return
        }
        var spellings: [String: String] = [:]
        for (name, kind) in listing.names where kind != .file {
            let key = name.lowercased()
            guard Self.names.contains(key) else { continue }
            // If there are two spellings, take the one that sorts first; the order of the file system does not matter.
            spellings[key] = spellings[key].map { min($0, name) } ?? name
        }
        self.spellings = spellings
    }

    /// Records a failure, unless there was one before.
    mutating func note(_ failure: OpenedDirectory.Failure?) { self.failure = self.failure ?? failure }

    /// The folder's name as spelled in the directory, nil if there is none; a link to a directory counts.
    mutating func find(_ name: String) -> String? {
        let candidates = spellings.map { spellings in
            spellings[name.lowercased()].map { $0 == name ? [name] : [name, $0] } ?? []
        }
        for candidate in candidates ?? [name] where isDirectory(root + "/" + candidate) { return candidate }
        return nil
    }

    private mutating func isDirectory(_ path: String) -> Bool {
        if let identity = FileIdentity(path: path) { return identity.isDirectory }
        let number = errno
        if !ErrorNumber.leadsNowhere(number) { note(OpenedDirectory.Failure(path: path, errno: number)) }
        return false
    }

    /// The framework's current version as a relative path: `Versions/Current`, or the highest version if that link was
    /// lost.
    mutating func findVersion() -> String? {
        guard let versions = find("Versions") else { return nil }
        let directory = root + "/" + versions
        let listing = DirectoryListing(path: directory)
        var inside = WellKnownFolders(of: directory, listing)
        let current = inside.find("Current")
        note(inside.failure)
        if let current { return versions + "/" + current }
        var best: (version: PluginVersion, name: String)?
        for name in listing.names.keys where !name.hasPrefix(".") && isDirectory(directory + "/" + name) {
            let version = (PluginVersion(reading: name), name)
            if best.map({ $0 < version }) ?? true { best = version }
        }
        return best.map { versions + "/" + $0.name }
    }
}
