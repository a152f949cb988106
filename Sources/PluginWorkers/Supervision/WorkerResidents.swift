import BundleReading
import HostBasics

/// What a worker runs.
struct WorkerResidents {
    /// A bundle that was loaded in the worker, or is being loaded.
    struct Resident {
        let plugin: PluginInfo
        /// The step under way.
        var step: LoadStep?
        /// How many steps the worker has reported.
        var stepCount = 0
        var isUnloading = false
    }

    /// The bundles, by their numbers.
    var loaded: [UInt32: Resident] = [:]
    /// The bundles that were unloaded; their objects may still exist.
    var former: [UInt32: Resident] = [:]
    private var lastNumber: UInt32 = 0
    /// The registered providers, by the numbers with which they are called.
    var providers: [UInt32: LoadedReport.ReportedProvider] = [:]
    /// The C functions under way, in any order, with the numbers of their bundles.
    var functions: [UInt32: (bundle: UInt32, name: String)] = [:]

    /// Adds a bundle that is about to be loaded, and returns its number.
    mutating func add(_ plugin: PluginInfo) -> UInt32 {
        lastNumber += 1
        loaded[lastNumber] = Resident(plugin: plugin, step: .opening)
        return lastNumber
    }

    /// The bundles whose code ended the process.
    ///
    /// - Parameter calls: the calls that the process was performing.
    /// - Returns: none if several are loaded and none of them was loading, unloading or called.
    func culprits(_ calls: [LaneCall]) -> [PluginInfo] {
        let called = Set(calls.map(\.bundle))
        let active = loaded.filter { $0.value.step != nil || $0.value.isUnloading || called.contains($0.key) }
        let old = former.filter { called.contains($0.key) }
        if !active.isEmpty || !old.isEmpty { return (Array(active.values) + Array(old.values)).map(\.plugin) }
        // A single bundle is to blame even if no call was under way, because its threads keep running.
        return loaded.count == 1 ? loaded.values.map(\.plugin) : []
    }

    /// What the worker runs now.
    ///
    /// - Parameter call: the call under way, if there is one.
    /// - Returns: the step of a load or an unload, the call, or `idle`.
    func phase(_ call: LaneCall?) -> WorkerEnd.Phase {
        for resident in loaded.values {
            if resident.isUnloading { return .deactivate }
            switch resident.step {
            case .opening: return .open
            case .entry: return .enter
            case .activation: return .activate
            case .end, nil: break
            }
        }
        guard let call else { return .idle }
        guard let provider = providers[call.provider] else {
            let function = functions.values.first { $0.bundle == call.bundle } ?? functions.values.first
            return function.map { .call(provider: "", method: $0.name) } ?? .idle
        }
        if !call.isOfMethod { return .make(provider.name) }
        let methods = provider.methods ?? []
        return .call(
            provider: provider.name, method: call.method < methods.count ? methods[Int(call.method)] : "\(call.method)")
    }
}
