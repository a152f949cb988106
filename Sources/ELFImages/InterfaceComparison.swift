import CPluginSupport.Shims
package import HostBasics
package import InterfaceRecords

/// The comparison in this process, for a plug-in that was opened and whose code has not run.
package enum InterfaceComparison {
    /// The differences between the protocols that a plug-in was compiled against and those in this process.
    ///
    /// `list`: the list of conformances that the plug-in passed; empty if it passed none. `record`: what the plug-in was
    /// compiled against, if that is known.
    package static func findings(
        for list: UnsafeRawBufferPointer, record: InterfaceRecord? = nil
    ) -> [PluginFinding] {
        guard let base = list.baseAddress else { return [] }
        let memory = ProcessMemory()
        let start = UInt64(UInt(bitPattern: base))
        let length = UInt64(list.count)
        var findings: [PluginFinding] = []
        var image: LoadedRanges?
        var tables: [UInt64]?
        var records = record.map { RecordComparison($0) }
        Conformance.each(in: memory, at: start, length: length) { conformance in
            // A conformance that refers to its protocol directly is in the same file as the protocol.
            guard case .pointer? = conformance.protocolReference,
                let place = conformance.protocolReference.flatMap(resolved),
                let current = ProtocolRequirements(memory, at: place)
            else { return }
            let difference = InterfaceDifference(of: conformance, to: current, resolve: resolved) { table in
                let own = image ?? LoadedRanges(around: start)
                image = own
                // The protocol is in the same file and was compiled with the conformance; the compiler may have left
                // out functions that are never called.
                if own.all.contains(where: { $0.contains(place) }) { return true }
                let starts = tables ?? Conformance.tables(in: memory, at: start, length: length)
                tables = starts
                if Conformance<ProcessMemory>.endsEarly(table, count: current.count, among: starts) { return false }
                // For each requirement of another file's protocol, the compiler generates a function in this file.
                return (0..<current.count).allSatisfy { index in
                    guard current.isFunction(index) else { return true }
                    let function = memory.pointer(at: table &+ UInt64(index + 1) &* 8) ?? 0
                    return own.code.contains { $0.contains(function) }
                }
            }
            let isForClasses = current.isClassOnly && conformance.isOfClass == false
            guard difference != nil || isForClasses || records != nil else { return }
            let address = UnsafeRawPointer(bitPattern: UInt(place))
            let library = address.flatMap { LoadedLibraries.path(containing: $0) }
            let use = RecordComparison.Use(
                type: { conformance.typeName }, interface: current.name ?? "a protocol", library: library ?? "the host")
            if let difference {
                findings.append(
                    difference.finding(
                        type: use.type(), path: nil, interface: use.interface, library: use.library,
                        count: current.count
                    ) { addresses in
                        guard findings.count < InterfaceDifference.mostNamed else { return [] }
                        let base = address.flatMap { LoadedLibraries.base(containing: $0) } ?? 0
                        let file = library.flatMap { try? ELFFile(path: $0) }
                        return file?.requirements(at: addresses.map { $0 &- UInt64(base) }, of: use.interface) ?? []
                    })
            } else if isForClasses {
                findings.append(RecordComparison.classFinding(use))
            } else if let address {
                let now = LoadedInterfaces.record(ofLibraryContaining: address, path: library ?? "")
                let finding = records?.finding(for: use, current: now) { (0..<current.count).map(current.kind) }
                if let finding { findings.append(finding) }
            }
        }
        // A difference of a protocol explains more than one of a type that it names.
        if findings.isEmpty { findings += records?.typeFindings(current: loadedLibrary) ?? [] }
        return findings
    }

    /// A loaded library with a record of a module, found by the name with which the plug-in needs it.
    private static func loadedLibrary(
        _ module: String, _ needed: String?
    ) -> (path: String, record: InterfaceRecord)? {
        needed.flatMap { LoadedInterfaces.record(ofLibraryNamed: $0, with: module) }
    }

    private static func resolved(_ reference: Conformance<ProcessMemory>.Reference) -> UInt64? {
        switch reference {
        case .target(let place): place
        case .pointer(let place): ProcessMemory().pointer(at: place)
        }
    }
}

/// The memory ranges of one loaded file.
private struct LoadedRanges {
    private let address: UInt64
    private(set) var all: [Range<UInt64>] = []
    /// The ranges that contain code.
    private(set) var code: [Range<UInt64>] = []

    /// The ranges of the loaded file that contains an address.
    init(around address: UInt64) {
        self.address = address
        withUnsafeMutablePointer(to: &self) { ranges in
            phs_each_library(
                { image, headers, count, context in
                    guard let image, let ranges = context?.assumingMemoryBound(to: LoadedRanges.self) else {
                        return false
                    }
                    let segments = ELFSegments(
                        UnsafeRawBufferPointer(start: headers, count: count * ELF.programHeaderSize))
                    return !ranges.pointee.take(segments, base: UInt64(image.pointee.base))
                }, ranges)
        }
    }

    /// Takes the ranges of a file if it contains the address; returns whether it does.
    private mutating func take(_ segments: ELFSegments, base: UInt64) -> Bool {
        guard segments.contains(where: { $0.holds(address: address &- base) }) else { return false }
        for segment in segments where segment.type == ELF.load {
            let start = base &+ segment.address
            all.append(start..<(start &+ segment.memorySize))
            if segment.flags & ELF.mayExecute != 0 { code.append(start..<(start &+ segment.memorySize)) }
        }
        return true
    }
}
