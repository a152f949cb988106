@_spi(Tools) import ELFImages
import Glibc
import HostBasics

/// A worker program with the libraries that one Swift toolchain built, for plug-ins of that toolchain.
package struct WorkerRuntime: Sendable, Hashable {
    /// The directory of the program.
    ///
    /// Its libraries are also here, unless the program finds them elsewhere.
    package let directory: String
    /// The toolchain that the note of the program states.
    package let toolchain: String

    var program: String { Path.join(directory, WorkerProgram.fileName) }

    /// The directories in ``installationDirectory``, by name.
    fileprivate static var installed: [String] {
        guard let folder = installationDirectory,
            let names = try? OpenedDirectory(path: folder).names.map(OpenedDirectory.text)
        else { return [] }
        return names.filter { !$0.hasPrefix(".") }.sorted().map { Path.join(folder, $0) }
    }

    /// `pluginhost/runtimes` beside the library.
    package static var installationDirectory: String? {
        OwnLibrary.directory.map { Path.join($0, "pluginhost/runtimes") }
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
public struct WorkerRuntimePlace: Sendable {
    /// The directory, as the application names it or as it was found beside the library.
    public let directory: String
    /// The toolchain of its runtime; nil if it has no usable runtime.
    public var toolchain: String? { runtime?.toolchain }
    /// Why it has no usable runtime, as a sentence; nil if it has one.
    public let problem: String?

    package let runtime: WorkerRuntime?

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

    /// All directories that a load searches, in order: those of the application, then those that are installed beside
    /// the library.
    ///
    /// Never a directory in a bundle. The program installs the filter that restricts its own system calls, so its author
    /// decides whether there is a filter.
    ///
    /// **Threads.** Any. **Cost.** Reads the head and the notes of each worker program.
    package static func all(of application: [String]) -> [WorkerRuntimePlace] {
        (application + WorkerRuntime.installed).map(WorkerRuntimePlace.init)
    }
}
