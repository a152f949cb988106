/// The text of a list that is not binary: decoded, checked, and with its form recognised.
enum TextSource {
    /// The possible forms of text.
    enum Form {
        case xml
        case openStep
    }

    /// Calls a function with the bytes as checked UTF-8, without byte-order mark and without NUL.
    static func withText<Result>(
        of bytes: UnsafeRawBufferPointer,
        _ body: (UnsafeBufferPointer<UInt8>) throws(PropertyListFault) -> Result
    ) throws(PropertyListFault) -> Result {
        let all = bytes.bindMemory(to: UInt8.self)
        let (encoding, markLength) = TextEncoding.detect(all)
        let content = UnsafeBufferPointer(rebasing: all[markLength...])
        guard encoding == .utf8 else { return try withConverted(content, encoding, body) }
        switch try XMLDeclaration.encoding(in: content) {
        case nil, .utf8: break
        case .latin1 where markLength == 0: return try withConverted(content, .latin1, body)
        case .latin1: break
        case .ascii:
            if let bad = UTF8Check.firstNonASCII(in: content) {
                throw invalidByte(in: content, at: bad, "the US-ASCII that the file declares")
            }
        case .wide:
            throw TextFault(
                .unknownEncoding, at: 0, "The file declares an encoding of 16 or 32 bits, but its bytes are in neither."
            ).located(in: content)
        }
        try check(content)
        return try body(content)
    }

    private static func withConverted<Result>(
        _ content: UnsafeBufferPointer<UInt8>, _ encoding: TextEncoding,
        _ body: (UnsafeBufferPointer<UInt8>) throws(PropertyListFault) -> Result
    ) throws(PropertyListFault) -> Result {
        var decoder = TextDecoder(isLenient: false)
        let converted = try decoder.convert(content, from: encoding)
        return try converted.withUnsafeBufferPointer { (text) throws(PropertyListFault) in
            // The bytes have already shown the encoding, but a declaration must name one that exists.
            _ = try XMLDeclaration.encoding(in: text)
            try check(text)
            return try body(text)
        }
    }

    private static func check(_ text: UnsafeBufferPointer<UInt8>) throws(PropertyListFault) {
        guard let bad = UTF8Check.firstFault(in: text, refusingNUL: true) else { return }
        guard text[bad] == 0 else { throw invalidByte(in: text, at: bad, "UTF-8") }
        throw TextFault(.unexpectedCharacter, at: bad, "The text contains a NUL character.").located(in: text)
    }

    private static func invalidByte(
        in text: UnsafeBufferPointer<UInt8>, at offset: Int, _ encoding: String
    ) -> PropertyListFault {
        TextFault(
            .invalidEncoding, at: offset,
            "The byte 0x\(String(text[offset], radix: 16, uppercase: true)) is not valid here in \(encoding)."
        ).located(in: text)
    }

    /// Whether the text is XML or an old-style list.
    static func form(of text: UnsafeBufferPointer<UInt8>) throws(TextFault) -> Form {
        var start = 0
        while start < text.count, text[start] == 0x20 || (0x09...0x0D).contains(text[start]) { start += 1 }
        guard start < text.count else { throw TextFault(.empty, at: 0, "The file contains only blanks.") }
        guard text[start] == UInt8(ascii: "<"), start + 1 < text.count else { return .openStep }
        let next = text[start + 1]
        if next == UInt8(ascii: "?") || next == UInt8(ascii: "!") || next == UInt8(ascii: "/") { return .xml }
        // A name of only hexadecimal digits is data; no element has such a name.
        var end = start + 1
        while end < text.count, (text[end] | 0x20) &- UInt8(ascii: "a") < 26 { end += 1 }
        let name = text[start + 1..<end]
        return name.contains { NumberText.hexadecimalDigit($0) == nil } ? .xml : .openStep
    }
}

/// The declaration at the start of an XML file, as far as it matters before the file is decoded.
enum XMLDeclaration {
    /// The value of `encoding="…"`, nil if there is none.
    ///
    /// The search is bounded, because a declaration is short.
    static func encoding(in text: UnsafeBufferPointer<UInt8>) throws(PropertyListFault) -> TextEncoding.Declared? {
        var start = 0
        while start < text.count, text[start] == 0x20 || (0x09...0x0D).contains(text[start]) { start += 1 }
        guard text.count - start > 5, text[start] == UInt8(ascii: "<"), text[start + 1] == UInt8(ascii: "?") else {
            return nil
        }
        var end = start + 2
        while end < min(text.count, start + longest), text[end] != UInt8(ascii: ">") { end += 1 }
        guard let name = value(of: "encoding", in: text, from: start + 2, to: end) else { return nil }
        let spelled = String(decoding: UnsafeBufferPointer(rebasing: text[name]), as: UTF8.self)
        guard let declared = TextEncoding.named(spelled) else {
            throw TextFault(
                .unknownEncoding, at: name.lowerBound,
                "The file declares the encoding \(Excerpt.of(spelled)); UTF-8, UTF-16, UTF-32, "
                    + "US-ASCII and ISO-8859-1 are supported."
            ).located(in: text)
        }
        return declared
    }

    private static let longest = 512

    /// The range of a pseudo-attribute's value between its quotes.
    private static func value(
        of name: StaticString, in text: UnsafeBufferPointer<UInt8>, from start: Int, to end: Int
    ) -> Range<Int>? {
        let length = name.utf8CodeUnitCount
        var index = start
        while index + length < end {
            let isName = name.withUTF8Buffer { wanted in
                var matching = 0
                while matching < length, text[index + matching] == wanted[matching] { matching += 1 }
                return matching == length
            }
            index += 1
            guard isName else { continue }
            index += length - 1
            while index < end, text[index] <= 0x20 { index += 1 }
            guard index < end, text[index] == UInt8(ascii: "=") else { continue }
            index += 1
            while index < end, text[index] <= 0x20 { index += 1 }
            guard index < end, text[index] == UInt8(ascii: "\"") || text[index] == UInt8(ascii: "'") else { continue }
            let first = index + 1
            var last = first
            while last < end, text[last] != text[index] { last += 1 }
            return last < end ? first..<last : nil
        }
        return nil
    }
}
