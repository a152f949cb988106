/// One number of an ELF file that a reader relies on.
struct ELFField {
    /// Its kind, for the report: mutants of one kind that end in the same way have one cause.
    let kind: String
    let offset: Int
    let size: Int
}

/// The numbers of an ELF shared object, found by following its headers as the dynamic linker does.
struct ELFFields {
    /// By group, so that a group of thousands (symbols) is chosen as often as one of ten (the header).
    private(set) var groups: [[ELFField]] = []
    /// Where its parts begin and end: offsets at which to cut it off.
    private(set) var borders: [Int] = []
    /// The addresses of its tables, as the most likely wrong addresses.
    private(set) var addresses: [UInt64] = []
    /// Bytes that end a string.
    private(set) var terminators: [Int] = []

    private let bytes: [UInt8]
    private var segments: [(type: UInt32, offset: Int, address: UInt64, fileSize: Int, memorySize: UInt64)] = []
    private var dynamic: [UInt64: UInt64] = [:]

    init(of bytes: [UInt8]) {
        self.bytes = bytes
        readHeader()
        readSegments()
        readDynamic()
        readSymbols()
        readHashes()
        readVersions()
        readRelocations()
        readArrays()
        readNotes()
        groups = groups.filter { !$0.isEmpty }
        borders = Array(Set(borders.filter { $0 > 0 && $0 < bytes.count })).sorted()
    }

    static func number(_ bytes: [UInt8], _ offset: Int, _ size: Int) -> UInt64 {
        guard offset >= 0, offset + size <= bytes.count else { return 0 }
        return (0..<size).reduce(0) { $0 | UInt64(bytes[offset + $1]) << UInt64($1 * 8) }
    }

    /// Whether PT_DYNAMIC has a table, by its tag.
    func hasTable(_ tag: UInt64) -> Bool { dynamic[tag] != nil }

    private func number(_ offset: Int, _ size: Int) -> UInt64 { Self.number(bytes, offset, size) }

    private func fileOffset(_ address: UInt64) -> Int? {
        for segment in segments
        where segment.type == 1 && address >= segment.address && address - segment.address < UInt64(segment.fileSize) {
            return segment.offset + Int(address - segment.address)
        }
        return nil
    }

    private mutating func add(_ kind: String, at offset: Int, count: Int, stride: Int, _ parts: [(String, Int, Int)]) {
        var group: [ELFField] = []
        for index in 0..<max(count, 0) {
            for (name, place, size) in parts where offset + index * stride + place + size <= bytes.count {
                group.append(ELFField(kind: "\(kind).\(name)", offset: offset + index * stride + place, size: size))
            }
        }
        groups.append(group)
        borders += [offset, offset + count * stride]
    }

    private mutating func readHeader() {
        add(
            "ehdr", at: 0, count: 1, stride: 64,
            [
                ("ident", 4, 1), ("ident", 5, 1), ("ident", 7, 1), ("type", 16, 2), ("machine", 18, 2),
                ("version", 20, 4), ("entry", 24, 8), ("phoff", 32, 8), ("shoff", 40, 8), ("flags", 48, 4),
                ("ehsize", 52, 2), ("phentsize", 54, 2), ("phnum", 56, 2), ("shentsize", 58, 2), ("shnum", 60, 2),
            ])
    }

    private static let headerParts = [
        ("type", 0, 4), ("flags", 4, 4), ("offset", 8, 8), ("vaddr", 16, 8), ("paddr", 24, 8), ("filesz", 32, 8),
        ("memsz", 40, 8), ("align", 48, 8),
    ]

    private mutating func readSegments() {
        let start = Int(number(32, 8))
        for index in 0..<Int(number(56, 2)) {
            let header = start + index * 56
            let type = UInt32(number(header, 4))
            segments.append(
                (
                    type, Int(number(header + 8, 8)), number(header + 16, 8), Int(number(header + 32, 8)),
                    number(header + 40, 8)
                ))
            add("phdr \(Self.name(ofSegment: type))", at: header, count: 1, stride: 56, Self.headerParts)
        }
        for segment in segments {
            borders += [segment.offset, segment.offset + segment.fileSize]
            addresses += [segment.address, segment.address &+ segment.memorySize]
        }
    }

    private static func name(ofSegment type: UInt32) -> String {
        switch type {
        case 1: "LOAD"
        case 2: "DYNAMIC"
        case 4: "NOTE"
        case 6: "PHDR"
        case 7: "TLS"
        case 0x6474_E550: "EH_FRAME"
        case 0x6474_E551: "STACK"
        case 0x6474_E552: "RELRO"
        case 0x6474_E553: "PROPERTY"
        default: "\(type)"
        }
    }

    private mutating func readDynamic() {
        guard let segment = segments.first(where: { $0.type == 2 }) else { return }
        var group: [ELFField] = []
        var tags: [ELFField] = []
        for offset in stride(from: segment.offset, to: segment.offset + segment.fileSize, by: 16) {
            let tag = number(offset, 8)
            if tag != 1 || dynamic[1] == nil { dynamic[tag] = number(offset + 8, 8) }
            let name = String(tag, radix: 16)
            group.append(ELFField(kind: "dynamic \(name).value", offset: offset + 8, size: 8))
            tags.append(ELFField(kind: "dynamic \(name).tag", offset: offset, size: 8))
            addresses.append(number(offset + 8, 8))
            if tag == 0 { break }
        }
        // Everything else depends on its values.
        groups += [group, group, group, tags]
        if let strings = dynamic[5].flatMap(fileOffset), let size = dynamic[10] {
            terminators = (strings..<min(strings + Int(size), bytes.count)).filter { bytes[$0] == 0 }
            borders += [strings, strings + Int(size)]
        }
    }

