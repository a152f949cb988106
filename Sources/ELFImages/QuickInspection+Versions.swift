import HostBasics

extension QuickInspection {
    /// Checks the versions that the file needs and defines (fault 80).
    ///
    /// The dynamic linker follows the records, and uses the version number of each symbol as an index, without a check.
    mutating func checkVersions(_ file: borrowing OpenedFile) throws(TableFault) {
        guard dynamic.symbolVersions != 0 else { return }
        var known = KnownVersions()
        if dynamic.neededVersions != 0 { try checkNeededVersions(&known, file) }
        if dynamic.definedVersions != 0 { try checkDefinedVersions(&known, file) }
        guard !known.isEmpty else { throw TableFault(what: "it numbers versions (DT_VERSYM) but names none") }
        if known.lacksPackedMark { refuseUnmarkedRelocations() }
        let count = tables.symbols.count / ELF.symbolSize
        guard fileOffset(ofAddress: dynamic.symbolVersions, count: UInt64(count) * 2) != nil else {
            throw TableFault(what: "it has fewer version numbers (DT_VERSYM) than symbols")
        }
        let numbers = try table("versions (DT_VERSYM)", dynamic.symbolVersions, UInt64(count) * 2, file)
        for symbol in 0..<count {
            let number = numbers.loadUnaligned(fromByteOffset: symbol &* 2, as: UInt16.self) & 0x7FFF
            guard known.contains(number) else {
                throw TableFault(
                    what: "symbol \(symbol) has the version number \(number), which does not exist (DT_VERSYM)")
            }
        }
    }

    /// The maximum number of versions; no library has as many.
    private static var versionLimit: Int { 16_384 }
    private static var damagedNeeds: TableFault {
        TableFault(what: "its list of needed versions (DT_VERNEED) does not end where it should")
    }
    private static var damagedDefinitions: TableFault {
        TableFault(what: "its list of versions (DT_VERDEF) does not end where it should")
    }

    /// Records of 16 bytes, one for each library, each followed by records of 16 bytes, one for each version; all are
    /// linked by offsets.
    private mutating func checkNeededVersions(
        _ known: inout KnownVersions, _ file: borrowing OpenedFile
    ) throws(TableFault) {
        var address = dynamic.neededVersions
        var end = address &+ 16
        var left = Self.versionLimit
        for number in 1...max(dynamic.neededVersionCount, 1) {
            guard let record = fewBytes(atAddress: address, count: 16, file) else { throw Self.damagedNeeds }
            let version = record.loadUnaligned(as: UInt16.self)
            let count = record.loadUnaligned(fromByteOffset: 2, as: UInt16.self)
            let library = UInt64(word(record, 1))
            let (first, next) = (UInt64(word(record, 2)), UInt64(word(record, 3)))
            guard version == 1, count > 0, first >= 16 else { throw Self.damagedNeeds }
            try checkIsNeeded(library)
            // Only a file with packed relocations needs the mark, and few files have such relocations.
            let needsMark = dynamic.packedRelocations != 0 && string(at: library)?.holds("libc.so.6") ?? false
            if needsMark { known.lacksPackedMark = true }
            var versionAddress = address &+ first
            for versionNumber in 1...count {
                left -= 1
                guard left > 0, let version = fewBytes(atAddress: versionAddress, count: 16, file),
                    string(at: UInt64(word(version, 2)), limit: tables.strings.count) != nil
                else { throw Self.damagedNeeds }
                end = max(end, versionAddress &+ 16)
                known.insert(version.loadUnaligned(fromByteOffset: 6, as: UInt16.self) & 0x7FFF)
                if needsMark, string(at: UInt64(word(version, 2)))?.holds("GLIBC_ABI_DT_RELR") ?? false {
                    known.lacksPackedMark = false
                }
                let nextVersion = UInt64(word(version, 3))
                guard (nextVersion == 0) == (versionNumber == count), nextVersion == 0 || nextVersion >= 16 else {
                    throw Self.damagedNeeds
                }
                versionAddress &+= nextVersion
            }
            guard (next == 0) == (number == dynamic.neededVersionCount), next == 0 || next >= 16 else {
                throw Self.damagedNeeds
            }
            address &+= next
        }
        tables.neededVersions = dynamic.neededVersions..<max(end, address)
    }

