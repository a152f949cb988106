import HostBasics
import InterfaceRecords

/// The requirements of a protocol, from its descriptor (Swift's `ABI/Metadata.h`, TargetProtocolDescriptor).
struct ProtocolRequirements<Memory: ELFMemory> {
    private let context: TypeContext<Memory>
    /// The number of requirements: each inherited protocol, associated type, method and accessor counts as one.
    package let count: Int
    private let start: UInt64

    /// A larger number is invalid: no protocol has as many requirements, but a damaged file may contain any number.
    private static var limit: Int32 { 4096 }

    init?(_ memory: Memory, at address: UInt64) {
        guard let context = TypeContext(memory, at: address), context.kind == .protocol,
            let constraints = memory.int32(at: address &+ 12), let count = memory.int32(at: address &+ 16),
            0...Self.limit ~= constraints, 0...Self.limit ~= count
        else { return nil }
        self.context = context
        self.count = Int(count)
        start = address &+ 24 &+ UInt64(constraints) &* 12
    }

    package var name: String? { context.qualifiedName }
    /// Whether only classes can conform (Swift's ProtocolContextDescriptorFlags, bit 0: “any type”).
    var isClassOnly: Bool { context.flags >> 16 & 1 == 0 }
    /// Whether the protocol's module has library evolution (bit 1).
    var hasEvolution: Bool { context.flags >> 16 & 2 != 0 }

    /// What a requirement is.
    func kind(_ index: Int) -> RequirementKind? {
        context.memory.int32(at: address(of: index)).flatMap(RequirementKind.init)
    }

    /// The address of the record of a requirement, by which conformances refer to it.
    package func address(of index: Int) -> UInt64 { start &+ UInt64(index) &* 8 }

    /// Whether there is a default implementation for conformances that were compiled before the requirement was added.
    func hasDefault(_ index: Int) -> Bool { context.memory.int32(at: address(of: index) &+ 4) != 0 }

    /// Whether a witness table contains the address of a function at this position.
    ///
    /// False for inherited protocols, associated types, asynchronous functions and coroutines.
    func isFunction(_ index: Int) -> Bool {
        guard let flags = context.memory.int32(at: address(of: index)) else { return false }
        return 1...4 ~= flags & 0xF && flags & 0x20 == 0
    }
}

/// The conformance of a type to a protocol, as the compiler recorded it in the file that contains the conformance
/// (Swift's `ABI/Metadata.h`, TargetProtocolConformanceDescriptor).
struct Conformance<Memory: ELFMemory> {
    /// A reference to a descriptor, or to a pointer to one if the descriptor may be in another file.
    package enum Reference {
        case target(UInt64)
        case pointer(UInt64)
    }

    /// The protocol's requirements when the conformance was compiled, as far as the record states them.
    enum Witnesses {
        /// A witness for each named requirement: the protocol's module has library evolution.
        case named([Reference])
        /// The number of requirements: the table is completed at its first use.
        case counted(Int)
        /// A constant table of unknown length, at an address.
        case table(UInt64)
    }

    package let memory: Memory
    package let address: UInt64
    private let flags: UInt32

    init?(_ memory: Memory, at address: UInt64) {
        guard let flags = memory.int32(at: address &+ 12) else { return nil }
        self.memory = memory
        self.address = address
        self.flags = UInt32(bitPattern: flags)
    }

    /// Calls `body` with each conformance that a section lists, as 32-bit distances.
    package static func each(in memory: Memory, at start: UInt64, length: UInt64, _ body: (Self) -> Void) {
        for field in stride(from: start, to: start &+ (length & ~3), by: 4) {
            guard let distance = memory.int32(at: field), distance != 0,
                let conformance = Self(memory, at: field &+ UInt64(bitPattern: Int64(distance)))
            else { continue }
            body(conformance)
        }
    }

    /// The start addresses of the constant witness tables of a section, sorted: each conformance is compared with all
    /// of them.
    package static func tables(in memory: Memory, at start: UInt64, length: UInt64) -> [UInt64] {
        var tables: [UInt64] = []
        each(in: memory, at: start, length: length) { if let table = $0.table { tables.append(table) } }
        return tables.sorted()
    }

