public import InterfaceRecords

extension LibraryInterfaces {
    /// What the symbols and descriptors of a library alone state, for a comparison with another one of its kind.
    ///
    /// With library evolution, each requirement of a protocol has a symbol; without it, only the kinds are known, and each
    /// is named by its place. The code of functions is not known, nor which types are frozen.
    ///
    /// - Parameters:
    ///   - linked: the library.
    ///   - hasFields: whether to read the stored properties and cases from the reflection metadata, which both libraries
    ///     must have. Without it, only the methods of classes and the cases of enums are known, as far as they have symbols.
    /// - Returns: the interfaces of its modules.
    public static func bySymbols(of linked: LinkedFile, hasFields: Bool) -> InterfaceRecord {
        let file = linked.library
        var fields = hasFields ? FieldRecords(of: file) : nil
        var symbols = InterfaceSymbols(of: file)
        var record = InterfaceRecord()
        for module in file.modules { record.modules[module] = .init(hasEvolution: false, isOfSymbols: true) }
        if let section = file.section(named: "swift5_protocols"), section.size <= FileMemory.sectionLimit {
            let memory = FileMemory(file)
            TypeContext.each(in: memory, at: section.address, length: section.size) { context in
                guard let found = ProtocolRequirements(memory, at: context.address), let name = found.name else {
                    return true
                }
                let module = String(name.prefix { $0 != "." })
                var interface = InterfaceRecord.Interface(isClassOnly: found.isClassOnly, requirements: [])
                for index in 0..<found.count {
                    if found.hasDefault(index) { interface.defaults.append(index) }
                    let kind = found.kind(index)?.description ?? "a requirement"
                    interface.requirements.append(
                        symbols.requirement(at: found.address(of: index), of: name)
                            ?? "requirement \(index + 1), \(kind)")
                }
                record.modules[module]?.hasEvolution = found.hasEvolution
                record.modules[module]?.interfaces[name] = interface
                return true
            }
        }
        if let section = file.section(named: "swift5_type_metadata"), section.size <= FileMemory.sectionLimit {
            TypeContext.each(in: FileMemory(file), at: section.address, length: section.size) { context in
                if let name = context.qualifiedName, let kind = context.layoutKind, symbols.types.contains(name) {
                    record.modules[String(name.prefix { $0 != "." })]?.types[name] = .init(
                        kind: kind, entries: fields?.entries(of: context) ?? [])
                }
                return true
            }
        }
        for module in record.modules.keys { symbols.add(to: &record, module, hasFields: fields != nil) }
        return record
    }

    /// Whether a library has the reflection metadata of its types, or has no type.
    public static func hasFields(_ linked: LinkedFile) -> Bool {
        let file = linked.library
        return FieldRecords.arePresent(in: file) || file.section(named: "swift5_type_metadata") == nil
    }
}

/// The exported Swift symbols of a library, readable.
private struct InterfaceSymbols {
    /// What descriptors describe, by their addresses.
    private var described: [UInt64: String] = [:]
    /// Functions and cases.
    private var names: [String] = []
    private var addresses: [UInt64] = []
    /// The public types.
    private(set) var types: Set<String> = []

    private static let limit = 1 << 20
    private static let method = "method descriptor for "
    private static let enumCase = "enum case for "
    private static let type = "nominal type descriptor for "

    init(of file: ELFFile) {
        guard let symbols = file.symbols else { return }
        for index in symbols.numbers(atMost: Self.limit) where symbols[index].isExported {
            let name = symbols.name(of: symbols[index])
            guard name.hasPrefix("$s"), let plain = SymbolNames.demangledUnestimated(name) else { continue }
            let address = symbols[index].value
            for word in [
                Self.method, "associated type descriptor for ", "associated conformance descriptor for ",
                "base conformance descriptor for ",
            ]
            where plain.hasPrefix(word) {
                described[address] = plain
            }
            if plain.hasPrefix(Self.type) { types.insert(String(plain.dropFirst(Self.type.count))) }
            names.append(plain)
            addresses.append(address)
        }
    }

    /// The requirement whose descriptor is at an address.
    func requirement(at address: UInt64, of interface: String) -> String? {
        guard let text = described[address] else { return nil }
        if text.hasPrefix(Self.method) {
            return InterfaceText.requirement(String(text.dropFirst(Self.method.count)), of: interface)
        }
        // “base conformance descriptor for API.Filter: API.Root”
        let parts = text.split(separator: ": ", maxSplits: 1)
        if text.hasPrefix("base"), parts.count == 2 { return InterfaceText.inherited + parts[1] }
        if text.hasPrefix("associated type") {
            return InterfaceText.associatedType + (text.split(separator: ".").last ?? "")
        }
        return InterfaceText.condition + (text.firstRange(of: "for ").map { String(text[$0.upperBound...]) } ?? text)
    }

    /// Adds the functions of a module, the methods of its classes, and if the fields are not known, the cases of its enums as
    /// far as they have symbols.
    mutating func add(to record: inout InterfaceRecord, _ module: String, hasFields: Bool) {
        var methods: [String: [(UInt64, String)]] = [:]
        var cases: [String: [String]] = [:]
        for (name, address) in zip(names, addresses) {
            if name.hasPrefix(Self.method) {
                let (container, member) = InterfaceText.divided(String(name.dropFirst(Self.method.count)))
                guard let container, container.hasPrefix(module + "."),
                    record.modules[module]?.interfaces[container] == nil
                else { continue }
                methods[container, default: []].append((address, member))
            } else if name.hasPrefix(Self.enumCase) {
                let (container, member) = InterfaceText.divided(String(name.dropFirst(Self.enumCase.count)))
                guard let container, container.hasPrefix(module + ".") else { continue }
                cases[container, default: []].append(member)
            }
        }
        for (name, found) in methods {
            record.modules[module]?.types[name]?.entries += found.sorted { $0.0 < $1.0 }.map(\.1)
        }
        for (name, found) in cases where !hasFields { record.modules[module]?.types[name]?.entries = found.sorted() }
        var functions: [String: InterfaceRecord.Function] = [:]
        for name in names
        where Self.isFunction(name, of: module) && !(record.modules[module]?.isOverridable(name) ?? false) {
            functions[name] = .init()
        }
        record.modules[module]?.functions = functions
    }

    /// Whether a readable symbol is a function itself, and not a descriptor, an accessor of metadata or a thunk.
    private static func isFunction(_ name: String, of module: String) -> Bool {
        var text = name[...]
        if text.hasPrefix("static ") { text = text.dropFirst("static ".count) }
        if text.hasPrefix("(extension in \(module)):") { return true }
        return text.hasPrefix(module + ".") && (text.contains("(") || text.contains(" : "))
    }
}

extension TypeContext {
    /// What a type is; nil for anything else.
    fileprivate var layoutKind: InterfaceRecord.Layout.Kind? {
        switch kind {
        case .structure: .structure
        case .enumeration: .enumeration
        case .class: .class
        default: nil
        }
    }
}
