import CPluginSupport
import Glibc
import HostBasics

/// The functions of C plug-ins that observe the settings of one plug-in.
///
/// They are called one after the other on a thread of their own, which exists while there is something to report: a
/// function that blocks delays neither the change nor other plug-ins.
final class SettingsObservers: Sendable {
    /// The most functions for one plug-in.
    static let most = 1_000

    /// A function with the table to which it belongs.
    private struct Observer: @unchecked Sendable {
        // @unchecked because of the pointers: they are the plug-in's own, and only passed back to it.
        let host: UnsafePointer<plugin_host>
        let function: plugin_settings_observer
        let userData: UnsafeMutableRawPointer?
    }

    private struct State {
        var observers: [Int: Observer] = [:]
        var made = 0
        /// The keys that an observer was not called with yet.
        var pending: [Int: Set<String>] = [:]
        /// The thread that calls observers, and the one that it calls now.
        var thread: pthread_t?
        var isRunning = false
        var called: UnsafePointer<plugin_host>?
    }

    // Sendable because of `Observer`; a pointer is compared, and passed to the plug-in.
    private struct Shared: @unchecked Sendable { var state = State() }

    private let shared = Lock(Shared())

    /// - Returns: false if there are too many.
    func add(
        _ host: UnsafePointer<plugin_host>, _ function: @escaping plugin_settings_observer,
        _ userData: UnsafeMutableRawPointer?
    ) -> Bool {
        let observer = Observer(host: host, function: function, userData: userData)
        return shared.withLock { shared in
            guard shared.state.observers.count < Self.most else { return false }
            shared.state.made += 1
            shared.state.observers[shared.state.made] = observer
            return true
        }
    }

    /// Calls every observer soon, with the changed keys.
    func post(_ keys: Set<String>) {
        let starts = shared.withLock { shared in
            for number in shared.state.observers.keys { shared.state.pending[number, default: []].formUnion(keys) }
            guard !shared.state.isRunning, !shared.state.pending.isEmpty else { return false }
            shared.state.isRunning = true
            return true
        }
        guard starts, DetachedThread.start({ self.run() }) != 0 else { return }
        // The next change tries again.
        shared.withLock { $0.state.isRunning = false }
    }

    /// Removes the observers of a table, and waits until none of them is running, at most two seconds.
    ///
    /// - Returns: false if one was still running then.
    func end(_ host: UnsafePointer<plugin_host>) -> Bool {
        let isOwnThread = removeAll(of: host)
        // An observer may unload its own plug-in.
        if isOwnThread { return true }
        let wait = Wait(atMost: .seconds(2))
        let address = UInt(bitPattern: host)
        while shared.withLock({ UInt(bitPattern: $0.state.called) == address }) {
            guard wait.sleep() else { return false }
        }
        return true
    }

    /// - Returns: whether this thread is the one that calls observers.
    private func removeAll(of host: UnsafePointer<plugin_host>) -> Bool {
        let address = UInt(bitPattern: host), own = pthread_self()
        return shared.withLock { shared in
            let numbers = shared.state.observers.filter { UInt(bitPattern: $0.value.host) == address }.map(\.key)
            for number in numbers {
                shared.state.observers[number] = nil
                shared.state.pending[number] = nil
            }
            return shared.state.isRunning && shared.state.thread.map { pthread_equal($0, own) != 0 } ?? false
        }
    }

    // MARK: The thread

    private struct Call: @unchecked Sendable {
        // @unchecked as for `Observer`.
        let observer: Observer
        let keys: [String]
    }

    private func run() {
        let own = pthread_self()
        while let call = next(own) {
            HeldLocks.preconditionNone(before: "a plug-in's observer of settings")
            Self.withStrings(call.keys) { keys in
                call.observer.function(call.observer.host, keys.baseAddress, keys.count, call.observer.userData)
            }
            shared.withLock { $0.state.called = nil }
        }
    }

    private func next(_ own: pthread_t) -> Call? {
        shared.withLock { shared in
            shared.state.thread = own
            guard let (number, keys) = shared.state.pending.first, let observer = shared.state.observers[number] else {
                shared.state.isRunning = false
                shared.state.thread = nil
                return nil
            }
            shared.state.pending[number] = nil
            shared.state.called = observer.host
            return Call(observer: observer, keys: keys.sorted())
        }
    }

    private static func withStrings(_ texts: [String], _ body: (UnsafeBufferPointer<plugin_string>) -> Void) {
        let bytes = texts.map { Array($0.utf8) + [0] }
        let copies = bytes.map { bytes in
            let copy = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count)
            for (index, byte) in bytes.enumerated() { copy[index] = CChar(bitPattern: byte) }
            return copy
        }
        defer { for copy in copies { copy.deallocate() } }
        let strings = zip(copies, bytes).map { plugin_string(ptr: UnsafePointer($0), len: $1.count - 1) }
        strings.withUnsafeBufferPointer(body)
    }
}
