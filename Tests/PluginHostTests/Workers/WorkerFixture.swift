import BundleReading
import CPluginSupport.Shims
import Foundation
import HostBasics
import TestSupport
import Testing

@testable import PluginHost
@testable import PluginWorkers

/// A bundle without code, and workers for it that run in the test's own executable.
final class WorkerFixture {
    let bundle: PluginBundle
    let directory: URL

    /// - Parameter execution: the value of `PHExecution`; nil for none.
    /// - Throws: the error of writing it.
    init(execution: String? = nil) throws {
        directory = OtherUser.temporaryDirectory.appending(path: "worker-\(UUID().uuidString)")
        let path = directory.appending(path: "Plain.bundle")
        try FileManager.default.createDirectory(at: path.appending(path: "Contents"), withIntermediateDirectories: true)
        let request = execution.map { "<key>PHExecution</key><string>\($0)</string>" } ?? ""
        let identifier = "<key>CFBundleIdentifier</key><string>org.example.plain</string>"
        try Data("<plist><dict>\(identifier)\(request)</dict></plist>".utf8)
            .write(to: path.appending(path: "Contents/Info.plist"))
        // The worker of a sandbox has another user where the tests run as root.
        for place in [directory, path] {
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: place.path)
        }
        bundle = try PluginBundle.open(path: path.path)
    }

    deinit { try? FileManager.default.removeItem(at: directory) }

    /// Where the tests place a bundle.
    func placement(_ execution: PluginExecution = .isolated) -> Placement {
        var placement = Placement(execution: execution)
        placement.settings.program = .hostExecutable
        if geteuid() == 0, execution == .sandboxed { placement.settings.user = OtherUser.name }
        return placement
    }

    func start(_ execution: PluginExecution = .isolated) throws -> PluginWorker {
        try PluginWorker.start(placement(execution), for: bundle)
    }

    /// A program in the place of the worker program.
    ///
    /// - Parameter text: of a shell script.
    /// - Returns: the choice of this program.
    /// - Throws: the error of writing it.
    func program(_ text: String) throws -> WorkerProgram {
        let path = directory.appending(path: "program-\(UUID().uuidString)")
        let source = path.path + ".text"
        try Data("#!/bin/sh\n\(text)\n".utf8).write(to: URL(filePath: source))
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: source)
        try copyProgram(source, to: path.path)
        return .program(path.path)
    }
}

extension PluginWorker {
    /// Waits until it has ended and nothing of it is left.
    func waitForEnd() -> WorkerEnd? {
        let limit = Wait.ofATest
        while !values.withLock(\.isCleaned), limit.sleep() {}
        return end
    }
}

extension PluginWorker {
    func load(_ bundle: PluginBundle) throws(PluginError) -> (number: UInt32, report: LoadedReport) {
        try load(bundle.info, settings: bundle.bundleSettings.update) { [] }
    }
}

extension PluginInfo {
    /// A plug-in without files.
    static func named(_ identifier: String) -> PluginInfo {
        PluginInfo(identifier: identifier, path: "/x", executablePath: nil, manifestPath: "/x/Info.plist")
    }
}

/// The application's log, for what workers report.
let applicationLog: WorkerHost.Log = { level, bundleIdentifier, message in
    HostEnvironment.current.log(HostLogRecord(level: level, bundleIdentifier: bundleIdentifier, message: message))
}

extension WorkerStart {
    init(_ placement: Placement, for bundle: PluginBundle) { self.init(placement, for: bundle.info, of: .current) }
}

extension WorkerSupervisor {
    /// A worker for a bundle where its placement demands one.
    func session(for bundle: PluginBundle) throws(PluginError) -> PluginWorker {
        try session(for: bundle.info, bundle.placement()) { .current }
    }
}
