import DemoAPI
import PluginABI
import PluginHost

/// The settings of all plug-ins as one page of HTML.
///
/// It shows that a page of settings needs nothing but `SettingsPage`, whatever toolkit draws it. Its controls are
/// disabled: a page that stores values needs a server, and this program opens none. No code of a plug-in runs.
struct SettingsDocument {
    private let sections: [String]

    /// Reads the settings.
    ///
    /// `journal`: receives what is wrong with them; the others are shown.
    init(_ catalog: PluginCatalog, journal: Journal) {
        sections = catalog.plugins.compactMap { Self.section($0, journal) }
    }

    /// Whether no plug-in has settings.
    var isEmpty: Bool { sections.isEmpty }

    /// The page.
    var html: String {
        let title = escaped(localized("Settings of the plug-ins"))
        let note = escaped(
            localized(
                "Nobody can change settings here: a page that stores values needs a server. Use “pluginhost settings”.")
        )
        return """
            <!DOCTYPE html>
            <html lang="\(escaped(userLanguage))">
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width">
            <title>\(title)</title>
            <style>
            body { font: 1rem/1.5 system-ui, sans-serif; max-width: 40rem; margin: 2rem auto; padding: 0 1rem }
            fieldset { border: 1px solid #8886; border-radius: .5rem; margin: 1rem 0 }
            fieldset p, .origin { color: #666; font-size: .85rem; margin: .25rem 0 }
            .row { margin: .5rem 0 }
            .row label { display: flex; gap: 1rem; justify-content: space-between }
            .slider { display: flex; gap: .5rem }
            </style>
            <h1>\(title)</h1>
            <p>\(note)</p>
            \(sections.joined(separator: "\n"))
            </html>

            """
    }

    /// Nil for a plug-in without settings.
    private static func section(_ plugin: PluginDescription, _ journal: Journal) -> String? {
        do {
            guard let settings = try plugin.candidate.open().settings else { return nil }
            for finding in settings.findings { journal.report("\(finding.message) \(finding.remedy)") }
            let page = settings.page()
            let panes = page.panes.map { pane in
                "<section id=\"\(anchor(plugin.identifier, pane.name))\">\n\(groups(pane.rows, plugin.identifier))</section>"
            }
            return "<h2>\(escaped(page.title))</h2>\n\(panes.joined(separator: "\n"))"
        } catch {
            journal.report("\(error)")
            return nil
        }
    }

    private static func anchor(_ identifier: String, _ pane: String) -> String {
        escaped("\(identifier) \(pane)".replacing(" ", with: "-"))
    }

    /// Each group in a frame: the rows from its head to the next one.
    private static func groups(_ rows: [SettingsPage.Row], _ identifier: String) -> String {
        var html = ""
        var isOpen = false, footer: String?
        func close() {
            if let footer { html += "<p>\(escaped(footer))</p>\n" }
            if isOpen { html += "</fieldset>\n" }
            footer = nil
        }
        for row in rows {
            if row.kind == .group || row.kind == .radioGroup || !isOpen {
                close()
                let isHead = row.kind == .group || row.kind == .radioGroup
                html += "<fieldset>\(isHead ? "<legend>\(escaped(row.title ?? ""))</legend>" : "")\n"
                isOpen = true
                footer = isHead ? row.footer : nil
            }
            if row.kind != .group {
                html += "<div class=\"row\">\(control(row, identifier))\(origin(row, identifier))</div>\n"
            }
        }
        close()
        return html
    }

    private static func control(_ row: SettingsPage.Row, _ identifier: String) -> String {
        let title = "<span>\(escaped(row.title ?? row.key ?? row.pane ?? ""))</span>"
        let value = escaped(row.value?.description ?? "")
        var range = ""
        if let minimum = row.minimum { range += " min=\"\(minimum)\"" }
        if let maximum = row.maximum { range += " max=\"\(maximum)\"" }
        switch row.kind {
        case .group: return ""
        case .childPane: return "<a href=\"#\(anchor(identifier, row.pane ?? ""))\">\(title)</a>"
        case .toggle:
            let isOn = row.value == row.trueValue ?? .boolean(true)
            return "<label>\(title)<input type=\"checkbox\" disabled\(isOn ? " checked" : "")></label>"
        case .slider:
            // 300.0 is the same number as 300 for a reader.
            let number = value.hasSuffix(".0") ? String(value.dropLast(2)) : value
            let input = "<input type=\"range\" step=\"any\" disabled\(range) value=\"\(value)\">"
            return "<label>\(title)<span class=\"slider\">\(input) \(number)</span></label>"
        case .textField:
            let type = row.isSecret ? "password" : row.type == .text ? "text" : "number"
            return "<label>\(title)<input type=\"\(type)\" disabled\(range) value=\"\(value)\"></label>"
        case .titleValue:
            let shown = row.choices.first { $0.value == row.value }?.title
            return "<label>\(title)<output>\(shown.map(escaped) ?? value)</output></label>"
        case .multiValue:
            let options = row.choices.map {
                "<option\($0.value == row.value ? " selected" : "")>\(escaped($0.title))</option>"
            }
            return "<label>\(title)<select disabled>\(options.joined())</select></label>"
        case .radioGroup:
            return row.choices.map {
                "<label><span>\(escaped($0.title))</span><input type=\"radio\" disabled\($0.value == row.value ? " checked" : "")></label>"
            }.joined()
        }
    }

    /// How to change the value, and who set it, unless the plug-in did.
    private static func origin(_ row: SettingsPage.Row, _ identifier: String) -> String {
        guard let key = row.key else { return "" }
        var words = ["<code>\(escaped("\(identifier) \(key) …"))</code>"]
        switch row.layer {
        case nil, .plugin: break
        case .distribution: words.append(escaped(localized("set by the distribution")))
        case .administrator: words.append(escaped(localized("set by the administrator")))
        case .user: words.append(escaped(localized("set by you")))
        case .run: words.append(escaped(localized("set for this run")))
        }
        if row.isLocked { words.append(escaped(localized("locked"))) }
        return "<div class=\"origin\">\(words.joined(separator: ", "))</div>"
    }
}
