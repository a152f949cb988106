public import PluginABI

/// Draws charts as SVG.
///
/// **Threads.** Any, more than one at a time.
public protocol ChartRenderer: Plugin {
    /// Draws a chart as one `<svg>` element, for an HTML page or for a file of its own.
    ///
    /// Text and lines use the page's colour (`currentColor`), so that the chart is legible on light and dark pages.
    ///
    /// - Returns: the element, or nil if this renderer does not draw charts of this kind.
    func svg(for chart: Chart) throws -> String?
}

/// A chart as data.
public struct Chart: Sendable {
    /// How the values are shown.
    public enum Kind: String, Sendable, CaseIterable {
        /// One bar for each point, to compare things.
        case bar
        /// One line for each series, to show changes along the horizontal axis.
        case line
    }

    /// How the values are shown.
    public var kind: Kind
    /// The title for people.
    public var title: String
    /// The label of the horizontal axis of a line chart; empty for none.
    public var horizontalTitle: String
    /// The meaning of the values; empty for none.
    public var valueTitle: String
    /// The values: one series, or several with a legend.
    public var series: [Series]

    /// A chart with the given parts.
    public init(
        _ kind: Kind, title: String, horizontalTitle: String = "", valueTitle: String = "", series: [Series]
    ) {
        self.kind = kind
        self.title = title
        self.horizontalTitle = horizontalTitle
        self.valueTitle = valueTitle
        self.series = series
    }
}

/// Values that belong together, in the order in which they are drawn.
public struct Series: Sendable {
    /// One value and its name.
    public struct Point: Sendable {
        /// The name of the value.
        public var label: String
        /// The value.
        public var value: Double

        /// A value with its name.
        public init(_ label: String, _ value: Double) {
            self.label = label
            self.value = value
        }
    }

    /// Shown in the legend if a chart has several series.
    public var name: String
    /// The values in the order in which they are drawn.
    public var points: [Point]

    /// A series with the given points.
    public init(name: String = "", points: [Point]) {
        self.name = name
        self.points = points
    }
}
