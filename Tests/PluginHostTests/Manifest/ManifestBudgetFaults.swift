import BundleReading
import CatalogIndexing
import Glibc
import HostBasics
import PropertyLists
import TestSupport
import Testing

@_spi(Tools) @testable import PluginHost

/// Lists of bundles that grow, or that are small and expand to much.
@Suite struct ManifestBudgetFaults {
    @Test(.fault(27)) func aListThatGrowsOrShrinksWhileItIsReadIsRefused() throws {
        let tree = try TemporaryTree(["Info.plist": "{ CFBundleIdentifier = x; }"])
        let file = try OpenedFile(path: tree("Info.plist"))
        // Between examining the file and reading it.
        try tree.write(
            "Info.plist", "{ CFBundleIdentifier = x; CFBundleName = \"\(String(repeating: "y", count: 9_999))\"; }")
        try Self.expectRefusal(of: file, tree("Info.plist"))
        try tree.write("Info.plist", "{}")
        try Self.expectRefusal(of: file, tree("Info.plist"))
    }

    private static func expectRefusal(of file: borrowing OpenedFile, _ path: String) throws {
        var finding: PluginFinding?
        do throws(PluginFinding) { _ = try ManifestReader.read(file, path: path) } catch { finding = error }
        #expect(finding?.code == .manifestUnreadable)
        #expect(finding?.message.contains("changed while it was read") == true)
    }

