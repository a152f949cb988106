/// The names of one kind that a document used last, and what was found for them.
///
/// `Name` is a name itself, or the number of an attribute that has it as its value.
///
/// Objects of one class mostly have the same attributes and connections in the same order. So the name that followed last
/// time is compared first: comparing the bytes of two names takes a tenth of looking a string up in a dictionary.
struct RecentNames<Name, Found> {
    private var entries: [(name: Name, found: Found)] = []
    /// The entry that is likely to be asked for next.
    private var next = 0
    /// Comparing with more takes longer than a dictionary.
    private static var most: Int { 16 }

    /// What was found for a name.
    ///
    /// - Parameter isWanted: whether a name is the wanted one.
    /// - Returns: nil for a name that was not used lately.
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

    /// Keeps what was found for a name that is new.
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
