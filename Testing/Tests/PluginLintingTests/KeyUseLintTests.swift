import Foundation
import PluginHost
import Testing

@_spi(Tools) @testable import PluginLinting

@Suite struct KeyUseLintTests {
    private func fixture(_ source: String, as name: String = "Code.swift", _ table: String) throws -> LintFixture {
        let fixture = try LintFixture(["en.lproj/Localizable.strings": table])
        try fixture.tree.write("Sources/\(name)", source)
        return fixture
    }

    private func findings(_ fixture: LintFixture) throws -> [String] {
        try fixture.findings(BundleLinter(sources: [fixture.tree("Sources")]))
    }

    @Test func aKeyThatNoSourceMentionsIsNoted() throws {
        let fixture = try fixture("let a = \"used\" // unused\n", "\"used\" = \"1\";\n\"unused\" = \"2\";\n")
        #expect(try findings(fixture) == ["en.lproj/Localizable.strings:2:1 note unusedKey unused"])
        #expect(try fixture.findings().isEmpty)
    }

    @Test func sourcesTooDeepInDirectoriesAreReported() throws {
        let deep = String(repeating: "d/", count: 32)
        let fixture = try fixture("", as: deep + "Code.swift", "")
        #expect(try findings(fixture) == ["Sources/\(deep.dropLast()) warning tooManyFiles -"])
    }

    @Test func keysAroundAnInterpolationAndInLongLiteralsAreUsed() throws {
        let source = "let a = \"title.\\(name)\"\nlet b = \"\"\"\n    two\n    lines\n    \"\"\"\nlet c = #\"a\"b\"#\n"
        let table = "\"title.x\" = \"1\";\n\"two\\nlines\" = \"2\";\n\"a\\\"b\" = \"3\";\n"
        #expect(try findings(fixture(source, table)).isEmpty)
    }

    @Test(arguments: [
        ("ab.ba", true), ("ab.", false), ("abba", true), ("aba", false), ("xba", true), ("ba", true), ("pre", true),
        ("pre.x", true), ("pr", false), ("äöü", true), ("ä", false), ("", false),
    ])
    func anInterpolationMayBeAnyTextBetweenWhatIsAroundIt(_ key: String, _ isProduced: Bool) {
        var patterns = TextPatterns()
        patterns.add(start: "ab", end: "ba")
        patterns.add(start: "", end: "xba")
        patterns.add(start: "", end: "")
        var others = TextPatterns()
        others.add(start: "ab", end: "zz")
        others.add(start: "pre", end: "")
        others.add(start: "ä", end: "ü")
        others.add(start: "b", end: "a")
        patterns.add(others)
        #expect(patterns.mayProduce(key) == isProduced)
    }

