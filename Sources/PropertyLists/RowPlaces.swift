/// Finds the numbers of rows by the hashes of their texts: an open-addressing table that keeps neither texts nor
/// hashes.
struct RowPlaces: Sendable {
    /// Each row is in the first place that was free, from the place of its hash on.
    ///
    /// -1 marks a free place. The number of places is a power of two, and at least half of them are free.
    private var places: [Int32]
    private var count = 0
    /// Differs from process to process, so that no document can be written whose texts have equal hashes.
    private static let seed = UInt64.random(in: .min ... .max) | 1

    /// An empty table.
    ///
    /// `count`: the number of rows to reserve memory for; the table grows if there are more.
    init(reserving count: Int) {
        var size = 16
        while size < 2 * count { size *= 2 }
        places = Array(repeating: -1, count: size)
    }

    /// The row of a text by its hash; nil if there is none.
    @inline(__always)
    func row(_ hash: UInt64, _ isWanted: (Int) -> Bool) -> Int? {
        let mask = places.count &- 1
        var place = Int(truncatingIfNeeded: hash) & mask
        while case let row = Int(places[place]), row >= 0 {
            if isWanted(row) { return row }
            place = (place &+ 1) & mask
        }
        return nil
    }

    /// Adds the next row.
    ///
    /// `hashOfRow`: returns the hash of an earlier row; called when the table grows.
    mutating func append(_ hash: UInt64, _ hashOfRow: (Int) -> UInt64) {
        if 2 * count >= places.count {
            places = Array(repeating: -1, count: 2 * places.count)
            for row in 0..<count { enter(row, hashOfRow(row)) }
        }
        enter(count, hash)
        count += 1
    }

    private mutating func enter(_ row: Int, _ hash: UInt64) {
        var place = Int(truncatingIfNeeded: hash) & (places.count - 1)
        while places[place] >= 0 { place = (place + 1) & (places.count - 1) }
        places[place] = Int32(truncatingIfNeeded: row)
    }

    /// The hash of some bytes of a text.
    ///
    /// For each eight bytes, multiplies two words of 64 bits and folds the product, so that all bits of the hash depend
    /// on all bytes.
    @inline(__always)
    static func hash(_ text: UnsafeBufferPointer<UInt8>, at start: Int, count: Int) -> UInt64 {
        var hash = seed ^ UInt64(truncatingIfNeeded: count)
        var index = 0
        while index < count {
            let word = text.word(at: start &+ index, count: min(8, count &- index))
            let product = (word ^ hash ^ 0x9E37_79B9_7F4A_7C15).multipliedFullWidth(by: seed)
            hash = product.high ^ product.low
            index &+= 8
        }
        return hash
    }
}
