import PropertyLists
import Testing

@testable import PluginTranslating

@Suite struct TableDifferenceTests {
    private func differences(_ tree: TranslationTree, _ first: String, _ second: String) throws -> [String] {
        try TableDifference.all(from: TableSet(path: tree(first)), to: TableSet(path: tree(second))).map {
            "\($0.kind) \($0.table)/\($0.key ?? "-")"
        }
    }

    @Test func twoTablesAreComparedByKeysTextsAndPlaceholders() throws {
        let tree = try TranslationTree([
            "a.strings": "\"same\" = \"1\"; \"gone\" = \"2\"; \"text\" = \"é\"; \"args\" = \"%@ of %d\";",
            "b.json": "{\"same\": \"1\", \"new\": \"2\", \"text\": \"e\u{301}\", \"args\": \"%@ of %@\"}",
        ])
        #expect(
            try differences(tree, "a.strings", "b.json") == [
                "placeholders /args", "missing /gone", "surplus /new", "changed /text",
            ])
        #expect(try differences(tree, "a.strings", "a.strings").isEmpty)
    }

    @Test func languagesAreComparedByKeysAndPlaceholdersAlone() throws {
        let tree = try TranslationTree([
            "en.lproj/A.strings": "\"a\" = \"one\"; \"b\" = \"%1$@ %2$@\"; \"c\" = \"x\";",
            "de.lproj/A.strings": "\"a\" = \"eins\"; \"b\" = \"%2$@ %1$@\";", "de.lproj/B.strings": "\"x\" = \"y\";",
        ])
        #expect(try differences(tree, "en.lproj", "de.lproj") == ["missing A/c", "surplus B/-"])
        #expect(
            try differences(tree, "en.lproj/A.strings", "de.lproj/A.strings") == ["missing /c"])
    }

    @Test func bundlesAreComparedLanguageByLanguage() throws {
        let tree = try TranslationTree([
            "A/en.lproj/T.strings": "\"a\" = \"1\";", "A/de.lproj/T.strings": "\"a\" = \"2\";",
            "A/G.strings": "\"g\" = \"1\";",
            "B/en.lproj/T.strings": "\"a\" = \"3\";", "B/fr.lproj/T.strings": "\"a\" = \"2\";",
            "B/G.strings": "\"g\" = \"1\";",
        ])
        #expect(
            try differences(tree, "A", "B") == ["missing de.lproj/T/-", "changed en.lproj/T/a", "surplus fr.lproj/T/-"])
    }

    @Test func pluralFormsReplaceTextsAndHaveTheirPlaceholders() throws {
        let tree = try TranslationTree([
            "en.lproj/T.strings": "\"%d files\" = \"x\";", "en.lproj/T.stringsdict": TableConversionTests.plural,
            "de.lproj/T.stringsdict": TableConversionTests.plural.replacing("%d", with: "%@").replacing(
                "<key>%@ files", with: "<key>%d files"
            ).replacing(">d<", with: ">@<"),
        ])
        #expect(try differences(tree, "en.lproj", "de.lproj") == ["placeholders T/%d files"])
        #expect(try differences(tree, "en.lproj", "en.lproj").isEmpty)
    }
}
