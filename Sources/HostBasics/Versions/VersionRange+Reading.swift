extension VersionRange {
    /// A fault in the text of a range.
    public struct Fault: Error, Sendable, Hashable, CustomStringConvertible {
        /// Where the fault begins, in characters from 1; 0 for the text as a whole.
        public let position: Int
        /// The fault, as a part of a sentence: `“1.x” is not a version`.
        public let reason: String

        /// The position and the fault, as a part of a sentence: `at character 3, “1.x” is not a version`.
        public var description: String { position == 0 ? reason : "at character \(position), \(reason)" }
    }

    /// The maximum length of a range in bytes.
    package static let longest = 1024

    /// - Parameter text: the range, with at most 1,024 bytes; blanks are allowed everywhere except inside versions.
    /// - Throws: ``Fault``, also for conditions that no version can meet.
    public init(_ text: String) throws(Fault) {
        guard text.utf8.count <= Self.longest else {
            throw Fault(position: 0, reason: "the range has more than \(Self.longest) bytes")
        }
        var reader = Reader(text)
        let intervals = try reader.alternatives()
        self.init(description: reader.trimmedText, intervals: intervals)
    }

    /// Reads a range from left to right.
    private struct Reader {
        private let characters: [Character]
        private var position = 0

        init(_ text: String) { characters = Array(text) }

        var trimmedText: String {
            let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" }
            let start = characters.firstIndex { !isBlank($0) } ?? 0
            return String(characters[start...(characters.lastIndex { !isBlank($0) } ?? start)])
        }

        mutating func alternatives() throws(Fault) -> [Interval] {
            skipBlanks()
            guard position < characters.count else { throw Fault(position: 0, reason: "the range is empty") }
            var intervals: [Interval] = []
            repeat { intervals.append(try conditions()) } while skip("||")
            return intervals
        }

        /// Conditions that must all be met, up to `||` or the end.
        private mutating func conditions() throws(Fault) -> Interval {
            skipBlanks()
            let start = position
            var end = position
            var result: Interval?
            while position < characters.count, !isNext("||") {
                let condition = try condition()
                result = result?.intersection(condition) ?? condition
                end = position
                skipBlanks()
                if skip(",") {
                    skipBlanks()
                    if position == characters.count || isNext("||") {
                        throw fault(at: end, "nothing follows “,”")
                    }
                }
            }
            guard let result else { throw fault(at: start, "an alternative next to “||” is missing") }
            if result.isEmpty { throw fault(at: start, "no version is in \(shown(characters[start..<end]))") }
            return result
        }

        private mutating func condition() throws(Fault) -> Interval {
            if skip("*") { return .all }
            let start = position
            let sign = take { "<>=!^~&|".contains($0) }
            skipBlanks()
            if sign.isEmpty { return try versionOrSpan() }
            let place = position
            guard position < characters.count, !isNext("||"), characters[position] != "," else {
                throw fault(at: start, "no version follows \(shown(sign))")
            }
            guard Self.signs.contains(sign) else {
                throw fault(
                    at: start, "\(shown(sign)) is not an operator (use >=, >, <=, <, =, ^ or ~)")
            }
            let version = try version()
            guard let interval = Self.interval(sign, version) else {
                throw fault(at: place, "nothing can be above \(quoted(version.description))")
            }
            return interval
        }

        /// `1.2`, `1.2...1.9` or `1.2..<1.9`.
        private mutating func versionOrSpan() throws(Fault) -> Interval {
            let start = position
            let lower = try version()
            let end = position
            skipBlanks()
            let isClosed = skip("...")
            guard isClosed || skip("..<") else {
                position = end
                guard let interval = Self.interval("^", lower) else {
                    throw fault(at: start, "nothing can be above \(quoted(lower.description))")
                }
                return interval
            }
            skipBlanks()
            let upper = try version()
            let span = Interval(lower: .before(lower), upper: isClosed ? .after(upper) : .beforePrereleases(upper))
            guard !span.isEmpty else { throw fault(at: start, "\(lower) is not below \(upper)") }
            return span
        }

        private mutating func version() throws(Fault) -> PluginVersion {
            let start = position
            while position < characters.count, !isNext(".."), !" \t,|<>=^~".contains(characters[position]) {
                position += 1
            }
            let text = String(characters[start..<position])
            if let version = PluginVersion(text) { return version }
            if text.isEmpty {
                let found = position < characters.count ? quoted(String(characters[position])) : "the end"
                throw fault(at: start, "found \(found) where a version is expected")
            }
            let stem = text.dropLast(2)
            let isWildcard = (text.hasSuffix(".*") || text.hasSuffix(".x")) && PluginVersion(String(stem)) != nil
            throw fault(
                at: start, shown(text) + " is not a version" + (isWildcard ? "; write \(quoted("~" + stem))" : ""))
        }

        // MARK: Meaning

        private static let signs: Set = [">=", ">", "<=", "<", "=", "^", "~"]

        /// The meaning of a sign before a version; nil if a number would become too large.
        private static func interval(_ sign: String, _ version: PluginVersion) -> Interval? {
            switch sign {
            case ">=": return Interval(lower: .before(version), upper: nil)
            case ">": return Interval(lower: .after(version), upper: nil)
            case "<": return Interval(lower: .start, upper: .beforePrereleases(version))
            case "<=": return Interval(lower: .start, upper: .after(version))
            case "=": return Interval(lower: .before(version), upper: .after(version))
            default: break
            }
            // As written: 0.0 is different from 0 here.
            let written = version.description.prefix { $0 != "-" && $0 != "+" }.split(separator: ".").compactMap {
                Int($0)
            }
            let last = sign == "~" ? min(1, written.count - 1) : written.firstIndex { $0 != 0 } ?? written.count - 1
            let (next, isTooLarge) = written[last].addingReportingOverflow(1)
            guard !isTooLarge else { return nil }
            let numbers = written[..<last] + [next]
            let upper = PluginVersion(
                description: numbers.map(String.init).joined(separator: "."), numbers: Array(numbers), prerelease: [])
            return Interval(lower: .before(version), upper: .beforePrereleases(upper))
        }

        // MARK: Characters

        private mutating func skipBlanks() { _ = take { $0 == " " || $0 == "\t" } }

        private mutating func take(while condition: (Character) -> Bool) -> String {
            let start = position
            while position < characters.count, condition(characters[position]) {
                // `||` is always a separate sign, even without a blank before it.
                if isNext("||") { break }
                position += 1
            }
            return String(characters[start..<position])
        }

        private func isNext(_ text: String) -> Bool { characters[position...].starts(with: text) }

        private mutating func skip(_ text: String) -> Bool {
            guard isNext(text) else { return false }
            position += text.count
            return true
        }

        private func fault(at position: Int, _ reason: String) -> Fault {
            Fault(position: position + 1, reason: reason)
        }

        /// In quotation marks, and shortened to a readable length.
        private func shown(_ characters: some Collection<Character>) -> String {
            quoted(characters.count > 40 ? String(characters.prefix(40)) + "…" : String(characters))
        }
    }
}
