extension Range<Int> {
    /// The first number for which a condition holds, found by halving, or the end where it holds for none.
    /// `belongsInSecondPartition`: holds from some number on, and for none before it.
    func partitioningIndex(where belongsInSecondPartition: (Int) -> Bool) -> Int {
        var (low, high) = (lowerBound, upperBound)
        while low < high {
            let middle = low + (high - low) / 2
            if belongsInSecondPartition(middle) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
