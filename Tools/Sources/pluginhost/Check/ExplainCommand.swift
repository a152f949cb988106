import ArgumentParser
import HostBasics
@_spi(Tools) import PluginHost

/// `pluginhost explain`: prints what a rule of `check` and `lint` means.
struct ExplainCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Explains a rule of check and lint: what is wrong, why it matters, and how to mend it.",
        discussion: """
            The id of a rule is the code of its findings, such as symbolMissing; symbol-missing is understood too. Without a \
            rule, all are listed with their levels.
            """)

    @Flag(help: "Write one JSON document to standard output.")
    var json = false

    @Flag(help: "Write Markdown, as docs/rules.md has it.")
    var markdown = false

    @Argument(help: "The id of the rule.", completion: .list(Rule.all.map(\.id)))
    var rule: String?

    func validate() throws {
        if json, markdown { throw ValidationError("--json and --markdown exclude each other.") }
        if let rule { _ = try Self.find(rule) }
    }

    mutating func run() throws {
        let rules = try rule.map { [try Self.find($0)] } ?? Rule.all
        if json {
            let document = JSONValue.document(command: "explain", ["rules": .array(rules.map(\.json))])
            Terminal.write(try document.text())
        } else if markdown {
            Terminal.write(rule == nil ? Rule.book : rules.map(\.markdown).joined(separator: "\n"))
        } else {
            var page = Page()
            if rule != nil {
                for rule in rules { rule.write(to: &page) }
            } else {
                page.table(
                    [["Rule", "Level", "Found by"]] + rules.map { [$0.id, $0.level.rawValue, $0.part.foundBy] },
                    indent: 0)
            }
            Terminal.write(page.text)
        }
    }

    /// - Throws: ValidationError with similar ids.
    private static func find(_ name: String) throws -> Rule {
        let wanted = plain(name)
        if let rule = Rule.all.first(where: { plain($0.id) == wanted }) { return rule }
        let ids = Dictionary(Rule.all.map { (plain($0.id), $0) }) { first, _ in first }
        var suggestions = NameSuggestions()
        let near = suggestions.names(near: wanted, among: ids.keys, atMost: 3)
        let longer = ids.keys.filter { !near.contains($0) && ($0.hasPrefix(wanted) || wanted.hasPrefix($0)) }
        let similar = (near + longer.sorted()).compactMap { ids[$0] }
        let question =
            similar.isEmpty
            ? " “pluginhost explain” lists all rules. Other codes have no page: their messages say what to do, and "
                + "“pluginhost why” says why a plug-in is not used."
            : " Did you mean \(similar.prefix(3).map { "“\($0.id)”" }.joined(separator: " or "))?"
        throw ValidationError("There is no rule “\(name.escapedForTerminal)”.\(question)")
    }

    private static func plain(_ name: String) -> String {
        name.lowercased().filter { $0 != "-" && $0 != "_" }
    }
}

extension Rule {
    var json: JSONValue {
        .object([
            "id": .string(id), "level": .string(level.rawValue), "part": .string(part.rawValue),
            "foundBy": .string(part.foundBy), "what": .string(what), "why": .string(why), "mend": .string(mend),
        ])
    }

    fileprivate func write(to page: inout Page) {
        page.line((id, .bold))
        page.field("Level", level.rawValue)
        page.field("Found by", part.foundBy)
        page.field("What is wrong", what)
        page.field("Why it matters", why)
        page.field("How to mend it", mend)
    }

    /// Its section of docs/rules.md.
    var markdown: String {
        """
        ### \(id)

        Level `\(level.rawValue)`. \(what.inMarkdown)

        **Why it matters.** \(why.inMarkdown)

        **How to mend it.** \(mend.inMarkdown)

        """
    }

    /// docs/rules.md.
    static var book: String {
        var text = """
            # The rules of `check` and `lint`

            <!-- Written by “pluginhost explain --markdown” from the table in Tools/Sources/pluginhost/Check. Do not edit. -->

            Every finding of `pluginhost check` and `pluginhost lint` has a code. The code is the id of the rule that the
            bundle does not follow, and never changes. `pluginhost explain symbolMissing` prints the section of a rule, and
            [command-line.md](command-line.md#check) describes both commands.

            | Level | A rule of this level names |
            | --- | --- |
            | `load` | what stops a load |
            | `standard` | what misbehaves, in some application or for some user |
            | `strict` | what a careful author mends |

            A warning never counts at the level `load`, and a note never counts at all.

            """
        for part in Part.allCases {
            text += "\n## \(part.title)\n\nFound by `\(part.foundBy)`.\n"
            for rule in all where rule.part == part { text += "\n" + rule.markdown }
        }
        return text
    }
}

extension String {
    /// The text with nothing that Markdown reads as markup.
    fileprivate var inMarkdown: String {
        reduce(into: "") { result, character in
            switch character {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case "\\", "*", "[", "]", "`": result += "\\\(character)"
            default: result.append(character)
            }
        }
    }
}