    @Test func aTextMayBeInAFileOnlyWithAllItsParts() {
        var parts = ByteParts()
        #expect(!parts.mayContain(Array("abcd".utf8)))
        parts.add(Array("abcdef".utf8))
        parts.add(Array("efgh".utf8))
        for text in ["abcd", "cdef", "abcdef", "efgh"] { #expect(parts.mayContain(Array(text.utf8))) }
        for text in ["abce", "defg", "abcdefg", "bcd\0"] { #expect(!parts.mayContain(Array(text.utf8))) }
    }

    @Test func keysOfTheExecutableAndOfInfoListAreUsed() throws {
        let info =
            """
            \(LintFixture.english)<key>NSExecutable</key><string>X</string>
            <key>PHCapabilities</key><array><string>listed</string></array>
            """
        let fixture = try LintFixture(
            info: info, ["en.lproj/Localizable.strings": "\"compiled\" = \"1\";\n\"listed\" = \"2\";\n"])
        try fixture.tree.write("X.bundle/Contents/Linux/X", "\u{7F}ELF…\0compiled\0")
        try fixture.tree.write("Sources/a.swift", "")
        #expect(try findings(fixture).isEmpty)
    }

    @Test func aKeyThatNoTableHasIsFound() throws {
        let source = """
            let a = NSLocalizedString("missing", comment: "")
            let b = bundle.localizedString(forKey: "absent", value: nil, table: nil)
            let c = context.localizedString("here") + "\\(context.localizedString("lost"))"
            let d = String(localized: "gone")
            """
        let found = try findings(fixture(source, "\"here\" = \"1\";\n"))
        let expected = [
            "Sources/Code.swift:1:27 warning undefinedKey missing",
            "Sources/Code.swift:2:40 warning undefinedKey absent",
            "Sources/Code.swift:3:70 warning undefinedKey lost", "Sources/Code.swift:4:27 warning undefinedKey gone",
        ]
        #expect(found == expected)
    }

    @Test func theTableThatACallNamesIsTheOneThatCounts() throws {
        let source = """
            let a = context.localizedString("here", value: "x", table: "Other")
            let b = context.localizedString("here", table: nil)
            let c = context.localizedString("here", table: someTable)
            """
        #expect(
            try findings(fixture(source, "\"here\" = \"1\";\n")) == [
                "Sources/Code.swift:1:33 warning undefinedKey here"
            ])
    }

    @Test func sourcesInCAreRead() throws {
        let source = """
            /* "unused" */ static const char quote = '"';
            char *a = r->localized_string(host, PLUGIN_STRING("here"), PLUGIN_STRING(""), PLUGIN_STRING(""));
            char *b = r->localized_string(host, PLUGIN_STRING("lost"), PLUGIN_STRING(""), PLUGIN_STRING(""));
            id c = NSLocalizedString(@"gone", @"");
            """
        let found = try findings(fixture(source, as: "code.c", "\"here\" = \"1\";\n\"unused\" = \"2\";\n"))
        let expected = [
            "Sources/code.c:3:51 warning undefinedKey lost", "Sources/code.c:4:27 warning undefinedKey gone",
            "en.lproj/Localizable.strings:2:1 note unusedKey unused",
        ]
        #expect(found == expected)
    }

    @Test(.fault(283)) func unknownAndUnusedKeysAreListedToAHundredAndCounted() throws {
        let source = (0..<2_000).map { "let a\($0) = context.localizedString(\"lost \($0)\")\n" }.joined()
        let table = (0..<3_000).map { "\"unused \($0)\" = \"1\";\n" }.joined()
        let fixture = try fixture(source, table)
        let findings = try fixture.report(BundleLinter(sources: [fixture.tree("Sources")])).findings
        #expect(findings.count { $0.code == .undefinedKey } == 100)
        #expect(findings.count { $0.code == .unusedKey } == 100)
        let further = findings.filter { $0.code == .furtherFindings }.map(\.message)
        #expect(further.count == 2)
        #expect(further.contains { $0.hasPrefix("1900 more") } && further.contains { $0.hasPrefix("2900 more") })
    }

    @Test func aTemplateMentionsKeys() throws {
        let fixture = try fixture("<p>{{a long key}}</p>", as: "page.html", "\"a long key\" = \"1\";\n")
        #expect(try findings(fixture).isEmpty)
    }

    @Test func missingSourcesAreReported() throws {
        let fixture = try LintFixture([:])
        let report = try fixture.report(BundleLinter(sources: [fixture.tree("nowhere")]))
        #expect(report.findings.map(\.code) == [.unreadable])
    }

    @Test func bundlesAreComparedWithTheirOwnSources() throws {
        let (a, b) = (
            try LintFixture(["en.lproj/Localizable.strings": "\"here\" = \"1\";\n"]),
            try LintFixture(["en.lproj/Localizable.strings": "\"there\" = \"1\";\n"])
        )
        let tree = try TemporaryTree([
            "A/a.swift": "NSLocalizedString(\"here\", comment: \"\")\nNSLocalizedString(\"there\", comment: \"\")\n",
            "B/b.swift": "NSLocalizedString(\"there\", comment: \"\")\nNSLocalizedString(\"nowhere\", comment: \"\")\n",
        ])
        let paths = try zip(["A", "B"], [a, b]).map { name, fixture in
            try FileManager.default.moveItem(atPath: fixture.path, toPath: tree("\(name).bundle"))
            return tree("\(name).bundle")
        }
        let bundles = try paths.map { try PluginBundle.open(path: $0) }
        let own = BundleLinter(sources: [tree.path]).lint(bundles).map { $0.findings.map(\.subject) }
        #expect(own == [["there"], ["nowhere"]])
        // Sources that belong to no bundle: a key that another bundle has is defined, and a key that none has is found once.
        let shared = BundleLinter(sources: [tree("A"), tree("B")]).lint(bundles)
        #expect(shared.map { $0.findings.map(\.subject) } == [["nowhere"], []])
    }

    @Test func aSourceThatEndsAnywhereIsRead() {
        let source = Array(
            "f(\"a\\(b(\"c\" + #\"d\"#))e\") /* g */ \"\"\"\nh\n\"\"\" '\\u{41}' R\"x(y)x\" \"\\u00e9\\x41\"".utf8)
        for length in 0...source.count {
            for isSwift in [true, false] { _ = KeyUses(SourceTokens(Array(source[..<length]), isSwift: isSwift)) }
        }
        #expect(KeyUses(SourceTokens(source, isSwift: true)).texts == ["c", "d", "h", "x(y)x", "éA"])
    }
}
