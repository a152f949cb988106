import Foundation
import TestSupport
import Testing

@testable import ELFImages
@testable import HostBasics

extension ELFBytes {
    /// Where an address is in the file.
    func offset(ofAddress address: UInt64) throws -> Int {
        for number in 0..<segmentCount(1) {
            let segment = try segment(1, number)
            let start = self[segment + Self.address, as: UInt64.self]
            let size = self[segment + Self.fileSize, as: UInt64.self]
            if address >= start, address - start < size {
                return Int(self[segment + Self.fileOffset, as: UInt64.self] + address - start)
            }
        }
        throw ELFFixtures.BuildFailure(description: "there is no address \(address)")
    }

    /// Where the table is to which an entry of PT_DYNAMIC leads.
    func table(_ tag: UInt64) throws -> Int { try offset(ofAddress: self[try dynamicValue(tag), as: UInt64.self]) }

    /// Replaces the tag and value of an entry of PT_DYNAMIC that is only advice.
    mutating func replaceAdvice(by tag: UInt64, _ value: UInt64) throws {
        let entry = try dynamicValue(0x6FFF_FFF9)  // DT_RELACOUNT
        self[entry - 8, as: UInt64.self] = tag
        self[entry, as: UInt64.self] = value
    }
}

/// Each test damages one number that the dynamic linker follows before code of the file runs.
@Suite("The inspection before dlopen(): what the dynamic linker trusts")
struct ELFDamageTests {
    /// A plug-in that has one of everything: a constructor, a destructor, thread-local storage, versions, a PLT.
    private static func plugin() throws -> ELFBytes {
        let source =
            ELFFixtures.entryWithNote + """
                #include <stdio.h>
                #include <stdlib.h>
                _Thread_local int state = 1;
                char *names[2] = {"one", "two"};
                __attribute__((constructor)) static void begin(void) { state = 2; }
                __attribute__((destructor)) static void end(void) { state = 3; }
                static int choose_one(void) { return 1; }
                static void *choose(void) { return (void *)choose_one; }
                int chosen(void) __attribute__((ifunc("choose")));
                int use(void) { return puts(names[state & 1]) + chosen() + atoi("1"); }
                """
        return try ELFBytes(
            ELFFixtures.c(
                "everything.so", source, ["-shared", "-Wl,--hash-style=gnu", "-Wl,-soname,everything.so"]))
    }

    /// The messages about the plug-in after one change.
    private func messages(_ name: String, _ change: (inout ELFBytes) throws -> Void) throws -> [String] {
        var file = try Self.plugin()
        try change(&file)
        return try quickInspection(file.save("damaged-\(name).so")).findings.map(\.message)
    }

    @Test func thePluginItselfIsSound() throws {
        #expect(try messages("not") { _ in } == [])
    }

    // MARK: - Symbols

    @Test(.fault(185)) func namesAndAddressesOfSymbolsThatLeadOutAreRefused() throws {
        let name = try messages("symbol-name") { $0[try $0.table(6) + 24, as: UInt32.self] = 0x0FFF_FFFF }
        #expect(name.count == 1 && name[0].hasSuffix("the name of symbol 1 lies outside of its strings."))
        let value = try messages("symbol-value") { file in
            // The entry is one of the functions that it defines.
            let symbols = try file.table(6)
            for index in 1..<40 where file.bytes[symbols + index * 24 + 4] & 15 == 2 {
                guard file[symbols + index * 24 + 6, as: UInt16.self] != 0 else { continue }
                file[symbols + index * 24 + 8, as: UInt64.self] = 1 << 40
                break
            }
        }
        #expect(value.count == 1 && value[0].contains("is a function that lies outside of its code"))
        let chooser = try messages("symbol-ifunc") { file in
            let symbols = try file.table(6)
            for index in 1..<40 where file.bytes[symbols + index * 24 + 4] & 15 == 10 {
                file[symbols + index * 24 + 8, as: UInt64.self] = 1 << 40
                break
            }
        }
        #expect(chooser.count == 1 && chooser[0].contains("the function that chooses symbol"))
        let strings = try messages("strings-end") { file in
            let end = try file.table(5) + Int(file[try file.dynamicValue(10), as: UInt64.self])
            file.bytes[end - 1] = 0x41
        }
        #expect(strings.first?.hasSuffix("its strings (DT_STRTAB) do not end with NUL.") == true)
    }

