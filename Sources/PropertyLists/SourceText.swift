/// The text of a list, undone of its encoding, to show places in it.
///
/// **Threads**: a value; may be shared freely.
public struct SourceText: Sendable {
    /// UTF-8; where the file holds bytes that mean nothing, these too.
    private let bytes: [UInt8]
    /// Lines and columns at regular distances, so that a place in one line of 30 MB is found in microseconds.
    private let marks: [TextPlace]

    private static let distance = 1 << 14

    /// - Parameter text: UTF-8.
    public init(_ text: UnsafeBufferPointer<UInt8>) {
        bytes = Array(text)
        var place = TextPlace()
        var marks = [place]
        for distant in stride(from: Self.distance, to: text.count, by: Self.distance) {
            var offset = distant
            // A character has three such bytes at most; others are no text.
            while offset < min(distant + 3, text.count), text[offset] & 0xC0 == 0x80 { offset += 1 }
            place.advance(to: offset, in: text)
            marks.append(place)
        }
        self.marks = marks
    }

    /// A place, and what stands around it.
    public func place(at offset: Int) -> (position: PropertyListFault.Position, excerpt: SourceExcerpt) {
        (position(of: offset), excerpt(at: offset))
    }

    /// The line and column of an offset, both from 1; offsets past the end mean the end.
    func position(of offset: Int) -> PropertyListFault.Position {
        let offset = min(max(offset, 0), bytes.count)
        let number = min(offset / Self.distance, marks.count - 1)
        // A mark may stand a few bytes after its distance.
        var place = marks[number].offset <= offset || number == 0 ? marks[number] : marks[number - 1]
        bytes.withUnsafeBufferPointer { place.advance(to: offset, in: $0) }
        return .text(line: place.line, column: place.column)
    }

    /// The offset of a line and column, or nil where the text has no such place. What is before it must be UTF-8, and
    /// what follows need not be.
    func offset(line: Int, column: Int) -> Int? {
        // The last mark before it: both are sorted by line and then by column. Not one at it: bytes that mean nothing
        // have no column of their own.
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

    /// What stands around an offset on its line.
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

    /// Bytes on either side of a place: more than a line of a terminal.
    private static let reach = 400

    private func isLineBreak(_ index: Int) -> Bool { bytes[index] == 0x0A || bytes[index] == 0x0D }
}

/// A line of a file around a place in it.
public struct SourceExcerpt: Sendable, Hashable {
    /// The line up to the place.
    public let before: String
    /// The line from the place on.
    public let after: String
    /// Whether the line begins before the excerpt.
    public let isCutBefore: Bool
    /// Whether it goes on after the excerpt.
    public let isCutAfter: Bool
}
