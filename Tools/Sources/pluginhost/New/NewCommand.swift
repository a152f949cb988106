import ArgumentParser
import Glibc
import PluginPacking

/// `pluginhost new`: makes the project of a new plug-in.
struct NewCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "new",
        abstract: "Makes the project of a new plug-in, which builds at once.",
        discussion: """
            Makes a directory NAME with code, Info.plist, strings in two languages, tests and a README: a Swift package, or \
            sources in C or C++ with a Makefile. The directory must not exist.

            With --app-api the plug-in is for an application whose plug-in API is that package. Where the package has a \
            folder PluginTemplate, the project is made of it.
            """)

    @Argument(help: ArgumentHelp("The plug-in's name, which is also that of its directory.", valueName: "name"))
    var name: String

    @Option(
        help: ArgumentHelp("swift, c or c++.", valueName: "language"),
        completion: .list(PluginProject.Language.allCases.map(\.rawValue)), transform: Self.language)
    var language = PluginProject.Language.swift

    @Option(
        help: ArgumentHelp("CFBundleIdentifier, in reverse DNS. By default org.example.NAME.", valueName: "identifier"))
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
            "The package PluginHost: a directory or an address. By default the one that --app-api uses.",
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
    }

    mutating func run() throws {
        var project = PluginProject(name: name, language: language)
        if let identifier { project.identifier = identifier }
        project.library = library.map(PackageReference.library)
        if let appApi {
            let package = PackageReference(appApi)
            project.api = (package, product ?? package.package)
        }
        do throws(PackingError) {
            let path = try project.make(in: ".")
            if json {
                let document = JSONValue.document(
                    command: "new",
                    [
                        "path": .string(path), "name": .string(name), "language": .string(language.rawValue),
                        "identifier": .string(project.identifier), "error": .null,
                    ])
                Terminal.write(try text(of: document))
            } else {
                var page = Page()
                page.line(("\(name):", .bold), ("made", .green))
                let build = language == .swift ? "swift test, then pluginhost pack --build" : "make test"
                page.paragraph("Next: cd \(name), and \(build). README.md lists the rest.", indent: 2)
                Terminal.write(page.text)
            }
        } catch {
            try fail(error)
        }
    }

    private func text(of document: JSONValue) throws(PackingError) -> String { (try? document.text()) ?? "" }

    /// Reports that nothing was made, and exits with the status of a command that could not do its work.
    private func fail(_ error: PackingError) throws {
        if json {
            let document = JSONValue.document(
                command: "new",
                [
                    "path": .null, "name": .string(name), "language": .string(language.rawValue),
                    "identifier": JSONValue(identifier), "error": error.json,
                ])
            Terminal.write(try document.text())
        } else {
            var page = Page()
            page.line(("\(name):", .bold), ("not made", .red))
            error.write(to: &page)
            Terminal.write(page.text)
        }
        try ExitStatus.unable.finish()
    }
}
