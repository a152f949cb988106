import HostBasics
import InterfaceRecords
import PropertyLists

extension CompleteInspection {
    /// Checks protocols whose requirements have changed since the plug-in was compiled.
    ///
    /// ``InterfaceComparison`` refuses these at the entry.
    mutating func checkInterfaces() {
        var files: [ELFFile] = closure.newFiles
        for image in host.libraries {
            if let file = image.file, !files.contains(where: { $0 === file }) { files.append(file) }
        }
        // Like the check at the entry, this covers the conformances in the plug-in's file, not those in its libraries.
        let inspection = InterfaceInspection(of: file, among: files, record: record)
        add(inspection.findings)
        guard reportsUnrecorded else { return }
        for (path, interface) in inspection.unrecorded.sorted(by: { $0.key < $1.key }) {
            warn(
                .interfaceUnrecorded, path: path, subject: interface,
                "The library \(quoted(path)) was compiled without library evolution and has no record of its interfaces, "
                    + "so changes of \(quoted(interface)) are found by the number of its requirements alone.",
                "Compile the API with library evolution, or run “pluginhost record” or “pluginhost stage”.")
        }
    }
}

/// The conformances of a file, compared with the protocols that other files define.
private struct InterfaceInspection {
    /// A position: an address in a file.
    private struct Place {
        let file: ELFFile
        let address: UInt64
    }

    /// The section with the conformances, as 32-bit distances.
    private static let section = "swift5_protocol_conformances"

    let findings: [PluginFinding]
    /// The libraries whose protocols the file implements, without library evolution and without a usable record, each
    /// with one of these protocols.
    private(set) var unrecorded: [String: String] = [:]

    /// Compares a file.
    ///
    /// `files`: the files in which symbols are looked up, in order. `record`: what the plug-in was compiled against.
    init(of file: ELFFile, among files: [ELFFile], record: InterfaceRecord?) {
        guard let section = file.section(named: Self.section), section.size <= FileMemory.sectionLimit,
            // Packed relocations do not show what a table points to.
            let relocations = FileRelocations(of: file)
        else {
            findings = []
            return
        }
        let memory = FileMemory(file)
        var memories: [ObjectIdentifier: FileMemory] = [:]
        var places: [String: Place?] = [:]
        func place(_ reference: Conformance<FileMemory>.Reference) -> Place? {
            guard case .pointer(let slot) = reference, case .symbol(let name)? = relocations[slot] else { return nil }
            if let known = places[name] { return known }
            let wanted = SymbolName(name)
            var found: Place?
            for other in files where found == nil {
                guard let symbols = other.symbols, let index = symbols.definitions(of: wanted).first else { continue }
                found = Place(file: other, address: symbols[index].value)
            }
            places[name] = .some(found)
            return found
        }
        var findings: [PluginFinding] = []
        var tables: [UInt64]?
        var records = record.map { RecordComparison($0) }
        var sections: [ObjectIdentifier: InterfaceSection.Content] = [:]
        var unrecorded: [String: String] = [:]
        func content(of file: ELFFile) -> InterfaceSection.Content {
            let content = sections[ObjectIdentifier(file)] ?? InterfaceSection.read(file.file)
            sections[ObjectIdentifier(file)] = content
            return content
        }
        Conformance.each(in: memory, at: section.address, length: section.size) { conformance in
            guard findings.count < ReadingBudget.mostFindings,
                let interface = conformance.protocolReference.flatMap(place),
                interface.file !== file
            else { return }
            let other = memories[ObjectIdentifier(interface.file)] ?? FileMemory(interface.file)
            memories[ObjectIdentifier(interface.file)] = other
            guard let current = ProtocolRequirements(other, at: interface.address) else { return }
            let difference = InterfaceDifference(
                of: conformance, to: current,
                resolve: { place($0).flatMap { $0.file === interface.file ? $0.address : nil } },
                hasFunctions: { table in
                    let starts = tables ?? Conformance.tables(in: memory, at: section.address, length: section.size)
                    tables = starts
                    if Conformance<FileMemory>.endsEarly(table, count: current.count, among: starts) { return false }
                    return (0..<current.count).allSatisfy { index in
                        !current.isFunction(index) || relocations.leadsToCode(table &+ UInt64(index + 1) &* 8)
                    }
                })
            let use = RecordComparison.Use(
                type: { conformance.typeName }, interface: current.name ?? "a protocol", library: interface.file.path)
            // Foundation has no library evolution on Linux, but it changes only with the toolchain, which is compared.
            if !current.hasEvolution, !CompleteInspection.isSwiftRuntime(interface.file),
                content(of: interface.file).record == nil
            {
                unrecorded[interface.file.path] = use.interface
            }
            if let difference {
                findings.append(
                    difference.finding(
                        type: use.type(), path: file.path, interface: use.interface, library: use.library,
                        count: current.count
                    ) { addresses in
                        findings.count < InterfaceDifference.mostNamed
                            ? interface.file.requirements(at: addresses, of: use.interface) : []
                    })
            } else if current.isClassOnly, conformance.isOfClass == false {
                findings.append(RecordComparison.classFinding(use).about(file.path))
            } else if records != nil {
                let finding = records?.finding(for: use, current: content(of: interface.file).record) {
                    (0..<current.count).map(current.kind)
                }
                if let finding { findings.append(finding.about(file.path)) }
            }
        }
        if findings.isEmpty {
            findings +=
                (records?.typeFindings { module, needed in
                    for other in files where other.ownName == needed && needed != nil {
                        if let record = content(of: other).record, record.modules[module] != nil {
                            return (other.path, record)
                        }
                    }
                    return nil
                } ?? []).map { $0.about(file.path) }
        }
        self.findings = findings
        self.unrecorded = unrecorded
    }
}

extension PluginFinding {
    fileprivate func about(_ path: String) -> Self {
        var finding = self
        finding.filePath = path
        return finding
    }
}