    @Test(.fault(191)) func anOwnNameOutsideOfTheStringsIsRefused() throws {
        let found = try messages("soname") { $0[try $0.dynamicValue(14), as: UInt64.self] = 1 << 32 }
        #expect(found.count == 1 && found[0].hasSuffix("its own name (DT_SONAME) is not in its strings."))
    }

    @Test(.fault(184)) func aHashTableAtAddress0IsRefusedThoughThereIsAnother() throws {
        var file = try ELFBytes(
            ELFFixtures.c("two-hashes.so", ELFFixtures.entryWithNote, ["-shared", "-Wl,--hash-style=both"]))
        file[try file.dynamicValue(0x6FFF_FEF5), as: UInt64.self] = 0
        let found = try quickInspection(file.save("gnu-hash-0.so")).findings.map(\.message)
        #expect(found.contains { $0.contains("gives a table or a function the address 0") })
    }

    // MARK: - Versions

    @Test(
        .fault(186),
        arguments: [
            ("version", 0, 2), ("name", 8 + 16, 1 << 30), ("next", 12 + 16, 1), ("next-far", 12 + 16, 0x7FFF_FFF0),
            ("aux", 8, 0x7FFF_FFF0), ("file", 4, 1 << 30), ("next-record", 12, 0x7FFF_FFF0),
        ])
    func neededVersionsThatLeadOutAreRefused(name: String, offset: Int, value: Int) throws {
        let found = try messages("verneed-\(name)") { file in
            file[try file.table(0x6FFF_FFFE) + offset, as: UInt32.self] = UInt32(value)
        }
        #expect(found.count == 1 && found[0].contains("its list of needed versions (DT_VERNEED)"), "\(found)")
    }

    @Test(.fault(186)) func aVersionNumberWithoutARecordIsRefused() throws {
        let found = try messages("versym") { $0[try $0.table(0x6FFF_FFF0) + 2, as: UInt16.self] = 0x7000 }
        #expect(found.count == 1 && found[0].contains("which does not exist (DT_VERSYM)"))
        let alone = try messages("versym-alone") { file in
            // Some linkers name the version of the file itself as well.
            for tag in [UInt64(0x6FFF_FFFC), 0x6FFF_FFFD, 0x6FFF_FFFE, 0x6FFF_FFFF] {
                guard (try? file.dynamicValue(tag)) != nil else { continue }
                file[try file.dynamicValue(tag) - 8, as: UInt64.self] = 0x7000_0000
            }
        }
        #expect(alone.contains { $0.contains("tables without their sizes") }, "\(alone)")
    }

    // MARK: - Relocations and initialisers

    @Test(.fault(187)) func relocationsThatWriteOrCallElsewhereAreRefused() throws {
        let first = 0
        let overTable = try messages("over-dynamic") { file in
            let dynamic = file[try file.segment(2) + ELFBytes.address, as: UInt64.self]
            file[try file.table(7) + first, as: UInt64.self] = dynamic + 16
        }
        #expect(overTable.count == 1 && overTable[0].contains("relocation 0 writes outside of its writable segments"))
        let unknown = try messages("unknown") { file in
            let last = try file.table(7) + Int(file[try file.dynamicValue(8), as: UInt64.self]) - 24
            file[last + 8, as: UInt32.self] = 200
        }
        #expect(unknown.count == 1 && unknown[0].contains("has the kind 200, which this machine does not have"))
        #if arch(x86_64)
        let copy = try messages("copy") { file in
            let last = try file.table(7) + Int(file[try file.dynamicValue(8), as: UInt64.self]) - 24
            file[last + 8, as: UInt32.self] = 5
        }
        #expect(copy.count == 1 && copy[0].contains("copies a variable, which only programs do"))
        let thread = try messages("thread") { file in
            let last = try file.table(7) + Int(file[try file.dynamicValue(8), as: UInt64.self]) - 24
            file[last + 8, as: UInt32.self] = 18
            file[last + 12, as: UInt32.self] = 0
            file[try file.segment(7), as: UInt32.self] = 0x7000_0000
        }
        #expect(thread.contains { $0.contains("thread-local") })
        let indirect = try messages("indirect") { file in
            let last = try file.table(7) + Int(file[try file.dynamicValue(8), as: UInt64.self]) - 24
            file[last + 8, as: UInt32.self] = 37
            file[last + 16, as: UInt64.self] = 1 << 40
        }
        #expect(indirect.count == 1 && indirect[0].contains("calls a function that lies outside of its code"))
        #endif
    }

