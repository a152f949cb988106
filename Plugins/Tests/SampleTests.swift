import CDemoAPI
import DemoAPI
import PluginABI
import PluginHost
import PluginTesting
import Testing

/// What is true of every sample.
@Suite(.testHost) struct EverySample {
    private static let withCode = ["Reporter", "Typography", "Charts", "Checksum", "Template"]

    @Test(arguments: withCode) func infoPlistDeclaresWhatTheCodeRegisters(_ name: String) throws {
        expectDeclaredRegistrations(of: try PluginBundle.underTest(name))
    }

    @Test(arguments: withCode + ["Wordlist"]) func eachTextIsInFourLanguages(_ name: String) throws {
        expectCompleteLocalizations(of: try PluginBundle.underTest(name), in: "de", "en", "fr", "ja")
    }

    @Test func filtersAndRenderersAreReleased() throws {
        for name in ["Typography", "Template"] {
            let bundle = try PluginBundle.underTest(name)
            try expectObjectsReleased(of: bundle) {
                for provider in try bundle.providers(of: .textFilter) { _ = try provider.make().filter("“a”\n") }
            }
        }
        let charts = try PluginBundle.underTest("Charts")
        let chart = Chart(.bar, title: "Words", series: [Series(points: [.init("one", 1)])])
        try expectObjectsReleased(of: charts) {
            let drawings = try charts.providers(of: .chart).compactMap { try $0.make().svg(for: chart) }
            #expect(drawings.count == 1 && drawings[0].contains("<svg"))
        }
    }

    @Test func theTableOfChecksumsIsTheOneOfTheHeader() {
        #expect(CRemoteTable.checksum.extensionPoint == DEMO_CHECKSUM_POINT)
        #expect(CRemoteTable.checksum.version == UInt32(DEMO_CHECKSUM_VERSION))
    }

    @Test func objectsOfAPluginInCAreReleased() throws {
        // The description lets the objects be used from another process; without it, they are “notRemote” there.
        HostEnvironment.current.remoteTables = [.checksum]
        let bundle = try PluginBundle.underTest("Checksum")
        try expectObjectsReleased(of: bundle) {
            for factory in try bundle.cProviders() { _ = try factory.make() }
        }
    }
}

/// Each sample by itself.
@Suite(.testHost) struct Samples {
    @Test func typographyChangesATextFilterByFilter() throws {
        let bundle = try PluginBundle.underTest("Typography")
        let uppercase = try #require(try bundle.providers(of: .textFilter).first { $0.name == "uppercase" })
        #expect(try uppercase.make().filter("straße") == "STRASSE")
    }

    /// In another process, a change arrives a moment later.
    @Test func aSettingOfChartsChangesTheDrawing() async throws {
        let bundle = try PluginBundle.underTest("Charts")
        let settings = try #require(try bundle.settings)
        let bars = try #require(try bundle.providers(of: .chart).first { $0.name == "bars" }).make()
        let chart = Chart(.bar, title: "Words", series: [Series(points: [.init("few", 1), .init("many", 9)])])
        /// The labels in the order in which they are drawn.
        func labels() throws -> [String] {
            let drawing = try #require(try bars.svg(for: chart))
            return drawing.split(separator: ">").compactMap { text in
                ["few", "many"].first { text.hasPrefix("\($0)<") }
            }
        }
        #expect(try labels() == ["few", "many"])
        settings.overrides["order"] = .text("largest")
        defer { settings.overrides.removeAll() }
        let end = ContinuousClock.now + .seconds(10)
        while try labels() != ["many", "few"], .now < end { try await Task.sleep(for: .milliseconds(1)) }
        #expect(try labels() == ["many", "few"])
    }

    @Test func checksumComputesDigestsPieceByPiece() throws {
        HostEnvironment.current.remoteTables = [.checksum]
        let factories = try PluginBundle.underTest("Checksum").cProviders(at: DEMO_CHECKSUM_POINT)
        var digests: [String: String] = [:]
        for factory in factories {
            let object = try factory.make()
            let functions = try #require(object.functions(as: demo_checksum_functions.self)).pointee
            var digest = [UInt8](repeating: 0, count: functions.digest_length)
            try withExtendedLifetime(object) {
                for piece in ["1234", "56789"] { functions.update(object.pointer, Array(piece.utf8), piece.utf8.count) }
                functions.finish(object.pointer, &digest)
                if let failure = object.takeFailure() { throw failure }
            }
            digests[factory.name] = digest.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        }
        #expect(digests["crc-32"] == "cbf43926" && digests["adler-32"] == "091e01de")
        #expect(digests["fnv-1a"] == "06d5573923c6cdfc")
        #expect(digests["sha-256"]?.hasPrefix("15e2b0d3c33891ebb0f1ef609ec41942") == true && digests.count == 4)
    }

    @Test func aFunctionOfChecksumRefusesAWrongArgument() throws {
        let crc32 = try PluginBundle.underTest("Checksum").function("crc32", "(bytes) -> uint32")
        #expect(try crc32(.bytes(Array("123456789".utf8))).uint64 == 0xCBF4_3926)
        expectPluginError(.argumentInvalid, saying: "crc32") { try crc32(.string("123456789")) }
    }

    @Test func reporterNeedsTheBundlesChecksumAndWordlist() throws {
        let host = try #require(TestHost.current)
        let reporter = try PluginBundle.underTest("Reporter")
        let checksum = try PluginBundle.underTest("Checksum")
        let wordlist = try PluginBundle.underTest("Wordlist")
        for (other, missing) in [(checksum, "org.example.Wordlist"), (wordlist, "org.example.Checksum")] {
            let catalog = try host.catalog(of: reporter, other)
            let candidate = try #require(catalog.candidates.first { $0.identifier == "org.example.Reporter" })
            #expect(!catalog.plugins.contains { $0.identifier == candidate.identifier })
            #expect(candidate.explanation.contains("\(missing) is not installed"))
        }
        let complete = try host.catalog(of: reporter, checksum, wordlist)
        #expect(complete.extensions(of: .textAnalyzer).map(\.name) == ["summary", "outline", "words", "questions"])
        let words = try #require(complete.extensions(of: .textAnalyzer).first { $0.name == "words" }).make()
        try words.begin(Document(name: "birds", byteCount: 15, language: "en"))
        try words.read("bird bird bird\n")
        #expect(try !words.finish().tables.isEmpty)
    }

    @Test(.testHost(languages: ["de"])) func displayNamesAreTranslated() throws {
        let catalog = try #require(TestHost.current).catalog(of: PluginBundle.underTest("Template"))
        #expect(catalog.extensions(of: .textFilter).map(\.displayName) == ["Zeilennummern"])
    }
}
