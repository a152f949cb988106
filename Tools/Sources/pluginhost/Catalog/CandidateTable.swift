import PluginHost

/// The candidates of a catalogue by identifier, for reports that look up many of them.
///
/// Why: each look-up in the catalogue decodes the record of every candidate.
struct CandidateTable {
    private let candidates: [PluginCandidate]
    /// The position of the first candidate of each identifier.
    private let first: [String: Int]

    init(_ candidates: [PluginCandidate]) {
        self.candidates = candidates
        var first: [String: Int] = Dictionary(minimumCapacity: candidates.count)
        for (place, candidate) in candidates.enumerated() where first[candidate.identifier] == nil {
            first[candidate.identifier] = place
        }
        self.first = first
    }

    /// The first candidate of an identifier, by search path, then by name; nil if there is none.
    func first(_ identifier: String) -> PluginCandidate? { first[identifier].map { candidates[$0] } }
}
