/// Builds arrays and dictionaries from values, with an explicit stack instead of recursion.
///
/// Finished values and keys wait in two flat stacks until their container closes. The container is then allocated once,
/// with its final size. The values of a long container are moved out of the stacks earlier, so that it is never in
/// memory twice. Nothing nested beyond the limit is ever built, so nothing that deep is ever released either.
struct TreeBuilder: ~Copyable {
    /// Which value counts if keys are equal.
    ///
    /// The position of each later key is kept in `duplicates`.
    enum DuplicatePolicy {
        /// The policy of property lists. Keys are equal if their bytes are.
        case keepFirst
        /// The policy of strings tables. Keys are equal if they are equal Swift strings.
        case keepLast
    }

    struct Key {
        let name: String
        let offset: Int
    }

    /// A key that already exists in its dictionary.
    struct Duplicate {
        let key: Key
        /// The key of the outermost dictionary that contains it, or the key itself.
        let outermost: String
        let hasSameValue: Bool
    }

    private struct Frame {
        let isDictionary: Bool
        let firstValue: Int
        let firstKey: Int
        let offset: Int

        /// The memory of the container with a number of values.
        func storageSize(_ count: Int) -> Int {
            isDictionary ? PropertyList.storageSize(entries: count) : PropertyList.storageSize(elements: count)
        }
    }

    /// The values of an open container that were already moved out of the stacks.
    private struct Moved {
        /// The container's number among the open ones.
        let frame: Int
        /// The memory that was counted for it.
        var size = 0
        var elements: [PropertyList] = []
        var entries: [String: PropertyList] = [:]
    }

    /// Where a value may come next.
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
    private let textSize: Int
    private var frames: [Frame] = []
    private var keys = MoveStack<Key>(capacity: 32)
    private var values = MoveStack<PropertyList>(capacity: 32)
    /// The values of long containers, the outermost container first; most lists have none.
    private var moved: [Moved] = []
    private var nodes = 0
    var budget: ReadingBudget
    /// Repeated keys; as many as a report lists.
    private(set) var duplicates: [Duplicate] = []
    /// How many more repeated keys there were.
    private(set) var furtherDuplicates = 0
    /// See ``DuplicateKeys/otherForm``.
    private(set) var otherForm: String?
    /// Whether one of the further repeated keys has a different value than the first occurrence.
    private(set) var furtherDiffer = false
    /// Whether the position of every key is recorded, for a checker.
    var recordsKeys = false
    private(set) var recordedKeys: [KeyRecord] = []

    /// Creates a builder with a budget for a file.
    ///
    /// `size`: the size of the file in bytes. `textSize`: the size of its text.
    init(size: Int, textSize: Int, limits: PropertyListLimits, policy: DuplicatePolicy) {
        budget = ReadingBudget(list: size, working: 4)
        depthLimit = limits.effectiveDepth
        nodeLimit = limits.nodes
        self.policy = policy
        self.textSize = textSize
        frames.reserveCapacity(8)
    }

    /// What the innermost open container expects next.
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

    /// The key that waits for its value, if there is one.
    var pendingKey: Key? { expectation == .value ? keys.last : nil }

    /// The only value, after it is complete.
    var root: PropertyList? { frames.isEmpty ? values.last : nil }

    /// Whether the value is complete.
    var isComplete: Bool { frames.isEmpty && values.count > 0 }

    mutating func open(dictionary: Bool, at offset: Int) throws(TextFault) {
        guard frames.count < depthLimit else { throw tooDeep(at: offset) }
        try count(at: offset)
        frames.append(
            Frame(isDictionary: dictionary, firstValue: values.count, firstKey: keys.count, offset: offset))
    }

    mutating func add(key: String, at offset: Int) throws(TextFault) {
        try count(at: offset)
        if keys.isFull { try makeRoom(at: offset) }
        try pay(PropertyList.storageSize(text: key.utf8.count), at: offset)
        keys.append(Key(name: key, offset: offset))
        if recordsKeys { record(key, at: offset) }
    }

    @inline(never)
    private mutating func record(_ key: String, at offset: Int) {
        recordedKeys.append(KeyRecord(name: key, offset: offset, depth: frames.count, container: openedAt))
    }

    mutating func add(_ value: PropertyList, at offset: Int) throws(TextFault) {
        try count(at: offset)
        if values.isFull { try makeRoom(at: offset) }
        switch value {
        case .string(let text): try pay(PropertyList.storageSize(text: text.utf8.count), at: offset)
        case .data(let bytes): try pay(PropertyList.storageSize(data: bytes.count), at: offset)
        default: break
        }
        values.append(value)
    }

    @inline(__always)
    private mutating func pay(_ bytes: Int, at offset: Int) throws(TextFault) {
        guard budget.take(bytes: bytes) else { throw TextFault(.overBudget, at: offset, budget.exhausted.sentence) }
    }

    // MARK: Long containers

    /// With this many values, moving them out of the stacks is worthwhile.
    private static let many = 1_024

    /// Makes room in a full stack: moves the values of the innermost container out if there are many; otherwise the
    /// stacks grow.
    @inline(never)
    private mutating func makeRoom(at offset: Int) throws(TextFault) {
        if let frame = frames.last, values.count - frame.firstValue >= Self.many {
            return try moveOn(frame, upTo: offset)
        }
        if values.isFull {
            try pay(2 * values.size, at: offset)
            budget.giveBack(bytes: values.size)
            values.grow()
        }
        if keys.isFull {
            try pay(2 * keys.size, at: offset)
            budget.giveBack(bytes: keys.size)
            keys.grow()
        }
    }

