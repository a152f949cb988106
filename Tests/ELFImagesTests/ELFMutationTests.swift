import Foundation
import TestSupport
import Testing

@testable import ELFImages

@Suite("Mutants of real files", .fault(80))
struct ELFMutationTests {
    /// “make fuzz-elf” loads 100,000.
    private static let mutantsOfEach = 3_000
    private static let seedOfSwift: UInt64 = 2

    /// Numbers at the edges of ranges.
    private static let edges: [UInt64] = [
        0, 1, 2, 3, 7, 8, 16, 24, 56, 64, 0x7F, 0xFF, 0xFFF, 0x1000, 0x7FFF, 0xFFFF, 0x7FFF_FFFF, 0xFFFF_FFFF,
        0x7FFF_FFFF_FFFF_FFFF, 0xFFFF_FFFF_FFFF_FFF8, .max,
    ]

    @Test("No mutant of a C file makes an inspection trap, hang or read without end")
    func mutantsOfC() throws {
        let library = try ELFFixtures.c(
            "mutant-library/libm1.so", "int m1(void) { return 1; }", ["-shared", "-Wl,-soname,libm1.so"])
        let path = try ELFFixtures.c(
            "mutants-c.so",
            ELFFixtures.entryWithNote
                + "#include <stdio.h>\nextern int m1(void), absent(void); int use(void) { return puts(\"x\") + m1() "
                + "+ absent(); }",
            [
                "-shared", library, "-Wl,-rpath,$ORIGIN/mutant-library", "-Wl,--hash-style=both",
                "-Wl,-z,max-page-size=4096",
            ])
        try inspectMutants(of: path, seed: 1)
    }

    @Test("No mutant of a Swift file makes an inspection trap, hang or read without end")
    func mutantsOfSwift() throws {
        let path = try ELFFixtures.swift(
            "mutants-swift.so", module: "Mutants",
            ELFFixtures.swiftEntry
                + "public final class A { final class B {} }\nextension String { class C {} }\nprotocol P {}"
                + "\npublic struct S { var a: [A]; var b: Int? }\npublic enum E { case one(S), two, three([String: Int?]) }"
        )
        try inspectMutants(of: path, seed: Self.seedOfSwift)
    }

    private func inspectMutants(of path: String, seed: UInt64) throws {
        let original = try ELFBytes(path)
        let fields = try Self.fields(of: original)
        let host = HostLibraries(.currentProcess(pluginLibraries: []), excluding: nil)
        var generator = SeededGenerator(seed: seed)
        var refused = 0
        for number in 0..<Self.mutantsOfEach {
            var mutant = original
            switch number % 3 {
            case 0:
                mutant.bytes[Int.random(in: 0..<mutant.bytes.count, using: &generator)] ^=
                    1 << UInt8.random(in: 0..<8, using: &generator)
            case 1:
                for _ in 0..<Int.random(in: 2...20, using: &generator) {
                    mutant.bytes[Int.random(in: 0..<mutant.bytes.count, using: &generator)] = .random(
                        in: 0...255, using: &generator)
                }
            default:
                for _ in 0..<Int.random(in: 1...3, using: &generator) {
                    let field = fields.randomElement(using: &generator)!
                    let value =
                        Bool.random(using: &generator)
                        ? Self.edges.randomElement(using: &generator)!
                        : UInt64.random(in: 0..<UInt64(mutant.bytes.count * 2), using: &generator)
                    switch field.size {
                    case 2: mutant[field.offset, as: UInt16.self] = UInt16(truncatingIfNeeded: value)
                    case 4: mutant[field.offset, as: UInt32.self] = UInt32(truncatingIfNeeded: value)
                    default: mutant[field.offset, as: UInt64.self] = value
                    }
                }
            }
            let file = try mutant.save("mutant-\(seed).so")
            let quick = try quickInspection(file)
            if !quick.isLoadable { refused += 1 }
            guard quick.hasSoundTables, let image = try? ELFFile(path: file) else { continue }
            var complete = CompleteInspection(
                of: image, bundlePath: ELFFixtures.directory, libraries: nil, quick: quick, host: host)
            complete.run()
            _ = image.classNames
            if seed == Self.seedOfSwift { _ = LibraryInterfaces.bySymbols(of: LinkedFile(image), hasFields: true) }
        }
        // Most changes hit code and strings, where nobody notices; changes of fields are noticed.
        #expect(refused > Self.mutantsOfEach / 10, "\(refused)")
    }

    /// The numbers of the headers and tables, which a careless reader trusts.
    private static func fields(of file: ELFBytes) throws -> [(offset: Int, size: Int)] {
        var fields: [(Int, Int)] = [
            (16, 2), (18, 2), (20, 4), (32, 8), (40, 8), (54, 2), (56, 2), (58, 2), (60, 2), (62, 2),
        ]
        for segment in 0..<file.segmentCountOfAll {
            let start = Int(file[ELFBytes.programHeaders, as: UInt64.self]) + segment * 56
            fields += [(start, 4), (start + 4, 4)]
            for field in stride(from: 8, to: 56, by: 8) { fields.append((start + field, 8)) }
        }
        let dynamic = try file.segment(2)
        let start = Int(file[dynamic + ELFBytes.fileOffset, as: UInt64.self])
        let size = Int(file[dynamic + ELFBytes.fileSize, as: UInt64.self])
        for field in stride(from: 0, to: size, by: 8) { fields.append((start + field, 8)) }
        for tag in [UInt64(4), 6, 7, 0x6FFF_FEF5, 0x6FFF_FFF0, 0x6FFF_FFFC, 0x6FFF_FFFE] {
            guard let value = try? file.dynamicValue(tag) else { continue }
            let table = Int(file[value, as: UInt64.self])
            for field in stride(from: 0, to: 256, by: 4) where table + field + 4 <= file.bytes.count {
                fields.append((table + field, 4))
            }
        }
        let image = try ELFFile(path: ELFFixtures.file("fields.so", file.bytes))
        for section in image.sections
        where ["swift5_type_metadata", "swift5_protocols", "swift5_fieldmd"].contains(section.name)
            || section.name == ".note.pluginhost" || section.name == ".rodata"
        {
            for field in stride(from: 0, to: Int(min(section.size, 1024)) & ~3, by: 4) {
                fields.append((Int(section.offset) + field, 4))
            }
        }
        let sections = Int(file[40, as: UInt64.self])
        for field in stride(from: sections, to: file.bytes.count - 8, by: 8) { fields.append((field, 8)) }
        return fields
    }
}
