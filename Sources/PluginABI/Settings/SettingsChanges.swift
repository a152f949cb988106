/// A change of a plug-in's settings.
public struct SettingsChange: Sendable, Hashable {
    /// The keys whose value is different now.
    public let keys: Set<String>

    /// Whether the value of a setting is different now.
    public func contains<Value>(_ setting: Setting<Value>) -> Bool { keys.contains(setting.key) }
}

/// The changes of a plug-in's settings, for `for await`.
///
/// Each loop sees every change that happens after it began. A loop that is slower than the changes gets them in one: the
/// union of their keys. The loop ends when its task is cancelled, and for a plug-in also when it is deactivated.
public struct SettingsChanges: AsyncSequence, Sendable {
    /// What the sequence consists of.
    public typealias Element = SettingsChange
    /// The sequence does not fail.
    public typealias Failure = Never

    let audience: ChangeAudience

    /// Begins to collect changes.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(listener: audience.makeListener()) }

    /// The changes for one loop.
    public struct AsyncIterator: AsyncIteratorProtocol, Sendable {
        let listener: ChangeListener

        /// The changes since the last call; waits for one.
        ///
        /// - Returns: nil once the loop is to end.
        public mutating func next() async -> SettingsChange? { await listener.next() }

        /// The changes since the last call; waits for one.
        ///
        /// - Parameter actor: the actor on which the loop runs; not needed.
        /// - Returns: nil once the loop is to end.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> SettingsChange? {
            await listener.next()
        }
    }
}

/// The loops that wait for changes of one plug-in's settings.
final class ChangeAudience: Sendable {
    private struct State {
        var listeners: [Int: WeakListener] = [:]
        var made = 0
        var isOver = false
    }

    private struct WeakListener {
        weak var listener: ChangeListener?
    }

    private let state = ObservedMutex(State())

    func makeListener() -> ChangeListener {
        let number = state.withLock { state in
            state.made += 1
            return state.made
        }
        let listener = ChangeListener(number, self)
        let isOver = state.withLock { state in
            if !state.isOver { state.listeners[number] = WeakListener(listener: listener) }
            return state.isOver
        }
        if isOver { listener.end() }
        return listener
    }

    func remove(_ number: Int) { state.withLock { _ = $0.listeners.removeValue(forKey: number) } }

    /// Reports changed keys to every loop; call it without a lock, because a resumed task may run at once.
    func publish(_ keys: Set<String>) {
        for listener in all { listener.add(keys) }
    }

    func end() {
        state.withLock { $0.isOver = true }
        for listener in all { listener.end() }
    }

    private var all: [ChangeListener] { state.withLock { $0.listeners.values.compactMap(\.listener) } }
}

/// Collects the changes for one loop.
final class ChangeListener: Sendable {
    private struct State {
        var keys: Set<String> = []
        var waiting: CheckedContinuation<SettingsChange?, Never>?
        var isOver = false
    }

    private let number: Int
    private let audience: ChangeAudience
    private let state = ObservedMutex(State())

    init(_ number: Int, _ audience: ChangeAudience) {
        self.number = number
        self.audience = audience
    }

    deinit { audience.remove(number) }

    func add(_ keys: Set<String>) {
        let waiting = state.withLock { state in
            guard !state.isOver else { return CheckedContinuation<SettingsChange?, Never>?.none }
            if state.waiting == nil { state.keys.formUnion(keys) }
            return state.waiting.take()
        }
        waiting?.resume(returning: SettingsChange(keys: keys))
    }

    func end() {
        let waiting = state.withLock { state in
            state.isOver = true
            return state.waiting.take()
        }
        waiting?.resume(returning: nil)
    }

    func next() async -> SettingsChange? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let result: SettingsChange?? = state.withLock { state in
                    if !state.keys.isEmpty {
                        let change = SettingsChange(keys: state.keys)
                        state.keys = []
                        return .some(change)
                    }
                    // A second task that waits for the same iterator would lose the first one's continuation.
                    if state.isOver || state.waiting != nil { return .some(nil) }
                    state.waiting = continuation
                    return .none
                }
                if let result { continuation.resume(returning: result) }
            }
        } onCancel: {
            end()
        }
    }
}
