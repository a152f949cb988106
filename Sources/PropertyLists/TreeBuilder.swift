/// Puts values together into arrays and dictionaries, with an explicit stack in place of recursion.
///
/// Finished values and keys wait in two flat stacks until their container closes, which is then allocated once in its
/// final size. Nothing nested beyond the limit is ever built, so nothing that deep is ever released either.
struct TreeBuilder: ~Copyable {
    /// Which value counts of equal keys. The place of each later one is kept in `duplicates`.
    enum DuplicatePolicy {
        /// That of property lists. Keys are equal if their bytes are.
        case keepFirst
        /// That of strings tables. Keys are equal as Swift's strings are.
        case keepLast
    }

    struct Key {
        let name: String
        let offset: Int
    }

    /// A key that its dictionary has already.
    struct Duplicate {
        let key: Key
        /// The key of the outermost dictionary that it stands under, or itself.
        let outermost: String
        let hasSameValue: Bool
    }

    private struct Frame {
        let isDictionary: Bool
        let firstValue: Int
        let firstKey: Int
        let offset: Int
    }

    /// Where a value may go next.
    enum Expectation {
        case root
        case element
        case key
        case value
        case nothing
    }

    private let depthLimit: Int
    private let nodeLimit: Int
    private let policy: DuplicatePolicy
    private var frames: [Frame] = []
    private var keys = MoveStack<Key>(capacity: 32)
    private var values = MoveStack<PropertyList>(capacity: 32)
    private var nodes = 0
    var budget: ReadingBudget
    /// The later ones of equal keys; as many as a report lists.
    private(set) var duplicates: [Duplicate] = []
    /// How many more there were.
    private(set) var furtherDuplicates = 0
    /// Whether one of those has another value than the first.
    private(set) var furtherDiffer = false
    /// Whether the place of every key is kept, for a checker.
    var recordsKeys = false
    private(set) var recordedKeys: [KeyRecord] = []

    /// - Parameter size: of the text, in bytes.
    init(size: Int, limits: PropertyListLimits, policy: DuplicatePolicy) {
        budget = ReadingBudget(inputSize: size)
        depthLimit = limits.effectiveDepth
        nodeLimit = limits.nodes
        self.policy = policy
        frames.reserveCapacity(8)
    }

    /// What the innermost open container is waiting for.
    var expectation: Expectation {
        guard let frame = frames.last else { return values.count == 0 ? .root : .nothing }
        guard frame.isDictionary else { return .element }
        return keys.count - frame.firstKey == values.count - frame.firstValue ? .key : .value
    }

    /// Whether a container is open.
    var isOpen: Bool { !frames.isEmpty }

    /// Whether the innermost open container is a dictionary.
    var isInDictionary: Bool { frames.last?.isDictionary ?? false }

    /// How many containers are open.
    var depth: Int { frames.count }

    /// Where the innermost open container began.
    var openedAt: Int { frames.last?.offset ?? 0 }

    /// The key that waits for its value, where one does.
    var pendingKey: Key? { expectation == .value ? keys.last : nil }

    /// The only value, once it is complete.
    var root: PropertyList? { frames.isEmpty ? values.last : nil }

    /// Whether there is one.
    var isComplete: Bool { frames.isEmpty && values.count > 0 }

    mutating func open(dictionary: Bool, at offset: Int) throws(TextFault) {
        guard frames.count < depthLimit else { throw tooDeep(at: offset) }
        try count(at: offset)
        frames.append(
            Frame(isDictionary: dictionary, firstValue: values.count, firstKey: keys.count, offset: offset))
    }

    mutating func add(key: String, at offset: Int) throws(TextFault) {
        try count(at: offset)
        if keys.isFull { keys.grow(toHold: expected(keys.count, at: offset)) }
        keys.append(Key(name: key, offset: offset))
        if recordsKeys { record(key, at: offset) }
    }

    @inline(never)
    private mutating func record(_ key: String, at offset: Int) {
        recordedKeys.append(KeyRecord(name: key, offset: offset, depth: frames.count, container: openedAt))
    }

    mutating func add(_ value: PropertyList, at offset: Int) throws(TextFault) {
        try count(at: offset)
        if values.isFull { values.grow(toHold: expected(values.count, at: offset)) }
        values.append(value)
    }

    /// How many will wait at the end of the text if it goes on as it began: a long list then grows once, and not to
    /// twice its size.
    @inline(never)
    private func expected(_ count: Int, at offset: Int) -> Int {
        guard count >= 1_024 else { return 0 }
        let bytes = Double(max(offset, 1))
        return Int(Double(count) * min(Double(budget.inputSize) / bytes, 4) * 1.02) + 64
    }

