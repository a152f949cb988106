internal import CPluginSupport.Shims
import ELFImages
import Glibc
import HostBasics

extension WorkerProgram {
    /// The file name of the program that is installed with the library.
    package static let fileName = "pluginhost-worker"

    /// The program to start.
    ///
    /// - Parameter directory: the directory that the application names for ``automatic``; nil for none.
    /// - Returns: its path.
    /// - Throws: a finding of code `workerUnavailable` if there is none.
    func path(in directory: String?) throws(PluginFinding) -> String {
        switch self {
        case .program(let path):
            guard path.hasPrefix("/") else {
                throw PluginFinding(
                    .workerUnavailable, filePath: path,
                    message: "The path of the worker program, \(quoted(path)), is not absolute.",
                    remedy: "Give an absolute path in IsolationPolicy.worker.")
            }
            return path
        case .hostExecutable: return try Self.hostProgram()
        case .automatic:
            if let installed = Self.installed(in: directory) { return installed }
            return try Self.hostProgram()
        }
    }

    private static func installed(in directory: String?) -> String? {
        let library = LoadedLibraries.path(containing: phs_own_address())
        let beside = library.flatMap(Path.resolved).map {
            Path.join(Path.parent(Path.parent($0)), "libexec/pluginhost")
        }
        return [directory, beside].compactMap(\.self).map { Path.join($0, fileName) }
            .first { access($0, F_OK) == 0 }
    }

    /// The application's own executable, in which the library then runs the worker.
    private static func hostProgram() throws(PluginFinding) -> String {
        // Without the library, the application would run twice.
        let images: StartUpLibraries
        do throws(WorkerFailure) { images = try StartUpLibraries.current() } catch {
            throw PluginFinding(error, program: StartUpLibraries.program, isSandboxed: false)
        }
        guard images.containThisLibrary else {
            throw PluginFinding(
                .workerUnavailable,
                message:
                    "There is no worker program, and the application's own executable cannot be one: it is not linked to this library.",
                remedy:
                    "Install “\(fileName)” and set HostEnvironment.workerPath to its directory, or link the library to the executable."
            )
        }
        return StartUpLibraries.program
    }
}
