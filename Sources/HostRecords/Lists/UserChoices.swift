import HostBasics
package import PropertyLists

/// A user's choices about an application's plug-ins: which ones are disabled, and which ones are enabled that are not
/// by default.
///
/// They are in a property list of the user, under the keys `Disabled` and `Enabled`, arrays of identifiers; see
/// docs/administrators.md, "The user's choices".
package struct UserChoices: KeptContent {
    /// The identifiers of the plug-ins that are disabled; `*` for every plug-in.
    package private(set) var disabled: Set<String> = []
    /// The identifiers that are enabled; this matters for plug-ins with a false `PHEnabledByDefault`.
    ///
    /// What is disabled too stays disabled.
    package private(set) var enabled: Set<String> = []
    /// By an older identifier, the one that took over what belonged to it: the plug-in's new name.
    package private(set) var replaced: [String: String] = [:]
    /// Keys of later versions.
    ///
    /// They are kept when the file is written.
    private var others: [String: PropertyList] = [:]

    private static let key = "Disabled"
    private static let enabledKey = "Enabled"
    private static let replacedKey = "Replaced"

    /// Creates choices that disable nothing.
    package init() {}

    package init?(_ list: PropertyList) {
        guard case .dictionary(var entries) = list, let disabled = (entries[Self.key] ?? .array([])).array,
            let enabled = (entries[Self.enabledKey] ?? .array([])).array,
            let replaced = (entries[Self.replacedKey] ?? .dictionary([:])).dictionary
        else {
            return nil
        }
        for (old, new) in replaced {
            guard let new = new.string else { return nil }
            self.replaced[old] = new
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
        entries[Self.replacedKey] = nil
        others = entries
    }

    package var list: PropertyList {
        var entries = others
        entries[Self.key] = .array(disabled.sorted().map(PropertyList.string))
        if !replaced.isEmpty { entries[Self.replacedKey] = .dictionary(replaced.mapValues(PropertyList.string)) }
        if !enabled.isEmpty { entries[Self.enabledKey] = .array(enabled.sorted().map(PropertyList.string)) }
        return .dictionary(entries)
    }

    package enum Change: Sendable {
        case disable(String)
        case enable(String)
        /// A plug-in takes over what belonged to older identifiers.
        case replace([String], by: String)
    }

    package mutating func apply(_ change: Change) {
        switch change {
        case .disable(let identifier):
            disabled.insert(identifier)
            enabled.remove(identifier)
        case .enable(let identifier):
            disabled.remove(identifier)
            // The choice is kept for every plug-in: a later version may be disabled by default.
            if identifier != Self.everyPlugin { enabled.insert(identifier) }
        case .replace(let olds, let new):
            for old in olds where old != new { replaced[old] = new }
            replaced[new] = nil
        }
    }

    /// The choices that disable every plug-in.
    package static var safest: UserChoices {
        var choices = UserChoices()
        choices.disabled = [everyPlugin]
        return choices
    }

    /// Whether a plug-in is disabled.
    package func disables(_ identifier: String) -> Bool {
        !disabled.isEmpty && (disabled.contains(identifier) || disabled.contains(Self.everyPlugin))
    }

    // MARK: The file

    private static let known = Lock<[String: KeptList<UserChoices>]>([:])

    /// The choices in a file.
    ///
    /// Returns the same object for the same path.
    package static func kept(at path: String) -> KeptList<UserChoices> {
        known.withLock { known in
            if let list = known[path] { return list }
            let list = KeptList<UserChoices>(
                path: path,
                ListWords(
                    code: .choicesUnreadable, subject: "The user's choices in",
                    noList:
                        "is no dictionary whose \(key) and \(enabledKey) are arrays of identifiers and whose \(replacedKey) is a dictionary of identifiers",
                    safest: "It has no usable copy, so every plug-in counts as disabled.",
                    remedy: "Correct it, or remove it and disable anew.", change: "A choice about plug-ins"))
            known[path] = list
            return list
        }
    }
}
