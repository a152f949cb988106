import Foundation
import InterfaceRecords
import PropertyLists
import TestSupport
import Testing

@testable import ELFImages
@testable import HostBasics

/// The section of a library with the record of its interfaces.
@Suite("Section of interfaces") struct InterfaceSectionTests {
    private let record = InterfaceRecord(modules: [
        "API": .init(hasEvolution: true, interfaces: ["API.Filter": .init(requirements: ["a() -> ()"])])
    ])

    /// A library with a section.
    private func library(_ name: String, content: [UInt8]? = nil) throws -> String {
        let sound = try ELFFixtures.sound()
        let path = try ELFFixtures.file(name, Data(contentsOf: URL(fileURLWithPath: sound)))
        let bytes = try content ?? Array(PropertyListWriter.xml(record.list).utf8)
        try InterfaceSectionWriter.write(bytes, into: path)
        return path
    }

    private func run(_ tool: String, _ arguments: [String]) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [tool] + arguments
        process.standardError = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0, "\(tool)")
    }

    @Test func aLibraryKeepsItsRecordWhenItIsStripped() throws {
        let path = try library("with-record.so")
        #expect(InterfaceSection.read(path: path) == .record(record))
        #expect(completeInspection(path) == [])
        try run("strip", ["--strip-all", path])
        #expect(InterfaceSection.read(path: path) == .record(record))
        #expect(dlopen(path, RTLD_NOW | RTLD_LOCAL) != nil)
        #expect(InterfaceSection.read(path: try ELFFixtures.sound()) == .absent)
        #expect(InterfaceSection.read(path: "/nonexistent") == .absent)
    }

    @Test func aSecondRecordReplacesTheFirst() throws {
        let path = try library("with-two-records.so")
        var other = record
        other.modules["Other"] = .init(hasEvolution: false)
        try InterfaceSectionWriter.write(Array(PropertyListWriter.xml(other.list).utf8), into: path)
        #expect(InterfaceSection.read(path: path) == .record(other))
    }

    @Test func aFileWithoutATableOfSectionsIsRefusedAndUnchanged() throws {
        let path = try ELFFixtures.file("no-sections.so", "not a library".utf8)
        let error = #expect(throws: PluginFinding.self) { try InterfaceSectionWriter.write([1], into: path) }
        #expect(error?.code == .notLoadable)
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data("not a library".utf8))
    }

    /// Changes the header of the section.
    private func damaged(_ name: String, _ change: (inout [UInt8], _ header: Int) -> Void) throws -> String {
        let path = try library(name)
        var bytes = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
        let table = bytes.withUnsafeBytes { Int($0.loadUnaligned(fromByteOffset: 40, as: UInt64.self)) }
        let count = bytes.withUnsafeBytes { Int($0.loadUnaligned(fromByteOffset: 60, as: UInt16.self)) }
        change(&bytes, table + (count - 1) * 64)
        return try ELFFixtures.file(name, bytes)
    }

    private func reason(_ content: InterfaceSection.Content) -> String? {
        if case .unusable(let reason) = content { reason } else { nil }
    }

    @Test(.fault(655)) func aSectionThatCannotBeReadIsNamedWithItsReason() throws {
        let compressed = try damaged("compressed-record.so") { $0[$1 + 9] |= 8 }
        #expect(reason(InterfaceSection.read(path: compressed)) == "is compressed")
        let past = try damaged("record-past-the-end.so") { $0[$1 + 28] = 1 }
        #expect(reason(InterfaceSection.read(path: past)) == "ends after the end of the file")
        let large = try damaged("large-record.so") { $0[$1 + 34] = 5 }
        #expect(
            reason(InterfaceSection.read(path: large))
                == "has \(5 << 16 | size(of: large) & 0xFFFF) bytes; the limit is 262144")
        let empty = try damaged("record-without-bytes.so") { $0[$1 + 4] = 8 }
        #expect(reason(InterfaceSection.read(path: empty)) == "has no content in the file")
        // Two sections of one name: another one gets the name of the record's.
        let doubled = try damaged("doubled-record.so") { bytes, header in
            bytes.replaceSubrange(header - 64..<header - 60, with: Array(bytes[header..<header + 4]))
        }
        #expect(reason(InterfaceSection.read(path: doubled)) == "is in the file 2 times")
        // None of them keeps the file from being used.
        for path in [compressed, past, large, empty, doubled] { #expect(completeInspection(path) == []) }
    }

    private func size(of path: String) -> Int {
        guard let bytes = try? Data(contentsOf: URL(fileURLWithPath: path)) else { return 0 }
        return Array(bytes).withUnsafeBytes { bytes in
            let table = Int(bytes.loadUnaligned(fromByteOffset: 40, as: UInt64.self))
            let count = Int(bytes.loadUnaligned(fromByteOffset: 60, as: UInt16.self))
            return Int(bytes.loadUnaligned(fromByteOffset: table + (count - 1) * 64 + 32, as: UInt64.self))
        }
    }

    @Test(.fault(654, 656)) func aDamagedRecordAndALaterFormatAreReasonsToo() throws {
        let damaged = try library("damaged-record.so", content: Array("bplist00 damaged".utf8))
        #expect(reason(InterfaceSection.read(path: damaged))?.hasPrefix("is damaged: ") == true)
        let later = try library("later-record.so", content: Array("{ Format = 7; }".utf8))
        #expect(
            InterfaceSection.read(path: later) == .unusable("is damaged: The key Format is a string, not an integer."))
        let xml = try PropertyListWriter.xml(.dictionary(["Format": .integer(7)]))
        let next = try library("next-record.so", content: Array(xml.utf8))
        #expect(InterfaceSection.read(path: next) == .unusable("has the format 7; this version reads 1"))
    }

    @Test(.fault(654, 655)) func mutatedSectionsCrashNothing() throws {
        let path = try library("mutated-record.so")
        let sound = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
        var random = SeededGenerator(seed: 34)
        for _ in 0..<500 {
            var bytes = sound
            for _ in 0..<Int.random(in: 1...8, using: &random) {
                // The section, its name and the table of sections are at the end.
                let place = sound.count - 1 - Int.random(in: 0..<3000, using: &random)
                bytes[max(64, place)] = UInt8.random(in: 0...255, using: &random)
            }
            let mutant = try ELFFixtures.file("mutant-record.so", bytes)
            _ = InterfaceSection.read(path: mutant)
        }
    }
}
