import Foundation
import TestSupport
import Testing

@testable import ELFImages
@testable import HostBasics

private func messages(_ name: String, _ change: (inout ELFBytes) throws -> Void) throws -> [String] {
    var file = try ELFBytes(ELFFixtures.sound())
    try change(&file)
    return try quickInspection(file.save(name)).findings.map(\.message)
}

@Suite("The quick inspection: the dynamic section")
struct QuickInspectionDynamicTests {
    @Test func fileWithoutDynamicSectionIsRefused() throws {
        let found = try messages("no-dynamic.so") { file in file[try file.segment(2), as: UInt32.self] = 0 }
        #expect(found.count == 1)
        #expect(
            found[0].hasSuffix("has no dynamic section (PT_DYNAMIC): it is linked statically and cannot be loaded."))
    }

    @Test func dynamicSectionElsewhereOrWithoutEndIsRefused() throws {
        #expect(
            try messages("dynamic-address.so") { file in
                file[try file.segment(2) + ELFBytes.address, as: UInt64.self] = 64
            }[0].contains("its dynamic section lies outside of the segments"))
        #expect(
            try messages("dynamic-huge.so") { file in
                file[try file.segment(2) + ELFBytes.fileSize, as: UInt64.self] = 1 << 40
            }[0].contains("at most 4096 are read"))
        #expect(
            try messages("dynamic-endless.so") { file in
                let segment = try file.segment(2)
                file[segment + ELFBytes.fileSize, as: UInt64.self] = 64
            }[0].contains("its dynamic section has no end mark"))
    }

    @Test("Addresses that the dynamic linker would follow out of the file are refused", .fault(80))
    func addressesOutside() throws {
        for (tag, name) in [
            (UInt64(5), "DT_STRTAB"), (6, "DT_SYMTAB"), (0x6FFF_FEF5, "DT_GNU_HASH"), (7, "DT_RELA"),
            (25, "DT_INIT_ARRAY"), (26, "DT_FINI_ARRAY"),
        ] {
            let found = try messages("outside-\(name).so") { file in
                file[try file.dynamicValue(tag), as: UInt64.self] = 0x7FFF_FFFF_FFFF
            }
            #expect(
                found.count == 1 && found[0].contains("(\(name)) lie outside of the segments that are loaded"),
                "\(found)")
        }
        #expect(
            try messages("syment.so") { $0[try $0.dynamicValue(11), as: UInt64.self] = 16 }[0].contains(
                "impossible size"))
        #expect(
            try messages("relasz.so") { $0[try $0.dynamicValue(8), as: UInt64.self] -= 1 }[0].contains(
                "impossible size"))
    }

    @Test("Tables without sizes, and sizes that do not fit, are refused", .fault(80))
    func impossibleSizes() throws {
        let none: UInt64 = 0x7000_0000
        for (name, tag) in [("DT_RELASZ", UInt64(8)), ("DT_RELAENT", 9), ("DT_INIT_ARRAYSZ", 27)] {
            let found = try messages("without-\(name).so") { $0[try $0.dynamicValue(tag) - 8, as: UInt64.self] = none }
            #expect(
                found.contains { $0.contains("impossible size") || $0.contains("tables without their sizes") },
                "\(name)")
        }
        #expect(
            try messages("relacount.so") { $0[try $0.dynamicValue(0x6FFF_FFF9), as: UInt64.self] = 1 << 20 }[0]
                .contains("have an impossible size"))
        #expect(
            try messages("no-versym.so") { file in
                if let versions = try? file.dynamicValue(0x6FFF_FFF0) { file[versions - 8, as: UInt64.self] = none }
                file[try file.dynamicValue(0x6FFF_FFFE), as: UInt64.self] = 64
            }.contains { $0.contains("tables without their sizes") })
    }

    @Test("Code and tables in segments of the wrong kind are refused", .fault(80))
    func wrongSegments() throws {
        #expect(
            try messages("init-data.so") { file in
                file[try file.dynamicValue(12), as: UInt64.self] = file[try file.dynamicValue(25), as: UInt64.self]
            }[0].contains("its initialiser (DT_INIT) lie outside of the segments"))
        let readOnly = try messages("dynamic-read-only.so") { file in
            file[try file.segment(1, file.segmentCount(1) - 1) + ELFBytes.flags, as: UInt32.self] = 4
        }
        #expect(readOnly.contains { $0.contains("PT_GNU_RELRO lies outside of the writable segments") })
        #expect(readOnly.contains { $0.contains("is marked as writable but is in a segment that is not") })
        var file = try ELFBytes(ELFFixtures.sound())
        file[try file.segment(4), as: UInt32.self] = 6  // a note as PT_PHDR
        #expect(
            try quickInspection(file.save("phdr.so")).findings.first?.message.contains("PT_PHDR does not name") == true)
    }

    @Test func fileThatForbidsDlopenIsRefused() throws {
        let path = try ELFFixtures.c("nodlopen.so", ELFFixtures.entry, ["-shared", "-Wl,-z,nodlopen"])
        #expect(try quickInspection(path).findings.map(\.message) == ["“\(path)” forbids being opened by dlopen()."])
    }

    @Test("RUNPATH: empty, current, relative and leaving elements are refused", .fault(69))
    func unsafeSearchPaths() throws {
        let bundle = ELFFixtures.directory + "/RunPath.bundle"
        func inspect(_ name: String, _ runPath: String, _ tags: String = "--enable-new-dtags") throws -> [PluginFinding]
        {
            let path = try ELFFixtures.c(
                "RunPath.bundle/Contents/Linux/\(name)", ELFFixtures.entryWithNote,
                ["-shared", "-Wl,\(tags)", "-Xlinker", "-rpath", "-Xlinker", runPath])
            return try quickInspection(path, bundle: bundle).findings
        }
        for (index, safe) in [
            "$ORIGIN", "/opt/x:$ORIGIN/lib", "${ORIGIN}/../Frameworks", "$ORIGIN/../..", "/usr/lib/../lib",
        ].enumerated() {
            #expect(try inspect("safe-\(index).so", safe) == [], "\(safe)")
        }
        let relative = try inspect("relative.so", "lib:.")
        let path = "\(bundle)/Contents/Linux/relative.so"
        #expect(
            relative.first
                == PluginFinding(
                    .unsafeSearchPath, filePath: path, subject: "lib",
                    message:
                        "“\(path)” has the relative element “lib” in its RUNPATH “lib:.”: it is relative to the "
                        + "host's current directory, where anybody may put a library.",
                    remedy: "Link it with -rpath '$ORIGIN' (swiftc: -Xlinker -rpath -Xlinker '$ORIGIN')."))
        #expect(relative.map(\.subject) == ["lib", "."])
        let empty = try inspect("empty-element.so", "/opt/x::/opt/y")
        #expect(empty.map(\.subject) == [""])
        #expect(
            empty[0].message.contains(
                "has an empty element in its RUNPATH “/opt/x::/opt/y”: it means the host's current directory"))
        let leaving = try inspect("leaving.so", "$ORIGIN/../../..")
        #expect(leaving.map(\.subject) == ["$ORIGIN/../../.."])
        #expect(leaving[0].message.contains("it leads out of the bundle, to “\(ELFFixtures.directory)”"))
        let old = try inspect("rpath.so", ".", "--disable-new-dtags")
        #expect(old.first?.message.contains("in its RPATH “.”") == true)
        #expect(try inspect("platform.so", "$LIB").map(\.code) == [.unsafeSearchPath])
        #expect(try inspect("origin-like.so", "$ORIGINAL/lib").map(\.code) == [.unsafeSearchPath])
    }

    /// The names are compared with those of the last file: another name of the same length must not be accepted.
    @Test func libraryThatTheProcessDoesNotHaveIsToldAfterAnyOtherFile() throws {
        var file = try ELFBytes(
            ELFFixtures.c("needs-libc.so", ELFFixtures.entryWithNote, ["-shared", "-Wl,--no-as-needed"]))
        let known = try file.save("needs-known.so")
        try file.replace("libc.so.6\0", by: "libx.so.6\0")
        let unknown = try file.save("needs-unknown.so")
        try file.replace("libx.so.6\0", by: "/ibx.so.6\0")
        let path = try file.save("needs-rooted.so")
        for _ in 0..<2 {
            #expect(try quickInspection(known).absentLibraries == [])
            #expect(try quickInspection(unknown).absentLibraries == ["libx.so.6"])
            #expect(try quickInspection(path).findings.map(\.code) == [.unsafeSearchPath])
        }
    }

    @Test("A library that is needed by a path is refused", .fault(70))
    func neededPath() throws {
        let library = try ELFFixtures.c("libno-soname.so", "int answer(void) { return 42; }")
        let path = try ELFFixtures.c(
            "needs-path.so", ELFFixtures.entry + "\nextern int answer(void); int use(void) { return answer(); }",
            ["-shared", library])
        #expect(
            try quickInspection(path).findings == [
                PluginFinding(
                    .unsafeSearchPath, filePath: path, subject: library,
                    message:
                        "“\(path)” needs the library “\(library)” by a path, which is used unchanged and never "
                        + "searched for.",
                    remedy:
                        "Give that library a SONAME (-Wl,-soname,libno-soname.so) and link again, so that it is "
                        + "needed by its name."
                )
            ])
    }
}

