internal import CPluginSupport.Shims
@_spi(Tools) import ELFImages
import Glibc
import HostBasics

/// A worker program with the libraries that one Swift toolchain built, for plug-ins of that toolchain.
struct WorkerRuntime: Sendable, Hashable {
    /// The directory of the program.
    ///
    /// Its libraries are also here, unless the program finds them elsewhere.
    let directory: String
    /// The toolchain that the note of the program states.
    let toolchain: String

    var program: String { Path.join(directory, WorkerProgram.fileName) }

    /// The usable runtimes, those of ``HostEnvironment/runtimes`` first.
    ///
    /// Never a program in the bundle itself. The program installs the filter that restricts its own system calls, so
    /// its author decides whether there is a filter.
    static var all: [WorkerRuntime] { WorkerRuntimePlace.all.compactMap(\.runtime) }

    /// The directories in ``installationDirectory``, by name.
    fileprivate static var installed: [String] {
        guard let folder = installationDirectory,
            let names = try? OpenedDirectory(path: folder).names.map(OpenedDirectory.text)
        else { return [] }
        return names.filter { !$0.hasPrefix(".") }.sorted().map { Path.join(folder, $0) }
    }

    /// `pluginhost/runtimes` beside the library.
    static var installationDirectory: String? {
        LoadedLibraries.path(containing: phs_own_address()).flatMap(Path.resolved).map {
            Path.join(Path.parent($0), "pluginhost/runtimes")
        }
    }

    /// The directories that the program searches for libraries: its own, `lib` in it, and those in its run path.
    var libraryDirectories: [String] {
        let stated = (try? ELFFile(path: program))?.runPath?.split(separator: ":").map(String.init) ?? []
        let directories =
            [directory, Path.join(directory, "lib")]
            + stated.map { $0.replacing("${ORIGIN}", with: directory).replacing("$ORIGIN", with: directory) }
        var seen: Set<String> = []
        return directories.compactMap(Path.resolved).filter { seen.insert($0).inserted }
    }
}

/// A directory that was searched for a runtime, and the result.
@_spi(Tools) public struct WorkerRuntimePlace: Sendable {
    /// The directory, as the application names it or as it was found beside the library.
    public let directory: String
    /// The toolchain of its runtime; nil if it has no usable runtime.
    public var toolchain: String? { runtime?.toolchain }
    /// Why it has no usable runtime, as a sentence; nil if it has one.
    public let problem: String?

    let runtime: WorkerRuntime?

    fileprivate init(_ directory: String) {
        self.directory = directory
        var runtime: WorkerRuntime?
        var problem: String?
        if !directory.hasPrefix("/") {
            problem = "The path of a runtime must be absolute."
        } else if let path = Path.resolved(directory) {
            do {
                let program = Path.join(path, WorkerProgram.fileName)
                if let toolchain = try PluginNote(ofFile: program)?.toolchain {
                    if access(program, X_OK) == 0 {
                        runtime = WorkerRuntime(directory: path, toolchain: toolchain)
                    } else {
                        let number = errno
                        problem = """
                            The program “\(WorkerProgram.fileName)” cannot be executed: \(describe(errno: number)). \
                            \(ErrorNumber.remedy(number, to: .start))
                            """
                    }
                } else {
                    problem = "The program “\(WorkerProgram.fileName)” has no note of the toolchain that built it."
                }
            } catch {
                problem = "It has no program “\(WorkerProgram.fileName)” that can be read."
            }
        } else {
            problem = "The directory does not exist, or cannot be opened."
        }
        self.runtime = runtime
        self.problem = problem
    }

    /// All directories that a load searches, in order: those of ``HostEnvironment/runtimes``, then those that are
    /// installed beside the library.
    ///
    /// **Threads.** Any. **Cost.** Reads the head and the notes of each worker program.
    public static var all: [WorkerRuntimePlace] {
        (HostEnvironment.current.runtimes + WorkerRuntime.installed).map(WorkerRuntimePlace.init)
    }
}