    @Test(.fault(188)) func initialisersThatLeadElsewhereAreRefused() throws {
        for (tag, name) in [(UInt64(25), "DT_INIT_ARRAY"), (26, "DT_FINI_ARRAY")] {
            let found = try messages("entry-\(name)") { file in
                let array = file[try file.dynamicValue(tag), as: UInt64.self]
                let table = try file.table(7)
                for number in 0..<Int(file[try file.dynamicValue(8), as: UInt64.self] / 24)
                where file[table + number * 24, as: UInt64.self] == array {
                    file[table + number * 24 + 16, as: UInt64.self] = array
                }
            }
            #expect(found.count == 1 && found[0].contains("(\(name)) does not point to its code"), "\(found)")
            // Without its relocation an entry is an address of the file, and not of the process.
            let untouched = try messages("untouched-\(name)") { file in
                let array = file[try file.dynamicValue(tag), as: UInt64.self]
                let table = try file.table(7)
                for number in 0..<Int(file[try file.dynamicValue(8), as: UInt64.self] / 24)
                where file[table + number * 24, as: UInt64.self] == array {
                    file[table + number * 24, as: UInt64.self] = array + 4096
                }
            }
            #expect(
                untouched.contains {
                    $0.contains("(\(name)) does not point to its code") || $0.contains("writes outside")
                })
        }
        let early = try messages("preinit") { try $0.replaceAdvice(by: 32, 0) }
        #expect(early.count == 1 && early[0].contains("DT_PREINIT_ARRAY"))
        let null = try messages("init-0") { $0[try $0.dynamicValue(12), as: UInt64.self] = 0 }
        #expect(null.first?.contains("the address 0") == true)
    }

    // MARK: - Other code

    @Test(
        .fault(190),
        arguments: [
            (UInt64(0x7FFF_FFFD), "DT_FILTER or DT_AUXILIARY"), (0x7FFF_FFFF, "DT_FILTER or DT_AUXILIARY"),
            (0x6FFF_FEFC, "DT_AUDIT or DT_DEPAUDIT"), (0x6FFF_FEFB, "DT_AUDIT or DT_DEPAUDIT"),
        ])
    func filtersAndAuditorsAreRefused(tag: UInt64, name: String) throws {
        var file = try Self.plugin()
        try file.replaceAdvice(by: tag, 1)
        let found = try quickInspection(file.save("filter-\(tag).so")).findings
        #expect(found.map(\.code) == [.unsafeSearchPath])
        #expect(found.first?.message.contains(name) == true)
    }

    @Test(.fault(194)) func neededNamesAreComparedByteByByte() throws {
        // Two names of 16 bytes with one hash: the first word of the other is chosen, the second follows from it.
        let good = Array("libc.so.6-normal".utf8)
        var other = Array("/tmp/evi........".utf8)
        func words(_ bytes: [UInt8]) -> [UInt64] { bytes.withUnsafeBytes { Array($0.bindMemory(to: UInt64.self)) } }
        let factor: UInt64 = 0x9E37_79B9_7F4A_7C15
        let second = (16 ^ words(good)[0]) &* factor ^ words(good)[1] ^ (16 ^ words(other)[0]) &* factor
        withUnsafeBytes(of: second) { other.replaceSubrange(8..<16, with: $0) }
        try #require(good.withUnsafeBytes(\.wordHash) == other.withUnsafeBytes(\.wordHash))
        try #require(!other.contains(0))
        func isKnown(_ name: [UInt8], remember: Bool = false) -> Bool {
            var entries: [UInt64] = [1, 1, 0, 0]
            let strings = [0] + name + [0]
            return strings.withUnsafeBytes { strings in
                entries.withUnsafeMutableBytes { bytes in
                    let bytes = UnsafeRawBufferPointer(bytes)
                    var table = DynamicTable()
                    table.read(bytes)
                    if remember { KnownLibraries.setLastNeeded(table.needed(in: bytes), in: strings) }
                    return KnownLibraries.areLastNeeded(table.needed(in: bytes), in: strings)
                }
            }
        }
        #expect(!isKnown(other))
        _ = isKnown(good, remember: true)
        #expect(!isKnown(other))
        var file = try ELFBytes(
            ELFFixtures.c("needs-lib.so", ELFFixtures.entryWithNote, ["-shared", "-Wl,--no-as-needed"]))
        try file.replace("libc.so.6\0", by: "$LIB/so.6\0")
        #expect(try quickInspection(file.save("needs-token.so")).findings.map(\.code) == [.unsafeSearchPath])
    }

    // MARK: - Notes and segments

    @Test(.fault(189)) func notesAndPropertiesThatLeadOutAreRefused() throws {
        let address = try messages("note-address") {
            $0[try $0.segment(4) + ELFBytes.address, as: UInt64.self] = 1 << 40
        }
        #expect(address.contains { $0.contains("its notes (PT_NOTE) lie outside of the segments that are loaded") })
        let huge = try messages("note-huge") { file in
            let note = try file.segment(4)
            file[Int(file[note + ELFBytes.fileOffset, as: UInt64.self]) + 4, as: UInt32.self] = 0xFFFF_FFF0
        }
        #expect(huge.contains { $0.contains("one of its notes claims more bytes than exist") })
        let property = try messages("property") { file in
            let note = try file.segment(4, file.segmentCount(4) - 1)
            file[note, as: UInt32.self] = 0x6474_E553
            file[note + ELFBytes.address, as: UInt64.self] = 1 << 40
        }
        #expect(property.contains { $0.contains("its properties (PT_GNU_PROPERTY) lie outside") })
        let table = try messages("unwind") { file in
            file[try file.segment(0x6474_E550) + ELFBytes.address, as: UInt64.self] = 1 << 40
        }
        #expect(table.contains { $0.contains("its unwind table (PT_GNU_EH_FRAME) lie outside") })
    }

    @Test(.fault(83)) func anABINoteBehindALongNoteIsSeen() throws {
        let source =
            ELFFixtures.entry + """

                __asm__(".pushsection .note.along, \\"a\\", %note\\n .balign 4\\n .long 4, 5000, 1\\n .asciz \\"ABC\\"\\n"
                        " .zero 5000\\n .popsection");
                static const plugin_note late PLUGIN_NOTE_ATTRIBUTES = {
                    11, sizeof(plugin_note) - 24, PLUGIN_NOTE_TYPE, PLUGIN_NOTE_OWNER, {PLUGIN_NOTE_FORMAT, 7, 1, 0, 0, 0}, ""};
                """
        let inspection = try quickInspection(ELFFixtures.c("late-note.so", source))
        #expect(inspection.findings.map(\.subject) == ["ABI 7.1"])
    }

    @Test(.fault(192)) func segmentsThatChangeWhatWasReadAreRefused() throws {
        let shared = try messages("shared-page") { file in
            // The second segment is moved into the last page of the first.
            let (first, second) = (try file.segment(1), try file.segment(1, 1))
            let end =
                file[first + ELFBytes.address, as: UInt64.self] + file[first + ELFBytes.memorySize, as: UInt64.self]
            file[second + ELFBytes.fileOffset, as: UInt64.self] = 4096 | end & 4095
            file[second + ELFBytes.address, as: UInt64.self] = end
            file[second + ELFBytes.fileSize, as: UInt64.self] = 16
            file[second + ELFBytes.memorySize, as: UInt64.self] = 16
        }
        #expect(shared.contains { $0.contains("shares a page of memory with the one before it") }, "\(shared)")
        let alignment = try messages("tls-0") { $0[try $0.segment(7) + ELFBytes.alignment, as: UInt64.self] = 0 }
        #expect(alignment.contains { $0.contains("PT_TLS) has impossible sizes") })
    }
}