@Suite("The quick inspection: the entry symbol")
struct QuickInspectionEntryTests {
    @Test func hashOfTheEntrySymbolIsItsOwn() {
        #expect(QuickInspection.entryHash == gnuHash(of: ELFInspector.entrySymbol.utf8))
    }

    @Test("A missing entry symbol is reported by name", .fault(81), arguments: ["gnu", "sysv", "both"])
    func missingEntry(style: String) throws {
        let path = try ELFFixtures.c(
            "no-entry-\(style).so", "int other(void) { return 1; }", ["-shared", "-Wl,--hash-style=\(style)"])
        let finding = try #require(try quickInspection(path).findings.first)
        #expect(finding.code == .symbolMissing)
        #expect(finding.subject == "plugin_entry")
        #expect(
            finding.message
                == "“\(path)” does not export the function “plugin_entry”, so it is not a plug-in for this host.")
        #expect(finding.remedy.contains("@c(plugin_entry) public func pluginEntry"))
    }

    @Test("The entry is found in both kinds of hash table", arguments: ["gnu", "sysv", "both"])
    func entryIsFound(style: String) throws {
        let others = (0..<200).map { "int other_\($0)(void) { return \($0); }" }.joined(separator: "\n")
        let path = try ELFFixtures.c(
            "entry-\(style).so", others + "\n" + ELFFixtures.entryWithNote, ["-shared", "-Wl,--hash-style=\(style)"])
        #expect(try quickInspection(path).findings == [])
    }

    @Test("An entry that is data is refused", .fault(82))
    func entryIsData() throws {
        let path = try ELFFixtures.c("entry-data.so", "int plugin_entry = 1;")
        #expect(
            try quickInspection(path).findings.map(\.message) == [
                "“\(path)” defines “plugin_entry” as data, not as a function."
            ])
    }

    @Test("An entry that is hidden, or only used, is missing", .fault(81))
    func entryIsNotExported() throws {
        let hidden = try ELFFixtures.c(
            "entry-hidden.so",
            "__attribute__((visibility(\"hidden\"))) int plugin_entry(void) { return 0; } int other(void) { return 1; }"
        )
        #expect(try quickInspection(hidden).findings.map(\.code) == [.symbolMissing])
        let used = try ELFFixtures.c(
            "entry-used.so", "extern int plugin_entry(void); int other(void) { return plugin_entry(); }")
        #expect(try quickInspection(used).findings.map(\.code) == [.symbolMissing])
    }

    @Test("A hash table bent into a circle ends the search")
    func circularChain() throws {
        let path = try ELFFixtures.c(
            "sysv.so", "int other(void) { return 1; }", ["-shared", "-Wl,--hash-style=sysv"])
        var file = try ELFBytes(path)
        let table = Int(file[try file.dynamicValue(4), as: UInt64.self])
        let buckets = Int(file[table, as: UInt32.self])
        let chains = Int(file[table + 4, as: UInt32.self])
        for bucket in 0..<buckets { file[table + 8 + bucket * 4, as: UInt32.self] = 1 }
        for chain in 0..<chains { file[table + 8 + (buckets + chain) * 4, as: UInt32.self] = 1 }
        let found = try quickInspection(file.save("circle.so")).findings
        #expect(found.map(\.message).contains { $0.contains("has a chain of more than 4096 symbols, or a circle") })
    }

    @Test func damagedGNUHashTableIsRefused() throws {
        for (name, offset, value) in [
            ("buckets", 0, UInt32(0)), ("first", 4, 0xFFFF_FFFF), ("filter", 8, 3), ("filter-0", 8, 0),
        ] {
            let found = try messages("gnu-\(name).so") { file in
                let table = Int(file[try file.dynamicValue(0x6FFF_FEF5), as: UInt64.self])
                file[table + offset, as: UInt32.self] = value
            }
            #expect(found.count == 1 && found[0].contains("GNU hash table"), "\(name): \(found)")
        }
    }
}