    /// Whether another of the `tables` begins at an address where this table would have one of its `count` entries.
    static func endsEarly(_ table: UInt64, count: Int, among tables: [UInt64]) -> Bool {
        let entries = (table &+ 8)..<(table &+ 8 &+ UInt64(count) &* 8)
        let next = tables.indices.partitioningIndex { tables[$0] >= entries.lowerBound }
        return next < tables.count && entries.contains(tables[next])
    }

    /// The protocol's descriptor.
    var protocolReference: Reference? { reference(at: address) }

    /// The conforming type with its module; nil if it is not a Swift type.
    package var typeName: String? {
        guard let field = reference(at: address &+ 4) else { return nil }
        // For this reference, the record's flags and not the lowest bit state whether it leads to a pointer.
        let target: UInt64? =
            switch (flags >> 3 & 7, field) {
            case (0, .target(let place)): place
            case (1, .target(let place)): memory.pointer(at: place)
            default: nil
            }
        return target.flatMap { TypeContext(memory, at: $0) }?.qualifiedName
    }

    /// The size in bytes of the fields that every record has.
    private static var fixedSize: UInt64 { 16 }
    private static var witnessLimit: Int32 { 4096 }

    var witnesses: Witnesses? {
        let place = fixedEnd
        if flags & 1 << 16 != 0 {
            guard let count = memory.int32(at: place), 0...Self.witnessLimit ~= count else { return nil }
            return .named(
                (0..<UInt64(count)).compactMap { reference(at: place &+ 4 &+ $0 &* 8) })
        }
        if flags & 1 << 17 != 0 {
            guard let sizes = memory.int32(at: place) else { return nil }
            // In words; the first word points to this record.
            return .counted(Int(sizes & 0xFFFF) - 1)
        }
        return table.map(Witnesses.table)
    }

    /// The functions in this file that implement the named requirements.
    var implementations: [UInt64] {
        guard let place = namedWitnesses, let count = memory.int32(at: place), 0...Self.witnessLimit ~= count else {
            return []
        }
        return (0..<UInt64(count)).compactMap { index in
            let field = place &+ 8 &+ index &* 8
            guard let distance = memory.int32(at: field), distance != 0 else { return nil }
            return field &+ UInt64(bitPattern: Int64(distance))
        }
    }

    /// The address of the number of named witnesses, after which they follow.
    private var namedWitnesses: UInt64? { flags & 1 << 16 != 0 ? fixedEnd : nil }

    /// The end of the fields that every record has, and of those about its conditions.
    private var fixedEnd: UInt64 {
        var place = address &+ Self.fixedSize
        if flags & 1 << 6 != 0 { place += 4 }  // the module of a retroactive conformance
        place += UInt64(flags >> 8 & 0xFF) * 12  // conditions
        place += UInt64(flags >> 24) * 8  // packs in conditions
        return place
    }

    /// The witness table, or the constant part of one that is completed at its first use.
    var pattern: UInt64? {
        guard let distance = memory.int32(at: address &+ 8), distance != 0 else { return nil }
        return address &+ 8 &+ UInt64(bitPattern: Int64(distance))
    }

    /// Whether the type is a class; nil if it is not a Swift type of this file.
    var isOfClass: Bool? {
        guard flags >> 3 & 7 == 0, case .target(let place)? = reference(at: address &+ 4),
            let kind = TypeContext(memory, at: place)?.kind
        else { return nil }
        return kind == .class
    }

    /// The constant witness table of a conformance that records neither witnesses nor a number of requirements.
    private var table: UInt64? {
        flags & 3 << 16 == 0 ? pattern : nil
    }

    private func reference(at field: UInt64) -> Reference? {
        guard let distance = memory.int32(at: field), distance != 0 else { return nil }
        let target = field &+ UInt64(bitPattern: Int64(distance & ~1))
        return distance & 1 == 0 ? .target(target) : .pointer(target)
    }
}
