import DemoAPI
import PluginABI

/// Draws a line for each series, with equal steps.
final class LineChart: ChartRenderer {
    private let numbers: NumberStyle
    private let settings: PluginSettings

    init(context: PluginContext) {
        numbers = NumberStyle(context: context)
        settings = context.settings
    }

    func svg(for chart: Chart) -> String? {
        guard chart.kind == .line, let steps = chart.series.map(\.points.count).max(), steps > 0 else { return nil }
        let scale = ValueScale(upTo: chart.series.flatMap(\.points).map(\.value).max() ?? 0, numbers: numbers)
        var drawing = SVGDrawing(height: settings[.height])
        let legendHeight = chart.series.count > 1 ? 26.0 : 0
        let (top, bottom) = (legendHeight + 10, drawing.height - (chart.horizontalTitle.isEmpty ? 28 : 50))
        let left =
            (scale.ticks.map { estimatedWidth(scale.label($0)) }.max() ?? 0)
            + (chart.valueTitle.isEmpty ? 10 : 32)
        let right = drawing.width - 18
        func x(_ step: Int) -> Double { left + (right - left) * (steps == 1 ? 0.5 : Double(step) / Double(steps - 1)) }
        func y(_ value: Double) -> Double { bottom - (bottom - top) * scale.position(value) }

        if chart.series.count > 1 { drawing.legend(chart.series, x: left) }
        for tick in scale.ticks {
            drawing.line(x1: left, y1: y(tick), x2: right, y2: y(tick), opacity: tick == 0 ? 0.45 : 0.13)
            drawing.text(scale.label(tick), x: left - 8, y: y(tick) + 4.5, anchor: .end, opacity: 0.7)
        }
        drawHorizontalLabels(of: chart, in: &drawing, steps: steps, x: x, y: bottom + 18)
        if !chart.horizontalTitle.isEmpty {
            drawing.text(
                chart.horizontalTitle, x: (left + right) / 2, y: drawing.height - 8, anchor: .middle, opacity: 0.7)
        }
        if !chart.valueTitle.isEmpty {
            drawing.text(chart.valueTitle, x: 14, y: (top + bottom) / 2, anchor: .middle, opacity: 0.7, turned: true)
        }
        for (index, series) in chart.series.enumerated() {
            let colour = SVGDrawing.colour(ofSeries: index)
            let points = series.points.enumerated().map { (x: x($0), y: y($1.value)) }
            drawing.curve(points, base: chart.series.count == 1 ? bottom : nil, colour: colour)
            for (point, place) in zip(series.points, points) {
                let tip = "\(point.label): \(numbers.text(point.value))"
                drawing.dot(x: place.x, y: place.y, radius: steps > 24 ? 2 : 3, colour: colour, tip: tip)
            }
        }
        return drawing.element(titled: chart.title)
    }

    /// As many labels as fit, at equal distances, including the first and the last.
    private func drawHorizontalLabels(
        of chart: Chart, in drawing: inout SVGDrawing, steps: Int, x: (Int) -> Double, y: Double
    ) {
        guard let points = chart.series.max(by: { $0.points.count < $1.points.count })?.points else { return }
        let widest = (points.map { estimatedWidth($0.label) }.max() ?? 0) + 24
        let room = max(2, min(Int((x(steps - 1) - x(0)) / widest) + 1, 7))
        // Steps that divide the axis evenly, if there are any.
        let intervals = (2..<room).last { (steps - 1).isMultiple(of: $0) } ?? room - 1
        let shown = steps <= room ? Array(0..<steps) : (0...intervals).map { $0 * (steps - 1) / intervals }
        for step in shown where step < points.count {
            let anchor: SVGDrawing.Anchor =
                step == steps - 1 && steps > 1 ? .end : step == 0 && steps > 1 ? .start : .middle
            drawing.text(points[step].label, x: x(step), y: y, anchor: anchor, opacity: 0.7)
        }
    }
}
