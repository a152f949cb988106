import Glibc
import HostBasics
package import PropertyLists
import Synchronization

/// The entries of one strings table, for reading only.
///
/// A table gets many look-ups and is never changed, so it uses a special hash table (``StringsIndex``): a look-up costs
/// about half of one in a Swift dictionary. A string is created at its first use and kept.
///
/// **Threads.** Any. **Cost.** A look-up reads the key's bytes once to hash them and once to compare them.
// @unchecked: a value is written under the lock once, before its mark is set, and freed by the deinitialiser.
package final class StringsTable: @unchecked Sendable {
    private let index: StringsIndex
    private let made: Made
    /// Held while one string is created from bytes in memory.
    private let making = Lock(())

    /// The strings created so far, by the number of the entry.
    fileprivate struct Made {
        /// Valid where `marks` is set.
        let values: UnsafeMutablePointer<String>
        let marks: UnsafeMutablePointer<Atomic<Bool>>
    }

    /// The data for a look-up: plain pointers, so that it counts no references.
    ///
    /// Counting them would take longer than the rest of the look-up. A view is valid as long as the table exists.
    // @unchecked: for the same reason as the table.
    package struct View: @unchecked Sendable {
        private let places: StringsIndex.Places
        private let made: Made
        private let table: Unmanaged<StringsTable>

        fileprivate init(_ table: StringsTable) {
            places = table.index.places
            made = table.made
            self.table = .passUnretained(table)
        }

        /// The entry of a key; nil if the table has none.
        @inline(__always)
        package func entry(_ key: String) -> Entry? {
            entry(
                key.utf8.withContiguousStorageIfAvailable { places.find($0) }
                    // A string from Foundation, which keeps Foundation's storage.
                    ?? Array(key.utf8).withUnsafeBufferPointer { places.find($0) })
        }

        /// The entry of a key that is looked up in several tables.
        package func entry(_ key: StringsIndex.Key) -> Entry? { entry(places.find(key)) }

        @inline(__always)
        private func entry(_ number: Int?) -> Entry? {
            number.map { Entry(number: $0, made: made, owner: table) }
        }

        /// Calls body with a key for look-ups in several tables, which share its hash.
        func withKey<Result>(_ key: String, _ body: (StringsIndex.Key) -> Result) -> Result {
            var key = key
            return key.withUTF8 { body(places.key($0)) }
        }
    }

    /// The position of an entry, with plain pointers to avoid counting references.
    ///
    /// It is valid as long as the table exists.
    package struct Entry {
        fileprivate let number: Int
        fileprivate let made: Made
        fileprivate let owner: Unmanaged<StringsTable>

        package var table: StringsTable { owner.takeUnretainedValue() }

        /// The translation, which may be empty.
        package var text: String {
            @inline(__always) get {
                if made.marks[number].load(ordering: .acquiring) { return made.values[number] }
                return owner._withUnsafeGuaranteedRef { $0.make(number) }
            }
        }
    }

    package var view: View { View(self) }

    /// The entries from a `.stringsdict`, for choosing among their forms.
    package let formats: [String: LocalizedFormat]
    /// The plural rules of the table's language.
    package let rules: PluralRules

    /// - Parameters:
    ///   - index: the translations.
    ///   - formats: entries that depend on numbers, widths or devices; the index has their texts for the case without
    ///     arguments.
    ///   - rules: the plural rules of the table's language.
    package init(
        _ index: StringsIndex, formats: [String: LocalizedFormat] = [:],
        rules: PluralRules = PluralRules(language: "")
    ) {
        self.index = index
        self.formats = formats
        self.rules = rules
        // calloc() gets large blocks from the system, which are already zero, so that it does not touch them.
        guard let marks = calloc(max(index.count, 1), MemoryLayout<Atomic<Bool>>.stride) else {
            fatalError("There is no memory for \(index.count) marks.")
        }
        // An atomic false is zero in memory.
        made = Made(
            values: .allocate(capacity: index.count),
            marks: marks.bindMemory(to: Atomic<Bool>.self, capacity: index.count))
    }

    package convenience init(_ table: [String: String]) {
        self.init(StringsIndex(table))
    }

    deinit {
        for number in 0..<index.count where made.marks[number].load(ordering: .relaxed) {
            (made.values + number).deinitialize(count: 1)
        }
        made.values.deallocate()
        free(made.marks)
    }

    /// The translation of a key, which may be empty; nil if the table has none.
    package subscript(key: String) -> String? { view.entry(key)?.text }

    /// Whether each key also exists in one of the other tables.
    package func isHidden(by others: [StringsTable]) -> Bool { index.isHidden(by: others.map(\.index.places)) }

    @inline(never)
    private func make(_ number: Int) -> String {
        making.withLock { _ in
            if made.marks[number].load(ordering: .relaxed) { return made.values[number] }
            let value = index.value(number)
            (made.values + number).initialize(to: value)
            made.marks[number].store(true, ordering: .releasing)
            return value
        }
    }

    /// The number of entries.
    package var count: Int { index.count }

    /// All entries.
    package var dictionary: [String: String] { index.dictionary }
}
