extension PluginGraph {
    /// The graph as trees.
    ///
    /// First come the plug-ins that no other plug-in requires, each with its requirements below it; then the extension
    /// points, each with the extensions that plug-ins provide for it.
    ///
    /// The requirements of a plug-in are listed only once. A tree deeper than ``deepest`` continues as a separate tree;
    /// otherwise, in a long chain, the indents would take more space than the text.
    var text: String {
        var page = Page()
        var shown: Set<Int> = []
        let all = nodes.indices.filter { nodes[$0].kind != .point }
        let roots = all.filter { edges(.requires, to: $0).isEmpty && nodes[$0].kind != .missing }
        // Plug-ins reached only through a cycle have no root.
        for root in roots + all where !shown.contains(root) {
            var trees = [root]
            var next = 0
            while next < trees.count {
                if !shown.contains(trees[next]) { write(trees[next], range: nil, [], &shown, &trees, to: &page) }
                next += 1
            }
        }
        for number in nodes.indices where nodes[number].kind == .point { writePoint(number, to: &page) }
        if nodes.isEmpty { page.paragraph("There are no plug-ins.") }
        return page.text
    }

    /// How many levels a tree has below its root.
    private static let deepest = 16

    /// Writes a plug-in and what it requires.
    ///
    /// `lines`: for each level above, whether more items follow on that level. `trees`: the roots of further trees.
    private func write(
        _ number: Int, range: String?, _ lines: [Bool], _ shown: inout Set<Int>, _ trees: inout [Int],
        to page: inout Page
    ) {
        let node = nodes[number]
        if lines.isEmpty { page.gap() }
        let inner = edges(.requires, from: number)
        let isKnown = shown.contains(number)
        let isTooDeep = !isKnown && lines.count >= Self.deepest && !inner.isEmpty
        let place = isTooDeep ? "(see below)" : isKnown && !inner.isEmpty ? "(see above)" : ""
        let remark = node.reason.map { "(\($0))" } ?? place
        page.line(
            (
                Self.branches(lines) + (range.map { "requires \($0): " } ?? "") + node.title,
                lines.isEmpty ? .bold : .plain
            ),
            (node.displayName.map { $0 == node.name ? "" : "“\($0)”" } ?? "", .plain),
            (remark, node.kind == .plugin ? .faint : .red))
        if isTooDeep { trees.append(number) }
        if isKnown || isTooDeep { return }
        shown.insert(number)
        let facts = [Edge.Kind.opens, .offers, .uses].flatMap { edges($0, from: number) }
        for (position, edge) in facts.enumerated() {
            let words =
                edge.kind == .offers
                ? "offers \(edge.label) at \(nodes[edge.to].title)" : "\(edge.kind.rawValue) \(nodes[edge.to].title)"
            page.line((Self.branches(lines + [position + 1 < facts.count || !inner.isEmpty]) + words, .plain))
        }
        for (position, edge) in inner.enumerated() {
            write(edge.to, range: edge.label, lines + [position + 1 < inner.count], &shown, &trees, to: &page)
        }
    }

    private func writePoint(_ number: Int, to page: inout Page) {
        let openers = edges(.opens, to: number).map { nodes[$0.from].name }
        let opener = openers.isEmpty ? "the application" : openers.joined(separator: ", ")
        page.gap()
        page.line(("Extension point \(nodes[number].title)", .bold), ("of \(opener)", .plain))
        let rows =
            edges(.offers, to: number).map { "\(nodes[$0.from].name): \($0.label)" }
            + edges(.uses, to: number).map { "used by \(nodes[$0.from].name)" }
        for (position, row) in rows.enumerated() {
            page.line((Self.branches([position + 1 < rows.count]) + row, .plain))
        }
    }

    private static func branches(_ lines: [Bool]) -> String {
        guard let last = lines.last else { return "" }
        return lines.dropLast().map { $0 ? "│  " : "   " }.joined() + (last ? "├─ " : "└─ ")
    }
}

extension SharedNames {
    /// The libraries of one name, as trees.
    var text: String {
        var page = Page()
        for name in names {
            page.gap()
            page.line(("Library \(name.name.escapedForTerminal)", .bold), (name.words, .plain))
            for (position, carrier) in name.carriers.enumerated() {
                let branch = position + 1 < name.carriers.count ? "├─ " : "└─ "
                page.line((branch + carrier.identifier, .plain), (carrier.path.relativeToCurrentDirectory, .faint))
            }
            if name.content != .one { page.paragraph(name.remedy, indent: 2, .faint) }
        }
        return page.text
    }
}

extension SharedNames.Name {
    fileprivate var words: String {
        switch content {
        case .one: "one file, shared"
        case .equal: "equal files, loaded separately"
        case .different: "different files, loaded separately"
        }
    }
}
