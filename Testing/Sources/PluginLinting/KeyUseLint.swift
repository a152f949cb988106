@_spi(Tools) internal import BundleReading
internal import ELFImages
import Glibc
internal import HostBasics
@_spi(Tools) internal import PluginHost
internal import PropertyLists

/// Reports keys that no source mentions, and keys that sources use and no table has.
///
/// **Cost.** Each file is read once. A key that no source mentions is searched for in the other files, including the
/// executable, unless a part of it is in none of them.
struct KeyUseLint {
    private let tables: LocalizedTables
    private let infoList: LintedFile?
    private let executable: String?
    private(set) var findings: [LintFinding] = []
    /// The sources that were read.
    private(set) var files: [String] = []
    private var mentioned = KeyUses()
    /// The content of files that are not sources: templates, interface files, the executable.
    private var others: [[UInt8]] = []
    private var parts = ByteParts()

    private static let largestExecutable = 256 << 20

    init(_ tables: LocalizedTables, infoList: LintedFile?, executable: String?) {
        self.tables = tables
        self.infoList = infoList
        self.executable = executable
    }

    mutating func run(sources: [String]) {
        let sources = SourceFiles(sources)
        findings += sources.findings
        for path in sources.paths { readFile(path) }
        if let executable, let bytes = SourceFiles.bytes(executable, atMost: Self.largestExecutable) {
            add(other: bytes)
        }
        if let infoList { gatherTexts(of: .dictionary(infoList.dictionary)) }
        findUnused()
    }

    // MARK: Reading

    private mutating func readFile(_ path: String) {
        // Skip the tables: they mention every key.
        guard BundleLinter.FileType(path: path) == nil, let bytes = SourceFiles.bytes(path) else { return }
        files.append(path)
        guard let isSwift = SourceFiles.isSwift(path) else { return add(other: bytes) }
        let uses = KeyUses(SourceTokens(bytes, isSwift: isSwift))
        mentioned.addTexts(of: uses)
        let undefined = uses.calls.filter { !isDefined($0) }
        guard !undefined.isEmpty else { return }
        let source = bytes.withUnsafeBufferPointer { SourceText($0) }
        var found = LintFindings()
        for call in undefined { found.add(Self.undefined(call, in: path, source)) }
        findings += found.all
    }

    private mutating func add(other bytes: [UInt8]) {
        others.append(bytes)
        parts.add(bytes)
    }

    private static func undefined(_ call: KeyUses.Call, in path: String, _ source: SourceText) -> LintFinding {
        let (position, excerpt) = source.place(at: call.offset)
        let table = call.table.map { "table \(quoted($0))" } ?? "table"
        return LintFinding(
            .warning, .undefinedKey, filePath: path, place: LintFinding.Place(position, excerpt), subject: call.key,
            message: "The key \(quoted(call.key.shortened)) is in no \(table) of the bundle.",
            remedy: "Add it to the tables, or correct it here.")
    }

    private func isDefined(_ call: KeyUses.Call) -> Bool {
        let names = call.table.map { [$0] } ?? tables.names
        return names.contains { table in
            tables.global[table]?.dictionary[call.key] != nil
                || tables.languages(with: table).contains { tables.entries(table, $0)[call.key] != nil }
        }
    }

    /// Adds the texts in Info.plist: it declares names that the table Providers translates.
    private mutating func gatherTexts(of value: PropertyList) {
        switch value {
        case .string(let text): mentioned.add(text: text)
        case .array(let values): for value in values { gatherTexts(of: value) }
        case .dictionary(let entries): for value in entries.values { gatherTexts(of: value) }
        default: break
        }
    }

    // MARK: Unused keys

    private mutating func findUnused() {
        for table in tables.names where table != LocalizedTables.infoTable {
            var reported: Set<String> = []
            var found = LintFindings()
            for language in tables.languages(with: table) {
                for (key, entry) in tables.entries(table, language).sorted(by: { $0.key < $1.key })
                where !isUsed(key) && reported.insert(key).inserted {
                    found.add(
                        entry.file.finding(
                            .note, .unusedKey, at: [key],
                            "The key \(quoted(key.shortened)) is in no source and not in the executable.",
                            remedy:
                                "Remove it from the table \(quoted(table)), unless the code builds the key at run time."
                        ))
                }
            }
            findings += found.all
        }
    }

    private func isUsed(_ key: String) -> Bool {
        if mentioned.mention(key) { return true }
        let bytes = Array(key.utf8)
        // In a template or in a program nearly every short word appears somewhere.
        guard bytes.count >= ByteParts.length, parts.mayContain(bytes) else { return false }
        return others.contains { $0.holds(bytes) }
    }
}

extension [UInt8] {
    /// Whether these bytes contain others, which must not be empty.
    fileprivate func holds(_ part: [UInt8]) -> Bool {
        withUnsafeBytes { all in
            var rest = all
            while rest.count >= part.count, let start = memchr(rest.baseAddress!, Int32(part[0]), rest.count) {
                rest = UnsafeRawBufferPointer(rebasing: rest[(UnsafeRawPointer(start) - rest.baseAddress!)...])
                guard rest.count >= part.count else { return false }
                if memcmp(rest.baseAddress!, part, part.count) == 0 { return true }
                rest = UnsafeRawBufferPointer(rebasing: rest[1...])
            }
            return false
        }
    }
}
