extension PluginGraph {
    /// As trees: each plug-in that no other requires, with its requirements below it; then each extension point with what
    /// plug-ins offer there.
    var text: String {
        var page = Page()
        var shown: Set<Int> = []
        let all = nodes.indices.filter { nodes[$0].kind != .point }
        let roots = all.filter { edges(.requires, to: $0).isEmpty && nodes[$0].kind != .missing }
        // Plug-ins that only a circle leads to have no root.
        for root in roots + all where !shown.contains(root) { write(root, range: nil, [], &shown, to: &page) }
        for number in nodes.indices where nodes[number].kind == .point { writePoint(number, to: &page) }
        if nodes.isEmpty { page.paragraph("There are no plug-ins.") }
        return page.text
    }

    /// `lines`: for each level above, whether more items follow there.
    private func write(
        _ number: Int, range: String?, _ lines: [Bool], _ shown: inout Set<Int>, to page: inout Page
    ) {
        let node = nodes[number]
        if lines.isEmpty { page.gap() }
        let isKnown = !shown.insert(number).inserted
        let inner = edges(.requires, from: number)
        let remark = node.reason.map { "(\($0))" } ?? (isKnown && !inner.isEmpty ? "(see above)" : "")
        page.line(
            (
                Self.branches(lines) + (range.map { "requires \($0): " } ?? "") + node.title,
                lines.isEmpty ? .bold : .plain
            ),
            (node.displayName.map { $0 == node.name ? "" : "“\($0)”" } ?? "", .plain),
            (remark, node.kind == .plugin ? .faint : .red))
        if isKnown { return }
        let facts = [Edge.Kind.opens, .offers, .uses].flatMap { edges($0, from: number) }
        for (position, edge) in facts.enumerated() {
            let words =
                edge.kind == .offers
                ? "offers \(edge.label) at \(nodes[edge.to].title)" : "\(edge.kind.rawValue) \(nodes[edge.to].title)"
            page.line((Self.branches(lines + [position + 1 < facts.count || !inner.isEmpty]) + words, .plain))
        }
        for (position, edge) in inner.enumerated() {
            write(edge.to, range: edge.label, lines + [position + 1 < inner.count], &shown, to: &page)
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
