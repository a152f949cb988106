import Synchronization

#if FullFoundation
public import Foundation
#endif

/// A bundle's code was loaded.
public struct PluginLoadEvent: Sendable {
    /// The bundle, which is loaded now.
    public let bundle: PluginBundle
    let imageBase: UInt

    /// The names of all classes in the bundle's image, qualified by their modules, in the order of the file.
    ///
    /// **Cost.** A walk over the image's metadata at each call.
    public var classNames: [String] { ImageClasses(ofImageAt: imageBase).names }
}

/// The loads of the process from now on, as a sequence. Each loop gets every load once.
///
/// ```swift
/// for await event in PluginBundle.loads { print(event.bundle, event.classNames) }
/// ```
public struct PluginLoads: AsyncSequence, Sendable {
    public typealias Element = PluginLoadEvent
    public typealias Failure = Never

    public struct AsyncIterator: AsyncIteratorProtocol {
        var base: AsyncStream<PluginLoadEvent>.AsyncIterator

        public mutating func next() async -> PluginLoadEvent? { await base.next() }

        public mutating func next(isolation actor: isolated (any Actor)?) async -> PluginLoadEvent? {
            await base.next(isolation: actor)
        }
    }

    /// Begins to listen: loads from this call on are given, also those that happen before the first `next()`.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(base: LoadListeners.shared.stream().makeAsyncIterator())
    }
}

/// Who listens to ``PluginBundle/loads``.
final class LoadListeners: Sendable {
    static let shared = LoadListeners()

    private struct State {
        var continuations: [Int: AsyncStream<PluginLoadEvent>.Continuation] = [:]
        var created = 0
    }

    private let state = Mutex(State())

    func stream() -> AsyncStream<PluginLoadEvent> {
        let (stream, continuation) = AsyncStream.makeStream(of: PluginLoadEvent.self)
        let number = state.withLock { state in
            state.created += 1
            state.continuations[state.created] = continuation
            return state.created
        }
        continuation.onTermination = { _ in LoadListeners.shared.remove(number) }
        return stream
    }

    private func remove(_ number: Int) { state.withLock { _ = $0.continuations.removeValue(forKey: number) } }

    func tell(_ event: PluginLoadEvent) {
        // Taken out first: a resumed task may run on an executor of the application's.
        let continuations = state.withLock { state in
            state.continuations.isEmpty ? [] : Array(state.continuations.values)
        }
        for continuation in continuations { continuation.yield(event) }
    }
}

extension PluginBundle {
    /// The loads of the process from now on: the did-load notification as an asynchronous sequence.
    public static var loads: PluginLoads { PluginLoads() }

    /// The key of the loaded classes' names in the notification's `userInfo`: a `[String]`.
    public static let loadedClassesKey = "NSLoadedClasses"

    /// Tells that the code is in. Called without a lock, once for each load.
    func announceLoad(imageBase: UInt) {
        LoadListeners.shared.tell(PluginLoadEvent(bundle: self, imageBase: imageBase))
        #if FullFoundation
        guard Self.isNotificationWanted.load(ordering: .acquiring) else { return }
        NotificationCenter.default.post(
            name: Self.didLoadNotification, object: self,
            userInfo: [Self.loadedClassesAnyKey: LoadedClassNames(imageBase: imageBase)])
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
    private let imageBase: UInt
    private let found = Mutex<[String]?>(nil)

    init(imageBase: UInt) {
        self.imageBase = imageBase
        super.init(objects: nil, count: 0)
    }

    required init?(coder: NSCoder) { nil }

    required convenience init(objects: UnsafePointer<AnyObject>?, count: Int) { self.init(imageBase: 0) }

    required convenience init(arrayLiteral elements: Any...) { self.init(imageBase: 0) }

    private var names: [String] {
        found.withLock { found in
            if let found { return found }
            let names = ImageClasses(ofImageAt: imageBase).names
            found = names
            return names
        }
    }

    override var count: Int { names.count }
    override func object(at index: Int) -> Any { names[index] }
    override func copy(with zone: NSZone? = nil) -> Any { self }
}
#endif
