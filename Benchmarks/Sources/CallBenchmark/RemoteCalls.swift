import CBareCalls
import Foundation
import Measuring
@_spi(PluginHost) import PluginABI
@_spi(Tools) import PluginHost
@_spi(Tools) import PluginWorkers

/// Calls an object in another process, and compares with the least that two processes need to take turns.
struct RemoteCalls {
    private let calls: Int
    private let filter: any Filter
    private let turns: OpaquePointer
    private let children: [Int32]

    private static let longest = 256 << 20

    /// - Parameters:
    ///   - calls: the number of calls in one round.
    ///   - isBound: whether all processes have one processor together; otherwise the other ones have the second.
    /// - Throws: the system call that failed.
    init(_ calls: Int, isBound: Bool) throws {
        self.calls = calls
        guard let turns = raw_turns_make() else { throw PluginFailure("There is no shared memory.") }
        self.turns = turns
        let link = try LaneLink(longest: Self.longest)
        // Otherwise the kernel decides, for each of both pairs, whether they use one processor or two.
        let theirs: Int32 = isBound ? 0 : 1
        // Before this process has threads.
        children = [
            Self.fork {
                raw_bind(theirs)
                raw_turns_serve(turns)
            },
            Self.fork {
                raw_bind(theirs)
                let server = RemoteServer { _ in FilterProxy.interface.servant(for: Echo()) }
                try! LaneLink.serve(server, descriptor: link.descriptor, longest: Self.longest)
                while true { pause() }
            },
        ]
        raw_bind(0)
        filter = try FilterProxy.interface.make(0, methods: FilterProxy.interface.methodNames, over: link.connection)
    }

    private static func fork(_ body: () -> Never) -> Int32 {
        let child = raw_fork()
        if child == 0 { body() }
        return child
    }

    func end() { for child in children { raw_end(child) } }

    /// The figures, with goals for one processor or for two.
    func figures(isBound: Bool) throws -> [Figure] {
        let place = isBound ? "one processor" : "two processors"
        let short = String(repeating: "x", count: 32)
        let long = String(repeating: "x", count: 4_096)
        var figures = [
            Figure("32 bytes, \(place)", try ratio(short), goal: isBound ? 1.4 : 0.15),
            Figure("4 KiB, \(place)", try ratio(long), goal: isBound ? 1.5 : nil),
        ]
        if isBound {
            let (here, there) = try allocations(short)
            figures.append(Figure("allocations of the caller, with the result's", here, Figure.count, goal: 3))
            figures.append(Figure("allocations of the worker, with the argument's", there, Figure.count, goal: 3))
        } else {
            figures.append(Figure("64 MiB there (two copies = 1)", try copyRatio(64 << 20), goal: 2))
        }
        return figures
    }

    /// The median of rounds that alternate, so that what else the machine does hits both.
    private func ratio(_ text: String) throws -> Double {
        var ratios: [Double] = []
        for round in -3..<41 {
            let raw = raw_turns_take(turns, Int32(calls))
            let start = now()
            for _ in 0..<calls where try filter.filter(text).utf8.count != text.utf8.count {
                throw PluginFailure("The answer is wrong.")
            }
            if round >= 0 { ratios.append(Double(now() - start) / Double(raw)) }
        }
        return ratios.sorted()[ratios.count / 2]
    }

    private func copyRatio(_ size: Int) throws -> Double {
        let bytes = [UInt8](repeating: 1, count: size)
        let middle = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 64)
        let to = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 64)
        defer {
            middle.deallocate()
            to.deallocate()
        }
        var ratios: [Double] = []
        for round in -1..<7 {
            let copies = bytes.withUnsafeBytes { raw_copies(to, middle, $0.baseAddress!, size) }
            let start = now()
            guard try filter.sum(bytes) == size else { throw PluginFailure("The answer is wrong.") }
            if round >= 0 { ratios.append(Double(now() - start) / Double(copies)) }
        }
        return ratios.sorted()[ratios.count / 2]
    }

    private func allocations(_ text: String) throws -> (here: Double, there: Double) {
        let count = 1_000
        let (here, there) = (bare_allocations(), try filter.allocations())
        for _ in 0..<count { _ = try filter.filter(text) }
        // The two calls of allocations() are few against the others.
        return (
            Double(bare_allocations() - here) / Double(count), Double(try filter.allocations() - there) / Double(count)
        )
    }
}

/// An interface as an application's API has it.
private protocol Filter: AnyObject {
    func filter(_ passage: String) throws -> String
    func sum(_ bytes: [UInt8]) throws -> Int
    func allocations() throws -> UInt64
}

/// The proxy, as `pluginhost remote` writes it.
private final class FilterProxy: Filter {
    private let remote: RemoteObject
    private init(_ remote: RemoteObject) { self.remote = remote }
    func filter(_ passage: String) throws -> String { try remote.call(0, passage) }
    func sum(_ bytes: [UInt8]) throws -> Int { try remote.call(1, bytes) }
    func allocations() throws -> UInt64 { try remote.call(2) }

    static let interface = RemoteInterface<any Filter>(
        proxy: { FilterProxy($0) },
        methods: [
            RemoteMethod("filter(_:)") { try $0.filter($1) },
            RemoteMethod("sum(_:)") { try $0.sum($1) },
            RemoteMethod("allocations()") { try $0.allocations() },
        ])
}

/// The plug-in's class.
private final class Echo: Filter {
    func filter(_ passage: String) -> String { passage }
    func sum(_ bytes: [UInt8]) -> Int { bytes.count }
    func allocations() -> UInt64 { bare_allocations() }
}
