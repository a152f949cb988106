/// A list as a checker sees it: its readable content, its faults, and the positions of its keys.
///
/// **Threads**: a value; may be shared freely.
public struct InspectedList: Sendable {
    /// A fault with its line.
    public struct Fault: Sendable, Hashable {
        /// The fault and its position.
        public let fault: PropertyListFault
        /// Nil for a fault of a binary list or of the file as a whole.
        public let excerpt: SourceExcerpt?
        /// For a repeated key, the position of its first occurrence.
        public let first: Place?

        init(_ fault: PropertyListFault, excerpt: SourceExcerpt? = nil, first: Place? = nil) {
            self.fault = fault
            self.excerpt = excerpt
            self.first = first
        }
    }

    /// A position in text.
    public struct Place: Sendable, Hashable {
        /// Line and column, or the byte in a binary list.
        public let position: PropertyListFault.Position
        /// The line with the position.
        public let excerpt: SourceExcerpt
    }

    /// The readable content; nil if nothing could be read.
    public internal(set) var value: PropertyList?
    /// The form; nil if the file does not show it.
    public let format: PropertyListFormat?
    /// All faults, in the order of the file; at most ``StringsReader/mostFaults``.
    public internal(set) var faults: [Fault] = []

    private let text: SourceText?
    /// In the order of the text.
    private let keys: [KeyRecord]

    init(fault: PropertyListFault, in text: SourceText? = nil) {
        value = nil
        format = nil
        self.text = text
        keys = []
        faults = [Fault(fault, excerpt: text.flatMap { Self.excerpt(of: fault, in: $0) })]
    }

    /// A binary list; the positions of its keys cannot be shown.
    init(format: PropertyListFormat) {
        self.format = format
        text = nil
        keys = []
    }

    /// `budget`: the remaining budget for a table; nil for a list whose values are kept.
    init(
        value: PropertyList? = nil, format: PropertyListFormat?, text: UnsafeBufferPointer<UInt8>,
        faults: FaultList, keys: [KeyRecord] = [], tableWith budget: ReadingBudget? = nil
    ) {
        self.value = value
        self.format = format
        let source = SourceText(text)
        self.text = source
        self.keys = keys
        let firsts = faults.faults.contains { Self.isDuplicate($0.code) } ? FirstKeys(keys) : nil
        self.faults = faults.faults.sorted { $0.offset < $1.offset }.map { fault in
            let first = Self.isDuplicate(fault.code) ? firsts?.first(equalToKeyAt: fault.offset) : nil
            return Fault(
                PropertyListFault(
                    code: fault.code, position: source.position(of: fault.offset), message: fault.message),
                excerpt: source.excerpt(at: fault.offset),
                first: first.map { Place(position: source.position(of: $0), excerpt: source.excerpt(at: $0)) })
        }
        shorten(further: faults.further + (budget.map { keepTexts($0) } ?? 0))
    }

    private static func isDuplicate(_ code: PropertyListFault.Code) -> Bool {
        code == .duplicateKey || code == .repeatedKey
    }

    /// The positions of all keys.
    ///
    /// They are created at each call, because a list without faults needs none.
    public func keyPlaces() -> KeyPlaces { KeyPlaces(keys) }

    /// The position of a key, given the keys that lead to it; nil if it does not exist, or if the list is binary.
    ///
    /// `places`: the positions of all keys of this list; create them once for several look-ups.
    public func place(ofKey path: [String], in places: KeyPlaces? = nil) -> Place? {
        guard let text, let offset = (places ?? keyPlaces()).offset(of: path) else { return nil }
        return Place(position: text.position(of: offset), excerpt: text.excerpt(at: offset))
    }

    /// The positions of the keys in the dictionaries of an array.
    ///
    /// - Parameter path: the keys that lead to the array.
    /// - Returns: nil if there is no such array, or if the list is binary.
    public func places(inArray path: [String]) -> ElementPlaces? {
        text.flatMap { ElementPlaces(ofArray: path, keys, in: $0) }
    }

    /// Removes the values that are not text from a table and reports them.
    ///
    /// - Returns: how many more such values there are than were reported.
    mutating func keepTexts(_ budget: ReadingBudget) -> Int {
        guard let list = value else { return 0 }
        let entries: [String: String]
        let others: [PropertyListFault]
        let further: Int
        do throws(PropertyListFault) {
            (entries, others, further) = try StringsReader.texts(of: list, budget)
        } catch {
            value = .dictionary([:])
            faults = [Fault(error)]
            return 0
        }
        if case .dictionary(let values)? = value {
            let keys = values.lazy.filter { $0.value.string == nil }.map(\.key).prefix(others.count).sorted()
            let places = keys.isEmpty ? nil : keyPlaces()
            faults += keys.map { key in
                let place = place(ofKey: [key], in: places)
                let found = values[key]?.typeName ?? "no value"
                return Fault(
                    PropertyListFault(
                        code: .valueNotString, position: place?.position ?? .whole,
                        message: "The value of the key \(Excerpt.of(key)) is \(found); a string is expected."),
                    excerpt: place?.excerpt)
            }
            faults.sort { $0.fault.position.isBefore($1.fault.position) }
        } else {
            faults += others.map { Fault($0) }
        }
        value = .dictionary(entries.mapValues(PropertyList.string))
        return further
    }

    /// Keeps as many faults as a report lists.
    ///
    /// - Parameter further: how many there are in addition to those that were created.
    mutating func shorten(further: Int) {
        let most = ReadingBudget.mostFindings
        let left = max(0, faults.count - most) + further
        guard left > 0, let last = faults.prefix(most).last else { return }
        faults.removeSubrange(min(most, faults.count)...)
        faults.append(Fault(StringsReader.further(left, at: last.fault.position), excerpt: last.excerpt))
    }

    private static func excerpt(of fault: PropertyListFault, in text: SourceText) -> SourceExcerpt? {
        guard case .text(let line, let column) = fault.position else { return nil }
        return text.offset(line: line, column: column).map(text.excerpt)
    }
}

extension PropertyListFault.Position {
    fileprivate func isBefore(_ other: Self) -> Bool {
        switch (self, other) {
        case (.text(let line, let column), .text(let otherLine, let otherColumn)):
            (line, column) < (otherLine, otherColumn)
        case (.byte(let offset), .byte(let otherOffset)): offset < otherOffset
        default: false
        }
    }
}

/// Finds the first of equal keys in one dictionary.
private struct FirstKeys {
    private struct Name: Hashable {
        let container: Int
        let name: String
    }

    private var firsts: [Name: Int] = [:]
    private var names: [Int: Name] = [:]

    init(_ keys: [KeyRecord]) {
        for key in keys {
            let name = Name(container: key.container, name: key.name)
            names[key.offset] = name
            if firsts[name] == nil { firsts[name] = key.offset }
        }
    }

    func first(equalToKeyAt offset: Int) -> Int? {
        names[offset].flatMap { firsts[$0] }.flatMap { $0 == offset ? nil : $0 }
    }
}