    /// Reports packed relocations (DT_RELR) in a file that does not need the version that marks them.
    ///
    /// glibc 2.36 and later refuse a file that needs other versions of the C library but not this one
    /// (_dl_check_map_versions()). Earlier versions of glibc would leave the relocations out, and the code would crash.
    @inline(never)
    private mutating func refuseUnmarkedRelocations() {
        refuse(subject: Self.packedMark, Self.unmarkedRelocations, Self.remedyForUnmarkedRelocations)
    }

    static var packedMark: String { "GLIBC_ABI_DT_RELR" }
    static var unmarkedRelocations: String {
        "has packed relocations (DT_RELR) but does not need the version “GLIBC_ABI_DT_RELR” of the C library, so the "
            + "dynamic linker refuses it."
    }
    static var remedyForUnmarkedRelocations: String {
        "Link it with -z pack-relative-relocs instead of --pack-dyn-relocs=relr, or without either."
    }

    /// Checks that the file needs a library of which it needs versions; the dynamic linker asserts that it has loaded
    /// it.
    private func checkIsNeeded(_ library: UInt64) throws(TableFault) {
        for needed in dynamic.needed(in: dynamicBytes) where needed == library { return }
        guard let name = string(at: library) else { throw Self.damagedNeeds }
        for needed in dynamic.needed(in: dynamicBytes) {
            if let other = string(at: needed), other.equals(name) { return }
        }
        throw TableFault(
            what: "it needs a version of \(quoted(String(decoding: name, as: UTF8.self))), but not that library")
    }

    /// Records of 20 bytes, each followed by its name and the names of its parents.
    private mutating func checkDefinedVersions(
        _ known: inout KnownVersions, _ file: borrowing OpenedFile
    ) throws(TableFault) {
        var address = dynamic.definedVersions
        var end = address
        guard dynamic.definedVersionCount <= UInt64(Self.versionLimit) else { throw Self.damagedDefinitions }
        for number in 1...max(dynamic.definedVersionCount, 1) {
            guard let record = fewBytes(atAddress: address, count: 20, file) else { throw Self.damagedDefinitions }
            let version = record.loadUnaligned(as: UInt16.self)
            let index = record.loadUnaligned(fromByteOffset: 4, as: UInt16.self)
            let count = record.loadUnaligned(fromByteOffset: 6, as: UInt16.self)
            let (first, next) = (UInt64(word(record, 3)), UInt64(word(record, 4)))
            guard version == 1, count > 0, first >= 20,
                let name = fewBytes(atAddress: address &+ first, count: 8, file),
                string(at: UInt64(word(name, 0)), limit: tables.strings.count) != nil,
                (next == 0) == (number == dynamic.definedVersionCount), next == 0 || next >= 20
            else { throw Self.damagedDefinitions }
            known.insert(index & 0x7FFF)
            end = max(end, address &+ 20, address &+ first &+ 8)
            address &+= next
        }
        tables.definedVersions = dynamic.definedVersions..<end
    }
}

/// The existing version numbers: a bit for each of the first 64, which is enough for nearly all files.
struct KnownVersions {
    /// 0 (local) and 1 (global) are symbols without a version.
    private var low: UInt64 = 3
    private var high: Set<UInt16> = []
    /// Whether no version has a number.
    package private(set) var isEmpty = true
    /// Whether the file has packed relocations (DT_RELR) and needs versions of the C library, but not the version that
    /// marks such relocations.
    var lacksPackedMark = false

    package mutating func insert(_ number: UInt16) {
        // The dynamic linker creates its list of versions for the highest number, and none at all if that is 0.
        if number > 0 { isEmpty = false }
        if number < 64 { low |= 1 << UInt64(number) } else { high.insert(number) }
    }

    package func contains(_ number: UInt16) -> Bool {
        number < 64 ? low & 1 << UInt64(number) != 0 : high.contains(number)
    }
}
