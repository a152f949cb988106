import ArgumentParser
import Glibc
import PluginHost

/// What every command about an application's plug-ins takes: which application it is, and the form of the output.
struct ApplicationArguments: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The application whose standard search paths are looked through, as demo-host.", valueName: "name"))
    var application: String?

    @Option(
        help: ArgumentHelp(
            "The application's executable: its libraries count as present, and its own directories are searched. By "
                + "default the one in PATH with the name of --application.", valueName: "program"),
        completion: .file())
    var host: String?

    @Option(
        help: ArgumentHelp(
            "The application's version, for PHHostRequires. Without it no requirement of it is checked.",
            valueName: "version"))
    var hostVersion: String?

    @Option(
        name: .customLong("capability"),
        help: ArgumentHelp(
            "What the application offers, for PHCapabilities; may be given more than once. Without it everything counts "
                + "as offered.", valueName: "name"))
    var capabilities: [String] = []

    @Flag(help: "Write one JSON document to standard output.")
    var json = false

    /// Those of a command that names an application in its own way.
    static func naming(_ application: String?, host: String? = nil) -> ApplicationArguments {
        var arguments = ApplicationArguments()
        (arguments.application, arguments.host, arguments.hostVersion) = (application, host, nil)
        (arguments.capabilities, arguments.json) = ([], false)
        return arguments
    }
}

/// Where a command looks for plug-ins, and for which application.
struct PluginSearch {
    /// Absolute or as they were given.
    let searchPaths: [String]
    /// The application's executable, links resolved.
    let program: String?
    /// The name of `--application`.
    let application: String?
    private let capabilities: [String]

    /// `folders`: what was named in place of an application.
    /// - Throws: ValidationError for a wrong use.
    init(_ arguments: ApplicationArguments, folders: [String]) throws {
        application = arguments.application
        capabilities = arguments.capabilities
        program = try Self.program(arguments)
        if let application = arguments.application {
            guard folders.isEmpty else {
                throw ValidationError("Name either an application by --application, or folders.")
            }
            guard !application.isEmpty, !application.contains("/"), application != ".", application != ".." else {
                throw ValidationError("The name of --application is that of one directory, as demo-host.")
            }
            searchPaths = PluginCatalog.standardSearchPaths(for: application, program: program)
        } else {
            for folder in folders { try Self.requireDirectory(folder) }
            searchPaths = folders
        }
        HostEnvironment.current.version = arguments.hostVersion ?? ""
        HostEnvironment.current.capabilities = Set(arguments.capabilities)
        if let application { HostEnvironment.current.name = application }
    }

    /// - Throws: ValidationError where neither an application nor a folder was named.
    func requireSomewhere() throws {
        guard !searchPaths.isEmpty else {
            throw ValidationError("Name the application by --application, or folders of bundles.")
        }
    }

    /// Looks through the search paths.
    /// `index`: without one what stands there now is read, and nothing is written.
    func catalog(index: PluginCatalog.IndexStorage = .none) -> PluginCatalog {
        let choices = application.flatMap(PluginCatalog.choicesPath)
        let catalog = PluginCatalog(searchPaths: searchPaths, options: .init(index: index, choices: choices))
        guard capabilities.isEmpty else { return catalog }
        // What the application offers is not known: then nothing is missing.
        let wanted = catalog.candidates.filter { $0.verdict == .incompatible }
            .compactMap { try? $0.open().manifest }
            .flatMap { $0.capabilities + $0.deviceCapabilities.filter(\.value).map(\.key) }
        if !wanted.isEmpty {
            HostEnvironment.current.capabilities = Set(wanted)
            catalog.refresh()
        }
        return catalog
    }

    private static func requireDirectory(_ path: String) throws {
        var directory = opendir(path)
        while directory == nil, errno == EINTR { directory = opendir(path) }
        if let directory {
            closedir(directory)
            return
        }
        // One that is there and cannot be listed is a finding, and no wrong use.
        guard errno != EACCES else { return }
        let reason = String(cString: strerror(errno))
        throw ValidationError("The folder \(path.escapedForTerminal) cannot be looked through: \(reason).")
    }

    private static func program(_ arguments: ApplicationArguments) throws -> String? {
        if let host = arguments.host { return try CheckCommand.resolvedProgram(host) }
        guard let name = arguments.application, !name.isEmpty, !name.contains("/") else { return nil }
        let path = getenv("PATH").flatMap { String(validatingCString: $0) } ?? ""
        // An empty or relative element means the current directory, where nobody's program is looked for.
        let places = path.split(separator: ":").filter { $0.hasPrefix("/") }.map { "\($0)/\(name)" }
        return places.first { access($0, X_OK) == 0 }.flatMap { try? CheckCommand.resolvedProgram($0) }
    }
}
