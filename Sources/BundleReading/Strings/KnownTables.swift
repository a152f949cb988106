import Synchronization

/// The tables that were read, by name, for finding them without a lock and without counting references: either would
/// cost half as much as the look-up itself.
///
/// A list that only grows at its head. Readers walk it without retaining anything: the content is released together
/// with the owner.
///
/// **Threads.** Reading: any. Adding: one at a time, by the owner's lock.
// @unchecked: the targets of the pointers are written before they are added, and never changed again.
struct KnownTables: ~Copyable, @unchecked Sendable {
    private struct Node {
        let name: String
        let head: UnsafePointer<StringsChain.Head>
        let next: UnsafePointer<Node>?
        let position: Int
    }

    /// In a longer list, a search would be slower than the owner's dictionary.
    private static let longest = 16

    private let newest = Atomic<UnsafePointer<Node>?>(nil)
    /// The default table, which most look-ups use.
    private let localizable = Atomic<UnsafePointer<StringsChain.Head>?>(nil)

    deinit {
        var next = newest.load(ordering: .acquiring)
        while let node = next {
            next = node.pointee.next
            node.pointee.head.deallocate()
            UnsafeMutablePointer(mutating: node).deinitialize(count: 1).deallocate()
        }
        localizable.load(ordering: .acquiring)?.deallocate()
    }

    /// The default table, if it is known.
    var defaultTable: UnsafePointer<StringsChain.Head>? {
        @inline(__always) get { localizable.load(ordering: .acquiring) }
    }

    /// A table by its name, if it is known.
    package func table(named name: String) -> UnsafePointer<StringsChain.Head>? {
        var next = newest.load(ordering: .acquiring)
        while let node = next {
            if node.pointee.name == name { return node.pointee.head }
            next = node.pointee.next
        }
        return nil
    }

    /// Publishes the default table; at most once.
    func addDefault(_ head: StringsChain.Head) {
        localizable.store(Self.place(head), ordering: .releasing)
    }

    private static func place(_ head: StringsChain.Head) -> UnsafePointer<StringsChain.Head> {
        let place = UnsafeMutablePointer<StringsChain.Head>.allocate(capacity: 1)
        place.initialize(to: head)
        return UnsafePointer(place)
    }

    /// Publishes a table under its name.
    package func add(_ head: StringsChain.Head, named name: String) {
        let next = newest.load(ordering: .relaxed)
        let position = next.map { $0.pointee.position + 1 } ?? 0
        guard position < Self.longest else { return }
        let node = UnsafeMutablePointer<Node>.allocate(capacity: 1)
        node.initialize(to: Node(name: name, head: Self.place(head), next: next, position: position))
        newest.store(UnsafePointer(node), ordering: .releasing)
    }
}
