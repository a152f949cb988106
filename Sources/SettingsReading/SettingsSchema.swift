public import HostBasics

/// What a Settings.bundle declares: the settings, and the pages that show them.
///
/// **Threads.** A value; may be shared freely.
public struct SettingsSchema: Sendable {
    /// The settings, in the order in which the pages first show them.
    public internal(set) var declarations: [SettingDeclaration] = []
    /// The pages; the first is the root, if it could be read.
    public internal(set) var panes: [SettingsPane] = []
    /// What is wrong with the lists.
    ///
    /// An element with an error is left out, except that a wrong default counts as none.
    public internal(set) var findings: [PluginFinding] = []

    /// The lists that were read, or that could not be.
    public internal(set) var files: [String] = []

    private var indices: [String: Int] = [:]

    /// A schema without settings.
    public init() {}

    /// The declaration of a key; nil if there is none.
    public subscript(key: String) -> SettingDeclaration? { indices[key].map { declarations[$0] } }

    mutating func add(_ declaration: SettingDeclaration) {
        indices[declaration.key] = declarations.count
        declarations.append(declaration)
    }

    mutating func replace(_ declaration: SettingDeclaration) {
        if let index = indices[declaration.key] { declarations[index] = declaration }
    }
}
