/// Puts values together into arrays and dictionaries, with an explicit stack in place of recursion.
///
/// Finished values and keys wait in two flat stacks until their container closes, which is then allocated once in its
/// final size. Nothing nested beyond the limit is ever built, so nothing that deep is ever released either.
struct TreeBuilder: ~Copyable {
    /// What to do with a second equal key.
    enum DuplicatePolicy {
        case refuse
        /// The last value wins; the place of the key is kept in `duplicates`.
        case keepLast
    }

    struct Key {
        let name: String
        let offset: Int
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
    /// The later ones of equal keys, where the policy keeps the last; as many as a report lists.
    private(set) var duplicates: [Key] = []
    /// How many more there were.
    private(set) var furtherDuplicates = 0
    /// Whether the place of every key is kept, for a checker.
    var recordsKeys = false
    private(set) var recordedKeys: [KeyRecord] = []

    /// `size`: of the text, in bytes.
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
        let room = budget.bytes
        guard budget.take(bytes: storage) else {
            // A great many keys may be few names.
            if frame.isDictionary, policy == .refuse, let key = firstDuplicate(in: frame, room: room) {
                throw Self.duplicate(key)
            }
            throw TextFault(.overBudget, at: frame.offset, budget.exhausted.sentence)
        }
        frames.removeLast()
        if frame.isDictionary {
            let (entries, duplicate) = takeEntries(frame)
            if let duplicate, policy == .refuse { throw Self.duplicate(duplicate) }
            values.append(.dictionary(entries))
        } else {
            values.append(.array(values.takeArray(above: frame.firstValue)))
        }
    }

    /// The first key of an open dictionary that has an equal one before it, if it can be found in some memory.
    @inline(never)
    private func firstDuplicate(in frame: Frame, room: Int) -> Key? {
        var names: Set<String> = []
        for index in frame.firstKey..<keys.count {
            if !names.insert(keys[index].name).inserted { return keys[index] }
            // A set takes at most three places for each name.
            guard names.count < room / (3 * MemoryLayout<String>.stride) else { return nil }
        }
        return nil
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
        return takeEntries(frame).entries
    }

    /// Moves the entries of a frame out of the stacks, and tells the first key that had an equal one before it.
    private mutating func takeEntries(_ frame: Frame) -> (entries: [String: PropertyList], duplicate: Key?) {
        let itsKeys = keys.surrender(above: frame.firstKey)
        let itsValues = values.surrender(above: frame.firstValue)
        var entries = [String: PropertyList](minimumCapacity: itsKeys.count)
        var duplicate: Key?
        // A container closes only after the value of its last key.
        precondition(itsKeys.count == itsValues.count)
        for index in itsKeys.indices {
            let key = itsKeys.moveElement(from: index)
            let value = itsValues.moveElement(from: index)
            if entries.updateValue(value, forKey: key.name) != nil {
                duplicate = duplicate ?? key
                if policy == .refuse { continue }
                if duplicates.count < ReadingBudget.mostFindings {
                    duplicates.append(key)
                } else {
                    furtherDuplicates += 1
                }
            }
        }
        return (entries, duplicate)
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

    @inline(never)
    static func duplicate(_ key: Key) -> TextFault {
        TextFault(
            .duplicateKey, at: key.offset, "The key \(Excerpt.of(key.name)) appears a second time in its dictionary.")
    }
}
