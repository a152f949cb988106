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
        try ProjectName.check(name, of: "A plug-in", imported: api?.product)
        // The package manager treats a file Main.swift as the start of a program.
        if language == .swift, name.lowercased() == "main" {
            throw PackingError(
                .nameInvalid, path: name,
                message: "A plug-in cannot be called \(quoted(name)): its source would be \(quoted(name + ".swift")), "
                    + "which begins a program.",
                remedy: "Take \(quoted(name + "Plugin")), for example.")
        }
        try ProjectName.check(identifier: identifier, of: name)
        return try ProjectDirectory.make(name, in: directory) { (parent) throws(PackingError) in
            try files(in: parent)
        }
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
            try api?.package.requireManifest(from: parent)
            let found =
                if let own = self.library { own } else {
                    try PackageReference.library(asOf: api, from: parent)
                }
            // This set is last, so that it also replaces the tests of an application's own template.
            if found.testing(from: parent) == nil { sets.append("swift-without-kit") }
            library = found
        }
        var replaced: Set<String> = []
        for set in sets {
            files.merge(ProjectTemplates.files(of: set)) { $1 }
            guard let own = api?.package.directory(from: parent).map({ Path.join($0, "PluginTemplate/" + set) }),
                try FileIdentity.file(at: own)?.isDirectory ?? false
            else { continue }
            var tree = FileTree(root: own)
            _ = try tree.add(contentsOf: own, isSource: true)
            for (path, text) in try tree.texts() {
                files[path] = text
                replaced.insert(path)
            }
        }
        // They are those of the tool's own code.
        if replaced.isEmpty { files.merge(ProjectTemplates.files(of: "settings")) { $1 } }
        Self.useLanguages(of: replaced, in: &files)
        // Tests that load the built library must not contain its code.
        let isLinked = files.contains { path, text in
            path.hasPrefix("Tests/") && text.contains(#/import __NAME__\b/#)
        }
        var words = [("__TESTED_TARGET__", isLinked ? "\"__NAME__\", " : "")]
        words += try self.words(in: parent, library, compile: files.removeValue(forKey: "compile.mk") ?? "")
        return ProjectTemplates.filled(files, words)
    }

    /// Leaves only the languages of the application's template, if it has strings tables: another language would lack
    /// its texts, and the tool's own texts are those of other code.
    ///
    /// `replaced`: the files of that template.
    private static func useLanguages(of replaced: Set<String>, in files: inout [String: String]) {
        let languages = Set(replaced.compactMap(language(ofPath:))).subtracting(["Base"])
        guard !languages.isEmpty else { return }
        let table = "InfoPlist.strings"
        let names = files["Resources/en.lproj/\(table)"]
        for path in files.keys where language(ofPath: path) != nil && !replaced.contains(path) { files[path] = nil }
        // It gives the plug-in's name, which is the same in each language.
        guard let names, !replaced.contains(where: { $0.hasSuffix(".lproj/\(table)") }) else { return }
        for language in languages { files["Resources/\(language).lproj/\(table)"] = names }
    }

    /// The language of a file in a `.lproj` directory of the bundle's resources; nil for another file.
    private static func language(ofPath path: String) -> String? {
        let parts = path.split(separator: "/")
        guard parts.count > 2, parts[0] == "Resources", parts[1].hasSuffix(".lproj") else { return nil }
        return String(parts[1].dropLast(".lproj".count))
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
            if language == .swift, let point = try point(of: api.package, from: parent) { words += self.words(point) }
        }
        return words + [("__NAME__", name)]
    }

    /// An extension point of the application's API for which the code provides something; nil if none is found.
    ///
    /// An application's own template has its own code.
    private func point(of package: PackageReference, from parent: String) throws(PackingError) -> InterfacePoint? {
        guard let directory = package.directory(from: parent),
            try FileIdentity.file(at: Path.join(directory, "PluginTemplate/swift")) == nil
        else { return nil }
        let root = Path.join(directory, "Sources")
        var tree = FileTree(root: root)
        guard (try? tree.add(contentsOf: root, isSource: true)) != nil else { return nil }
        return InterfacePoint.first(in: try tree.texts { $0.hasSuffix(".swift") }.map(\.text))
    }

    private func words(_ point: InterfacePoint) -> [(word: String, text: String)] {
        let type = name + point.interface
        let members = point.members.map { "\n    \($0)\n" }.joined()
        return [
            (
                "__API_CLASS__",
                """
                /// What the application gets at its extension point `\(point.property)`.
                //
                // The application's API says what each requirement means: replace the bodies. Info.plist declares the
                // provider too, so that the application knows it without running the code.
                final class \(type): \(point.interface) {
                    init(context: PluginContext) throws {}
                \(members)}

                """
            ),
            (
                "__API_PROVIDE__",
                "// A provider at an extension point of the application, by its name in Info.plist.\n        plugin.provide(.\(point.property), named: \"\(name.lowercased())\", \(type).init)"
            ),
            (
                "__API_FACTORY__",
                """
                <dict>
                \t\t\t<key>name</key>
                \t\t\t<string>\(name.lowercased())</string>
                \t\t\t<key>extensionPoint</key>
                \t\t\t<string>\(point.point)</string>
                \t\t\t<key>version</key>
                \t\t\t<integer>\(point.version)</integer>
                \t\t</dict>
                """
            ),
        ]
    }
}
