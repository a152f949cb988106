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

    @Test func objectsOfAPluginInCAreReleased() throws {
        let bundle = try PluginBundle.underTest("Checksum")
        try expectObjectsReleased(of: bundle) { _ = try bundle.cProviders().map { try $0.make() } }
    }
}

/// Each sample by itself.
@Suite(.testHost) struct Samples {
    @Test func typographyChangesATextFilterByFilter() throws {
        let bundle = try PluginBundle.underTest("Typography")
        let uppercase = try #require(try bundle.providers(of: .textFilter).first { $0.name == "uppercase" })
        #expect(try uppercase.make().filter("straße") == "STRASSE")
    }

    @Test func aFunctionOfChecksumRefusesAWrongArgument() throws {
        let crc32 = try PluginBundle.underTest("Checksum").function("crc32", "(bytes) -> uint32")
        #expect(try crc32(.bytes(Array("123456789".utf8))).uint64 == 0xCBF4_3926)
        expectPluginError(.argumentInvalid, saying: "crc32") { try crc32(.string("123456789")) }
    }

    @Test func reporterNeedsTheBundleWordlist() throws {
        let host = try #require(TestHost.current)
        let reporter = try PluginBundle.underTest("Reporter")
        let alone = try host.catalog(of: reporter)
        #expect(alone.plugins.isEmpty)
        #expect(alone.candidates.first?.explanation.contains("org.example.Wordlist") == true)
        let complete = try host.catalog(of: reporter, PluginBundle.underTest("Wordlist"))
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
