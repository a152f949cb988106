/// Reads the binary form of a property list, `bplist00`.
///
/// The file is a heap of objects, a table of their offsets and a trailer. Objects may be shared, so the file is a
/// graph: each object is decoded once, cycles are found by marking open containers, and shared parts count towards the
/// limits each time they are referred to. Objects may also overlap, so that a file of one megabyte could expand to
/// gigabytes of strings. So the budget counts the decoded bytes, and the content of shared parts at each reference.
struct BinaryParser: ~Copyable {
    /// The state of an object.
    private struct Slot {
        var value: PropertyList?
        /// How many values and keys it contains, at all levels.
        var weight: UInt32 = 0
        /// The size in bytes of its content, at all levels.
        var bytes: UInt32 = 0
        /// The nesting depth of its containers, including itself; 0 if it is not a container.
        var height: UInt16 = 0
        /// Whether it is a container whose elements are currently being read.
        var isOpen = false
    }

    private struct Frame {
        let object: Int
        let isDictionary: Bool
        /// How many references it has: its elements, or first its keys and then its values.
        let count: Int
        let references: Int
        /// The counts when the container was opened.
        let nodesBefore: Int
        let bytesBefore: Int
        var next = 0
        var height = 1
        /// The elements so far, if the object is an array.
        ///
        /// The keys of a dictionary are found again through their references.
        var elements: [PropertyList] = []
        var entries: [String: PropertyList] = [:]
    }

    private let objects: BinaryObjects
    private let depthLimit: Int
    private let nodeLimit: Int
    private let policy: TreeBuilder.DuplicatePolicy
    /// Whether a faulty entry of the outermost dictionary is added to `tolerated` and left out.
    private let isLenient: Bool
    private var slots: [Slot] = []
    private var frames: [Frame] = []
    private var root: PropertyList?
    private var nodes = 0
    /// The bytes of content so far; shared content counts each time.
    private var expanded = 0
    var budget: ReadingBudget
    /// How many bytes of the file the remaining objects may take.
    ///
    /// Normally each byte belongs to one object. The limit keeps decoding linear in the size of the file. It starts at
    /// twice the space for objects in the file, because some writers list an object twice.
    private var room: Int
    /// Keys that already exist in their dictionary.
    private(set) var duplicates = DuplicateKeys()
    /// Faults for a checker: repeated keys, and faults of entries that were left out.
    private(set) var tolerated: [PropertyListFault] = []
    /// How many faults were found in addition to those in `tolerated`.
    private(set) var furtherTolerated = 0

    init(
        _ objects: BinaryObjects, limits: PropertyListLimits, policy: TreeBuilder.DuplicatePolicy = .keepFirst,
        isLenient: Bool = false
    ) {
        self.isLenient = isLenient
        self.objects = objects
        depthLimit = limits.effectiveDepth
        // Weights have 32 bits, because there is one for each object, and 16 MiB can contain millions of objects.
        nodeLimit = min(limits.nodes, Int(Int32.max))
        self.policy = policy
        budget = ReadingBudget(list: objects.size, working: 0)
        room = 2 * objects.room
    }

    /// Reads the whole list.
    mutating func parse() throws(PropertyListFault) -> PropertyList {
        // The slots are the first memory whose size the file determines, so their number is checked first.
        guard objects.count <= nodeLimit else {
            throw objects.fault(
                .tooManyNodes, objects.trailer.offset + 8,
                "The list has \(objects.count) objects; the limit is \(nodeLimit) keys and values.")
        }
        try spend(MemoryLayout<Slot>.stride * objects.count, at: objects.trailer.offset + 8)
        slots = Array(repeating: Slot(), count: objects.count)
        try count(1, at: objects.trailer.offset + 16)
        try visit(objects.trailer.topObject, from: objects.trailer.offset + 16)
        while let last = frames.indices.last {
            if frames[last].next == frames[last].count {
                try close()
                continue
            }
            frames[last].next += 1
            do throws(PropertyListFault) {
                try readElement(last)
            } catch {
                try recover(from: error)
            }
        }
        guard let root else {
            throw objects.fault(.missingValue, 0, "The property list contains no value.")
        }
        return root
    }

