// Written by “pluginhost remote --module DemoAPI”. Do not change it: change the interfaces, and run the
// command again.
// swift-format-ignore-file
public import PluginABI

#if GENERATING_PROXIES
// The module without its proxies, for the symbol graph of which they are made.

public enum ChartRendererProxy {
    public static var interface: RemoteInterface<any ChartRenderer>? { nil }
}

public enum ExporterProxy {
    public static var interface: RemoteInterface<any Exporter>? { nil }
}

public enum TextAnalyzerProxy {
    public static var interface: RemoteInterface<any TextAnalyzer>? { nil }
}

public enum TextFilterProxy {
    public static var interface: RemoteInterface<any TextFilter>? { nil }
}

extension Analysis: RemoteValue {
    public func write(to writer: inout RemoteWriter) throws { throw RemoteObject.isNoPlugin }
    public static func read(from reader: inout RemoteReader) throws -> Analysis {
        throw RemoteObject.isNoPlugin
    }
}

extension Chart: RemoteValue {
    public func write(to writer: inout RemoteWriter) throws { throw RemoteObject.isNoPlugin }
    public static func read(from reader: inout RemoteReader) throws -> Chart {
        throw RemoteObject.isNoPlugin
    }
}

extension Chart.Kind: RemoteValue {
    public func write(to writer: inout RemoteWriter) throws { throw RemoteObject.isNoPlugin }
    public static func read(from reader: inout RemoteReader) throws -> Chart.Kind {
        throw RemoteObject.isNoPlugin
    }
}

extension Document: RemoteValue {
    public func write(to writer: inout RemoteWriter) throws { throw RemoteObject.isNoPlugin }
    public static func read(from reader: inout RemoteReader) throws -> Document {
        throw RemoteObject.isNoPlugin
    }
}

extension Report: RemoteValue {
    public func write(to writer: inout RemoteWriter) throws { throw RemoteObject.isNoPlugin }
    public static func read(from reader: inout RemoteReader) throws -> Report {
        throw RemoteObject.isNoPlugin
    }
}

extension Report.Figure: RemoteValue {
    public func write(to writer: inout RemoteWriter) throws { throw RemoteObject.isNoPlugin }
    public static func read(from reader: inout RemoteReader) throws -> Report.Figure {
        throw RemoteObject.isNoPlugin
    }
}

extension Report.Section: RemoteValue {
    public func write(to writer: inout RemoteWriter) throws { throw RemoteObject.isNoPlugin }
    public static func read(from reader: inout RemoteReader) throws -> Report.Section {
        throw RemoteObject.isNoPlugin
    }
}

extension Series: RemoteValue {
    public func write(to writer: inout RemoteWriter) throws { throw RemoteObject.isNoPlugin }
    public static func read(from reader: inout RemoteReader) throws -> Series {
        throw RemoteObject.isNoPlugin
    }
}

extension Series.Point: RemoteValue {
    public func write(to writer: inout RemoteWriter) throws { throw RemoteObject.isNoPlugin }
    public static func read(from reader: inout RemoteReader) throws -> Series.Point {
        throw RemoteObject.isNoPlugin
    }
}

extension Summary: RemoteValue {
    public func write(to writer: inout RemoteWriter) throws { throw RemoteObject.isNoPlugin }
    public static func read(from reader: inout RemoteReader) throws -> Summary {
        throw RemoteObject.isNoPlugin
    }
}

extension Table: RemoteValue {
    public func write(to writer: inout RemoteWriter) throws { throw RemoteObject.isNoPlugin }
    public static func read(from reader: inout RemoteReader) throws -> Table {
        throw RemoteObject.isNoPlugin
    }
}

extension Table.Cell: RemoteValue {
    public func write(to writer: inout RemoteWriter) throws { throw RemoteObject.isNoPlugin }
    public static func read(from reader: inout RemoteReader) throws -> Table.Cell {
        throw RemoteObject.isNoPlugin
    }
}
#else

/// Stands for an object of ``ChartRenderer`` in another process.
public final class ChartRendererProxy: ChartRenderer {  // If the protocol has changed: swift package remote-interfaces
    private let remote: RemoteObject
    private init(_ remote: RemoteObject) { self.remote = remote }

    /// Always throws: a proxy cannot be created by itself.
    public init(context: PluginContext) throws { throw RemoteObject.isNoPlugin }

    /// Passes on `svg(for:)`.
    public func svg(for chart: Chart) throws -> String? {
        try remote.call(0, chart)
    }

    /// How another process uses an object of ``ChartRenderer``.
    public static let interface = RemoteInterface<any ChartRenderer>(
        proxy: { ChartRendererProxy($0) },
        methods: [
            RemoteMethod("svg(for:)") { try $0.svg(for: $1) },
        ])
}

/// Stands for an object of ``Exporter`` in another process.
public final class ExporterProxy: Exporter {  // If the protocol has changed: swift package remote-interfaces
    private let remote: RemoteObject
    private init(_ remote: RemoteObject) { self.remote = remote }

