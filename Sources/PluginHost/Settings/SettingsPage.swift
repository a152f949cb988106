import BundleReading
import HostBasics
@_spi(PluginHost) public import PluginABI
public import SettingsReading

/// The pages of a plug-in's settings in one language: everything that a toolkit needs to show them.
///
/// It can be encoded, so a page can be drawn in another process or another language of programming.
public struct SettingsPage: Sendable, Hashable, Codable {
    /// The plug-in's name.
    public var title: String
    /// The panes; the first is the one to show, and rows lead to the others.
    public var panes: [Pane]

    /// One pane.
    public struct Pane: Sendable, Hashable, Codable {
        /// Its name, to which rows of other panes lead.
        public var name: String
        /// Its rows in order.
        public var rows: [Row]
    }

    /// One row.
    public struct Row: Sendable, Hashable, Codable {
        /// What it shows.
        public var kind: SettingsElement.Kind
        /// The key of the setting; nil for a group and a link.
        public var key: String?
        /// The text beside it.
        public var title: String?
        /// The text below a group.
        public var footer: String?
        /// The type of the value.
        public var type: SettingType?
        /// The value that counts; nil for a secret one.
        public var value: SettingScalar?
        /// The plug-in's own value.
        public var defaultValue: SettingScalar?
        /// Who set the value.
        public var layer: SettingsLayer?
        /// Whether the administrator has locked it.
        public var isLocked = false
        /// Whether the value is hidden while it is typed, and never stored.
        public var isSecret = false
        /// The values to choose from, in the order in which to show them.
        public var choices: [Choice] = []
        /// The smallest number.
        public var minimum: Double?
        /// The largest number.
        public var maximum: Double?
        /// The path of the picture at the lower end of a slider.
        public var minimumImage: String?
        /// The path of the picture at the upper end of a slider.
        public var maximumImage: String?
        /// The values of a switch that is on and of one that is off.
        public var trueValue: SettingScalar?
        /// The value of a switch that is off.
        public var falseValue: SettingScalar?
        /// `KeyboardType`, `AutocapitalizationType` and `AutocorrectionType`, as written.
        public var hints: [String: String] = [:]
        /// The name of the pane to which a link leads.
        public var pane: String?
    }

    /// A value to choose.
    public struct Choice: Sendable, Hashable, Codable {
        /// The value.
        public var value: SettingScalar
        /// Its text.
        public var title: String
        /// A text for a narrow place.
        public var shortTitle: String?
    }
}

extension PluginSettings {
    /// The pages of the settings, with their texts and current values.
    ///
    /// - Parameter languages: the languages of the reader, best first; nil for the user's.
    /// - Returns: the pages; without panes if the plug-in has no Settings.bundle, or in a worker process.
    ///
    /// **Threads.** Any. **Cost.** Looks up every text.
    public func page(languages: [String]? = nil) -> SettingsPage {
        guard let files = services as? FileSettings, let texts = files.texts else {
            return SettingsPage(title: "", panes: [])
        }
        return PageWriter(files, texts, languages).page
    }
}

/// Makes the pages of a plug-in's settings.
private struct PageWriter {
    private let files: FileSettings
    private let resolution: SettingsResolution
    private let bundle: PluginBundle
    private let translate: (String, String) -> String

    init(_ files: FileSettings, _ bundle: PluginBundle, _ languages: [String]?) {
        self.files = files
        self.bundle = bundle
        resolution = files.resolution
        if let languages {
            let strings = bundle.resources.strings(for: languages)
            translate = { strings.localizedString(forKey: $0, value: nil, table: $1) }
        } else {
            translate = { bundle.localizedString(forKey: $0, value: nil, table: $1) }
        }
    }

    var page: SettingsPage {
        let name = PluginBundle(path: files.bundlePath)?.object(forInfoDictionaryKey: "CFBundleDisplayName") as? String
        return SettingsPage(
            title: name ?? Path.stem(files.bundlePath),
            panes: files.schema.panes.map { pane in
                SettingsPage.Pane(name: pane.name, rows: pane.elements.map { row($0, pane.table) })
            })
    }

    private func text(_ key: String?, _ table: String?) -> String? {
        guard let key, !key.isEmpty, let table else { return key }
        return translate(key, table)
    }

    private func row(_ element: SettingsElement, _ table: String?) -> SettingsPage.Row {
        var row = SettingsPage.Row(kind: element.kind)
        row.title = text(element.title, table)
        row.footer = text(element.footer, table)
        row.pane = element.pane
        row.choices = element.choices.map { choice in
            SettingsPage.Choice(
                value: choice.value, title: text(choice.title, table) ?? choice.title,
                shortTitle: text(choice.shortTitle, table))
        }
        if element.isSorted {
            row.choices.sort { ($0.title.lowercased(), $0.title) < ($1.title.lowercased(), $1.title) }
        }
        (row.minimum, row.maximum) = (element.minimum, element.maximum)
        row.minimumImage = image(element.minimumImage)
        row.maximumImage = image(element.maximumImage)
        (row.trueValue, row.falseValue) = (element.trueValue, element.falseValue)
        row.hints = element.hints
        fill(&row, element.key)
        return row
    }

    private func fill(_ row: inout SettingsPage.Row, _ key: String?) {
        guard let key, let declaration = files.schema[key] else { return }
        row.key = key
        row.type = declaration.type
        row.isSecret = declaration.isSecret
        row.isLocked = resolution.locks[key] != nil
        row.layer = resolution.origins[key]?.layer
        if !declaration.isSecret {
            row.value = resolution.values[key]
            row.defaultValue = declaration.defaultValue
        }
    }

    private func image(_ name: String?) -> String? {
        name.flatMap { bundle.pathForImageResource($0) }
    }
}
