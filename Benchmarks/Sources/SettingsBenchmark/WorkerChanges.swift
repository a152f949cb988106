import Foundation
import Measuring
import PluginABI
import PluginHost

/// How soon the code of a plug-in in a worker sees a change: its loop over changes writes the time into a file.
struct WorkerChanges {
    private let folder: SettingsFolder
    private let bundle: PluginBundle
    private let settings: PluginSettings
    /// The time of the last change that the plug-in saw, and its number.
    private let seen: UnsafeMutableRawPointer

    init(_ folder: SettingsFolder) throws {
        self.folder = folder
        HostEnvironment.current.isolation.execution = { _ in .isolated }
        let products = URL(filePath: Child.thisProgram).deletingLastPathComponent()
        HostEnvironment.current.isolation.worker = .program(products.appending(path: "start-reference").path)
        // Root is not confined.
        if geteuid() == 0 { HostEnvironment.current.isolation.user = "nobody" }
        let file = folder.url.appending(path: "seen").path
        try Data(count: 16).write(to: URL(filePath: file))
        chmod(file, 0o666)
        let descriptor = open(file, O_RDWR)
        guard let memory = mmap(nil, 16, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0), memory != MAP_FAILED else {
            throw Child.Failure(description: "\(file) cannot be mapped")
        }
        seen = memory
        bundle = try folder.bundle(
            "Changing", code: products.appending(path: "libSettingsPlugin.so"),
            """
            { Type = PSTextFieldSpecifier; Key = step; DefaultValue = <*I0>; },
            { Type = PSTextFieldSpecifier; Key = file; DefaultValue = "\(file)"; }
            """)
        guard let settings = try bundle.settings else { throw Child.Failure(description: "the bundle has no settings") }
        self.settings = settings
        try bundle.loadAndReturnError()
    }

    func figures(rounds: Int) throws -> [Figure] {
        var step = 0
        func times(_ count: Int, _ change: (Int) throws -> Void) throws -> Double {
            var times: [Double] = []
            for _ in 0..<count {
                step += 1
                try change(step)
                let changed = now()
                times.append(try wait(for: step, since: changed))
            }
            return times.sorted()[min(count - 1, count * 99 / 100)] / 1_000
        }
        // The first one waits for the thread of the watch.
        _ = try times(3) { try folder.store("{ Settings = { step = \($0); }; }", for: "Changing") }
        let renames = try times(rounds) { try folder.store("{ Settings = { step = \($0); }; }", for: "Changing") }
        // A plug-in may store twenty values a second, so these are fewer.
        let sets = try times(max(3, rounds / 10)) { try settings.set("step", to: .integer($0)) }
        bundle.unload()
        return [
            Figure("a worker sees a file of another process (p99)", renames, "us", goal: 5_000),
            Figure("a worker sees a value that was set (p99)", sets, "us", goal: 5_000),
        ]
    }

    /// - Returns: the nanoseconds from a time until the plug-in saw the change.
    private func wait(for step: Int, since changed: UInt64) throws -> Double {
        while seen.load(fromByteOffset: 8, as: UInt64.self) != UInt64(step) {
            guard now() - changed < 5_000_000_000 else {
                throw Child.Failure(description: "the plug-in does not see the change \(step)")
            }
            usleep(50)
        }
        let time = seen.load(as: UInt64.self)
        return time > changed ? Double(time - changed) : 0
    }
}