    /// Always throws: a proxy cannot be created by itself.
    public init(context: PluginContext) throws { throw RemoteObject.isNoPlugin }

    /// Passes on `fileExtension`.
    public var fileExtension: String { remote.constant(0) }

    /// Passes on `export(_:)`.
    public func export(_ report: Report) throws -> String {
        try remote.call(1, report)
    }

    /// Passes on `summary(of:)`.
    public func summary(of report: Report) throws -> Summary? {
        try remote.call(2, report)
    }

    /// How another process uses an object of ``Exporter``.
    public static let interface = RemoteInterface<any Exporter>(
        proxy: { ExporterProxy($0) },
        methods: [
            .constant("fileExtension") { $0.fileExtension },
            RemoteMethod("export(_:)") { try $0.export($1) },
            RemoteMethod("summary(of:)") { try $0.summary(of: $1) },
        ])
}

/// Stands for an object of ``TextAnalyzer`` in another process.
public final class TextAnalyzerProxy: TextAnalyzer {  // If the protocol has changed: swift package remote-interfaces
    private let remote: RemoteObject
    private init(_ remote: RemoteObject) { self.remote = remote }

    /// Always throws: a proxy cannot be created by itself.
    public init(context: PluginContext) throws { throw RemoteObject.isNoPlugin }

    /// Passes on `begin(_:)`.
    public func begin(_ document: Document) throws {
        try remote.call(0, document)
    }

    /// Passes on `read(_:)`.
    public func read(_ passage: String) throws {
        try remote.call(1, passage)
    }

    /// Passes on `finish()`.
    public func finish() throws -> Analysis {
        try remote.call(2)
    }

    /// How another process uses an object of ``TextAnalyzer``.
    public static let interface = RemoteInterface<any TextAnalyzer>(
        proxy: { TextAnalyzerProxy($0) },
        methods: [
            RemoteMethod("begin(_:)") { try $0.begin($1) },
            RemoteMethod("read(_:)") { try $0.read($1) },
            RemoteMethod("finish()") { try $0.finish() },
        ])
}

/// Stands for an object of ``TextFilter`` in another process.
public final class TextFilterProxy: TextFilter {  // If the protocol has changed: swift package remote-interfaces
    private let remote: RemoteObject
    private init(_ remote: RemoteObject) { self.remote = remote }

    /// Always throws: a proxy cannot be created by itself.
    public init(context: PluginContext) throws { throw RemoteObject.isNoPlugin }

    /// Passes on `begin(_:)`.
    public func begin(_ document: Document) throws {
        try remote.call(0, document)
    }

    /// Passes on `filter(_:)`.
    public func filter(_ passage: String) throws -> String {
        try remote.call(1, passage)
    }

    /// Passes on `finish()`.
    public func finish() throws -> String {
        try remote.call(2)
    }

    /// How another process uses an object of ``TextFilter``.
    public static let interface = RemoteInterface<any TextFilter>(
        proxy: { TextFilterProxy($0) },
        methods: [
            RemoteMethod("begin(_:)") { try $0.begin($1) },
            RemoteMethod("filter(_:)") { try $0.filter($1) },
            RemoteMethod("finish()") { try $0.finish() },
        ])
}

extension Analysis: RemoteValue {
    /// Writes the value for another process.
    public func write(to writer: inout RemoteWriter) throws {
        try writer.require(([Table], [Chart]).self, in: Analysis.self)
        try writer.write(tables)
        try writer.write(charts)
    }

    /// Reads a value from another process.
    public static func read(from reader: inout RemoteReader) throws -> Analysis {
        return try Analysis(tables: reader.next(), charts: reader.next())
    }
}

extension Chart: RemoteValue {
    /// Writes the value for another process.
    public func write(to writer: inout RemoteWriter) throws {
        try writer.require((Chart.Kind, String, String, String, [Series]).self, in: Chart.self)
        try writer.write(kind)
        try writer.write(title)
        try writer.write(horizontalTitle)
        try writer.write(valueTitle)
        try writer.write(series)
    }

    /// Reads a value from another process.
    public static func read(from reader: inout RemoteReader) throws -> Chart {
        return try Chart(
            reader.next(),
            title: reader.next(),
            horizontalTitle: reader.next(),
            valueTitle: reader.next(),
            series: reader.next())
    }
}

extension Chart.Kind: RemoteValue {
    /// Writes the value for another process.
    public func write(to writer: inout RemoteWriter) throws {
        switch self {
        case .bar:
            try writer.write(case: 0)
        case .line:
            try writer.write(case: 1)
        }
    }

    /// Reads a value from another process.
    public static func read(from reader: inout RemoteReader) throws -> Chart.Kind {
        switch try reader.caseNumber() {
        case 0: return .bar
        case 1: return .line
        case let other: throw reader.unknownCase(other, of: Self.self)
        }
    }
}

extension Document: RemoteValue {
    /// Writes the value for another process.
    public func write(to writer: inout RemoteWriter) throws {
        try writer.require((String, Int, String, WordLists).self, in: Document.self)
        try writer.write(name)
        try writer.write(byteCount)
        try writer.write(language)
        try writer.write(wordLists)
    }

