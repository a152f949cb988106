internal import CTemplates
import Glibc
internal import HostBasics
@_spi(Tools) internal import PluginHost

/// Makes the project of a new plug-in: a Swift package, or sources in C or C++ with a Makefile.
///
/// The project's files come from templates with placeholders such as `__NAME__`. The tool's own templates make a
/// plug-in for any application. The API package of an application may have a folder `PluginTemplate` with templates
/// that replace the tool's.
///
/// **Threads.** A value. Make only one project at a time in a directory.
public struct PluginProject: Sendable {
    /// The language of the plug-in.
    public enum Language: String, Sendable, Hashable, CaseIterable {
        /// A Swift package.
        case swift
        /// C11 and make.
        case c
        /// C++17 and make.
        case cxx = "c++"

        /// The folders of templates.
        ///
        /// A file in a later folder replaces the same file of an earlier one.
        var sets: [String] {
            switch self {
            case .swift: ["common", "swift"]
            case .c, .cxx: ["common", "native", rawValue]
            }
        }

        var name: String {
            switch self {
            case .swift: "Swift"
            case .c: "C"
            case .cxx: "C++"
            }
        }
    }

    /// The plug-in's name.
    ///
    /// It is also the name of its directory, its bundle and its module.
    public var name: String
    /// The language of the plug-in.
    public var language: Language
    /// `CFBundleIdentifier`.
    public var identifier: String
    /// The package PluginHost, for Swift only.
    ///
    /// If nil, it is the package that the application's API uses; without an API, the checkout in which the tool was
    /// built.
    public var library: PackageReference?
    /// The application's plug-in API; nil for a plug-in that is not made for one application.
    public var api: (package: PackageReference, product: String)?

    /// Creates a project.
    public init(name: String, language: Language) {
        self.name = name
        self.language = language
        identifier = "org.example.\(name)"
    }

    /// Makes the project in a new directory with the project's name.
    ///
    /// - Parameter directory: the parent of the project's directory.
    /// - Returns: the project's directory.
    /// - Throws: ``PackingError`` if it failed, or if the project's directory exists; then nothing was changed.
    public func make(in directory: String) throws(PackingError) -> String {
        try checkName()
        guard let parent = Path.resolved(directory) else {
            throw .refused(.unwritable, directory, cannot: "be written to", to: .make, errno: errno)
        }
        let target = Path.join(parent, name)
        var status = stat()
        if lstat(target, &status) == 0 { throw taken(target) }
        var tree = FileTree(root: target)
        for (path, text) in try files(in: parent).sorted(by: { $0.key < $1.key }) where !text.isEmpty {
            try tree.add(path, .file(.memory(Array(text.utf8)), isExecutable: false))
        }
        let staging = try StagingDirectory(in: parent)
        let staged = Path.join(staging.path, name)
        guard mkdir(staged, 0o755) == 0 else {
            throw .refused(.unwritable, staged, cannot: "be made", to: .make, errno: errno)
        }
        try tree.write(to: staged)
        guard try staging.publishIfFree(name, at: target) else { throw taken(target) }
        return target
    }

    private func taken(_ target: String) -> PackingError {
        PackingError(
            .nameInvalid, path: target, message: "\(quoted(target)) exists already; nothing in it is changed.",
            remedy: "Choose another name, or remove it.")
    }

    // MARK: The name

    /// Names that a plug-in's module cannot have, because it imports modules of these names.
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

    private func checkName() throws(PackingError) {
        let isWord =
            name.utf8.first.map { Unicode.Scalar($0).properties.isAlphabetic } ?? false
            && name.utf8.allSatisfy { Unicode.Scalar($0).isWordOfASCII }
        if !isWord || name.utf8.count > 64 {
            let kept = String(String.UnicodeScalarView(name.unicodeScalars.filter(\.isWordOfASCII)).prefix(64))
            let proposal = kept.first?.isLetter ?? false ? kept : "MyPlugin"
            throw invalid("it is also the name of the code's module: a letter, then letters, digits and “_”", proposal)
        }
        if Self.keywords.contains(name) { throw invalid("it is a word of Swift", name + "Plugin") }
        if Self.modules.contains(name) || name == api?.product {
            throw invalid("a module that the plug-in imports has it", name + "Plugin")
        }
        // The package manager treats a file Main.swift as the start of a program.
        if language == .swift, name.lowercased() == "main" {
            throw invalid("its source would be \(quoted(name + ".swift")), which begins a program", name + "Plugin")
        }
        guard identifier.utf8.count <= 200,
            identifier.utf8.allSatisfy({ Unicode.Scalar($0).isWordOfASCII || $0 == 0x2E || $0 == 0x2D }),
            !identifier.isEmpty
        else {
            throw PackingError(
                .nameInvalid, path: identifier, message: "\(quoted(identifier)) cannot be a bundle's identifier.",
                remedy: "Write it in reverse DNS, of ASCII letters, digits, “.”, “-” and “_”: org.example.\(name).")
        }
    }

