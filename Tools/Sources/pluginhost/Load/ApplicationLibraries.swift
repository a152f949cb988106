import ArgumentParser
import ELFImages
import Glibc
import HostBasics

/// `--host`: the application whose libraries the code of a bundle finds.
struct HostArguments: ParsableArguments {
    @Option(
        help: ArgumentHelp("The application's executable, whose libraries the code finds.", valueName: "program"),
        completion: .file())
    var host: String?

    /// Tells the reader of an error about a missing library about the option.
    static func writeAdvice(on findings: [PluginFinding], to page: inout Page) {
        guard findings.contains(where: { $0.code == .dependencyMissing }) else { return }
        page.paragraph(
            "The libraries of an application are found only with --host, which names its executable.", indent: 2)
    }

    /// The application's libraries; none without `--host`.
    func libraries() throws -> ApplicationLibraries {
        ApplicationLibraries(of: try host.map { try CheckCommand.resolvedProgram($0) })
    }
}

/// Where a process that runs the code of bundles finds the libraries of an application.
struct ApplicationLibraries {
    static let variable = "LD_LIBRARY_PATH"
    /// The value of the variable for that process; nil if there is no application.
    let searchPath: String?

    /// `program`: the application's executable; nil for none.
    init(of program: String?) {
        guard let program else {
            searchPath = nil
            return
        }
        // The tool's own libraries come first: the tool would not work with another version of them.
        var directories = Self.directories(of: Path.ownExecutable)
        if let known = getenv(Self.variable), known.pointee != 0 { directories.append(String(cString: known)) }
        directories += Self.directories(of: program).filter { !directories.contains($0) }
        searchPath = directories.joined(separator: ":")
    }

    /// The directories of the libraries that a program finds through its own search path.
    private static func directories(of program: String) -> [String] {
        var directories: [String] = []
        for library in StagePlan(program: program, bundles: [], copiedLibraries: []).libraries {
            let directory = Path.parent(library.file.path)
            if !directories.contains(directory) { directories.append(directory) }
        }
        return directories
    }

    /// A copy of this process's environment with the variable, for the start of a process.
    ///
    /// Free each text. The last element is nil.
    func makeEnvironment() -> [UnsafeMutablePointer<CChar>?] {
        let assignment = Self.variable + "="
        var variables = searchPath.map { [strdup(assignment + $0)] } ?? []
        var next = environ
        while let text = next.pointee {
            next += 1
            if searchPath != nil, strncmp(text, assignment, assignment.utf8.count) == 0 { continue }
            variables.append(strdup(text))
        }
        return variables + [nil]
    }

    /// Lets the workers of this process find the libraries.
    func showWorkers() { if let searchPath { setenv(Self.variable, searchPath, 1) } }
}
