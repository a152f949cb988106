@_spi(Tools) import HostBasics
@_spi(Tools) import PluginHost

/// A drawing of the graph, made without any other program.
struct GraphDrawing {
    private let graph: PluginGraph
    /// The edges that can be drawn: a plug-in that requires itself has no arrow.
    private let edges: [PluginGraph.Edge]
    private let title: String
    private let layout: GraphLayout
    private let labels: [Label]

    /// The lines of a node, cut to fit the drawing.
    private struct Label {
        let lines: [String]
        let size: GraphLayout.Size
    }

    private static let margin = 24.0
    private static let head = 78.0
    private static let foot = 46.0
    private static let lineHeight = 18.0
    private static let most = 34

    init(_ graph: PluginGraph, title: String) {
        self.graph = graph
        self.title = title
        edges = graph.edges.filter { $0.from != $0.to }
        labels = graph.nodes.map { node in
            let lines = node.lines.map { $0.escapedForTerminal.cut(to: Self.most) }
            let width = lines.enumerated().map { $1.drawnWidth * ($0 == 0 ? 14.5 : 12.5) }.max() ?? 0
            let padding = node.kind == .point ? 40.0 : 28.0
            return Label(
                lines: lines, size: .init(width: width + padding, height: Double(lines.count) * Self.lineHeight + 14))
        }
        layout = GraphLayout(sizes: labels.map(\.size), edges: edges.map { ($0.from, $0.to) })
    }

    private var size: GraphLayout.Size {
        // Wide enough for the text above and below the graph.
        let least = max(title.drawnWidth * 19, subtitle.drawnWidth * 13.5, Self.legendWidth)
        return .init(
            width: max(layout.size.width, least) + 2 * Self.margin,
            height: layout.size.height + Self.head + Self.foot + Self.margin)
    }

    private var subtitle: String {
        let counts = [
            FindingReport.count(graph.nodes.count { $0.kind == .plugin }, "plug-in"),
            FindingReport.count(graph.nodes.count { $0.kind == .point }, "extension point"),
            FindingReport.count(graph.nodes.count { $0.kind == .unused }, "bundle").map { $0 + " not used" },
            FindingReport.count(graph.nodes.count { $0.kind == .missing }, "bundle").map { $0 + " missing" },
        ].compactMap(\.self)
        return counts.isEmpty ? "no plug-ins" : counts.joined(separator: ", ")
    }

    /// The document.
    var svg: String {
        let width = Self.number(size.width), height = Self.number(size.height)
        var text = """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(width) \(height)" width="\(width)" height="\(height)" \
            role="img" aria-labelledby="title" font-family="Helvetica, Arial, 'DejaVu Sans', sans-serif">
              <title id="title">\(title.escapedForXML): \(subtitle)</title>
            \(Self.style)
              <rect class="page" width="\(width)" height="\(height)"/>
              <text class="text heading" x="\(Self.number(Self.margin))" y="36">\(title.escapedForXML)</text>
              <text class="soft" x="\(Self.number(Self.margin))" y="56">\(subtitle)</text>
              <g transform="translate(\(Self.number(left)) \(Self.number(Self.head)))">

            """
        // Draw edges first, so that none covers the label of a node.
        for number in edges.indices { text += edge(number) }
        for number in graph.nodes.indices { text += node(number) }
        return text + "  </g>\n" + legend + "</svg>\n"
    }

    /// The left edge of the graph, which is centred if it is narrower than the title.
    private var left: Double { (size.width - layout.size.width) / 2 }

    // MARK: Parts

