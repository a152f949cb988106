import HostBasics
import Synchronization

#if FullFoundation
public import Foundation
#endif

/// A bundle's code was loaded.
public struct PluginLoadEvent: Sendable {
    /// The loaded bundle.
    public let bundle: PluginBundle
    let code: LoadedCode

    /// The names of all classes in the bundle's library, qualified by their modules, in the order of the file.
    ///
    /// **Cost.** Reads the library's metadata at each call.
    public var classNames: [String] { code.classNames }
}

/// The state of a bundle changed.
public struct PluginStateChange: Sendable {
    /// The bundle whose state changed.
    public let bundle: PluginBundle
    /// The previous state.
    public let previous: PluginState
    /// The new state.
    public let state: PluginState
}

extension PluginBundle {
    /// All loads in this process after the access: the did-load notification as an asynchronous sequence.
    ///
    /// ```swift
    /// for await event in PluginBundle.loads { print(event.bundle, event.classNames) }
    /// ```
    /// Each access creates a separate stream for one loop. It keeps the latest 1,024 unread events; older ones are
    /// dropped.
    public static var loads: AsyncStream<PluginLoadEvent> { loadListeners.stream() }

    /// All changes of ``state`` of all bundles in this process after the access.
    ///
    /// The changes of one bundle arrive in order.
    ///
    /// ```swift
    /// for await change in PluginBundle.stateChanges { print(change.bundle, change.state) }
    /// ```
    /// Each access creates a separate stream for one loop. It keeps the latest 1,024 unread events; older ones are
    /// dropped.
    public static var stateChanges: AsyncStream<PluginStateChange> { stateListeners.stream() }

    private static let loadListeners = EventListeners<PluginLoadEvent>()
    private static let stateListeners = EventListeners<PluginStateChange>()

    /// The key for the names of the loaded classes in the notification's `userInfo`: a `[String]`.
    public static let loadedClassesKey = "NSLoadedClasses"

    /// Queues a change of state for ``deliverStateChanges()``.
    ///
    /// Call this under the lock of the state.
    @inline(__always)
    func putStateChange(from previous: @autoclosure () -> PluginState, to next: @autoclosure () -> PluginState) {
        guard EventListeners<PluginStateChange>.areWanted else { return }
        Self.stateListeners.put(PluginStateChange(bundle: self, previous: previous(), state: next()))
    }

    /// Delivers the queued changes.
    ///
    /// Call this without a lock.
    @inline(__always)
    static func deliverStateChanges() {
        if EventListeners<PluginStateChange>.areWanted { stateListeners.deliver() }
    }

    /// Announces that the code is loaded.
    ///
    /// Call this without a lock, once for each load.
    func announceLoad(of code: LoadedCode) {
        if EventListeners<PluginLoadEvent>.areWanted {
            Self.loadListeners.put(PluginLoadEvent(bundle: self, code: code))
            Self.loadListeners.deliver()
        }
        #if FullFoundation
        guard Self.isNotificationWanted.load(ordering: .acquiring) else { return }
        HeldLocks.preconditionNone(before: "the observers of a load")
        NotificationCenter.default.post(
            name: Self.didLoadNotification, object: self,
            userInfo: [Self.loadedClassesAnyKey: LoadedClassNames(code)])
        #endif
    }

    #if FullFoundation
    /// Posted to `NotificationCenter.default` once after a bundle's code was loaded.
    ///
    /// It is posted on the thread that loaded the code, with no lock held. The object is the bundle; `userInfo`
    /// contains the names of all its classes, in order, as a `[String]` under ``loadedClassesKey``. The name is the
    /// same as on Apple's systems.
    ///
    /// It is posted only after this property was read once, which every observer does in order to subscribe. An
    /// observer of all names (`nil`), or one that spells the name as text, must read the property once before it
    /// observes. The reason is the cost: to post an object, Foundation performs casts that search the conformances of
    /// every loaded library again after each load. In a process with many plug-ins that takes longer than the load, and
    /// most hosts have no observer.
    public static var didLoadNotification: Notification.Name {
        isNotificationWanted.store(true, ordering: .releasing)
        return Notification.Name("NSBundleDidLoadNotification")
    }

    private static let isNotificationWanted = Atomic(false)

    /// The key of the class names, boxed once instead of at each load.
    ///
    /// `unsafe` only because the compiler cannot see that it contains a String.
    nonisolated(unsafe) private static let loadedClassesAnyKey = AnyHashable(loadedClassesKey)
    #endif
}

#if FullFoundation
/// The class names as an array that reads them at the first access.
///
/// Most observers never access it, and reading the library's metadata costs as much as a load. `as? [String]` works as
/// on any NSArray.
private final class LoadedClassNames: NSArray {
    private let code: LoadedCode?
    private let found = Lock<[String]?>(nil)

    init(_ code: LoadedCode?) {
        self.code = code
        super.init(objects: nil, count: 0)
    }

    required init?(coder: NSCoder) { nil }

    required convenience init(objects: UnsafePointer<AnyObject>?, count: Int) { self.init(nil) }

    required convenience init(arrayLiteral elements: Any...) { self.init(nil) }

    private var names: [String] {
        if let known = found.withLock({ $0 }) { return known }
        // Outside the lock, because reading the names takes a lock of the dynamic linker.
        let names = code?.classNames ?? []
        found.withLock { $0 = names }
        return names
    }

    override var count: Int { names.count }
    override func object(at index: Int) -> Any { names[index] }
    override func copy(with zone: NSZone? = nil) -> Any { self }
}
#endif
