import HostBasics
import NibReading
import PluginHost
import PluginLinting

/// The facts that `pluginhost info` shows about one nib, which consists of all files of one name.
struct NibFacts {
    private let name: String
    private let languages: [String]
    private let variants: [String]
    private let ownerClass: String?
    /// The number of objects in its first file; nil if the file cannot be read.
    private let objects: Int?

    /// The nibs of a bundle, by name.
    static func all(in bundle: PluginBundle) -> [NibFacts] {
        let files = Dictionary(grouping: BundledNib.all(in: bundle), by: \.name)
        return files.sorted { $0.key < $1.key }.map { NibFacts($0.key, $0.value, in: bundle) }
    }

    private init(_ name: String, _ files: [BundledNib], in bundle: PluginBundle) {
        self.name = name
        // A nib in Base.lproj or outside of the localisations exists in every language that has a table of its name.
        let tables = bundle.localizations.filter { language in
            ["strings", "stringsdict"].contains {
                bundle.path(forResource: name, ofType: $0, inDirectory: nil, forLocalization: language) != nil
            }
        }
        languages = Set(files.compactMap(\.language) + tables).sorted()
        variants = Set(files.map(\.variant)).subtracting([""]).sorted()
        let nib = files.first.flatMap { try? NibInspection(path: $0.path, limits: HostEnvironment.current.nibLimits) }
        ownerClass = nib?.ownerClass
        objects = nib?.counts.objects
    }

    var json: JSONValue {
        .object([
            "name": .string(name), "objects": objects.map(JSONValue.integer) ?? .null,
            "ownerClass": JSONValue(ownerClass), "languages": JSONValue(languages), "variants": JSONValue(variants),
        ])
    }

    /// The cells of a table.
    var row: [String] {
        [
            name, objects.map { counted($0, "object") } ?? "unreadable",
            ownerClass.map { "owner \($0)" } ?? "", languages.joined(separator: ", "),
            variants.joined(separator: ", "),
        ]
    }
}
