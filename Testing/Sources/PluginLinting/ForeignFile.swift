internal import HostBasics
@_spi(Tools) internal import PluginHost

/// A file that the linter recognises by its extension but does not check.
struct ForeignFile {
    private let path: String
    private let kind: (what: String, remedy: String)

    /// Nil for every other file, and for one that does not exist.
    init?(path: String) {
        guard let dot = path.lastIndex(of: "."), let kind = Self.kinds[path[path.index(after: dot)...].lowercased()],
            FileIdentity(path: path)?.isDirectory == false
        else { return nil }
        self.path = path
        self.kind = kind
    }

    private static let kinds: [String: (what: String, remedy: String)] = [
        "storyboard": (
            "a storyboard of Xcode, which no plug-in can use on Linux",
            "Put each scene into a nib of its own (.xib), and check that."
        ),
        "xcstrings": (
            "a string catalogue of Xcode, which no bundle reads",
            "Make tables of it, and check those: pluginhost strings convert FILE TABLE.strings."
        ),
        "xliff": (
            "an XLIFF file for translators, which no bundle reads",
            "Bring its texts into the tables of a bundle, and check those: pluginhost strings import."
        ),
        "xlf": (
            "an XLIFF file for translators, which no bundle reads",
            "Bring its texts into the tables of a bundle, and check those: pluginhost strings import."
        ),
    ]

    /// The finding for a file among the resources of a bundle, where it is useless but harmless.
    var findingInBundle: LintFinding {
        LintFinding(
            .warning, .notChecked, filePath: path, message: "The file \(quoted(path)) is \(kind.what).",
            remedy: "\(kind.remedy) Leave the file out of the bundle.")
    }

    /// The finding for a file that the caller named.
    var finding: LintFinding {
        LintFinding(
            .error, .notChecked, filePath: path, message: "The file \(quoted(path)) is \(kind.what).",
            remedy: kind.remedy)
    }
}

extension LintFinding.Code {
    /// A file of a kind that the linter does not check.
    static let notChecked = Self(rawValue: "notChecked")
}
