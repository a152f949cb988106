/// A name of elements and attributes, by its number in one document.
///
/// See ``XMLDocument/name(_:)``.
public struct XMLName: Sendable, Hashable {
    /// For a name that the document does not have, it is greater than all numbers of the document.
    public let number: Int
}

/// The different names of a document's elements and attributes, numbered in the order of their first occurrence.
///
/// Rows refer to names by these numbers, because comparing numbers is faster than comparing texts.
struct XMLNames: Sendable {
    struct Row {
        /// The offset of its first occurrence.
        let start: UInt32
        let length: UInt16
        /// Its first eight bytes.
        let word: UInt64
    }

    /// The memory of a name: its row, and two places in the table.
    static var bytesOfEach: Int { MemoryLayout<Row>.stride + 2 * MemoryLayout<Int32>.stride }

    private(set) var all: [Row] = []
    private var places = RowPlaces(reserving: 64)

    /// The number of a name in the document's text; a new name gets a new number.
    @inline(__always)
    mutating func number(of start: Int, _ length: Int, in text: UnsafeBufferPointer<UInt8>) -> UInt32 {
        let hash = RowPlaces.hash(text, at: start, count: length)
        let known = places.row(hash) { row in
            Int(all[row].length) == length && isName(UInt32(truncatingIfNeeded: row), at: start, in: text)
        }
        return UInt32(truncatingIfNeeded: known ?? append(start, length, hash, text))
    }

    private mutating func append(
        _ start: Int, _ length: Int, _ hash: UInt64, _ text: UnsafeBufferPointer<UInt8>
    ) -> Int {
        places.append(hash) { [all] in RowPlaces.hash(text, at: Int(all[$0].start), count: Int(all[$0].length)) }
        all.append(
            Row(
                start: UInt32(truncatingIfNeeded: start), length: UInt16(truncatingIfNeeded: length),
                word: text.word(at: start, count: min(8, length))))
        return all.count - 1
    }

    /// The number of a name; nil if the document does not have it.
    func number(of name: StaticString, in text: UnsafeBufferPointer<UInt8>) -> Int? {
        name.withUTF8Buffer { wanted in
            let hash = RowPlaces.hash(wanted, at: 0, count: wanted.count)
            return places.row(hash) { row in
                let start = Int(all[row].start)
                return wanted.elementsEqual(text[start..<start + Int(all[row].length)])
            }
        }
    }

    /// Whether the document's text has a name at an offset.
    ///
    /// Does not check that the name ends there.
    @inline(__always)
    func isName(_ number: UInt32, at offset: Int, in text: UnsafeBufferPointer<UInt8>) -> Bool {
        let row = all[Int(number)]
        let length = Int(row.length)
        guard length <= text.count &- offset, text.word(at: offset, count: min(8, length)) == row.word else {
            return false
        }
        return length <= 8 || text.areSame(Int(row.start) &+ 8, offset &+ 8, count: length &- 8)
    }
}
