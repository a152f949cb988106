import Fixtures
import Foundation
import Testing

/// The page that the demonstration's host writes.
@Suite struct DemoReport {
    private static let document = """
        # A first title

        A paragraph whose lines are wrapped by hand, as those of
        README.md and abi.md are, and of guide.md: this is **one** paragraph with `code` and [a link](https://example.org).
        <!-- readers do not see this -->

        - an item
          with two lines
        - another

        ## A second *title*

        | Name | Meaning |
        | --- | --- |
        | md | walk.md, walk.md and walk.md |

        ```swift
        let x = 1 < 2
        ```

        """

    /// - Returns: the page, and what the program printed.
    private func report(_ text: String, _ arguments: [String] = []) throws -> (page: String, output: Tool.Output) {
        let folder = Workspace.temporary.appending(path: "demo-report-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let document = folder.appending(path: "document.md"), page = folder.appending(path: "page.html")
        try Data(text.utf8).write(to: document)
        let output = try demo(
            ["--plugins", try Workspace.samplePlugins.get().path, "--output", page.path, document.path] + arguments)
        return (try String(contentsOf: page, encoding: .utf8), output)
    }

    private func demo(_ arguments: [String], _ environment: [String: String] = [:]) throws -> Tool.Output {
        let cache = Workspace.temporary.appending(path: "cache").path
        return try Tool.output(
            Workspace.products.appending(path: "demo-host").path, arguments,
            environment: ["LANGUAGE": "en", "XDG_CACHE_HOME": cache].merging(environment) { $1 })
    }

    /// The quotation from the document.
    private func opening(_ page: String) throws -> String {
        String(try #require(page.firstMatch(of: /(?s)<blockquote[^>]*>(.*?)<\/blockquote>/)).1)
    }

    @Test func linesThatWereWrappedByHandAreOneParagraph() throws {
        let opening = try opening(report(Self.document).page)
        #expect(opening.contains("wrapped by hand, as those of README.md and abi.md are"), "\(opening)")
        let plain = try self.opening(report("One line\nand the next.\n\nAnother paragraph.\n").page)
        #expect(plain == "<p>One line and the next.</p><p>Another paragraph.</p>")
    }

    @Test func markdownIsShownAsWhatItMeans() throws {
        let opening = try opening(report(Self.document).page)
        for part in [
            "<h3>A first title</h3>", "<strong>one</strong>", "<code>code</code>", "and a link.",
            "<h4>A second <em>title</em></h4>",
            "<ul><li>an item with two lines</li><li>another</li></ul>", "<p>Name – Meaning</p>",
            "<pre><code>let x = 1 &lt; 2</code></pre>",
        ] {
            #expect(opening.contains(part), "\(part) is missing in \(opening)")
        }
        for part in ["# A", "**", "](", "---", "— –", "readers do not see"] {
            #expect(!opening.contains(part), "\(part) stands in \(opening)")
        }
    }

    @Test func marksThatMeanNothingAreText() throws {
        let text = "snake_case_name and 2 * 3 * 4, a [bracket] and a `quote; ** and <b>no tag</b>\n# \n#no title\n"
        let opening = try opening(report(text, ["--pipeline", "summary,html"]).page)
        #expect(
            opening
                == "<p>snake_case_name and 2 * 3 * 4, a [bracket] and a `quote; ** and &lt;b&gt;no tag&lt;/b&gt; # #no title</p>"
        )
    }

    @Test func theEndingOfAFilesNameIsNotAWord() throws {
        let page = try report(Self.document).page
        #expect(!page.contains("<th scope=\"row\">md</th>"))
        #expect(page.contains("<th scope=\"row\">walk</th>"))
    }

    @Test func chartsAreNotWiderThanATelephone() throws {
        let text = (1...80).map { "Sentence \($0 % 7) is here, and sentence \($0 % 5) is there with its words.\n" }
            .joined()
        let page = try report(text).page
        let widths = page.matches(of: /viewBox="0 0 ([0-9.]+) [0-9.]+"[^>]*font-size="([0-9.]+)"/)
        #expect(widths.count == 2, "one of bars, one of a line")
        for width in widths {
            #expect(try #require(Double(width.1)) <= 360)
            #expect(try #require(Double(width.2)) >= 12)
        }
    }

    @Test func nothingKeepsHalfOfThePageEmpty() throws {
        let page = try report("One step. One step.\n").page
        // Boxes grow into the available space; columns of text would not.
        #expect(page.contains(".columns > * { flex: 1 1 "))
        #expect(!page.contains("columns: "))
    }

    @Test func errorsOfTheSystemAreInPlainWords() throws {
        let plugins = try Workspace.samplePlugins.get().path
        let loop = Workspace.temporary.appending(path: "loop-\(UUID().uuidString)")
        try FileManager.default.createSymbolicLink(atPath: loop.path, withDestinationPath: loop.path)
        let long = "/tmp/" + String(repeating: "long", count: 100)
        for (path, language, reason) in [
            (loop.path, "en", "cannot be used: its links lead in a circle."),
            (long, "en", "cannot be used: the name is too long."),
            (loop.path, "de", "lässt sich nicht verwenden: die Verknüpfungen führen im Kreis."),
        ] {
            let output = try demo(
                ["--plugins", plugins, "--output", "/tmp/unwritten.html", path], ["LANGUAGE": language])
            #expect(output.standardError.contains(reason), "\(output)")
            #expect(output.status == 1)
        }
    }

    @Test func aFullDiskIsSaidInPlainWords() throws {
        let program = Workspace.products.appending(path: "demo-host").path
        let output = try Tool.output(
            "/bin/sh",
            ["-c", "exec \"$0\" --list --plugins \"$1\" >/dev/full", program, try Workspace.samplePlugins.get().path],
            environment: ["LANGUAGE": "en"])
        #expect(output.status == 2)
        #expect(output.standardError.contains("The output cannot be written: no space is left."), "\(output)")
        #expect(!output.standardError.contains("Domain"))
    }

    // MARK: The card that a nib makes

    private static let captions = [
        "en": ["words", "Read the first document", "The seal of the report"],
        "de": ["Wörter", "Zum ersten Dokument", "Das Siegel des Berichts"],
        "fr": ["mots", "Lire le premier document", "Le sceau du rapport"],
        "ja": ["単語", "最初の文書を読む", "レポートの印"],
    ]

    @Test(arguments: ["en", "de", "fr", "ja"])
    func aCardThatANibMadeStandsAtTheHeadOfTheReport(language: String) throws {
        let (page, output) = try cardReport("One two three. Four five.\n", language: language)
        let card = String(try #require(page.firstMatch(of: /(?s)<aside class="card">(.*?)<\/aside>/)).1)
        for caption in Self.captions[language] ?? [] { #expect(card.contains(caption), "\(caption): \(card)") }
        // The numbers come through outlets, the address from the host, the checksum from an object in C.
        #expect(card.contains("<b>5</b>") && card.contains("<b>2</b>"))
        #expect(card.contains("href=\"#document-1\"") && page.contains("id=\"document-1\""))
        #expect(card.contains(/<b>[0-9a-f]{8}<\/b>/))
        #expect(card.contains("<img ") && card.contains("width=\"48\""))
        // The variant for terminals, and a line about its nib.
        let lines = output.standardOutput.split(separator: "\n")
        let about = try #require(lines.first { $0.hasPrefix("Summary~terminal.xib") }, "\(output.standardOutput)")
        #expect(about.contains(language == "en" ? "en, objects: 8, outlets: 7, actions: 1" : language))
        #expect(lines.contains("  \((Self.captions[language] ?? [""])[0]): 5"), "\(output.standardOutput)")
    }

    @Test func aLinkThatNobodyAnswersIsPlainText() throws {
        let page = try cardReport("One.\n", language: "en").page
        #expect(page.contains("<span class=\"link\">What was left out</span>"))
    }

    @Test func anotherNibTakesThePlaceOfTheCard() throws {
        let own = """
            <document type="com.apple.InterfaceBuilder3.Cocoa.XIB" version="3.0"><objects>
            <customObject id="-2" customClass="SummaryCard"><connections>
            <outlet property="element" destination="v" id="c1"/></connections></customObject>
            <view id="v" title="My own card"/></objects></document>
            """
        #expect(try cardReport("One.\n", nib: own).page.contains("<h2>My own card</h2>"))
        let faulty = own.replacing("\"element\"", with: "\"elment\"").replacing("<view", with: "<box")
        let (page, output) = try cardReport("One.\n", nib: faulty)
        #expect(output.status == 1)
        for place in [":2:1: ", ":3:9: ", ":4:1: "] {
            #expect(output.standardError.contains(".xib" + place), "\(output.standardError)")
        }
        #expect(!page.contains("<aside class=\"card\">") && page.contains("elment"))
    }

    /// A report in a language, with a nib in the place of the card.
    private func cardReport(_ text: String, language: String = "en", nib: String? = nil) throws -> (
        page: String, output: Tool.Output
    ) {
        let folder = Workspace.temporary.appending(path: "demo-card-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let document = folder.appending(path: "document.txt"), page = folder.appending(path: "page.html")
        try Data(text.utf8).write(to: document)
        var arguments = ["--plugins", try Workspace.samplePlugins.get().path, "--output", page.path, document.path]
        if let nib {
            let file = folder.appending(path: "Own.xib")
            try Data(nib.utf8).write(to: file)
            arguments += ["--nib", file.path]
        }
        let output = try demo(arguments, ["LANGUAGE": language])
        return (try String(contentsOf: page, encoding: .utf8), output)
    }
}
