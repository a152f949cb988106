@_spi(Tools) import PluginLinting
import PropertyLists
import Testing

@testable import PluginTranslating

@Suite struct PseudoTranslationTests {
    @Test(arguments: [
        ("Open", "[Öþéñ~~]"), ("%1$@ of %2$d", "[%1$@ öƒ %2$d~]"), ("50%% off", "[50%% öƒƒ~]"),
        ("{name}: go", "[{name}: ğö~]"),
        ("a\nb\t", "[å\nƀ\t~]"), ("%#@files@ left", "[%#@files@ ļéƒţ~~]"), ("", ""), ("%Y-%m-%d", "%Y-%m-%d"),
        ("日本", "[日本~]"),
    ])
    func textsGetAccentsBracketsAndLength(_ text: String, _ expected: String) {
        #expect(PseudoTranslation().translated(text) == expected)
    }

    @Test func wordsRunFromRightToLeft() {
        let text = PseudoTranslation(.rightToLeft).translated("Open %@ now")
        #expect(text == "\u{202E}Open\u{202C} %@ \u{202E}now\u{202C}")
    }

    @Test(arguments: PseudoTranslation.Style.allCases, 0..<40)
    func placeholdersAreNeverChanged(_ style: PseudoTranslation.Style, _ seed: UInt64) {
        var random = RandomValues(seed: seed)
        let parts = ["%@", "%1$d", "%-5.2f", "%%", "%#@n@", "{name}", "100 % of", "\n", "%*d", "%lu"]
        let text = (0..<8).map { _ in random.text() + (parts.randomElement(using: &random) ?? "") }.joined()
        let made = PseudoTranslation(style).translated(text)
        let (before, after) = (FormatArguments(text), FormatArguments(made))
        #expect(before.kinds == after.kinds && before.variables == after.variables)
        #expect(text.utf8.count { $0 == UInt8(ascii: "\n") } == made.utf8.count { $0 == UInt8(ascii: "\n") })
    }

    @Test func pluralRulesAreNotChanged() throws {
        let tree = try TranslationTree(["R/en.lproj/T.stringsdict": TableConversionTests.plural])
        let made = try PseudoTables(at: tree("R"), PseudoTranslation(), output: nil)
        #expect(made.files.map(\.path) == [tree("R/en-XA.lproj/T.stringsdict")])
        let list = try PropertyListReader.read(made.files[0].bytes).value
        let entry = try #require(list["%d files"])
        #expect(entry["NSStringLocalizedFormatKey"]?.string == "[%#@n@]")
        #expect(entry["n"]?["one"]?.string == "%d ƒîļé" && entry["n"]?["NSStringFormatValueTypeKey"]?.string == "d")
        #expect(BundleLinter().lint(made.files[0].bytes, as: .pluralRules, named: "-").findings.isEmpty)
    }

    @Test func aBundleGetsAPseudoLanguage() throws {
        let tree = try TranslationTree([
            "R/en.lproj/T.strings": "/* c */\n\"k\" = \"Open\";\n", "R/de.lproj/T.strings": "\"k\" = \"x\";",
        ])
        try PseudoTables(at: tree("R"), PseudoTranslation(), output: nil).write()
        #expect(try tree.text("R/en-XA.lproj/T.strings") == "/* c */\n\"k\" = \"[Öþéñ~~]\";\n")
    }
}
