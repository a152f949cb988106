import PropertyLists

/// Writes old-style lists and strings tables in the many ways that people use.
struct OldStyleWriter {
    private var random: SeededGenerator
    private(set) var text = ""

    init(_ random: SeededGenerator) { self.random = random }

    mutating func write(_ value: PropertyList) {
        switch value {
        case .string(let string): writeString(string)
        case .integer(let number): text += "<*I\(number)>"
        case .unsigned(let number): text += "<*I\(number)>"
        case .real(let number): text += "<*R\(number)>"
        case .boolean(let truth): text += truth ? "<*BY>" : "<*BN>"
        case .date, .uid: text += "<*D2001-02-03 04:05:06 +0000>"
        case .data(let bytes): text += "<" + bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() + ">"
        case .array(let values):
            text += "("
            for (number, value) in values.enumerated() {
                if number > 0 { text += "," }
                writeBlank()
                write(value)
            }
            text += ")"
        case .dictionary(let entries):
            text += "{"
            writeEntries(entries)
            text += "}"
        }
    }

    mutating func writeEntries(_ entries: [String: PropertyList]) {
        for (key, value) in entries.sorted(by: { $0.key < $1.key }) {
            writeBlank()
            writeString(key)
            if value == .string(key), random.oneIn(2) {
                text += ";"
                continue
            }
            writeBlank()
            text += "="
            writeBlank()
            write(value)
            writeBlank()
            text += ";"
        }
        writeBlank()
    }

    mutating func writeBlank() {
        switch random.below(12) {
        case 0: text += "\n"
        case 1: text += "/* \(random.pick(["a comment", "\" = \"", "*", "//", "é"])) */"
        case 2: text += "// \(random.pick(["note", "\"", "/*"]))\n"
        case 3: text += "\r\n"
        case 4: text += "\u{2028}"
        case 5...8: text += " "
        default: break
        }
    }

    mutating func writeString(_ string: String) {
        let isWord = !string.isEmpty && string.utf8.allSatisfy { 48...57 ~= $0 || 65...90 ~= $0 || 97...122 ~= $0 }
        if isWord, random.oneIn(2) {
            // The blank separates it from a comment: a slash may be part of a word.
            text += string + " "
            return
        }
        let quote: Unicode.Scalar = random.oneIn(6) ? "'" : "\""
        text.unicodeScalars.append(quote)
        for scalar in string.unicodeScalars {
            if scalar == quote || scalar == "\\" {
                text += "\\"
                text.unicodeScalars.append(scalar)
            } else if scalar == "\n", random.oneIn(2) {
                text += "\\n"
            } else if scalar.value >= 0x80, random.oneIn(4) {
                for unit in String(scalar).utf16 {
                    let digits = String(unit, radix: 16)
                    text += "\\U" + String(repeating: "0", count: 4 - digits.count) + digits
                }
            } else {
                text.unicodeScalars.append(scalar)
            }
        }
        text.unicodeScalars.append(quote)
    }
}
