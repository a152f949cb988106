import BundleReading
internal import CPluginSupport
import ELFImages
import ForeignCalls
import HostBasics
internal import PluginABI

/// A parsed ``CRemoteTable``: the type and the offset of each field of the table.
struct CTableLayout: Sendable {
    enum Kind: Sendable {
        case constant(ForeignType)
        case function(ForeignSignature, outputs: [Output])
    }

    /// An argument that is the address to which the function writes bytes.
    struct Output: Sendable {
        let argument: Int
        let size: Size
    }

    enum Size: Sendable {
        case bytes(Int)
        /// The value of the constant with this number.
        case constant(Int)
    }

    struct Field: Sendable {
        let name: String
        let kind: Kind
        let offset: Int
        let end: Int
    }

    /// A fault in the application's description.
    struct Fault: Error {
        let field: String
        /// The end of a sentence about the field.
        let reason: String
    }

    let fields: [Field]

    /// The most bytes that a function may write to one address.
    static let mostOutputBytes = 64 << 20

    /// The size of the table in bytes.
    var size: Int { fields.last?.end ?? Self.header }

    private static let header = MemoryLayout<plugin_header>.size
    private static let alignment = MemoryLayout<UnsafeRawPointer>.alignment

    init(_ described: [CRemoteTable.Field]) throws(Fault) {
        var fields: [Field] = []
        var end = Self.header
        for field in described {
            guard !fields.contains(where: { $0.name == field.name }) else {
                throw Fault(field: field.name, reason: "stands there twice")
            }
            let kind = try Self.kind(of: field, in: described)
            let layout =
                switch kind {
                case .constant(let type): type.layout
                case .function: (size: MemoryLayout<UnsafeRawPointer>.size, alignment: Self.alignment)
                }
            let offset = (end + layout.alignment - 1) / layout.alignment * layout.alignment
            end = offset + layout.size
            fields.append(Field(name: field.name, kind: kind, offset: offset, end: end))
        }
        self.fields = fields
    }

    private static func kind(
        of field: CRemoteTable.Field, in described: [CRemoteTable.Field]
    ) throws(Fault) -> Kind {
        guard field.type.contains("(") else { return .constant(try constant(field)) }
        var reader = SignatureReader(field.type, isMethod: true)
        let signature: ForeignSignature
        do throws(ForeignSignature.Fault) { signature = try reader.read() } catch {
            throw Fault(field: field.name, reason: "is \(quoted(field.type)), \(error.reason)")
        }
        var outputs: [Output] = []
        for (argument, size) in reader.outputs.sorted(by: { $0.key < $1.key }) {
            outputs.append(Output(argument: argument, size: try Self.size(size, of: field, in: described)))
        }
        let crossing = signature.arguments.enumerated().filter { $0.offset > 0 && reader.outputs[$0.offset] == nil }
        for type in crossing.map(\.element) + [signature.result] {
            if type.callbackSignature != nil || type.bound != nil {
                throw Fault(
                    field: field.name,
                    reason: "has the type \(quoted(type.description)), whose values mean nothing in another process")
            }
        }
        return .function(signature, outputs: outputs)
    }

    private static func constant(_ field: CRemoteTable.Field) throws(Fault) -> ForeignType {
        let isOptional = field.type.hasSuffix("?")
        let type = ForeignType.words[isOptional ? String(field.type.dropLast()) : field.type]
        switch type {
        case nil, .void, .pointer:
            throw Fault(
                field: field.name,
                reason: """
                    is \(quoted(field.type)), which is neither the type of a constant nor the signature of a function
                    """)
        case .string?, .bytes?: return isOptional ? .optional(type!) : type!
        case let number?:
            if !isOptional { return number }
            throw Fault(field: field.name, reason: "is \(quoted(field.type)), but a number cannot be NULL")
        }
    }

    private static func size(
        _ text: String, of field: CRemoteTable.Field, in described: [CRemoteTable.Field]
    ) throws(Fault) -> Size {
        if let bytes = Int(text), 1...mostOutputBytes ~= bytes { return .bytes(bytes) }
        let numbers: Set = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
        if let constant = described.firstIndex(where: { $0.name == text && numbers.contains($0.type) }) {
            return .constant(constant)
        }
        throw Fault(
            field: field.name,
            reason: """
                has \(quoted("out \(text)")), which is neither a number of bytes up to \(mostOutputBytes) nor a field with \
                a whole number
                """)
    }

    /// How many bytes a function writes to an address.
    ///
    /// - Parameters:
    ///   - size: the size in the description.
    ///   - constants: the values of the fields.
    /// - Returns: the number; nil if the constant is missing or out of range.
    static func bytes(_ size: Size, _ constants: [ForeignValue?]) -> Int? {
        switch size {
        case .bytes(let count): return count
        case .constant(let field):
            guard let count = constants[field]?.uint64, count <= UInt64(mostOutputBytes) else { return nil }
            return Int(count)
        }
    }
}
