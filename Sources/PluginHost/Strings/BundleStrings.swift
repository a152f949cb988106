import Glibc
import PropertyLists
import Synchronization

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
final class BundleStrings: Sendable {
    let finder: ResourceFinder
    private let log: @Sendable ([PluginFinding]) -> Void
    private struct State {
        /// By the name of the file.
        var chains: [String: StringsChain] = [:]
        /// Tables that were not there when they were asked for.
        var absent: Set<String> = []
    }

    private let state = Lock(State())
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
    private let misfits = Lock<Set<String>>([])
    private static let mostMisfits = 1_000
    /// What was wrong with files that could not be read and so are read again: each is logged once.
    private let refusals = Lock<Set<PluginFinding>>([])

    /// `log`: gets what is wrong with a file, once for each file, and under NSShowNonLocalizedStrings each string that
    /// is not localised.
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
    /// - Parameters:
    ///   - key: the key.
    ///   - value: what to give where there is no translation.
    ///   - table: the table's name, with or without `.strings`; nil or empty for `Localizable`.
    /// - Returns: the translation, else the value, else the key.
    func localizedString(forKey key: String, value: String?, table: String?) -> String {
        if let text = string(forKey: key, table: table) { return text }
        if Self.showsNonLocalizedStrings { return shown(key, table) }
        return Self.substitute(key, value)
    }

    /// The string for a key in the user's language, its conversions replaced by arguments.
    ///
    /// Of an entry of a `.stringsdict` the forms are chosen that the numbers among the arguments need, by the rules of the
    /// language that the table is in. What does not fit is logged once for a key and shown as
    /// ``FormatString/formatted(_:)`` tells.
    ///
    /// - Parameters:
    ///   - key: the key.
    ///   - value: the format where there is no translation.
    ///   - table: as above.
    ///   - arguments: the values, the first one for `%1$@`.
    ///   - width: how wide the text may be, for entries with widths; nil for the widest.
    /// - Returns: the text, formatted.
    func localizedString(forKey key: String, value: String?, table: String?, arguments: [Any], width: Int?) -> String {
        let found = entry(forKey: key, table)
        // The key in capitals is no format any more.
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

    /// What stands for a missing translation under NSShowNonLocalizedStrings.
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
    func string(forKey key: String, table: String?) -> String? {
        let head = if let table, !table.isEmpty { known.table(named: table) } else { known.defaultTable }
        // What is not known yet is looked for in a function of its own: one that reads files needs a closure, and making
        // that counts references to self, which takes as long as the look-up.
        switch head?.pointee.answer(forKey: key) {
        case .entry(let entry): return entry.text
        case .missing: return nil
        case .unknown, nil: return entry(forKey: key, table)?.text
        }
    }

    /// What `InfoPlist.strings` has for a key of Info.plist, nil if nothing: then Info.plist's own value holds, which
    /// is the one of the development region.
    func localizedInfo(forKey key: String) -> String? {
        chain(Self.infoTable)?.table[key]
    }

    /// All of `InfoPlist.strings`, nil if there is none.
    var localizedInfo: [String: String]? {
        chain(Self.infoTable)?.table.dictionary
    }

    // MARK: Finding and reading tables

    /// The translation of a key and the table that has it.
    @inline(never)
    private func entry(forKey key: String, _ table: String?) -> (text: String, table: StringsTable)? {
        chain(Self.fileName(table))?.entry(forKey: key, reading: read)
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

    /// The table of a name, read if need be; nil if there is no file.
    ///
    /// What the system refused is not remembered: where a directory or a file could not be read, the caller gets what can
    /// be read now, and the next question reads again.
    private func chain(_ table: String) -> StringsChain? {
        let (chain, isAbsent) = state.withLock { ($0.chains[table], $0.absent.contains(table)) }
        if let chain { return chain }
        // A look-up that finds nothing is cheap when it is repeated; the list of all places is not remembered.
        if isAbsent, !Self.types.contains(where: { finder.path(forResource: table, ofType: $0) != nil }) { return nil }
        let found = Self.files(table, by: finder, most: 1)
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

    /// The files of a table in the order of the search.
    private static func files(_ table: String, by finder: ResourceFinder, most: Int = .max) -> StringsChain.Files {
        let found = finder.allPaths(forResource: table, ofTypes: types, most: most)
        let files = found.paths.map { paths in
            let language = paths[1].map { self.language(of: $0, by: finder) } ?? ""
            return StringsFile(strings: paths[0], formats: paths[1], language: language)
        }
        return StringsChain.Files(files: files, isCertain: found.isCertain)
    }

    /// The language of a place: that of its `.lproj`; for Base and for a global table the development region, else the
    /// first preferred localisation.
    private static func language(of path: String, by finder: ResourceFinder) -> String {
        if let name = finder.language(ofResourceAt: path), name != "Base" { return name }
        return finder.settings.developmentRegion ?? finder.preferredLocalizations.first ?? ""
    }

    /// Whether the user looks for missing translations: by the environment variable, else by the argument, or
    /// with Foundation by the default. Asked once in a process: a miss should not cost more than a hit.
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
            message: "The format of the string \(quoted(key)) in the table \(quoted(table)) does not fit. \(misfit)",
            remedy: "Correct the conversions of the translation, or the arguments.")
    }
}
