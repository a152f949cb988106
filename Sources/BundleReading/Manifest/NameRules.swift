import Glibc
import HostBasics

/// The rules for the identifier, the names and the versions of a bundle.
///
/// Nothing is trimmed or repaired: otherwise two readers could see two identifiers.
package enum NameRules {
    /// The longest identifier, in bytes; files are named after it.
    static let longestIdentifier = 255

    /// What makes an identifier unusable, and what to do; nil if it is usable.
    ///
    /// **Cost.** One pass over the bytes.
    package static func fault(ofIdentifier text: String) -> (complaint: String, remedy: String)? {
        var text = text
        let isUsual = text.withUTF8 { bytes in
            bytes.count <= longestIdentifier && bytes.allSatisfy(isPlain) && !hasEmptyPart(bytes)
        }
        return isUsual ? nil : describedFault(ofIdentifier: text)
    }

    /// Letters, digits, hyphens and dots: all that Apple allows.
    private static func isPlain(_ byte: UInt8) -> Bool {
        (byte | 0x20) &- UInt8(ascii: "a") < 26 || byte.isDigit || byte == UInt8(ascii: "-")
            || byte == UInt8(ascii: ".")
    }

    private static func hasEmptyPart(_ bytes: some Sequence<UInt8>) -> Bool {
        var last = UInt8(ascii: ".")
        for byte in bytes {
            if byte == UInt8(ascii: "."), last == UInt8(ascii: ".") { return true }
            last = byte
        }
        return last == UInt8(ascii: ".")
    }

    @inline(never)
    private static func describedFault(ofIdentifier text: String) -> (complaint: String, remedy: String)? {
        let remedy = "Write an identifier of letters, digits, hyphens and dots, such as org.example.Name."
        if let variable = text.unexpandedVariable {
            let what = text == variable ? "which the build did not expand" : "in which the build did not expand"
            let name = text == variable ? "" : " \(quoted(shortened(variable)))"
            return (
                "is \(quoted(shortened(text))), \(what)\(name)",
                "Write the identifier itself, such as org.example.Name, or let the build expand the variable."
            )
        }
        guard text.utf8.count <= longestIdentifier else {
            return ("has \(text.utf8.count) bytes; the limit is \(longestIdentifier)", remedy)
        }
        let scalars = text.unicodeScalars
        let what: String? =
            if scalars.contains(where: isBlank) {
                "a blank"
            } else if scalars.contains(where: { $0.properties.generalCategory == .control }) {
                "a control character"
            } else if scalars.contains("/") {
                "a slash"
            } else if hasEmptyPart(text.utf8) {
                "an empty part"
            } else {
                nil
            }
        return what.map { ("is \(quoted(text)), which has \($0)", remedy) }
    }

    /// Whether a character is a blank of any kind, a line break, or an invisible character that often surrounds copied
    /// text.
    static func isBlank(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isWhitespace || scalar == "\u{200B}" || scalar == "\u{FEFF}"
    }

    /// The first character that Apple does not allow in an identifier, nil if there is none.
    ///
    /// Source: Apple, Information Property List, CFBundleIdentifier.
    package static func unusualCharacter(inIdentifier text: String) -> Unicode.Scalar? {
        text.unicodeScalars.first { !$0.isASCII || !isPlain(UInt8($0.value)) }
    }

    /// Whether Apple does not allow a character in an identifier.
    package static func isUnusual(_ character: Character) -> Bool {
        unusualCharacter(inIdentifier: String(character)) != nil
    }

    /// Whether a text that people read begins or ends with a blank, or has more than one line.
    package static func isRagged(_ text: String) -> Bool {
        let scalars = text.unicodeScalars
        guard let first = scalars.first, let last = scalars.last else { return false }
        return isBlank(first) || isBlank(last) || scalars.contains { $0 == "\n" || $0 == "\r" }
    }

    /// A key without the blanks around it; nil if there are no blanks.
    package static func withoutBlanks(_ key: String) -> String? {
        guard let first = key.unicodeScalars.first, let last = key.unicodeScalars.last, isBlank(first) || isBlank(last)
        else { return nil }
        let scalars = key.unicodeScalars.drop(while: isBlank)
        guard let end = scalars.lastIndex(where: { !isBlank($0) }) else { return "" }
        return String(scalars[...end])
    }

    /// The text for a message: at most its first 80 characters.
    package static func shortened(_ text: String) -> String {
        text.count > 80 ? text.prefix(80) + "…" : text
    }
}

extension String {
    /// The first `${…}`, `$(…)` or `@NAME@` that a build system should have expanded; nil if there is none.
    ///
    /// It searches bytes, because searching text costs more than all the other keys of a list together.
    package var unexpandedVariable: String? {
        guard holds(UInt8(ascii: "$")) || holds(UInt8(ascii: "@")) else { return nil }
        return foundVariable
    }

    @inline(never)
    private var foundVariable: String? {
        let bytes = Array(utf8)
        for (index, byte) in bytes.enumerated() where index + 1 < bytes.count {
            let rest = bytes[(index + 1)...]
            let end: Int?
            switch (byte, rest[index + 1]) {
            case (UInt8(ascii: "$"), UInt8(ascii: "{")): end = rest.firstIndex(of: UInt8(ascii: "}")) ?? bytes.count - 1
            case (UInt8(ascii: "$"), UInt8(ascii: "(")): end = rest.firstIndex(of: UInt8(ascii: ")")) ?? bytes.count - 1
            case (UInt8(ascii: "@"), _):
                // CMake's and Autoconf's form; an @ alone is part of an address.
                let name = rest.prefix {
                    ($0 | 0x20) &- UInt8(ascii: "a") < 26 || $0.isDigit || $0 == UInt8(ascii: "_")
                }
                let isName = name.first.map { !$0.isDigit } ?? false
                end = isName && name.endIndex < bytes.count && bytes[name.endIndex] == byte ? name.endIndex : nil
            default: end = nil
            }
            if let end { return String(decoding: bytes[index...end], as: UTF8.self) }
        }
        return nil
    }

    package func holds(_ byte: UInt8) -> Bool {
        var text = self
        return text.withUTF8 { bytes in bytes.baseAddress.map { memchr($0, CInt(byte), bytes.count) != nil } ?? false }
    }
}
