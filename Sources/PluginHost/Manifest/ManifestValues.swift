internal import PropertyLists

/// The values of the keys that the host reads.
struct ManifestValues {
    private let list: [String: PropertyList]
    /// The list where it is read by places.
    private let text: ListText?
    private let places: ManifestPlaces

    init(_ list: [String: PropertyList]) {
        self.list = list
        text = nil
        places = ManifestPlaces()
    }

    /// The values of a list that was recognised. Only those that are asked for are made.
    init(_ text: ListText, at places: ManifestPlaces) {
        list = [:]
        self.text = text
        self.places = places
    }

    /// Whether the list has a key, whatever its value.
    func has(_ key: ManifestKey) -> Bool {
        text == nil ? list[key.spelling] != nil : places[key] != nil
    }

    /// The dictionaries in an array, read without making them: a catalogue reads as many as there are plug-ins. Nil where
    /// the value is to be read as a whole, above all where it is something else.
    func entries(of key: ManifestKey) -> [ItemValues]? {
        guard let text, let place = places[key] else { return nil }
        var entries: [ItemValues] = []
        let isRead = text.forEachItem(ofDictionariesAt: place) { number, key, value in
            if number == entries.count { entries.append(ItemValues(text)) }
            entries[number].note(key, value)
            return true
        }
        return isRead ? entries : nil
    }

    subscript(key: ManifestKey) -> ListItem {
        guard let text else { return ListItem(key.spelling, in: list) }
        return ListItem(key: key.spelling, value: places[key].flatMap(text.value))
    }
}

/// Where the values of the keys that the host reads stand in a list.
struct ManifestPlaces {
    private var places = InlineArray<26, ListPlace?>(repeating: nil)

    init() {
        precondition(ManifestKey.allCases.count == places.count)
    }

    /// Finds the places in a list in the form that nearly all have.
    ///
    /// - Returns: false for a list of another form, or with keys for platforms: then the places mean nothing.
    mutating func recognize(_ text: ListText) -> Bool {
        text.forEachItem { spelling, place in
            if PlatformKeys.mayBeSpecial(spelling) { return false }
            if let key = ManifestKey(spelling) { places[key.rawValue] = place }
            return true
        }
    }

    subscript(key: ManifestKey) -> ListPlace? { places[key.rawValue] }
}

/// A key with its value, nil where the list does not have it.
struct ListItem {
    let key: String
    let value: PropertyList?
}

extension ListItem {
    init(_ key: String, in list: [String: PropertyList]) {
        self.init(key: key, value: list[key])
    }
}
