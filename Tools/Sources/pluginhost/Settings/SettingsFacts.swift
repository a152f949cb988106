import HostBasics
import PluginABI
@_spi(Tools) import PluginHost
import SettingsReading

/// The settings of a bundle, as every command shows them.
///
/// Without an application only the plug-in's own values are known, because the name of the application is in the paths of
/// the files.
struct SettingsFacts {
    let findings: [PluginFinding]
    private let declarations: [SettingDeclaration]
    /// Nil without an application, or if the root cannot be read.
    private let settings: PluginSettings?

    /// Nil if the bundle has no Settings.bundle.
    ///
    /// `isOfApplication`: whether `HostEnvironment` names the application whose files are read.
    init?(_ bundle: PluginBundle, isOfApplication: Bool) {
        guard let schema = bundle.settingsSchema else { return nil }
        declarations = schema.declarations
        guard isOfApplication else {
            (settings, findings) = (nil, schema.findings)
            return
        }
        do {
            settings = try bundle.settings
            findings = settings?.findings ?? schema.findings
        } catch {
            (settings, findings) = (nil, (error as? PluginError)?.findings ?? schema.findings)
        }
    }

    /// Where a value comes from.
    private struct Origin {
        var layer = SettingsLayer.plugin
        var path: String?
        var line: Int?
        var lock: String?
    }

    private func origin(of declaration: SettingDeclaration) -> Origin {
        guard let found = settings?.origin(of: declaration.key) else { return Origin(path: declaration.filePath) }
        return Origin(layer: found.layer, path: found.path, line: found.place?.line, lock: found.lock)
    }

    private func value(of declaration: SettingDeclaration) -> SettingScalar {
        settings?.value(of: declaration.key) ?? declaration.defaultValue
    }

    // MARK: JSON

    /// An object, or null: the form of a plug-in of `settings list`, without its name.
    static func json(_ facts: SettingsFacts?) -> JSONValue { facts.map { .object($0.members) } ?? .null }

    var members: [String: JSONValue] {
        let places = settings?.places
        return [
            "userFile": JSONValue(places?.user), "administratorFile": JSONValue(places?.administratorToChange),
            "settings": .array(declarations.map(json)),
            "findings": FindingReport(findings: findings, bundlePath: nil).json,
        ]
    }

    private func json(_ declaration: SettingDeclaration) -> JSONValue {
        let origin = origin(of: declaration)
        return .object([
            "key": .string(declaration.key), "type": .string(declaration.type.rawValue),
            "value": declaration.isSecret ? .null : JSONValue(value(of: declaration)),
            "default": declaration.isSecret ? .null : JSONValue(declaration.defaultValue),
            "allowed": .string(declaration.allowedWords), "layer": .string(origin.layer.rawValue),
            "file": JSONValue(origin.path), "line": origin.line.map(JSONValue.integer) ?? .null,
            "lock": JSONValue(origin.lock), "secret": .bool(declaration.isSecret),
        ])
    }

    // MARK: Text

    /// Writes every setting with its value, where that comes from, and what is allowed.
    func write(to page: inout Page) {
        for declaration in declarations {
            let origin = origin(of: declaration)
            page.line(
                (declaration.key, .bold), ("=", .plain), (shown(value(of: declaration), declaration), .plain),
                (origin.lock == nil ? "" : "locked", .yellow), indent: 2)
            let line = origin.line.map { ":\($0)" } ?? ""
            let file = origin.layer == .plugin ? "" : origin.path.map { ", \($0)\(line)" } ?? ""
            page.paragraph("by \(origin.layer.words)\(file); \(declaration.allowedWords)", indent: 4, .faint)
        }
        FindingReport(findings: findings, bundlePath: nil).write(to: &page)
    }

    /// A limit for commands about something else; `settings` lists all.
    private static let mostRows = 12

    /// The command line that shows all about the settings of a plug-in.
    static func command(_ identifier: String, _ application: String) -> String {
        "pluginhost settings list \(identifier) --application \(application)"
    }

    /// Writes one row for each setting.
    func writeTable(to page: inout Page, indent: Int) {
        page.table(
            declarations.prefix(Self.mostRows).map { declaration in
                let origin = origin(of: declaration)
                let value = value(of: declaration)
                let isDefault = value == declaration.defaultValue || declaration.isSecret
                let usual = isDefault ? "" : "default \(shown(declaration.defaultValue, declaration))"
                let layer = origin.layer == .plugin ? "" : "by \(origin.layer.words)"
                return [
                    declaration.key, shown(value, declaration), layer, origin.lock == nil ? "" : "locked", usual,
                    declaration.allowedWords,
                ]
            }, indent: indent)
        let more = declarations.count - Self.mostRows
        if more > 0 { page.paragraph("and \(more) more", indent: indent) }
    }

    /// A summary for a command about something else: how many there are, which, and what is wrong.
    ///
    /// `command`: the command line that shows all, if the application is known.
    func writeSummary(to page: inout Page, command: String?) {
        let report = FindingReport(findings: findings, bundlePath: nil)
        let style: Page.Style = report.errors > 0 ? .red : report.warnings > 0 ? .yellow : .green
        page.line(
            ("Settings:", .bold), (FindingReport.count(declarations.count, "setting") ?? "none", .plain),
            (report.count ?? "fine", style))
        writeTable(to: &page, indent: 2)
        if let command { page.paragraph(command, indent: 2, .faint) }
        report.write(to: &page)
    }

    private func shown(_ value: SettingScalar, _ declaration: SettingDeclaration) -> String {
        declaration.isSecret ? SettingDeclaration.hidden : Self.short(value.description)
    }

    /// The beginning of a long text.
    private static func short(_ text: String) -> String {
        text.unicodeScalars.count <= 60 ? text : String(String.UnicodeScalarView(text.unicodeScalars.prefix(60))) + "…"
    }
}
