@_spi(Tools) public import PluginLinting
public import PropertyLists

/// The content of a property list that another form cannot hold: comments, and fractions of a second.
///
/// **Threads.** No shared state.
public enum ListLosses {
    /// Warnings about everything that is lost when a list is written in another form.
    ///
    /// - Parameters:
    ///   - bytes: the file from which the list was read.
    ///   - list: its value.
    ///   - keepsFractions: whether the new form keeps fractions of a second. Only binary lists do.
    ///   - path: the file's name in the findings.
    /// - Returns: at most one warning about comments, with the place of the first one, and one about dates.
    ///
    /// **Cost.** Linear.
    public static func findings(
        _ bytes: [UInt8], _ list: PropertyList, keepsFractions: Bool, path: String
    ) -> [LintFinding] {
        var findings = [comments(bytes, path: path)].compactMap(\.self)
        if !keepsFractions, let keyPath = fractionalDate(in: list) {
            findings.append(
                LintFinding(
                    .warning, .dateFraction, filePath: path, subject: ListKeyPath(keyPath).text,
                    message:
                        "The fraction of a second of the date \(ListKeyPath(keyPath).text) is lost; only binary1 keeps it."
                )
            )
        }
        return findings
    }

    /// The key path of a date that is not a whole second.
    private static func fractionalDate(in list: PropertyList) -> [String]? {
        var waiting: [(path: [String], value: PropertyList)] = [([], list)]
        while let (path, value) = waiting.popLast() {
            switch value {
            case .date(let seconds) where seconds != seconds.rounded(): return path
            case .array(let elements):
                for (index, element) in elements.enumerated() where element.mayHoldDate {
                    waiting.append((path + [String(index)], element))
                }
            case .dictionary(let entries):
                for (key, element) in entries where element.mayHoldDate { waiting.append((path + [key], element)) }
            default: break
            }
        }
        return nil
    }

    // MARK: Comments

    /// A warning about the comments, with the place of the first one; nil if there are none.
    static func comments(_ bytes: [UInt8], path: String) -> LintFinding? {
        guard let (count, line, column) = comments(in: bytes) else { return nil }
        return LintFinding(
            .warning, .comments, filePath: path, place: LintFinding.Place(.text(line: line, column: column), nil),
            message: count == 1
                ? "The comment here is lost: no property list that a program writes has comments."
                : "This comment and \(count - 1) more are lost: no property list that a program writes has comments.")
    }

    /// The number of comments in a list in a text form, and the place of the first one.
    static func comments(in bytes: [UInt8]) -> (count: Int, line: Int, column: Int)? {
        guard !bytes.starts(with: "bplist".utf8), let (text, _) = TableEncoding.text(of: bytes) else { return nil }
        let bytes = Array(text.utf8)
        let places = InputFile.isXML(bytes) ? xmlComments(bytes) : oldStyleComments(bytes)
        guard let first = places.first else { return nil }
        let before = bytes[..<first]
        let line = before.count { $0 == 0x0A } + 1
        let lineStart = before.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
        return (places.count, line, String(decoding: bytes[lineStart..<first], as: UTF8.self).unicodeScalars.count + 1)
    }

    private static func xmlComments(_ bytes: [UInt8]) -> [Int] {
        var places: [Int] = []
        var index = 0
        while index < bytes.count {
            guard bytes[index] == UInt8(ascii: "<") else {
                index += 1
                continue
            }
            if bytes[index...].starts(with: "<!--".utf8) {
                places.append(index)
                index = end(of: "-->", in: bytes, from: index + 4)
            } else if bytes[index...].starts(with: "<![CDATA[".utf8) {
                index = end(of: "]]>", in: bytes, from: index + 9)
            } else {
                index += 1
            }
        }
        return places
    }

    /// The offsets of comments.
    ///
    /// They occur only where blanks may occur, so `//` in a bare word such as `http://example.org` is not one.
    private static func oldStyleComments(_ bytes: [UInt8]) -> [Int] {
        var places: [Int] = []
        var index = 0
        var isInWord = false
        while index < bytes.count {
            let byte = bytes[index]
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "'"):
                index += 1
                while index < bytes.count, bytes[index] != byte { index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1 }
                isInWord = false
            case UInt8(ascii: "/") where !isInWord && bytes[index...].starts(with: "//".utf8):
                places.append(index)
                while index < bytes.count, bytes[index] != 0x0A, bytes[index] != 0x0D { index += 1 }
            case UInt8(ascii: "/") where !isInWord && bytes[index...].starts(with: "/*".utf8):
                places.append(index)
                index = end(of: "*/", in: bytes, from: index + 2) - 1
            default: isInWord = byte > 0x20 && !"={}()<>;,".utf8.contains(byte)
            }
            index += 1
        }
        return places
    }

    /// The offset after a text; the end of the bytes if it does not occur.
    private static func end(of text: String, in bytes: [UInt8], from start: Int) -> Int {
        var index = start
        while index < bytes.count {
            if bytes[index...].starts(with: text.utf8) { return index + text.utf8.count }
            index += 1
        }
        return bytes.count
    }
}

extension PropertyList {
    fileprivate var mayHoldDate: Bool {
        switch self {
        case .date, .array, .dictionary: true
        default: false
        }
    }
}

@_spi(Tools) extension LintFinding.Code {
    /// A date whose fraction of a second is lost in the new form of its list.
    public static let dateFraction = Self(rawValue: "dateFraction")
}
