import Glibc

/// The memory from which Swift metadata is read: the memory of the process, or the segments of a file.
protocol ELFMemory {
    func int32(at address: UInt64) -> Int32?
    /// A pointer that the dynamic linker fills in; a file does not contain its value.
    func pointer(at address: UInt64) -> UInt64?
    /// A NUL-terminated string.
    func text(at address: UInt64) -> String?
    /// The bytes of a mangled name; after each byte from 0x01 to 0x1F come the four bytes of a reference.
    func byte(at address: UInt64) -> UInt8?
}

/// The memory of this process.
///
/// It is read without any check: every address comes from a descriptor that the Swift runtime reads in the same way
/// when it searches for a type, in a loaded file whose code already runs. Descriptors are constant and never unmapped.
struct ProcessMemory: ELFMemory {
    package func int32(at address: UInt64) -> Int32? {
        UnsafeRawPointer(bitPattern: UInt(address))?.loadUnaligned(as: Int32.self)
    }
    package func pointer(at address: UInt64) -> UInt64? {
        UnsafeRawPointer(bitPattern: UInt(address))?.loadUnaligned(as: UInt64.self)
    }
    package func text(at address: UInt64) -> String? {
        UnsafePointer<CChar>(bitPattern: UInt(address)).map { String(cString: $0) }
    }
    package func byte(at address: UInt64) -> UInt8? {
        UnsafeRawPointer(bitPattern: UInt(address))?.load(as: UInt8.self)
    }
}

/// A context descriptor: the compiler's constant record of a module, an extension, a type or a protocol (Swift's
/// `ABI/Metadata.h`, TargetContextDescriptor and its subclasses).
///
/// Its references are relative: a signed 32-bit distance from the field itself to its target, so that the linker need
/// not change them; 0 means none. If the target may be in another file, a set lowest bit means that the distance leads
/// to a pointer to the target.
struct TypeContext<Memory: ELFMemory> {
    package let memory: Memory
    package let address: UInt64
    package let flags: UInt32

    package enum Kind: UInt32 {
        case module = 0
        case `extension` = 1
        case anonymous = 2
        case `protocol` = 3
        case opaqueType = 4
        case `class` = 16
        case structure = 17
        case enumeration = 18
    }

    // The offsets of the fields from the beginning of the descriptor; the flags are at 0.
    private static var parentField: UInt64 { 4 }
    /// For a module, a type and a protocol, the name; for an extension, the mangled name of the extended type.
    private static var nameField: UInt64 { 8 }
    private static var accessorField: UInt64 { 12 }

    init?(_ memory: Memory, at address: UInt64) {
        guard let flags = memory.int32(at: address) else { return nil }
        self.memory = memory
        self.address = address
        self.flags = UInt32(bitPattern: flags)
    }

    package var kind: Kind? { Kind(rawValue: flags & 0x1F) }
    /// Whether the type, or a type around it, has generic parameters: then there is no metadata without arguments.
    var isGeneric: Bool { flags & 0x80 != 0 }

    /// The name of a module, a type or a protocol.
    package var name: String? { nameAddress.flatMap { memory.text(at: $0) } }

    /// The address of the NUL-terminated name.
    var nameAddress: UInt64? { relative(Self.nameField) }

    /// The function that returns the type's metadata; nil in a file.
    package var accessor: UInt64? { relative(Self.accessorField) }

    package var parent: Self? {
        let field = address &+ Self.parentField
        guard let distance = memory.int32(at: field), distance != 0 else { return nil }
        return Self.target(memory, of: field, distance: distance, indirectBits: 1)
    }

    /// The maximum depth of nesting: a damaged file may contain a circle.
    private static var depthLimit: Int { 64 }

