import HostBasics

/// A library of a bundle whose name, or whose symbols, already mean something else in the process.
struct LibraryClash: Sendable {
    /// What has the name.
    enum Owner: Sendable {
        /// A library of another bundle, or of another generation of the bundle.
        case bundle(String, library: String)
        /// A library of the system.
        case system(String)
        /// The bundle defines a unique symbol that this bundle has defined before.
        case uniqueSymbol(String)
        /// The bundle is a generation of a watched bundle, so libraries of the earlier generations have its names.
        case generation
    }

    /// The SONAME or needed name; nil if only symbols clash.
    let name: String?
    /// The library of the bundle, or the bundle if only symbols clash.
    let path: String
    let owner: Owner

    init(_ name: String?, _ path: String, _ owner: Owner) {
        self.name = name
        self.path = path
        self.owner = owner
    }

    /// Why the bundle cannot have names of its own.
    enum Obstacle {
        /// The private copy cannot be made. The findings about it.
        case copy([PluginFinding])
        case shortName(String)
        /// A confined worker makes no copies.
        case confined
        /// Another string of a file shares bytes with the name.
        case sharedString(String, file: String)
        /// A file of the copy could not be edited, because the system does not show where its links lead.
        case unresolvedLinks(file: String)

        fileprivate var sentence: String {
            switch self {
            case .copy: "The private copy in which it would have a name of its own cannot be made."
            case .shortName(let name): "It cannot get a name of its own: \(quoted(name)) is too short to be changed."
            case .confined: "It cannot get a name of its own, because a confined process makes no private copies."
            case .sharedString(let name, let file):
                "It cannot get a name of its own: in \(quoted(file)), the name of a symbol or a version shares the "
                    + "bytes of \(quoted(name))."
            case .unresolvedLinks(let file):
                "It cannot get a name of its own: the links of \(quoted(file)) cannot be resolved without /proc."
            }
        }
    }

    /// The error for a bundle that cannot have names of its own.
    func error(_ obstacle: Obstacle, bundlePath: String) -> PluginError {
        let more: [PluginFinding] = if case .copy(let findings) = obstacle { findings } else { [] }
        var finding = PluginFinding(
            .libraryClash, filePath: path, subject: name, message: "\(sentence) \(obstacle.sentence)",
            remedy: more.isEmpty ? remedy(bundlePath) : "Make the private copy possible: see the next finding.")
        // Then the next use tries again.
        finding.refusal = more.lazy.compactMap(\.refusal).first
        return PluginError(bundlePath: bundlePath, findings: [finding] + more)
    }

    private var sentence: String {
        let library = name.map { "The library \(quoted($0)) of the bundle, \(quoted(path))," } ?? "The bundle"
        return switch owner {
        case .bundle(let bundle, let other):
            "\(library) has the name of \(quoted(other)), which the bundle \(quoted(bundle)) brought into the process."
        case .system(let other): "\(library) has the name of the system's library \(quoted(other))."
        case .uniqueSymbol(let bundle):
            "\(library) defines unique symbols that the bundle \(quoted(bundle)) has defined in the process."
        case .generation: "\(library) has the name that it had in earlier generations."
        }
    }

    private func remedy(_ bundlePath: String) -> String {
        guard let name else { return "Compile it with -fno-gnu-unique." }
        return Self.remedy(forLibrary: name, of: bundlePath)
    }

    /// How a library of a bundle gets a SONAME that no other bundle uses.
    static func remedy(forLibrary name: String, of bundlePath: String) -> String {
        let stem = name.split(separator: ".so", maxSplits: 1, omittingEmptySubsequences: false)
        let own = "\(stem[0])-\(Path.stem(bundlePath).lowercased()).so\(stem.count > 1 ? stem[1] : "")"
        return "Give the library a SONAME of its own: -Wl,-soname,\(shellWord(own))."
    }
}
