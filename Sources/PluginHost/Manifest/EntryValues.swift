import Glibc
internal import PropertyLists

/// The keys of the dictionaries in `PHFactories` and `PHExtensionPoints`.
enum EntryKey: Int, CaseIterable {
    case name, extensionPoint, version, displayName, order

    /// The key as it stands in the dictionary.
    var spelling: String {
        switch self {
        case .name: "name"
        case .extensionPoint: "extensionPoint"
        case .version: "version"
        case .displayName: "displayName"
        case .order: "order"
        }
    }

    /// The key of a spelling, nil for one that the host does not read.
    init?(_ spelling: UnsafeBufferPointer<UInt8>) {
        guard let key = Self.allCases.first(where: { $0.isSpelled(spelling) }) else { return nil }
        self = key
    }

    private func isSpelled(_ other: UnsafeBufferPointer<UInt8>) -> Bool {
        var spelling = spelling
        return spelling.withUTF8 {
            $0.count == other.count && memcmp($0.baseAddress!, other.baseAddress!, $0.count) == 0
        }
    }
}

/// The values of one dictionary in `PHFactories` or `PHExtensionPoints`.
struct EntryValues {
    private var list: [String: PropertyList] = [:]
    /// The list where it is read by places.
    private var text: ListText?
    private var places = InlineArray<5, ListPlace?>(repeating: nil)

    init(_ list: [String: PropertyList]) {
        self.list = list
    }

    init(_ text: ListText) {
        self.text = text
    }

    /// Remembers where a value stands in the text.
    mutating func note(_ spelling: UnsafeBufferPointer<UInt8>, _ place: ListPlace) {
        if let key = EntryKey(spelling) { places[key.rawValue] = place }
    }

    subscript(key: EntryKey) -> ListEntry {
        guard let text else { return ListEntry(key.spelling, in: list) }
        return ListEntry(key: key.spelling, value: places[key.rawValue].flatMap(text.value))
    }
}
