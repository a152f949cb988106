import BundleReading
@_spi(Tools) import ELFImages
import HostBasics
public import PluginWorkers

extension WorkerRuntimePlace {
    /// All directories that a load searches, in order: those of ``HostEnvironment/runtimes``, then those that are
    /// installed beside the library.
    ///
    /// **Threads.** Any. **Cost.** Reads the head and the notes of each worker program.
    @_spi(Tools) public static var all: [WorkerRuntimePlace] { all(of: HostEnvironment.current.runtimes) }
}

extension WorkerRuntime {
    /// The usable runtimes, those of ``HostEnvironment/runtimes`` first.
    static var all: [WorkerRuntime] { WorkerRuntimePlace.all.compactMap(\.runtime) }
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
        guard placement.settings.isolatesForeignToolchains else {
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
