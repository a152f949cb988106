import BundleReading
import HostBasics

/// The images, or the sounds, that were requested from a bundle by name.
///
/// There is one object for each file, until the file changes. As for other resources (``DirectoryCache``), a result is
/// used for the time ``trust`` before it is compared with the file system again.
///
/// **Threads.** Any; no lock is held while a file is searched for or read.
final class MediaCache<Object: AnyObject & Sendable>: Sendable {
    private struct Named: Sendable {
        let object: Object
        /// ``HostEnvironment/resourceGeneration`` when the object was found.
        let generation: Int
        var freshUntil: UInt64
    }

    private struct State {
        var byName: [String: Named] = [:]
        /// The object of each file, and the identity of the file's content.
        var byPath: [String: (object: Object, identity: FileIdentity)] = [:]
    }

    /// In nanoseconds.
    ///
    /// Longer than for a directory, because checking also examines the file.
    private static var trust: UInt64 { 4 * DirectoryCache.trust }

    /// When it has this many names, the cache is emptied.
    private static var mostNames: Int { 4_096 }

    private let state = Lock(State())

    /// The object with a name.
    ///
    /// - Parameters:
    ///   - name: the name.
    ///   - generation: ``HostEnvironment/resourceGeneration``.
    ///   - find: finds the file's path.
    ///   - make: makes the object for a path; nil if the file cannot be used.
    /// - Returns: nil if there is no file, or it cannot be used.
    func object(
        named name: String, generation: Int, find: () -> String?, make: (String) -> (Object, FileIdentity)?
    ) -> Object? {
        let now = DirectoryCache.now()
        let known: Object? = state.withLock { state in
            guard let named = state.byName[name], named.generation == generation, now < named.freshUntil else {
                return nil
            }
            return named.object
        }
        if let known { return known }
        guard let path = find(), let object = object(ofPath: path, make) else { return nil }
        let fresh = Named(object: object, generation: generation, freshUntil: now &+ Self.trust)
        // Replaced objects are released after the lock, because an image holds objects of the application.
        let replaced: [Named] = state.withLock { state in
            var replaced: [Named] = []
            if state.byName.count >= Self.mostNames {
                replaced = state.byName.values.map(\.self)
                state.byName.removeAll()
            }
            if let old = state.byName.updateValue(fresh, forKey: name) { replaced.append(old) }
            return replaced
        }
        withExtendedLifetime(replaced) {}
        return object
    }

    private func object(ofPath path: String, _ make: (String) -> (Object, FileIdentity)?) -> Object? {
        if let identity = FileIdentity(path: path) {
            let known = state.withLock { state in
                state.byPath[path].flatMap { $0.identity == identity ? $0.object : nil }
            }
            if let known { return known }
        }
        guard let (object, identity) = make(path) else { return nil }
        let (kept, replaced): (Object, [Object]) = state.withLock { state in
            // Another thread may have been faster.
            if let known = state.byPath[path], known.identity == identity { return (known.object, [object]) }
            var replaced: [Object] = []
            if state.byPath.count >= Self.mostNames {
                replaced = state.byPath.values.map(\.object)
                state.byPath.removeAll()
            }
            if let old = state.byPath.updateValue((object, identity), forKey: path) { replaced.append(old.object) }
            return (object, replaced)
        }
        withExtendedLifetime(replaced) {}
        return kept
    }
}
