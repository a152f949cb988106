extension Sequence {
    /// The first result of a function that is not nil.
    ///
    /// Calls the function once for each element up to that one.
    ///
    /// Why: `lazy.compactMap(function).first` calls the function twice for the element that it finds, and traps if the
    /// second call returns nil. A function that looks at a file may do so: the file may disappear between the two
    /// calls.
    @inlinable package func firstNonNil<Result, Failure>(
        _ function: (Element) throws(Failure) -> Result?
    ) throws(Failure) -> Result? {
        for element in self {
            if let result = try function(element) { return result }
        }
        return nil
    }
}
