import Fixtures
import Foundation
import FoundationXML
import Testing

@Suite struct GraphCommandTests {
    private func folder() throws -> PluginFolder {
        try PluginFolder([
            "Report": [
                "CFBundleName": "Reports", "PHRequires": ["org.example.Words": ">=1"],
                "PHExtensionPoints": [["name": "org.example.style", "version": 2, "displayName": "Styles"]],
                "PHUses": ["org.example.spelling": 1],
            ],
            "Words": [
                "PHFactories": [
                    PluginFolder.factory("english", at: "org.example.spelling"),
                    PluginFolder.factory("french", at: "org.example.spelling"),
                ]
            ],
            "Dark": ["PHFactories": [PluginFolder.factory("dark", at: "org.example.style", version: 2)]],
        ])
    }

    private func broken() throws -> PluginFolder {
        try PluginFolder(["Alone": ["PHRequires": ["org.example.Nobody": "1.0"]]])
    }

    @Test func theTextIsATreeOfWhatIsRequired() throws {
        let output = try PluginHostTool.run("graph", folder().path)
        #expect(output.status == 0)
        let lines = output.standardOutput.split(separator: "\n")
        #expect(lines.contains("org.example.Report 1.0 “Reports”"))
        #expect(lines.contains("├─ opens org.example.style 2"))
        #expect(lines.contains("├─ uses org.example.spelling 1"))
        #expect(lines.contains("└─ requires >=1: org.example.Words 1.0 “Words”"))
        #expect(lines.contains("   └─ offers english, french at org.example.spelling 1"))
        #expect(lines.contains("Extension point org.example.style 2 of org.example.Report"))
        #expect(lines.contains("└─ org.example.Dark: dark"))
    }

