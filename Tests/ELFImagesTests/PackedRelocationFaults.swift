import TestSupport
import Testing

@testable import ELFImages
@testable import HostBasics

/// DT_RELR: addresses, and bitmaps of the words behind the address before, to each of which the image's base is added.
@Suite("The inspection before dlopen(): packed relocations")
struct PackedRelocationFaults {
    private static let pointerCount = 100

    /// A plug-in whose initialisers and pointers are relocated by DT_RELR.
    ///
    /// The linker of the toolchain makes it; others do not know the option.
    private static func plugin() throws -> ELFBytes {
        let source =
            ELFFixtures.entryWithNote + """
                static int numbers[4];
                int *pointers[\(pointerCount)] = {[0 ... \(pointerCount - 1)] = numbers};
                __attribute__((constructor)) static void begin(void) { numbers[0] = 1; }
                __attribute__((destructor)) static void end(void) { numbers[0] = 2; }
                """
        return try ELFBytes(
            ELFFixtures.c(
                "packed-relocations.so", source, ["-shared", "-fuse-ld=lld", "-Wl,-z,pack-relative-relocs"]))
    }

    private func messages(_ name: String, _ change: (inout ELFBytes) throws -> Void) throws -> [String] {
        var file = try Self.plugin()
        try change(&file)
        return try quickInspection(file.save("packed-\(name).so")).findings.map(\.message)
    }

    private static let table: UInt64 = 36
    private static let size: UInt64 = 35
    private static let entrySize: UInt64 = 37

    /// Where the first entry is that is a bitmap.
    private func bitmap(_ file: ELFBytes) throws -> Int {
        let start = try file.table(Self.table)
        let end = start + Int(file[try file.dynamicValue(Self.size), as: UInt64.self])
        return try #require(stride(from: start, to: end, by: 8).first { file[$0, as: UInt64.self] & 1 == 1 })
    }

    @Test func theyAreSoundAndRepresentAllPointers() throws {
        #expect(try messages("not") { _ in } == [])
        let file = try Self.plugin()
        let entries = Int(file[try file.dynamicValue(Self.size), as: UInt64.self]) / 8
        #expect(entries > 1 && entries < Self.pointerCount / 4)
        _ = try bitmap(file)
    }

    @Test(.fault(287)) func aBitmapBeforeAnyAddressIsRefused() throws {
        let found = try messages("bitmap-first") { file in
            file[try file.table(Self.table), as: UInt64.self] = try file[bitmap(file), as: UInt64.self]
        }
        #expect(found.count == 1)
        #expect(found.first?.hasSuffix("(DT_RELR) begin with a bitmap, before any address.") == true, "\(found)")
    }

    @Test(.fault(187)) func anAddressOrABitmapThatLeadsOutOfTheWritableSegmentsIsRefused() throws {
        let outside = "a packed relocation (DT_RELR) writes outside of its writable segments."
        for address: UInt64 in [0x10, 1 << 40, .max - 7, .max - 1] {
            let found = try messages("address") { $0[try $0.table(Self.table), as: UInt64.self] = address }
            #expect(found.count == 1 && found[0].hasSuffix(outside), "\(address): \(found)")
        }
        let behind = try messages("behind") { file in
            // As far behind the last writable byte as one bitmap reaches.
            let last = try file.segment(1, file.segmentCount(1) - 1)
            let end = file[last + ELFBytes.address, as: UInt64.self] + file[last + ELFBytes.memorySize, as: UInt64.self]
            let place = try bitmap(file)
            file[place - 8, as: UInt64.self] = (end - 64) & ~7
            file[place, as: UInt64.self] = 1 << 63 | 1
        }
        #expect(behind.count == 1 && behind[0].hasSuffix(outside), "\(behind)")
        let overTable = try messages("over-dynamic") { file in
            let dynamic = file[try file.segment(2) + ELFBytes.address, as: UInt64.self]
            file[try file.table(Self.table), as: UInt64.self] = dynamic + 16
        }
        #expect(overTable.count == 1 && overTable[0].hasSuffix(outside), "\(overTable)")
    }

    @Test(.fault(188)) func anInitialiserThatTheyLeadOutOfTheCodeIsRefused() throws {
        // Its address without the base is in the file.
        for (tag, name) in [(UInt64(25), "initialiser 0 (DT_INIT_ARRAY)"), (26, "finaliser 0 (DT_FINI_ARRAY)")] {
            let found = try messages("array-\(tag)") { $0[try $0.table(tag), as: UInt64.self] = 1 << 40 }
            #expect(found.count == 1 && found[0].hasSuffix("its \(name) does not point to its code."), "\(found)")
        }
    }

    /// The dynamic linker adds the base once for each time that the table names the word.
    @Test(.fault(188)) func anInitialiserOrFinaliserThatIsNamedTwiceIsRefused() throws {
        let arrays: [(tag: UInt64, size: UInt64, name: String)] = [
            (25, 27, "initialiser 0 (DT_INIT_ARRAY)"), (26, 28, "finaliser 0 (DT_FINI_ARRAY)"),
        ]
        func found(_ name: String, further: UInt64?) throws -> [String] {
            try messages(name) { file in
                func value(_ tag: UInt64) throws -> UInt64 { file[try file.dynamicValue(tag), as: UInt64.self] }
                var entries: [UInt64] = []
                for array in arrays {
                    // An address, and a bitmap of the words after it: its lowest bit marks it as one.
                    entries += [try value(array.tag), (UInt64(1) << (try value(array.size) / 8)) - 1]
                }
                if let further { entries.append(try value(further)) }
                let start = try file.table(Self.table)
                try #require(try value(Self.size) >= entries.count * 8)
                try file[file.dynamicValue(Self.size), as: UInt64.self] = UInt64(entries.count * 8)
                for (index, entry) in entries.enumerated() { file[start + index * 8, as: UInt64.self] = entry }
            }
        }
        #expect(try found("named-once", further: nil) == [])
        for (tag, _, name) in arrays {
            let twice = try found("named-twice-\(tag)", further: tag)
            #expect(twice.count == 1 && twice[0].hasSuffix("its \(name) does not point to its code."), "\(twice)")
        }
    }

    @Test(.fault(187)) func sizesThatDoNotFitAreRefused() throws {
        let size = try messages("size") { $0[try $0.dynamicValue(Self.size), as: UInt64.self] -= 1 }
        #expect(size.first?.contains("have an impossible size") == true, "\(size)")
        let entry = try messages("entry-size") { $0[try $0.dynamicValue(Self.entrySize), as: UInt64.self] = 16 }
        #expect(entry.first?.contains("have an impossible size") == true, "\(entry)")
        let none = try messages("size-0") { $0[try $0.dynamicValue(Self.size), as: UInt64.self] = 0 }
        #expect(none.first?.contains("tables without their sizes") == true, "\(none)")
        let far = try messages("far") { $0[try $0.dynamicValue(Self.size), as: UInt64.self] = 1 << 40 }
        #expect(far.first?.contains("relocations (DT_RELR) lie outside of the segments") == true, "\(far)")
    }
}
