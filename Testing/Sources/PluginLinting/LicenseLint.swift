internal import HostBasics
@_spi(Tools) import PluginHost

/// The licence in Info.plist, as an expression of the SPDX specification (annex D, “License expressions”).
///
///     expression = term { ("AND" | "OR") term }
///     term       = "(" expression ")" | licence [ "+" ] [ "WITH" exception ]
///
/// “AND” before “OR” matters for the meaning, not for what is well-formed, so one level of the grammar is enough.
struct LicenseLint {
    /// Why a text is not a licence expression; the end of a sentence.
    struct Fault: Error, Equatable {
        let complaint: String
    }

    private var words: ArraySlice<Substring>

    /// Checks a text.
    static func check(_ text: String) throws(Fault) {
        // Far more than any licence; a deeply nested text is refused before it is read.
        guard text.utf8.count <= 1_000 else { throw Fault(complaint: "is longer than 1,000 bytes") }
        var lint = LicenseLint(words: words(of: text)[...])
        try lint.readExpression()
        if let rest = lint.words.first { throw Fault(complaint: "has \(quoted(rest)) where AND or OR is expected") }
    }

    /// The finding about the key `PHLicense`; nil if there is nothing to say.
    static func finding(about license: String?, path: String) -> PluginFinding? {
        let key = "PHLicense"
        guard let license else { return nil }
        do throws(Fault) {
            try check(license)
            return nil
        } catch {
            return PluginFinding(
                .warning, .manifestInvalid, filePath: path, subject: key,
                message: "The key \(key) is \(quoted(license)), which \(error.complaint).",
                remedy: "Write an SPDX expression, such as MIT or Apache-2.0 OR GPL-3.0-or-later: "
                    + "https://spdx.org/licenses lists the names. A licence of your own is LicenseRef-NAME.")
        }
    }

    private static func words(of text: String) -> [Substring] {
        var words: [Substring] = []
        for part in text.split(separator: " ") {
            var rest = part
            while let bracket = rest.firstIndex(where: { $0 == "(" || $0 == ")" }) {
                if bracket != rest.startIndex { words.append(rest[..<bracket]) }
                words.append(rest[bracket...bracket])
                rest = rest[rest.index(after: bracket)...]
            }
            if !rest.isEmpty { words.append(rest) }
        }
        return words
    }

    // The text has at most 1,000 bytes, and each level of brackets takes one.
    private mutating func readExpression() throws(Fault) {
        try readTerm()
        while let word = words.first?.uppercased(), word == "AND" || word == "OR" {
            words.removeFirst()
            try readTerm()
        }
    }

    private mutating func readTerm() throws(Fault) {
        guard let word = words.popFirst() else { throw Fault(complaint: "ends where a licence is expected") }
        if word == "(" {
            try readExpression()
            guard words.popFirst() == ")" else { throw Fault(complaint: "has a bracket that is not closed") }
            return
        }
        try Self.checkLicense(word)
        guard words.first?.uppercased() == "WITH" else { return }
        words.removeFirst()
        guard let exception = words.popFirst() else { throw Fault(complaint: "ends where an exception is expected") }
        guard LicenseNames.exceptions.contains(exception.lowercased()) || Self.isOwn(exception, "AdditionRef-") else {
            throw Fault(complaint: "has the exception \(quoted(exception)), which SPDX does not list")
        }
    }

    private static func checkLicense(_ word: Substring) throws(Fault) {
        let name = word.last == "+" ? word.dropLast() : word
        // A deprecated identifier may end in a plus sign: GPL-2.0+.
        let isKnown = [name, word].contains { LicenseNames.licenses.contains($0.lowercased()) }
        guard isKnown || isOwn(word, "LicenseRef-") else {
            throw Fault(complaint: "has \(quoted(word)), which SPDX does not list as a licence")
        }
    }

    /// Whether a name is one that an author may choose: letters, digits, hyphens and dots after a prefix, maybe after
    /// the name of a document.
    private static func isOwn(_ word: Substring, _ prefix: String) -> Bool {
        var name = word
        if name.hasPrefix("DocumentRef-"), let colon = name.firstIndex(of: ":") {
            name = name[name.index(after: colon)...]
        }
        guard name.hasPrefix(prefix), name.count > prefix.count else { return false }
        return name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == ".") }
    }
}
