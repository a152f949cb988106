/// The beginnings and ends of texts with interpolations.
///
/// Such a text may produce any text that begins and ends with them.
///
/// **Cost.** A question looks up the parts of a text that are as long as a beginning or an end, however many there are of
/// each length.
struct TextPatterns: Sendable {
    /// The ends by their beginnings, as UTF-8.
    private var ends: [ArraySlice<UInt8>: Set<ArraySlice<UInt8>>] = [:]
    private var startLengths: Set<Int> = []
    private var endLengths: Set<Int> = []

    /// Adds a text, unless it begins and ends with an interpolation: it would produce anything.
    mutating func add(start: String, end: String) {
        guard !(start.isEmpty && end.isEmpty) else { return }
        let (start, end) = (Array(start.utf8)[...], Array(end.utf8)[...])
        startLengths.insert(start.count)
        endLengths.insert(end.count)
        ends[start, default: []].insert(end)
    }

    mutating func add(_ other: TextPatterns) {
        startLengths.formUnion(other.startLengths)
        endLengths.formUnion(other.endLengths)
        ends.merge(other.ends) { $0.union($1) }
    }

    func mayProduce(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        return startLengths.contains { start in
            guard start <= bytes.count, let ends = ends[bytes[..<start]] else { return false }
            return endLengths.contains { start + $0 <= bytes.count && ends.contains(bytes[(bytes.count - $0)...]) }
        }
    }
}
