@_spi(Tools) import PluginHost

/// The SONAMEs under which several plug-ins of a catalogue carry libraries.
///
/// This is information and no problem: the host gives each plug-in its own library.
struct SharedNames {
    /// A SONAME, and who carries a library of that name.
    struct Name {
        enum Content: String {
            /// One file, which all plug-ins share.
            case one
            /// Files with the same bytes; each plug-in still has a state of its own.
            case equal
            case different
        }

        let name: String
        /// The identifiers of the plug-ins, and their files, in the order of the catalogue.
        let carriers: [(identifier: String, path: String)]
        let content: Content
        /// How to avoid it.
        let remedy: String

        /// For example “libhelper.so.1: a and b carry different files under this SONAME, …”.
        var sentence: String {
            let identifiers = carriers.map(\.identifier)
            let who = identifiers.dropLast().joined(separator: ", ") + " and " + (identifiers.last ?? "")
            let what =
                switch content {
                case .one: "carry one file under this SONAME, and share it."
                case .equal:
                    "carry equal files under this SONAME. Each gets its own, the later ones from a private copy. \(remedy)"
                case .different:
                    "carry different files under this SONAME. Each gets its own, the later ones from a private copy. \(remedy)"
                }
            return "\(name.escapedForTerminal): \(who) \(what)"
        }

        var json: JSONValue {
            .object([
                "name": .string(name), "content": .string(content.rawValue), "remedy": .string(remedy),
                "carriers": .array(
                    carriers.map { .object(["identifier": .string($0.identifier), "path": .string($0.path)]) }),
            ])
        }
    }

    /// Sorted by name.
    let names: [Name]

    /// The names of the plug-ins in use.
    ///
    /// **Cost.** Opens each bundle, and compares the files of each name that several bundles have.
    init(_ catalog: PluginCatalog) {
        var carried: [String: [(identifier: String, library: PluginBundle.CarriedLibrary)]] = [:]
        for plugin in catalog.plugins {
            // Do not keep the bundle: thousands of open bundles would fill the memory.
            guard let bundle = try? plugin.candidate.open() else { continue }
            for library in bundle.carriedLibraries {
                carried[library.name, default: []].append((plugin.identifier, library))
            }
        }
        names = carried.filter { $0.value.count > 1 }.sorted { $0.key < $1.key }.map { name, carriers in
            let first = carriers[0].library, others = carriers.dropFirst().map(\.library)
            let content: Name.Content =
                others.allSatisfy(first.isSameFile)
                ? .one : others.allSatisfy(first.hasSameContent) ? .equal : .different
            return Name(
                name: name, carriers: carriers.map { ($0.identifier, $0.library.path) }, content: content,
                remedy: carriers[carriers.count - 1].library.remedy)
        }
    }
}
