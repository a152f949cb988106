import Glibc
import PropertyLists
import Synchronization

#if FullFoundation
import Foundation
#endif

/// The localised strings of one bundle.
///
/// The table `Localizable` is the file `Localizable.strings`, looked for as any resource is (``ResourceFinder``): the
/// first one found is the table. A key that it lacks is looked for in the tables that it hides, down to the development
/// region's: a user reads a sentence in another language rather than a key. A table's file is read at the first
/// question and kept; one that was not there is looked for again.
///
/// Faults in a file are handed to the log once, and cost no other entry than the faulty ones.
///
/// **Threads.** Any; the first look-up in a table lets others wait. The log is called without any lock held.
/// **Cost.** A repeated look-up costs no more than one in a Swift dictionary.
final class StringsTables: Sendable {
    private let finder: ResourceFinder
    private let log: @Sendable ([PluginFinding]) -> Void
    /// By the name of the file.
    private let chains = Mutex<[String: Chain]>([:])
    private let known = KnownTables()

    /// The table a nil or empty name means.
    static let defaultTable = "Localizable"

    /// The table that localises Info.plist.
    private static let infoTable = "InfoPlist"

    /// The name of the file, without extension, that a table's name means.
    private static func fileName(_ table: String?) -> String {
        guard let table, !table.isEmpty else { return defaultTable }
        // Looking at one byte spares most names the comparison.
        guard table.utf8.last == UInt8(ascii: "s"), table.hasSuffix(".strings") else { return table }
        return String(table.dropLast(".strings".count))
    }

    /// A table and those it hides.
    private struct Chain: Sendable {
        let first: StringsTable
        /// Those that were needed so far.
        var hidden: [StringsTable] = []
        /// The files of the others, the next one last.
        var unread: [String]

        /// The translation in the tables read so far.
        func string(forKey key: String) -> String? {
            if let translation = first[key] { return translation }
            for table in hidden {
                if let translation = table[key] { return translation }
            }
            return nil
        }
    }

    /// - Parameter log: gets what is wrong with a file, once for each file, and under NSShowNonLocalizedStrings each
    ///   string that is not localised.
    init(finder: ResourceFinder, log: @escaping @Sendable ([PluginFinding]) -> Void) {
        self.finder = finder
        self.log = log
    }

    /// The string for a key in the user's language.
    ///
    /// A key that no table has gives the value, or the key itself if the value is nil or empty. A translation that is
    /// empty is a translation. If the user set `NSShowNonLocalizedStrings` (an environment variable, or with Foundation
    /// a default), such a key is logged and returned in capitals, so that it strikes the eye.
    ///
    /// - Parameter table: the table's name, with or without `.strings`; nil or empty for `Localizable`.
    func localizedString(forKey key: String, value: String?, table: String?) -> String {
        if let translation = string(forKey: key, table: table) { return translation }
        if Self.showsNonLocalizedStrings {
            log([.notLocalized(key, table: Self.fileName(table))])
            return key.uppercased()
        }
        guard let value, !value.isEmpty else { return key }
        return value
    }

    /// The translation of a key, nil if no table has one.
    func string(forKey key: String, table: String?) -> String? {
        if let table, !table.isEmpty {
            return known.string(forKey: key, table: table) ?? search(key, Self.fileName(table))
        }
        return known.defaultString(forKey: key) ?? search(key, Self.defaultTable)
    }

    /// What `InfoPlist.strings` has for a key of Info.plist, nil if nothing: then Info.plist's own value holds, which
    /// is the one of the development region.
    func localizedInfo(forKey key: String) -> String? {
        loaded(Self.infoTable)?[key]
    }

    /// All of `InfoPlist.strings`, nil if there is none.
    var localizedInfo: [String: String]? {
        loaded(Self.infoTable)?.dictionary
    }

    // MARK: Finding and reading tables

    /// Looks in the tables that were read, then reads more, until one has the key.
    private func search(_ key: String, _ table: String) -> String? {
        guard loaded(table) != nil else { return nil }
        while true {
            let (translation, unread) = chains.withLock { chains in
                (chains[table]?.string(forKey: key), chains[table]?.unread.last)
            }
            guard translation == nil, let unread else { return translation }
            let (hidden, findings) = StringsFile.read(unread)
            let isNews = chains.withLock { chains in
                // Another thread may have read the same file meanwhile.
                guard chains[table]?.unread.last == unread else { return false }
                chains[table]?.unread.removeLast()
                chains[table]?.hidden.append(hidden)
                return true
            }
            if isNews, !findings.isEmpty { log(findings) }
        }
    }

    /// The table of a name, read if need be; nil if there is no file.
    private func loaded(_ table: String) -> StringsTable? {
        if let loaded = chains.withLock({ $0[table]?.first }) { return loaded }
        // A look-up that finds nothing is cheap when it is repeated; the list of all places is not remembered.
        guard finder.path(forResource: table, ofType: "strings") != nil else { return nil }
        let files = finder.allPaths(forResource: table, ofType: "strings")
        guard let file = files.first else { return nil }
        let (read, findings) = StringsFile.read(file)
        let (first, isNews) = chains.withLock { chains in
            if let loaded = chains[table]?.first { return (loaded, false) }
            chains[table] = Chain(first: read, unread: files.dropFirst().reversed())
            known.add(read, named: table)
            if table == Self.defaultTable { known.addDefault(read) }
            return (read, true)
        }
        if isNews, !findings.isEmpty { log(findings) }
        return first
    }

    /// Read at each miss: whoever looks for missing translations sets it while the program runs.
    private static var showsNonLocalizedStrings: Bool {
        if let value = getenv("NSShowNonLocalizedStrings").flatMap({ String(validatingCString: $0) }) {
            // As NSString's boolValue reads it.
            return value.drop { " +0".contains($0) }.first.map { "YyTt123456789".contains($0) } ?? false
        }
        #if FullFoundation
        return UserDefaults.standard.bool(forKey: "NSShowNonLocalizedStrings")
        #else
        return false
        #endif
    }
}

extension PluginFinding {
    fileprivate static func notLocalized(_ key: String, table: String) -> PluginFinding {
        PluginFinding(
            .warning, .stringNotLocalized, subject: key,
            message: "The string \(quoted(key)) is in no table \(quoted(table)) of the bundle.",
            remedy: "Add it to the \(table).strings of each localisation.")
    }
}
