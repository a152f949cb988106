import HostBasics
import HostRecords
internal import PropertyLists

/// A user's choices about an application's plug-ins: which ones are disabled, and which ones are enabled that are not
/// by default.
///
/// They are in a property list of the user, under the keys `Disabled` and `Enabled`, arrays of identifiers; see
/// docs/administrators.md, "The user's choices".
struct UserChoices: KeptContent {
    /// The identifiers of the plug-ins that are disabled; `*` for every plug-in.
    private(set) var disabled: Set<String> = []
    /// The identifiers that are enabled; this matters for plug-ins with a false `PHEnabledByDefault`.
    ///
    /// What is disabled too stays disabled.
    private(set) var enabled: Set<String> = []
    /// Keys of later versions.
    ///
    /// They are kept when the file is written.
    private var others: [String: PropertyList] = [:]

    private static let key = "Disabled"
    private static let enabledKey = "Enabled"

    /// Creates choices that disable nothing.
    init() {}

    init?(_ list: PropertyList) {
        guard case .dictionary(var entries) = list, let disabled = (entries[Self.key] ?? .array([])).array,
            let enabled = (entries[Self.enabledKey] ?? .array([])).array
        else {
            return nil
        }
        for identifier in enabled {
            guard let identifier = identifier.string else { return nil }
            self.enabled.insert(identifier)
        }
        for identifier in disabled {
            guard let identifier = identifier.string else { return nil }
            self.disabled.insert(identifier)
        }
        entries[Self.key] = nil
        entries[Self.enabledKey] = nil
        others = entries
    }

    var list: PropertyList {
        var entries = others
        entries[Self.key] = .array(disabled.sorted().map(PropertyList.string))
        if !enabled.isEmpty { entries[Self.enabledKey] = .array(enabled.sorted().map(PropertyList.string)) }
        return .dictionary(entries)
    }

    enum Change: Sendable {
        case disable(String)
        case enable(String)
    }

    mutating func apply(_ change: Change) {
        switch change {
        case .disable(let identifier):
            disabled.insert(identifier)
            enabled.remove(identifier)
        case .enable(let identifier):
            disabled.remove(identifier)
            // The choice is kept for every plug-in: a later version may be disabled by default.
            if identifier != Self.everyPlugin { enabled.insert(identifier) }
        }
    }

    /// The choices that disable every plug-in.
    static var safest: UserChoices {
        var choices = UserChoices()
        choices.disabled = [everyPlugin]
        return choices
    }

    /// Whether a plug-in is disabled.
    func disables(_ identifier: String) -> Bool {
        !disabled.isEmpty && (disabled.contains(identifier) || disabled.contains(Self.everyPlugin))
    }

    // MARK: The file

    private static let known = Lock<[String: KeptList<UserChoices>]>([:])

    /// The choices in a file.
    ///
    /// Returns the same object for the same path.
    static func kept(at path: String) -> KeptList<UserChoices> {
        known.withLock { known in
            if let list = known[path] { return list }
            let list = KeptList<UserChoices>(
                path: path,
                ListWords(
                    code: .choicesUnreadable, subject: "The user's choices in",
                    noList: "is no dictionary whose \(key) and \(enabledKey) are arrays of identifiers",
                    safest: "It has no usable copy, so every plug-in counts as disabled.",
                    remedy: "Correct it, or remove it and disable anew.", change: "A choice about plug-ins"))
            known[path] = list
            return list
        }
    }
}

extension PluginCatalog {
    /// The file with a user's choices about an application's plug-ins: `<application>/plugins.plist` in
    /// `$XDG_CONFIG_HOME`, by default in `~/.config`.
    ///
    /// In a run that `pluginhost bisect` makes, it is the file that the variable `<APPLICATION>_PLUGIN_CHOICES` names,
    /// spelled as in ``standardSearchPaths(for:)``: `DEMO_HOST_PLUGIN_CHOICES`. The path must be absolute, and the file
    /// must exist. A program that runs with more rights than its user has (set-user-ID) ignores the variable.
    ///
    /// - Parameter application: the name of the application's directories: one path component.
    /// - Returns: an absolute path, whether the file exists or not; nil if the user has no home directory.
    public static func choicesPath(for application: String) -> String? {
        if let trial = TrialRun(of: application) { return trial.choices }
        return UserDirectories.process.configuration.map { Path.join($0, application + "/plugins.plist") }
    }

    /// Whether the user has disabled a plug-in, or has not yet enabled one that is disabled by default
    /// (`PHEnabledByDefault`).
    ///
    /// - Parameter identifier: the plug-in's identifier.
    /// - Returns: whether the identifier is disabled. A plug-in that the user has disabled need not be installed.
    public func isDisabled(_ identifier: String) -> Bool {
        if choices.disables(identifier) { return true }
        if choices.enabled.contains(identifier) || plugin(identifier) != nil { return false }
        let index = current
        return (0..<index.candidateCount).lazy.map(index.candidateRow).contains {
            $0.verdict == .disabled && index.text(at: $0.identifier, is: identifier)
        }
    }

    /// Disables a plug-in for the user, or enables it again.
    ///
    /// This affects every bundle with the identifier; none needs to be installed. The choice is written to the file
    /// ``Options/choices``, and the catalogue is refreshed.
    ///
    /// Loaded code stays in the process, but the extensions of a disabled plug-in are no longer listed.
    ///
    /// - Parameters:
    ///   - identifier: the plug-in's identifier.
    ///   - isDisabled: true to disable it, false to enable it.
    /// - Returns: the changes.
    /// - Throws: ``PluginError`` of code `choicesUnreadable` if the file cannot be read or written. Nothing has changed
    ///   then.
    ///
    /// **Threads.** Any. Two processes that change a file at the same time wait for each other.
    @discardableResult
    public func setDisabled(_ identifier: String, _ isDisabled: Bool) throws -> CatalogChange {
        guard let path = options.choices else {
            throw PluginError(
                bundlePath: identifier,
                PluginFinding(
                    .choicesUnreadable, message: "The catalogue has no file for the user's choices.",
                    remedy: "Name one by PluginCatalog.Options.choices."))
        }
        do throws(PluginFinding) {
            try UserChoices.kept(at: path).write(isDisabled ? .disable(identifier) : .enable(identifier))
        } catch {
            throw PluginError(bundlePath: path, error)
        }
        return refresh()
    }
}
