/// What an object in another process was called for so far, as a number.
///
/// Two objects of one provider with the same known history were called in the same order with the same values, so they
/// have the same state as far as their calls decide it.
@_spi(PluginHost)
public struct CallHistory: RawRepresentable, Sendable, Hashable {
    /// The number.
    public let rawValue: UInt64

    /// A history with the given number.
    public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// No call yet.
    public static let none = Self(rawValue: 0)
    /// Some calls were not noted, or their values do not decide what they did.
    public static let unknown = Self(rawValue: .max)

    /// The history with one call more.
    ///
    /// - Parameters:
    ///   - method: the name of the method.
    ///   - digest: the ``MessageBytes/digest(_:)`` of its arguments.
    /// - Returns: another number; unknown for an unknown history.
    public func adding(_ method: String, _ digest: UInt64) -> CallHistory {
        guard self != .unknown else { return .unknown }
        var hasher = Hasher()
        hasher.combine(rawValue)
        hasher.combine(method)
        hasher.combine(digest)
        let number = UInt64(truncatingIfNeeded: hasher.finalize())
        // The two numbers that mean something else are not given.
        return CallHistory(rawValue: min(max(number, 1), .max - 1))
    }
}
