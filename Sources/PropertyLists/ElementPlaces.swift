/// The positions of the keys in the dictionaries that are elements of one array.
///
/// ``KeyPlaces`` finds a key by the keys that lead to it, which are the same for all elements of an array.
public struct ElementPlaces: Sendable {
    private struct Element {
        /// Where the dictionary begins.
        let start: Int
        /// The offset of each key; of equal keys the first, whose value is used.
        var keys: [String: Int] = [:]
    }

    private let text: SourceText
    private var elements: [Element] = []

    /// - Parameters:
    ///   - path: the keys that lead to the array, none of them inside another array.
    ///   - keys: the keys of the list, in the order of the text.
    ///   - text: the text of the list.
    init?(ofArray path: [String], _ keys: [KeyRecord], in text: SourceText) {
        self.text = text
        guard let array = KeyPlaces(keys).offset(of: path),
            let first = keys.firstIndex(where: { $0.offset == array })
        else { return nil }
        // The array and the dictionary are one level each.
        for key in keys[(first + 1)...] {
            if key.depth <= path.count { break }
            guard key.depth == path.count + 2 else { continue }
            if elements.last?.start != key.container { elements.append(Element(start: key.container)) }
            if elements[elements.count - 1].keys[key.name] == nil {
                elements[elements.count - 1].keys[key.name] = key.offset
            }
        }
    }

    /// The position of a key.
    ///
    /// - Parameters:
    ///   - key: the key; nil, or a missing one, for the beginning of the dictionary.
    ///   - index: the number of the dictionary among those elements that are dictionaries with at least one key.
    /// - Returns: line and column; nil if there is no such dictionary.
    public func position(ofKey key: String?, inDictionary index: Int) -> PropertyListFault.Position? {
        guard elements.indices.contains(index) else { return nil }
        let element = elements[index]
        return text.position(of: key.flatMap { element.keys[$0] } ?? element.start)
    }
}