    /// Reads a value from another process.
    public static func read(from reader: inout RemoteReader) throws -> Document {
        return try Document(
            name: reader.next(),
            byteCount: reader.next(),
            language: reader.next(),
            wordLists: reader.next())
    }
}

extension Report: RemoteValue {
    /// Writes the value for another process.
    public func write(to writer: inout RemoteWriter) throws {
        try writer.require((String, String, String, [Report.Section], [String], String).self, in: Report.self)
        try writer.write(title)
        try writer.write(language)
        try writer.write(date)
        try writer.write(sections)
        try writer.write(notes)
        try writer.write(card)
    }

    /// Reads a value from another process.
    public static func read(from reader: inout RemoteReader) throws -> Report {
        return try Report(
            title: reader.next(),
            language: reader.next(),
            date: reader.next(),
            sections: reader.next(),
            notes: reader.next(),
            card: reader.next())
    }
}

extension Report.Figure: RemoteValue {
    /// Writes the value for another process.
    public func write(to writer: inout RemoteWriter) throws {
        try writer.require((String, String).self, in: Report.Figure.self)
        try writer.write(title)
        try writer.write(svg)
    }

    /// Reads a value from another process.
    public static func read(from reader: inout RemoteReader) throws -> Report.Figure {
        return try Report.Figure(title: reader.next(), svg: reader.next())
    }
}

extension Report.Section: RemoteValue {
    /// Writes the value for another process.
    public func write(to writer: inout RemoteWriter) throws {
        try writer.require((Document, String, [String], [Table], [Report.Figure]).self, in: Report.Section.self)
        try writer.write(document)
        try writer.write(opening)
        try writer.write(filters)
        try writer.write(tables)
        try writer.write(figures)
    }

    /// Reads a value from another process.
    public static func read(from reader: inout RemoteReader) throws -> Report.Section {
        return try Report.Section(
            document: reader.next(),
            opening: reader.next(),
            filters: reader.next(),
            tables: reader.next(),
            figures: reader.next())
    }
}

extension Series: RemoteValue {
    /// Writes the value for another process.
    public func write(to writer: inout RemoteWriter) throws {
        try writer.require((String, [Series.Point]).self, in: Series.self)
        try writer.write(name)
        try writer.write(points)
    }

    /// Reads a value from another process.
    public static func read(from reader: inout RemoteReader) throws -> Series {
        return try Series(name: reader.next(), points: reader.next())
    }
}

extension Series.Point: RemoteValue {
    /// Writes the value for another process.
    public func write(to writer: inout RemoteWriter) throws {
        try writer.require((String, Double).self, in: Series.Point.self)
        try writer.write(label)
        try writer.write(value)
    }

    /// Reads a value from another process.
    public static func read(from reader: inout RemoteReader) throws -> Series.Point {
        return try Series.Point(reader.next(), reader.next())
    }
}

extension Summary: RemoteValue {
    /// Writes the value for another process.
    public func write(to writer: inout RemoteWriter) throws {
        try writer.require((String, [String: String]).self, in: Summary.self)
        try writer.write(nib)
        try writer.write(values)
    }

    /// Reads a value from another process.
    public static func read(from reader: inout RemoteReader) throws -> Summary {
        return try Summary(nib: reader.next(), values: reader.next())
    }
}

extension Table: RemoteValue {
    /// Writes the value for another process.
    public func write(to writer: inout RemoteWriter) throws {
        try writer.require((String, [String], [[Table.Cell]], String).self, in: Table.self)
        try writer.write(title)
        try writer.write(columns)
        try writer.write(rows)
        try writer.write(remark)
    }

    /// Reads a value from another process.
    public static func read(from reader: inout RemoteReader) throws -> Table {
        return try Table(title: reader.next(), columns: reader.next(), rows: reader.next(), remark: reader.next())
    }
}

extension Table.Cell: RemoteValue {
    /// Writes the value for another process.
    public func write(to writer: inout RemoteWriter) throws {
        switch self {
        case .text(let value0):
            try writer.write(case: 0)
            try writer.write(value0)
        case .integer(let value0):
            try writer.write(case: 1)
            try writer.write(value0)
        case .decimal(let value0):
            try writer.write(case: 2)
            try writer.write(value0)
        case .percentage(let value0):
            try writer.write(case: 3)
            try writer.write(value0)
        case .bytes(let value0):
            try writer.write(case: 4)
            try writer.write(value0)
        case .code(let value0):
            try writer.write(case: 5)
            try writer.write(value0)
        }
    }

    /// Reads a value from another process.
    public static func read(from reader: inout RemoteReader) throws -> Table.Cell {
        switch try reader.caseNumber() {
        case 0: return try .text(reader.next())
        case 1: return try .integer(reader.next())
        case 2: return try .decimal(reader.next())
        case 3: return try .percentage(reader.next())
        case 4: return try .bytes(reader.next())
        case 5: return try .code(reader.next())
        case let other: throw reader.unknownCase(other, of: Self.self)
        }
    }
}
#endif
