import ArgumentParser
import Glibc
import HostBasics
@_spi(Tools) import PluginHost

/// The arguments of every command about an application's plug-ins: the application and the output format.
struct ApplicationArguments: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The application whose standard search paths are searched, such as demo-host.", valueName: "name"),
        completion: KnownNames.applications)
    var application: String?

    @Option(
        help: ArgumentHelp(
            "The application's executable: its libraries count as present, and its own directories are searched. By "
                + "default the one in PATH with the name of --application.", valueName: "program"),
        completion: .file())
    var host: String?

    @Option(
        help: ArgumentHelp(
            "The application's version, for PHHostRequires. By default the one that it had when it ran last; if that is not "
                + "known, the requirement is not checked.",
            valueName: "version"))
    var hostVersion: String?

    @Option(
        name: .customLong("capability"),
        help: ArgumentHelp(
            "What the application offers, for PHCapabilities; may be repeated. Without it, everything counts as "
                + "offered.", valueName: "name"))
    var capabilities: [String] = []

    @Flag(help: "Write one JSON document to standard output.")
    var json = false

    /// Creates the arguments for a command that has its own way to name an application.
    static func naming(_ application: String?, host: String? = nil) -> ApplicationArguments {
        var arguments = ApplicationArguments()
        (arguments.application, arguments.host, arguments.hostVersion) = (application, host, nil)
        (arguments.capabilities, arguments.json) = ([], false)
        return arguments
    }
}

/// Where a command looks for plug-ins, and for which application.
struct PluginSearch {
    /// Absolute paths, or paths as the user gave them.
    let searchPaths: [String]
    /// The application's executable, links resolved.
    let program: String?
    /// The name of `--application`.
    let application: String?
    /// The facts that the application recorded about itself in its last run; nil without --application.
    let recorded: RecordedApplication?
    private let capabilities: [String]

    /// `folders`: the folders to search instead of an application's.
    /// - Throws: ValidationError for wrong usage.
    init(_ arguments: ApplicationArguments, folders: [String]) throws {
        application = arguments.application
        capabilities = arguments.capabilities
        let name = Self.isName(arguments.application) ? arguments.application : nil
        let recorded = name.flatMap(RecordedApplication.init)
        self.recorded = recorded
        program = try Self.program(arguments) ?? recorded?.program.flatMap { try? CheckCommand.resolvedProgram($0) }
        if let application = arguments.application {
            guard folders.isEmpty else {
                throw ValidationError("Give either an application with --application, or folders.")
            }
            guard Self.isName(application) else {
                throw ValidationError("The name of --application must be a single directory name, such as demo-host.")
            }
            searchPaths = PluginCatalog.standardSearchPaths(for: application, program: program)
        } else {
            for folder in folders { try Self.requireDirectory(folder) }
            searchPaths = folders
        }
        HostEnvironment.current.version = arguments.hostVersion ?? recorded?.version ?? ""
        HostEnvironment.current.capabilities = Set(arguments.capabilities)
        if let application { HostEnvironment.current.name = application }
    }

    private static func isName(_ application: String?) -> Bool {
        guard let application else { return false }
        return !application.isEmpty && !application.contains("/") && application != "." && application != ".."
    }

    /// - Throws: ValidationError without an application and without folders.
    func requireSomewhere() throws {
        guard !searchPaths.isEmpty else {
            throw ValidationError("Name the application with --application, or give folders of bundles.")
        }
    }

    /// Scans the search paths.
    ///
    /// `index`: `.none` reads the current files and writes nothing.
    func catalog(index: PluginCatalog.IndexStorage = .none) -> PluginCatalog {
        let choices = application.flatMap(PluginCatalog.choicesPath)
        let catalog = PluginCatalog(
            searchPaths: searchPaths,
            options: .init(
                index: index, choices: choices, quarantine: application.flatMap(Quarantine.path)))
        guard capabilities.isEmpty else { return catalog }
        // The application's capabilities are unknown, so none counts as missing.
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
        // A folder that exists but cannot be listed is a finding, not wrong usage.
        guard errno != EACCES else { return }
        let number = errno
        throw ValidationError(
            "The folder \(path.escapedForTerminal) cannot be searched: \(ErrorNumber.advice(number))")
    }

    private static func program(_ arguments: ApplicationArguments) throws -> String? {
        if let host = arguments.host { return try CheckCommand.resolvedProgram(host) }
        guard let name = arguments.application, !name.isEmpty, !name.contains("/") else { return nil }
        let path = getenv("PATH").flatMap { String(validatingCString: $0) } ?? ""
        // Skip empty and relative elements: an application is never looked up relative to the current directory.
        let places = path.split(separator: ":").filter { $0.hasPrefix("/") }.map { "\($0)/\(name)" }
        return places.first { access($0, X_OK) == 0 }.flatMap { try? CheckCommand.resolvedProgram($0) }
    }
}
