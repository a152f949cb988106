import CPluginSupport.Shims
import Foundation
import HostBasics
import TestSupport
import Testing

@testable import PluginHost

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
        placement.program = .hostExecutable
        if geteuid() == 0, execution == .sandboxed { placement.user = OtherUser.name }
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

/// How many descriptors of this process lead to something whose name contains a text.
///
/// Why not all descriptors: other tests open and close theirs at the same time.
func openDescriptorCount(of text: String) -> Int {
    let folder = "/proc/self/fd"
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.count { name in
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\(name)"))?.contains(text) == true
    }
}

/// Whether a number of descriptors of this process lead to something whose name contains a text, now or soon.
///
/// Why soon: the thread that watches workers may still hold the last one when another thread learns its end.
func descriptorsBecome(_ count: Int, of text: String) -> Bool {
    let limit = Wait.ofATest
    while openDescriptorCount(of: text) != count {
        if !limit.sleep() { return false }
    }
    return true
}
