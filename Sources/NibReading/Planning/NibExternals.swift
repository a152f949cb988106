@_spi(PluginHost) internal import PluginABI

/// The objects that the caller of an instantiation passes.
struct NibExternals {
    /// File's Owner; nil for none.
    let owner: (any NibObject)?
    /// By the identifiers of the placeholders.
    let placeholders: [String: any NibObject]

    /// The placeholders of the document for which the caller passed an object, in the order of the document.
    func names(in graph: NibGraph) -> [String] {
        guard !placeholders.isEmpty else { return [] }
        return graph.placeholders.filter { placeholders[$0] != nil }
    }
}
