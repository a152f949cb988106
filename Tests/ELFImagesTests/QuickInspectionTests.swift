import Foundation
import TestSupport
import Testing

@testable import ELFImages
@testable import HostBasics

/// The findings of the check before every load for a file.
func quickInspection(_ path: String, bundle: String = ELFFixtures.directory) throws -> ELFInspection {
    let file = try OpenedFile(path: path)
    return ELFInspector.inspectQuickly(file, path: path, bundlePath: bundle)
}

/// The messages about a sound file after one change.
private func messages(_ name: String, _ change: (inout ELFBytes) throws -> Void) throws -> [String] {
    var file = try ELFBytes(ELFFixtures.sound())
    try change(&file)
    return try quickInspection(file.save(name)).findings.map(\.message)
}

@Suite("The quick inspection: what kind of file it is")
struct QuickInspectionKindTests {
    @Test func soundFileHasNoFinding() throws {
        let inspection = try quickInspection(ELFFixtures.sound())
        #expect(inspection.findings == [])
        #expect(inspection.isLoadable)
        #expect(inspection.note?.abiMajor == 1)
        #expect(inspection.note?.isSwift == false)
        #expect(inspection.fingerprint != 0)
    }

    @Test("A file of 0, 10 or 64 bytes is reported in words", .fault(58))
    func shortFiles() throws {
        let path = try ELFFixtures.file("empty.so", [])
        #expect(
            try quickInspection(path).findings == [
                PluginFinding(
                    .notLoadable, filePath: path, message: "“\(path)” is empty.",
                    remedy: "Build or copy the plug-in again, and compare its size and checksum with the original.")
            ])
        let bytes = try ELFBytes(ELFFixtures.sound()).bytes
        let ten = try ELFFixtures.file("10-bytes.so", bytes.prefix(10))
        #expect(
            try quickInspection(ten).findings.map(\.message) == [
                "“\(ten)” is truncated: it has 10 bytes, and the ELF header alone has 64."
            ])
        let header = try ELFFixtures.file("64-bytes.so", bytes.prefix(64))
        let found = try #require(try quickInspection(header).findings.first)
        #expect(found.code == .notLoadable)
        #expect(found.message.contains("is truncated or damaged: its program headers end at byte"))
        let three = try ELFFixtures.file("3-bytes.so", bytes.prefix(3))
        #expect(try quickInspection(three).findings.count == 1)
    }

    @Test("A script and other formats are named", .fault(60))
    func foreignFormats() throws {
        let kinds: [(content: [UInt8], name: String)] = [
            (Array("#!/bin/sh\nexit 0\n".utf8), "a script (“#!/bin/sh”)"),
            (Array("/* GNU ld script */\nGROUP ( libreal.so.1 )\n".utf8), "a linker script, which only a linker reads"),
            (Array("INPUT(libreal.so.1)\n".utf8), "a linker script, which only a linker reads"),
            (Array("!<arch>\nx.o/".utf8), "a static archive"),
            (Array("version https://git-lfs.github.com/spec/v1\n".utf8), "a pointer of Git LFS"),
            (Array("Hello, this is a letter.\n".utf8), "a text file"),
            ([0xCF, 0xFA, 0xED, 0xFE, 7, 0, 0, 1], "a Mach-O file of Apple's systems"),
            (Array("MZ".utf8) + [0x90, 0], "a Windows executable"),
            ([UInt8](repeating: 0, count: 5000), "filled with zero bytes"),
            ([0x1F, 0x8B, 8, 0, 1], "a file of an unknown format"),
        ]
        for (index, kind) in kinds.enumerated() {
            let path = try ELFFixtures.file("foreign-\(index).so", kind.content)
            #expect(
                try quickInspection(path).findings.map(\.message) == [
                    "“\(path)” is \(kind.name), not an ELF shared object."
                ])
        }
    }

    @Test("A script's first line cannot forge the message", .fault(13))
    func scriptLineIsEscaped() throws {
        let path = try ELFFixtures.file("escape.so", Array("#!/bin/\u{1B}[2Jsh\r\n".utf8))
        let message = try #require(try quickInspection(path).findings.first?.message)
        #expect(message.contains(#"“#!/bin/\u{1B}[2Jsh"#))
        #expect(!message.unicodeScalars.contains("\u{1B}"))
    }

    @Test("A program, an object file and a core dump are not shared objects", .fault(61))
    func otherTypes() throws {
        let source = ELFFixtures.entry + "\nint main(void) { return plugin_entry(0); }\n"
        let fixed = try ELFFixtures.c("fixed-program", source, ["-no-pie", "-fno-PIE"])
        #expect(
            try quickInspection(fixed).findings.map(\.message) == [
                "“\(fixed)” is a program (ET_EXEC), not a shared object."
            ])
        let movable = try ELFFixtures.c("pie-program", source, ["-pie", "-Wl,--export-dynamic"])
        #expect(
            try quickInspection(movable).findings.map(\.message) == [
                "“\(movable)” is a program (a position-independent executable), not a shared object."
            ])
        let object = try ELFFixtures.c("object.o", ELFFixtures.entry, ["-c"])
        let finding = try #require(try quickInspection(object).findings.first)
        #expect(finding.message == "“\(object)” is an object file that was not linked (ET_REL), not a shared object.")
        #expect(finding.remedy == "Link it: clang -shared -o plugin.so \(object)")
        #expect(
            try messages("core.so") { $0[ELFBytes.type, as: UInt16.self] = 4 }.first?.contains("is a core dump") == true
        )
        #expect(
            try messages("type-99.so") { $0[ELFBytes.type, as: UInt16.self] = 99 }.first?.contains("unknown type 99")
                == true)
    }

    @Test("Another machine, class or byte order: both sides are named", .fault(62))
    func otherPlatforms() throws {
        let host = ELF.name(ofMachine: ELF.hostMachine)
        let other: UInt16 = ELF.hostMachine == 183 ? 62 : 183
        let name = ELF.name(ofMachine: other)
        let machine = try messages("machine.so") { $0[ELFBytes.machine, as: UInt16.self] = other }
        #expect(machine.count == 1)
        #expect(machine[0].hasSuffix("machine.so” is for \(name); this host runs on \(host)."))
        let narrow = try messages("class32.so") { file in
            file.bytes[4] = 1
            file[ELFBytes.machine, as: UInt16.self] = 3
        }
        #expect(narrow[0].hasSuffix("is for i386 in 32-bit form; this host runs on \(host) in 64-bit form."))
        let swapped = try messages("byte-order.so") { file in
            file.bytes[5] = ELF.hostByteOrder == 1 ? 2 : 1
            file[ELFBytes.machine, as: UInt16.self] = UInt16(22).byteSwapped
        }
        #expect(
            swapped[0].contains(
                "is for s390x, \(ELF.name(ofByteOrder: ELF.hostByteOrder == 1 ? 2 : 1)); this host runs on \(host), "))
        #expect(try messages("class-7.so") { $0.bytes[4] = 7 }[0].contains("in the unknown class 7"))
        #expect(try messages("freebsd.so") { $0.bytes[7] = 9 }[0].hasSuffix("is for FreeBSD; this host runs on Linux."))
        #expect(try messages("version.so") { $0.bytes[6] = 2 }[0].contains("its ELF version is 2 and 1"))
    }

    /// Files of sysfs report a page and have less: they look like a file that is cut off while it is read.
    private static let shorterThanItsSize = [
        "/sys/devices/system/cpu/online", "/sys/kernel/mm/transparent_hugepage/enabled",
    ].first { FileIdentity(path: $0).map { $0.size >= 4096 } ?? false }

    @Test(
        "A file that gives fewer bytes than its size says was changed under the reader",
        .enabled(if: shorterThanItsSize != nil, "no sysfs is mounted"))
    func shrinkingFile() throws {
        let path = try #require(Self.shorterThanItsSize)
        #expect(
            try quickInspection(path).findings == [
                PluginFinding(
                    .executableChanged, filePath: path, message: "“\(path)” became shorter while it was read.",
                    remedy: "To install it, write a new file and rename it over the old one.")
            ])
    }
}

