@_spi(Tools) import PluginLinting
import Testing

@testable import PluginTranslating

@Suite struct KeyExtractorTests {
    /// Each key as “Table/key = value // comments”.
    private func keys(_ source: String, as name: String = "a.swift", names: [String] = []) throws -> [String] {
        try shown(extraction(source, as: name, names: names))
    }

    private func extraction(
        _ source: String, as name: String = "a.swift", names: [String] = []
    ) throws -> KeyExtraction {
        let tree = try TranslationTree([name: source])
        return KeyExtractor(names: names).extract(from: [tree(name)])
    }

    private func shown(_ extraction: KeyExtraction) -> [String] {
        extraction.tables.sorted { $0.key < $1.key }.flatMap { table, keys in
            keys.map { key in
                let value = key.value.map { " = \($0)" } ?? ""
                return "\(table)/\(key.key)\(value)" + key.comments.map { " // \($0)" }.joined()
            }
        }
    }

    private func codes(_ extraction: KeyExtraction) -> [String] {
        extraction.findings.map { finding in
            "\(finding.place?.line ?? 0):\(finding.place?.column ?? 0) \(finding.severity) \(finding.code)"
        }
    }

    @Test(arguments: [
        ("NSLocalizedString(\"k\", comment: \"c\")", "Localizable/k // c"),
        ("NSLocalizedString(\"k\", tableName: \"T\", bundle: b, value: \"v\", comment: \"c\")", "T/k = v // c"),
        ("String(localized: \"k\", table: \"T\", bundle: b, comment: \"c\")", "T/k // c"),
        ("String(localized: \"k\", defaultValue: \"v\")", "Localizable/k = v"),
        ("LocalizedStringResource(\"k\", defaultValue: \"v\", table: \"T\", comment: \"c\")", "T/k = v // c"),
        ("bundle.localizedString(forKey: \"k\", value: \"v\", table: \"T\")", "T/k = v"),
        ("bundle.localizedString(forKey: \"k\", value: nil, table: nil)", "Localizable/k"),
        ("context.localizedString(\"k\", value: \"v\", table: \"T.strings\")", "T/k = v"),
        ("\"\\(context.localizedString(\"k\"))\"", "Localizable/k"),
        ("[\"x\"].map { _ in NSLocalizedString(\"k\", comment: \"a, (b\") }", "Localizable/k // a, (b"),
    ])
    func callsInSwiftAreFound(_ source: String, _ expected: String) throws {
        #expect(try keys(source) == [expected])
    }

    @Test(arguments: [
        ("NSLocalizedString(@\"k\", @\"c\");", "Localizable/k // c"),
        ("NSLocalizedStringFromTable(@\"k\", @\"T\", @\"c\");", "T/k // c"),
        ("NSLocalizedStringFromTableInBundle(@\"k\", @\"T\", [NSBundle mainBundle], @\"c\");", "T/k // c"),
        ("NSLocalizedStringWithDefaultValue(@\"k\", @\"T\", b, @\"v\", @\"c\");", "T/k = v // c"),
        ("NSLocalizedStringWithDefaultValue(@\"k\", nil, nil, @\"v\", nil);", "Localizable/k = v"),
        ("CFCopyLocalizedString(CFSTR(\"k\"), \"c\");", "Localizable/k // c"),
        ("[b localizedStringForKey:@\"k\" value:@\"v\" table:@\"T\"];", "T/k = v"),
        ("[[NSBundle mainBundle] localizedStringForKey:@\"k\" value:@\"\" table:nil];", "Localizable/k"),
        (
            "r->localized_string(host, PLUGIN_STRING(\"k\"), PLUGIN_STRING(\"v\"), PLUGIN_STRING(\"T\"));",
            "T/k = v"
        ),
        ("NSLocalizedString(@\"a\" @\"b\" \"c\", @\"one\\n\" @\"two\");", "Localizable/abc // one\ntwo"),
        ("#define TITLE \\\n  NSLocalizedString(@\"a\" \\\n    @\"b\", \\\n    @\"c\")\n", "Localizable/ab // c"),
        ("NSLocalizedString(/* not @\"x\" */ @\"k\", // @\"y\"\n @\"c\");", "Localizable/k // c"),
        ("NSLocalizedString(@\"a\\x41\\101\\u00e9\\U0001F600\\\"\\\\\", @\"\");", "Localizable/aAAé😀\"\\"),
        ("NSLocalizedString(u8\"k\" L\"l\", 0);", "Localizable/kl"),
        ("NSLocalizedString(R\"x(a\"b)x\", \"\");", "Localizable/a\"b"),
    ])
    func callsInCAndObjectiveCAreFound(_ source: String, _ expected: String) throws {
        #expect(try keys(source, as: "a.m") == [expected])
    }

