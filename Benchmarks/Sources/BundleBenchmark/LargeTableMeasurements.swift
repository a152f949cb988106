import CStringsPass
import Foundation
import Measuring
import PluginHost
import PropertyLists

/// The first string of a table of 10,000 entries, compared with one pass in C over the same bytes; and repeated strings of
/// it, compared with a Swift dictionary.
enum LargeTableMeasurements {
    private static let entryCount = 10_000
    private static let rounds = 7

    static func run(_ bundles: Bundles, _ number: Int) throws -> [Figure] {
        let folder = bundles.folder.appending(path: "large-\(getpid())")
        defer { try? FileManager.default.removeItem(at: folder) }
        let key = "window.title.number.\(entryCount / 2)"
        return try [("UTF-8", String.Encoding.utf8), ("UTF-16", .utf16LittleEndian)].flatMap { name, encoding in
            var times: [(ours: Double, passes: Double)] = []
            // A bundle of its own for each round, because an object that is held keeps its tables.
            for round in 0...rounds {
                let (path, bytes) = try make(folder.appending(path: "\(name)-\(round).bundle"), encoding)
                let ours = nanoseconds([path], passes: 1) { path in
                    let bundle = PluginBundle(path: path)!
                    precondition(bundle.localizedString(forKey: key, value: nil, table: nil).hasPrefix("Le titre"))
                }
                let passes = nanoseconds([bytes], passes: 1) { precondition(pass($0, encoding) == entryCount) }
                // The first round does the work that a process needs once.
                if round > 0 { times.append((ours, passes)) }
            }
            let ratios = times.map { $0.ours / $0.passes }.sorted()
            let ours = times.map(\.ours).sorted()
            return [
                Figure("open + first string of \(entryCount), \(name)", ours[ours.count / 2] / 1000, "us"),
                Figure("the same, to one pass in C", ratios[ratios.count / 2], goal: 2),
            ]
        } + compiled(folder, key) + warm(folder)
    }

    /// The first string of a compiled table, compared with one pass in C over the bytes of the text.
    ///
    /// The bundle is open and its folders are known, as they are for a peer that opens a file by its path.
    private static func compiled(_ folder: URL, _ key: String) throws -> [Figure] {
        // All of them first: making one leaves nothing of the library in the processor's caches.
        let made = try (0...rounds).map { round in
            try make(folder.appending(path: "compiled-\(round).bundle"), .utf8, isCompiled: true)
        }
        var times: [(ours: Double, passes: Double)] = []
        for (round, (path, bytes)) in made.enumerated() {
            let bundle = PluginBundle(path: path)!
            precondition(bundle.path(forResource: "none", ofType: "strings") == nil)
            let ours = nanoseconds([key], passes: 1) { key in
                precondition(bundle.localizedString(forKey: key, value: nil, table: nil).hasPrefix("Le titre"))
            }
            let passes = nanoseconds([bytes], passes: 1) { precondition(pass($0, .utf8) == entryCount) }
            if round > 0 { times.append((ours, passes)) }
        }
        let ratios = times.map { $0.ours / $0.passes }.sorted()
        let ours = times.map(\.ours).sorted()
        return [
            Figure("first string of \(entryCount), compiled, in an open bundle", ours[ours.count / 2] / 1000, "us"),
            Figure("the same, to one pass in C", ratios[ratios.count / 2], goal: 0.06),
        ]
    }

    private static func warm(_ folder: URL) throws -> [Figure] {
        let bundle = PluginBundle(path: try make(folder.appending(path: "warm.bundle"), .utf8).path)!
        var dictionary: [String: String] = [:]
        for number in 0..<entryCount {
            let key = "window.title.number.\(number)"
            dictionary[key] = bundle.localizedString(forKey: key, value: nil, table: nil)
        }
        let hits = (0..<1_000).map { "window.title.number.\($0 * 9)" }
        let misses = hits.map { $0 + "?" }
        func ratio(_ keys: [String]) -> Double {
            let known = nanoseconds(keys) { use(dictionary[$0] ?? $0) }
            return nanoseconds(keys) { use(bundle.localizedString(forKey: $0, value: nil, table: nil)) } / known
        }
        return [
            Figure("string of \(entryCount), warm, hit, to a Swift dictionary", ratio(hits), goal: 1.1),
            Figure("string of \(entryCount), warm, miss, to a Swift dictionary", ratio(misses), goal: 1.1),
        ]
    }

    private static func pass(_ bytes: [UInt8], _ encoding: String.Encoding) -> Int {
        bytes.withUnsafeBytes { raw in
            encoding == .utf8
                ? strings_pass_utf8(raw.bindMemory(to: UInt8.self).baseAddress, raw.count)
                : strings_pass_utf16(raw.bindMemory(to: UInt16.self).baseAddress, raw.count / 2)
        }
    }

    /// Makes a bundle whose French table has the entries as translators write them.
    private static func make(
        _ bundle: URL, _ encoding: String.Encoding, isCompiled: Bool = false
    ) throws -> (path: String, table: [UInt8]) {
        let text = (0..<entryCount).map { number in
            let comment = number % 4 == 0 ? "/* The title of window \(number), shown in its frame. */\n" : ""
            let escape = number % 8 == 0 ? "\\n\\\"%@\\\"" : ""
            let value = "Le titre de la fenêtre numéro \(number)\(escape)"
            return "\(comment)\"window.title.number.\(number)\" = \"\(value)\";\n"
        }.joined()
        let mark: [UInt8] = encoding == .utf8 ? [] : [0xFF, 0xFE]
        let table = mark + text.data(using: encoding)!
        let directory = bundle.appending(path: "Contents/Resources/fr.lproj")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        let strings = directory.appending(path: "Localizable.strings")
        try Data(table).write(to: strings)
        if isCompiled {
            // The text gets the time that the compiled table states, as the packer sets it.
            let times = [timespec](repeating: timespec(tv_sec: 315_532_800, tv_nsec: 0), count: 2)
            utimensat(AT_FDCWD, strings.path, times, 0)
            let compiled = CompiledStrings.compile(table, modified: 315_532_800_000_000_000)!
            try Data(compiled).write(to: directory.appending(path: "Localizable.compiled-strings"))
        }
        let list = "<plist version=\"1.0\"><dict><key>CFBundleName</key><string>Large</string></dict></plist>"
        try Data(list.utf8).write(to: bundle.appending(path: "Contents/Info.plist"))
        return (bundle.path, table)
    }
}
