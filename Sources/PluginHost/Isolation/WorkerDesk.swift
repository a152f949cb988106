@_spi(PluginHost) internal import PluginABI
import PluginWorkers

/// The functions that a host calls in a worker process, in addition to the plug-ins' own objects.
///
/// They are called like those of a remote interface. So a plug-in can request services of the host during its
/// activation, and a function can call the host's closures.
protocol WorkerDesk: Sendable {
    /// Activates a bundle whose entry was called.
    func activate(_ bundle: UInt32) throws -> ActivationOutcome

    /// Creates an object of a provider or a C factory, and releases it.
    ///
    /// - Parameters:
    ///   - bundle: the number of the bundle.
    ///   - name: the name under which the plug-in registered it.
    ///   - point: its extension point; empty for none.
    ///   - isFactory: whether it is a C factory.
    /// - Returns: the reason why it failed, or nil.
    /// - Throws: the reason why the process cannot be called.
    func makeObject(_ bundle: UInt32, _ name: String, _ point: String, _ isFactory: Bool) throws -> SentError?

    /// Calls a C function of a bundle.
    func call(_ bundle: UInt32, _ function: String, _ arguments: [SentValue]) throws -> FunctionOutcome
}

/// How the activation of a bundle ended.
struct ActivationOutcome: RemoteValue {
    /// The reason why it failed; nil if it succeeded.
    var failure: SentError?
    /// What did not prevent it.
    var warnings: [PluginFinding] = []

    func write(to writer: inout RemoteWriter) throws {
        try writer.write(failure)
        try writer.write(warnings.map(SentFinding.init))
    }

    static func read(from reader: inout RemoteReader) throws -> Self {
        Self(failure: try reader.next(), warnings: try reader.next([SentFinding].self).map(\.finding))
    }
}

/// How the call of a C function ended.
enum FunctionOutcome: RemoteValue {
    case returned(SentValue)
    case failed(SentError)

    func write(to writer: inout RemoteWriter) throws {
        switch self {
        case .returned(let value):
            try writer.write(case: 0)
            try writer.write(value)
        case .failed(let error):
            try writer.write(case: 1)
            try writer.write(error)
        }
    }

    static func read(from reader: inout RemoteReader) throws -> Self {
        switch try reader.caseNumber() {
        case 0: .returned(try reader.next())
        case 1: .failed(try reader.next())
        case let other: throw reader.unknownCase(other, of: Self.self)
        }
    }
}

/// The host's proxy of the desk.
final class WorkerDeskProxy: WorkerDesk {
    private let remote: RemoteObject

    private init(_ remote: RemoteObject) { self.remote = remote }

    func activate(_ bundle: UInt32) throws -> ActivationOutcome { try remote.call(0, bundle) }
    func call(_ bundle: UInt32, _ function: String, _ arguments: [SentValue]) throws -> FunctionOutcome {
        try remote.call(1, bundle, function, arguments)
    }
    func makeObject(_ bundle: UInt32, _ name: String, _ point: String, _ isFactory: Bool) throws -> SentError? {
        try remote.call(2, bundle, name, point, isFactory)
    }

    static let interface = RemoteInterface<any WorkerDesk>(
        proxy: { WorkerDeskProxy($0) },
        methods: [
            RemoteMethod("activate(_:)") { try $0.activate($1) },
            RemoteMethod(performingMethod) { try $0.call($1, $2, $3) },
            RemoteMethod("makeObject(_:_:_:_:)") { try $0.makeObject($1, $2, $3, $4) },
        ])

    /// The method that calls a function of a plug-in for the application.
    static let performingMethod = "call(_:_:_:)"

    /// The number of the desk among the providers of the process.
    static let number: UInt32 = 0

    /// The desk at the other end of a connection.
    ///
    /// Both ends have the same methods, because they are the same library, as was checked before.
    static func desk(over connection: any RemoteConnection) throws -> any WorkerDesk {
        try interface.make(number, methods: interface.methodNames, over: connection)
    }
}
