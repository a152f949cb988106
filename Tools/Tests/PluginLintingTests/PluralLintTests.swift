import Testing

@testable import PluginLinting

@Suite struct PluralLintTests {
    private func rules(_ entry: String) -> String { LintFixture.list("<key>files</key>\n\(entry)") }

    private func variable(
        _ name: String = "n", rule: String = "NSStringPluralRuleType", type: String? = "d",
        texts: [String] = ["one:%d file", "other:%d files"]
    ) -> String {
        var entries = "<key>NSStringFormatSpecTypeKey</key><string>\(rule)</string>"
        if let type { entries += "<key>NSStringFormatValueTypeKey</key><string>\(type)</string>" }
        for text in texts {
            let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            entries += "\n<key>\(parts[0])</key><string>\(parts[1])</string>"
        }
        return "<key>\(name)</key><dict>\(entries)</dict>"
    }

    private func entry(_ format: String?, _ variables: String) -> String {
        let key = format.map { "<key>NSStringLocalizedFormatKey</key><string>\($0)</string>\n" } ?? ""
        return "<dict>\n\(key)\(variables)\n</dict>"
    }

    @Test func aGoodEntryHasNoFindings() {
        #expect(findings(rules(entry("%#@n@", variable())), .pluralRules).isEmpty)
        #expect(findings(rules("<string>plain</string>"), .pluralRules).isEmpty)
        let widths = "<dict><key>NSStringVariableWidthRuleType</key><dict><key>20</key><string>x</string></dict></dict>"
        #expect(findings(rules(widths), .pluralRules).isEmpty)
    }

    @Test func aMissingFormatIsReported() {
        #expect(findings(rules(entry(nil, variable())), .pluralRules) == ["3:1 error malformedPlural"])
    }

    @Test func aVariableWithoutADictionaryIsReported() {
        #expect(findings(rules(entry("%#@n@ %#@m@", variable())), .pluralRules) == ["3:1 error malformedPlural"])
        let nested = variable("n", texts: ["other:%#@m@"])
        #expect(findings(rules(entry("%#@n@", nested)), .pluralRules) == ["3:1 error malformedPlural"])
    }

    @Test func aVariableThatUsesItselfIsReported() {
        let both = variable("n", texts: ["other:%#@m@"]) + variable("m", texts: ["other:%#@n@"])
        #expect(findings(rules(entry("%#@n@", both)), .pluralRules).contains { $0.hasSuffix("error malformedPlural") })
        let twice = variable("n", texts: ["other:%#@m@"]) + variable("m")
        #expect(findings(rules(entry("%#@n@ %#@m@", twice)), .pluralRules).isEmpty)
    }

    @Test func anUnusedVariableIsReported() {
        #expect(
            findings(rules(entry("%#@n@", variable() + "\n" + variable("m"))), .pluralRules)
                == ["9:1 warning unusedVariable"])
    }

    @Test(
        arguments: [
            ("NSStringOtherRuleType", "d", ["other:x"]),
            ("NSStringPluralRuleType", "y", ["other:x"]), ("NSStringPluralRuleType", "d", ["one:x"]),
            ("NSStringPluralRuleType", "d", ["other:x", "several:x"]),
        ] as [(String, String?, [String])])
    func aVariableIsBuiltAsTheyAre(rule: String, type: String?, texts: [String]) {
        let found = findings(rules(entry("%#@n@", variable(rule: rule, type: type, texts: texts))), .pluralRules)
        #expect(found.count == 1 && found[0].hasSuffix("error malformedPlural"), "\(found)")
    }

    @Test func entriesThatTheLibraryReadsHaveNoFindings() {
        let bare =
            "<key>n</key><dict><key>one</key><string>%d file</string><key>other</key><string>%d files</string></dict>"
        #expect(findings(rules(entry("%#@n@", bare)), .pluralRules).isEmpty)
        #expect(findings(rules(entry("%#@n@", variable(type: "%ld"))), .pluralRules).isEmpty)
        // The second variable's own number is the second argument.
        let second = variable("m", type: "ld", texts: ["one:%1$@ and one more", "other:%1$@ and %ld more"])
        let names = variable("n", type: "@", texts: ["other:"])
        #expect(findings(rules(entry("%#@n@%#@m@", names + second)), .pluralRules).isEmpty)
        let widths = variable("n", rule: "NSStringVariableWidthRuleType", type: nil, texts: ["20:short", "40:longer"])
        #expect(findings(rules(entry("%#@n@", widths)), .pluralRules).isEmpty)
        let nested = """
            <key>n</key><dict><key>other</key><dict><key>NSStringVariableWidthRuleType</key>
            <dict><key>20</key><string>%d</string><key>40</key><string>%d files</string></dict></dict></dict>
            """
        #expect(findings(rules(entry("%#@n@", nested)), .pluralRules).isEmpty)
    }

    @Test func aVariableInANestedTextIsChecked() {
        let nested = """
            <key>n</key><dict>
            <key>NSStringFormatValueTypeKey</key><string>d</string>
            <key>other</key><dict><key>NSStringVariableWidthRuleType</key>
            <dict><key>20</key><string>%d %v</string></dict></dict></dict>
            """
        #expect(findings(rules(entry("%#@n@", nested)), .pluralRules) == ["9:7 warning strayPercent"])
    }

    @Test func aPlaceholderOfAnotherKindThanTheVariableIsReported() {
        let found = findings(rules(entry("%#@n@", variable(texts: ["one:%@ file", "other:%d files"]))), .pluralRules)
        #expect(found == ["7:1 error placeholderMismatch"])
    }

    @Test func entriesAndTextsOfOtherTypesAreReported() {
        #expect(findings(rules("<array/>"), .pluralRules) == ["3:1 error malformedPlural"])
        #expect(findings(rules(entry("%#@n@", variable() + "<key>m</key><true/>")), .pluralRules).count == 1)
        #expect(findings("<array/>", .pluralRules) == ["- error malformedPlural"])
    }

    @Test func aMissingCategoryOfTheLanguageIsReported() throws {
        let fixture = try LintFixture([
            "en.lproj/Files.stringsdict": rules(entry("%#@n@", variable())),
            // French has “many” only for millions.
            "fr.lproj/Files.stringsdict": rules(entry("%#@n@", variable())),
            "pl.lproj/Files.stringsdict": rules(entry("%#@n@", variable())),
        ])
        #expect(try fixture.findings() == ["pl.lproj/Files.stringsdict:6:1 warning missingPluralCategory files"])
    }
}