    @Test func theDocumentHasEveryNodeAndEdge() throws {
        let document = try PluginHostTool.document("graph", folder().path)
        let nodes = document.object["nodes"] as? [[String: Any]] ?? []
        let edges = document.object["edges"] as? [[String: Any]] ?? []
        #expect(
            nodes.map { "\($0["kind"]!) \($0["name"]!)" }.sorted() == [
                "plugin org.example.Dark", "plugin org.example.Report", "plugin org.example.Words",
                "point org.example.spelling", "point org.example.style",
            ])
        #expect(edges.map { "\($0["kind"]!)" }.sorted() == ["offers", "offers", "opens", "requires", "uses"])
        #expect(
            nodes.allSatisfy { Set($0.keys) == ["id", "kind", "name", "version", "displayName", "reason", "path"] })
        #expect(edges.allSatisfy { Set($0.keys) == ["kind", "from", "to", "label"] })
    }

    @Test(arguments: ["text", "dot", "mermaid", "svg"]) func missingRequirementsAreShownAndAreAProblem(_ format: String)
        throws
    {
        let output = try PluginHostTool.run("graph", "--format", format, try broken().path)
        #expect(output.status == 1)
        #expect(output.standardOutput.contains("org.example.Nobody"))
        #expect(output.standardOutput.contains("missing"))
    }

    @Test func aCircleEnds() throws {
        let folder = try PluginFolder([
            "A": ["PHRequires": ["org.example.B": "*"]], "B": ["PHRequires": ["org.example.A": "*"]],
            "Self": ["PHRequires": ["org.example.Self": "*"]],
        ])
        for format in ["text", "dot", "mermaid", "svg"] {
            let output = try PluginHostTool.run("graph", "--format", format, folder.path)
            #expect(output.status >= 0 && output.standardOutput.contains("org.example.B"), "\(format): \(output)")
        }
    }

    // MARK: Bounds

    @Test(.fault(805), .timeLimit(.minutes(2))) func manyMissingRequirementsOfOneBundleTakeOneStepEach() throws {
        // With a look at every candidate and edge for each of them, this takes a quarter of an hour.
        let missing = Dictionary(uniqueKeysWithValues: (0..<5_000).map { ("org.missing.n\($0)", "1.0") })
        let folder = try PluginFolder(["Alone": ["PHRequires": missing]])
        for command in [["graph"], ["graph", "--format", "svg"], ["why", "org.example.Alone", "--in"]] {
            let output = try PluginHostTool.run(command + [folder.path])
            #expect(output.status == 1)
            #expect(output.standardOutput.contains("org.missing.n4999"), "\(command)")
        }
    }

    @Test(.fault(806)) func plugInsThatManyRequireAreExplainedOnce() throws {
        // Each of two requires both of the next two: there are two to the power of 30 ways down.
        let folder = try PluginFolder()
        for level in 0..<30 {
            let next = level == 29 ? [:] : ["org.example.A\(level + 1)": "*", "org.example.B\(level + 1)": "*"]
            for name in ["A", "B"] { try folder.add("\(name)\(level)", ["PHRequires": next]) }
        }
        let output = try PluginHostTool.run("why", "org.example.A0", "--in", folder.path)
        #expect(output.status == 0)
        #expect(output.standardOutput.split(separator: "\n").count < 200)
        #expect(output.standardOutput.contains("(its own needs: why org.example.A1"))
        let document = try PluginHostTool.document("why", "org.example.A0", "--in", folder.path)
        let needs = document.object["needs"] as? [[String: Any]] ?? []
        #expect(needs.count == 2 && needs.allSatisfy { $0["shortened"] as? Bool == false })
    }

    @Test(.fault(807), arguments: [["graph"], ["graph", "--format", "svg"], ["why", "org.example.P0", "--in"]])
    func aLongChainTakesNoSquareOfOutput(_ command: [String]) throws {
        // Every one requires the next and the last: the indents of one tree, or the joints of all edges, are a square.
        let folder = try PluginFolder()
        let count = 600
        for number in 0..<count {
            var next = ["org.example.P\(count)": "*"]
            next["org.example.P\(number + 1)"] = "*"
            try folder.add("P\(number)", ["PHRequires": next])
        }
        try folder.add("P\(count)", [:])
        let output = try PluginHostTool.run(command + [folder.path])
        #expect(output.status == 0)
        #expect(output.standardOutput.utf8.count < count * 4_000, "\(output.standardOutput.utf8.count) bytes")
        if command == ["graph"] {
            let plugins = (0...count).filter { output.standardOutput.contains("org.example.P\($0) 1.0") }
            #expect(plugins.count == count + 1)
        }
    }

    // MARK: Hostile names

    private static let hostile = "a\"]b\\N{|}<b>&'`#;%\u{1B}[31m\n-->x"

    private func hostileFolder() throws -> PluginFolder {
        try PluginFolder([
            "Hostile": [
                // A control character in the identifier makes it none at all.
                "CFBundleIdentifier": Self.hostile.filter { $0 != "\u{1B}" && $0 != "\n" },
                "CFBundleName": Self.hostile,
                "PHFactories": [PluginFolder.factory(Self.hostile, at: Self.hostile)],
            ]
        ])
    }

    @Test(arguments: ["text", "dot", "mermaid", "svg"]) func namesCannotCommandTheTerminal(_ format: String) throws {
        let output = try PluginHostTool.run("graph", "--format", format, try hostileFolder().path).standardOutput
        #expect(!output.contains("\u{1B}"))
        #expect(!output.contains("\n-->x"))
    }

    @Test(.fault(263), arguments: ["text", "dot", "mermaid", "svg", "json"])
    func marksOfDirectionAreShownAndNotObeyed(_ format: String) throws {
        let name = "x\u{61C}\u{200F}\u{202E}gpj\u{2066}"
        let folder = try PluginFolder([
            "Turned": [
                "CFBundleIdentifier": name, "CFBundleName": name, "PHFactories": [PluginFolder.factory(name, at: name)],
            ]
        ])
        let options = format == "json" ? ["--json"] : ["--format", format]
        let output = try PluginHostTool.run(["graph"] + options + [folder.path]).standardOutput
        #expect(!output.unicodeScalars.contains { [0x61C, 0x200F, 0x202E, 0x2066].contains($0.value) })
        #expect(output.uppercased().contains("202E"))
        if format == "json" { #expect(try JSONSerialization.jsonObject(with: Data(output.utf8)) is [String: Any]) }
        if format == "svg" { _ = try XMLDocument(data: Data(output.utf8)) }
    }

    @Test func namesAreQuotedForGraphviz() throws {
        let text = try PluginHostTool.run("graph", "--format", "dot", try hostileFolder().path).standardOutput
        for line in text.split(separator: "\n") {
            // Outside of quotation marks there is only the language's own syntax.
            var isInside = false, isEscaped = false, outside = ""
            for character in line {
                if isEscaped {
                    isEscaped = false
                } else if isInside, character == "\\" {
                    isEscaped = true
                } else if character == "\"" {
                    isInside.toggle()
                } else if !isInside {
                    outside.append(character)
                }
            }
            #expect(!isInside, "a quotation mark is open in \(line)")
            #expect(outside.allSatisfy { $0.isLetter || $0.isNumber || " =[],;{}->".contains($0) }, "\(outside)")
        }
        #expect(text.contains("a\\\"]b\\\\N"))
    }

    @Test func namesAreNumbersOfCharactersForMermaid() throws {
        let text = try PluginHostTool.run("graph", "--format", "mermaid", try hostileFolder().path).standardOutput
        let node = try #require(text.split(separator: "\n").first { $0.hasPrefix("  n0[") })
        #expect(node.hasPrefix("  n0[\"a#34;#93;b#92;N#123;#124;#125;#60;b#62;#38;#39;#96;#35;#59;#37;"))
        #expect(node.filter { $0 == "\"" }.count == 2)
    }

    @Test func theDrawingIsXML() throws {
        for folder in [try folder(), try hostileFolder(), try broken(), try PluginFolder()] {
            let text = try PluginHostTool.run("graph", "--format", "svg", folder.path).standardOutput
            let document = try XMLDocument(data: Data(text.utf8))
            let root = try #require(document.rootElement())
            #expect(root.name == "svg")
            #expect(root.elements(forName: "title").first?.stringValue?.contains(folder.path) == true)
            #expect(text.contains("prefers-color-scheme: dark"))
        }
    }

    @Test func aDrawingOfSixtyPluginsHasNoOverlaps() throws {
        let folder = try PluginFolder()
        for number in 0..<60 {
            try folder.add(
                "P\(number)",
                [
                    "PHRequires": number > 6 ? ["org.example.P\(number / 7)": "*"] : [:],
                    "PHFactories": [PluginFolder.factory("f\(number)", at: "org.example.point\(number % 5)")],
                ])
        }
        let text = try PluginHostTool.run("graph", "--format", "svg", folder.path).standardOutput
        // By the text, because Foundation's XML classes return no attributes of elements that XPath found.
        let rects = text.matches(of: /<rect x="([^"]+)" y="([^"]+)" width="([^"]+)" height="([^"]+)"/).map { match in
            [match.1, match.2, match.3, match.4].map { Double($0) ?? .nan }
        }
        #expect(rects.count == 65)
        for (number, a) in rects.enumerated() {
            for b in rects[(number + 1)...] {
                let apart = a[0] + a[2] <= b[0] || b[0] + b[2] <= a[0] || a[1] + a[3] <= b[1] || b[1] + b[3] <= a[1]
                #expect(apart, "\(a) \(b)")
            }
        }
    }

    @Test(arguments: [
        ["graph"], ["graph", "--format", "png", "/tmp"], ["graph", "--json", "--format", "dot", "/tmp"],
    ])
    func aWrongUseIsTwo(_ arguments: [String]) throws {
        #expect(try PluginHostTool.run(arguments).status == 2)
    }
}
