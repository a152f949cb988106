extension PluginGraph {
    /// The graph in the DOT language of Graphviz.
    func dot(title: String) -> String {
        var text = "digraph plugins {\n  label=\(Self.dotQuoted(title));\n  labelloc=t;\n  rankdir=LR;\n"
        text += "  node [fontname=\"Helvetica\", shape=box, style=\"rounded,filled\", fillcolor=\"#eef3fa\"];\n"
        text += "  edge [fontname=\"Helvetica\", fontsize=10];\n"
        for (number, node) in nodes.enumerated() {
            let style =
                switch node.kind {
                case .plugin: ""
                case .unused, .missing: ", style=\"rounded,filled,dashed\", fillcolor=\"#fbeaea\", color=\"#b3403a\""
                case .point: ", shape=ellipse, style=filled, fillcolor=\"#e3f3e6\""
                }
            // `\n` is DOT's line break within a label.
            let label = node.lines.map(Self.dotEscaped).joined(separator: "\\n")
            text += "  n\(number) [label=\"\(label)\"\(style)];\n"
        }
        for edge in edges {
            let style =
                switch edge.kind {
                case .requires: ""
                case .offers: ", color=\"#3c8a4e\""
                case .opens: ", color=\"#3c8a4e\", style=bold, arrowhead=odiamond"
                case .uses: ", color=\"#7a52a8\", style=dashed"
                }
            text += "  n\(edge.from) -> n\(edge.to) [label=\(Self.dotQuoted(edge.words))\(style)];\n"
        }
        return text + "}\n"
    }

    private static func dotQuoted(_ text: String) -> String { "\"\(dotEscaped(text))\"" }

    /// Within quotation marks, DOT interprets only the quotation mark and, in labels, backslash sequences.
    private static func dotEscaped(_ text: String) -> String {
        text.escapedForTerminal.reduce(into: "") { result, character in
            if character == "\"" || character == "\\" { result += "\\" }
            result.append(character)
        }
    }

    /// The graph as a Mermaid flowchart.
    func mermaid(title: String) -> String {
        // The title is YAML, where text in single quotation marks is plain.
        let quotedTitle = title.escapedForTerminal.split(separator: "'", omittingEmptySubsequences: false)
            .joined(separator: "''")
        var text = "---\ntitle: '\(quotedTitle)'\n---\nflowchart LR\n"
        for (number, node) in nodes.enumerated() {
            let label = node.lines.map(Self.mermaidEscaped).joined(separator: "<br/>")
            switch node.kind {
            case .plugin: text += "  n\(number)[\"\(label)\"]\n"
            case .unused, .missing: text += "  n\(number)[\"\(label)\"]:::missing\n"
            case .point: text += "  n\(number)([\"\(label)\"]):::point\n"
            }
        }
        for edge in edges {
            let arrow =
                switch edge.kind {
                case .requires, .offers: "-->"
                case .opens: "==>"
                case .uses: "-.->"
                }
            text += "  n\(edge.from) \(arrow)|\"\(Self.mermaidEscaped(edge.words))\"| n\(edge.to)\n"
        }
        text += "  classDef point fill:#e3f3e6,stroke:#3c8a4e,color:#1c2430\n"
        return text + "  classDef missing fill:#fbeaea,stroke:#b3403a,color:#1c2430,stroke-dasharray:4\n"
    }

    /// Replaces each character that Mermaid, Markdown or HTML could interpret with its number.
    private static func mermaidEscaped(_ text: String) -> String {
        text.escapedForTerminal.unicodeScalars.reduce(into: "") { result, scalar in
            let isPlain =
                !scalar.isASCII || scalar.properties.isAlphabetic || "0123456789 .,-:".unicodeScalars.contains(scalar)
            result += isPlain ? String(scalar) : "#\(scalar.value);"
        }
    }
}

extension PluginGraph.Node {
    /// The text of the node.
    var lines: [String] {
        let known = displayName.flatMap { $0 == name ? nil : $0 }
        return [known, title, reason.map { _ in kind == .missing ? "missing" : "not used" }].compactMap(\.self)
    }
}

extension PluginGraph.Edge {
    /// The text of the edge.
    var words: String {
        switch kind {
        case .requires, .offers: "\(kind.rawValue) \(label)"
        case .opens, .uses: kind.rawValue
        }
    }
}
