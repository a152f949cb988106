/// Numbers by values of a document's attributes: a dictionary that makes no string of its keys.
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
    ///   - count: how many values it has room for; it grows with more.
    public init(_ document: XMLDocument, reserving count: Int) {
        self.document = document
        places = RowPlaces(reserving: count)
        rows.reserveCapacity(count)
    }

    /// Enters the value of an attribute; returns the number of an equal one that is there, and then enters nothing.
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

    /// The values, in the order in which they were entered.
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

    /// Whether two attributes have the same value; an attribute that is missing, which is nil, has the empty one.
    public func haveEqualValues(_ first: Int?, _ second: Int?) -> Bool {
        guard let first, let second else { return (first ?? second).map(isEmpty(valueOf:)) ?? true }
        guard attributes[first].isEncoded || attributes[second].isEncoded else { return areSameValues(first, second) }
        return value(ofAttribute: first).utf8.elementsEqual(value(ofAttribute: second).utf8)
    }
}
