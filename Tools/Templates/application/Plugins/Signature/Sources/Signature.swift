import FoundationEssentials
import __NAME__API
public import PluginABI

/// Adds the name of the computer to a text.
final class Signature: TextFilter {
    /// The plug-in's own strings, its log, and information about the host.
    private let context: PluginContext

    init(context: PluginContext) { self.context = context }

    func filter(_ text: String) -> String {
        "\(text)\n\(context.localizedString("Written on %@.", arguments: computer))"
    }

    /// The name of the computer; in a sandbox only if the user allowed to read the file, as Info.plist asks.
    private var computer: String {
        guard let name = try? String(contentsOf: URL(filePath: "/etc/hostname"), encoding: .utf8) else {
            return context.localizedString("a computer")
        }
        return String(name.prefix { !$0.isNewline })
    }
}

/// Registers what the plug-in provides.
///
/// The host calls it once, after it has checked and loaded the file.
@c(plugin_entry)
public func pluginEntry(_ host: UnsafePointer<plugin_host>) -> plugin_status {
    registerPlugin(with: host) { plugin in
        plugin.provide(.textFilter, named: "signature", displayName: "Signature", Signature.init)
    }
}
