import Glibc
package import HostBasics
import PropertyLists
import Synchronization

/// The localised strings of one bundle.
///
/// The table `Localizable` consists of the files `Localizable.strings` and `Localizable.stringsdict`, which are
/// searched like any resource (``ResourceFinder``): the first place that has either is used. If a key is missing, the
/// tables of later places are searched, down to the development region: a user should see a sentence in another
/// language rather than a key. A table's files are read at the first look-up and kept; a missing table is searched
/// again each time.
///
/// A fault in a file is logged once, and affects only the faulty entry.
///
/// **Threads.** Any; other threads wait during the first look-up in a table. The log is called without any lock held.
/// **Cost.** A repeated look-up costs no more than one in a Swift dictionary.
package final class BundleStrings: Sendable {
    package let finder: ResourceFinder
    private let log: @Sendable ([PluginFinding]) -> Void
    private struct State {
        /// The tables by the name of the file.
        var chains: [String: StringsChain] = [:]
        /// Tables that did not exist at the last look-up.
        var absent: Set<String> = []
        /// How many strings were looked up in a compiled table without reading it as a whole, by the table's name.
        var unread: [String: Int] = [:]
    }

    private let state = Lock(State())
    private let known = KnownTables()

    /// The table for a nil or empty name.
    static let defaultTable = "Localizable"

    /// The table that localises Info.plist.
    private static let infoTable = "InfoPlist"

    /// The file name, without extension, for a table's name.
    private static func fileName(_ table: String?) -> String {
        guard let table, !table.isEmpty else { return defaultTable }
        // Checking one byte avoids the comparison for most names.
        guard table.utf8.last == UInt8(ascii: "s"), table.hasSuffix(".strings") else { return table }
        return String(table.dropLast(".strings".count))
    }

    /// Formats that did not match their arguments; each is logged once.
    private let misfits = Lock<Set<String>>([])
    private static let mostMisfits = 1_000
    /// Problems of files that could not be read and so are read again: each is logged once.
    private let refusals = Lock<Set<PluginFinding>>([])

    /// `log`: receives the problems of each file once, and under NSShowNonLocalizedStrings each string that is not
    /// localised.
    package init(finder: ResourceFinder, log: @escaping @Sendable ([PluginFinding]) -> Void) {
        self.finder = finder
        self.log = log
    }

    /// The string for a key in the user's language.
    ///
    /// If no table has the key, it returns the value, or the key itself if the value is nil or empty. An empty
    /// translation is a translation. If the user set `NSShowNonLocalizedStrings` (an environment variable, or with
    /// Foundation a default), a missing key is logged and returned in capitals, so that it is easy to notice.
    ///
    /// - Parameters:
    ///   - key: the key.
    ///   - value: what to return if there is no translation.
    ///   - table: the table's name, with or without `.strings`; nil or empty for `Localizable`.
    /// - Returns: the translation, otherwise the value, otherwise the key.
    package func localizedString(forKey key: String, value: String?, table: String?) -> String {
        if let text = string(forKey: key, table: table) { return text }
        if Self.showsNonLocalizedStrings { return shown(key, table) }
        return Self.substitute(key, value)
    }

    /// The string for a key in the user's language, with its conversions replaced by arguments.
    ///
    /// For an entry of a `.stringsdict`, the forms are chosen by the numbers among the arguments and the rules of the
    /// table's language. A mismatch is logged once per key; ``FormatString/formatted(_:)`` describes the resulting
    /// text.
    ///
    /// - Parameters:
    ///   - key: the key.
    ///   - value: the format to use if there is no translation.
    ///   - table: as above.
    ///   - arguments: the values, the first one for `%1$@`.
    ///   - width: the maximum width of the text, for entries with widths; nil for the widest.
    /// - Returns: the formatted text.
    package func localizedString(forKey key: String, value: String?, table: String?, arguments: [Any], width: Int?)
        -> String
    {
        let found = entry(forKey: key, table)
        // The key in capitals must not be used as a format.
        if found == nil, Self.showsNonLocalizedStrings { return shown(key, table) }
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

    /// The text for a missing translation under NSShowNonLocalizedStrings.
    private func shown(_ key: String, _ table: String?) -> String {
        log([.notLocalized(key, table: Self.fileName(table))])
        return key.uppercased()
    }

    private func report(_ misfit: String, _ key: String, _ table: String) {
        let isNews = misfits.withLock { $0.count < Self.mostMisfits && $0.insert(table + "\0" + key).inserted }
        if isNews { log([.formatMismatch(misfit, key, table: table)]) }
    }

    /// The translation of a key, nil if no table has one.
    @inline(__always)
    package func string(forKey key: String, table: String?) -> String? {
        let head = if let table, !table.isEmpty { known.table(named: table) } else { known.defaultTable }
        // The slow path is a separate function: reading files needs a closure, and creating it counts references to
        // self, which takes as long as the look-up.
        switch head?.pointee.answer(forKey: key) {
        case .entry(let entry): return entry.text
        case .missing: return nil
        case .unknown, nil: return entry(forKey: key, table)?.text
        }
    }

    /// The value of `InfoPlist.strings` for a key of Info.plist; nil if there is none.
    ///
    /// Callers then use Info.plist's value, which is in the language of the development region.
    package func localizedInfo(forKey key: String) -> String? {
        chain(Self.infoTable)?.table[key]
    }

    /// All values of `InfoPlist.strings`; nil if there is none.
    package var localizedInfo: [String: String]? {
        chain(Self.infoTable)?.table.dictionary
    }

    // MARK: Finding and reading tables

    /// The translation of a key and the table that has it.
    @inline(never)
    private func entry(forKey key: String, _ table: String?) -> (text: String, table: StringsTable)? {
        let table = Self.fileName(table)
        let isFirst = state.withLock { state in
            state.chains[table] == nil && !state.absent.contains(table)
                && state.unread[table, default: 0] < Self.mostUnread
        }
        guard isFirst else { return chain(table)?.entry(forKey: key, reading: read) }
        let found = Self.files(table, by: finder, most: 1)
        if let text = unreadText(forKey: key, table, found) { return (text, Self.emptyTable) }
        return chain(table, of: found)?.entry(forKey: key, reading: read)
    }

    private static let emptyTable = StringsTable([:])
    /// How many look-ups in one table use its compiled form before the whole table is read.
    ///
    /// Reading a table of 10,000 entries takes as long as about a hundred of these look-ups. A program that makes more
    /// of them probably needs most of the table.
    private static let mostUnread = 16

    /// The translation of a key from a compiled table in the file; nil if the table must be read.
    ///
    /// Texts that depend on numbers are in a `.stringsdict`, which is always read.
    private func unreadText(forKey key: String, _ table: String, _ found: StringsChain.Files) -> String? {
        guard found.isCertain, let file = found.files.first, file.formats == nil, let path = file.strings,
            let text = CompiledTable(beside: path)?.text(forKey: key)
        else { return nil }
        state.withLock { state in
            if state.unread.count < Self.mostAbsent { state.unread[table, default: 0] += 1 }
        }
        return text
    }

    private func read(_ file: StringsFile) -> StringsChain.Reading {
        let (table, findings) = file.read(device: finder.preference.device)
        let isRead = !findings.contains(where: \.isProvisional)
        return StringsChain.Reading(table: table, isRead: isRead) { [self] in
            let news = isRead ? findings : findings.filter(isNews)
            if !news.isEmpty { log(news) }
        }
    }

    private func isNews(_ finding: PluginFinding) -> Bool {
        refusals.withLock { $0.count < Self.mostMisfits && $0.insert(finding).inserted }
    }

    private static let types = ["strings", "stringsdict"]
    private static let mostAbsent = 1_000

    /// The table with a name, read if necessary; nil if there is no file.
    ///
    /// A refusal by the system is not cached: if a directory or a file could not be read, the caller gets what can be
    /// read now, and the next look-up reads again.
    private func chain(_ table: String) -> StringsChain? {
        let (chain, isAbsent) = state.withLock { ($0.chains[table], $0.absent.contains(table)) }
        if let chain { return chain }
        // A repeated look-up that finds nothing is cheap, but the list of all places is not cached.
        if isAbsent, !Self.types.contains(where: { finder.path(forResource: table, ofType: $0) != nil }) { return nil }
        return self.chain(table, of: Self.files(table, by: finder, most: 1))
    }

    private func chain(_ table: String, of found: StringsChain.Files) -> StringsChain? {
        guard let file = found.files.first else {
            if found.isCertain {
                state.withLock { if $0.absent.count < Self.mostAbsent { $0.absent.insert(table) } }
            }
            return nil
        }
        let first = read(file)
        let hidden = { @Sendable [finder] in
            var all = Self.files(table, by: finder)
            all.files.removeAll { $0 == file }
            return all
        }
        guard found.isCertain, first.isRead else {
            first.log()
            return StringsChain(first.table, hiding: hidden)
        }
        let (entered, isNews) = state.withLock { state in
            if let chain = state.chains[table] { return (chain, false) }
            let chain = StringsChain(first.table, hiding: hidden)
            state.chains[table] = chain
            known.add(chain.head, named: table)
            if table == Self.defaultTable { known.addDefault(chain.head) }
            return (chain, true)
        }
        if isNews { first.log() }
        return entered
    }

    /// The files of a table in search order.
    private static func files(_ table: String, by finder: ResourceFinder, most: Int = .max) -> StringsChain.Files {
        let found = finder.allPaths(forResource: table, ofTypes: types, most: most)
        let files = found.paths.map { paths in
            let language = paths[1].map { self.language(of: $0, by: finder) } ?? ""
            return StringsFile(strings: paths[0], formats: paths[1], language: language)
        }
        return StringsChain.Files(files: files, isCertain: found.isCertain)
    }

    /// The language of a place, from the name of its `.lproj`.
    ///
    /// For Base and for a table for all languages, it is the development region, or else the first preferred
    /// localisation.
    private static func language(of path: String, by finder: ResourceFinder) -> String {
        if let name = finder.language(ofResourceAt: path), name != "Base" { return name }
        return finder.settings.developmentRegion ?? finder.preferredLocalizations.first ?? ""
    }

    /// Whether the user wants to see missing translations.
    ///
    /// The environment variable sets this, otherwise the argument, or with Foundation the default. It is read once per
    /// process, so that a miss does not cost more than a hit.
    private static let showsNonLocalizedStrings = ProgramDefaults.isOn("NSShowNonLocalizedStrings")
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
            message: "The format \(quoted(key)) in the table \(quoted(table)) does not match its arguments. \(misfit)",
            remedy: "Correct the conversions of the translation, or the arguments.")
    }
}
