import Foundation
import PluginABI
import PluginHost

/// The ways of loading a plug-in that are compared.
enum Way: String, CaseIterable {
    /// dlopen(), dlsym() and the entry with a table that accepts everything: the lower limit.
    case raw
    /// A bundle whose manifest was read before: checks, load, registration, notification.
    case known
    /// Everything: opening the bundle, reading Info.plist, checks, load, registration, notification.
    case whole
}

/// The least that a plug-in's entry needs.
enum RawHost {
    nonisolated(unsafe) private static let swift: UnsafeMutablePointer<plugin_swift_host> = {
        let table = UnsafeMutablePointer<plugin_swift_host>.allocate(capacity: 1)
        table.initialize(
            to: plugin_swift_host(
                header: plugin_header(size: UInt32(MemoryLayout<plugin_swift_host>.size), version: 1),
                begin: { _, _ in plugin_status(PLUGIN_OK) }, commit: { _, _ in plugin_status(PLUGIN_OK) }))
        return table
    }()

    nonisolated(unsafe) private static let host: UnsafeMutablePointer<plugin_host> = {
        let nothing = plugin_string(ptr: nil, len: 0)
        let table = UnsafeMutablePointer<plugin_host>.allocate(capacity: 1)
        table.initialize(
            to: plugin_host(
                header: plugin_header(size: UInt32(MemoryLayout<plugin_host>.size), version: 1),
                magic: UInt64(PLUGIN_ABI_MAGIC), abi_major: UInt32(PLUGIN_ABI_MAJOR), abi_minor: 0, name: nothing,
                version: nothing, opaque_self: nil, register_factory: { _, _ in 0 }, register_function: { _, _ in 0 },
                set_error: { _, _, _, _, _ in }, log: { _, _, _ in }, alloc: { _, size in malloc(size) },
                free: { _, memory in free(memory) }, get_extension: { _, _ in UnsafeRawPointer(RawHost.swift) }))
        return table
    }()

    static func load(_ path: String) {
        guard let handle = path.withCString({ dlopen($0, RTLD_NOW | RTLD_LOCAL) }),
            let symbol = dlsym(handle, "plugin_entry")
        else {
            fatalError("dlopen: \(dlerror().map { String(cString: $0) } ?? path)")
        }
        typealias Entry = @convention(c) (UnsafePointer<plugin_host>) -> plugin_status
        let status = unsafeBitCast(symbol, to: Entry.self)(host)
        precondition(status == PLUGIN_OK, "the entry of \(path) returned \(status)")
    }
}

/// One process: loads copies in turn by each way, so that all see the same number of images.
struct Round {
    let count: Int

    /// Each way follows each other one equally often, because one load leaves data in the processor's caches for the next.
    private static let order: [Way] = [.raw, .known, .whole, .raw, .whole, .known]

    private func way(_ index: Int) -> Way { Self.order[index % Self.order.count] }

    func run() throws {
        let copies = Copies(folder: URL(filePath: ProcessInfo.processInfo.environment["BENCHMARK_COPIES"] ?? "."))
        // The manifests are read before the clock runs.
        let bundles = try (0..<count).map { index in
            way(index) == .known ? try PluginBundle.open(path: copies.bundle(index).path) : nil
        }
        let paths = (0..<count).map { way($0) == .raw ? copies.executable($0) : copies.bundle($0).path }
        var times: [Way: [UInt64]] = [:]
        for index in 0..<count {
            let way = way(index)
            let start = DispatchTime.now().uptimeNanoseconds
            switch way {
            case .raw: RawHost.load(paths[index])
            case .known: try bundles[index]!.loadAndReturnError()
            case .whole:
                let bundle = try PluginBundle.open(path: paths[index])
                try bundle.loadAndReturnError()
            }
            times[way, default: []].append(DispatchTime.now().uptimeNanoseconds - start)
        }
        // The first loads do work that is needed once. With many loads, only the last ones show the cost at that number.
        for way in Way.allCases {
            let all = times[way]!.dropFirst(3)
            let last = all.suffix(60)
            print(way.rawValue, last.reduce(0, +) / UInt64(last.count))
        }
        print("first", times[.raw]![0])
    }
}
