import ForeignCalls
@_spi(PluginHost) internal import PluginABI

/// An argument or result of a C function on its way between two processes.
///
/// An address means nothing in another process, so pointers are refused.
struct SentValue: RemoteValue {
    let value: ForeignValue

    init(_ value: ForeignValue) { self.value = value }

    private typealias Callback = RemoteCallback<SentValue, [SentValue]>

    func write(to writer: inout RemoteWriter) throws {
        switch value {
        case .void: try writer.write(case: 0)
        case .null: try writer.write(case: 1)
        case .bool(let value): try Self.write(2, value, &writer)
        case .int(let value): try Self.write(3, value, &writer)
        case .uint(let value): try Self.write(4, value, &writer)
        case .float(let value): try Self.write(5, value, &writer)
        case .double(let value): try Self.write(6, value, &writer)
        case .string(let value): try Self.write(7, value, &writer)
        case .bytes(let value): try Self.write(8, value, &writer)
        case .structure(let fields): try Self.write(9, fields.map(SentValue.init), &writer)
        case .callback(let callback):
            let remote = Callback { arguments in
                // The closure of a callback that was released meanwhile does nothing, as within one process.
                SentValue(try callback.body?(arguments.map(\.value)) ?? .void)
            }
            try Self.write(10, remote, &writer)
        case .pointer: throw RemoteFailure(.callRefused, "An address cannot be passed to another process.")
        }
    }

    private static func write(_ number: UInt16, _ value: some RemoteValue, _ writer: inout RemoteWriter) throws {
        try writer.write(case: number)
        try writer.write(value)
    }

    static func read(from reader: inout RemoteReader) throws -> Self {
        switch try reader.caseNumber() {
        case 0: Self(.void)
        case 1: Self(.null)
        case 2: Self(.bool(try reader.next()))
        case 3: Self(.int(try reader.next()))
        case 4: Self(.uint(try reader.next()))
        case 5: Self(.float(try reader.next()))
        case 6: Self(.double(try reader.next()))
        case 7: Self(.string(try reader.next()))
        case 8: Self(.bytes(try reader.next()))
        case 9: Self(.structure(try reader.next([SentValue].self).map(\.value)))
        case 10:
            try callback(&reader)
        case let other: throw reader.unknownCase(other, of: ForeignValue.self)
        }
    }

    private static func callback(_ reader: inout RemoteReader) throws -> Self {
        let callback: Callback = try reader.next()
        return Self(.callback { try callback($0.map(SentValue.init)).value })
    }
}