    private mutating func readElement(_ frame: Int) throws(PropertyListFault) {
        let number = frames[frame].next - 1
        let place = frames[frame].references + number * objects.referenceSize
        let object = try objects.reference(at: place)
        if frames[frame].isDictionary {
            let keyCount = frames[frame].count / 2
            if number < keyCount {
                try checkIsKey(object, from: place)
            } else if number == keyCount {
                // All keys are known, so the dictionary gets its final size at once.
                try spend(PropertyList.storageSize(entries: keyCount), at: place)
                frames[frame].entries.reserveCapacity(keyCount)
            }
        }
        try visit(object, from: place)
    }

    /// Adds a finished value to the innermost container.
    private mutating func add(_ value: consuming PropertyList) throws(PropertyListFault) {
        guard let last = frames.indices.last else {
            root = value
            return
        }
        guard frames[last].isDictionary else {
            frames[last].elements.append(value)
            return
        }
        let number = frames[last].next - 1 - frames[last].count / 2
        guard number >= 0 else { return }
        let place = frames[last].references + number * objects.referenceSize
        // A key that is not a string is left out with its value.
        guard let object = try? objects.reference(at: place), case .string(let key)? = slots[object].value else {
            return
        }
        // Once one key is repeated, thousands may be.
        switch frames[last].entries.enter(value, forKey: key, policy, mayRepeat: !duplicates.isEmpty) {
        case .none: break
        case .sameValue: note(key, at: place, hasSameValue: true)
        case .otherValue: note(key, at: place, hasSameValue: false)
        case .otherForm: duplicates.otherForm = duplicates.otherForm ?? key
        }
    }

    @inline(never)
    private mutating func note(_ key: String, at place: Int, hasSameValue: Bool) {
        let isRepeated = policy == .keepFirst && hasSameValue
        let objects = objects
        // The fault is created only if it is kept: thousands of keys may be equal.
        tolerate(
            objects.fault(
                isRepeated ? .repeatedKey : .duplicateKey, place, TreeBuilder.message(key, isRepeated: isRepeated)))
        guard duplicates.listed.count < ReadingBudget.mostFindings else {
            duplicates.further += 1
            duplicates.furtherDiffer = duplicates.furtherDiffer || !hasSameValue
            return
        }
        duplicates.listed.append(
            DuplicateKey(
                name: key, outermost: outermostKey ?? key, position: .byte(place), hasSameValue: hasSameValue))
    }

    /// The key of the outermost dictionary whose value is being read; nil if the outermost value is not a dictionary.
    private var outermostKey: String? {
        guard frames.count > 1, let frame = frames.first, frame.isDictionary else { return nil }
        let number = frame.next - 1 - frame.count / 2
        guard number >= 0, let object = try? objects.reference(at: frame.references + number * objects.referenceSize)
        else { return nil }
        return slots[object].value?.string
    }

    /// Continues with the outermost dictionary's next key or value, if faults are tolerated.
    private mutating func recover(from fault: PropertyListFault) throws(PropertyListFault) {
        guard isLenient, fault.code != .tooManyNodes, fault.code != .overBudget,
            frames.first?.isDictionary == true
        else { throw fault }
        for frame in frames.dropFirst() { slots[frame.object].isOpen = false }
        frames.removeSubrange(1...)
        tolerate(fault)
    }

