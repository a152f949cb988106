/// A number that represents all calls made so far to an object in another process.
///
/// If two objects of one provider have the same known history, the same calls were made to them in the same order with
/// the same values. So they have the same state, as far as calls determine it.
@_spi(PluginHost)
public struct CallHistory: RawRepresentable, Sendable, Hashable {
    /// The number.
    public let rawValue: UInt64

    /// A history with the given number.
    public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// No call yet.
    public static let none = Self(rawValue: 0)
    /// Some calls were not recorded, or their values do not determine their effect.
    public static let unknown = Self(rawValue: .max)

    /// The history after one more call.
    ///
    /// - Parameters:
    ///   - method: the name of the method.
    ///   - digest: the ``MessageBytes/digest(_:)`` of its arguments.
    /// - Returns: a different number; unknown for an unknown history.
    public func adding(_ method: String, _ digest: UInt64) -> CallHistory {
        guard self != .unknown else { return .unknown }
        var hasher = Hasher()
        hasher.combine(rawValue)
        hasher.combine(method)
        hasher.combine(digest)
        let number = UInt64(truncatingIfNeeded: hasher.finalize())
        // Avoids the two reserved numbers, `none` and `unknown`.
        return CallHistory(rawValue: min(max(number, 1), .max - 1))
    }
}
