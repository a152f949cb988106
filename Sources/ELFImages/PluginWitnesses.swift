import InterfaceRecords

/// What a compiled plug-in implements and needs of other modules, from its file: the protocols that its types conform to,
/// with the functions in the witness tables, in order, as far as the symbols for them were not stripped.
///
/// For tools.
///
/// **Threads.** Use a value on one thread only. **Cost.** Reads the symbol table and demangles some thousand names.
public struct PluginWitnesses {
    /// The conformance of a type to a protocol of another file.
    public struct Conformance: Sendable, Hashable {
        /// The type with its module, if it is a Swift type.
        public let type: String?
        /// The protocol with its module, such as `API.Filter`.
        public let interface: String
        /// Whether the protocol's module has library evolution: then the table has no order.
        public let hasEvolution: Bool
        /// The functions of the table, without the protocol's name; nil if the file has no symbols for them.
        ///
        /// Inherited protocols, associated types and their conditions have no symbols and are left out.
        public let functions: [String]?
    }

    /// The build-id in hexadecimal digits; nil if the linker wrote none.
    public let buildIdentifier: String?
    /// The conformances, in the order of the file.
    public private(set) var conformances: [Conformance] = []
    /// The readable names of Swift symbols that the file needs of others.
    public private(set) var neededNames: [String] = []
    /// The modules whose types or protocols the file defines.
    public let modules: Set<String>

    private static let symbolLimit = 1 << 20
    private static let slotLimit = 4096

    /// Reads the file of a plug-in or of a library.
    public init(of linked: LinkedFile) {
        let file = linked.library
        buildIdentifier = linked.buildIdentifier
        modules = file.modules
        readNeededNames(file)
        guard let section = file.section(named: "swift5_protocol_conformances"),
            section.size <= FileMemory.sectionLimit, let relocations = FileRelocations(of: file)
        else { return }
        let memory = FileMemory(file)
        let witnesses = WitnessSymbols(of: file)
        let starts = Set(ELFImages.Conformance.tables(in: memory, at: section.address, length: section.size))
        ELFImages.Conformance.each(in: memory, at: section.address, length: section.size) { conformance in
            guard case .pointer(let slot)? = conformance.protocolReference,
                case .symbol(let symbol)? = relocations[slot],
                let interface = SymbolNames.demangledUnestimated(symbol)?.removing(prefix: "protocol descriptor for ")
            else { return }
            let isNamed = if case .named? = conformance.witnesses { true } else { false }
            conformances.append(
                Conformance(
                    type: conformance.typeName, interface: interface, hasEvolution: isNamed,
                    functions: witnesses.map { symbols in
                        isNamed
                            ? symbols.named(conformance)
                            : symbols.inTable(
                                conformance, relocations, among: starts, interface: interface, limit: Self.slotLimit)
                    } ?? nil))
        }
    }

    private mutating func readNeededNames(_ file: ELFFile) {
        guard let symbols = file.symbols else { return }
        for index in symbols.numbers(atMost: Self.symbolLimit) where !symbols[index].isDefined {
            let name = symbols.name(of: symbols[index])
            if name.hasPrefix("$s"), let plain = SymbolNames.demangledUnestimated(name) { neededNames.append(plain) }
        }
    }
}

/// The symbols of witnesses (`…TW`), by their addresses.
private struct WitnessSymbols {
    /// The mangled names.
    private var names: [UInt64: String] = [:]
    private let memory: FileMemory

    private static let tableLimit: UInt64 = 32 << 20

    /// - Returns: nil if the file was stripped.
    init?(of file: ELFFile) {
        guard let symbols = file.section(named: ".symtab"), let strings = file.section(named: ".strtab"),
            let table = file.content(of: symbols, limit: Self.tableLimit),
            let text = file.content(of: strings, limit: Self.tableLimit)
        else { return nil }
        memory = FileMemory(file)
        // For an asynchronous witness, the table leads to a record with its code and the size of its memory.
        let endings = ["TW", "TWTu"].map { Array($0.utf8) }
        var names: [UInt64: String] = [:]
        table.withUnsafeBytes { table in
            text.withUnsafeBytes { text in
                for offset in stride(from: 0, to: table.count - table.count % ELF.symbolSize, by: ELF.symbolSize) {
                    let symbol = ELFSymbol(table, at: offset)
                    guard symbol.isDefined, Int(symbol.name) < text.count else { continue }
                    let rest = UnsafeRawBufferPointer(rebasing: text[Int(symbol.name)...])
                    guard let end = rest.offset(of: 0) else { continue }
                    let name = UnsafeRawBufferPointer(rebasing: rest[..<end])
                    for ending in endings where name.suffix(ending.count).elementsEqual(ending) {
                        names[symbol.value] = String(decoding: name, as: UTF8.self)
                    }
                }
            }
        }
        if names.isEmpty { return nil }
        self.names = names
    }

    /// The requirement that a witness is for, and its protocol.
    private func requirement(at address: UInt64) -> (text: String, interface: String)? {
        guard let name = names[address], let plain = SymbolNames.demangledUnestimated(name) else { return nil }
        return Self.requirement(in: plain)
    }

    /// Reads “protocol witness for API.Filter.run() -> () in conformance Plug.F : API.Filter in Plug”.
    static func requirement(in plain: String) -> (text: String, interface: String)? {
        let (begin, middle) = ("protocol witness for ", " in conformance ")
        guard let start = plain.firstRange(of: begin)?.upperBound, let place = plain.ranges(of: middle).last,
            start <= place.lowerBound
        else { return nil }
        let conformance = plain[place.upperBound...]
        guard let colon = conformance.ranges(of: " : ").last, let module = conformance.ranges(of: " in ").last,
            colon.upperBound <= module.lowerBound
        else { return nil }
        let interface = String(conformance[colon.upperBound..<module.lowerBound])
        return (InterfaceText.requirement(String(plain[start..<place.lowerBound]), of: interface), interface)
    }

    /// The functions of a table with an order, up to the next table.
    func inTable(
        _ conformance: Conformance<FileMemory>, _ relocations: FileRelocations, among starts: Set<UInt64>,
        interface: String, limit: Int
    ) -> [String]? {
        guard let table = conformance.pattern else { return nil }
        var functions: [String] = []
        for slot in 1..<UInt64(limit) {
            let address = table &+ slot &* 8
            if starts.contains(address) { break }
            // The table of another protocol may follow that the list of conformances does not have.
            guard case .own(let target)? = relocations[address], names[target] != nil else {
                if functions.isEmpty, slot < 256 { continue }
                break
            }
            guard let found = requirement(at: target), found.interface == interface else { break }
            functions.append(found.text)
        }
        return functions.isEmpty ? nil : functions
    }

    /// The functions that a conformance names, in no order that matters.
    func named(_ conformance: Conformance<FileMemory>) -> [String]? {
        let functions = conformance.implementations.compactMap { requirement(at: $0)?.text }
        return functions.isEmpty ? nil : functions
    }
}

extension String {
    fileprivate func removing(prefix: String) -> String? {
        hasPrefix(prefix) ? String(dropFirst(prefix.count)) : nil
    }
}
