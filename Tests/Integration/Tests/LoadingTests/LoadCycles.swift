import Fixtures
import Foundation
import PluginABI
import PluginHost

/// A process that loads and unloads one bundle again and again.
enum LoadCycles {
    /// What is done with the bundle while it is loaded.
    enum Kind: String, CaseIterable, Codable, Sendable {
        case nothing, objectsOfC, objectsOfSwift
    }

    private final class Thing: Plugin, Sendable { init(context: PluginContext) throws {} }

    private static let point = ExtensionPoint<Thing>("org.example.cycled")
    private static let asking = ExtensionPoint<@Sendable () throws -> Thing>("org.example.cycled-asking")

    static func run(_ kind: Kind) throws {
        let info = ["PHUses": [point.name: 1]]
        let fixture = try BundleFixture("Cycled", info: info, code: kind == .objectsOfSwift ? .none : .c(Source.good))
        if kind == .objectsOfSwift {
            _ = try PluginBundle.linked(at: fixture.path) { host in
                registerPlugin(with: host) { plugin in
                    plugin.register(Thing.self)
                    plugin.provide(LoadCycles.point, named: "thing") { try Thing(context: $0) }
                    plugin.provide(LoadCycles.asking, named: "asking") { context in
                        { try context.service(LoadCycles.point) }
                    }
                }
            }
        }
        let bundle = try PluginBundle.open(path: fixture.path)
        func cycle(_ count: Int) throws {
            for _ in 0..<count {
                try bundle.loadAndReturnError()
                try use(bundle, kind)
                bundle.unload()
                try holds(bundle.liveObjects.isEmpty, "no object lives")
            }
        }
        try cycle(1000)
        let (descriptors, bytes) = (try descriptorCount(), try HeapUse.bytes())
        try cycle(10_000)
        let more = (try descriptorCount() - descriptors, try HeapUse.bytes() - bytes)
        // If each cycle lost one piece of memory of the smallest size, that would be 320,000 bytes.
        try holds(
            more.0 <= 0 && more.1 < 32_000, "10,000 cycles leave nothing, but \(more.0) descriptors, \(more.1) bytes")
    }

    private static func use(_ bundle: PluginBundle, _ kind: Kind) throws {
        switch kind {
        case .nothing: return
        case .objectsOfC: _ = try bundle.cProviders()[0].make()
        case .objectsOfSwift:
            _ = try bundle.providers(of: point)[0].make()
            _ = try bundle.makePrincipal(as: Thing.self)
            _ = try bundle.providers(of: asking)[0].make()()
        }
    }

    private static func descriptorCount() throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
    }
}

/// How many bytes malloc() has given and not got back.
///
/// This is exact, unlike the size of the process.
enum HeapUse {
    struct Unreadable: Error {}

    static func bytes() throws -> Int {
        // mallinfo2() returns a struct that Swift's Glibc module does not have.
        typealias Info = @convention(c) (CInt, UnsafeMutablePointer<FILE>) -> CInt
        guard let function = dlsym(nil, "malloc_info") else { throw Unreadable() }
        var buffer: UnsafeMutablePointer<CChar>?
        var length = 0
        guard let stream = open_memstream(&buffer, &length) else { throw Unreadable() }
        let status = unsafeBitCast(function, to: Info.self)(0, stream)
        fclose(stream)
        defer { free(buffer) }
        guard status == 0, let buffer else { throw Unreadable() }
        // The totals of all arenas come after the last of them.
        let text = String(cString: buffer)
        guard let end = text.range(of: "</heap>", options: .backwards)?.upperBound else { throw Unreadable() }
        func size(_ element: String) throws -> Int {
            guard let start = text[end...].range(of: element),
                let value = text[start.upperBound...].range(of: "size=\"")
            else { throw Unreadable() }
            return Int(text[value.upperBound...].prefix { $0.isNumber }) ?? 0
        }
        return try size("<system type=\"current\"") + size("type=\"mmap\"") - size("type=\"fast\"")
            - size("type=\"rest\"")
    }
}
