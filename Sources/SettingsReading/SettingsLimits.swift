public import PropertyLists

/// What a reader of settings accepts.
///
/// A Settings.bundle and the files with values come from other people, so each limit is checked before memory is used.
public enum SettingsLimits {
    /// Each list of a Settings.bundle: 1 MiB, 16 levels, 100,000 values.
    public static let list = PropertyListLimits(size: 1 << 20, depth: 16, nodes: 100_000)
    /// The lists of a Settings.bundle.
    public static let mostLists = 64
    /// How many panes deep a child pane may be; the root is the first.
    public static let deepestPane = 8
    /// The elements of all lists.
    public static let mostElements = 1_000
    /// The keys of a schema.
    public static let mostKeys = 256
    /// A key, in bytes of UTF-8.
    public static let longestKey = 128
    /// A text as a value, in bytes of UTF-8.
    public static let longestText = 16 << 10
    /// The texts of all settings of a plug-in together, in bytes of UTF-8.
    public static let longestTexts = 1 << 20
    /// The findings that are listed for a file.
    public static let mostFindings = 100
}
