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
        /// The files of the tables that nobody needed so far, the next one last; nil as long as nobody needed any.
        var unread: [StringsFile]?
        /// What keeps the nodes alive.
        var nodes: [Node]
    }

    /// What a look-up begins with, for reading without counting references. Good as long as the chain is there.
    struct Head {
        let first: StringsTable.View
        let chain: Unmanaged<StringsChain>

        /// The translation of a key; nil if no table has it.
        @inline(__always)
        func text(
            forKey key: String, reading read: (StringsFile) -> (table: StringsTable, log: () -> Void)
        ) -> String? {
            if let text = first[key] { return text }
            return chain._withUnsafeGuaranteedRef { $0.hiddenEntry(forKey: key, reading: read)?.text }
        }
    }

    private let first: Node
    private let state: Mutex<State>
    /// Whether every table was read: then what is not in the list is nowhere.
    private let isComplete = Atomic(false)
    private let hidden: @Sendable () -> [StringsFile]

    /// - Parameters:
    ///   - first: the table that hides the others.
    ///   - hidden: the files of the others, in the order of the search. Called when a key is looked for that the first one
    ///     lacks: most bundles have every key in the user's language, and need not look for other languages' files.
    init(_ first: StringsTable, hiding hidden: @escaping @Sendable () -> [StringsFile]) {
        self.first = Node(first)
        self.hidden = hidden
        state = Mutex(State(unread: nil, nodes: []))
    }

    /// The first table alone.
    var table: StringsTable { first.table }

    var head: Head { Head(first: first.table.view, chain: .passUnretained(self)) }

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
        let unread = state.withLock(\.unread) ?? find()
        guard let file = unread.last else { return true }
        let (table, log) = read(file)
        let (isNews, isLast) = state.withLock { state in
            // Another thread may have read the same file meanwhile.
            guard state.unread?.last == file else { return (false, state.unread?.isEmpty ?? false) }
            let node = Node(table)
            (state.nodes.last ?? first).next.store(.passUnretained(node), ordering: .releasing)
            state.nodes.append(node)
            state.unread?.removeLast()
            let isLast = state.unread?.isEmpty ?? false
            if isLast { isComplete.store(true, ordering: .releasing) }
            return (true, isLast)
        }
        if isNews { log() }
        return isLast
    }

    /// Looks for the hidden tables' files, unless another thread was faster.
    private func find() -> [StringsFile] {
        let found: [StringsFile] = hidden().reversed()
        return state.withLock { state in
            if let unread = state.unread { return unread }
            state.unread = found
            if found.isEmpty { isComplete.store(true, ordering: .releasing) }
            return found
        }
    }
}
