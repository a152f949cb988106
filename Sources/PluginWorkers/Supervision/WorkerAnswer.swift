import HostBasics

/// The answer of a worker to a question, or its end.
enum WorkerAnswer: Sendable {
    case loaded(LoadedReport)
    case failed([PluginFinding])
    case done
    case ended(WorkerEnd)

    /// A question that the worker must answer.
    enum Question: Hashable, Sendable {
        case start
        case load(UInt32)
        case unload(UInt32)
        /// A call of the host itself, by a running number.
        case call(UInt32)
    }

    /// A question that has no answer yet.
    ///
    /// It always gets an answer: the monitor ends a worker that does not answer in time.
    struct Pending: Sendable {
        let reply: Reply<WorkerAnswer>
        /// How long the worker may take.
        let time: Duration
        /// When that time is over.
        var due: UInt64
    }
}
