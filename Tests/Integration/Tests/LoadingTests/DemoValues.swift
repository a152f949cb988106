import DemoAPI
@_spi(PluginHost) import PluginABI
import Testing

/// The generated functions of the demonstration's values.
@Suite struct DemoValues {
    private var report: Report {
        var lists = WordLists()
        lists.add("le", language: "fr")
        let document = Document(name: "a.txt", byteCount: 5, language: "fr", wordLists: lists)
        let cells: [Table.Cell] = [
            .text("é"), .integer(-3), .decimal(0.5), .percentage(.infinity), .bytes(9), .code("let x"),
        ]
        let table = Table(title: "T", columns: ["a", "b"], rows: [cells, []], remark: "r")
        let section = Report.Section(
            document: document, opening: "once", filters: ["f"], tables: [table],
            figures: [.init(title: "g", svg: "<svg/>")])
        return Report(title: "R", language: "de", date: "today", sections: [section, section], notes: ["", "n"])
    }

    @Test func aReportCrossesWhole() throws {
        let bytes = try MessageBytes.written { try $0.write(report) }
        let read = try MessageBytes.read(bytes) { try $0.next(Report.self) }
        #expect(String(describing: read) == String(describing: report))
        for count in 0..<bytes.count {
            #expect(throws: RemoteFailure.self) {
                try MessageBytes.read(Array(bytes.prefix(count))) { try $0.next(Report.self) }
            }
        }
    }

    @Test func aChartCrossesWhole() throws {
        let chart = Chart(
            .line, title: "C", horizontalTitle: "h", valueTitle: "v",
            series: [Series(name: "s", points: (0..<20).map { .init("p\($0)", Double($0)) })])
        let bytes = try MessageBytes.written { try $0.write(Analysis(tables: [], charts: [chart])) }
        let read = try MessageBytes.read(bytes) { try $0.next(Analysis.self) }
        #expect(String(describing: read) == String(describing: Analysis(tables: [], charts: [chart])))
    }

    @Test func everyPointOfTheDemonstrationIsRemote() {
        #expect(ExtensionPoint.textFilter.remote?.methodNames == ["begin(_:)", "filter(_:)", "finish()"])
        #expect(ExtensionPoint.textAnalyzer.remote?.methodNames == ["begin(_:)", "read(_:)", "finish()"])
        #expect(ExtensionPoint.chart.remote?.methodNames == ["svg(for:)"])
        #expect(ExtensionPoint.exporter.remote?.methodNames == ["fileExtension", "export(_:)", "summary(of:)"])
    }
}