    /// The name of the type with its module and outer types: “Module.Outer.Inner”.
    ///
    /// Private and local types are in an anonymous context, which has no name and is left out, so the result may not be
    /// unique.
    package var qualifiedName: String? {
        // Not an array that is joined at the end, which takes several times as long for a load's few parts.
        var qualified: String?
        func prepend(_ name: String) { qualified = qualified.map { "\(name).\($0)" } ?? name }
        var context = self
        for _ in 0..<Self.depthLimit {
            switch context.kind {
            case .anonymous, .opaqueType: break
            case .extension: if let extended = context.extendedName { prepend(extended) }
            case .module, .protocol, .class, .structure, .enumeration:
                guard let name = context.name else { return nil }
                prepend(name)
                if context.kind == .module { return qualified }
            case nil: return nil
            }
            guard let parent = context.parent else { return nil }
            context = parent
        }
        return nil
    }

    /// The name of the type that an extension extends, without its module.
    ///
    /// A type in an extension of a type of the same module has that type as its parent; an extension appears only if
    /// the extended type is in another module.
    private var extendedName: String? {
        guard let name = relative(Self.nameField), let first = memory.byte(at: name) else { return nil }
        // A symbolic reference: 1 leads to a descriptor, 2 to a pointer to one (Swift's docs/ABI/Mangling.rst).
        if first == 1 || first == 2 {
            guard let distance = memory.int32(at: name &+ 1) else { return nil }
            let target = (name &+ 1) &+ UInt64(bitPattern: Int64(distance))
            guard let descriptor = first == 1 ? target : memory.pointer(at: target) else { return nil }
            return Self(memory, at: descriptor)?.name
        }
        guard let mangled = memory.text(at: name), let plain = SymbolNames.demangled("$s" + mangled) else { return nil }
        // “Swift.Array<A>”: the part after the last dot and before the arguments.
        let base = plain.prefix { $0 != "<" }
        return base.split(separator: ".").last.map(String.init)
    }

    // MARK: - References

    /// The target of a reference inside its file.
    private func relative(_ offset: UInt64) -> UInt64? {
        let field = address &+ offset
        guard let distance = memory.int32(at: field), distance != 0 else { return nil }
        return field &+ UInt64(bitPattern: Int64(distance))
    }

    private static func target(_ memory: Memory, of field: UInt64, distance: Int32, indirectBits: Int32) -> Self? {
        let target = field &+ UInt64(bitPattern: Int64(distance & ~indirectBits))
        guard distance & 1 == 0 else { return memory.pointer(at: target).flatMap { Self(memory, at: $0) } }
        return Self(memory, at: target)
    }

    /// Calls `body` with the descriptors that a section lists.
    ///
    /// The list has 32-bit references whose two lowest bits show whether they are indirect, and for types, whether they
    /// lead to an Objective-C class. `body`: returns false to stop.
    package static func each(in memory: Memory, at start: UInt64, length: UInt64, _ body: (Self) -> Bool) {
        var offset: UInt64 = 0
        while offset &+ 4 <= length {
            let field = start &+ offset
            offset += 4
            guard let distance = memory.int32(at: field), distance != 0, distance & 2 == 0 else { continue }
            guard let context = target(memory, of: field, distance: distance, indirectBits: 3) else { continue }
            guard body(context) else { return }
        }
    }

    /// The modules to which the listed descriptors belong.
    ///
    /// `__C` and similar names are left out: they represent types of C, which every file that uses them describes
    /// separately.
    package static func modules(in memory: Memory, sections: [(start: UInt64, length: UInt64)]) -> Set<String> {
        var names: Set<String> = []
        // Most descriptors share a parent: each is visited once, which also limits the cost of a hostile file.
        var seen: Set<UInt64> = []
        for section in sections {
            each(in: memory, at: section.start, length: section.length) { context in
                var context = context
                while seen.insert(context.address).inserted {
                    if context.kind == .module {
                        if let name = context.name, !name.isEmpty, !name.hasPrefix("__C"), name != "__ObjC" {
                            names.insert(name)
                        }
                        break
                    }
                    guard let parent = context.parent else { break }
                    context = parent
                }
                return true
            }
        }
        return names
    }
}
