/// A dictionary from values of a document's attributes to numbers.
///
/// It creates no strings for its keys.
///
/// Values are equal if their bytes are, after their references are replaced.
public struct XMLValueTable: Sendable {
    private let document: XMLDocument
    private var places: RowPlaces
    private var rows: [(attribute: Int, number: Int)] = []

    /// An empty table.
    ///
    /// - Parameters:
    ///   - document: the document of the attributes.
    ///   - count: the number of values to reserve memory for; the table grows if there are more.
    public init(_ document: XMLDocument, reserving count: Int) {
        self.document = document
        places = RowPlaces(reserving: count)
        rows.reserveCapacity(count)
    }

    /// Adds the value of an attribute with a number.
    ///
    /// If the table already has an equal value, adds nothing and returns that value's number.
    public mutating func insert(_ attribute: Int, _ number: Int) -> Int? {
        let hash = document.hash(ofValue: attribute)
        if let known = row(of: attribute, hash) { return rows[known].number }
        places.append(hash) { [document, rows] in document.hash(ofValue: rows[$0].attribute) }
        rows.append((attribute, number))
        return nil
    }

    /// The number of the value of an attribute.
    public func number(of attribute: Int) -> Int? {
        row(of: attribute, document.hash(ofValue: attribute)).map { rows[$0].number }
    }

    /// The number of a value.
    public func number(of value: String) -> Int? {
        var value = value
        let hash = value.withUTF8 { RowPlaces.hash($0, at: 0, count: $0.count) }
        return places.row(hash) { document.value(ofAttribute: rows[$0].attribute).utf8.elementsEqual(value.utf8) }
            .map { rows[$0].number }
    }

    /// The values, in the order in which they were added.
    public var values: [String] { rows.map { document.value(ofAttribute: $0.attribute) } }

    private func row(of attribute: Int, _ hash: UInt64) -> Int? {
        places.row(hash) { document.haveEqualValues(rows[$0].attribute, attribute) }
    }
}

extension XMLDocument {
    fileprivate func hash(ofValue attribute: Int) -> UInt64 {
        let row = attributes[attribute]
        guard !row.isEncoded else {
            var text = value(ofAttribute: attribute)
            return text.withUTF8 { RowPlaces.hash($0, at: 0, count: $0.count) }
        }
        return bytes.withUnsafeBufferPointer {
            RowPlaces.hash($0, at: Int(row.valueStart), count: Int(row.valueLength))
        }
    }

    /// Whether two attributes have the same value.
    ///
    /// A missing attribute (nil) has the empty value.
    public func haveEqualValues(_ first: Int?, _ second: Int?) -> Bool {
        guard let first, let second else { return (first ?? second).map(isEmpty(valueOf:)) ?? true }
        guard attributes[first].isEncoded || attributes[second].isEncoded else { return areSameValues(first, second) }
        return value(ofAttribute: first).utf8.elementsEqual(value(ofAttribute: second).utf8)
    }
}