    /// In the files of usual linkers the string table follows the symbols.
    private var symbolCount: Int {
        guard let symbols = dynamic[6].flatMap(fileOffset), let strings = dynamic[5].flatMap(fileOffset) else {
            return 0
        }
        if let hash = dynamic[4].flatMap(fileOffset) { return Int(number(hash + 4, 4)) }
        return strings > symbols ? min((strings - symbols) / 24, 4000) : 0
    }

    private mutating func readSymbols() {
        guard let symbols = dynamic[6].flatMap(fileOffset) else { return }
        add(
            "symbol", at: symbols, count: symbolCount, stride: 24,
            [("name", 0, 4), ("info", 4, 1), ("other", 5, 1), ("shndx", 6, 2), ("value", 8, 8), ("size", 16, 8)])
    }

    private mutating func readHashes() {
        if let table = dynamic[0x6FFF_FEF5].flatMap(fileOffset) {
            let (buckets, filter) = (Int(number(table, 4)), Int(number(table + 8, 4)))
            add(
                "gnu hash", at: table, count: 1, stride: 16,
                [("nbuckets", 0, 4), ("symoffset", 4, 4), ("bloom size", 8, 4), ("bloom shift", 12, 4)])
            add("gnu hash bloom", at: table + 16, count: filter, stride: 8, [("word", 0, 8)])
            add("gnu hash bucket", at: table + 16 + filter * 8, count: buckets, stride: 4, [("word", 0, 4)])
            let chains = table + 16 + filter * 8 + buckets * 4
            add(
                "gnu hash chain", at: chains, count: max(symbolCount - Int(number(table + 4, 4)), 0), stride: 4,
                [("word", 0, 4)])
        }
        if let table = dynamic[4].flatMap(fileOffset) {
            let (buckets, chains) = (Int(number(table, 4)), Int(number(table + 4, 4)))
            add("hash", at: table, count: 1, stride: 8, [("nbucket", 0, 4), ("nchain", 4, 4)])
            add("hash word", at: table + 8, count: buckets + chains, stride: 4, [("word", 0, 4)])
        }
    }

    private mutating func readVersions() {
        if let table = dynamic[0x6FFF_FFF0].flatMap(fileOffset) {
            add("versym", at: table, count: symbolCount, stride: 2, [("index", 0, 2)])
        }
        if var record = dynamic[0x6FFF_FFFE].flatMap(fileOffset) {
            for _ in 0..<min(dynamic[0x6FFF_FFFF] ?? 0, 64) {
                add(
                    "verneed", at: record, count: 1, stride: 16,
                    [("version", 0, 2), ("cnt", 2, 2), ("file", 4, 4), ("aux", 8, 4), ("next", 12, 4)])
                var version = record + Int(number(record + 8, 4))
                for _ in 0..<min(number(record + 2, 2), 64) {
                    add(
                        "vernaux", at: version, count: 1, stride: 16,
                        [("hash", 0, 4), ("flags", 4, 2), ("other", 6, 2), ("name", 8, 4), ("next", 12, 4)])
                    version += Int(number(version + 12, 4))
                }
                record += Int(number(record + 12, 4))
            }
        }
        if var record = dynamic[0x6FFF_FFFC].flatMap(fileOffset) {
            for _ in 0..<min(dynamic[0x6FFF_FFFD] ?? 0, 64) {
                add(
                    "verdef", at: record, count: 1, stride: 20,
                    [
                        ("version", 0, 2), ("flags", 2, 2), ("ndx", 4, 2), ("cnt", 6, 2), ("hash", 8, 4),
                        ("aux", 12, 4), ("next", 16, 4),
                    ])
                add(
                    "verdaux", at: record + Int(number(record + 12, 4)), count: 1, stride: 8,
                    [("name", 0, 4), ("next", 4, 4)])
                record += Int(number(record + 16, 4))
            }
        }
    }

    private mutating func readRelocations() {
        for (name, table, size) in [("rela", UInt64(7), UInt64(8)), ("jmprel", 23, 2)] {
            guard let start = dynamic[table].flatMap(fileOffset), let size = dynamic[size] else { continue }
            add(
                name, at: start, count: Int(size / 24), stride: 24,
                [("offset", 0, 8), ("type", 8, 4), ("symbol", 12, 4), ("addend", 16, 8)])
        }
        if let start = dynamic[36].flatMap(fileOffset), let size = dynamic[35] {
            add("relr", at: start, count: Int(size / 8), stride: 8, [("word", 0, 8)])
        }
    }

    private mutating func readArrays() {
        for (name, table, size) in [("init array", UInt64(25), UInt64(27)), ("fini array", 26, 28)] {
            guard let start = dynamic[table].flatMap(fileOffset), let size = dynamic[size] else { continue }
            add(name, at: start, count: Int(size / 8), stride: 8, [("entry", 0, 8)])
        }
    }

    private mutating func readNotes() {
        for segment in segments where segment.type == 4 || segment.type == 0x6474_E553 {
            let name = segment.type == 4 ? "note" : "property"
            add(name, at: segment.offset, count: min(segment.fileSize, 512) / 4, stride: 4, [("word", 0, 4)])
        }
    }
}
