internal import HostBasics
@_spi(Tools) internal import PluginHost
internal import PropertyLists

/// The faults in the texts of one table, independent of other languages.
enum TextLint {
    static func findings(in file: LintedFile) -> [LintFinding] {
        guard file.type == .stringsTable else { return [] }
        var findings = LintFindings()
        let texts = file.dictionary.compactMap { key, value in value.string.map { (key: key, text: $0) } }
        // Few texts have such a character, and sorting all of them takes longer than reading the file.
        let misread = texts.filter { $0.text.misreadCharacter != nil }
        for (key, text) in misread.sorted(by: { $0.key < $1.key }) {
            checkCharacters(text, at: [key], of: file, &findings)
        }
        // Few texts are formats, either.
        let formats = texts.filter { $0.text.utf8.contains(UInt8(ascii: "%")) }
        for (key, text) in formats.sorted(by: { $0.key < $1.key }) { check(text, at: [key], of: file, &findings) }
        return findings.all
    }

    /// Adds the faults of one text.
    ///
    /// `variable`: for a text of plural rules, the argument of its variable. There, placeholders with and without a
    /// number may be mixed: those without continue from the variable's argument.
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

    /// Reports a character that belongs in no text and that a wrong encoding left behind.
    private static func checkCharacters(
        _ text: String, at keys: [String], of file: LintedFile, _ findings: inout LintFindings
    ) {
        guard let character = text.misreadCharacter else { return }
        let digits = String(character.value, radix: 16, uppercase: true)
        let name = "U+" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
        findings.add(
            file.finding(
                .warning, .controlCharacter, at: keys,
                character.value == 0
                    ? "The text has the character \(name) (NUL), at which C functions end it."
                    : "The text has the control character \(name); such a text was in Windows-1252, and was read as Latin-1.",
                remedy: character.value == 0 ? "Remove it." : "Write the character that was meant."))
    }

    /// Whether a text is a row of a predicate editor: `%1$[is,is not]@` lists choices, which do not exist in formats.
    private static func isPredicate(_ text: String) -> Bool { text.contains(#/%(\d+\$)?\[[^\]]*\]@/#) }
}

extension String {
    /// The first character that is NUL, or a control character of Latin-1 where Windows-1252 has letters and
    /// punctuation; nil if there is none.
    ///
    /// **Cost.** One pass over the bytes.
    fileprivate var misreadCharacter: Unicode.Scalar? {
        var text = self
        return text.withUTF8 { bytes in
            for (index, byte) in bytes.enumerated() {
                if byte == 0 { return "\0" }
                // U+0080 to U+009F.
                if byte == 0xC2, bytes[index + 1] < 0xA0 { return Unicode.Scalar(bytes[index + 1]) }
            }
            return nil
        }
    }

    /// The part of a text that a message shows.
    ///
    /// The end of a long text is not read.
    var shortened: String {
        guard let end = index(startIndex, offsetBy: 60, limitedBy: endIndex), end < endIndex else { return self }
        return self[..<end] + "…"
    }
}
