import Glibc
@_spi(Tools) internal import PluginHost
internal import PropertyLists

/// Reports keys that no source mentions, and keys that sources use and no table has.
///
/// **Cost.** Each source is read once. A key that is in no source is looked for in each other file, including the
/// executable: the time grows with the number of such keys times the size of these files.
struct KeyUseLint {
    private let tables: LocalizedTables
    private let infoList: LintedFile?
    private let executable: String?
    private(set) var findings: [LintFinding] = []
    /// The sources that were read.
    private(set) var files: [String] = []
    private var texts: Set<String> = []
    private var patterns: [(start: String, end: String)] = []
    /// The content of files that are not sources: templates, interface files, the executable.
    private var others: [[UInt8]] = []

    private static let swift: Set = ["swift"]
    private static let cFamily: Set = ["c", "cc", "cpp", "cxx", "h", "hh", "hpp", "m", "mm"]
    /// A larger file is not a source.
    private static let largest = 4 << 20
    private static let largestExecutable = 256 << 20
    private static let mostFiles = 50_000
    private static let deepest = 32

    init(_ tables: LocalizedTables, infoList: LintedFile?, executable: String?) {
        self.tables = tables
        self.infoList = infoList
        self.executable = executable
    }

    mutating func run(sources: [String]) {
        for source in sources { read(source) }
        if let executable, let bytes = Self.bytes(executable, Self.largestExecutable) { others.append(bytes) }
        if let infoList { gatherTexts(of: .dictionary(infoList.dictionary)) }
        findUnused()
    }

    // MARK: Reading

    private mutating func read(_ source: String) {
        let path = Path.normalized(source) ?? source
        guard let identity = FileIdentity(path: path) else {
            findings.append(
                LintFinding(
                    .error, .unreadable, filePath: path, message: "There are no sources at \(quoted(path)).",
                    remedy: "Check the path."))
            return
        }
        guard identity.isDirectory else { return readFile(path) }
        var waiting = [(path: path, depth: 0)]
        while let (directory, depth) = waiting.popLast() {
            let listing = DirectoryListing(path: directory)
            if let errno = listing.failure { findings.append(.unreadable(directory: directory, errno)) }
            for (name, kind) in listing.names.sorted(by: { $0.key > $1.key })
            where !name.hasPrefix(".") {
                guard files.count < Self.mostFiles, depth < Self.deepest else {
                    findings.append(
                        LintFinding(
                            .warning, .tooManyFiles, filePath: directory,
                            message:
                                "The sources in \(quoted(directory)) are not all read: there are more than \(Self.mostFiles), "
                                + "or they are \(Self.deepest) directories deep.",
                            remedy: "Name the directories with the bundle's own sources."))
                    return
                }
                let child = Path.join(directory, name)
                if kind == .directory {
                    waiting.append((child, depth + 1))
                } else {
                    readFile(child)
                }
            }
        }
    }

    private mutating func readFile(_ path: String) {
        // The tables themselves mention every key.
        guard BundleLinter.FileType(path: path) == nil, let bytes = Self.bytes(path, Self.largest) else { return }
        files.append(path)
        let type = path.lastIndex(of: ".").map { String(path[path.index(after: $0)...]) } ?? ""
        guard Self.swift.contains(type) || Self.cFamily.contains(type) else { return others.append(bytes) }
        let uses = KeyUses(SourceTokens(bytes, isSwift: Self.swift.contains(type)))
        texts.formUnion(uses.texts)
        patterns += uses.patterns
        let undefined = uses.calls.filter { !isDefined($0) }
        guard !undefined.isEmpty else { return }
        let source = bytes.withUnsafeBufferPointer { SourceText($0) }
        var found = LintFindings()
        for call in undefined { found.add(Self.undefined(call, in: path, source)) }
        findings += found.all
    }

    private static func undefined(_ call: KeyUses.Call, in path: String, _ source: SourceText) -> LintFinding {
        let (position, excerpt) = source.place(at: call.offset)
        let table = call.table.map { "table \(quoted($0))" } ?? "table"
        return LintFinding(
            .warning, .undefinedKey, filePath: path, place: LintFinding.Place(position, excerpt), subject: call.key,
            message: "The key \(quoted(call.key.shortened)) is in no \(table) of the bundle.",
            remedy: "Add it to the tables, or correct it here.")
    }

    private static func bytes(_ path: String, _ limit: Int) -> [UInt8]? {
        guard let file = try? OpenedFile(path: path), file.identity.size <= UInt64(limit) else { return nil }
        return try? file.bytes(atMost: limit)
    }

    private func isDefined(_ call: KeyUses.Call) -> Bool {
        let names = call.table.map { [$0] } ?? tables.names
        return names.contains { table in
            tables.global[table]?.dictionary[call.key] != nil
                || tables.languages(with: table).contains { tables.entries(table, $0)[call.key] != nil }
        }
    }

    /// Info.plist names what the plug-in offers, and the table Providers translates the names.
    private mutating func gatherTexts(of value: PropertyList) {
        switch value {
        case .string(let text): texts.insert(text)
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
        if texts.contains(key) { return true }
        if patterns.contains(where: {
            key.count >= $0.start.count + $0.end.count && key.hasPrefix($0.start) && key.hasSuffix($0.end)
        }) {
            return true
        }
        let bytes = Array(key.utf8)
        // In a template or in a program nearly every short word appears somewhere.
        guard bytes.count >= 4 else { return false }
        return others.contains { $0.holds(bytes) }
    }
}

extension [UInt8] {
    /// Whether other bytes, at least one, are somewhere in these.
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
