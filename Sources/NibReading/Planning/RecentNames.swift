/// The names of one kind that a document used most recently, and what was found for them.
///
/// `Name` is a name, or the index of an attribute whose value is the name.
///
/// Objects of one class mostly have the same attributes and connections in the same order. So the name that followed
/// last time is compared first. Comparing the bytes of two names takes a tenth of the time of a dictionary lookup by
/// string.
struct RecentNames<Name, Found> {
    private var entries: [(name: Name, found: Found)] = []
    /// The entry that is most likely to be requested next.
    private var next = 0
    /// Beyond this number, a dictionary is faster than comparing one by one.
    private static var most: Int { 16 }

    /// The result for a name.
    ///
    /// - Parameter isWanted: whether a name is the wanted one.
    /// - Returns: nil for a name that was not used recently.
    @inline(__always)
    mutating func found(_ isWanted: (Name) -> Bool) -> Found? {
        for step in 0..<entries.count {
            let index = next + step < entries.count ? next + step : next + step - entries.count
            guard isWanted(entries[index].name) else { continue }
            next = index + 1 == entries.count ? 0 : index + 1
            return entries[index].found
        }
        return nil
    }

    /// Keeps the result for a new name.
    mutating func note(_ found: Found, for name: Name) {
        if entries.count < Self.most {
            entries.append((name, found))
            next = 0
        } else {
            entries[next] = (name, found)
            next = next + 1 == entries.count ? 0 : next + 1
        }
    }
}
