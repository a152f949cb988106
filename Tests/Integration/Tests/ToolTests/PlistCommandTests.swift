import Fixtures
import Foundation
import Testing

@Suite struct PlistCommandTests {
    private func list(_ content: String = Self.text) throws -> URL {
        try Workspace.folder(["a.plist": content]).appending(path: "a.plist")
    }

    private static let text =
        "{ \"a.b\" = ( x, <*I7>, { t = <*BY>; } ); r = <*R1>; d = <00ff>; w = \"two words\"; }\n"

    @Test func aListKeepsItsTypesThroughEveryForm() throws {
        let file = try list()
        for form in ["binary1", "xml1", "openstep", "binary1", "openstep"] {
            #expect(try PluginHostTool.run("plist", "convert", form, file.path).status == 0, "\(form)")
        }
        let shown = try PluginHostTool.run("plist", "print", file.path)
        let expected = """
            {
              "a.b" => [
                0 => "x"
                1 => 7
                2 => {
                  "t" => true
                }
              ]
              "d" => {length = 2, bytes = 0x00ff}
              "r" => 1.0
              "w" => "two words"
            }

            """
        #expect(shown.status == 0 && shown.standardOutput == expected)
    }

    @Test(
        .fault(832),
        arguments: [
            ("// one\n{ a = \"/* no comment */\"; /* two */ b = http://example.org; }\n", 1, 1),
            (
                "<plist>\n <!-- one --><dict>\n<key>a</key><string><![CDATA[<!-- no -->]]></string><!-- two --></dict></plist>",
                2, 2
            ),
        ]) func commentsThatAConversionLosesAreReported(_ text: String, _ line: Int, _ column: Int) throws
    {
        let file = try list(text)
        let document = try PluginHostTool.document("plist", "convert", "binary1", file.path)
        let findings = try #require(document.object["findings"] as? [[String: Any]])
        #expect(document.status == 0 && findings.map { $0["code"] as? String } == ["comments"])
        #expect(findings[0]["severity"] as? String == "warning" && findings[0]["line"] as? Int == line)
        #expect(findings[0]["column"] as? Int == column)
        #expect((findings[0]["message"] as? String)?.hasPrefix("This comment and 1 more are lost") == true)
        // Once they are gone, nothing is lost any more.
        let output = try PluginHostTool.run("plist", "convert", "xml1", file.path)
        #expect(output.status == 0 && output.standardError == "")
    }

    @Test(.fault(832)) func aFractionOfASecondThatAConversionLosesIsReported() throws {
        let file = try list()
        // A binary list with the one value 0.5 seconds after the beginning of 2001.
        let half: [UInt8] = [0x33, 0x3F, 0xE0, 0, 0, 0, 0, 0, 0]
        let end: [UInt8] =
            [8, 0, 0, 0, 0, 0, 0, 1, 1] + [0, 0, 0, 0, 0, 0, 0, 1] + [UInt8](repeating: 0, count: 15) + [17]
        try Data(Array("bplist00".utf8) + half + end).write(to: file)
        #expect(try PluginHostTool.run("plist", "convert", "binary1", file.path).standardError == "")
        let output = try PluginHostTool.run("plist", "convert", "xml1", file.path)
        #expect(output.status == 0 && output.standardError.contains("only binary1 keeps it."), "\(output)")
    }

