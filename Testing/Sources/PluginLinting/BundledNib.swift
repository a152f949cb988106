@_spi(Tools) public import PluginHost

/// A nib file among a bundle's resources.
///
/// **Threads.** A value.
public struct BundledNib: Sendable, Hashable {
    /// The file, as an absolute path.
    public let path: String
    /// The name that code uses: without extension, language and variant, but with the directory in the resources, if
    /// there is one.
    public let name: String
    /// The localisation of its directory; nil for a nib outside of the localisations.
    public let language: String?
    /// The suffixes of its variant, such as `~terminal@2x`; empty for the general variant.
    public let variant: String

    /// `relativePath`: relative to the resources, or to the localisation's directory.
    init(path: String, relativePath: String, language: String?) {
        self.path = path
        self.language = language
        let stem = String(relativePath.dropLast(4))
        let folder = stem.lastIndex(of: "/").map { String(stem[...$0]) } ?? ""
        var name = stem.dropFirst(folder.count)
        var marks: [Substring] = []
        if name.utf8.count > 3, name.hasSuffix("x"), let at = name.lastIndex(of: "@"), name[at...].count == 3 {
            marks.append(name[at...])
            name = name[..<at]
        }
        if let tilde = name.lastIndex(of: "~"), tilde != name.startIndex {
            marks.append(name[tilde...])
            name = name[..<tilde]
        }
        if name.hasSuffix("-linux") {
            marks.append("-linux")
            name = name.dropLast("-linux".count)
        }
        self.name = folder + name
        variant = marks.reversed().joined()
    }

    /// The name that code uses for the nib in a file, without extension and variant.
    ///
    /// The nib's table has the same name.
    @_spi(Tools) public static func name(ofFile name: String) -> String {
        BundledNib(path: name, relativePath: name, language: nil).name
    }

    /// Whether a file's name is that of a nib.
    static func isNib(_ name: String) -> Bool { name.hasSuffix(".xib") || name.hasSuffix(".nib") }

    /// Whether strings tables translate the nib: it does not belong to a single language.
    var isTranslated: Bool { language == nil || language == "Base" }

    /// The nibs of a bundle, in every localisation and variant, by path.
    ///
    /// Bundles among the resources are left out.
    ///
    /// **Cost.** Reads the directories of the resources.
    public static func all(in bundle: PluginBundle) -> [BundledNib] {
        var resources = ResourceLists()
        if let directory = bundle.resourcePath { resources.gather(directory) }
        return resources.nibs
    }
}