    /// Moves the complete values of the innermost container out of the stacks.
    ///
    /// `offset`: how far the text was read; nil if the container ends.
    private mutating func moveOn(_ frame: Frame, upTo offset: Int?) throws(TextFault) {
        var part = moved.last?.frame == frames.count ? moved.removeLast() : Moved(frame: frames.count)
        let count = values.count - frame.firstValue
        let wanted = count + (frame.isDictionary ? part.entries.count : part.elements.count)
        if wanted > (frame.isDictionary ? part.entries.capacity : part.elements.capacity) {
            var room = offset.map { expected(wanted, from: frame.offset, to: $0) } ?? wanted
            var size = frame.storageSize(room)
            if size > budget.bytes {
                room = wanted
                size = frame.storageSize(room)
            }
            // For a moment the old memory exists too.
            try pay(size, at: frame.offset)
            if frame.isDictionary { part.entries.reserveCapacity(room) } else { part.elements.reserveCapacity(room) }
            budget.giveBack(bytes: part.size)
            part.size = size
        }
        if frame.isDictionary {
            moveEntries(of: frame, to: &part.entries)
        } else {
            let elements = values.surrender(above: frame.firstValue)
            for index in elements.indices { part.elements.append(elements.moveElement(from: index)) }
        }
        moved.append(part)
    }

    /// How many values a container will have if the text continues as it began.
    ///
    /// With this estimate, a long container grows only once, and not to twice its size.
    private func expected(_ count: Int, from start: Int, to offset: Int) -> Int {
        let factor = min(Double(textSize - start) / Double(max(offset - start, 1)), 16)
        return max(Int(Double(count) * factor * 1.02) + 64, count + count / 4)
    }

    /// Closes the innermost container.
    ///
    /// The last key of a dictionary must have its value.
    mutating func close() throws(TextFault) {
        guard let frame = frames.last else { return }
        let value: PropertyList
        if moved.last?.frame == frames.count {
            try moveOn(frame, upTo: nil)
            let part = moved.removeLast()
            value = frame.isDictionary ? .dictionary(part.entries) : .array(part.elements)
        } else {
            // Containers of tiny values take much more memory than their text.
            let count = values.count - frame.firstValue
            try pay(frame.storageSize(count), at: frame.offset)
            if frame.isDictionary {
                var entries = [String: PropertyList](minimumCapacity: count)
                moveEntries(of: frame, to: &entries)
                value = .dictionary(entries)
            } else {
                value = .array(values.takeArray(above: frame.firstValue))
            }
        }
        frames.removeLast()
        if values.isFull { try makeRoom(at: frame.offset) }
        values.append(value)
    }

    /// Turns a dictionary that was just closed into the archive reference that it represents, if any: XML has no other
    /// form for it.
    mutating func collapseArchiveReference() {
        guard case .dictionary(let entries)? = values.last, entries.count == 1,
            case .integer(let number)? = entries["CF$UID"], let identifier = UInt32(exactly: number)
        else { return }
        values.replaceLast(with: .uid(UInt64(identifier)))
    }

    /// Discards everything but the finished entries of the outermost dictionary.
    ///
    /// Afterwards reading can continue with the dictionary's next key. Returns false if the outermost value is not a
    /// dictionary.
    mutating func abandonEntry() -> Bool {
        guard let frame = frames.first, frame.isDictionary else { return false }
        let nextKey = frames.count > 1 ? frames[1].firstKey : keys.count
        let nextValue = frames.count > 1 ? frames[1].firstValue : values.count
        let complete = min(nextKey - frame.firstKey, nextValue - frame.firstValue)
        frames.removeSubrange(1...)
        moved.removeAll { $0.frame > 1 }
        keys.truncate(to: frame.firstKey + complete)
        values.truncate(to: frame.firstValue + complete)
        return true
    }

    /// The complete entries of the outermost dictionary so far, for a report about an incomplete list.
    mutating func salvage() -> [String: PropertyList] {
        guard abandonEntry(), let frame = frames.popLast() else { return [:] }
        var entries = moved.popLast()?.entries ?? [:]
        moveEntries(of: frame, to: &entries)
        return entries
    }

    /// Moves the complete entries of a frame out of the stacks; repeated keys are recorded.
    private mutating func moveEntries(of frame: Frame, to entries: inout [String: PropertyList]) {
        let itsKeys = keys.surrender(above: frame.firstKey)
        let itsValues = values.surrender(above: frame.firstValue)
        // The last key may still wait for its value.
        precondition(itsKeys.count - itsValues.count == 0 || itsKeys.count - itsValues.count == 1)
        for index in itsValues.indices {
            let key = itsKeys.moveElement(from: index)
            let value = itsValues.moveElement(from: index)
            switch entries.enter(value, forKey: key.name, policy, mayRepeat: !duplicates.isEmpty) {
            case .none: break
            case .sameValue: note(key, hasSameValue: true)
            case .otherValue: note(key, hasSameValue: false)
            case .otherForm: otherForm = otherForm ?? key.name
            }
        }
        if itsKeys.count > itsValues.count { keys.append(itsKeys.moveElement(from: itsValues.count)) }
    }

    @inline(never)
    private mutating func note(_ key: Key, hasSameValue: Bool) {
        guard duplicates.count < ReadingBudget.mostFindings else {
            furtherDuplicates += 1
            furtherDiffer = furtherDiffer || !hasSameValue
            return
        }
        // The last key of the outermost dictionary is the key of the value being read.
        let isNested = frames.count > 1 && frames[0].isDictionary
        let outermost = isNested ? keys[frames[1].firstKey - 1].name : key.name
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

    /// The fault that a checker reports for a repeated key.
    func fault(_ duplicate: Duplicate) -> TextFault {
        // In a strings table, a repetition with the same value is reported too: a translator should see each key once.
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
