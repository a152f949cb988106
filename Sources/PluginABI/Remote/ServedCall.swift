import Glibc
import Synchronization

/// A request of another process that this process is performing.
///
/// First its values are read. From then until the answer is sent, this side has the turn on the channel: it may call
/// the request's callbacks, and make its own requests.
@usableFromInline
final class ServedCall: Sendable {
    let connection: any RemoteConnection
    let channel: any RemoteChannel
    /// How many requests of the other side are in progress on this channel, including this one.
    let depth: Int

    enum Progress {
        case reading, performing, answered
    }

    private struct State {
        var progress = Progress.reading
        /// Whether this side has the turn.
        var isOpen = false
        var isBusy = false
    }

    /// The standard library's lock, for the reason given in `PluginRegistrar`; it is never held while other code runs.
    private let state = ObservedMutex(State())

    init(connection: any RemoteConnection, channel: any RemoteChannel, depth: Int) {
        self.connection = connection
        self.channel = channel
        self.depth = depth
    }

    var progress: Progress { state.withLock(\.progress) }

    /// Reuses the object for the next request; there must be no other reference to it.
    func begin() { state.withLock { $0 = State() } }

    /// Marks the values as read; the plug-in's code runs next.
    func perform() {
        state.withLock { state in
            state.progress = .performing
            state.isOpen = true
        }
    }

    /// Sends the result.
    @usableFromInline
    func reply(_ write: (inout RemoteWriter) throws -> Void) throws {
        close()
        try channel.send(RemoteHead(.returned), write)
        state.withLock { $0.progress = .answered }
    }

    /// Takes the turn for a request.
    ///
    /// - Returns: whether a request can be made: the call is open, and no other request is in progress.
    func takeTurn() -> Bool {
        state.withLock { state in
            guard state.isOpen, !state.isBusy else { return false }
            state.isBusy = true
            return true
        }
    }

    /// Gives the turn back.
    func giveTurnBack() { state.withLock { $0.isBusy = false } }

    /// Closes the call, so that its callbacks can no longer be used.
    ///
    /// If the plug-in returns while another of its threads is in a callback, this waits for the callback, because the
    /// answer needs the channel. Polling is enough, because this is rare.
    func close() {
        while state.withLock({ state in
            state.isOpen = false
            return state.isBusy
        }) {
            usleep(200)
        }
    }

    /// Calls a callback that was passed with the request.
    ///
    /// - Throws: the callback's error; ``RemoteFailure`` with code `callRefused` if the call has ended or another
    ///   request is in progress.
    @usableFromInline
    func callBack(
        _ number: UInt32, write: (inout RemoteWriter) throws -> Void, read: (inout RemoteReader) throws -> Void
    ) throws {
        guard takeTurn() else {
            throw state.withLock(\.isOpen)
                ? RemoteFailure(
                    .callRefused, "A callback is called while another callback of the same call is running.",
                    remedy: "Call the callbacks of one call one at a time.")
                : RemoteFailure(
                    .callRefused, "A callback is called after the call that passed it has returned.",
                    remedy: "Use a callback only until the method returns to which it was passed.")
        }
        defer { giveTurnBack() }
        var exchange = RemoteExchange(over: connection, on: channel, depth: depth)
        try exchange.request(RemoteHead(.callback, method: number), write: write, read: read)
    }
}
