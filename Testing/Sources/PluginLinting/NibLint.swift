@_spi(Tools) internal import PluginHost
internal import PropertyLists

/// The faults of nibs, and the differences between the nibs and tables of the languages.
struct NibLint {
    private let classes: NibInspection.Classes
    private let bundle: PluginBundle?
    private(set) var files: [String] = []
    private var firstRead: String?
    private(set) var findings: [LintFinding] = []
    private var declared: [NibInspection.Member: LintFinding] = [:]
    private var connected: Set<NibInspection.Member> = []
    /// The classes and elements that the application is taken to have.
    private var assumed: Set<String> = []

    /// - Parameters:
    ///   - classes: those that the nibs may name; without any, the files alone are checked.
    ///   - bundle: where the nibs' images and sounds are; nil for files outside of bundles.
    init(classes: NibInspection.Classes, bundle: PluginBundle?) {
        self.classes = classes
        self.bundle = bundle
    }

    // MARK: One nib

    /// Checks one file.
    ///
    /// - Returns: the nib; nil if it cannot be read.
    @discardableResult
    mutating func check(path: String, bytes: [UInt8]? = nil) -> NibInspection? {
        files.append(path)
        let nib: NibInspection
        do throws(PluginError) {
            if let bytes {
                nib = try NibInspection(bytes, named: path)
            } else {
                nib = try NibInspection(path: path)
            }
        } catch {
            findings += NibLines.located(error.findings, path: path, bytes: bytes)
            return nil
        }
        if firstRead == nil { firstRead = path }
        let report = nib.report(classes: classes, in: bundle)
        let lines = NibLines(path: path, bytes: bytes)
        for finding in report.findings + report.notes {
            if isOfApplication(finding), !report.missingOwnClasses.contains(finding.subject ?? "") {
                // Once for a class or element.
                guard assumed.insert(finding.subject ?? "").inserted else { continue }
                var note = lines.finding(finding)
                note.severity = .note
                note.message += " The application may have it."
                note.remedy = "Name the application's list with --classes; or: \(note.remedy)"
                findings.append(note)
            } else {
                findings.append(lines.finding(finding))
            }
        }
        for (member, note) in report.declared where declared[member] == nil { declared[member] = lines.finding(note) }
        connected.formUnion(report.connected)
        return nib
    }

    /// Notes the outlets and actions that no checked nib connects, and that no class was known.
    mutating func finish() {
        findings += declared.filter { !connected.contains($0.key) }.map(\.value)
            .sorted { ($0.code.rawValue, $0.subject ?? "") < ($1.code.rawValue, $1.subject ?? "") }
        guard classes.isEmpty, let path = firstRead else { return }
        findings.append(
            LintFinding(
                .note, .nibClassesUnknown, filePath: path,
                message:
                    "No NibClasses.plist declares the classes, so outlets, actions and attributes are not checked.",
                remedy:
                    "Write the list with “pluginhost load --write-nib-classes”, or name one with --classes."))
    }

    /// Whether a finding is about a class or element that no list declares, while the application's are not known.
    private func isOfApplication(_ finding: PluginFinding) -> Bool {
        guard finding.code == .nibClassMissing, classes.application.isEmpty, let name = finding.subject else {
            return false
        }
        let entries = (classes.own + classes.required.map(\.list)).flatMap(\.entries)
        return !entries.contains { $0.name == name || $0.elements.contains(name) }
    }

    // MARK: Languages

    /// Compares the nibs of a bundle with one another and with the tables that translate them.
    mutating func compare(_ nibs: [(file: BundledNib, nib: NibInspection)], _ tables: LocalizedTables) {
        for name in Set(nibs.map(\.file.name)).sorted() {
            let own = nibs.filter { $0.file.name == name }
            let base = own.filter(\.file.isTranslated)
            compareLanguages(own, base)
            checkTables(name, own, base, tables)
        }
    }

    /// Fault 252.
    private mutating func compareLanguages(
        _ nibs: [(file: BundledNib, nib: NibInspection)], _ base: [(file: BundledNib, nib: NibInspection)]
    ) {
        for (file, nib) in nibs where !file.isTranslated {
            guard let original = base.first(where: { $0.file.variant == file.variant }) else { continue }
            let (own, theirs) = (nib.shape, original.nib.shape)
            let lacks = theirs.subtracting(own).sorted()
            let extra = own.subtracting(theirs).sorted()
            guard let first = lacks.first ?? extra.first else { continue }
            let more = lacks.count + extra.count - 1
            findings.append(
                LintFinding(
                    .warning, .nibLanguagesDiffer, filePath: file.path, subject: file.language,
                    message: "The nib \(lacks.isEmpty ? "has" : "lacks") \(first)"
                        + (more > 0 ? ", and differs in \(more) more." : ".")
                        + " Compared with \(quoted(original.file.path)).",
                    remedy: "Make the same change in both, or keep one nib in Base.lproj with tables."))
        }
    }

