internal import PropertyLists

/// What is wrong with the texts of one table, whatever other languages say.
enum TextLint {
    static func findings(in file: LintedFile) -> [LintFinding] {
        guard file.type == .stringsTable else { return [] }
        return file.dictionary.sorted { $0.key < $1.key }.flatMap { key, value in
            value.string.map { findings(in: $0, at: [key], of: file) } ?? []
        }
    }

    /// What is wrong with one text.
    static func findings(in text: String, at keys: [String], of file: LintedFile) -> [LintFinding] {
        let arguments = FormatArguments(text)
        // Without a placeholder it need not be a format.
        guard !arguments.isEmpty else { return [] }
        var findings: [LintFinding] = []
        if arguments.strayPercents > 0 {
            findings.append(
                file.finding(
                    .warning, .strayPercent, at: keys,
                    "The format \(quoted(text.shortened)) has a “%” that begins no placeholder.",
                    remedy: "Write “%%” for a percent sign."))
        }
        if arguments.isMixed {
            findings.append(
                file.finding(
                    .warning, .mixedPlaceholders, at: keys,
                    "The format \(quoted(text.shortened)) has placeholders with and without a number, "
                        + "whose order is undefined.",
                    remedy: "Number all of them, or none."))
        }
        for argument in arguments.conflicts {
            findings.append(
                file.finding(
                    .error, .placeholderMismatch, at: keys,
                    "The format \(quoted(text.shortened)) takes argument \(argument) as two different kinds.",
                    remedy: "Use one kind for each argument."))
        }
        return findings
    }
}

extension String {
    /// As much of a text as a message shows.
    var shortened: String { count <= 60 ? self : prefix(60) + "…" }
}
