import PluginLinting

/// The rules for every file that is linted.
struct LintChecks {
    private let bytes: UnsafeRawBufferPointer
    private let type: BundleLinter.FileType

    init(bytes: UnsafeRawBufferPointer, random: inout SeededGenerator) {
        self.bytes = bytes
        // Mostly with the type that it was made for, but any file may have any type.
        type = random.oneIn(8) ? random.pick([.propertyList, .stringsTable]) : .pluralRules
    }

    func run() throws(Violation) {
        let report = BundleLinter().lint(Array(bytes), as: type, named: "-")
        for finding in report.findings {
            try check(finding.message)
            if let place = finding.place { try check(place) }
            for related in finding.related {
                try check(related.message)
                if let place = related.place { try check(place) }
            }
        }
    }

    private func check(_ place: LintFinding.Place) throws(Violation) {
        if let byte = place.byte {
            guard (0...bytes.count).contains(byte), place.line == nil else {
                throw Violation("a place is outside: \(place)")
            }
            return
        }
        guard let line = place.line, let column = place.column, let excerpt = place.excerpt, line >= 1, column >= 1,
            line + column <= bytes.count + 2
        else { throw Violation("a place is outside, or without its line: \(place)") }
        let text = excerpt.before + excerpt.after
        guard !text.unicodeScalars.contains(where: { $0 == "\n" || $0 == "\r" }), text.utf8.count <= 3 * 800 else {
            throw Violation("an excerpt is more than a line: \(text.debugDescription)")
        }
        guard excerpt.isCutBefore || excerpt.before.unicodeScalars.count == column - 1 else {
            throw Violation("column \(column) is not that of the excerpt \(excerpt.before.debugDescription)")
        }
    }

    private func check(_ message: String) throws(Violation) {
        let isPrintable = message.unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x7F..<0xA0).contains($0.value) }
        guard isPrintable, !message.isEmpty else {
            throw Violation("a message may not be printed: \(message.debugDescription)")
        }
    }
}
