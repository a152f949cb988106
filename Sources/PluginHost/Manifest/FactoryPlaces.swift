import Glibc
internal import PropertyLists

/// Where the values of one entry of `PHFactories` stand in a list.
struct FactoryPlaces {
    private var name, extensionPoint, version, displayName, order: ListPlace?

    mutating func note(_ key: UnsafeBufferPointer<UInt8>, _ place: ListPlace) {
        switch key.count {
        case 4 where Self.isSpelled(key, "name"): name = place
        case 5 where Self.isSpelled(key, "order"): order = place
        case 7 where Self.isSpelled(key, "version"): version = place
        case 11 where Self.isSpelled(key, "displayName"): displayName = place
        case 14 where Self.isSpelled(key, "extensionPoint"): extensionPoint = place
        default: break
        }
    }

    /// The factory, or nil if any of its values is missing or not as ``ManifestDecoder`` expects it.
    func factory(in text: ListText) -> Manifest.Factory? {
        func string(_ place: ListPlace?) -> String? {
            guard let place, case .string(let text)? = text.value(at: place), !text.isEmpty else { return nil }
            return text
        }
        func number(_ place: ListPlace?, else other: Int, in range: ClosedRange<Int64>) -> Int? {
            guard let place else { return other }
            guard case .integer(let number)? = text.value(at: place), range.contains(number) else { return nil }
            return Int(number)
        }
        guard let name = string(name), let version = number(version, else: 1, in: 1...Int64(UInt32.max)),
            let order = number(order, else: 0, in: Int64(Int32.min)...Int64(Int32.max))
        else { return nil }
        let point = string(extensionPoint)
        let displayName = string(displayName)
        guard (point != nil) == (extensionPoint != nil), (displayName != nil) == (self.displayName != nil) else {
            return nil
        }
        return Manifest.Factory(
            name: name, extensionPoint: point, version: version, displayName: displayName, order: order)
    }

    private static func isSpelled(_ key: UnsafeBufferPointer<UInt8>, _ spelling: StaticString) -> Bool {
        memcmp(key.baseAddress!, spelling.utf8Start, key.count) == 0
    }
}
