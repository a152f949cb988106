import Foundation
import HostBasics
import TestSupport
import Testing

@_spi(Tools) @testable import PluginHost
@_spi(Tools) @testable import PluginWorkers

/// Plug-ins that another Swift toolchain built; the faults have the numbers of docs/faults.md.
///
/// The other toolchain is this one by another name: a copy of the test program, in which that name and the identifier of
/// the build are other bytes, is its runtime.
@Suite(.serialized, .timeLimit(.minutes(10))) struct WorkerRuntimeTests {
    static let toolchain = "K" + PluginNote.hostToolchain.dropFirst()

    /// A directory with a runtime, which is removed with the object.
    final class Runtime {
        let directory: String

        init() throws {
            directory = NSTemporaryDirectory() + "runtime-\(UUID().uuidString)"
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
            // By another process, for the reason in copyProgram().
            let python = Process()
            python.executableURL = URL(filePath: "/usr/bin/env")
            python.arguments = [
                "python3", "-c", Self.script, "/proc/\(getpid())/exe", directory + "/pluginhost-worker",
                PluginNote.hostToolchain, WorkerRuntimeTests.toolchain,
                LibraryFingerprint.current.split(separator: " ").last.map(String.init) ?? "",
            ]
            try python.run()
            python.waitUntilExit()
            try #require(python.terminationStatus == 0)
        }

        deinit { try? FileManager.default.removeItem(atPath: directory) }

        private static let script = """
            import os, sys
            source, path, own, other, build = sys.argv[1:]
            data = open(source, "rb").read()
            assert own.encode() in data
            data = data.replace(own.encode(), other.encode())
            if len(build) == 40:
                number = bytes.fromhex(build)
                assert number in data
                data = data.replace(number, bytes(reversed(number)))
            open(path, "wb").write(data)
            os.chmod(path, 0o755)
            os.chmod(os.path.dirname(path), 0o755)
            """
    }

    private static func mismatch(_ plugin: GadgetPlugin) throws -> PluginError {
        let error = #expect(throws: PluginError.self) { try plugin.bundle.loadAndReturnError() }
        let found = try #require(error)
        #expect(found.code == .toolchainMismatch && found.bundlePath == plugin.bundle.bundlePath)
        #expect(found.description.contains(Self.toolchain) && found.description.contains(PluginNote.hostToolchain))
        #expect(PluginWorker.all.allSatisfy { !$0.bundles.contains(plugin.bundle) })
        return found
    }

    @Test(.fault(427)) func withoutARuntimeBothToolchainsAndBothRemediesAreNamed() async {
        await #expect(processExitsWith: .success) {
            HostEnvironment.current.runtimes = ["/nowhere", NSTemporaryDirectory(), "relative"]
            for execution in ["any", "isolated", "sandboxed"] {
                let plugin = try GadgetPlugin(execution: execution, toolchain: Self.toolchain)
                let error = try Self.mismatch(plugin)
                // A check reports the same, once.
                #expect(plugin.bundle.findings().filter { $0.code == .toolchainMismatch } == error.findings)
                #expect(plugin.bundle.runtimeFindings()?.runtime == nil)
                #expect(error.description.contains("no runtime of that toolchain is installed"), "\(error)")
                #expect(error.description.contains("Build the plug-in with the toolchain of the application."))
                #expect(error.description.contains("HostEnvironment.runtimes"))
            }
        }
    }

    @Test func codeOfAnotherToolchainRunsInAWorkerOfItsRuntime() async {
        await #expect(processExitsWith: .success) {
            let runtime = try Runtime()
            HostEnvironment.current.runtimes = ["/nowhere", runtime.directory]
            // Nobody demands that it is isolated.
            let plugin = try GadgetPlugin(execution: "any", toolchain: Self.toolchain)
            // A check says where it runs, and finds no error.
            try plugin.bundle.preflight()
            let findings = plugin.bundle.findings().filter { $0.code == .toolchainMismatch }
            #expect(findings.map(\.severity) == [.warning])
            #expect(findings.first?.message.contains(Path.resolved(runtime.directory)!) == true, "\(findings)")
            let process = try plugin.make().process()
            #expect(process != getpid())
            let program = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(process)/exe")
            #expect(program == Path.resolved(runtime.directory)! + "/pluginhost-worker")
            let worker = try #require(PluginWorker.all.first { $0.processIdentifier == process })
            #expect(worker.start.placement.execution == .isolated)
            // Code of the application's own toolchain has nothing to do with the runtime.
            let own = try GadgetPlugin("GadgetOfThisToolchain", execution: "isolated")
            let other = try own.make().process()
            let otherProgram = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(other)/exe")
            #expect(otherProgram != program)
        }
    }

    @Test(.enabled(if: OtherUser.canConfine)) func aRuntimeIsSandboxedToo() async {
        await #expect(processExitsWith: .success) {
            let runtime = try Runtime()
            HostEnvironment.current.runtimes = [runtime.directory]
            HostEnvironment.current.isolation.execution = { _ in .sandboxed }
            if geteuid() == 0 { HostEnvironment.current.isolation.user = "nobody" }
            let plugin = try GadgetPlugin(execution: "any", toolchain: Self.toolchain)
            let gadget = try plugin.make()
            let process = try gadget.process()
            let worker = try #require(PluginWorker.all.first { $0.processIdentifier == process })
            #expect(worker.start.placement.runtime != nil && worker.start.isSandboxed)
            #expect(worker.confinement.enforced.contains(.systemCalls))
        }
    }

    @Test(.fault(427)) func whereItIsNotIsolatedItIsRefused() async {
        await #expect(processExitsWith: .success) {
            let runtime = try Runtime()
            HostEnvironment.current.runtimes = [runtime.directory]
            let fixed = try Self.mismatch(try GadgetPlugin(execution: "in-process", toolchain: Self.toolchain))
            #expect(!fixed.description.contains("HostEnvironment.runtimes"))
            HostEnvironment.current.isolation.foreignToolchain = .refuse
            _ = try Self.mismatch(try GadgetPlugin(execution: "any", toolchain: Self.toolchain))
            let error = try Self.mismatch(try GadgetPlugin(execution: "isolated", toolchain: Self.toolchain))
            #expect(error.description.contains("the application refuses plug-ins of other toolchains"), "\(error)")
        }
    }

    @Test func aRuntimeWithoutANoteOrOfAnotherToolchainIsNotUsed() async {
        await #expect(processExitsWith: .success) {
            let folder = NSTemporaryDirectory() + "runtimes-\(UUID().uuidString)"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(atPath: folder) }
            try copyProgram("/bin/true", to: folder + "/pluginhost-worker")
            HostEnvironment.current.runtimes = [folder]
            #expect(WorkerRuntime.all.isEmpty)
            HostEnvironment.current.runtimes += ["/nowhere", "relative", "/usr"]
            let places = WorkerRuntimePlace.all
            #expect(places.map(\.directory) == [folder, "/nowhere", "relative", "/usr"])
            #expect(places[0].problem?.contains("no note of the toolchain") == true)
            #expect(places[1].problem?.contains("does not exist") == true)
            #expect(places[2].problem?.contains("must be absolute") == true)
            #expect(places[3].problem?.contains("no program") == true)
            let plugin = try GadgetPlugin(execution: "any", toolchain: Self.toolchain)
            #expect(try Self.mismatch(plugin).description.contains("no runtime of that toolchain"))
            // One that is there and cannot be started is named with the reason.
            let disabled = try Runtime()
            #expect(chmod(disabled.directory + "/pluginhost-worker", 0o644) == 0)
            HostEnvironment.current.runtimes += [disabled.directory]
            let problem =
                "The program “pluginhost-worker” cannot be executed: Permission denied. "
                + ErrorNumber.remedy(EACCES, to: .start)
            #expect(WorkerRuntimePlace.all.last?.problem == problem)
            let message = try Self.mismatch(plugin).description
            #expect(message.contains("“\(disabled.directory)” is none: \(problem)"), "\(message)")
            // After a failed load, a runtime that was installed meanwhile is found.
            let runtime = try Runtime()
            HostEnvironment.current.runtimes += [runtime.directory]
            #expect(WorkerRuntime.all.map(\.toolchain) == [Self.toolchain])
            #expect(try plugin.make().process() != getpid())
        }
    }
}
