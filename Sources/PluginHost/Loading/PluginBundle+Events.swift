import Synchronization

#if FullFoundation
public import Foundation
#endif

/// A bundle's code was loaded.
public struct PluginLoadEvent: Sendable {
    /// The bundle, which is loaded now.
    public let bundle: PluginBundle
    let code: LoadedCode

    /// The names of all classes in the bundle's image, qualified by their modules, in the order of the file.
    ///
    /// **Cost.** A walk over the image's metadata at each call.
    public var classNames: [String] { code.classNames }
}

/// A bundle came into another state.
public struct PluginStateChange: Sendable {
    /// The bundle whose state changed.
    public let bundle: PluginBundle
    /// The state before.
    public let previous: PluginState
    /// The state after.
    public let state: PluginState
}

extension PluginBundle {
    /// The loads of the process from this call on: the did-load notification as an asynchronous sequence.
    ///
    /// ```swift
    /// for await event in PluginBundle.loads { print(event.bundle, event.classNames) }
    /// ```
    /// Each use of the property is a stream of its own, for one loop. It keeps the latest 1,024 events that the loop has
    /// not read; older ones are dropped.
    public static var loads: AsyncStream<PluginLoadEvent> { loadListeners.stream() }

    /// The changes of ``state`` of all bundles of the process from this call on. Those of one bundle come in their order.
    ///
    /// ```swift
    /// for await change in PluginBundle.stateChanges { print(change.bundle, change.state) }
    /// ```
    /// Each use of the property is a stream of its own, for one loop. It keeps the latest 1,024 events that the loop has
    /// not read; older ones are dropped.
    public static var stateChanges: AsyncStream<PluginStateChange> { stateListeners.stream() }

    private static let loadListeners = EventListeners<PluginLoadEvent>()
    private static let stateListeners = EventListeners<PluginStateChange>()

    /// The key of the loaded classes' names in the notification's `userInfo`: a `[String]`.
    public static let loadedClassesKey = "NSLoadedClasses"

    /// Puts a change of state down for ``deliverStateChanges()``, under the lock of the state.
    @inline(__always)
    func putStateChange(from previous: @autoclosure () -> PluginState, to next: @autoclosure () -> PluginState) {
        guard EventListeners<PluginStateChange>.areWanted else { return }
        Self.stateListeners.put(PluginStateChange(bundle: self, previous: previous(), state: next()))
    }

    /// Delivers the changes that were put down. Called without a lock.
    @inline(__always)
    static func deliverStateChanges() {
        if EventListeners<PluginStateChange>.areWanted { stateListeners.deliver() }
    }

    /// Tells that the code is in. Called without a lock, once for each load.
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
    /// Posted to `NotificationCenter.default` after a bundle's code was loaded, once, on the thread that loaded it, with
    /// no lock held. The object is the bundle; `userInfo` has the names of all its classes, in order, as a `[String]`
    /// under ``loadedClassesKey``. The name is that of Apple's NSBundle.
    ///
    /// It is posted from the first time on that this property was read, which every observer of it does. An observer
    /// of all names (`nil`), or one that writes the name as text, must read it once before it listens. The reason is
    /// the cost: to post an object, Foundation makes casts that search the conformances of every image anew after each
    /// load; in a process with many plug-ins that takes longer than loading one, and most hosts have no observer.
    public static var didLoadNotification: Notification.Name {
        isNotificationWanted.store(true, ordering: .releasing)
        return Notification.Name("NSBundleDidLoadNotification")
    }

    private static let isNotificationWanted = Atomic(false)

    /// Boxed once, and not at each load. Unsafe only for the compiler, which cannot see that it holds a String.
    nonisolated(unsafe) private static let loadedClassesAnyKey = AnyHashable(loadedClassesKey)
    #endif
}

#if FullFoundation
/// The class names as an array that looks for them when somebody asks: most observers do not, and the walk over the
/// image's metadata costs as much as a load. `as? [String]` works on it as on any NSArray.
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
        // Outside of the lock, because the walk takes one of the dynamic linker's.
        let names = code?.classNames ?? []
        found.withLock { $0 = names }
        return names
    }

    override var count: Int { names.count }
    override func object(at index: Int) -> Any { names[index] }
    override func copy(with zone: NSZone? = nil) -> Any { self }
}
#endif
