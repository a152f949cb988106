public import PluginABI

// Every place in the application where a plug-in adds something. A bundle's Info.plist has the same names (PHFactories), so
// the host knows who provides what before any code is loaded. demo_checksum.h and WordLists declare the points that have
// no interface in Swift. The file Proxies.swift, written by “pluginhost remote”, lets these plug-ins run in processes of their
// own.

extension ExtensionPoint where Interface == any TextFilter {
    /// Filters that change a document's text.
    ///
    /// Version 2 passes the text in passages; version 1 passed all of it at once.
    public static var textFilter: Self {
        .init("org.example.text-filter", version: 2, remote: TextFilterProxy.interface)
    }
}

extension ExtensionPoint where Interface == any TextAnalyzer {
    /// Analysers that read a document and report what they found, as tables and charts.
    public static var textAnalyzer: Self { .init("org.example.text-analyzer", remote: TextAnalyzerProxy.interface) }
}

extension ExtensionPoint where Interface == any ChartRenderer {
    /// Renderers that draw the analysers' charts.
    public static var chart: Self { .init("org.example.chart", remote: ChartRendererProxy.interface) }
}

extension ExtensionPoint where Interface == any Exporter {
    /// Exporters that write the report.
    public static var exporter: Self { .init("org.example.exporter", remote: ExporterProxy.interface) }
}