@Suite("The quick inspection: segments")
struct QuickInspectionSegmentTests {
    @Test("Truncation is reported with the number of missing bytes, at 1 to 99 %", .fault(59))
    func truncation() throws {
        let bytes = try ELFBytes(ELFFixtures.sound()).bytes
        for percent in 1...99 {
            let count = bytes.count * percent / 100
            let path = try ELFFixtures.file("truncated.so", bytes.prefix(count))
            let findings = try quickInspection(path).findings
            let messages = findings.map(\.message)
            #expect(
                findings.allSatisfy { $0.code == .notLoadable && $0.severity == .error }, "\(percent) %: \(messages)")
            #expect(messages.contains { $0.contains("is truncated") }, "\(percent) %: \(messages)")
            if count > 4096 {
                #expect(
                    messages == [
                        "“\(path)” is truncated: the last \(bytes.count - count) of its \(bytes.count) bytes are "
                            + "missing."
                    ])
            }
            #expect(
                ELFInspector.inspectCompletely(
                    path: path, bundlePath: "/", surroundings: .currentProcess(pluginLibraries: [])) == findings)
        }
    }

    @Test("phnum 65535 and a huge phoff are refused", .fault(63, 64))
    func impossibleProgramHeaders() throws {
        #expect(
            try messages("phnum.so") { $0[ELFBytes.programHeaderCount, as: UInt16.self] = 65535 }[0].hasSuffix(
                "is damaged: it claims 65535 program headers; at most 64 are read."))
        #expect(
            try messages("phnum-0.so") { $0[ELFBytes.programHeaderCount, as: UInt16.self] = 0 }[0].contains(
                "has no program headers"))
        #expect(
            try messages("phoff.so") { $0[ELFBytes.programHeaders, as: UInt64.self] = .max - 8 }[0].contains(
                "its program headers claim to begin at byte 18446744073709551607"))
        #expect(
            try messages("phoff-2.so") { $0[ELFBytes.programHeaders, as: UInt64.self] = 1 << 62 }[0].contains(
                "is truncated or damaged"))
        #expect(
            try messages("phentsize.so") { $0[ELFBytes.programHeaderSize, as: UInt16.self] = 32 }[0].contains(
                "claim to have 32 bytes each"))
    }

    @Test("An executable stack is refused", .fault(65))
    func executableStack() throws {
        let linked = try ELFFixtures.c("execstack.so", ELFFixtures.entryWithNote, ["-shared", "-Wl,-z,execstack"])
        #expect(
            try quickInspection(linked).findings.map(\.message) == [
                "“\(linked)” requires an executable stack, which would make the host's own stack executable."
            ])
        let unmarked = try messages("no-gnu-stack.so") { file in
            file[try file.segment(0x6474_E551), as: UInt32.self] = 0
        }
        #expect(unmarked.count == (ELF.stackIsExecutableByDefault ? 1 : 0))
        if ELF.stackIsExecutableByDefault { #expect(unmarked[0].contains("it has no PT_GNU_STACK")) }
    }

    @Test("A segment that is writable and executable is refused", .fault(66))
    func writableCode() throws {
        let found = try messages("rwx.so") { file in
            file[try file.segment(1, 1) + ELFBytes.flags, as: UInt32.self] = 7
        }
        #expect(found.count == 1)
        #expect(found[0].contains("has a segment that is both writable and executable (segment "))
    }

    @Test func segmentsThatContradictTheFileAreRefused() throws {
        #expect(
            try messages("filesz.so") { file in
                let segment = try file.segment(1, 1)
                file[segment + ELFBytes.memorySize, as: UInt64.self] = 1
            }.contains { $0.contains("but only 1 in memory") })
        #expect(
            try messages("overflow.so") { file in
                file[try file.segment(1) + ELFBytes.memorySize, as: UInt64.self] = .max
            }.contains { $0.contains("overlaps the one before it") })
        #expect(
            try messages("sum.so") { file in
                file[try file.segment(1, 1) + ELFBytes.fileSize, as: UInt64.self] = .max
            }.contains { $0.contains("ends beyond the largest number") })
        #expect(
            try messages("unordered.so") { file in
                let (first, second) = (try file.segment(1), try file.segment(1, 1))
                for index in 0..<56 { file.bytes.swapAt(first + index, second + index) }
            }.contains { $0.contains("or they are out of order") })
        #expect(
            try messages("alignment.so") { file in
                file[try file.segment(1) + ELFBytes.alignment, as: UInt64.self] = 16
            }.contains { $0.contains("has segments aligned to 16 bytes; a page of this machine has") })
        #expect(
            try messages("congruence.so") { file in
                file[try file.segment(1, 1) + ELFBytes.address, as: UInt64.self] += 8
            }.contains { $0.contains("has different offsets within its page in memory") })
        #expect(
            try messages("span.so") { file in
                let last = try file.segment(1, file.segmentCount(1) - 1)
                file[last + ELFBytes.memorySize, as: UInt64.self] = 1 << 50
            }.contains { $0.contains("bytes of address space") })
        #expect(
            try messages("relro.so") { file in
                file[try file.segment(0x6474_E552) + ELFBytes.address, as: UInt64.self] = 1 << 40
            }.contains { $0.contains("PT_GNU_RELRO lies outside") })
        #expect(
            try messages("no-load.so") { file in
                for _ in 0..<file.segmentCount(1) { file[try file.segment(1), as: UInt32.self] = 0 }
            }.contains { $0.contains("has no segment to load") })
    }

    @Test("The setuid bit is an error, a missing executable bit is not", .fault(71, 72))
    func modes() throws {
        let bytes = try ELFBytes(ELFFixtures.sound()).bytes
        let path = try ELFFixtures.file("setuid.so", bytes)
        #expect(chmod(path, 0o4755) == 0)
        #expect(
            try quickInspection(path).findings == [
                PluginFinding(
                    .notLoadable, filePath: path,
                    message: "“\(path)” has its setuid bit set, which no shared object needs.",
                    remedy: "Run: chmod u-s,g-s \(path)")
            ])
        #expect(chmod(path, 0o2755) == 0)
        #expect(try quickInspection(path).findings.first?.message.contains("its setgid bit set") == true)
        #expect(chmod(path, 0o644) == 0)
        #expect(try quickInspection(path).findings == [])
    }
}

extension ELFBytes {
    func segmentCount(_ type: UInt32) -> Int {
        let start = Int(self[Self.programHeaders, as: UInt64.self])
        return (0..<Int(self[Self.programHeaderCount, as: UInt16.self]))
            .count { self[start + $0 * 56, as: UInt32.self] == type }
    }
}
