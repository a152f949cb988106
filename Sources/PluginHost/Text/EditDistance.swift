extension Collection where Element: Equatable {
    /// How many elements must be changed, added or removed, and how many neighbours exchanged, to turn this collection into
    /// another; nil if more than `limit`.
    ///
    /// No element is touched twice (the “optimal string alignment” of Damerau 1964 and Levenshtein 1966).
    ///
    /// **Cost.** Proportional to the product of both lengths.
    @_spi(Tools) public func editDistance(to other: some Collection<Element>, atMost limit: Int) -> Int? {
        let a = Array(self), b = Array(other)
        guard abs(a.count - b.count) <= limit else { return nil }
        // The distances of the beginnings of both, up to the element before the last one, up to the last one, up to this one.
        var secondLast: [Int] = [], last = Array(0...b.count)
        for line in a.indices {
            var row = [line + 1]
            row.reserveCapacity(b.count + 1)
            for column in b.indices {
                var least = last[column] + (a[line] == b[column] ? 0 : 1)
                least = Swift.min(least, last[column + 1] + 1, row[column] + 1)
                if line > 0, column > 0, a[line] == b[column - 1], a[line - 1] == b[column] {
                    least = Swift.min(least, secondLast[column - 1] + 1)
                }
                row.append(least)
            }
            (secondLast, last) = (last, row)
        }
        return last[b.count] <= limit ? last[b.count] : nil
    }
}
