internal import PropertyLists

/// The values of the keys that the host reads.
struct ManifestValues {
    private let list: [String: PropertyList]
    /// The list, if it is read by positions.
    private let text: ListText?
    private let places: ManifestPlaces

    init(_ list: [String: PropertyList]) {
        self.list = list
        text = nil
        places = ManifestPlaces()
    }

    /// The values of a list that was recognised.
    ///
    /// Only requested values are created.
    init(_ text: ListText, at places: ManifestPlaces) {
        list = [:]
        self.text = text
        self.places = places
    }

    /// Whether the list has a key, whatever its value.
    package func has(_ key: ManifestKey) -> Bool {
        text == nil ? list[key.spelling] != nil : places[key] != nil
    }

    /// The dictionaries in an array, read without creating them; nil if the value must be read as a whole.
    ///
    /// For example, a value of another type must be read as a whole. Why this exists: a catalogue reads one such array
    /// per plug-in.
    func dictionaries(of key: ManifestKey) -> [ItemValues]? {
        guard let text, let place = places[key] else { return nil }
        var dictionaries: [ItemValues] = []
        let isRead = text.forEachItem(ofDictionariesAt: place) { number, key, value in
            if number == dictionaries.count { dictionaries.append(ItemValues(text)) }
            dictionaries[number].note(key, value)
            return true
        }
        return isRead ? dictionaries : nil
    }

    subscript(key: ManifestKey) -> ListItem {
        guard let text else { return ListItem(key.spelling, in: list) }
        return ListItem(key: key.spelling, value: places[key].flatMap(text.value))
    }
}

/// The positions of the values that the host reads, in a list.
struct ManifestPlaces {
    // Not an InlineArray, which is copied whenever one of its values is read.
    private var places = [ListPlace?](repeating: nil, count: ManifestKey.allCases.count)

    /// Finds the positions in a list in the usual form.
    ///
    /// - Returns: false for a list of another form, or with platform-specific keys: then the positions are not valid.
    mutating func recognize(_ text: ListText) -> Bool {
        text.forEachItem { spelling, place in
            if PlatformKeys.mayBeSpecial(spelling) { return false }
            if let key = ManifestKey(spelling) { places[key.rawValue] = place }
            return true
        }
    }

    subscript(key: ManifestKey) -> ListPlace? { places[key.rawValue] }
}

/// A key with its value; nil if the list does not have the key.
struct ListItem {
    package let key: String
    package let value: PropertyList?
}

extension ListItem {
    init(_ key: String, in list: [String: PropertyList]) {
        self.init(key: key, value: list[key])
    }
}
