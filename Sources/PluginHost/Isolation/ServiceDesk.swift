@_spi(PluginHost) internal import PluginABI
import PluginWorkers

/// The interface through which the plug-ins of a worker process request services of the host.
protocol ServiceDesk: Sendable {
    /// Finds a service for a bundle.
    ///
    /// - Parameters:
    ///   - bundle: the host's number for the bundle that asks.
    ///   - point: the extension point.
    ///   - version: its version.
    ///   - released: the objects of the host that the worker process no longer uses.
    /// - Returns: where the service is.
    /// - Throws: why the host cannot be called.
    func find(_ bundle: UInt32, _ point: String, _ version: UInt32, released: [UInt32]) throws -> ServiceOffer

    /// Stores a value of a bundle's settings for the user.
    ///
    /// - Parameters:
    ///   - bundle: the host's number for the bundle that asks.
    ///   - key: the setting.
    ///   - value: the new value; nil removes the user's.
    /// - Returns: the values after the change, or why nothing was changed.
    /// - Throws: why the host cannot be called.
    func store(_ bundle: UInt32, _ key: String, _ value: SettingScalar?) throws -> SettingsAnswer
}

/// The answer to a request to store a value of a setting.
enum SettingsAnswer: RemoteValue {
    case stored(SettingsUpdate)
    case failed(SentError)

    func write(to writer: inout RemoteWriter) throws {
        switch self {
        case .stored(let update):
            try writer.write(case: 0)
            try writer.write(update)
        case .failed(let error):
            try writer.write(case: 1)
            try writer.write(error)
        }
    }

    static func read(from reader: inout RemoteReader) throws -> Self {
        switch try reader.caseNumber() {
        case 0: .stored(try reader.next())
        case 1: .failed(try reader.next())
        case let other: throw reader.unknownCase(other, of: Self.self)
        }
    }
}

/// Where a service is, for a worker process.
enum ServiceOffer: RemoteValue {
    /// No provider exists.
    case none
    /// In the host: the number with which it is created, and the names of its methods.
    case inHost(UInt32, methods: [String])
    /// In the same process: the number of the bundle, and the name of the provider.
    case here(UInt32, String)
    case failed(SentError)

    func write(to writer: inout RemoteWriter) throws {
        switch self {
        case .none: try writer.write(case: 0)
        case .inHost(let number, let methods):
            try writer.write(case: 1)
            try writer.write(number)
            try writer.write(methods)
        case .here(let bundle, let name):
            try writer.write(case: 2)
            try writer.write(bundle)
            try writer.write(name)
        case .failed(let error):
            try writer.write(case: 3)
            try writer.write(error)
        }
    }

    static func read(from reader: inout RemoteReader) throws -> Self {
        switch try reader.caseNumber() {
        case 0: .none
        case 1: .inHost(try reader.next(), methods: try reader.next())
        case 2: .here(try reader.next(), try reader.next())
        case 3: .failed(try reader.next())
        case let other: throw reader.unknownCase(other, of: Self.self)
        }
    }
}

/// The worker's proxy of the desk.
final class ServiceDeskProxy: ServiceDesk {
    private let remote: RemoteObject

    private init(_ remote: RemoteObject) { self.remote = remote }

    func find(_ bundle: UInt32, _ point: String, _ version: UInt32, released: [UInt32]) throws -> ServiceOffer {
        try remote.call(0, bundle, point, version, released)
    }

    func store(_ bundle: UInt32, _ key: String, _ value: SettingScalar?) throws -> SettingsAnswer {
        try remote.call(1, bundle, key, value)
    }

    static let interface = RemoteInterface<any ServiceDesk>(
        proxy: { ServiceDeskProxy($0) },
        methods: [
            RemoteMethod("find(_:_:_:released:)") { try $0.find($1, $2, $3, released: $4) },
            RemoteMethod("store(_:_:_:)") { try $0.store($1, $2, $3) },
        ])

    /// The number of the desk among the objects that the host creates for a worker.
    static let number: UInt32 = 0
}
