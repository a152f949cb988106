import Foundation
import HostBasics
@_spi(PluginHost) import PluginABI
import TestSupport

/// What a method does that has no end but its cancellation.
///
/// - Returns: whether the call was cancelled; false after a wait longer than any test needs.
func untilCancelled() -> Bool {
    let limit = Wait.ofATest
    while !PluginCall.isCancelled, limit.sleep() {}
    return PluginCall.isCancelled
}

/// An interface with every kind of requirement, and its proxy as the generator writes it.
protocol Converter: AnyObject {
    var fileExtension: String { get }
    var title: String { get throws }
    func begin(_ order: Order) throws
    func convert(_ text: String, progress: RemoteCallback<Bool, Double>) throws -> String
    func total() throws -> Int
    func fetch(_ text: String, times: Int) async throws -> String
    func wait(until number: Int) async throws
    func render(into frame: RemoteBuffer, source: RemoteDescriptor) throws -> Int
    func open() throws -> RemoteDescriptor
    func perform(_ work: RemoteCallback<String, String, Int>) throws -> [String]
}

final class ConverterProxy: Converter {
    private let remote: RemoteObject
    private init(_ remote: RemoteObject) { self.remote = remote }
    /// For interfaces that a test declares; nothing but the object is used of them.
    init(_ remote: RemoteObject, _: Void) { self.remote = remote }
    var remoteForTests: RemoteObject { remote }

    var fileExtension: String { remote.constant(0) }
    var title: String { get throws { try remote.call(1) } }
    func begin(_ order: Order) throws { try remote.call(2, order) }
    func convert(_ text: String, progress: RemoteCallback<Bool, Double>) throws -> String {
        try remote.call(3, text, progress)
    }
    func total() throws -> Int { try remote.call(4) }
    func fetch(_ text: String, times: Int) async throws -> String { try await remote.callAsync(5, text, times) }
    func wait(until number: Int) async throws { try await remote.callAsync(6, number) }
    func render(into frame: RemoteBuffer, source: RemoteDescriptor) throws -> Int { try remote.call(7, frame, source) }
    func open() throws -> RemoteDescriptor { try remote.call(8) }
    func perform(_ work: RemoteCallback<String, String, Int>) throws -> [String] { try remote.call(9, work) }

    static let methods: [RemoteMethod<any Converter>] = [
        .constant("fileExtension") { $0.fileExtension },
        RemoteMethod("title") { try $0.title },
        RemoteMethod("begin(_:)") { try $0.begin($1) },
        RemoteMethod("convert(_:progress:)") { try $0.convert($1, progress: $2) },
        RemoteMethod("total()") { try $0.total() },
        RemoteMethod(async: "fetch(_:times:)") { try await $0.fetch($1, times: $2) },
        RemoteMethod(async: "wait(until:)") { try await $0.wait(until: $1) },
        RemoteMethod("render(into:source:)") { try $0.render(into: $1, source: $2) },
        RemoteMethod("open()") { try $0.open() },
        RemoteMethod("perform(_:)") { try $0.perform($1) },
    ]

    static let interface = RemoteInterface<any Converter>(proxy: { ConverterProxy($0) }, methods: methods)
}

/// The plug-in's class, whose methods do what the text demands.
final class TextConverter: Converter, @unchecked Sendable {
    // @unchecked because a lock guards what a callback could leave behind.
    let fileExtension = "txt"
    private let lock = NSLock()
    private var kept: RemoteCallback<Bool, Double>?
    private var received: [Order] = []

    struct Unknown: Error, CustomStringConvertible {
        var description = "a reason of the plug-in's own"
    }

    var title: String { "Grüße" }

    func begin(_ order: Order) throws {
        guard order.name != "none" else {
            throw PluginFailure("There is no order.", remedy: "Order something.", code: 7)
        }
        lock.withLock { received.append(order) }
    }

    func total() throws -> Int { lock.withLock { received.reduce(0) { $0 + $1.pieces.count } } }

    func convert(_ text: String, progress: RemoteCallback<Bool, Double>) throws -> String {
        switch text {
        case "unknown": throw Unknown()
        case "refused": throw Unknown(description: "/etc/shadow: \(String(cString: strerror(EACCES)))")
        case "keep": lock.withLock { kept = progress }
        case "use": return try "\(lock.withLock { kept }!(1))"
        case "elsewhere":
            // The callback is used by another thread while the method runs.
            let done = DispatchSemaphore(value: 0)
            nonisolated(unsafe) var result: Result<Bool, any Error>?
            Thread {
                result = Result { try progress(0.25) }
                done.signal()
            }.start()
            done.wait(until: "the callback has run")
            return "\(try result!.get())"
        case "leave":
            // The method returns while another thread is in the callback.
            let begun = DispatchSemaphore(value: 0)
            Thread {
                begun.signal()
                _ = try? progress(0.75)
            }.start()
            begun.wait(until: "the thread runs")
            usleep(10_000)
        case "long": return String(repeating: "x", count: 2_000_000)
        case "endless": return untilCancelled() ? "cancelled" : "waited"
        default:
            for step in 1...4 where try !progress(Double(step) / 4) { return "stopped at \(step)" }
        }
        return text.uppercased()
    }

    func fetch(_ text: String, times: Int) async throws -> String {
        if times < 0 { throw PluginFailure("Less than nothing.") }
        try await Task.sleep(for: .milliseconds(1))
        return String(repeating: text, count: times)
    }

    func wait(until number: Int) async throws {
        while !Task.isCancelled { try await Task.sleep(for: .milliseconds(number)) }
        throw CancellationError()
    }

    func render(into frame: RemoteBuffer, source: RemoteDescriptor) throws -> Int {
        frame.withBytes { bytes in read(source.descriptor, bytes.baseAddress, bytes.count) }
    }

    func open() throws -> RemoteDescriptor {
        try RemoteDescriptor(duplicating: Foundation.open("/dev/null", O_RDONLY))
    }

    func perform(_ work: RemoteCallback<String, String, Int>) throws -> [String] {
        do { return [try work("a", 1), try work("b", 2)] } catch let failure as PluginFailure {
            return [failure.message]
        }
    }
}

extension RemoteServer {
    /// Creates converters; the provider 1 fails.
    static func ofConverters(_ interface: RemoteInterface<any Converter> = ConverterProxy.interface) -> RemoteServer {
        RemoteServer { provider in
            guard provider == 0 else { throw PluginFailure("The provider \(provider) does not work.", code: 3) }
            return interface.servant(for: TextConverter())
        }
    }
}
