internal import ELFImages
internal import HostBasics
@_spi(Tools) internal import NibReading
@_spi(Tools) internal import PluginHost
internal import PropertyLists

/// The faults in nibs, and the differences between languages in nibs and their tables.
struct NibLint {
    private let classes: NibInspection.Classes
    private let bundle: PluginBundle?
    private(set) var files: [String] = []
    private var firstRead: String?
    private(set) var findings: [LintFinding] = []
    /// The outlets and actions that the objects' classes declare, each with the first object that has it.
    private var declared: [(member: NibInspection.Member, nib: Int, place: PluginFinding.Place)] = []
    private var known: Set<NibInspection.Member> = []
    /// The nibs of ``declared``, with the bytes of those that are not files.
    private var nibs: [(path: String, bytes: [UInt8]?)] = []
    private var connected: Set<NibInspection.Member> = []
    /// The classes and elements that the application is assumed to have.
    private var assumed: Set<String> = []

    /// - Parameters:
    ///   - classes: those that the nibs may name. If there are none, only the files are checked.
    ///   - bundle: where the nibs' images and sounds are; nil for files outside of bundles.
    init(classes: NibInspection.Classes, bundle: PluginBundle?) {
        self.classes = classes
        self.bundle = bundle
    }

    // MARK: One nib

    /// Checks one file.
    ///
    /// - Returns: the nib; nil if it cannot be read, or holds more than the limits allow.
    @discardableResult
    mutating func check(path: String, bytes: [UInt8]? = nil) -> NibInspection? {
        files.append(path)
        let nib: NibInspection
        do throws(PluginError) {
            if let bytes {
                nib = try NibInspection(bytes, named: path, limits: HostEnvironment.current.nibLimits)
            } else {
                nib = try NibInspection(path: path, limits: HostEnvironment.current.nibLimits)
            }
        } catch {
            findings += error.findings.map { LintFinding($0, about: path) }
            return nil
        }
        if firstRead == nil { firstRead = path }
        let report = nib.report(classes: classes, in: bundle)
        let lines = NibLines(path: path, bytes: bytes)
        findings += (report.findings + report.notes).map(lines.finding)
        // Report each class or element once.
        for finding in report.unknownClasses where assumed.insert(finding.subject ?? "").inserted {
            var note = lines.finding(finding)
            note.severity = .note
            note.message += " The application may have it."
            note.remedy = "Name the application's list with --classes; or: \(note.remedy)"
            findings.append(note)
        }
        nibs.append((path, bytes))
        for (member, place) in report.declared where known.insert(member).inserted {
            declared.append((member, nibs.count - 1, place))
        }
        connected.formUnion(report.connected)
        return report.isRefused ? nil : nib
    }

    /// Adds a note for each outlet and action that no checked nib connects, and a note if no classes were known.
    mutating func finish() {
        let unused = declared.filter { !connected.contains($0.member) }.sorted {
            ($0.member.isAction ? 0 : 1, $0.member.name) < ($1.member.isAction ? 0 : 1, $1.member.name)
        }
        var listed = LintFindings()
        var known: [Int: NibLines] = [:]
        func lines(_ nib: Int) -> NibLines {
            let lines = known[nib] ?? NibLines(path: nibs[nib].path, bytes: nibs[nib].bytes)
            known[nib] = lines
            return lines
        }
        for (member, nib, place) in unused { listed.add(Self.unused(member, at: place, lines(nib))) }
        findings += listed.all
        guard classes.isEmpty, let path = firstRead else { return }
        findings.append(
            LintFinding(
                .note, .nibClassesUnknown, filePath: path,
                message:
                    "No NibClasses.plist declares the classes, so outlets, actions and attributes are not checked.",
                remedy:
                    "Write the list with “pluginhost load --write-nib-classes”, or name one with --classes."))
    }

