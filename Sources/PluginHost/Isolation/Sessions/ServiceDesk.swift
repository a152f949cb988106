@_spi(PluginHost) internal import PluginABI

/// Where the plug-ins of a worker process ask the host for services.
protocol ServiceDesk: Sendable {
    /// Finds a service for a bundle.
    ///
    /// - Parameters:
    ///   - bundle: the host's number for the bundle that asks.
    ///   - point: the extension point.
    ///   - version: its version.
    ///   - released: the objects of the host that the process no longer uses.
    /// - Returns: where it is.
    /// - Throws: why the host cannot be asked.
    func find(_ bundle: UInt32, _ point: String, _ version: UInt32, released: [UInt32]) throws -> ServiceOffer
}

/// Where a service is, for a worker process.
enum ServiceOffer: RemoteValue {
    /// Nobody provides it.
    case none
    /// In the host: created with a number, and with these methods.
    case inHost(UInt32, methods: [String])
    /// In the same process: the provider of a name, of a bundle with a number.
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

/// The desk as the worker has it.
final class ServiceDeskProxy: ServiceDesk {
    private let remote: RemoteObject

    private init(_ remote: RemoteObject) { self.remote = remote }

    func find(_ bundle: UInt32, _ point: String, _ version: UInt32, released: [UInt32]) throws -> ServiceOffer {
        try remote.call(0, bundle, point, version, released)
    }

    static let interface = RemoteInterface<any ServiceDesk>(
        proxy: { ServiceDeskProxy($0) },
        methods: [RemoteMethod("find(_:_:_:released:)") { try $0.find($1, $2, $3, released: $4) }])

    /// The number of the desk among what the host creates for a worker.
    static let number: UInt32 = 0
}
