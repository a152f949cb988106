import Synchronization

/// What decides, in addition to Info.plist, where the code of a bundle runs.
///
/// **Threads.** Any. **Cost.** Each load asks whether there is one: one load of an atomic.
package enum PlacementDecider: UInt8 {
    /// The application's isolation policy.
    case policy = 1
    /// A plug-in that has ended the application before.
    case strikes = 2
    /// The administrator's list for this application.
    case list = 4

    /// The raw values of those that are present.
    private static let present = Atomic<UInt8>(0)

    /// Whether any of them is present.
    package static var isAnyPresent: Bool { present.load(ordering: .acquiring) != 0 }

    package var isPresent: Bool { Self.present.load(ordering: .acquiring) & rawValue != 0 }

    package func note(isPresent: Bool) {
        if isPresent {
            Self.present.bitwiseOr(rawValue, ordering: .releasing)
        } else {
            Self.present.bitwiseAnd(~rawValue, ordering: .releasing)
        }
    }
}