    private func invalid(_ reason: String, _ proposal: String) -> PackingError {
        PackingError(
            .nameInvalid, path: name, message: "A plug-in cannot be called \(quoted(name)): \(reason).",
            remedy: "Take \(quoted(proposal)), for example.")
    }

    // MARK: Files

    /// The project's files by their paths.
    ///
    /// An empty file is not written.
    private func files(in parent: String) throws(PackingError) -> [String: String] {
        var files: [String: String] = [:]
        var sets = language.sets
        var library: PackageReference?
        if language == .swift {
            let found =
                if let own = self.library { own } else {
                    try PackageReference.library(asOf: api?.package, from: parent)
                }
            // This set is last, so that it also replaces the tests of an application's own template.
            if found.testing(from: parent) == nil { sets.append("swift-without-kit") }
            library = found
        }
        for set in sets {
            for file in UnsafeBufferPointer(start: plugin_templates_first(), count: plugin_templates_count)
            where String(cString: file.set) == set {
                let bytes = UnsafeBufferPointer(start: file.bytes, count: file.size)
                files[String(cString: file.path)] = String(decoding: bytes, as: UTF8.self)
            }
            guard let own = api?.package.directory(from: parent).map({ Path.join($0, "PluginTemplate/" + set) }),
                try FileIdentity.file(at: own)?.isDirectory ?? false
            else { continue }
            var tree = FileTree(root: own)
            _ = try tree.add(contentsOf: own, isSource: true)
            for path in tree.paths {
                guard case .file(let bytes, _)? = tree.entries[path] else { continue }
                files[path] = String(decoding: try bytes.bytes(), as: UTF8.self)
            }
        }
        let words = try words(in: parent, library, compile: files.removeValue(forKey: "compile.mk") ?? "")
        return Dictionary(uniqueKeysWithValues: files.map { (Self.filled($0, words), Self.filled($1, words)) })
    }

    /// The text that replaces each placeholder of the templates.
    private func words(
        in parent: String, _ library: PackageReference?, compile: String
    ) throws(PackingError) -> [(word: String, text: String)] {
        var words = [("__COMPILE__\n", compile), ("__IDENTIFIER__", identifier), ("__LANGUAGE__", language.name)]
        if let library {
            words += [
                ("__PLUGINHOST_PACKAGE__", library.package),
                ("__PLUGINHOST_DEPENDENCY__", library.dependency(of: "..")),
            ]
            if let kit = library.testing(from: parent) {
                words.append(("__TESTING_DEPENDENCY__", kit.dependency(of: "..")))
            }
        }
        if let api {
            words += [
                ("__API_PRODUCT__", api.product), ("__API_PACKAGE__", api.package.package),
                ("__API_DEPENDENCY__", api.package.dependency(of: "..")),
            ]
            if language != .swift { words.append(("__API_INCLUDE__", try api.package.headers(from: parent))) }
        }
        return words + [("__NAME__", name)]
    }

    /// The text with its placeholders replaced.
    ///
    /// Without an API, lines with a placeholder for one are left out.
    private static func filled(_ text: String, _ words: [(word: String, text: String)]) -> String {
        guard text.contains("__") else { return text }
        let text = words.reduce(text) { $0.replacing($1.word, with: $1.text) }
        guard text.contains("__API_") else { return text }
        return text.split(separator: "\n", omittingEmptySubsequences: false).filter { !$0.contains("__API_") }
            .joined(separator: "\n")
    }
}

extension Unicode.Scalar {
    fileprivate var isWordOfASCII: Bool {
        isASCII && (properties.isAlphabetic || properties.numericType != nil || self == "_")
    }
}
