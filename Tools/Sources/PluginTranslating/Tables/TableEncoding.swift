/// The encoding of a strings table's text.
public enum TableEncoding: String, Sendable, Hashable, CaseIterable {
    /// UTF-8 without a byte-order mark.
    case utf8
    /// UTF-8 with a byte-order mark. Files that have a mark keep it; new files get none.
    case utf8WithMark
    /// Little-endian, with a byte-order mark.
    case utf16
    /// Big-endian, with a byte-order mark.
    case utf16BigEndian

    private var mark: [UInt8] {
        switch self {
        case .utf8: []
        case .utf8WithMark: [0xEF, 0xBB, 0xBF]
        case .utf16: [0xFF, 0xFE]
        case .utf16BigEndian: [0xFE, 0xFF]
        }
    }

    /// The bytes of a text, with the mark.
    public func bytes(of text: String) -> [UInt8] {
        switch self {
        case .utf8, .utf8WithMark: mark + Array(text.utf8)
        case .utf16: mark + text.utf16.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }
        case .utf16BigEndian: mark + text.utf16.flatMap { [UInt8($0 >> 8), UInt8(truncatingIfNeeded: $0)] }
        }
    }

    /// The text of bytes and their encoding.
    ///
    /// UTF-16 without a mark is recognised by the zero bytes of its first character.
    ///
    /// - Returns: nil if the bytes are not a text in any of these encodings. UTF-32 is not one of them, though it looks
    ///   like UTF-16 with NUL between the characters.
    public static func text(of bytes: [UInt8]) -> (text: String, encoding: TableEncoding)? {
        if isUTF32(bytes) { return nil }
        let isWide = bytes.count >= 2 && bytes[0] != bytes[1] && (bytes[0] == 0 || bytes[1] == 0)
        let bare: TableEncoding? = isWide ? bytes[0] == 0 ? .utf16BigEndian : .utf16 : nil
        let marked = allCases.first { !$0.mark.isEmpty && bytes.starts(with: $0.mark) }
        let encoding = marked ?? bare ?? .utf8
        let content = bytes.dropFirst(marked?.mark.count ?? 0)
        switch encoding {
        case .utf8, .utf8WithMark: return String(validating: content, as: UTF8.self).map { ($0, encoding) }
        case .utf16, .utf16BigEndian:
            guard content.count.isMultiple(of: 2) else { return nil }
            let high = encoding == .utf16 ? 1 : 0
            let first = content.startIndex
            let units = (0..<content.count / 2).map { number in
                UInt16(content[first + 2 * number + high]) << 8 | UInt16(content[first + 2 * number + 1 - high])
            }
            return String(validating: units, as: UTF16.self).map { ($0, encoding) }
        }
    }

    /// Whether bytes begin with the byte-order mark of UTF-32, or with an ASCII character in it.
    private static func isUTF32(_ bytes: [UInt8]) -> Bool {
        guard bytes.count >= 4, bytes.count.isMultiple(of: 4) else { return false }
        let head = Array(bytes.prefix(4))
        return head == [0xFF, 0xFE, 0, 0] || head == [0, 0, 0xFE, 0xFF]
            || head[0] != 0 && head[1...].allSatisfy { $0 == 0 } || head[3] != 0 && head[..<3].allSatisfy { $0 == 0 }
    }
}
