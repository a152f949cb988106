import Synchronization

/// The tables that were read, by name, for finding them without a lock: a lock would cost half as much as the look-up
/// that it guards.
///
/// A list that only grows at its head. Readers walk it without keeping anything alive: no node goes before the list
/// does.
///
/// **Threads.** Reading: any. Adding: one at a time, by the owner's lock.
final class KnownTables: Sendable {
    private final class Node: Sendable {
        let name: String
        let table: StringsTable
        let next: Unmanaged<Node>?
        let position: Int

        init(_ name: String, _ table: StringsTable, before next: Unmanaged<Node>?) {
            self.name = name
            self.table = table
            self.next = next
            position = next.map { $0._withUnsafeGuaranteedRef { $0.position + 1 } } ?? 0
        }
    }

    /// A longer list would be slower to walk than the owner's dictionary is to ask.
    private static let longest = 16

    private let head = Atomic<Unmanaged<Node>?>(nil)
    /// The table that look-ups without a table's name are in: most of them.
    private let localizable = Atomic<Unmanaged<StringsTable>?>(nil)
    /// What keeps nodes and tables alive.
    private let kept = Mutex<[any AnyObject & Sendable]>([])

    /// The translation in the default table, if that is known.
    func defaultString(forKey key: String) -> String? {
        localizable.load(ordering: .acquiring)?._withUnsafeGuaranteedRef { $0[key] }
    }

    /// The translation in a table, if that is known.
    func string(forKey key: String, table: String) -> String? {
        var next = head.load(ordering: .acquiring)
        while let node = next {
            let (isFound, translation) = node._withUnsafeGuaranteedRef { node in
                node.name == table ? (true, node.table[key]) : (false, nil)
            }
            if isFound { return translation }
            next = node._withUnsafeGuaranteedRef { $0.next }
        }
        return nil
    }

    /// Makes the default table known as such.
    func addDefault(_ table: StringsTable) {
        kept.withLock { $0.append(table) }
        localizable.store(.passUnretained(table), ordering: .releasing)
    }

    /// Makes a table known by its name.
    func add(_ table: StringsTable, named name: String) {
        let node = Node(name, table, before: head.load(ordering: .relaxed))
        guard node.position < Self.longest else { return }
        kept.withLock { $0.append(node) }
        head.store(.passUnretained(node), ordering: .releasing)
    }
}