    @Test(.fault(37)) func sharedReferences40DeepTake50MillisecondsAnd16MiBAtMost() async {
        await #expect(processExitsWith: .success) {
            var list = BinaryListFixture()
            var last = list.add([9])
            for _ in 0..<40 {
                let reference = BinaryListFixture.bigEndian(last, 4)
                last = list.add([0xA2] + reference + reference)
            }
            let bytes = list.bytes(top: last)
            let (memory, time) = (ProcessUse.mostMemory, ProcessUse.processorTime)
            var code = PropertyListFault.Code.empty
            do throws(PropertyListFault) { _ = try PropertyListReader.read(bytes) } catch { code = error.code }
            let taken = ProcessUse.processorTime - time
            try #require(code == .tooManyNodes)
            try #require(taken < 0.05, "\(taken) s")
            try #require(ProcessUse.mostMemory - memory < 16 << 20)
        }
    }

    @Test(.fault(172)) func aBundleWhoseListOverlapsOpensWithAnError() throws {
        // Data objects that each hold all later ones.
        let count = 50_000
        var list = BinaryListFixture()
        let last = list.add([UInt8](repeating: 0, count: 6 * count))
        var bytes = list.bytes(top: last)
        var headers: [UInt8] = []
        for number in 0..<count {
            headers += [0x4F, 0x12] + BinaryListFixture.bigEndian(6 * (count - number - 1), 4)
        }
        bytes.replaceSubrange(8..<8 + 6 * count, with: headers)
        // The array of them comes after them, and the table after it.
        let array = 8 + 6 * count
        bytes.removeSubrange(array...)
        bytes +=
            [0xAF, 0x12] + BinaryListFixture.bigEndian(count, 4)
            + (0..<count).flatMap { BinaryListFixture.bigEndian($0, 4) }
        let table = bytes.count
        for number in 0..<count { bytes += BinaryListFixture.bigEndian(8 + 6 * number, 4) }
        bytes += BinaryListFixture.bigEndian(array, 4) + [0, 0, 0, 0, 0, 0, 4, 4]
        bytes +=
            BinaryListFixture.bigEndian(count + 1, 8) + BinaryListFixture.bigEndian(count, 8)
            + BinaryListFixture.bigEndian(table, 8)
        #expect(bytes.count < 1 << 20)
        let tree = try CatalogTree(["a/Good.bundle": CatalogTree.list("good")])
        try tree.tree.write("a/Bad.bundle/Contents/Info.plist", bytes: bytes)
        let bundle = try PluginBundle.open(path: tree("a/Bad.bundle"))
        let finding = try #require(bundle.manifestError?.findings.first)
        #expect(finding.code == .manifestUnreadable)
        #expect(finding.message.contains("Bad.bundle/Contents/Info.plist"))
        #expect(finding.message.contains("Write the file again"))
        #expect(tree.catalog("a").plugins.map(\.identifier) == ["good"])
    }

    private static let wrongValues =
        "<plist version=\"1.0\"><dict><key>CFBundleIdentifier</key><string>x</string><key>CFBundleLocalizations</key><array>"
        + String(repeating: "<true/>", count: 90_000) + "</array></dict></plist>"

    @Test(.fault(178)) func valuesOfTheWrongTypeAreListedToAHundredAndCounted() throws {
        #expect((600_000..<700_000).contains(Self.wrongValues.utf8.count))
        let dictionary = try PropertyListReader.read(Array(Self.wrongValues.utf8)).value.dictionary ?? [:]
        let findings = Manifest(dictionary: dictionary, path: "/x/Info.plist").findings
        #expect(findings.count == 101)
        #expect(findings.last?.message == "89900 more problems of this kind were found, which are not listed.")
        #expect(findings.reduce(0) { $0 + $1.message.utf8.count } < 100_000)
        #expect(findings.allSatisfy { $0.code == .manifestInvalid && $0.filePath == "/x/Info.plist" })
    }

    @Test(.fault(282)) func wrongVersionRangesAndCapabilitiesAreListedToAHundredAndCounted() throws {
        let requires = Dictionary(
            uniqueKeysWithValues: (0..<10_000).map { ("org.example.b\($0)", PropertyList.string("wrong")) })
        let findings = Manifest(
            dictionary: ["PHRequires": .dictionary(requires)], path: "/x/Info.plist"
        ).findings
        #expect(findings.count == 101)
        #expect(findings.last?.message == "9900 more problems of this kind were found, which are not listed.")
        #expect(findings.allSatisfy { $0.code == .manifestInvalid && $0.severity == .error })

        var record = PluginRecord()
        record.capabilities = (0..<10_000).map { "c\($0)" }
        let found = CatalogRules().findings(record, list: "/x/Info.plist")
        #expect(found.count == 1)
        #expect(found.first?.message.contains("“c0”, “c1”") == true)
        #expect(found.first?.message.hasSuffix(" and 9900 more.") == true)
        #expect((found.first?.message.utf8.count ?? 0) < 2_000)
    }

    @Test(.fault(178)) func theOneValueOverTheListIsListedInThePlaceOfItsNumber() {
        let values = PropertyList.array(Array(repeating: .boolean(true), count: 101))
        let findings = Manifest(dictionary: ["CFBundleLocalizations": values], path: "/x/Info.plist").findings
        #expect(findings.count == 101)
        #expect(findings.last?.message == findings.first?.message)
        let more = PropertyList.array(Array(repeating: .boolean(true), count: 102))
        let cut = Manifest(dictionary: ["CFBundleLocalizations": more], path: "/x/Info.plist").findings
        #expect(cut.count == 101)
        #expect(cut.last?.message == "2 more problems of this kind were found, which are not listed.")
    }

    @Test(.fault(179)) func bundlesThatShareOneListStayInProportion() throws {
        let tree = try CatalogTree(["a/B0.bundle": Self.wrongValues])
        for number in 1..<20 {
            try tree.tree.write("a/B\(number).bundle/")
            try tree.tree.link("a/B\(number).bundle/Contents", to: "../B0.bundle/Contents")
        }
        let index = tree.scan("a")
        #expect(index.candidateCount == 20)
        // Each was 90 MB.
        #expect(index.bytes.count < 20 * 101 * 1_000)
        #expect(index.record(index.candidateRow(19)).findings.count == 101)
    }
}
