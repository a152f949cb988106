extension Collection where Element: Equatable {
    /// How many elements must be changed, added or removed to turn this collection into another; nil if more than
    /// `limit` (Levenshtein 1966).
    ///
    /// **Cost.** Proportional to the product of both lengths.
    @_spi(Tools) public func editDistance(to other: some Collection<Element>, atMost limit: Int) -> Int? {
        let a = Array(self), b = Array(other)
        guard abs(a.count - b.count) <= limit else { return nil }
        var row = Array(0...b.count)
        for (line, element) in a.enumerated() {
            var diagonal = row[0]
            row[0] = line + 1
            for (column, candidate) in b.enumerated() {
                let changed = diagonal + (element == candidate ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = Swift.min(changed, diagonal + 1, row[column] + 1)
            }
        }
        return row[b.count] <= limit ? row[b.count] : nil
    }
}
