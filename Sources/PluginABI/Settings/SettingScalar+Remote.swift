extension SettingScalar: RemoteValue {
    /// Writes the type and the value.
    public func write(to writer: inout RemoteWriter) throws {
        switch self {
        case .boolean(let value):
            try writer.write(case: 0)
            try writer.write(value)
        case .integer(let value):
            try writer.write(case: 1)
            try writer.write(value)
        case .real(let value):
            try writer.write(case: 2)
            try writer.write(value)
        case .text(let value):
            try writer.write(case: 3)
            try writer.write(value)
        }
    }

    /// Reads the type and the value.
    public static func read(from reader: inout RemoteReader) throws -> Self {
        switch try reader.caseNumber() {
        case 0: .boolean(try reader.next())
        case 1: .integer(try reader.next())
        case 2: .real(try reader.next())
        case 3: .text(try reader.next())
        case let other: throw reader.unknownCase(other, of: Self.self)
        }
    }
}
