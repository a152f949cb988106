import Fixtures
import Foundation
import Testing

@Suite struct ExplainCommandTests {
    private static func rules() throws -> [[String: Any]] {
        let document = try PluginHostTool.document("explain")
        #expect(document.status == 0)
        return try #require(document.object["rules"] as? [[String: Any]])
    }

    @Test func everyRuleStatesWhatWhyAndHowToMendIt() throws {
        let rules = try Self.rules()
        #expect(rules.count > 50)
        let ids = rules.compactMap { $0["id"] as? String }
        #expect(Set(ids).count == rules.count)
        for rule in rules {
            #expect(Set(rule.keys) == ["id", "level", "part", "foundBy", "what", "why", "mend"])
            for key in ["what", "why", "mend"] {
                let text = try #require(rule[key] as? String)
                #expect(text.hasSuffix(".") || text.hasSuffix(";"), "\(rule["id"] ?? ""): \(text)")
            }
            #expect(["load", "standard", "strict"].contains(rule["level"] as? String))
        }
    }

    @Test func thePageOfRulesIsTheTable() throws {
        let page = try String(contentsOf: Workspace.project.appending(path: "docs/rules.md"), encoding: .utf8)
        let output = try PluginHostTool.run("explain", "--markdown")
        #expect(output.status == 0)
        #expect(
            output.standardOutput == page, "write it again: pluginhost explain --markdown > docs/rules.md")
    }

    @Test func aRuleIsExplainedUnderItsIDInAnySpelling() throws {
        for name in ["symbolMissing", "symbol-missing", "SYMBOL_MISSING"] {
            let output = try PluginHostTool.run("explain", name)
            #expect(output.status == 0 && output.standardOutput.hasPrefix("symbolMissing\n"))
            let words = PluginHostTool.words(output.standardOutput)
            #expect(words.contains("Level load"))
            #expect(words.contains("Why it matters") && words.contains("How to mend it"))
        }
        let document = try PluginHostTool.document("explain", "symbol-missing")
        #expect((document.object["rules"] as? [[String: Any]])?.map { $0["id"] as? String } == ["symbolMissing"])
    }

    @Test func withoutARuleAllAreListed() throws {
        let output = try PluginHostTool.run("explain")
        #expect(output.status == 0)
        for rule in try Self.rules() { #expect(output.standardOutput.contains("\n\(rule["id"] as? String ?? "?") ")) }
    }

    @Test(arguments: [
        ("simbolMissing", "Did you mean “symbolMissing”?"), ("missing-entri", "“missingEntry”"),
        ("frobnicate", "“pluginhost explain” lists all rules."),
    ])
    func forAnUnknownRuleSimilarOnesAreSuggested(_ name: String, _ answer: String) throws {
        let output = try PluginHostTool.run("explain", name)
        #expect(output.status == 2)
        #expect(output.standardError.contains("There is no rule “\(name)”."))
        #expect(output.standardError.contains(answer))
    }

    @Test func theCodesOfBrokenBundlesAreRules() throws {
        let ids = Set(try Self.rules().compactMap { $0["id"] as? String })
        for broken in CheckCommandTests.Broken.all { #expect(ids.contains(broken.code)) }
    }
}