    private mutating func checkTables(
        _ name: String, _ nibs: [(file: BundledNib, nib: NibInspection)],
        _ base: [(file: BundledNib, nib: NibInspection)], _ tables: LocalizedTables
    ) {
        let complete = Set(nibs.compactMap { $0.file.isTranslated ? nil : $0.file.language })
        var texts: [String: NibInspection.Text] = [:]
        var paths: [String: String] = [:]
        for (file, nib) in base {
            for text in nib.texts(classes: classes) where texts[text.key] == nil {
                texts[text.key] = text
                paths[text.key] = file.path
            }
        }
        for language in tables.languages(with: name) {
            guard let table = tables.file(name, language), table.wasRead else { continue }
            if complete.contains(language) {
                findings.append(
                    table.finding(
                        .warning, .tableUnused, at: [], subject: name,
                        "The table is never read: the nib \(quoted(name)) in “\(language).lproj” has its texts itself.",
                        remedy: "Remove the table, or the nib of this language."))
                continue
            }
            guard !base.isEmpty else { continue }
            var listed = LintFindings()
            let entries = tables.entries(name, language)
            for key in entries.keys.sorted()
            where key.contains(".") && !base.contains(where: { $0.nib.hasObject(ofKey: key) }) {
                listed.add(
                    table.finding(
                        .warning, .staleTranslation, at: [key],
                        "The key \(quoted(key)) is of an object that the nib \(quoted(name)) does not have.",
                        remedy: "Remove the entry, or correct the id."))
            }
            for (key, text) in texts.sorted(by: { $0.key < $1.key }) where language != "Base" {
                check(key, text, paths[key] ?? "", in: table, entries, &listed)
            }
            findings += listed.all
        }
    }

    private func check(
        _ key: String, _ text: NibInspection.Text, _ path: String, in table: LintedFile,
        _ entries: [String: LocalizedTables.Entry], _ listed: inout LintFindings
    ) {
        let related = LintFinding.Related(
            filePath: path, place: LintFinding.Place(line: text.place.line, column: text.place.column),
            message: "This is the original text.")
        // Interface Builder and the attribute have two names for a tool tip.
        guard let entry = entries[key] ?? entries[text.id + "." + text.attribute] else {
            guard text.text.contains(where: \.isLetter) else { return }
            return listed.add(
                LintFinding(
                    .warning, .missingEntry, filePath: table.path, subject: key,
                    message: "The entry \(quoted(key)) for the text \(quoted(text.text)) of the nib is missing.",
                    remedy: "Translate it.", related: [related]))
        }
        guard entry.text == text.text, TranslationLint.wouldBeTranslated(text.text) else { return }
        listed.add(
            table.finding(
                .note, .untranslated, at: [key],
                "The text \(quoted(text.text)) is the same as in the nib.",
                remedy: "Translate it, unless it is the same in both languages.", related: [related]))
    }
}

extension LintFinding.Code {
    /// No list declares the classes of a nib, so only its document was checked.
    public static let nibClassesUnknown = Self(rawValue: "nibClassesUnknown")
    /// A table has a key of an object that its nib does not have.
    public static let staleTranslation = Self(rawValue: "staleTranslation")
    /// The nib of a language and that of Base differ in objects or connections.
    public static let nibLanguagesDiffer = Self(rawValue: "nibLanguagesDiffer")
    /// A strings table for a nib that is complete in the table's language.
    public static let tableUnused = Self(rawValue: "tableUnused")
}

/// The lines of a nib's file, to show them with findings.
struct NibLines {
    private let path: String
    private let lines: [Substring]
    /// Characters of a line around a place.
    private static let reach = 100

    init(path: String, bytes: [UInt8]?) {
        self.path = path
        let found =
            bytes
            ?? (try? OpenedFile(path: path).bytes(atMost: HostEnvironment.current.nibLimits.size)) ?? []
        lines = String(decoding: found, as: UTF8.self).split(
            omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    }

    static func located(_ findings: [PluginFinding], path: String, bytes: [UInt8]?) -> [LintFinding] {
        // A file that was refused may be anything: its lines are not shown.
        let lines = NibLines(path: path, bytes: [])
        return findings.map(lines.finding)
    }

    /// A finding about the nib, with its line.
    func finding(_ finding: PluginFinding) -> LintFinding {
        LintFinding(
            Self.severity(finding), LintFinding.Code(rawValue: finding.code.rawValue),
            filePath: finding.filePath ?? path,
            place: finding.place.map {
                LintFinding.Place(line: $0.line, column: $0.column, excerpt: excerpt($0))
            },
            subject: finding.subject, message: finding.message, remedy: finding.remedy,
            systemMessage: finding.systemMessage)
    }

    private static let notes: Set<PluginError.Code> = [
        .nibOutletUnused, .nibActionUnused, .nibActionUnanswered, .nibAttributeUndeclared, .nibLarge,
    ]

    private static func severity(_ finding: PluginFinding) -> LintFinding.Severity {
        if notes.contains(finding.code) { return .note }
        // At run time the attribute keeps its value; the author meant to ship the file.
        if finding.code == .nibResourceMissing { return .error }
        return finding.severity == .error ? .error : .warning
    }

    private func excerpt(_ place: PluginFinding.Place) -> LintFinding.Excerpt? {
        guard place.line <= lines.count else { return nil }
        let scalars = lines[place.line - 1].unicodeScalars
        let before = scalars.prefix(place.column - 1)
        let after = scalars.dropFirst(place.column - 1)
        return LintFinding.Excerpt(
            before: String(before.suffix(Self.reach)), after: String(after.prefix(Self.reach)),
            isCutBefore: before.count > Self.reach, isCutAfter: after.count > Self.reach)
    }
}
