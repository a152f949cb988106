import HostBasics
import HostRecords
import Synchronization

extension PluginBundle {
    /// Reports that a step of the load begins.
    ///
    /// Call this without a lock. Without an observer function or a journal, a load only pays for reading one number.
    @inline(__always)
    func begin(_ step: LoadStep) {
        if HostEnvironment.loadStepReaders.load(ordering: .relaxed) != 0 { report(step) }
    }

    /// Reports that a step in another process begins.
    ///
    /// Such a step cannot end this process, so the crash journal does not name the bundle.
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