    @Test func aValueThatJSONLacksIsRefusedAndTheFileIsKept() throws {
        let file = try list()
        let output = try PluginHostTool.run("plist", "convert", "json", file.path)
        #expect(
            output.status == 1 && output.standardError.contains("The value at “d” is data, which JSON cannot hold."))
        #expect(try String(contentsOf: file, encoding: .utf8) == Self.text)
    }

    @Test func standardInputBecomesStandardOutput() throws {
        let file = try list("{ n = <*I1>; r = <*R1>; }")
        let program = Workspace.products.appending(path: "pluginhost").path
        let output = try Tool.output("/bin/sh", ["-c", "exec \"$0\" plist convert json - <\"$1\"", program, file.path])
        #expect(output.status == 0 && output.standardOutput == "{\n  \"n\": 1,\n  \"r\": 1.0\n}\n")
    }

    @Test(arguments: [
        (["a\\.b.0"], "\"x\"\n"), (["a\\.b.2.t"], "true\n"), (["--raw", "w"], "two words\n"),
        (["--raw", "a\\.b"], "3\n"),
        (["--raw", "d"], "AP8=\n"), (["--form", "json", "a\\.b.2"], "{\n  \"t\": true\n}\n"),
    ])
    func aValueIsFoundByItsKeyPath(_ arguments: [String], _ expected: String) throws {
        let output = try PluginHostTool.run(["plist", "get"] + arguments + [list().path])
        #expect(output.status == 0 && output.standardOutput == expected, "\(output)")
    }

    @Test func aKeyPathThatLeadsNowhereIsOneAndAWrongOneIsTwo() throws {
        let file = try list()
        let output = try PluginHostTool.run("plist", "get", "a\\.b.5", file.path)
        #expect(output.status == 1 && output.standardError.contains("is an array of 3 elements, and has no index “5”"))
        #expect(try PluginHostTool.run("plist", "get", "a\\x", file.path).status == 2)
        #expect(try PluginHostTool.run("plist", "get", "a", "/nonexistent").status == 2)
        let document = try PluginHostTool.document("plist", "get", "a\\.b.1", file.path)
        #expect(document.object["value"] as? Int == 7 && document.object["type"] as? String == "an integer")
    }

    @Test func aFaultyListIsShownWithItsLine() throws {
        let file = try list("{ a = 1;\n b = ; }")
        let output = try PluginHostTool.run("plist", "print", file.path)
        #expect(output.status == 2 && output.standardError.contains("a.plist:2:6: error: "))
        let converted = try PluginHostTool.run("plist", "convert", "xml1", file.path)
        #expect(converted.status == 2 && converted.standardError.contains("a.plist:2:6: error: "))
        #expect(try String(contentsOf: file, encoding: .utf8) == "{ a = 1;\n b = ; }")
    }

    @Test(.fault(818)) func whatCannotBeReadIsTwoOnStandardErrorForEveryListAndTable() throws {
        for command in [
            ["plist", "convert", "xml1", "/nonexistent"], ["plist", "get", "a", "/nonexistent"],
            ["plist", "print", "/nonexistent"], ["strings", "/nonexistent.xib"],
            ["strings", "convert", "/nonexistent.strings", "/tmp/x.json"],
            ["strings", "diff", "/nonexistent.strings", "/nonexistent.strings"],
            ["strings", "pseudo", "/nonexistent.strings"], ["strings", "extract", "/nonexistent"],
            ["strings", "export", "--language", "de", "/nonexistent.bundle"],
            ["strings", "import", "/nonexistent.xliff", "/nonexistent.bundle"],
        ] {
            let output = try PluginHostTool.run(command)
            #expect(output.status == 2, "\(command) \(output)")
            #expect(output.standardOutput.isEmpty && !output.standardError.isEmpty, "\(command) \(output)")
        }
    }

    @Test(.fault(783)) func twoKeysThatDifferInTheirUnicodeFormOnlyAreNotMadeOne() throws {
        let contents = [
            "{ \"\u{E9}\" = one; \"e\u{301}\" = two; }",
            "{ \"a\": { \"\u{E9}\": 1, \"e\u{301}\": 2 } }",
            "<plist version=\"1.0\"><dict><key>\u{E9}</key><true/><key>x</key><true/><key>e\u{301}</key><true/></dict></plist>",
        ]
        for content in contents {
            let file = try list(content)
            for form in ["xml1", "openstep"] {
                let output = try PluginHostTool.run("plist", "convert", form, file.path)
                // What cannot be read is 2.
                #expect(output.status == 2 && output.standardError.contains("[duplicateKey]"), "\(content): \(output)")
                #expect(try String(contentsOf: file, encoding: .utf8) == content)
            }
        }
    }

    @Test(.fault(784)) func controlCharactersOfOptionsDoNotReachTheTerminal() throws {
        let escape = "\u{1B}]0;owned\u{7}"
        for arguments in [
            ["plist", "convert", escape, "x"], ["plist", "convert", "xml1\n\nError: fake\(escape)", "x"],
            ["list", "--\(escape)"], ["list", "--format=\(escape)"], [escape], ["list", "--sort", escape],
            ["install", "--in", "a", "--application", escape, "x"], ["load", "--time", escape, "x"],
        ] {
            let output = try PluginHostTool.run(arguments)
            #expect(output.status == 2, "\(arguments) \(output)")
            for text in [output.standardOutput, output.standardError] {
                #expect(!text.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" || $0.value == 0x7F }, "\(text)")
                #expect(!text.contains("\nError: fake"), "\(text)")
            }
        }
    }
}
