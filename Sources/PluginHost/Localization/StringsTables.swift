import Glibc
import PropertyLists
import Synchronization

#if FullFoundation
import Foundation
#endif

/// The localised strings of one bundle.
///
/// The table `Localizable` is the files `Localizable.strings` and `Localizable.stringsdict`, looked for as any resource
/// is (``ResourceFinder``): those in the first place that has either are the table. A key that it lacks is looked for in
/// the tables that it hides, down to the development region's: a user reads a sentence in another language rather than a
/// key. A table's files are read at the first question and kept; one that was not there is looked for again.
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

    /// Formats that did not fit their arguments, each told once.
    private let misfits = Mutex<Set<String>>([])
    private static let mostMisfits = 1_000

    /// A table and those it hides.
    private struct Chain: Sendable {
        let first: StringsTable
        /// Those that were needed so far.
        var hidden: [StringsTable] = []
        /// The files of the others, the next one last.
        var unread: [StringsFile]

        /// The translation in the tables read so far, and the table that has it.
        func entry(forKey key: String) -> (text: String, table: StringsTable)? {
            if let text = first[key] { return (text, first) }
            for table in hidden {
                if let text = table[key] { return (text, table) }
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
        string(forKey: key, table: table) ?? shown(key, table) ?? Self.substitute(key, value)
    }

    /// The string for a key in the user's language, its conversions replaced by arguments.
    ///
    /// Of an entry of a `.stringsdict` the forms are chosen that the numbers among the arguments need, by the rules of the
    /// language that the table is in. What does not fit is logged once for a key and shown as
    /// ``FormatString/formatted(_:)`` tells.
    ///
    /// - Parameters:
    ///   - arguments: the values, the first one for `%1$@`.
    ///   - width: how wide the text may be, for entries with widths; nil for the widest.
    func localizedString(forKey key: String, value: String?, table: String?, arguments: [Any], width: Int?) -> String {
        let found = entry(forKey: key, Self.fileName(table))
        // The key in capitals is no format any more.
        if found == nil, let shown = shown(key, table) { return shown }
        let values = arguments.map(FormatArgument.init)
        let format =
            if let found, let format = found.table.formats[key] {
                format.resolved(
                    LocalizedFormat.Choice(
                        arguments: values, rules: found.table.rules, device: finder.preference.device, width: width))
            } else {
                FormatString(found?.text ?? Self.substitute(key, value))
            }
        let (text, misfits) = format.formatted(values)
        if let first = misfits.first { report(first, key, Self.fileName(table)) }
        return text
    }

    private static func substitute(_ key: String, _ value: String?) -> String {
        guard let value, !value.isEmpty else { return key }
        return value
    }

    /// What stands for a missing translation under NSShowNonLocalizedStrings; nil otherwise.
    private func shown(_ key: String, _ table: String?) -> String? {
        guard Self.showsNonLocalizedStrings else { return nil }
        log([.notLocalized(key, table: Self.fileName(table))])
        return key.uppercased()
    }

    private func report(_ misfit: String, _ key: String, _ table: String) {
        let isNews = misfits.withLock { $0.count < Self.mostMisfits && $0.insert(table + "\0" + key).inserted }
        if isNews { log([.formatMismatch(misfit, key, table: table)]) }
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

    /// The translation of a key, from the tables that were read or, where they lack it, from more.
    private func search(_ key: String, _ table: String) -> String? {
        entry(forKey: key, table)?.text
    }

    private func entry(forKey key: String, _ table: String) -> (text: String, table: StringsTable)? {
        guard loaded(table) != nil else { return nil }
        while true {
            let (entry, unread) = chains.withLock { chains in
                (chains[table]?.entry(forKey: key), chains[table]?.unread.last)
            }
            guard entry == nil, let unread else { return entry }
            let (hidden, findings) = unread.read(device: finder.preference.device)
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

    private static let types = ["strings", "stringsdict"]

    /// The table of a name, read if need be; nil if there is no file.
    private func loaded(_ table: String) -> StringsTable? {
        if let loaded = chains.withLock({ $0[table]?.first }) { return loaded }
        // A look-up that finds nothing is cheap when it is repeated; the list of all places is not remembered.
        guard Self.types.contains(where: { finder.path(forResource: table, ofType: $0) != nil }) else { return nil }
        let files = finder.allPaths(forResource: table, ofTypes: Self.types).map { paths in
            StringsFile(strings: paths[0], formats: paths[1], language: language(of: paths))
        }
        guard let file = files.first else { return nil }
        let (read, findings) = file.read(device: finder.preference.device)
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

    /// The language of a place: that of its `.lproj`; for Base and for a global table the development region, else the
    /// first preferred localisation.
    private func language(of paths: [String?]) -> String {
        let path = paths.lazy.compactMap { $0 }.first ?? ""
        let folder = path.dropFirst(finder.directory.count).split(separator: "/").last {
            $0.hasSuffix(SearchOrder.suffix)
        }
        if let name = folder?.dropLast(SearchOrder.suffix.count), name != "Base" { return String(name) }
        return finder.settings.developmentRegion ?? finder.preferredLocalizations.first ?? ""
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

    fileprivate static func formatMismatch(_ misfit: String, _ key: String, table: String) -> PluginFinding {
        PluginFinding(
            .warning, .stringFormatMismatch, subject: key,
            message: "The format of the string \(quoted(key)) in the table \(quoted(table)) does not fit. \(misfit)",
            remedy: "Correct the conversions of the translation, or the arguments.")
    }
}
