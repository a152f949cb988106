import CBareCalls
import Foundation
import Measuring
import PluginABI
import PluginHost

/// Calls the same C functions by ffi_call() alone, and through a plug-in.
struct Calls {
    private let count: Int32
    private let bundle: PluginBundle

    /// `count`: the number of calls in one measurement.
    init(_ count: Int32) throws {
        self.count = count
        let folder = FileManager.default.temporaryDirectory.appending(path: "pluginhost-calls-\(getpid()).bundle")
        defer { try? FileManager.default.removeItem(at: folder) }
        try FileManager.default.createDirectory(
            at: folder.appending(path: "Contents"), withIntermediateDirectories: true)
        try "{ CFBundleIdentifier = \"org.example.Calls\"; }".write(
            to: folder.appending(path: "Contents/Info.plist"), atomically: true, encoding: .utf8)
        bundle = try PluginBundle.linked(at: folder.path) { host in
            let signatures: [(StaticString, StaticString, bare_code?)] = [
                ("add", "(int32, int32) -> int32", bare_add()),
                ("scale", "(double, double, double, double) -> double", bare_scale()),
            ]
            for (name, signature, code) in signatures {
                let status = Calls.register(name, signature, code, with: host)
                if status != PLUGIN_OK { return status }
            }
            return plugin_status(PLUGIN_OK)
        }
        try bundle.loadAndReturnError()
    }

    private static func register(
        _ name: StaticString, _ signature: StaticString, _ code: bare_code?, with host: UnsafePointer<plugin_host>
    ) -> plugin_status {
        func text(_ text: StaticString) -> plugin_string {
            plugin_string(
                ptr: UnsafeRawPointer(text.utf8Start).assumingMemoryBound(to: CChar.self), len: text.utf8CodeUnitCount)
        }
        var function = plugin_function(
            header: plugin_header(size: UInt32(MemoryLayout<plugin_function>.size), version: 1), name: text(name),
            signature: text(signature), code: code)
        return host.pointee.register_function(host, &function)
    }

    func figures() throws -> [Figure] {
        let add = try bundle.function("add", as: ((Int32, Int32) -> Int32).self)
        let scale = try bundle.function("scale", as: ((Double, Double, Double, Double) -> Double).self)
        let values = try bundle.function("add")
        let bareAdd = { Double(bare_call_add(count)) }
        let typedAdd = {
            var sum = 0
            for number in 0..<count { sum += Int(try add(number, 2)) }
            return Double(sum)
        }
        let bareScale = { bare_call_scale(count) }
        let typedScale = {
            var sum = 0.0
            for number in 0..<count { sum += try scale(Double(number), 0.5, 2, 3) }
            return sum
        }
        let valueAdd = {
            var sum: Int64 = 0
            for number in 0..<count { sum += try values(.int(Int64(number)), .int(2)).int64 ?? 0 }
            return Double(sum)
        }
        let times = try Self.times([bareAdd, typedAdd, bareScale, typedScale, valueAdd])
        let before = bare_allocations()
        _ = try typedAdd()
        let allocations = Double(bare_allocations() - before) / Double(count)
        return [
            Figure("bare ffi_call, two int32", times[0] / Double(count), "ns"),
            Figure("typed, two int32", times[1] / times[0], goal: 1.3),
            Figure("bare ffi_call, four double", times[2] / Double(count), "ns"),
            Figure("typed, four double", times[3] / times[2], goal: 1.3),
            Figure("with values in an array, two int32", times[4] / times[0]),
            Figure("allocations a typed call", allocations, Figure.count, goal: 0),
        ]
    }

    private struct WrongResult: Error {}

    /// The shortest time of each body.
    ///
    /// They are measured in turns, because other processes can only make a time longer. Bodies of the same function
    /// must have equal results.
    private static func times(_ bodies: [() throws -> Double]) throws -> [Double] {
        var least = bodies.map { _ in Double.infinity }
        for _ in 0..<9 {
            var results: [Double] = []
            for (index, body) in bodies.enumerated() {
                let start = now()
                results.append(try body())
                least[index] = min(least[index], Double(now() - start))
            }
            guard results[0] == results[1], results[2] == results[3], results[4] == results[0] else {
                throw WrongResult()
            }
        }
        return least
    }
}
