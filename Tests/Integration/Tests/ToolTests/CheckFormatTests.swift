import Fixtures
import Foundation
import FoundationXML
import Testing

/// `pluginhost check --format`: reports for other programs.
@Suite struct CheckFormatTests {
    /// A plug-in that loads, with faults in a table, in Info.plist and in its code.
    private func faulty(_ name: String) throws -> BundleFixture {
        let fixture = try Defect.plugin(name, info: ["PHFunction": "misspelt"], entry: "puts(\"<&>\");")
        let table = fixture.url.appending(path: "Contents/Resources/en.lproj/Local izable.strings")
        try FileManager.default.createDirectory(
            at: table.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data("\"a\" = \"1\";\n\"<b>\" \"2\";\n".utf8).write(to: table)
        return fixture
    }

    // MARK: SARIF

    private func sarif(_ arguments: String...) throws -> (status: Int32, run: [String: Any]) {
        let output = try PluginHostTool.run(["check", "--format", "sarif"] + arguments)
        let object = try JSONSerialization.jsonObject(with: Data(output.standardOutput.utf8))
        let document = try #require(object as? [String: Any])
        #expect(document["version"] as? String == "2.1.0")
        let runs = try #require(document["runs"] as? [[String: Any]])
        try #require(runs.count == 1)
        return (output.status, runs[0])
    }

    private func rules(_ run: [String: Any]) throws -> [[String: Any]] {
        let driver = try #require((run["tool"] as? [String: Any])?["driver"] as? [String: Any])
        #expect(driver["name"] as? String == "pluginhost")
        return try #require(driver["rules"] as? [[String: Any]])
    }

    @Test func sarifNamesRuleFileLineAndColumn() throws {
        let fixture = try faulty("FaultySARIF")
        let (status, run) = try sarif("--level", "strict", fixture.path)
        #expect(status == 1)
        let rules = try rules(run)
        let results = try #require(run["results"] as? [[String: Any]])
        #expect(
            Set(results.compactMap { $0["ruleId"] as? String }) == [
                "manifestInvalid", "missingSeparator", "outputInEntry",
            ])
        for result in results {
            let index = try #require(result["ruleIndex"] as? Int)
            #expect(rules[index]["id"] as? String == result["ruleId"] as? String)
            #expect(["error", "warning", "note"].contains(result["level"] as? String))
            #expect(((result["message"] as? [String: Any])?["text"] as? String)?.isEmpty == false)
        }
        let separator = try #require(results.first { $0["ruleId"] as? String == "missingSeparator" })
        let location = try #require(
            (separator["locations"] as? [[String: Any]])?.first?["physicalLocation"] as? [String: Any])
        let artifact = try #require(location["artifactLocation"] as? [String: Any])
        #expect(
            artifact["uri"] as? String
                == "file://\(fixture.path)/Contents/Resources/en.lproj/Local%20izable.strings")
        #expect(location["region"] as? [String: Int] == ["startLine": 2, "startColumn": 7])
        let invocation = try #require((run["invocations"] as? [[String: Any]])?.first)
        #expect(invocation["executionSuccessful"] as? Bool == true && invocation["exitCode"] as? Int == 1)
    }

    @Test func theRulesOfSARIFHaveHelpAndAnAddress() throws {
        let rules = try rules(sarif("--level", "strict", Defect.plugin("SoundSARIF").path).run)
        #expect(rules.count > 50)
        #expect(Set(rules.compactMap { $0["id"] as? String }).count == rules.count)
        for rule in rules {
            let help = try #require(rule["help"] as? [String: Any])
            #expect((help["text"] as? String)?.isEmpty == false && (help["markdown"] as? String)?.isEmpty == false)
            let address = try #require((rule["helpUri"] as? String).flatMap(URL.init(string:)))
            #expect(address.scheme == "https" && address.fragment == (rule["id"] as? String)?.lowercased())
            #expect((rule["shortDescription"] as? [String: Any])?["text"] is String)
        }
    }

    @Test func filesBelowTheCurrentDirectoryAreRelativeToIt() throws {
        let fixture = try faulty("FaultyBelow")
        let folder = fixture.url.deletingLastPathComponent()
        let program = Workspace.products.appending(path: "pluginhost").path
        let output = try Tool.output(
            "/usr/bin/env",
            ["-C", folder.path, program, "check", "--strict", "--format", "sarif", "FaultyBelow.bundle"],
            environment: ["LD_LIBRARY_PATH": Workspace.products.path])
        #expect(output.status == 1)
        #expect(output.standardOutput.contains("\"uri\" : \"FaultyBelow.bundle/Contents/Info.plist\""))
        #expect(output.standardOutput.contains("\"uri\" : \"file://\(folder.path)/\""))
        #expect(output.standardOutput.contains("\"uriBaseId\" : \"SRCROOT\""))
    }

    @Test func whatCouldNotBeCheckedIsANotificationOfSARIF() throws {
        let (status, run) = try sarif(
            "--level", "strict", try Defect.plugin("RefusesSARIF", result: "PLUGIN_FAILED").path)
        #expect(status == 1)
        let invocation = try #require((run["invocations"] as? [[String: Any]])?.first)
        #expect(invocation["executionSuccessful"] as? Bool == false)
        let notifications = try #require(invocation["toolExecutionNotifications"] as? [[String: Any]])
        let rules = notifications.compactMap { ($0["associatedRule"] as? [String: Any])?["id"] as? String }
        #expect(rules.contains("objectsKept"))
        #expect(notifications.allSatisfy { $0["level"] as? String == "error" })
    }

    // MARK: JUnit

    private func junit(_ arguments: String...) throws -> (status: Int32, suites: XMLElement) {
        let output = try PluginHostTool.run(["check", "--format", "junit"] + arguments)
        let document = try XMLDocument(xmlString: output.standardOutput)
        let suites = try #require(document.rootElement())
        #expect(suites.name == "testsuites")
        return (output.status, suites)
    }

    private func number(_ element: XMLElement, _ name: String) -> Int? {
        element.attribute(forName: name)?.stringValue.flatMap { Int($0) }
    }

    @Test func junitHasASuiteForEachBundleAndATestForEachRule() throws {
        let (faulty, sound) = (try faulty("FaultyJUnit"), try Defect.resources("SoundJUnit", [:]))
        let (status, suites) = try junit("--level", "strict", faulty.path, sound.path)
        #expect(status == 1)
        let both = suites.elements(forName: "testsuite")
        #expect(both.map { $0.attribute(forName: "name")?.stringValue } == [faulty.path, sound.path])
        #expect(both.map { number($0, "failures") } == [3, 0] && number(suites, "failures") == 3)
        for suite in both {
            let tests = suite.elements(forName: "testcase")
            #expect(number(suite, "tests") == tests.count && tests.count > 50)
            #expect(Set(tests.map { $0.attribute(forName: "name")?.stringValue }).count == tests.count)
            #expect(number(suite, "skipped") == 0)
        }
        let failed = both[0].elements(forName: "testcase").filter { !$0.elements(forName: "failure").isEmpty }
        #expect(
            failed.map { $0.attribute(forName: "name")?.stringValue }
                == ["manifestInvalid", "outputInEntry", "missingSeparator"])
        #expect(
            failed.last?.elements(forName: "failure").first?.stringValue?.contains("Local izable.strings:2:7: ") == true
        )
    }

    @Test func whatCouldNotBeCheckedIsASkippedTestOfJUnit() throws {
        let (status, suites) = try junit(
            "--level", "strict", try Defect.plugin("RefusesJUnit", result: "PLUGIN_FAILED").path)
        #expect(status == 1)
        let suite = try #require(suites.elements(forName: "testsuite").first)
        let skipped = suite.elements(forName: "testcase").filter { !$0.elements(forName: "skipped").isEmpty }
        #expect(number(suite, "skipped") == skipped.count && skipped.count > 5)
        #expect(skipped.contains { $0.attribute(forName: "name")?.stringValue == "objectsKept" })
    }

    // MARK: The option

    @Test func jsonIsTheSameUnderBothNames() throws {
        let path = try Defect.plugin("SameJSON").path
        let output = try PluginHostTool.run("check", "--json", path)
        #expect(try PluginHostTool.run("check", "--format", "json", path).standardOutput == output.standardOutput)
        #expect(try PluginHostTool.run("check", "--format", "json", "--json", path).status == 0)
        let both = try PluginHostTool.run("check", "--format", "junit", "--json", path)
        #expect(both.status == 2)
    }
}
