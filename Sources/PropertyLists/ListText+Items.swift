/// Where a value stands in a list that ``ListText/forEachItem(_:)`` walked through.
public struct ListPlace: Sendable {
    enum Form: UInt8 {
        /// The text of a string, without references.
        case text
        case `true`, `false`
        /// An element with its tags.
        case element
    }

    let start: UInt32
    let count: UInt32
    let form: Form
}

extension ListText {
    /// Gets the key of an entry and where its value stands; ends the walk with false.
    public typealias ItemBody = (_ key: UnsafeBufferPointer<UInt8>, _ value: ListPlace) -> Bool

    /// Calls a function with each entry of an XML list's outermost dictionary, in the order of the file, if the list has
    /// the form that nearly every Info.plist has: UTF-8, Apple's document type or none, dictionaries, arrays, strings,
    /// whole numbers and Booleans, no key twice in one dictionary.
    ///
    /// This is the fast way to what ``PropertyListReader/read(_:limits:)-(UnsafeRawBufferPointer,_)`` gives: it makes no
    /// dictionary and, of the values, those alone that are asked for. Whatever it does not recognise, above all what is
    /// wrong, it leaves to that reader as a whole.
    ///
    /// - Parameter body: may be called with entries of a list that is then not recognised.
    /// - Returns: whether the list was recognised to its end. If so, the standard limits are kept.
    ///
    /// **Cost.** A nanosecond for two or three bytes; no memory.
    public func forEachItem(_ body: ItemBody) -> Bool {
        // Not larger, so that it cannot hold as many values as a limit forbids.
        guard count <= Self.largestScanned else { return false }
        return withUnsafeTemporaryAllocation(of: UInt64.self, capacity: 128) { keys in
            var scan = FastXMLScanner(self, keys: keys)
            return scan.run(body)
        }
    }

    /// Calls a function with each entry of the dictionaries in an array, in the order of the file.
    ///
    /// - Parameters:
    ///   - place: of the array, from the walk through this text.
    ///   - body: gets the dictionary's number in the array with each entry; ends the walk with false.
    /// - Returns: whether the array holds nothing but dictionaries, none of them empty, and all were walked through.
    ///
    /// **Cost.** A nanosecond for two or three bytes; no memory.
    public func forEachItem(
        ofDictionariesAt place: ListPlace,
        _ body: (_ number: Int, _ key: UnsafeBufferPointer<UInt8>, _ value: ListPlace) -> Bool
    ) -> Bool {
        precondition(Int(place.start) + Int(place.count) <= count)
        return withUnsafeTemporaryAllocation(of: UInt64.self, capacity: 128) { keys in
            var scan = FastXMLScanner(self, keys: keys)
            scan.position = Int(place.start)
            return place.form == .element && scan.readDictionaries(body)
        }
    }

    private static let largestScanned = 1 << 16

    /// The value at a place that the walk through this text gave; made anew at each call.
    ///
    /// - Returns: nil if the text was not recognised to its end, for some places.
    public func value(at place: ListPlace) -> PropertyList? {
        precondition(Int(place.start) + Int(place.count) <= count)
        let content = buffer(Int(place.start)..<Int(place.start) + Int(place.count))
        switch place.form {
        case .text: return .string(String(decoding: content, as: UTF8.self))
        case .true: return .boolean(true)
        case .false: return .boolean(false)
        case .element:
            var scan = FastXMLScanner(self, at: Int(place.start))
            return scan.makeValue()
        }
    }
}
