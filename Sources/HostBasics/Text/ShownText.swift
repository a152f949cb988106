/// A name or path for a message, in quotation marks and with control characters escaped.
///
/// So a hostile file name can neither move the cursor of a terminal nor forge a second line of a log. Text longer than
/// any path is shortened, because a key of a property list may be megabytes long.
public func quoted(_ name: some StringProtocol) -> String { "“\(displayed(name))”" }

/// A number with its noun, such as “1 field” or “2 fields”.
///
/// `noun`: in the singular; its plural ends with “s”.
public func counted(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }

/// The same without quotation marks, for a name in the middle of code.
public func displayed(_ name: some StringProtocol) -> String { displayed(name, atMost: longestQuoted) }

/// The first of some texts and the number of the others, as in “a, b and 3 more”.
///
/// - Parameters:
///   - texts: as they are to be shown. Only those that are shown are made, if the collection is lazy.
///   - most: how many are shown.
/// - Returns: the texts, separated by commas.
public func shownList(_ texts: some Collection<String>, atMost most: Int) -> String {
    let shown = texts.prefix(most).joined(separator: ", ")
    return texts.count > most ? "\(shown) and \(texts.count - most) more" : shown
}

/// The first names of a list in the order of their letters, as in “a”, “b” and “c”, and the number of the others.
///
/// - Parameters:
///   - names: any number of names of any length.
///   - nothing: the text for a list without names.
/// - Returns: the names in quotation marks, each shortened.
package func quotedList(_ names: some Collection<String>, or nothing: String) -> String {
    let most = 12
    // A list may have ten thousand names, and a report a hundred lists.
    var first: [String] = []
    for name in names where first.count < most || name < first[most - 1] {
        first.insert(name, at: first.indices.partitioningIndex { first[$0] > name })
        if first.count > most { first.removeLast() }
    }
    let quoted = first.map { "“\(displayed($0, atMost: longestListed))”" }
    guard let last = quoted.last else { return nothing }
    if names.count > most { return quoted.joined(separator: ", ") + " and \(names.count - most) others" }
    return quoted.count == 1 ? last : quoted.dropLast().joined(separator: ", ") + " and " + last
}

private func displayed(_ name: some StringProtocol, atMost longest: Int) -> String {
    guard name.utf8.count > longest else { return name.escapedForDisplay }
    return String(decoding: name.utf8.prefix(longest - 8), as: UTF8.self).escapedForDisplay + "…"
}

/// In bytes, before escaping and with the mark for the omitted part.
private let longestQuoted = 4_096
/// The same limit for each name of a list.
private let longestListed = 256

extension StringProtocol {
    /// The text with all characters escaped that change how a terminal or a viewer displays text: control characters,
    /// line separators and the marks that change the direction of text.
    ///
    /// Only this property decides what is escaped. The command-line tool also uses it.
    @_spi(Tools) public var escapedForDisplay: String {
        guard unicodeScalars.contains(where: \.isObeyedByDisplays) else { return String(self) }
        var text = ""
        for scalar in unicodeScalars {
            if scalar.isObeyedByDisplays {
                text += scalar.escaped(asASCII: true)
            } else {
                text.unicodeScalars.append(scalar)
            }
        }
        return text
    }
}

extension Unicode.Scalar {
    /// Whether a terminal or a viewer obeys the character instead of showing it.
    @_spi(Tools) public var isObeyedByDisplays: Bool {
        switch value {
        case 0..<0x20, 0x7F..<0xA0, 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}

extension UnsafeRawBufferPointer {
    /// Bytes that should be UTF-8 but are not, for a message.
    ///
    /// Invalid bytes are written as `\\xFF`; long text is shortened.
    package var shownBytes: String {
        let longest = 64
        var text = ""
        var rest = self[..<Swift.min(count, longest)]
        while !rest.isEmpty {
            // The length of the valid scalar at this position, if any.
            let length = (1...4).first { length in
                length <= rest.count && String(validating: rest.prefix(length), as: UTF8.self) != nil
            }
            guard let length else {
                let digits = String(rest[rest.startIndex], radix: 16, uppercase: true)
                text += "\\x" + (digits.count == 1 ? "0" : "") + digits
                rest = rest.dropFirst()
                continue
            }
            text += String(decoding: rest.prefix(length), as: UTF8.self)
            rest = rest.dropFirst(length)
        }
        return count > longest ? text + "…" : text
    }
}

/// A path as one word of a shell command.
package func shellWord(_ path: String) -> String {
    let plain = path.utf8.allSatisfy {
        switch $0 {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "."), UInt8(ascii: "-"),
            UInt8(ascii: "_"), UInt8(ascii: "+"), 0x80...:
            true
        default: false
        }
    }
    if plain { return path }
    var word = "'"
    for scalar in path.unicodeScalars {
        if scalar == "'" { word += "'\\''" } else { word.unicodeScalars.append(scalar) }
    }
    return word + "'"
}
