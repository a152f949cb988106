/// What the card at the head of a report shows.
///
/// The host makes the card from a nib of the exporter's bundle, so the exporter may run in a process of its own.
public struct Summary: Sendable {
    /// The nib's name, without extension.
    public var nib: String
    /// The texts to fill in, by the outlets of File's Owner: `documents`, `words`, `sentences` and `minutes`.
    public var values: [String: String]

    /// A summary with the given parts.
    public init(nib: String, values: [String: String]) {
        self.nib = nib
        self.values = values
    }
}
