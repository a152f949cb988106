import HostBasics
import HostRecords
internal import PluginABI
internal import PropertyLists
import SettingsReading

/// The content of a file with values of a plug-in's settings, to change it.
///
/// ``SettingsFile`` reads such a file for use. This type keeps everything that it does not know: values of settings that
/// another version of the plug-in has, and keys of later versions of the format.
struct SettingsContent: KeptContent {
    private var values: [String: PropertyList] = [:]
    private var locked: [String] = []
    private var others: [String: PropertyList] = [:]
    private(set) var leftOut: [String] = []

    /// Creates a content without values.
    init() {}

    init?(_ list: PropertyList) {
        guard case .dictionary(var entries) = list,
            let values = (entries[SettingsFile.valuesKey] ?? .dictionary([:])).dictionary
        else { return nil }
        leftOut = SettingsFile.unwritable(in: values)
        self.values = values
        for key in leftOut { self.values[key] = nil }
        entries[SettingsFile.valuesKey] = nil
        if let locked = entries[SettingsFile.lockedKey]?.array?.map(\.string), !locked.contains(nil) {
            self.locked = locked.compactMap(\.self).filter { !$0.utf8.contains(0) }
            if self.locked.count < locked.count { leftOut.append(SettingsFile.lockedKey) }
            entries[SettingsFile.lockedKey] = nil
        }
        let unwritable = SettingsFile.unwritable(in: entries)
        leftOut += unwritable
        others = entries
        for key in unwritable { others[key] = nil }
    }

    var list: PropertyList {
        var entries = others
        entries[SettingsFile.valuesKey] = .dictionary(values)
        if !locked.isEmpty { entries[SettingsFile.lockedKey] = .array(locked.map(PropertyList.string)) }
        return .dictionary(entries)
    }

    /// Nothing is forbidden by values, so a damaged file counts as none.
    static var safest: SettingsContent { SettingsContent() }

    /// A change of some values.
    struct Change: Sendable {
        /// The new values; nil removes the key.
        var values: [String: PropertyList?] = [:]
        /// Keys to lock, and keys to unlock.
        var locks: Set<String> = []
        var unlocks: Set<String> = []
        /// The settings whose values under former names get their new names.
        ///
        /// The old ones stay, for an older version.
        var moves: [SettingDeclaration] = []
    }

    mutating func apply(_ change: Change) {
        for declaration in change.moves where values[declaration.key] == nil && !declaration.isSecret {
            let former = declaration.formerKeys.first { key in
                values[key].flatMap { try? declaration.value($0) } != nil
            }
            if let former { values[declaration.key] = values[former] }
        }
        for (key, value) in change.values { values[key] = value }
        // What gets a value is written.
        leftOut.removeAll { change.values[$0] != nil }
        locked.removeAll { change.unlocks.contains($0) || change.locks.contains($0) }
        locked += change.locks.sorted()
    }

    // MARK: The file

    private static let known = Lock<[String: KeptList<SettingsContent>]>([:])

    /// The values in a file.
    ///
    /// Returns the same object for the same path.
    static func kept(at path: String, for readers: OwnFile.Readers = .owner) -> KeptList<SettingsContent> {
        known.withLock { known in
            if let list = known[path] { return list }
            let list = separate(at: path, for: readers)
            known[path] = list
            return list
        }
    }

    /// The values in a file, with a lock of their own; tests stand for other processes with it.
    static func separate(at path: String, for readers: OwnFile.Readers = .owner) -> KeptList<SettingsContent> {
        KeptList(
            path: path,
            ListWords(
                code: .settingsUnreadable, subject: "The settings in",
                noList: "is no dictionary whose \(SettingsFile.valuesKey) is a dictionary",
                safest: "Its values are not used.", remedy: "Correct it, or remove it.",
                change: "A setting", severity: .warning),
            // An old copy could bring back a value that the user has changed since.
            hasCopy: false, for: readers)
    }
}
