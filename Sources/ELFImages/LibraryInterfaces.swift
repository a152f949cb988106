public import InterfaceRecords

/// The modules of a library, and its record of their interfaces, for tools.
///
/// **Threads.** Use a value on one thread only.
public struct LibraryInterfaces {
    /// The modules whose types or protocols the file defines.
    public let modules: Set<String>
    /// The modules with a protocol, and whether they were compiled with library evolution.
    public let evolution: [String: Bool]
    /// The record; nil if there is none that can be used.
    public let record: InterfaceRecord?
    /// Why the record cannot be used, as the end of a sentence about the section; nil if it can, or if there is none.
    public let fault: String?

    /// Reads a library or a program.
    public init(of linked: LinkedFile) {
        let file = linked.library
        modules = file.modules
        switch InterfaceSection.read(file.file) {
        case .absent: (record, fault) = (nil, nil)
        case .record(let found): (record, fault) = (found, nil)
        case .unusable(let reason): (record, fault) = (nil, reason)
        }
        var evolution: [String: Bool] = [:]
        if let section = file.section(named: "swift5_protocols"), section.size <= FileMemory.sectionLimit {
            let memory = FileMemory(file)
            TypeContext.each(in: memory, at: section.address, length: section.size) { context in
                if let interface = ProtocolRequirements(memory, at: context.address),
                    let module = interface.name?.prefix(while: { $0 != "." })
                {
                    evolution[String(module)] = interface.hasEvolution
                }
                return true
            }
        }
        self.evolution = evolution
    }
}

extension SymbolNames {
    /// The readable form of a symbol of the user's own code; nil if it is not a mangled name.
    @_spi(Tools) public static func readable(_ symbol: String) -> String? { demangledUnestimated(symbol) }
}