    @Test func literalsOfSwiftAreReadAsTheCompilerDoes() throws {
        let source = #####"""
            NSLocalizedString(#"raw \n "quoted""#, comment: "")
            NSLocalizedString("""
                two
                  lines \
                joined "here"

                """, comment: "")
            NSLocalizedString("a" + "b" + #"c"#, comment: ("d" + "e"))
            NSLocalizedString("tab\t nul\u{e9} \u{1F600}", comment: "")
            NSLocalizedString(##"with \##t tab"##, comment: "")
            let pattern = #/"/#; NSLocalizedString("after", comment: "")
            """#####
        let expected = [
            "Localizable/abc // de", "Localizable/after", "Localizable/raw \\n \"quoted\"",
            "Localizable/tab\t nulé 😀", "Localizable/two\n  lines joined \"here\"\n", "Localizable/with \t tab",
        ]
        #expect(try keys(source) == expected)
    }

    @Test func linesThatEndWithCRLFAreReadAsTheCompilerDoes() throws {
        let source = "NSLocalizedString(\"\"\"\r\n  a\r\n  b\r\n  \"\"\", comment: \"\")\r\n"
        #expect(try keys(source) == ["Localizable/a\nb"])
    }

    @Test func aKeyWithAnInterpolationIsRefusedWithItsPlace() throws {
        let found = try extraction("let a = 1\nlet b = NSLocalizedString(\"a \\(a)\", comment: \"\")\n")
        #expect(found.tables.isEmpty)
        #expect(codes(found) == ["2:27 error interpolatedKey"])
        #expect(found.mentions("a 1") && !found.mentions("b 1"))
    }

    @Test(.fault(789)) func aDefaultTextWithAnInterpolationIsAFindingAndIsNotWritten() throws {
        let found = try extraction(
            "let a = 1\nlet b = context.localizedString(\"k\", value: \"a \\(a)\")\nlet c = NSLocalizedString(\"n\", comment: \"\")\n"
        )
        #expect(codes(found) == ["2:45 error interpolatedValue"])
        #expect(found.tables["Localizable"]?.map(\.key) == ["k", "n"])
        #expect(found.tables["Localizable"]?.map(\.value) == [nil, nil])
    }

    @Test func aKeyThatIsNotUTF8IsRefused() throws {
        let tree = try TranslationTree()
        let call = "\nlocalized_string(h, \"fine\", NULL, NULL);\n"
        try tree.write("a.c", Array("// caf".utf8) + [0xE9] + Array(call.utf8))
        let source = Array("localized_string(h, \"caf".utf8) + [0xE9] + Array("\", NULL, NULL);\n".utf8)
        try tree.write("b.c", source)
        let found = KeyExtractor().extract(from: [tree("a.c"), tree("b.c")])
        #expect(found.tables["Localizable"]?.map(\.key) == ["fine"])
        #expect(found.findings.map(\.code.rawValue) == ["invalidEncoding"])
        #expect(found.findings.first?.place?.line == 1)
    }

    @Test func aKeyThatIsAnExpressionIsReportedWithItsPlace() throws {
        let source = """
            func string(_ key: String) -> String { context.localizedString(key) }
            string("own"); context.localizedString("k", table: table)
            """
        let found = try extraction(source, names: ["string"])
        #expect(codes(found) == ["1:64 warning unknownKey", "2:52 warning unknownTable"])
        #expect(shown(found) == ["Localizable/own"])
    }

    @Test func ownFunctionsHaveRelativesToo() throws {
        let source = "L(@\"a\", @\"c\"); LFromTable(@\"b\", @\"T\", @\"d\"); Label(@\"no\");"
        #expect(try keys(source, as: "a.m", names: ["L"]) == ["Localizable/a // c", "T/b // d"])
    }

    @Test func differentCommentsAndTextsAreReportedAndMerged() throws {
        let source = """
            NSLocalizedString("k", value: "v", comment: "one")
            NSLocalizedString("k", value: "w", comment: "two")
            NSLocalizedString("k", value: "v", comment: "one")
            """
        let found = try extraction(source)
        #expect(shown(found) == ["Localizable/k = v // one // two"])
        #expect(codes(found) == ["2:19 warning differentComments", "2:19 warning differentValues"])
        #expect(found.findings[0].related.first?.place?.line == 1)
        #expect(found.tables["Localizable"]?[0].places.map { $0.place?.line } == [1, 2, 3])
    }

    @Test func aTableThatIsNoFileNameIsRefused() throws {
        let found = try extraction("NSLocalizedString(\"k\", tableName: \"../T\", comment: \"\")")
        #expect(found.tables.isEmpty && codes(found) == ["1:19 error unknownTable"])
    }

    @Test func aSourceThatEndsAnywhereIsRead() throws {
        let text = "[b localizedStringForKey:@\"k\" value:NSLocalizedString(@\"a\" \\\n@\"\\x41\", R\"x(y)x\")]"
        let source = Array(text.utf8)
        for length in 0...source.count {
            for isSwift in [true, false] {
                _ = LocalizedCallFinder().calls(in: SourceTokens(Array(source[..<length]), isSwift: isSwift))
            }
        }
    }
}
