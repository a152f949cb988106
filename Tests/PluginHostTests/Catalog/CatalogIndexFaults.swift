import CatalogIndexing
import ELFImages
import Glibc
import HostBasics
import TestSupport
import Testing

@_spi(Tools) @testable import PluginHost

/// Faults in an index's bytes, or differences between them and the bundles.
@Suite struct CatalogIndexFaults {
    private static func tree() throws -> CatalogTree {
        try CatalogTree([
            "a/A.bundle": CatalogTree.list("org.example.a", offers: "one", at: "p"),
            "a/B.bundle": CatalogTree.list("org.example.a", "0.9"), "a/C.bundle": "broken",
            "b/D.bundle": CatalogTree.list("d", "2", "PHCapabilities = (x);"),
            "b/E.bundle": CatalogTree.list(
                "e", "1",
                """
                NSExtensions = (mid); CFBundleDocumentTypes = ({ LSItemContentTypes = ("org.score"); });
                UTExportedTypeDeclarations = ({ UTTypeIdentifier = "org.score"; UTTypeConformsTo = "public.audio"; });
                """),
        ])
    }

    /// Uses everything in an index, as a catalogue does.
    private func read(_ index: CatalogIndex) {
        for number in 0..<index.candidateCount {
            let candidate = PluginCandidate(index, index.candidateRow(number))
            _ = (candidate.path, candidate.verdict, candidate.explanation, candidate.searchPath, candidate.error)
        }
        for number in 0..<index.pluginCount { _ = (index.plugin(number), index.inLoadOrder(number)) }
        _ = (index.plugin(identifier: "d"), index.extensionRows(at: "p"))
        _ = index.openings(ofName: "a.mid", host: [])
        for type in ["audio/*", "org.score"] { _ = index.openings(ofType: type, host: []) }
    }

    @Test func anIndexIsReadUnchanged() throws {
        let index = try Self.tree().scan("a", "b")
        let again = try CatalogIndex(bytes: index.bytes)
        #expect(again.folders == index.folders && again.candidateCount == 5 && again.pluginCount == 2)
        #expect((0..<5).allSatisfy { again.record(again.candidateRow($0)) == index.record(index.candidateRow($0)) })
        read(again)
    }

    @Test(.fault(108)) func everyTruncationIsNoticed() throws {
        let bytes = try Self.tree().scan("a", "b").bytes
        for length in 0..<bytes.count {
            #expect(throws: CatalogIndex.Fault.self) { try CatalogIndex(bytes: Array(bytes[..<length])) }
        }
    }

    @Test(.fault(109)) func everyFlippedByteIsNoticed() throws {
        let bytes = try Self.tree().scan("a", "b").bytes
        for position in bytes.indices {
            for mask: UInt8 in [0x01, 0x80, 0xFF] {
                var damaged = bytes
                damaged[position] ^= mask
                #expect(throws: CatalogIndex.Fault.self) { try CatalogIndex(bytes: damaged) }
            }
        }
    }

    @Test(.fault(110), arguments: [-1, 1]) func anotherFormatIsRefused(difference: Int) throws {
        var bytes = try Self.tree().scan("a", "b").bytes
        bytes[8] = UInt8(Int(bytes[8]) + difference)
        let damage = #expect(throws: CatalogIndex.Fault.self) { try CatalogIndex(bytes: bytes) }
        #expect(damage?.reason.contains("format") == true)
    }

    @Test(.fault(111)) func aTailOfZerosIsNoticed() throws {
        let bytes = try Self.tree().scan("a", "b").bytes
        for length in [16, 100, bytes.count - 8] {
            let zeroed = bytes.dropLast(length) + [UInt8](repeating: 0, count: length)
            #expect(throws: CatalogIndex.Fault.self) { try CatalogIndex(bytes: Array(zeroed)) }
        }
        #expect(throws: CatalogIndex.Fault.self) { try CatalogIndex(bytes: bytes + [0, 0, 0, 0, 0, 0, 0, 0]) }
    }

    @Test(.fault(123), arguments: [UInt64(1) << 63, .max, 1 << 62, 1 << 40])
    func countsBeyondTheFileAreRefusedBeforeMemoryIsAllocated(count: UInt64) throws {
        let bytes = try Self.tree().scan("a", "b").bytes
        for word in 4...8 {
            let damaged = sealed(bytes) { $0[8 * word..<8 * word + 8] = Self.bytes(count) }
            #expect(throws: CatalogIndex.Fault.self) { try CatalogIndex(bytes: damaged) }
        }
    }

    @Test(.fault(122)) func aCandidateThatLeadsOutOfItsFolderIsRefused() throws {
        let index = try Self.tree().scan("a", "b")
        let name = index.candidateRow(0).name
        for hostile in ["../xxxxx", "a/bundle", "..", ".", ""] {
            let damaged = sealed(index.bytes) { bytes in
                let start = IndexHeader.size + 48
                bytes[start + 4..<start + 8] = Self.bytes(UInt32(hostile.utf8.count))
                for (offset, byte) in hostile.utf8.enumerated() { bytes[name.offset + offset] = byte }
            }
            let damage = #expect(throws: CatalogIndex.Fault.self) { try CatalogIndex(bytes: damaged) }
            #expect(damage?.reason == "a candidate leads outside of its folder")
        }
    }

