import DemoAPI
import PluginABI

/// Draws horizontal bars: a label is easier to read next to a bar than below one.
final class BarChart: ChartRenderer {
    private let numbers: NumberStyle
    private let settings: PluginSettings

    init(context: PluginContext) {
        numbers = NumberStyle(context: context)
        settings = context.settings
    }

    func svg(for chart: Chart) -> String? {
        // One moment for the whole drawing: the user may change the settings meanwhile.
        let settings = settings.snapshot
        let chart = chart.ordered(settings[.order])
        guard chart.kind == .bar, let points = chart.series.first?.points, !points.isEmpty else { return nil }
        let seriesCount = Double(chart.series.count)
        let values = chart.series.flatMap(\.points).map(\.value)
        let scale = ValueScale(upTo: values.max() ?? 0, numbers: numbers)

        let labelWidth = min(SVGDrawing.width * 0.3, points.map { estimatedWidth($0.label) }.max() ?? 0) + 12
        let barHeight = chart.series.count == 1 ? 18.0 : 12.0
        let rowHeight = barHeight * seriesCount + 10
        let legendHeight = chart.series.count > 1 ? 26.0 : 0
        let bottom = legendHeight + rowHeight * Double(points.count)
        var drawing = SVGDrawing(height: bottom + (chart.valueTitle.isEmpty ? 24 : 46))
        let right = drawing.width - 12 - estimatedWidth(values.map(numbers.text).max { $0.count < $1.count } ?? "")
        let length = right - labelWidth

        if chart.series.count > 1 { drawing.legend(chart.series, x: labelWidth) }
        // As many labels as fit.
        let widest = scale.ticks.map { estimatedWidth(scale.label($0)) }.max() ?? 0
        let every = max(1, Int(((widest + 8) * Double(scale.ticks.count - 1) / length).rounded(.up)))
        for (number, tick) in scale.ticks.enumerated() {
            let x = labelWidth + length * scale.position(tick)
            drawing.line(x1: x, y1: legendHeight, x2: x, y2: bottom, opacity: tick == 0 ? 0.45 : 0.13)
            guard number.isMultiple(of: every) else { continue }
            drawing.text(scale.label(tick), x: x, y: bottom + 18, anchor: .middle, opacity: 0.7)
        }
        if !chart.valueTitle.isEmpty {
            drawing.text(
                chart.valueTitle, x: labelWidth + length / 2, y: bottom + 39, anchor: .middle, opacity: 0.7)
        }
        for (row, point) in points.enumerated() {
            let top = legendHeight + rowHeight * Double(row) + 5
            drawing.text(
                shortened(point.label, toWidth: labelWidth - 12), x: labelWidth - 9,
                y: top + barHeight * seriesCount / 2 + 4.5, anchor: .end)
            for (index, series) in chart.series.enumerated() where row < series.points.count {
                let value = series.points[row].value
                let width = max(length * scale.position(value), 1)
                let y = top + barHeight * Double(index)
                drawing.bar(
                    x: labelWidth, y: y, width: width, height: barHeight - (seriesCount > 1 ? 1 : 0),
                    colour: SVGDrawing.colour(ofSeries: index), tip: "\(point.label): \(numbers.text(value))")
                if settings[.numbers] {
                    drawing.text(
                        numbers.text(value), x: labelWidth + width + 6, y: y + barHeight / 2 + 4.5, opacity: 0.8)
                }
            }
        }
        return drawing.element(titled: chart.title)
    }
}

extension Chart {
    /// The chart with the points of its only series in an order; with several series, the chart itself.
    fileprivate func ordered(_ order: BarOrder) -> Chart {
        guard order != .given, series.count == 1 else { return self }
        var chart = self
        chart.series[0].points.sort { order == .largest ? $0.value > $1.value : $0.value < $1.value }
        return chart
    }
}

extension SVGDrawing {
    /// The names of the series, each after a dot in its colour.
    mutating func legend(_ series: [Series], x start: Double) {
        var x = start
        for (index, series) in series.enumerated() {
            dot(x: x + 5, y: 9, radius: 5, colour: Self.colour(ofSeries: index), tip: series.name)
            text(series.name, x: x + 16, y: 13.5)
            x += estimatedWidth(series.name) + 40
        }
    }
}
