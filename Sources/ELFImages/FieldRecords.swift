/// The stored properties and cases of the types of a file, from its reflection metadata (Swift's
/// `Reflection/Records.h`): the compiler's constant records by which `Mirror` finds names and types.
struct FieldRecords {
    private let memory: FileMemory
    /// For references to types of other files; nil if they cannot be read.
    private let relocations: FileRelocations?
    private var recordsLeft = FieldRecords.recordLimit

    /// Where a type's descriptor refers to its fields.
    private static let fieldsField: UInt64 = 16
    private static let headerSize: UInt64 = 16
    private static let recordSize: Int32 = 12
    /// The most fields of one type, and of all types together; no library has as many.
    private static let fieldLimit: Int32 = 4096
    private static let recordLimit = 1 << 18
    /// The longest mangled name of a type, in bytes.
    private static let nameLimit = 1024

    /// - Returns: nil if the file was compiled without reflection metadata, or has no type.
    init?(of file: ELFFile) {
        guard Self.arePresent(in: file) else { return nil }
        memory = FileMemory(file)
        relocations = FileRelocations(of: file)
    }

    /// Whether a file was compiled with reflection metadata and has a type.
    static func arePresent(in file: ELFFile) -> Bool {
        file.section(named: "swift5_fieldmd").map { $0.size > 0 } ?? false
    }

    /// The superclass, then the stored properties or cases in order, each as a record of interfaces has it.
    ///
    /// - Returns: nil if the type has no such record.
    mutating func entries(of type: TypeContext<FileMemory>) -> [String]? {
        guard let start = target(type.address &+ Self.fieldsField), let kind = memory.int32(at: start &+ 8),
            let count = memory.int32(at: start &+ 12), kind >> 16 == Self.recordSize, 0...Self.fieldLimit ~= count,
            Int(count) <= recordsLeft
        else { return nil }
        recordsLeft -= Int(count)
        var entries: [String] = []
        if type.kind == .class, let place = target(start &+ 4), let name = readable(at: place) {
            entries.append("superclass \(name)")
        }
        for number in 0..<UInt64(count) {
            let record = start &+ Self.headerSize &+ number &* UInt64(Self.recordSize)
            guard let flags = memory.int32(at: record), let place = target(record &+ 8),
                let name = memory.text(at: place)
            else { return nil }
            let form = target(record &+ 4).map { readable(at: $0) ?? "a type" }
            if type.kind == .enumeration {
                let values = form.map { $0.hasPrefix("(") ? $0 : "(\($0))" } ?? ""
                entries.append("\(flags & 1 != 0 ? "indirect " : "")\(name)\(values)")
            } else {
                entries.append("\(name): \(form ?? "a type")")
            }
        }
        return entries
    }

    /// The target of a relative reference; nil if it refers to nothing.
    private func target(_ field: UInt64) -> UInt64? {
        guard let distance = memory.int32(at: field), distance != 0 else { return nil }
        return field &+ UInt64(bitPattern: Int64(distance))
    }

    // MARK: - Names of types

    /// The readable form of a type's mangled name, in which references to descriptors take the place of names
    /// (Swift's docs/ABI/Mangling.rst, “Symbolic references”).
    private func readable(at address: UInt64) -> String? {
        var mangled = "$s"
        var next = address
        while mangled.utf8.count <= Self.nameLimit, let byte = memory.byte(at: next) {
            switch byte {
            case 0: return SymbolNames.demangledUnestimated(mangled)
            case 1...0x17:
                guard let place = target(next &+ 1), let name = mangledName(at: place, isPointer: byte == 2),
                    byte <= 2
                else { return nil }
                mangled += name
                next &+= 5
            case 0x18...0x1F: return nil
            default:
                mangled.unicodeScalars.append(Unicode.Scalar(byte))
                next &+= 1
            }
        }
        return nil
    }

    /// The mangled name of what a descriptor describes.
    private func mangledName(at place: UInt64, isPointer: Bool) -> String? {
        if !isPointer { return mangledName(of: place) }
        switch relocations?[place] {
        case .own(let descriptor): return mangledName(of: descriptor)
        case .symbol(let name):
            // The descriptor of a type (“Mn”) or protocol (“Mp”) of another file.
            guard name.hasPrefix("$s"), name.hasSuffix("Mn") || name.hasSuffix("Mp") else { return nil }
            return String(name.dropFirst(2).dropLast(2))
        case nil: return nil
        }
    }

    /// The most types around a type.
    private static let depthLimit = 64

    private func mangledName(of descriptor: UInt64) -> String? {
        var name = ""
        var context = TypeContext(memory, at: descriptor)
        for _ in 0..<Self.depthLimit {
            guard let current = context, let own = current.name, own.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
            let part = "\(own.utf8.count)\(own)"
            switch current.kind {
            case .module: return (own == "Swift" ? "s" : part) + name
            case .class: name = part + "C" + name
            case .structure: name = part + "V" + name
            case .enumeration: name = part + "O" + name
            case .protocol: name = part + name
            case .anonymous, .extension, .opaqueType, nil: return nil
            }
            context = current.parent
        }
        return nil
    }
}
