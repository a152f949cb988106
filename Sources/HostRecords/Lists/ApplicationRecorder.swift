import Glibc
import HostBasics
import Synchronization

/// Keeps the record of this process's application up to date.
///
/// The file is read once, and written when a new fact becomes known, while no lock is held. If a write fails, the next
/// fact or the next refresh of a catalogue tries again. If two processes write at the same time, the later one wins, and
/// the other adds its facts again after its next start.
///
/// **Threads.** Any.
package final class ApplicationRecorder: Sendable {
    private struct State {
        /// The file; nil until a catalogue is created with the application's name.
        package var path: String?
        /// The content of the file, as far as this process has read or written it.
        package var written: ApplicationRecord?
        package var services: Set<ApplicationRecord.Point> = []
        package var requests: Set<ApplicationRecord.Point> = []
        /// Nil for a plug-in that no longer runs in a worker.
        package var placings: [String: ApplicationRecord.Placing?] = [:]
        /// Whether a thread is writing; it also writes what becomes known meanwhile.
        package var isWriting = false
    }

    /// The application's version, which it may state at any time.
    private let version: @Sendable () -> String
    private let state = Lock(State())
    /// Whether the application has requested a version of an extension point where a plug-in declares another version.
    ///
    /// Requested versions are recorded only then.
    private let notesRequests = Atomic(false)
    /// Whether a policy has decided about a plug-in that it runs in a worker, in this process or an earlier one.
    private let hasPlacings = Atomic(false)
    /// Whether the last write failed.
    private let hasFailed = Atomic(false)

    package init(version: @escaping @Sendable () -> String) { self.version = version }

    /// Starts to keep the record of an application, in a directory of indexes.
    package func begin(_ application: String, in directory: String?) {
        guard let path = ApplicationRecord.path(of: application, in: directory) else { return }
        let written = ApplicationRecord(path: path)
        state.withLock { ($0.path, $0.written) = (path, written) }
        if !(written?.requests.isEmpty ?? true) { notesRequests.store(true, ordering: .relaxed) }
        if !(written?.placings.isEmpty ?? true) { hasPlacings.store(true, ordering: .relaxed) }
        write()
    }

    /// Records a service that the application provides.
    package func noteService(_ point: String, _ version: UInt32) {
        if state.withLock({ $0.services.insert(.init(name: point, version: version)).inserted }) { write() }
    }

    /// Records that the application requested a version of an extension point.
    ///
    /// `skipsOthers`: whether plug-ins declare another version.
    ///
    /// - Returns: whether they do, and this request was not known before.
    ///
    /// **Cost.** Reading one number, until a request has skipped another version.
    package func noteRequest(_ point: String, _ version: UInt32, skipsOthers: Bool) -> Bool {
        guard skipsOthers || notesRequests.load(ordering: .relaxed) else { return false }
        if skipsOthers { notesRequests.store(true, ordering: .relaxed) }
        let isNew = state.withLock { $0.requests.insert(.init(name: point, version: version)).inserted }
        guard isNew else { return false }
        write()
        return skipsOthers
    }

    /// Records what the application's policy decided about a plug-in; nil if it runs in the application's process.
    package func note(_ placing: ApplicationRecord.Placing?, of identifier: String) {
        if placing != nil { hasPlacings.store(true, ordering: .relaxed) }
        let isNew = state.withLock { state in
            let known = state.placings[identifier] ?? state.written?.placings[identifier]
            guard known != placing, state.placings.count < ApplicationRecord.mostPoints else { return false }
            state.placings[identifier] = .some(placing)
            return true
        }
        if isNew { write() }
    }

    /// Records that a plug-in runs in the application's process, although no policy decides about it.
    ///
    /// **Cost.** Reading one number, until a policy has let a plug-in run in a worker.
    package func noteOwnProcess(of identifier: @autoclosure () -> String) {
        if hasPlacings.load(ordering: .relaxed) { note(nil, of: identifier()) }
    }

    /// Tries again if the last write failed.
    ///
    /// **Cost.** Reading one number if it did not.
    package func retry() {
        if hasFailed.exchange(false, ordering: .relaxed) { write() }
    }

    private func write() {
        let isFree = state.withLock { state in
            defer { state.isWriting = true }
            return !state.isWriting
        }
        guard isFree else { return }
        while let (record, path) = next() {
            guard record.write(to: path) else {
                hasFailed.store(true, ordering: .relaxed)
                return state.withLock { $0.isWriting = false }
            }
            state.withLock { if $0.path == path { $0.written = record } }
        }
    }

    /// What the file lacks; nil ends the writing.
    private func next() -> (ApplicationRecord, String)? {
        // Read outside the lock, because the environment contains closures of the application.
        let version = version()
        let program = Path.mainProgram
        let time = FileIdentity(path: program)?.modified ?? 0
        return state.withLock { state in
            var record = ApplicationRecord(version: version, program: program, programTime: time)
            (record.services, record.requests) = (state.services, state.requests)
            if let written = state.written { record.add(written) }
            for (identifier, placing) in state.placings { record.placings[identifier] = placing }
            guard let path = state.path, record != state.written else {
                state.isWriting = false
                return nil
            }
            return (record, path)
        }
    }
}