    @Test(.fault(122)) func rowsOfOtherFoldersThanTheCataloguesAreDropped() throws {
        let tree = try Self.tree()
        tree.settle()
        let other = tree.scan("b")
        let index = tree.scan("a", old: other)
        #expect(index.folders.map(\.path) == [tree("a")] && index.plugin(identifier: "d") == nil)
    }

    @Test func anyBytesUnderARightSealAreReadOrRefused() throws {
        let bytes = try Self.tree().scan("a", "b").bytes
        var random = SeededGenerator(seed: 4)
        for _ in 0..<5_000 {
            let damaged = sealed(bytes) { bytes in
                for _ in 0..<Int.random(in: 1...4, using: &random) {
                    bytes[Int.random(in: 32..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
                }
            }
            if let index = try? CatalogIndex(bytes: damaged) { read(index) }
        }
    }

    @Test(.fault(118)) func otherContentUnderTheSameTimeIsNoticed() throws {
        let tree = try CatalogTree(["a/X.bundle": CatalogTree.list("x", "1.0")])
        let list = tree("a/X.bundle/Contents/Info.plist")
        setModified(list, seconds: 1_000_000_000)
        tree.settle()
        let index = tree.scan("a")
        #expect(tree.scan("a", old: index) === index)
        try tree.write("a/X.bundle", CatalogTree.list("x", "2.0"))
        setModified(list, seconds: 1_000_000_000)
        let renewed = tree.scan("a", old: index)
        #expect(renewed.record(renewed.candidateRow(0)).shortVersion == "2.0")
    }

    @Test(.fault(119)) func aChangeUnderAClockThatWasSetBackIsNoticed() throws {
        let tree = try CatalogTree(["a/X.bundle": CatalogTree.list("x", "1.0")])
        let list = tree("a/X.bundle/Contents/Info.plist")
        setModified(list, seconds: 2_000_000_000)
        tree.settle()
        let index = tree.scan("a")
        #expect(tree.scan("a", old: index) === index)
        try tree.write("a/X.bundle", CatalogTree.list("x", "2.0"))
        setModified(list, seconds: 1_000_000_000)
        let renewed = tree.scan("a", old: index)
        #expect(renewed.record(renewed.candidateRow(0)).shortVersion == "2.0")
    }

    @Test func aRangeOfAChangedInfoListIsNotTakenFromTheIndex() throws {
        func list(_ range: String) -> String {
            CatalogTree.list("x", "1.0", "PHHostRequires = \"\(range)\"; PHRequires = { y = \"\(range)\"; };")
        }
        let rules = CatalogRules(hostVersion: "2.5")
        let tree = try CatalogTree(["a/X.bundle": list(">=1.0 <2.0")])
        let file = tree("a/X.bundle/Contents/Info.plist")
        setModified(file, seconds: 1_000_000_000)
        tree.settle()
        // As another process reads it.
        let index = try CatalogIndex(bytes: tree.scan("a", rules: rules).bytes)
        #expect(index.candidateRow(0).verdict == .incompatible)
        // Of the same length, under the same time.
        try tree.write("a/X.bundle", list(">=2.0 <3.0"))
        setModified(file, seconds: 1_000_000_000)
        let renewed = tree.scan("a", rules: rules, old: index)
        let record = renewed.record(renewed.candidateRow(0))
        #expect(record.hostRequires?.description == ">=2.0 <3.0" && record.requires["y"] == record.hostRequires)
        #expect(renewed.candidateRow(0).verdict != .incompatible)
    }

    @Test func aFileThatWasChangedAMomentAgoIsReadAgain() throws {
        let tree = try CatalogTree(["a/X.bundle": CatalogTree.list("x", "1.0")])
        var identity = try #require(FileIdentity(path: tree("a/X.bundle/Contents/Info.plist")))
        identity.changed = 5_123_456_789
        #expect(!identity.isSettled(at: 5_130_000_000) && identity.isSettled(at: 5_200_000_000))
        // Whole seconds, as on a file system with coarse time stamps.
        identity.changed = 5_000_000_000
        #expect(!identity.isSettled(at: 6_500_000_000) && identity.isSettled(at: 7_500_000_000))
        // The clock was set back, or belongs to another machine.
        identity.changed = 90_123_456_789
        #expect(identity.isSettled(at: 5_000_000_000))
    }

    // MARK: Steps

    /// Changed bytes with a matching checksum.
    private func sealed(_ bytes: [UInt8], _ change: (inout [UInt8]) -> Void) -> [UInt8] {
        var bytes = bytes
        change(&bytes)
        let sum = bytes.withUnsafeBytes { IndexHeader.checksum(UnsafeRawBufferPointer(rebasing: $0[32...])) }
        bytes[24..<32] = Self.bytes(sum)
        return bytes
    }

    private static func bytes<Number: FixedWidthInteger>(_ number: Number) -> ArraySlice<UInt8> {
        withUnsafeBytes(of: number.littleEndian) { ArraySlice($0) }
    }
}
