import HostBasics
@_spi(PluginHost) internal import PluginABI

/// The host's interface to an object of a C factory in a worker process.
protocol CObjectDesk: Sendable {
    /// Reads the constants of the table and finds its functions.
    ///
    /// - Parameter fields: the name and type of each field, as the application describes them.
    /// - Returns: the contents of the table.
    /// - Throws: the reason why the process cannot be asked.
    func describe(_ fields: [[String]]) throws -> CTableAnswer

    /// Calls a function of the table.
    ///
    /// - Parameters:
    ///   - field: the number of the field, after ``describe(_:)``.
    ///   - arguments: the ones that are sent: without the object and the addresses that the function writes to.
    /// - Returns: its result, and the bytes that it wrote.
    /// - Throws: the reason why the process cannot be asked.
    func call(_ field: UInt32, _ arguments: [SentValue]) throws -> CMethodOutcome
}

/// The answer to a request for the table of a C factory.
enum CTableAnswer: RemoteValue {
    /// The factory has no table.
    case none
    case table(CTableContents)
    case failed(SentError)

    func write(to writer: inout RemoteWriter) throws {
        switch self {
        case .none: try writer.write(case: 0)
        case .table(let contents):
            try writer.write(case: 1)
            try writer.write(contents.version)
            try writer.write(contents.fields)
        case .failed(let error):
            try writer.write(case: 2)
            try writer.write(error)
        }
    }

    static func read(from reader: inout RemoteReader) throws -> Self {
        switch try reader.caseNumber() {
        case 0: .none
        case 1: .table(CTableContents(version: try reader.next(), fields: try reader.next()))
        case 2: .failed(try reader.next())
        case let other: throw reader.unknownCase(other, of: Self.self)
        }
    }
}

struct CTableContents: Sendable {
    /// The version in the table's header.
    var version: UInt32
    /// For each field the value of a constant, or `void` for a function; nil for a field that the table does not have.
    var fields: [SentValue?]
}

/// How a call of a table function ended.
enum CMethodOutcome: RemoteValue {
    case returned(SentValue, outputs: [[UInt8]])
    case failed(SentError)

    func write(to writer: inout RemoteWriter) throws {
        switch self {
        case .returned(let value, let outputs):
            try writer.write(case: 0)
            try writer.write(value)
            try writer.write(outputs)
        case .failed(let error):
            try writer.write(case: 1)
            try writer.write(error)
        }
    }

    static func read(from reader: inout RemoteReader) throws -> Self {
        switch try reader.caseNumber() {
        case 0: .returned(try reader.next(), outputs: try reader.next())
        case 1: .failed(try reader.next())
        case let other: throw reader.unknownCase(other, of: Self.self)
        }
    }
}

/// The host's proxy of the object.
final class CObjectProxy: CObjectDesk {
    private let remote: RemoteObject

    private init(_ remote: RemoteObject) { self.remote = remote }

    func describe(_ fields: [[String]]) throws -> CTableAnswer { try remote.call(0, fields) }
    func call(_ field: UInt32, _ arguments: [SentValue]) throws -> CMethodOutcome {
        try remote.call(1, field, arguments)
    }

    static let interface = RemoteInterface<any CObjectDesk>(
        proxy: { CObjectProxy($0) },
        methods: [
            RemoteMethod("describe(_:)") { try $0.describe($1) },
            RemoteMethod(performingMethod) { try $0.call($1, $2) },
        ])

    /// The method that calls a function of the plug-in on behalf of the application.
    static let performingMethod = "call(_:_:)"
}