    private static func unused(
        _ member: NibInspection.Member, at place: PluginFinding.Place, _ lines: NibLines
    ) -> LintFinding {
        let what = member.isAction ? "action" : "outlet"
        var finding = PluginFinding(
            .warning, member.isAction ? .nibActionUnused : .nibOutletUnused, subject: displayed(member.name),
            message:
                "\(quoted(member.className)) declares the \(what) \(quoted(member.name)), and no nib connects it.",
            remedy: "Connect it, or remove it from the class.")
        finding.place = place
        return lines.finding(finding)
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
        /// What the nibs of `base` have, by path.
        var shapes: [String: Set<String>] = [:]
        for (file, nib) in nibs where !file.isTranslated {
            guard let original = base.first(where: { $0.file.variant == file.variant }) else { continue }
            let theirs = shapes[original.file.path] ?? original.nib.shape
            shapes[original.file.path] = theirs
            let own = nib.shape
            let lacks = theirs.subtracting(own)
            let extra = own.subtracting(theirs)
            guard let first = lacks.min() ?? extra.min() else { continue }
            let more = lacks.count + extra.count - 1
            findings.append(
                LintFinding(
                    .warning, .nibLanguagesDiffer, filePath: file.path, subject: file.language,
                    message: "The nib \(lacks.isEmpty ? "has" : "lacks") \(displayed(first))"
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
            // A nib that cannot be read has already been reported.
            guard let read = try? nib.texts(classes: classes) else { continue }
            if !read.findings.isEmpty {
                let lines = NibLines(path: file.path, bytes: nil)
                findings += read.findings.map(lines.finding)
            }
            for text in read.texts where texts[text.key] == nil {
                texts[text.key] = text
                paths[text.key] = file.path
            }
        }
        let sorted = texts.sorted { $0.key < $1.key }
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
            for (key, text) in sorted where language != "Base" {
                check(key, text, paths[key] ?? "", in: table, entries, &listed)
            }
            findings += listed.all
        }
    }

    private func check(
        _ key: String, _ text: NibInspection.Text, _ path: String, in table: LintedFile,
        _ entries: [String: LocalizedTables.Entry], _ listed: inout LintFindings
    ) {
        var related: LintFinding.Related {
            LintFinding.Related(
                filePath: path, place: LintFinding.Place(line: text.place.line, column: text.place.column),
                message: "This is the original text.")
        }
        // For a tool tip, Interface Builder's key and the attribute have different names.
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
    /// The nib of a language and the nib in Base differ in objects or connections.
    public static let nibLanguagesDiffer = Self(rawValue: "nibLanguagesDiffer")
    /// A strings table for a nib that is complete in the table's language.
    public static let tableUnused = Self(rawValue: "tableUnused")
}

/// The lines of a nib's file, shown with findings.
///
/// **Cost.** One pass over the file. If findings come in order, one more pass over each line with findings, which
/// matters if the whole file is one line.
final class NibLines {
    private let path: String
    private let bytes: [UInt8]
    /// Where each line begins.
    private let starts: [Int]
    /// The last place looked up: a line, a column and its offset.
    private var last = (line: 0, column: 1, offset: 0)
    /// The number of characters to show on each side of a place.
    private static let reach = 100

    init(path: String, bytes: [UInt8]?) {
        self.path = path
        let found =
            bytes
            ?? (try? OpenedFile(path: path).bytes(atMost: HostEnvironment.current.nibLimits.size)) ?? []
        let text = found.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(found.dropFirst(3)) : found
        var starts = [0]
        // Count lines as the places of findings do: U+2028 does not end a line.
        for index in text.indices
        where text[index] == 0x0A || text[index] == 0x0D && !(index + 1 < text.count && text[index + 1] == 0x0A) {
            starts.append(index + 1)
        }
        self.bytes = text
        self.starts = starts
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
        // At run time this is mild, because the attribute keeps its value. But the author meant to ship the file.
        if finding.code == .nibResourceMissing { return .error }
        return finding.severity == .error ? .error : .warning
    }

    private func excerpt(_ place: PluginFinding.Place) -> LintFinding.Excerpt? {
        // Without the file's bytes there is no line to show.
        guard !bytes.isEmpty, (1...starts.count).contains(place.line) else { return nil }
        let start = starts[place.line - 1]
        var end = place.line < starts.count ? starts[place.line] : bytes.count
        while end > start, bytes[end - 1] == 0x0A || bytes[end - 1] == 0x0D { end -= 1 }
        if last.line != place.line || last.column > place.column { last = (place.line, 1, start) }
        while last.column < place.column, last.offset < end {
            last.offset = next(last.offset, end)
            last.column += 1
        }
        var first = last.offset
        for _ in 0..<Self.reach where first > start {
            first -= 1
            while first > start, isInside(first) { first -= 1 }
        }
        var after = last.offset
        for _ in 0..<Self.reach where after < end { after = next(after, end) }
        return LintFinding.Excerpt(
            before: String(decoding: bytes[first..<last.offset], as: UTF8.self),
            after: String(decoding: bytes[last.offset..<after], as: UTF8.self), isCutBefore: first > start,
            isCutAfter: after < end)
    }

    /// The offset of the next character.
    private func next(_ offset: Int, _ end: Int) -> Int {
        var next = offset + 1
        while next < end, isInside(next) { next += 1 }
        return next
    }

    /// Whether a byte continues a character.
    private func isInside(_ offset: Int) -> Bool { bytes[offset] & 0xC0 == 0x80 }
}
