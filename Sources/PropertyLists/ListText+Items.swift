/// The position of a value in a list that was scanned by ``ListText/forEachItem(_:)``.
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
    /// Receives the key of an entry and the position of its value; returns false to end the scan.
    public typealias ItemBody = (_ key: UnsafeBufferPointer<UInt8>, _ value: ListPlace) -> Bool

    /// Calls a function with each entry of an XML list's outermost dictionary, in the order of the file, if the list
    /// has the form of nearly every Info.plist: UTF-8, Apple's document type or none, dictionaries, arrays, strings,
    /// whole numbers and Booleans, and no repeated key in a dictionary.
    ///
    /// This is the fast way to the results of ``PropertyListReader/read(_:limits:)-(UnsafeRawBufferPointer,_)``: it
    /// creates no dictionary, and only those values that are requested. If it finds something that it does not
    /// recognise, in particular a fault, the whole list is left to that reader.
    ///
    /// - Parameter body: may receive entries of a list that later turns out not to be recognised.
    /// - Returns: whether the list was recognised to its end. If so, it is within the standard limits.
    ///
    /// **Cost.** One nanosecond for two or three bytes; no memory.
    public func forEachItem(_ body: ItemBody) -> Bool {
        // The size is limited, so that the list cannot contain more values than the limits allow.
        guard count <= Self.largestScanned else { return false }
        return withUnsafeTemporaryAllocation(of: UInt64.self, capacity: 128) { keys in
            var scan = FastXMLScanner(self, keys: keys)
            return scan.run(body)
        }
    }

    /// Calls a function with each entry of the dictionaries in an array, in the order of the file.
    ///
    /// - Parameters:
    ///   - place: the position of the array, from the scan of this text.
    ///   - body: receives the dictionary's index in the array with each entry; returns false to end the scan.
    /// - Returns: whether the array contains only non-empty dictionaries, and all were scanned.
    ///
    /// **Cost.** One nanosecond for two or three bytes; no memory.
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

    /// The value at a position that the scan of this text reported; created at each call.
    ///
    /// - Returns: the value; for some places nil if the text was not recognised to its end.
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
