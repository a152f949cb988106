internal import HostBasics
@_spi(Tools) internal import PluginHost

/// The property lists, strings tables and nibs among a bundle's resources.
struct ResourceLists {
    struct List {
        let path: String
        let type: BundleLinter.FileType
        /// The path in the resources, or in the localisation's directory, without the extension: the table's name.
        let name: String
        /// The localisation of its directory; nil for a list outside of the localisations.
        let language: String?
    }

    private(set) var lists: [List] = []
    /// The nib files, in every localisation and variant.
    private(set) var nibs: [BundledNib] = []
    /// The paths of the localisations' directories, by the localisations' names.
    private(set) var languages: [String: String] = [:]
    private(set) var findings: [LintFinding] = []
    private var names = 0

    private static let deepest = 16
    private static let mostNames = 200_000
    /// The extensions of directories that are bundles and have their own languages.
    private static let bundleTypes: Set = ["bundle", "framework", "app", "plugin"]

    mutating func gather(_ directory: String) {
        var waiting = [(path: directory, name: "", language: String?.none, depth: 0)]
        while let (path, name, language, depth) = waiting.popLast() {
            let listing = DirectoryListing(path: path)
            names += listing.names.count
            if let errno = listing.failure {
                findings.append(.unreadable(directory: path, errno))
                continue
            }
            guard depth <= Self.deepest, names <= Self.mostNames, !listing.isTruncated else {
                findings.append(
                    LintFinding(
                        .warning, .tooManyFiles, filePath: path,
                        message:
                            "The directory \(quoted(path)) is not read: there are more than "
                            + "\(Self.mostNames) names, or it is more than \(Self.deepest) directories deep.",
                        remedy: "Lint its files by themselves."))
                continue
            }
            // In reverse order, because the last waiting directory is read next.
            for (entry, kind) in listing.names.sorted(by: { $0.key > $1.key }) where !entry.hasPrefix(".") {
                let child = Path.join(path, entry)
                let childName = name.isEmpty ? entry : name + "/" + entry
                // A link to a directory is not followed: it may lead back to a directory above it.
                if BundledNib.isNib(entry) {
                    // This includes directories, which nibs of earlier systems are. They are refused later.
                    nibs.append(BundledNib(path: child, relativePath: childName, language: language))
                } else if kind == .directory {
                    if entry.hasSuffix(".lproj"), language == nil {
                        let spoken = String(entry.dropLast(".lproj".count))
                        if name.isEmpty { languages[spoken] = child }
                        waiting.append((child, name, spoken, depth + 1))
                    } else if !Self.bundleTypes.contains(Self.type(of: entry)) {
                        waiting.append((child, childName, language, depth + 1))
                    }
                } else if let type = BundleLinter.FileType(path: entry), isFile(child, kind) {
                    let stem = String(childName.dropLast(type.rawValue.count + 1))
                    lists.append(List(path: child, type: type, name: stem, language: language))
                } else if let other = ForeignFile(path: child) {
                    findings.append(other.findingInBundle)
                }
            }
        }
        lists.sort { $0.path < $1.path }
        nibs.sort { $0.path < $1.path }
    }

    private func isFile(_ path: String, _ kind: DirectoryListing.Kind) -> Bool {
        kind == .file || !(FileIdentity(path: path)?.isDirectory ?? false)
    }

    private static func type(of name: String) -> String {
        name.lastIndex(of: ".").map { String(name[name.index(after: $0)...]) } ?? ""
    }
}

extension LintFinding {
    /// The finding for a directory that cannot be read.
    ///
    /// Its content is unknown, so it must not count as empty.
    static func unreadable(directory path: String, _ errno: CInt) -> LintFinding {
        LintFinding(
            .error, .unreadable, filePath: path,
            message: "The directory \(quoted(path)) cannot be read (\(describe(errno: errno))).",
            remedy: ErrorNumber.remedy(errno))
    }
}
