import ArgumentParser
import Glibc
import PluginPacking

/// `pluginhost new`: makes the project of a new plug-in, or of a new application with plug-ins.
struct NewCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "new",
        abstract: "Makes the project of a new plug-in or application, which builds at once.",
        discussion: """
            Makes a directory NAME with code, Info.plist, strings in two languages, tests and a README: a Swift package, or \
            sources in C or C++ with a Makefile. The directory must not exist.

            With --app-api the plug-in is for an application whose plug-in API is that package. Its code provides something at \
            an extension point of the API. Where the package has a folder PluginTemplate, the project is made of it.

            With --application the project is an application in Swift: its plug-in API, a program that uses plug-ins, and \
            a first plug-in.
            """)

    @Argument(help: ArgumentHelp("The project's name, which is also that of its directory.", valueName: "name"))
    var name: String

    @Flag(help: "Make an application that plug-ins extend, with a first plug-in.")
    var application = false

    @Option(
        help: ArgumentHelp("swift, c or c++.", valueName: "language"),
        completion: .list(PluginProject.Language.allCases.map(\.rawValue)), transform: Self.language)
    var language = PluginProject.Language.swift

    @Option(
        help: ArgumentHelp(
            "CFBundleIdentifier, in reverse DNS. By default org.example.NAME. Those of an application's plug-ins begin with it.",
            valueName: "identifier"))
    var identifier: String?

    @Option(
        help: ArgumentHelp(
            "The package with the application's plug-in API: a directory or an address.", valueName: "package"),
        completion: .directory)
    var appApi: String?

    @Option(
        help: ArgumentHelp(
            "The product of --app-api that a plug-in links with. By default its name.", valueName: "name"))
    var product: String?

    @Option(
        help: ArgumentHelp(
            "The package PluginHost: a directory or an address. By default the one that --app-api uses, else the installed one.",
            valueName: "package"),
        completion: .directory)
    var library: String?

    @Flag(help: "Write one JSON document to standard output.")
    var json = false

    private static func language(_ name: String) throws -> PluginProject.Language {
        let known = ["cpp": "c++", "cxx": "c++"][name.lowercased()] ?? name.lowercased()
        guard let language = PluginProject.Language(rawValue: known) else {
            throw ValidationError("It is swift, c or c++.")
        }
        return language
    }

    func validate() throws {
        guard product == nil || appApi != nil else {
            throw ValidationError("--product is one of the package that --app-api names.")
        }
        guard !application || language == .swift && appApi == nil else {
            throw ValidationError(
                "--application makes a project in Swift with an API of its own: leave out --language and --app-api.")
        }
    }

    mutating func run() throws {
        do throws(PackingError) {
            let path = application ? try makeApplication() : try makePlugin()
            if json {
                Terminal.write(try text(of: document(path: .string(path), error: .null)))
            } else {
                var page = Page()
                page.line(("\(name):", .bold), ("made", .green))
                page.paragraph("Next: cd \(name), and \(next). README.md lists the rest.", indent: 2)
                Terminal.write(page.text)
            }
        } catch {
            try fail(error)
        }
    }

    private var next: String {
        if application { return "swift package bundle, then swift run \(ApplicationProject(name: name).program)" }
        return language == .swift ? "swift test, then pluginhost pack --build" : "make test"
    }

    private func makeApplication() throws(PackingError) -> String {
        var project = ApplicationProject(name: name)
        if let identifier { project.identifier = identifier }
        project.library = library.map(PackageReference.library)
        return try project.make(in: ".")
    }

    private func makePlugin() throws(PackingError) -> String {
        var project = PluginProject(name: name, language: language)
        if let identifier { project.identifier = identifier }
        project.library = library.map(PackageReference.library)
        if let appApi {
            let package = PackageReference(appApi)
            project.api = (package, product ?? package.package)
        }
        return try project.make(in: ".")
    }

    private func document(path: JSONValue, error: JSONValue) -> JSONValue {
        JSONValue.document(
            command: "new",
            [
                "path": path, "name": .string(name), "kind": .string(application ? "application" : "plug-in"),
                "language": .string(language.rawValue), "identifier": .string(identifier ?? "org.example.\(name)"),
                "error": error,
            ])
    }

    private func text(of document: JSONValue) throws(PackingError) -> String { (try? document.text()) ?? "" }

    /// Reports that nothing was made, and exits with the status of a command that could not do its work.
    private func fail(_ error: PackingError) throws {
        if json {
            Terminal.write(try document(path: .null, error: error.json).text())
        } else {
            var page = Page()
            page.line(("\(name):", .bold), ("not made", .red))
            error.write(to: &page)
            Terminal.write(page.text)
        }
        try ExitStatus.unable.finish()
    }
}
