public import HostBasics

/// Something that happened to a worker process.
public struct WorkerEvent: Sendable {
    /// What happened.
    ///
    /// More kinds may be added in later versions.
    public enum Kind: Sendable, Hashable {
        /// It is ready to load plug-ins.
        case started
        /// A call has had no answer for five seconds.
        case unresponsive
        /// The call was answered after all.
        case responsive
        /// It has ended.
        case ended(WorkerEnd)
        /// It ended too often, so the plug-in is in quarantine.
        case quarantined(identifier: String)
    }

    /// What happened.
    public let kind: Kind
    /// The worker.
    public let worker: PluginWorker
}
