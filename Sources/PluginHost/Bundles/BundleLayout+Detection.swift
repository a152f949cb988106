import Glibc

extension BundleLayout {
    /// The layout of the directory at an absolute path, its links resolved.
    ///
    /// Order: a wrapped bundle, unless it has `Contents` too; the well-known folders, `Contents` before `Resources` before
    /// `Support Files`, and for a `.framework` `Resources` first; flat. A framework's versions back what stands on its
    /// top, or stand for it where the links on top were lost. What stands deeper than the folders of the root is not
    /// looked for here.
    ///
    /// **Cost.** The root is listed once; where it has versions, so are they and the one that counts.
    static func detect(root: String) -> BundleLayout {
        let folders = WellKnownFolders(of: root)
        if let wrapped = wrapped(root, folders) { return wrapped }
        let layout = plain(folders, isFramework: root.hasSuffix(".framework")) ?? flat
        guard root.hasSuffix(".resources") else { return layout }
        let parent = root.split(separator: "/").dropLast().last.map(String.init) ?? ""
        return layout.backed(by: installed(in: parent))
    }

    /// The layout by the well-known folders, nil if there is none of them.
    private static func plain(_ folders: WellKnownFolders, isFramework: Bool) -> BundleLayout? {
        let top = top(folders, isFramework: isFramework)
        guard isFramework, let version = folders.version else { return top }
        // A version is laid out as a framework without versions is.
        let inner = Self.top(WellKnownFolders(of: folders.root + "/" + version), isFramework: true) ?? flat
        let versioned = inner.below(version, name: "versioned framework")
        return top?.backed(by: versioned) ?? versioned
    }

    private static func top(_ folders: WellKnownFolders, isFramework: Bool) -> BundleLayout? {
        let openStep = folders["Resources"].map(openStep(in:))
        let contents = folders["Contents"].map(contents(in:))
        let first = isFramework ? openStep ?? contents : contents ?? openStep
        return first ?? folders["Support Files"].map(supportFiles(in:))
    }

    /// `WrappedBundle`, a relative link that stays inside of the bundle, beside `Wrapper/`. One bundle is wrapped, not
    /// one in another.
    private static func wrapped(_ root: String, _ folders: WellKnownFolders) -> BundleLayout? {
        // Contents is what nearly every bundle is known by before its root is listed: it goes first here too.
        guard folders["Contents"] == nil, folders["Wrapper"] != nil, let link = folders["WrappedBundle"],
            BundlePath.linkTarget(root + "/" + link)?.hasPrefix("/") == false,
            let resolved = BundlePath.resolved(root + "/" + link), BundlePath.isInside(resolved, directory: root)
        else { return nil }
        let inner = plain(WellKnownFolders(of: resolved), isFramework: resolved.hasSuffix(".framework")) ?? flat
        return inner.below(String(resolved.dropFirst(root == "/" ? 1 : root.count + 1)), name: "wrapped \(inner.name)")
    }
}

/// The folders of a directory by their well-known names, in whatever case they are written.
private struct WellKnownFolders {
    let root: String
    /// Nil where the directory may be entered but not listed: then names are taken as they are asked for.
    private let spellings: [String: String]?

    private static let names: Set = [
        "contents", "resources", "support files", "versions", "wrapper", "wrappedbundle", "current",
    ]

    init(of root: String) { self.init(of: root, DirectoryListing(path: root)) }

    init(of root: String, _ listing: DirectoryListing) {
        self.root = root
        guard listing.identity != nil else {
            spellings = nil
            return
        }
        var spellings: [String: String] = [:]
        for (name, kind) in listing.names where kind != .file {
            let key = name.lowercased()
            guard Self.names.contains(key) else { continue }
            // Of two spellings the first in order is taken, whatever order the file system tells them in.
            spellings[key] = spellings[key].map { min($0, name) } ?? name
        }
        self.spellings = spellings
    }

    /// The folder as it is spelled there, nil if there is none; a link to a directory is one.
    subscript(_ name: String) -> String? {
        let candidates = spellings.map { spellings in
            spellings[name.lowercased()].map { $0 == name ? [name] : [name, $0] } ?? []
        }
        return (candidates ?? [name]).first { FileIdentity(path: root + "/" + $0)?.isDirectory ?? false }
    }

    /// The framework's version that holds, relative: `Versions/Current`, or the highest where that link was lost.
    var version: String? {
        guard let versions = self["Versions"] else { return nil }
        let directory = root + "/" + versions
        let listing = DirectoryListing(path: directory)
        if let current = WellKnownFolders(of: directory, listing)["Current"] { return versions + "/" + current }
        return listing.names.keys
            .filter { !$0.hasPrefix(".") && FileIdentity(path: directory + "/" + $0)?.isDirectory ?? false }
            .max { (PluginVersion(reading: $0), $0) < (PluginVersion(reading: $1), $1) }
            .map { versions + "/" + $0 }
    }
}
