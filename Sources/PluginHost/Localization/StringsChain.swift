import PropertyLists
import Synchronization

/// A strings table and those it hides: a key that the first one lacks is looked for in the others, in the order of the
/// search.
///
/// The tables that were read form a list that only grows at its end; readers walk it without a lock, which would cost half
/// as much as the look-up that it guards, and without keeping anything alive.
///
/// **Threads.** Any. No lock is held while a file is read.
final class StringsChain: Sendable {
    private final class Node: Sendable {
        let table: StringsTable
        let next = Atomic<Unmanaged<Node>?>(nil)

        init(_ table: StringsTable) { self.table = table }
    }

    private struct State {
        /// The files of the tables that nobody needed so far, the next one last.
        var unread: [StringsFile]
        /// What keeps the nodes alive.
        var nodes: [Node]
    }

    /// What a look-up begins with, for reading without counting references. Good as long as the chain is there.
    struct Head {
        let first: StringsTable.View
        let chain: Unmanaged<StringsChain>
        let isAlone: Bool

        /// The translation of a key; nil if no table has it.
        @inline(__always)
        func text(
            forKey key: String, reading read: (StringsFile) -> (table: StringsTable, log: () -> Void)
        ) -> String? {
            if let text = first[key] { return text }
            if isAlone { return nil }
            return chain._withUnsafeGuaranteedRef { $0.hiddenEntry(forKey: key, reading: read)?.text }
        }
    }

    private let first: Node
    private let state: Mutex<State>
    /// Whether every table was read: then what is not in the list is nowhere.
    private let isComplete: Atomic<Bool>
    private let isAlone: Bool

    /// - Parameters:
    ///   - first: the table that hides the others.
    ///   - hidden: the files of the others, in the order of the search.
    init(_ first: StringsTable, hiding hidden: some Sequence<StringsFile>) {
        self.first = Node(first)
        let unread = Array(hidden.reversed())
        state = Mutex(State(unread: unread, nodes: []))
        isComplete = Atomic(unread.isEmpty)
        isAlone = unread.isEmpty
    }

    /// The first table alone.
    var table: StringsTable { first.table }

    var head: Head { Head(first: first.table.view, chain: .passUnretained(self), isAlone: isAlone) }

    /// The translation of a key and the table that has it; nil if none has.
    ///
    /// - Parameter read: reads a file; called for one after the other until the key is found.
    func entry(
        forKey key: String, reading read: (StringsFile) -> (table: StringsTable, log: () -> Void)
    ) -> (text: String, table: StringsTable)? {
        if let text = first.table[key] { return (text, first.table) }
        return hiddenEntry(forKey: key, reading: read)
    }

    private func hiddenEntry(
        forKey key: String, reading read: (StringsFile) -> (table: StringsTable, log: () -> Void)
    ) -> (text: String, table: StringsTable)? {
        // Before the list: who sees that it is complete sees all of it.
        var isComplete = isComplete.load(ordering: .acquiring)
        var last = Unmanaged.passUnretained(first)
        while true {
            while let next = last._withUnsafeGuaranteedRef({ $0.next.load(ordering: .acquiring) }) {
                last = next
                let table = next._withUnsafeGuaranteedRef { $0.table }
                if let text = table[key] { return (text, table) }
            }
            if isComplete { return nil }
            isComplete = readNext(read)
        }
    }

    /// Reads one file more; true if there is no more.
    private func readNext(_ read: (StringsFile) -> (table: StringsTable, log: () -> Void)) -> Bool {
        guard let file = state.withLock({ $0.unread.last }) else { return true }
        let (table, log) = read(file)
        let (isNews, isLast) = state.withLock { state in
            // Another thread may have read the same file meanwhile.
            guard state.unread.last == file else { return (false, state.unread.isEmpty) }
            let node = Node(table)
            (state.nodes.last ?? first).next.store(.passUnretained(node), ordering: .releasing)
            state.nodes.append(node)
            state.unread.removeLast()
            if state.unread.isEmpty { isComplete.store(true, ordering: .releasing) }
            return (true, state.unread.isEmpty)
        }
        if isNews { log() }
        return isLast
    }
}
