extension Range<Int> {
    /// The first number for which a condition is true, found by binary search; the upper bound if there is none.
    ///
    /// `belongsInSecondPartition`: must be false up to some number and true from that number on.
    package func partitioningIndex(where belongsInSecondPartition: (Int) -> Bool) -> Int {
        var (low, high) = (lowerBound, upperBound)
        while low < high {
            let middle = low + (high - low) / 2
            if belongsInSecondPartition(middle) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
