/// The decoded text of a list, for showing positions in it.
///
/// **Threads**: a value; may be shared freely.
public struct SourceText: Sendable {
    /// UTF-8; it may contain invalid bytes of the file.
    private let bytes: [UInt8]
    /// Lines and columns at regular distances, so that a position in a line of 30 MB is found in microseconds.
    private let marks: [TextPlace]

    private static let distance = 1 << 14

    /// - Parameter text: UTF-8.
    public init(_ text: UnsafeBufferPointer<UInt8>) {
        bytes = Array(text)
        var place = TextPlace()
        var marks = [place]
        for distant in stride(from: Self.distance, to: text.count, by: Self.distance) {
            var offset = distant
            // A character has at most three continuation bytes; more in a row are not text.
            while offset < min(distant + 3, text.count), text[offset] & 0xC0 == 0x80 { offset += 1 }
            place.advance(to: offset, in: text)
            marks.append(place)
        }
        self.marks = marks
    }

    /// A position and the text around it.
    public func place(at offset: Int) -> (position: PropertyListFault.Position, excerpt: SourceExcerpt) {
        (position(of: offset), excerpt(at: offset))
    }

    /// The line and column of an offset, both from 1; offsets past the end mean the end.
    func position(of offset: Int) -> PropertyListFault.Position {
        let offset = min(max(offset, 0), bytes.count)
        let number = min(offset / Self.distance, marks.count - 1)
        // A mark may be a few bytes after its regular position.
        var place = marks[number].offset <= offset || number == 0 ? marks[number] : marks[number - 1]
        bytes.withUnsafeBufferPointer { place.advance(to: offset, in: $0) }
        return .text(line: place.line, column: place.column)
    }

    /// The offset of a line and column, or nil if the text has no such position.
    ///
    /// The text before it must be UTF-8; the text after it need not be.
    func offset(line: Int, column: Int) -> Int? {
        // The last mark before the position: both are sorted by line and then by column. The mark must not be at the
        // same position, because invalid bytes have no column of their own.
        var place = marks.last { ($0.line, $0.column) < (line, column) } ?? TextPlace()
        return bytes.withUnsafeBufferPointer { text in
            while (place.line, place.column) < (line, column) {
                guard place.offset < text.count else { return nil }
                let lead = text[place.offset]
                let length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC0 ? 2 : 1
                var next = place.offset + 1
                while next < min(place.offset + length, text.count), text[next] & 0xC0 == 0x80 { next += 1 }
                place.advance(to: next, in: text)
            }
            return (place.line, place.column) == (line, column) ? place.offset : nil
        }
    }

    /// The text around an offset on its line.
    func excerpt(at offset: Int) -> SourceExcerpt {
        let offset = min(max(offset, 0), bytes.count)
        var start = offset
        while start > 0, offset - start < Self.reach, !isLineBreak(start - 1) { start -= 1 }
        var end = offset
        while end < bytes.count, end - offset < Self.reach, !isLineBreak(end) { end += 1 }
        // A character is not cut in half.
        while start < offset, bytes[start] & 0xC0 == 0x80 { start += 1 }
        while end > offset, end < bytes.count, bytes[end] & 0xC0 == 0x80 { end -= 1 }
        return SourceExcerpt(
            before: String(decoding: bytes[start..<offset], as: UTF8.self),
            after: String(decoding: bytes[offset..<end], as: UTF8.self),
            isCutBefore: start > 0 && !isLineBreak(start - 1), isCutAfter: end < bytes.count && !isLineBreak(end))
    }

    /// Bytes on either side of a position: more than a line of a terminal.
    private static let reach = 400

    private func isLineBreak(_ index: Int) -> Bool { bytes[index] == 0x0A || bytes[index] == 0x0D }
}

/// A line of a file around a position in it.
public struct SourceExcerpt: Sendable, Hashable {
    /// The line up to the position.
    public let before: String
    /// The line from the position on.
    public let after: String
    /// Whether the line begins before the excerpt.
    public let isCutBefore: Bool
    /// Whether the line continues after the excerpt.
    public let isCutAfter: Bool
}