    /// Closes the innermost container. The last key of a dictionary must have its value.
    mutating func close() throws(TextFault) {
        guard let frame = frames.last else { return }
        // Containers of next to nothing take much more memory than text.
        let storage =
            frame.isDictionary
            ? PropertyList.storageSize(entries: keys.count - frame.firstKey)
            : PropertyList.storageSize(elements: values.count - frame.firstValue)
        guard budget.take(bytes: storage) else {
            throw TextFault(.overBudget, at: frame.offset, budget.exhausted.sentence)
        }
        frames.removeLast()
        if frame.isDictionary {
            values.append(.dictionary(takeEntries(frame)))
        } else {
            values.append(.array(values.takeArray(above: frame.firstValue)))
        }
    }

    /// Turns a dictionary that was just closed into the archive reference it spells, if it does: XML has no other form.
    mutating func collapseArchiveReference() {
        guard case .dictionary(let entries)? = values.last, entries.count == 1,
            case .integer(let number)? = entries["CF$UID"], let identifier = UInt32(exactly: number)
        else { return }
        values.replaceLast(with: .uid(UInt64(identifier)))
    }

    /// Drops what is not complete, down to the outermost dictionary's finished entries, so that reading can go on with
    /// its next key. False where no dictionary is outermost.
    mutating func abandonEntry() -> Bool {
        guard let frame = frames.first, frame.isDictionary else { return false }
        let nextKey = frames.count > 1 ? frames[1].firstKey : keys.count
        let nextValue = frames.count > 1 ? frames[1].firstValue : values.count
        let complete = min(nextKey - frame.firstKey, nextValue - frame.firstValue)
        frames.removeSubrange(1...)
        keys.truncate(to: frame.firstKey + complete)
        values.truncate(to: frame.firstValue + complete)
        return true
    }

    /// The complete entries of the outermost dictionary so far, for a report on a list that broke off.
    mutating func salvage() -> [String: PropertyList] {
        guard abandonEntry(), let frame = frames.popLast() else { return [:] }
        return takeEntries(frame)
    }

    /// Moves the entries of a frame, which was closed just now, out of the stacks.
    private mutating func takeEntries(_ frame: Frame) -> [String: PropertyList] {
        let itsKeys = keys.surrender(above: frame.firstKey)
        let itsValues = values.surrender(above: frame.firstValue)
        var entries = [String: PropertyList](minimumCapacity: itsKeys.count)
        // A container closes only after the value of its last key.
        precondition(itsKeys.count == itsValues.count)
        for index in itsKeys.indices {
            let key = itsKeys.moveElement(from: index)
            let value = itsValues.moveElement(from: index)
            guard let old = entries.updateValue(value, forKey: key.name) else { continue }
            if policy == .keepFirst {
                entries[key.name] = old
                // The dictionary keeps the spelling of the first.
                let place = entries.index(forKey: key.name)
                if let place, !entries.keys[place].utf8.elementsEqual(key.name.utf8) { continue }
            }
            note(key, hasSameValue: old == value)
        }
        return entries
    }

    @inline(never)
    private mutating func note(_ key: Key, hasSameValue: Bool) {
        guard duplicates.count < ReadingBudget.mostFindings else {
            furtherDuplicates += 1
            furtherDiffer = furtherDiffer || !hasSameValue
            return
        }
        // In the outermost dictionary the key before its present value is the last one.
        let isNested = frames.first?.isDictionary ?? false
        let last = (frames.count > 1 ? frames[1].firstKey : keys.count) - 1
        let outermost = isNested && last >= 0 ? keys[last].name : key.name
        duplicates.append(Duplicate(key: key, outermost: outermost, hasSameValue: hasSameValue))
    }

    @inline(__always)
    private mutating func count(at offset: Int) throws(TextFault) {
        guard nodes < nodeLimit else { throw tooMany(at: offset) }
        nodes += 1
    }

    @inline(never)
    private func tooDeep(at offset: Int) -> TextFault {
        TextFault(
            .tooDeep, at: offset, "Arrays and dictionaries nest more than \(depthLimit) deep, which is the limit.")
    }

    @inline(never)
    private func tooMany(at offset: Int) -> TextFault {
        TextFault(
            .tooManyNodes, at: offset, "The list holds more than \(nodeLimit) keys and values, which is the limit.")
    }

    /// The fault for a checker.
    func fault(_ duplicate: Duplicate) -> TextFault {
        // Whoever translates a table is to see each key once.
        let isRepeated = policy == .keepFirst && duplicate.hasSameValue
        return TextFault(
            isRepeated ? .repeatedKey : .duplicateKey, at: duplicate.key.offset,
            Self.message(duplicate.key.name, isRepeated: isRepeated))
    }

    static func message(_ key: String, isRepeated: Bool) -> String {
        "The key \(Excerpt.of(key)) appears a second time in its dictionary"
            + (isRepeated ? ", with the same value." : ".")
    }
}
