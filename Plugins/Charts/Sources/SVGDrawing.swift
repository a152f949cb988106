/// An SVG element under construction.
///
/// Text and lines use the page's colour, and series use the page's properties `--chart-1` to `--chart-4` if it has
/// them: so the same drawing is readable on light and dark pages, and also as a separate file.
struct SVGDrawing {
    enum Anchor: String {
        case start, middle, end
    }

    static let fontSize = 13.0
    /// As wide as a phone's screen: a wider drawing, and its text, would be made smaller there.
    static let width = 360.0

    let width = Self.width
    let height: Double
    private var body = ""

    init(height: Double) {
        self.height = height
    }

    /// The colour of a series: the page's, or one that is readable on light and dark pages.
    static func colour(ofSeries index: Int) -> String {
        let colours = ["#4a7fd6", "#d07440", "#4a9f7a", "#9a6cc4"]
        let number = index % colours.count
        return "var(--chart-\(number + 1), \(colours[number]))"
    }

    /// The finished element.
    ///
    /// A screen reader reads the title.
    func element(titled title: String) -> String {
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 \(n(width)) \(n(height))\" role=\"img\""
            + " font-family=\"system-ui, sans-serif\" font-size=\"\(n(Self.fontSize))\" fill=\"currentColor\">"
            + "<title>\(escaped(title))</title>\(body)</svg>"
    }

    mutating func text(
        _ text: String, x: Double, y: Double, anchor: Anchor = .start, opacity: Double = 1, turned: Bool = false
    ) {
        let turn = turned ? " transform=\"rotate(-90 \(n(x)) \(n(y)))\"" : ""
        let fade = opacity < 1 ? " opacity=\"\(n(opacity))\"" : ""
        body +=
            "<text x=\"\(n(x))\" y=\"\(n(y))\" text-anchor=\"\(anchor.rawValue)\"\(fade)\(turn)>\(escaped(text))</text>"
    }

    mutating func line(x1: Double, y1: Double, x2: Double, y2: Double, opacity: Double) {
        body += "<path d=\"M\(n(x1)) \(n(y1))L\(n(x2)) \(n(y2))\" stroke=\"currentColor\" opacity=\"\(n(opacity))\"/>"
    }

    /// A bar with its far end rounded, and a tooltip.
    mutating func bar(x: Double, y: Double, width: Double, height: Double, colour: String, tip: String) {
        let radius = min(3, width)
        body += "<path d=\"M\(n(x)) \(n(y))h\(n(width - radius))q\(n(radius)) 0 \(n(radius)) \(n(radius))"
        body += "v\(n(height - 2 * radius))q0 \(n(radius)) \(n(-radius)) \(n(radius))h\(n(radius - width))z\""
        body += " style=\"fill:\(colour)\"><title>\(escaped(tip))</title></path>"
    }

    /// A line through points; if there is a base, the area between it and the line is faintly filled.
    mutating func curve(_ points: [(x: Double, y: Double)], base: Double?, colour: String) {
        guard let first = points.first, let last = points.last else { return }
        let path = points.map { "\(n($0.x)) \(n($0.y))" }.joined(separator: "L")
        if let base {
            body += "<path d=\"M\(path)L\(n(last.x)) \(n(base))L\(n(first.x)) \(n(base))z\""
            body += " style=\"fill:\(colour)\" opacity=\"0.13\"/>"
        }
        body += "<path d=\"M\(path)\" fill=\"none\" style=\"stroke:\(colour)\" stroke-width=\"2.2\""
        body += " stroke-linejoin=\"round\" stroke-linecap=\"round\"/>"
    }

    mutating func dot(x: Double, y: Double, radius: Double, colour: String, tip: String) {
        body += "<circle cx=\"\(n(x))\" cy=\"\(n(y))\" r=\"\(n(radius))\" style=\"fill:\(colour)\">"
        body += "<title>\(escaped(tip))</title></circle>"
    }

    /// A coordinate with one decimal digit, which is finer than any screen.
    private func n(_ value: Double) -> String {
        guard value.isFinite else { return "0" }
        let rounded = (value * 10).rounded() / 10
        return rounded == rounded.rounded() ? "\(Int(rounded))" : "\(rounded)"
    }

    private func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}": result += " "
            // Marks that change the direction of the following text, and line separators, are shown instead of applied.
            case "\u{61C}", "\u{200E}", "\u{200F}", "\u{2028}"..."\u{202E}", "\u{2066}"..."\u{2069}":
                result += scalar.escaped(asASCII: true)
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}

/// The approximate width of a text: only the browser knows exact widths.
func estimatedWidth(_ text: String) -> Double {
    text.unicodeScalars.reduce(0) { width, scalar in
        width + SVGDrawing.fontSize * (scalar.value >= 0x2E80 ? 1.02 : 0.56)
    }
}

/// The text, shortened to about that width if necessary.
func shortened(_ text: String, toWidth width: Double) -> String {
    guard estimatedWidth(text) > width else { return text }
    var short = ""
    for character in text where estimatedWidth(short) < width - SVGDrawing.fontSize * 1.5 { short.append(character) }
    return short + "…"
}
