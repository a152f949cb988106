import Synchronization

extension PluginBundle {
    /// Reports that a step begins.
    ///
    /// Call this without a lock. If no function is set, a load only pays for reading one number.
    @inline(__always)
    func begin(_ step: LoadStep) {
        if HostEnvironment.reportsLoadSteps.load(ordering: .relaxed) { report(step) }
    }

    @inline(never)
    private func report(_ step: LoadStep) {
        HeldLocks.preconditionNone(before: "the application's function that notes the steps of a load")
        HostEnvironment.current.loadStep?(bundlePath, step)
    }
}
