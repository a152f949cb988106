import CStringsPass
import Foundation
import PluginHost

/// Measures localised strings, each beside the thing it is compared with, in the same process and in turn.
struct StringsMeasurements {
    /// One line of the report. Times are medians in nanoseconds.
    struct Line {
        let name: String
        let time: Double
        /// What it was compared with, and how long that took.
        let reference: String
        let referenceTime: Double
        /// The median of the ratios of each round.
        let ratio: Double
        /// What the ratio should not exceed.
        let target: Double
    }

    static let entryCount = 10_000

    /// - Parameter rounds: how often each pair is measured; at least 15 for a median worth its name.
    static func run(rounds: Int = 31) throws -> [Line] {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("strings-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        HostEnvironment.current.preferredLanguages = ["fr"]
        let measurements = StringsMeasurements(folder: folder.path, rounds: rounds)
        return try [
            measurements.firstString("UTF-8", .utf8), measurements.firstString("UTF-16", .utf16LittleEndian),
        ] + measurements.warmStrings() + [measurements.firstStringOfBundle()]
    }

    private let folder: String
    private let rounds: Int

    /// The text of a table as translators write it.
    private static func table(entries: Int) -> String {
        (0..<entries).map { number in
            let comment = number % 4 == 0 ? "/* The title of window \(number), shown in its frame. */\n" : ""
            let escape = number % 8 == 0 ? "\\n\\\"%@\\\"" : ""
            return
                "\(comment)\"window.title.number.\(number)\" = \"Le titre de la fenêtre numéro \(number)\(escape)\";\n"
        }.joined()
    }

    /// Makes a bundle with the same table for two languages in a directory of its own.
    private func bundle(_ name: String, _ text: String, _ encoding: String.Encoding = .utf8) throws -> String {
        let path = folder + "/\(name).bundle"
        var data = text.data(using: encoding)!
        if encoding == .utf16LittleEndian { data = Data([0xFF, 0xFE]) + data }
        for language in ["en", "fr"] {
            let resources = path + "/Contents/Resources/\(language).lproj"
            try FileManager.default.createDirectory(atPath: resources, withIntermediateDirectories: true)
            try data.write(to: URL(fileURLWithPath: resources + "/Localizable.strings"))
        }
        let identifier = "<key>CFBundleIdentifier</key><string>org.example.\(name)</string>"
        let list = "<plist version=\"1.0\"><dict>\(identifier)</dict></plist>"
        try Data(list.utf8).write(to: URL(fileURLWithPath: path + "/Contents/Info.plist"))
        return path
    }

    // MARK: What is measured

    /// From nothing to the first string of a large table; beside it one pass in C over the same bytes.
    private func firstString(_ name: String, _ encoding: String.Encoding) throws -> Line {
        let path = try bundle("large-\(name)", Self.table(entries: Self.entryCount), encoding)
        let file = path + "/Contents/Resources/fr.lproj/Localizable.strings"
        let bytes = try [UInt8](Data(contentsOf: URL(fileURLWithPath: file)))
        let key = "window.title.number.\(Self.entryCount / 2)"
        return compare(
            "first string of \(Self.entryCount) entries, \(name)", with: "one pass in C", target: 2,
            {
                let bundle = PluginBundle(path: path)!
                precondition(bundle.localizedString(forKey: key, value: nil, table: nil).hasPrefix("Le titre"))
            },
            {
                let entries = bytes.withUnsafeBytes { raw in
                    encoding == .utf8
                        ? strings_pass_utf8(raw.bindMemory(to: UInt8.self).baseAddress, raw.count)
                        : strings_pass_utf16(raw.bindMemory(to: UInt16.self).baseAddress, raw.count / 2)
                }
                precondition(entries == Self.entryCount)
            })
    }

    /// Strings that were asked for before, and keys that are not there; beside it a dictionary with the same entries.
    private func warmStrings() throws -> [Line] {
        let bundle = PluginBundle(path: try bundle("warm", Self.table(entries: Self.entryCount)))!
        let keys = (0..<1_000).map { "window.title.number.\($0 * 9)" }
        let missing = keys.map { $0 + "?" }
        var dictionary: [String: String] = [:]
        for number in 0..<Self.entryCount {
            let key = "window.title.number.\(number)"
            dictionary[key] = bundle.localizedString(forKey: key, value: nil, table: nil)
        }
        func line(_ name: String, _ keys: [String]) -> Line {
            compare(
                "\(keys.count) warm look-ups, \(name)", with: "a Swift dictionary", target: 1.1,
                {
                    var length = 0
                    for key in keys {
                        length &+= bundle.localizedString(forKey: key, value: nil, table: nil).utf8.count
                    }
                    precondition(length > 0)
                },
                {
                    var length = 0
                    for key in keys { length &+= (dictionary[key] ?? key).utf8.count }
                    precondition(length > 0)
                })
        }
        return [line("found", keys), line("not found", missing)]
    }

    /// Opening a bundle and asking for its first string, 60 in the table; beside it the same with Foundation's Bundle.
    private func firstStringOfBundle() throws -> Line {
        // Foundation keeps every bundle that it has seen: each round has its own.
        let paths = try (0..<rounds + 1).map { try bundle("small-\($0)", Self.table(entries: 60)) }
        var next = (ours: 0, theirs: 0)
        let key = "window.title.number.30"
        return compare(
            "open, first string of 60 entries", with: "Foundation's Bundle", target: 60.0 / 668,
            {
                let bundle = PluginBundle(path: paths[next.ours])!
                next.ours += 1
                precondition(bundle.localizedString(forKey: key, value: nil, table: nil).hasPrefix("Le titre"))
            },
            {
                let bundle = Bundle(path: paths[next.theirs])!
                next.theirs += 1
                // It takes the first directory, whatever the language; the table is the same.
                precondition(bundle.localizedString(forKey: key, value: nil, table: nil).hasPrefix("Le titre"))
            })
    }

    // MARK: Measuring

    private func compare(
        _ name: String, with reference: String, target: Double, _ body: () -> Void, _ other: () -> Void
    ) -> Line {
        // The first round fills caches and is not counted.
        var pairs: [(Double, Double)] = []
        for round in 0...rounds {
            let pair = (Self.time(body), Self.time(other))
            if round > 0 { pairs.append(pair) }
        }
        return Line(
            name: name, time: Self.median(pairs.map(\.0)), reference: reference,
            referenceTime: Self.median(pairs.map(\.1)), ratio: Self.median(pairs.map { $0 / $1 }), target: target)
    }

    private static func time(_ body: () -> Void) -> Double {
        let start = ContinuousClock.now
        body()
        let duration = start.duration(to: .now).components
        return Double(duration.seconds) * 1e9 + Double(duration.attoseconds) / 1e9
    }

    private static func median(_ values: [Double]) -> Double {
        values.sorted()[values.count / 2]
    }
}
