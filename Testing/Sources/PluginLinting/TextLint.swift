@_spi(Tools) internal import PluginHost
internal import PropertyLists

/// The faults in the texts of one table, independent of other languages.
enum TextLint {
    static func findings(in file: LintedFile) -> [LintFinding] {
        guard file.type == .stringsTable else { return [] }
        var findings = LintFindings()
        // Few texts are formats, and sorting all of them takes longer than reading the file.
        let formats = file.dictionary.compactMap { key, value in value.string.map { (key: key, text: $0) } }
            .filter { $0.text.utf8.contains(UInt8(ascii: "%")) }
        for (key, text) in formats.sorted(by: { $0.key < $1.key }) { check(text, at: [key], of: file, &findings) }
        return findings.all
    }

    /// Adds the faults of one text.
    ///
    /// `variable`: for a text of plural rules, the argument of its variable. There, placeholders with and without a number
    /// may be mixed: those without continue from the variable's argument.
    static func check(
        _ text: String, at keys: [String], of file: LintedFile, variable: Int? = nil, _ findings: inout LintFindings
    ) {
        let arguments = FormatArguments(text, from: variable ?? 1)
        // Without a placeholder it may not be a format.
        guard !arguments.isEmpty, arguments.strayPercents == 0 || !isPredicate(text) else { return }
        if arguments.strayPercents > 0 {
            findings.add(
                file.finding(
                    .warning, .strayPercent, at: keys,
                    "The format \(quoted(text.shortened)) has a “%” that begins no placeholder.",
                    remedy: "Write “%%” for a percent sign."))
        }
        if arguments.isMixed, variable == nil {
            findings.add(
                file.finding(
                    .warning, .mixedPlaceholders, at: keys,
                    "The format \(quoted(text.shortened)) has placeholders with and without a number, "
                        + "whose order is undefined.",
                    remedy: "Number all of them, or none."))
        }
        for argument in arguments.conflicts {
            findings.add(
                file.finding(
                    .error, .placeholderMismatch, at: keys,
                    "The format \(quoted(text.shortened)) uses argument \(argument) as two different kinds.",
                    remedy: "Use one kind for each argument."))
        }
    }

    /// Whether a text is a row of a predicate editor: `%1$[is,is not]@` lists choices, which no format has.
    private static func isPredicate(_ text: String) -> Bool { text.contains(#/%(\d+\$)?\[[^\]]*\]@/#) }
}

extension String {
    /// The part of a text that a message shows.
    ///
    /// The end of a long text is not read.
    var shortened: String {
        guard let end = index(startIndex, offsetBy: 60, limitedBy: endIndex), end < endIndex else { return self }
        return self[..<end] + "…"
    }
}