    private func node(_ number: Int) -> String {
        let node = graph.nodes[number], label = labels[number], centre = layout.centres[number]
        let width = layout.widths[number]
        let x = Self.number(centre.x - width / 2), y = centre.y - label.size.height / 2
        let tooltip = [node.title, node.path, node.reason].compactMap(\.self).map(\.escapedForTerminal)
            .joined(separator: "\n")
        let radius = Self.number(node.kind == .point ? label.size.height / 2 : 6)
        var text = """
                <g class="\(node.kind.rawValue)">
                  <title>\(tooltip.escapedForXML)</title>
                  <rect x="\(x)" y="\(Self.number(y))" width="\(Self.number(width))" \
            height="\(Self.number(label.size.height))" rx="\(radius)"/>

            """
        for (row, line) in label.lines.enumerated() {
            let base = Self.number(y + 7 + Double(row) * Self.lineHeight + 13)
            text += """
                      <text class="\(row == 0 ? "text name" : "soft")" x="\(Self.number(centre.x))" y="\(base)" \
                text-anchor="middle">\(line.escapedForXML)</text>

                """
        }
        return text + "    </g>\n"
    }

    private func edge(_ number: Int) -> String {
        let edge = edges[number], path = layout.paths[number]
        guard let start = path.first else { return "" }
        var line = "M\(Self.number(start.x)) \(Self.number(start.y))"
        for (a, b) in zip(path, path.dropFirst()) {
            // A straight line within a layer; between two layers, a curve that is level at both ends.
            let middle = (a.x + b.x) / 2
            line +=
                a.y == b.y
                ? " L\(Self.number(b.x)) \(Self.number(b.y))"
                : " C\(Self.number(middle)) \(Self.number(a.y)) \(Self.number(middle)) \(Self.number(b.y)) "
                    + "\(Self.number(b.x)) \(Self.number(b.y))"
        }
        let tooltip = "\(graph.nodes[edge.from].name) \(edge.words) → \(graph.nodes[edge.to].name)"
        var text = """
                <g class="\(edge.kind.rawValue)">
                  <title>\(tooltip.escapedForXML)</title>
                  <path d="\(line)" marker-end="url(#\(edge.kind.rawValue))"/>

            """
        if edge.kind == .requires, path.count > 1 {
            // The label is near the edge's start, where no other edge is close.
            let place = Self.onCurve(from: start, to: path[1], at: 0.16)
            let words = edge.label.escapedForTerminal.cut(to: 14)
            text += """
                      <text class="soft range" x="\(Self.number(place.x))" y="\(Self.number(place.y + 4))" \
                text-anchor="middle">\(words.escapedForXML)</text>

                """
        }
        return text + "    </g>\n"
    }

    /// A point of a curve that joins two points and is level at both.
    ///
    /// `part` is its position along the curve, from 0 to 1.
    private static func onCurve(
        from a: GraphLayout.Point, to b: GraphLayout.Point, at part: Double
    ) -> GraphLayout.Point {
        let rest = 1 - part
        let first = rest * rest * rest, second = 3 * rest * rest * part
        let third = 3 * rest * part * part, last = part * part * part
        let middle = (a.x + b.x) / 2
        return .init(
            x: first * a.x + (second + third) * middle + last * b.x, y: (first + second) * a.y + (third + last) * b.y)
    }

    private static let legendEntries: [(kind: PluginGraph.Edge.Kind, words: String)] = [
        (.requires, "requires"), (.offers, "offers something at"), (.opens, "opens to others"), (.uses, "uses"),
    ]
    private static let legendStep = 12.0

    private static var legendWidth: Double {
        legendEntries.reduce(0) { $0 + 36 + $1.words.drawnWidth * 12.5 + 2 * legendStep }
    }

    private var legend: String {
        var x = Self.margin
        let y = size.height - Self.foot / 2
        var text = ""
        for (kind, words) in Self.legendEntries {
            text += """
                  <g class="\(kind.rawValue)"><path d="M\(Self.number(x)) \(Self.number(y)) h32" \
                marker-end="url(#\(kind.rawValue))"/>\
                <text class="soft" x="\(Self.number(x + 40))" y="\(Self.number(y + 4))">\(words)</text></g>

                """
            x += 36 + words.drawnWidth * 12.5 + 2 * Self.legendStep
        }
        return text
    }

