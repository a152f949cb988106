public import PluginABI

/// One element of a page of settings, as the Settings.bundle has it: its texts are keys of a strings table.
public struct SettingsElement: Sendable, Hashable {
    /// What a page shows for an element.
    public enum Kind: String, Sendable, Hashable, Codable, CaseIterable {
        /// The head of a group, with the elements up to the next one.
        case group = "PSGroupSpecifier"
        /// A switch.
        case toggle = "PSToggleSwitchSpecifier"
        /// A field for a text or a number.
        case textField = "PSTextFieldSpecifier"
        /// A slider.
        case slider = "PSSliderSpecifier"
        /// A value that the page only shows.
        case titleValue = "PSTitleValueSpecifier"
        /// A choice on a page of its own.
        case multiValue = "PSMultiValueSpecifier"
        /// A choice among rows of a group.
        case radioGroup = "PSRadioGroupSpecifier"
        /// A link to another pane.
        case childPane = "PSChildPaneSpecifier"

        /// Whether the element has a key and a value.
        public var hasValue: Bool { self != .group && self != .childPane }
    }

    /// A value that a choice offers, with its texts.
    public struct Choice: Sendable, Hashable {
        /// The value.
        public var value: SettingScalar
        /// Its text.
        public var title: String
        /// A text for a narrow place.
        public var shortTitle: String?
    }

    /// What the page shows.
    public let kind: Kind
    /// The key; nil for a group and a link.
    public internal(set) var key: String?
    /// The text beside the element.
    public internal(set) var title: String?
    /// The text below a group.
    public internal(set) var footer: String?
    /// The values that a choice offers, or the texts of a value that is only shown.
    public internal(set) var choices: [Choice] = []
    /// Whether the choices are sorted by their text in the user's language.
    public internal(set) var isSorted = false
    /// The limits of a slider, or of a field for a number.
    public internal(set) var minimum: Double?
    /// The upper limit, like ``minimum``.
    public internal(set) var maximum: Double?
    /// The picture at the lower end of a slider.
    public internal(set) var minimumImage: String?
    /// The picture at the upper end of a slider.
    public internal(set) var maximumImage: String?
    /// The value of a switch that is on, if that is not `true`.
    public internal(set) var trueValue: SettingScalar?
    /// The value of a switch that is off, if that is not `false`.
    public internal(set) var falseValue: SettingScalar?
    /// Whether a field hides what is typed.
    public internal(set) var isSecret = false
    /// `KeyboardType`, `AutocapitalizationType` and `AutocorrectionType` of a field, as written.
    public internal(set) var hints: [String: String] = [:]
    /// The name of the pane to which a link leads, without `.plist`.
    public internal(set) var pane: String?

    init(_ kind: Kind) { self.kind = kind }
}

/// One list of a Settings.bundle: a page with its elements.
public struct SettingsPane: Sendable, Hashable {
    /// The name of the list without `.plist`: `Root` for the first.
    public let name: String
    /// The strings table in the Settings.bundle that has the texts; nil if they are shown as written.
    public internal(set) var table: String?
    /// The elements in order.
    public internal(set) var elements: [SettingsElement] = []
}
