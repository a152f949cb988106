import HostBasics
import Synchronization

extension PluginBundle {
    /// Reports that a step begins.
    ///
    /// Call this without a lock. If there is no function and no journal, a load only pays for reading one number.
    @inline(__always)
    func begin(_ step: LoadStep) {
        if HostEnvironment.loadStepReaders.load(ordering: .relaxed) != 0 { report(step) }
    }

    /// The same for a step in another process.
    ///
    /// It cannot end this one, so the crash journal does not name the bundle.
    func beginElsewhere(_ step: LoadStep) { HostEnvironment.current.loadStep?(bundlePath, step) }

    @inline(never)
    private func report(_ step: LoadStep) {
        HeldLocks.preconditionNone(before: "the application's function that notes the steps of a load")
        if HostEnvironment.loadStepReaders.load(ordering: .acquiring) & HostEnvironment.journalReadsSteps != 0 {
            CrashJournal.note(step, of: self)
            if step == .end, let code = mappedCode {
                CrashJournal.note(isRemote: code.registrations.isRemote, of: self)
            }
        }
        HostEnvironment.current.loadStep?(bundlePath, step)
    }
}
