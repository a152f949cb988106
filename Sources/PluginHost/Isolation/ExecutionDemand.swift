import HostBasics
import HostRecords
internal import PluginABI
import Synchronization

/// What an extension point demands of the place where the code of its plug-ins runs, compared with the place.
///
/// ``IsolationPolicy/points`` decides before any of the code runs, by what Info.plist declares. This check is for what
/// remains: a bundle that declares nothing, and an application that lists no points.
struct ExecutionDemand {
    /// The point's name.
    let point: String
    /// The least safe place that it allows.
    let least: PluginExecution
    /// The place of the code.
    let place: PluginExecution
    /// Whether the bundle declares the point in its Info.plist.
    let isDeclared: Bool

    /// The demand of a point that is not met; nil if it is.
    ///
    /// Code that is linked into the program is the application's own, so it may be anywhere.
    ///
    /// - Parameters:
    ///   - point: the point's name.
    ///   - execution: what the point itself states, as far as the caller knows it.
    ///   - place: where the code runs.
    ///   - bundle: the bundle of the code.
    ///
    /// **Cost.** Without a demand and a policy: one load of an atomic.
    init?(_ point: String, _ execution: PluginExecution, in place: PluginExecution, of bundle: PluginBundle) {
        let least = max(execution, Self.ofPolicy(point))
        guard place < least, !bundle.isLinked else { return nil }
        self.point = point
        self.least = least
        self.place = place
        isDeclared = bundle.manifest.extensions.contains { $0.extensionPoint == point }
    }

    private static func ofPolicy(_ point: String) -> PluginExecution {
        guard PlacementDecider.policy.isPresent, let policy = HostEnvironment.current.isolationPolicy?.policy else {
            return .inProcess
        }
        return policy.demand(ofPoints: [point])
    }

    /// The error of a load.
    var finding: PluginFinding {
        let remedy =
            isDeclared
            ? "The application must state the point in HostEnvironment.current.isolation.points before it loads plug-ins."
            : "Declare the point in PHFactories of the plug-in's Info.plist, so that the application can choose the place "
                + "before the code runs."
        return PluginFinding(
            .executionConflict, subject: point,
            message:
                "The extension point \(quoted(point)) demands that its plug-ins run \(quoted(least.description)) or "
                + "safer, but the code that registers a provider for it runs \(quoted(place.description)).",
            remedy: remedy)
    }
}

/// What this process is to the code that it loads.
enum ProcessPlace {
    private static let number = Atomic(PluginExecution.inProcess.rawValue)

    /// Set once by a worker, before it loads anything.
    static var current: PluginExecution {
        get { PluginExecution(rawValue: number.load(ordering: .relaxed)) ?? .inProcess }
        set { number.store(newValue.rawValue, ordering: .relaxed) }
    }
}