extension PluginBundle {
    /// The toolchain that built the code, if it differs from this library's toolchain and nothing else keeps the code
    /// from being loaded here; nil otherwise.
    ///
    /// The note in the file states it. Nil for a file that cannot be read: its load reports the failure.
    var foreignToolchain: String? {
        guard let executable = try? openExecutable() else { return nil }
        let inspection = ELFInspector.inspectQuickly(
            executable.file, path: executable.path, bundlePath: bundlePath)
        guard let note = inspection.note, note.isSwift, let toolchain = note.toolchain,
            toolchain != PluginNote.hostToolchain,
            inspection.findings.allSatisfy({ $0.severity != .error || $0.code == .toolchainMismatch })
        else { return nil }
        return toolchain
    }

    /// The placement of code that another toolchain built: in a worker of that toolchain's runtime.
    ///
    /// - Throws: ``PluginError`` of code `toolchainMismatch` if there is no such runtime, or if the application refuses
    ///   such code, or if the code cannot run in a worker.
    func placement(ofToolchain toolchain: String) throws(PluginError) -> Placement {
        guard manifest.executionRequest != .inProcess else {
            throw foreign(
                toolchain, "it cannot run in a worker process, because its PHExecution is “in-process”", Self.rebuild)
        }
        var placement = try placement(atLeast: .isolated)
        guard placement.isolatesForeignToolchains else {
            throw foreign(toolchain, "the application refuses plug-ins of other toolchains", Self.rebuild)
        }
        guard let runtime = WorkerRuntime.all.first(where: { $0.toolchain == toolchain }) else {
            let place = WorkerRuntime.installationDirectory.map { ", or put it into \(quoted($0))" } ?? ""
            // The commonest mistake is a runtime that exists but cannot be used.
            let unusable = WorkerRuntimePlace.all.compactMap { place in
                place.problem.map { " \(quoted(place.directory)) is none: \($0)" }
            }
            throw foreign(
                toolchain, "no runtime of that toolchain is installed", details: unusable.joined(),
                """
                \(Self.rebuild) Or install its runtime, a directory with a “\(WorkerProgram.fileName)” that the toolchain of \
                the plug-in built: name it in HostEnvironment.runtimes\(place).
                """)
        }
        placement.runtime = runtime
        return placement
    }

    /// The findings of a load about code that another toolchain built.
    ///
    /// - Returns: the directory of the runtime that would run the code, with a warning; or no directory, with the
    ///   errors of a load. Nil if no other toolchain built the code.
    @_spi(Tools) public func runtimeFindings() -> (runtime: String?, findings: [PluginFinding])? {
        guard let toolchain = foreignToolchain else { return nil }
        do throws(PluginError) {
            let directory = try placement(ofToolchain: toolchain).runtime!.directory
            let message = """
                \(quoted(executablePath ?? bundlePath)) was compiled by \(quoted(toolchain)), this host by \
                \(quoted(PluginNote.hostToolchain)): it runs in a worker process of the runtime \(quoted(directory)).
                """
            return (
                directory,
                [
                    PluginFinding(
                        .warning, .toolchainMismatch, filePath: executablePath, subject: toolchain, message: message,
                        remedy: "\(Self.rebuild) Then calls of it need no other process.")
                ]
            )
        } catch {
            return (nil, error.findings)
        }
    }

    private static let rebuild = "Build the plug-in with the toolchain of the application."

    private func foreign(
        _ toolchain: String, _ reason: String, details: String = "", _ remedy: String
    ) -> PluginError {
        PluginError(
            bundlePath: bundlePath,
            PluginFinding(
                .toolchainMismatch, filePath: executablePath, subject: toolchain,
                message: """
                    \(quoted(executablePath ?? bundlePath)) was compiled by \(quoted(toolchain)), the application by \
                    \(quoted(PluginNote.hostToolchain)), and \(reason).\(details)
                    """,
                remedy: remedy))
    }
}
