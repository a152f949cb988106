import Foundation
import Testing

@testable import PluginHost
@testable import PluginWorkers

/// Plug-ins that are tried in confined worker processes.
@Suite(.serialized, .enabled(if: OtherUser.canConfine), .timeLimit(.minutes(5))) struct PluginProbeTests {
    @Test func aProbeNamesItsStepsAndLeavesNothing() async {
        await #expect(processExitsWith: .success) {
            if geteuid() == 0 { HostEnvironment.current.isolation.user = "nobody" }
            HostEnvironment.current.loadStep = { _, step in
                Issue.record("A probe is no load of the application, and has reported the step \(step).")
            }
            let plugin = try CrashingPlugin(execution: "any")
            let report = try await PluginProbe.run(plugin.bundle)
            #expect(report.error == nil)
            #expect(report.steps.map(\.name) == ["start", "load", "activate", "deactivate"])
            #expect(report.confinement.enforced.isSuperset(of: [.files, .systemCalls, .network]))
            #expect(!plugin.bundle.isLoaded && plugin.bundle.loadError == nil)
            for worker in PluginWorker.all { #expect(worker.waitForEnd()?.cause == .host) }
        }
    }

    @Test func anEndOfTheProcessIsTheErrorOfTheProbe() async {
        await #expect(processExitsWith: .success) {
            if geteuid() == 0 { HostEnvironment.current.isolation.user = "nobody" }
            let places: [(CrashingPlugin.Place, PluginError.Code, [String])] = [
                (.constructor, .workerEnded, ["start"]), (.entry, .workerEnded, ["start"]),
                (.activate, .workerEnded, ["start", "load"]),
                (.deactivate, .callTimedOut, ["start", "load", "activate"]),
            ]
            for (place, code, steps) in places {
                let plugin = try CrashingPlugin(place)
                // The usual time is also that of the steps before, for which a busy machine may need it.
                let report = try await PluginProbe.run(plugin.bundle, time: .seconds(120))
                #expect(report.error?.code == code && report.error?.bundlePath == plugin.bundle.bundlePath, "\(place)")
                #expect(report.steps.map(\.name) == steps, "\(place)")
            }
        }
    }

    @Test func nothingCanBeTriedWithoutCode() async throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "probe-\(UUID().uuidString)/A.bundle")
        defer { try? FileManager.default.removeItem(at: directory.deletingLastPathComponent()) }
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        try Data("{ CFBundleIdentifier = \"org.example.A\"; }".utf8)
            .write(to: directory.appending(path: "Info.plist"))
        let bundle = try PluginBundle.open(path: directory.path)
        let error = await #expect(throws: PluginError.self) { try await PluginProbe.run(bundle) }
        #expect(error?.code == .notCode)
    }
}
