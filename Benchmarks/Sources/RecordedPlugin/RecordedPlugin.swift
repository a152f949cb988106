import PluginABI
import RecordedAPI

/// Implements an interface of another library, so a load has something to compare.
final class Sample: Renderer {
    var title: String { "Sample" }
    var isParallel = false
    private var count = 0

    init(context: PluginContext) throws {}

    func begin(_ document: Document) { count = document.byteCount }
    func draw(_ page: Page, options: Options) -> [UInt8] { [UInt8](repeating: 0, count: page.number) }
    func pages(of document: Document) -> [Page] { [] }
    func finish() -> Summary { Summary(count: count) }
}

/// Registers what the plug-in offers; the host calls it once.
@c(plugin_entry)
public func pluginEntry(_ host: UnsafePointer<plugin_host>) -> plugin_status {
    registerPlugin(with: host) { plugin in plugin.register(Sample.self) }
}
