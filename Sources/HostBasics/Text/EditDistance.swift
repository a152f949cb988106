extension Collection where Element: Equatable {
    /// The smallest number of changes, additions, removals and exchanges of neighbours that turn this collection into
    /// another; nil if more than `limit`.
    ///
    /// No element is touched twice (the “optimal string alignment” of Damerau 1964 and Levenshtein 1966). To compare
    /// names, use ``NameSuggestions``, which also bounds the total work.
    ///
    /// **Cost.** Proportional to the length times `limit`: only the cells near the diagonal of the table of distances
    /// are computed (Ukkonen 1985), and nothing after a row in which all of them are greater than `limit`.
    @_spi(Tools) public func editDistance(to other: some Collection<Element>, atMost limit: Int) -> Int? {
        var cells = 0
        return Array(self).editDistance(to: Array(other), atMost: limit, cells: &cells)
    }
}

extension Array where Element: Equatable {
    /// The same, but also counts the computed cells.
    package func editDistance(to other: [Element], atMost limit: Int, cells: inout Int) -> Int? {
        guard limit >= 0, abs(count - other.count) <= limit else { return nil }
        let tooFar = limit + 1
        // Three rows of the table of distances between prefixes: the row before the last, the last, and the current
        // one. Cells outside the band hold `tooFar`. One array holds all three rows, which take turns: the optimiser of
        // Swift 6.3 turns three arrays that are exchanged into two with the same storage.
        let width = other.count + 2
        var rows = [Int](repeating: tooFar, count: 3 * width)
        var (secondLast, last, row) = (0, width, 2 * width)
        for column in 0...Swift.min(limit, other.count) { rows[last + column] = column }
        for line in indices {
            let first = Swift.max(0, line - limit)
            let end = Swift.min(other.count, line + limit + 1)
            rows[row + first] = first == 0 ? Swift.min(line + 1, tooFar) : tooFar
            var nearest = rows[row + first]
            for column in first..<Swift.max(first, end) {
                var least = rows[last + column] + (self[line] == other[column] ? 0 : 1)
                least = Swift.min(least, rows[last + column + 1] + 1, rows[row + column] + 1, tooFar)
                if line > 0, column > 0, self[line] == other[column - 1], self[line - 1] == other[column] {
                    least = Swift.min(least, rows[secondLast + column - 1] + 1)
                }
                rows[row + column + 1] = least
                nearest = Swift.min(nearest, least)
            }
            cells += end - first + 1
            rows[row + end + 1] = tooFar
            if nearest > limit { return nil }
            (secondLast, last, row) = (last, row, secondLast)
        }
        let distance = rows[last + other.count]
        return distance <= limit ? distance : nil
    }
}