    /// Adds an object's value to the innermost container, or opens the object if it is a container.
    private mutating func visit(_ object: Int, from place: Int) throws(PropertyListFault) {
        if let value = slots[object].value {
            let height = Int(slots[object].height)
            guard height <= depthLimit - frames.count else { throw tooDeep(place) }
            try count(Int(slots[object].weight), at: place)
            try spend(steps: Int(slots[object].bytes), at: place)
            expanded += Int(slots[object].bytes)
            raiseHeight(height)
            return try add(value)
        }
        guard !slots[object].isOpen else {
            throw objects.fault(.cycle, place, "Object \(object) contains itself; a property list cannot.")
        }
        let (inFile, size, memory) = try objects.sizes(object)
        room -= inFile + 1  // one for the marker
        guard room >= 0 else {
            throw objects.fault(
                .overBudget, place,
                "The list's objects overlap: decoded, they are longer than twice its \(objects.size) bytes. "
                    + ReadingBudget.Exhausted.remedy)
        }
        try spend(memory, at: place)
        try spend(steps: size + Self.nodeSize, at: place)
        switch try objects.object(object) {
        case .value(let value):
            slots[object].value = value
            slots[object].bytes = UInt32(clamping: size + Self.nodeSize)
            expanded += size + Self.nodeSize
            try add(value)
        case .container(let isDictionary, let count, let references):
            try open(object, isDictionary: isDictionary, count: count, references: references)
        }
    }

    /// The bytes that each value counts in addition to its content.
    private static let nodeSize = 8

    private mutating func open(
        _ object: Int, isDictionary: Bool, count: Int, references: Int
    ) throws(PropertyListFault) {
        guard frames.count < depthLimit else { throw tooDeep(references) }
        var frame = Frame(
            object: object, isDictionary: isDictionary, count: count, references: references, nodesBefore: nodes,
            bytesBefore: expanded)
        // Each of its references counts at least once, so a huge container is refused before it is built.
        try self.count(count, at: references)
        if !isDictionary {
            try spend(PropertyList.storageSize(elements: count), at: references)
            frame.elements.reserveCapacity(count)
        }
        frames.append(frame)
        expanded += Self.nodeSize
        slots[object].isOpen = true
    }

    private mutating func close() throws(PropertyListFault) {
        guard let frame = frames.popLast() else { return }
        let value = frame.isDictionary ? PropertyList.dictionary(frame.entries) : .array(frame.elements)
        slots[frame.object].value = value
        slots[frame.object].weight = UInt32(clamping: nodes - frame.nodesBefore)
        slots[frame.object].bytes = UInt32(clamping: expanded - frame.bytesBefore)
        slots[frame.object].height = UInt16(clamping: frame.height)
        slots[frame.object].isOpen = false
        raiseHeight(frame.height)
        try add(value)
    }

    private mutating func tolerate(_ fault: @autoclosure () -> PropertyListFault) {
        if tolerated.count < ReadingBudget.mostFindings { tolerated.append(fault()) } else { furtherTolerated += 1 }
    }

    /// A container is one level higher than its highest element.
    private mutating func raiseHeight(_ height: Int) {
        guard let last = frames.indices.last else { return }
        frames[last].height = max(frames[last].height, height + 1)
    }

    private func checkIsKey(_ object: Int, from place: Int) throws(PropertyListFault) {
        if case .string? = slots[object].value { return }
        guard try objects.isText(object) else {
            throw objects.fault(
                .keyNotString, place, "A dictionary's key is object \(object), which is not a string.")
        }
    }

    private mutating func count(_ weight: Int, at place: Int) throws(PropertyListFault) {
        guard weight <= nodeLimit - nodes else { throw tooMany(place) }
        nodes += weight
    }

    /// Counts memory before it is allocated.
    private mutating func spend(_ bytes: Int, at place: Int) throws(PropertyListFault) {
        guard budget.take(bytes: bytes) else {
            throw objects.fault(.overBudget, place, budget.exhausted.sentence)
        }
    }

    /// Counts the expanded content of the list: code that walks it meets shared parts each time.
    private mutating func spend(steps: Int, at place: Int) throws(PropertyListFault) {
        guard budget.take(steps: steps) else {
            throw objects.fault(.overBudget, place, budget.exhausted.sentence)
        }
    }

    @inline(never)
    private func tooDeep(_ place: Int) -> PropertyListFault {
        objects.fault(.tooDeep, place, "Arrays and dictionaries nest more than \(depthLimit) deep, which is the limit.")
    }

    @inline(never)
    private func tooMany(_ place: Int) -> PropertyListFault {
        objects.fault(
            .tooManyNodes, place,
            "The list holds more than \(nodeLimit) keys and values, which is the limit; shared ones count each time.")
    }
}
