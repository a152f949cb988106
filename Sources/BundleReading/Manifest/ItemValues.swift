import HostBasics
internal import PropertyLists

/// The keys of the dictionaries in `PHFactories` and `PHExtensionPoints`.
package enum ItemKey: Int, CaseIterable {
    case name, extensionPoint, version, displayName, order

    /// The key as spelled in the dictionary.
    package var spelling: String {
        switch self {
        case .name: "name"
        case .extensionPoint: "extensionPoint"
        case .version: "version"
        case .displayName: "displayName"
        case .order: "order"
        }
    }

    /// The key with a spelling; nil for one that the host does not read.
    ///
    /// The length identifies the key, because no two keys have the same length.
    package init?(_ spelling: UnsafeBufferPointer<UInt8>) {
        switch spelling.count {
        case 4: self = .name
        case 5: self = .order
        case 7: self = .version
        case 11: self = .displayName
        case 14: self = .extensionPoint
        default: return nil
        }
        guard UnsafeRawBufferPointer(spelling).holds(self.spelling) else { return nil }
    }
}

/// The values of one dictionary in `PHFactories` or `PHExtensionPoints`.
struct ItemValues {
    private var list: [String: PropertyList] = [:]
    /// The list, if it is read by positions.
    private var text: ListText?
    private var places = InlineArray<5, ListPlace?>(repeating: nil)

    init(_ list: [String: PropertyList]) {
        self.list = list
    }

    init(_ text: ListText) {
        self.text = text
    }

    /// Records the position of a value in the text.
    package mutating func note(_ spelling: UnsafeBufferPointer<UInt8>, _ place: ListPlace) {
        if let key = ItemKey(spelling) { places[key.rawValue] = place }
    }

    subscript(key: ItemKey) -> ListItem {
        guard let text else { return ListItem(key.spelling, in: list) }
        return ListItem(key: key.spelling, value: places[key.rawValue].flatMap(text.value))
    }
}
