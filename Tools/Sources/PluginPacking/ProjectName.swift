internal import HostBasics

/// The name and the identifier of a new project, checked before anything is written.
enum ProjectName {
    /// Names that a project's module cannot have, because it imports modules of these names.
    private static let modules: Set = [
        "Swift", "Foundation", "FoundationEssentials", "Testing", "XCTest", "Glibc", "PluginHost", "PluginABI",
        "CPluginSupport", "PropertyLists", "PluginTesting", "PluginLinting", "Dispatch", "Synchronization",
    ]
    private static let keywords: Set = [
        "as", "break", "case", "catch", "class", "continue", "default", "defer", "do", "else", "enum", "extension",
        "false",
        "for", "func", "guard", "if", "import", "in", "init", "inout", "internal", "is", "let", "nil", "operator",
        "private",
        "protocol", "public", "repeat", "return", "self", "static", "struct", "subscript", "super", "switch", "throw",
        "true", "try", "typealias", "var", "where", "while", "Self", "Any",
    ]

    /// Checks the name of a project, which is also that of a module.
    ///
    /// `what`: “A plug-in”. `imported`: the module of the application's API, if the project imports one.
    ///
    /// - Throws: ``PackingError`` of code `nameInvalid`, which proposes another name.
    static func check(_ name: String, of what: String, imported: String? = nil) throws(PackingError) {
        func invalid(_ reason: String, _ proposal: String) -> PackingError {
            PackingError(
                .nameInvalid, path: name, message: "\(what) cannot be called \(quoted(name)): \(reason).",
                remedy: "Take \(quoted(proposal)), for example.")
        }
        let isWord =
            name.utf8.first.map { Unicode.Scalar($0).properties.isAlphabetic } ?? false
            && name.utf8.allSatisfy { Unicode.Scalar($0).isWordOfASCII }
        if !isWord || name.utf8.count > 64 {
            let kept = String(String.UnicodeScalarView(name.unicodeScalars.filter(\.isWordOfASCII)).prefix(64))
            let proposal = kept.first?.isLetter ?? false ? kept : "MyProject"
            throw invalid("it is also the name of the code's module: a letter, then letters, digits and “_”", proposal)
        }
        if keywords.contains(name) { throw invalid("it is a word of Swift", name + "Project") }
        if modules.contains(name) || name == imported {
            throw invalid("a module that the code imports has it", name + "Project")
        }
    }

    /// Checks a `CFBundleIdentifier`.
    static func check(identifier: String, of name: String) throws(PackingError) {
        guard identifier.utf8.count <= 200,
            identifier.utf8.allSatisfy({ Unicode.Scalar($0).isWordOfASCII || $0 == 0x2E || $0 == 0x2D }),
            !identifier.isEmpty
        else {
            throw PackingError(
                .nameInvalid, path: identifier, message: "\(quoted(identifier)) cannot be a bundle's identifier.",
                remedy: "Write it in reverse DNS, of ASCII letters, digits, “.”, “-” and “_”: org.example.\(name).")
        }
    }
}

extension Unicode.Scalar {
    fileprivate var isWordOfASCII: Bool {
        isASCII && (properties.isAlphabetic || properties.numericType != nil || self == "_")
    }
}
