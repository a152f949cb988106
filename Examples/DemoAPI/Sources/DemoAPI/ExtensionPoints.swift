public import PluginABI

// Every place in the application where a plug-in adds something. The names also stand in a bundle's Info.plist
// (PHFactories), which tells the host who provides what before any code is loaded. Those without an interface in Swift
// are declared by demo_checksum.h and WordLists.

extension ExtensionPoint where Interface == any TextFilter {
    /// Filters that change a document's text. Version 2 hands the text over in passages; version 1 wanted it whole.
    public static var textFilter: Self { .init("org.example.text-filter", version: 2) }
}

extension ExtensionPoint where Interface == any TextAnalyzer {
    /// Analysers that read a document and tell what they found, as tables and charts.
    public static var textAnalyzer: Self { .init("org.example.text-analyzer") }
}

extension ExtensionPoint where Interface == any ChartRenderer {
    /// Renderers that draw the analysers' charts.
    public static var chart: Self { .init("org.example.chart") }
}

extension ExtensionPoint where Interface == any Exporter {
    /// Exporters that write the report.
    public static var exporter: Self { .init("org.example.exporter") }
}
