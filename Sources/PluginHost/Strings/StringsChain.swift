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
        let view: StringsTable.View
        let next = Atomic<Unmanaged<Node>?>(nil)

        init(_ table: StringsTable) {
            self.table = table
            view = table.view
        }
    }

    /// What the tables that were read tell of a key. Good as long as the chain is there.
    enum Answer {
        case entry(StringsTable.Entry)
        /// No table has it, and there are no others.
        case missing
        /// None has it, and not all were read.
        case unknown
    }

    /// The files of tables, in the order of the search.
    struct Files {
        var files: [StringsFile]
        /// Whether every place could be looked at. If not, the files may be others the next time.
        let isCertain: Bool
    }

    /// A table that was read from its files.
    struct Reading {
        let table: StringsTable
        /// Whether the system let the files be read. If not, the table is good for one answer.
        let isRead: Bool
        /// Reports what is wrong with the files.
        let log: () -> Void
    }

    private struct State {
        /// The files of the tables that nobody needed so far, the next one last; nil as long as nobody needed any.
        var unread: [StringsFile]?
        /// What keeps the nodes alive.
        var nodes: [Node]
    }

    /// What a look-up begins with, for reading without counting references. Good as long as the chain is there.
    struct Head {
        private let first: StringsTable.View
        private let chain: Unmanaged<StringsChain>

        fileprivate init(_ chain: StringsChain) {
            first = chain.table.view
            self.chain = .passUnretained(chain)
        }

        /// What is known of a key. Reads no file.
        @inline(__always)
        func answer(forKey key: String) -> Answer {
            if let entry = first.entry(key) { return .entry(entry) }
            return chain._withUnsafeGuaranteedRef { $0.hiddenAnswer(forKey: key) }
        }
    }

    private let first: Node
    private let state: Lock<State>
    /// Whether every table was read: then what is not in the list is nowhere.
    private let isComplete = Atomic(false)
    private let hidden: @Sendable () -> Files

    /// - Parameters:
    ///   - first: the table that hides the others.
    ///   - hidden: the files of the others, in the order of the search. Called when a key is looked for that the first one
    ///     lacks: most bundles have every key in the user's language, and need not look for other languages' files.
    init(_ first: StringsTable, hiding hidden: @escaping @Sendable () -> Files) {
        self.first = Node(first)
        self.hidden = hidden
        state = Lock(State(unread: nil, nodes: []))
    }

    /// The first table alone.
    var table: StringsTable { first.table }

    var head: Head { Head(self) }

    /// The translation of a key and the table that has it; nil if none has. `read`: reads a file; called for one after
    /// the other until the key is found.
    func entry(
        forKey key: String, reading read: (StringsFile) -> Reading
    ) -> (text: String, table: StringsTable)? {
        while true {
            switch head.answer(forKey: key) {
            case .entry(let entry): return (entry.text, entry.table)
            case .missing: return nil
            case .unknown:
                let unread = unread()
                guard unread.isCertain else { return entry(forKey: key, in: unread.files[...], read) }
                guard let refused = readNext(unread.files, read) else { continue }
                refused.log()
                if let text = refused.table[key] { return (text, refused.table) }
                return entry(forKey: key, in: unread.files.dropLast(), read)
            }
        }
    }

    /// The translation of a key in tables of which some cannot be read at present. Nothing of them is kept.
    private func entry(
        forKey key: String, in files: ArraySlice<StringsFile>, _ read: (StringsFile) -> Reading
    ) -> (text: String, table: StringsTable)? {
        // The next one is the last.
        for file in files.reversed() {
            let reading = read(file)
            reading.log()
            if let text = reading.table[key] { return (text, reading.table) }
        }
        return nil
    }

    @inline(never)
    private func hiddenAnswer(forKey key: String) -> Answer {
        // Before the list: who sees that it is complete sees all of it.
        let isComplete = isComplete.load(ordering: .acquiring)
        if let next = first.next.load(ordering: .acquiring) {
            let entry = next._withUnsafeGuaranteedRef { $0.view.withKey(key) { Self.entry($0, from: next) } }
            if let entry { return .entry(entry) }
        }
        return isComplete ? .missing : .unknown
    }

    /// The entry of a key in one of the tables from a node on.
    private static func entry(_ key: StringsIndex.Key, from node: Unmanaged<Node>) -> StringsTable.Entry? {
        var next = Optional(node)
        while let node = next {
            if let entry = node._withUnsafeGuaranteedRef({ $0.view.entry(key) }) { return entry }
            next = node._withUnsafeGuaranteedRef { $0.next.load(ordering: .acquiring) }
        }
        return nil
    }

    /// Reads one file more, unless there is none. `files`: those that were not read, the next one last. Returns what
    /// could be read of a file that the system did not let be read; it is still one that was not read.
    private func readNext(_ files: [StringsFile], _ read: (StringsFile) -> Reading) -> Reading? {
        guard let file = files.last else { return nil }
        let reading = read(file)
        guard reading.isRead else { return reading }
        let isNews = state.withLock { state in
            // Another thread may have read the same file meanwhile.
            guard state.unread?.last == file else { return false }
            // One that has no key more than those before it would cost every miss a look. Most are such: who translates
            // a table translates all of it.
            if !reading.table.isHidden(by: ([first] + state.nodes).map(\.table)) {
                let node = Node(reading.table)
                (state.nodes.last ?? first).next.store(.passUnretained(node), ordering: .releasing)
                state.nodes.append(node)
            }
            state.unread?.removeLast()
            if state.unread?.isEmpty ?? false { isComplete.store(true, ordering: .releasing) }
            return true
        }
        if isNews { reading.log() }
        return nil
    }

    /// The files of the tables that nobody needed so far, the next one last. Looked for once, unless a place cannot be
    /// looked at.
    private func unread() -> Files {
        if let known = state.withLock({ Self.copied($0.unread) }) { return Files(files: known, isCertain: true) }
        var found = hidden()
        found.files.reverse()
        guard found.isCertain else { return found }
        return state.withLock { state in
            if let unread = Self.copied(state.unread) { return Files(files: unread, isCertain: true) }
            state.unread = Self.copied(found.files)
            if found.files.isEmpty { isComplete.store(true, ordering: .releasing) }
            return found
        }
    }

    /// The elements in memory of their own: the list is changed in its place once nobody else has it, and the sanitiser does
    /// not see that whoever had it has let go.
    private static func copied(_ files: [StringsFile]?) -> [StringsFile]? { files.map { Array($0.lazy.map(\.self)) } }
}
