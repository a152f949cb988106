import HostBasics
import PropertyLists
import Synchronization

/// A strings table and the tables that it hides: a key that the first table lacks is looked up in the others, in search
/// order.
///
/// The tables that were read form a list that only grows at its end. Readers walk it without retaining anything and
/// without a lock, which would cost half as much as the look-up.
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

    /// The result of a look-up in the tables that were read.
    ///
    /// Valid as long as the chain exists.
    package enum Answer {
        case entry(StringsTable.Entry)
        /// No table has the key, and all tables were read.
        case missing
        /// None of the tables read so far has the key, but other tables are unread.
        case unknown
    }

    /// The files of tables, in search order.
    package struct Files {
        package var files: [StringsFile]
        /// Whether every place could be examined.
        ///
        /// If not, the next search may find other files.
        package let isCertain: Bool
    }

    /// A table that was read from its files.
    package struct Reading {
        package let table: StringsTable
        /// Whether the system let the files be read.
        ///
        /// If not, the table may be used for one answer only.
        package let isRead: Bool
        /// Reports the problems of the files.
        package let log: () -> Void
    }

    private struct State {
        /// The files of the tables that were not needed so far, the next one last; nil until one is needed.
        var unread: [StringsFile]?
        /// Keeps the nodes alive.
        var nodes: [Node]
    }

    /// The start of a look-up, which reads without counting references.
    ///
    /// It is valid as long as the chain exists.
    package struct Head {
        private let first: StringsTable.View
        private let chain: Unmanaged<StringsChain>

        fileprivate init(_ chain: StringsChain) {
            first = chain.table.view
            self.chain = .passUnretained(chain)
        }

        /// The result for a key in the tables that were read.
        ///
        /// This reads no file.
        @inline(__always)
        package func answer(forKey key: String) -> Answer {
            if let entry = first.entry(key) { return .entry(entry) }
            return chain._withUnsafeGuaranteedRef { $0.hiddenAnswer(forKey: key) }
        }
    }

    private let first: Node
    private let state: Lock<State>
    /// Whether every table was read: then a key that is not in the list does not exist.
    private let isComplete = Atomic(false)
    private let hidden: @Sendable () -> Files

    /// - Parameters:
    ///   - first: the table that hides the others.
    ///   - hidden: returns the files of the other tables, in search order. Called only when a key is missing in the
    ///     first table: most bundles have every key in the user's language and never need the files of other languages.
    init(_ first: StringsTable, hiding hidden: @escaping @Sendable () -> Files) {
        self.first = Node(first)
        self.hidden = hidden
        state = Lock(State(unread: nil, nodes: []))
    }

    /// The first table alone.
    package var table: StringsTable { first.table }

    package var head: Head { Head(self) }

    /// The translation of a key and the table that has it; nil if none does.
    ///
    /// `read`: reads a file; called for one file after another until the key is found.
    package func entry(
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

    /// The translation of a key if some tables cannot be read at the moment.
    ///
    /// The tables that are read here are not kept.
    private func entry(
        forKey key: String, in files: ArraySlice<StringsFile>, _ read: (StringsFile) -> Reading
    ) -> (text: String, table: StringsTable)? {
        // The next file is the last in the list.
        for file in files.reversed() {
            let reading = read(file)
            reading.log()
            if let text = reading.table[key] { return (text, reading.table) }
        }
        return nil
    }

    @inline(never)
    private func hiddenAnswer(forKey key: String) -> Answer {
        // Read before the list: a thread that sees the flag set then sees the whole list.
        let isComplete = isComplete.load(ordering: .acquiring)
        if let next = first.next.load(ordering: .acquiring) {
            let entry = next._withUnsafeGuaranteedRef { $0.view.withKey(key) { Self.entry($0, from: next) } }
            if let entry { return .entry(entry) }
        }
        return isComplete ? .missing : .unknown
    }

    /// The entry of a key in one of the tables, starting at a node.
    private static func entry(_ key: StringsIndex.Key, from node: Unmanaged<Node>) -> StringsTable.Entry? {
        var next = Optional(node)
        while let node = next {
            if let entry = node._withUnsafeGuaranteedRef({ $0.view.entry(key) }) { return entry }
            next = node._withUnsafeGuaranteedRef { $0.next.load(ordering: .acquiring) }
        }
        return nil
    }

    /// Reads the next file, if there is one.
    ///
    /// `files`: the files not read yet, the next one last. If the system did not let the file be read, it returns what
    /// could be read, and the file still counts as not read.
    private func readNext(_ files: [StringsFile], _ read: (StringsFile) -> Reading) -> Reading? {
        guard let file = files.last else { return nil }
        let reading = read(file)
        guard reading.isRead else { return reading }
        let isNews = state.withLock { state in
            // Another thread may have read the same file meanwhile.
            guard state.unread?.last == file else { return false }
            // A table without a new key would only slow down every miss. Most tables add no key, because translators
            // usually translate all of them.
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

    /// The files of the tables that were not needed so far, the next one last.
    ///
    /// The search runs once, unless a place cannot be examined.
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

    /// A copy of the elements in separate memory: the list is changed in place while it has only one owner, and the
    /// sanitiser cannot see that another thread has released its reference.
    private static func copied(_ files: [StringsFile]?) -> [StringsFile]? { files.map { Array($0.lazy.map(\.self)) } }
}
