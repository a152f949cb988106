internal import HostBasics

/// Makes the project of a new application with plug-ins.
///
/// It has two Swift packages: the plug-in API, on which authors of plug-ins depend, and the application with its own
/// plug-ins, so that one build has all of them and the library is compiled once. The files come from the tool's
/// templates, in Tools/Templates/application.
///
/// **Threads.** A value. Make only one project at a time in a directory.
public struct ApplicationProject: Sendable {
    /// The application's name, which is also that of its directory and of its package.
    public var name: String
    /// The application's identifier, with which those of its plug-ins and extension points begin.
    public var identifier: String
    /// The package PluginHost.
    ///
    /// If nil, it is the installed library or the checkout that the tool belongs to.
    public var library: PackageReference?

    /// The name of the program, and of the directories of its plug-ins.
    public var program: String { name.lowercased() }

    /// The plug-in that comes with the application.
    private static let sample = "Signature"

    /// Creates a project.
    public init(name: String) {
        self.name = name
        identifier = "org.example.\(name)"
    }

    /// Makes the project in a new directory with the project's name.
    ///
    /// - Parameter directory: the parent of the project's directory.
    /// - Returns: the project's directory.
    /// - Throws: ``PackingError`` if it failed, or if the project's directory exists; then nothing was changed.
    public func make(in directory: String) throws(PackingError) -> String {
        for module in [name, program] { try ProjectName.check(module, of: "An application") }
        // The compiler reserves the module main, and the modules of the program and of the sample need two names.
        guard program != "main", name != Self.sample else {
            throw PackingError(
                .nameInvalid, path: name, message: "An application cannot be called \(quoted(name)).",
                remedy: "Take \(quoted(name + "App")), for example.")
        }
        try ProjectName.check(identifier: identifier, of: name)
        return try ProjectDirectory.make(name, in: directory) { (parent) throws(PackingError) in
            try files(in: parent)
        }
    }

    private func files(in parent: String) throws(PackingError) -> [String: String] {
        let library = if let library { library } else { try PackageReference.library(asOf: nil, from: parent) }
        var files = ProjectTemplates.files(of: "application")
        var words = [
            ("__IDENTIFIER__", identifier), ("__PROGRAM__", program),
            ("__PLUGINHOST_PACKAGE__", library.package),
            ("__PLUGINHOST_DEPENDENCY__", library.dependency(of: "..")),
            ("__PLUGINHOST_DEPENDENCY_BELOW__", library.dependency(of: "../..")),
        ]
        if let kit = library.testing(from: parent) {
            words += [
                ("__TESTING_DEPENDENCY__", kit.dependency(of: "..")), ("__TESTING_PACKAGE__", kit.package),
                ("__TESTING_TARGET__", name + "Tests"),
            ]
        } else {
            files = files.filter { !$0.key.hasPrefix("Tests/") }
        }
        // The API has a template for authors of plug-ins, whose placeholders “pluginhost new --app-api” replaces later.
        words += [("__NAME__", name), ("__PLUGIN_NAME__", "__NAME__"), ("__PLUGIN_IDENTIFIER__", "__IDENTIFIER__")]
        return ProjectTemplates.filled(files, words)
    }
}