@Suite("The quick inspection: the note")
struct QuickInspectionNoteTests {
    /// Where the descriptor of the note begins in a file.
    private func descriptor(_ file: ELFBytes) throws -> Int { try file.firstIndex(of: "PluginHost\0") + 12 }

    @Test("Another major version of the ABI: both are named", .fault(83))
    func otherMajor() throws {
        var file = try ELFBytes(ELFFixtures.sound())
        file[try descriptor(file) + 2, as: UInt16.self] = 7
        let path = try file.save("abi-7.so")
        #expect(
            try quickInspection(path).findings == [
                PluginFinding(
                    .abiMismatch, filePath: path, subject: "ABI 7.1",
                    message: "“\(path)” was built for version 7.1 of the plug-in ABI; this host has version 1.1.",
                    remedy:
                        "Build the plug-in with the plugin_abi.h of the PluginHost that this host uses, or install "
                        + "the version of the plug-in made for it."
                )
            ])
    }

    @Test("Another toolchain: both are named, and only Swift files are compared", .fault(83))
    func otherToolchain() throws {
        var file = try ELFBytes(ELFFixtures.sound())
        let start = try descriptor(file)
        file.bytes.replaceSubrange((start + 16 + 10)..<(start + 16 + 15), with: "OTHER".utf8)
        #expect(try quickInspection(file.save("c-toolchain.so")).findings == [])
        file[start + 8, as: UInt32.self] = 1  // PLUGIN_NOTE_SWIFT
        file[start + 6, as: UInt16.self] = 9
        let path = try file.save("swift-toolchain.so")
        let findings = try quickInspection(path).findings
        #expect(findings.map(\.code) == [.abiMismatch, .toolchainMismatch])
        #expect(
            findings[0].message
                == "“\(path)” was built for revision 9 of the Swift level of the ABI; this host has revision 3.")
        let host = PluginNote.hostToolchain
        let theirs = "OTHER" + host.dropFirst(5)
        #expect(findings[1].message == "“\(path)” was compiled by “\(theirs)”; this host was compiled by “\(host)”.")
        #expect(findings[1].remedy.contains("swift package clean"))
        #expect(findings[1].subject == theirs)
    }

    /// Plug-ins of revision 1 have an `ExtensionPoint` of another size.
    @Test func aPluginOfSwiftRevision1IsRefusedByItsNoteWithBothSidesNamed() throws {
        let source =
            ELFFixtures.entry
            + "\nstatic const plugin_note n PLUGIN_NOTE_ATTRIBUTES = PLUGIN_NOTE_INITIALIZER(PLUGIN_NOTE_SWIFT, 1);"
        let path = try ELFFixtures.c("swift-revision-1.so", source)
        #expect(
            try quickInspection(path).findings == [
                PluginFinding(
                    .abiMismatch, filePath: path, subject: "Swift revision 1",
                    message:
                        "“\(path)” was built for revision 1 of the Swift level of the ABI; this host has revision 3.",
                    remedy: "Build the plug-in against the version of PluginHost that this host uses.")
            ])
    }

    @Test func noteOfTheHostsToolchainFits() throws {
        let source =
            ELFFixtures.entry
            + "\nstatic const plugin_note n PLUGIN_NOTE_ATTRIBUTES = PLUGIN_NOTE_INITIALIZER(PLUGIN_NOTE_SWIFT, "
            + "PLUGIN_SWIFT_REVISION);"
        let inspection = try quickInspection(ELFFixtures.c("swift-note.so", source))
        #expect(inspection.findings == [])
        #expect(inspection.note?.isSwift == true)
        #expect(inspection.note?.toolchain == PluginNote.hostToolchain)
    }

    @Test func laterFormatAndDamagedSizesAreReported() throws {
        var file = try ELFBytes(ELFFixtures.sound())
        let start = try descriptor(file)
        file[start, as: UInt16.self] = 2
        #expect(
            try quickInspection(file.save("format-2.so")).findings.first?.message.hasSuffix(
                "has a note of format 2; this host reads format 1.") == true)
        file[start, as: UInt16.self] = 1
        file[start + 12, as: UInt32.self] = 0xFFFF_FFFF
        #expect(
            try quickInspection(file.save("payload.so")).findings.first?.message.hasSuffix(
                "whose sizes contradict each other.") == true)
        file[start - 20, as: UInt32.self] = 4
        #expect(try quickInspection(file.save("short-descriptor.so")).findings.map(\.code) == [.abiMismatch])
    }

    @Test func notesAlignedToFourAndEightBytesAreRead() throws {
        // One note of another owner before ours, so that the padding decides where ours is found.
        func notes(alignment: Int) -> [UInt8] {
            var bytes: [UInt8] = []
            func append(_ owner: String, _ type: UInt32, _ descriptor: [UInt8]) {
                for number in [UInt32(owner.utf8.count + 1), UInt32(descriptor.count), type] {
                    withUnsafeBytes(of: number) { bytes += $0 }
                }
                bytes += Array(owner.utf8) + [0]
                while bytes.count % alignment != 0 { bytes.append(0) }
                bytes += descriptor
                while bytes.count % alignment != 0 { bytes.append(0) }
            }
            append("GNU", 5, [1, 2, 3, 4])
            append("PluginHost", 1, [1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0])
            return bytes
        }
        for written in [4, 8] {
            for declared in [UInt64(4), 8, 1] {
                let bytes = notes(alignment: written)
                let found = bytes.withUnsafeBytes { Array(OwnNotes(in: $0, alignment: declared)).map(Array.init) }
                #expect(
                    found == [[1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]],
                    "written \(written), declared \(declared)")
            }
        }
        // A real file of 8-aligned notes.
        var file = try ELFBytes(ELFFixtures.sound())
        let start = try descriptor(file) - 24
        for index in 0..<file.segmentCount(4) {
            let segment = try file.segment(4, index)
            let offset = Int(file[segment + ELFBytes.fileOffset, as: UInt64.self])
            guard offset <= start, start < offset + Int(file[segment + ELFBytes.fileSize, as: UInt64.self]) else {
                continue
            }
            file[segment + ELFBytes.alignment, as: UInt64.self] = 8
        }
        #expect(try quickInspection(file.save("note-8.so")).note?.abiMajor == 1)
    }

    @Test func everyNoteOfAFileIsCompared() throws {
        let source =
            ELFFixtures.entryWithNote + """
                static const plugin_note second PLUGIN_NOTE_ATTRIBUTES = {
                    11, sizeof(plugin_note) - 24, PLUGIN_NOTE_TYPE, PLUGIN_NOTE_OWNER, {PLUGIN_NOTE_FORMAT, 3, 1, 0, 0, 0}, ""};
                """
        let inspection = try quickInspection(ELFFixtures.c("two-notes.so", source))
        #expect(inspection.findings.map(\.code) == [.abiMismatch])
        #expect(inspection.findings.first?.subject == "ABI 3.1")
    }
}