    /// A number with at most one digit after the decimal point.
    private static func number(_ value: Double) -> String {
        let tenths = (value * 10).rounded()
        guard tenths.isFinite, abs(tenths) < 1e12 else { return "0" }
        let whole = Int(tenths)
        return whole % 10 == 0 ? "\(whole / 10)" : "\(Double(whole) / 10)"
    }

    private static let style = """
          <style>
            .page { fill: #ffffff }
            .text { fill: #1c2430 }
            .heading { font-size: 19px; font-weight: 600 }
            .name { font-size: 14px }
            .soft { fill: #56606e; font-size: 12px }
            .range { paint-order: stroke; stroke: #ffffff; stroke-width: 3px }
            rect { stroke-width: 1.5 }
            path { fill: none; stroke-width: 1.5 }
            .plugin rect { fill: #eef3fa; stroke: #5b7ea8 }
            .point rect { fill: #e3f3e6; stroke: #3c8a4e }
            .unused rect, .missing rect { fill: #fbeaea; stroke: #b3403a; stroke-dasharray: 5 3 }
            .requires path { stroke: #56606e }
            .offers path { stroke: #3c8a4e }
            .opens path { stroke: #3c8a4e; stroke-width: 3 }
            .uses path { stroke: #7a52a8; stroke-dasharray: 5 3 }
            .head-requires { fill: #56606e }
            .head-offers, .head-opens { fill: #3c8a4e }
            .head-uses { fill: #7a52a8 }
            @media (prefers-color-scheme: dark) {
              .page { fill: #1b1d21 }
              .text { fill: #eef1f5 }
              .soft { fill: #b4bdc9 }
              .range { stroke: #1b1d21 }
              .plugin rect { fill: #26303d; stroke: #83a7d3 }
              .point rect { fill: #1f3525; stroke: #74c587 }
              .unused rect, .missing rect { fill: #3c2323; stroke: #e08983 }
              .requires path { stroke: #b4bdc9 }
              .offers path, .opens path { stroke: #74c587 }
              .uses path { stroke: #bb9be0 }
              .head-requires { fill: #b4bdc9 }
              .head-offers, .head-opens { fill: #74c587 }
              .head-uses { fill: #bb9be0 }
            }
          </style>
          <defs>
        \(PluginGraph.Edge.Kind.allCases.map(marker).joined(separator: "\n"))
          </defs>
        """

    private static func marker(_ kind: PluginGraph.Edge.Kind) -> String {
        """
            <marker id="\(kind.rawValue)" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="9" markerHeight="9" \
        markerUnits="userSpaceOnUse" orient="auto"><path class="head-\(kind.rawValue)" stroke="none" d="M0 0 L8 4 L0 8 Z" \
        style="stroke: none"/></marker>
        """
    }
}

extension String {
    /// The text, escaped for the content or an attribute of an XML element.
    ///
    /// Characters that control a display are written out, except line breaks; characters that XML does not allow become
    /// U+FFFD.
    var escapedForXML: String {
        let lines = split(separator: "\n", omittingEmptySubsequences: false).map(\.escapedForDisplay)
        return lines.joined(separator: "\n").unicodeScalars.reduce(into: "") { result, scalar in
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "\n", "\t": result.unicodeScalars.append(scalar)
            case _ where scalar.value < 0x20 || scalar.value == 0xFFFE || scalar.value == 0xFFFF: result += "\u{FFFD}"
            default: result.unicodeScalars.append(scalar)
            }
        }
    }

    /// The width in a common sans-serif face of size 1: DejaVu Sans, which is wide.
    var drawnWidth: Double {
        reduce(0) { sum, character in
            switch character {
            case "i", "j", "l", ".", ",", ":", ";", "'", "|", "!": sum + 0.3
            case "f", "r", "t", " ", "(", ")", "-", "/", "“", "”": sum + 0.42
            case "m", "w", "M", "W", "@", "…", "%": sum + 0.98
            case "A"..."Z", "&", "=", "<", ">", "+", "~", "^": sum + 0.78
            default: sum + (String(character).columns == 2 ? 1.05 : 0.63)
            }
        }
    }
}
