/// Reads the binary form of a property list, `bplist00`.
///
/// The file is a heap of objects, a table of their offsets and a trailer. Objects may be shared, so the file is a
/// graph: each object is decoded once, cycles are found by marking what is open, and what is shared counts towards
/// the limits every time it is referred to.
struct BinaryParser: ~Copyable {
    /// What is known about an object.
    private struct Slot {
        var value: PropertyList?
        /// How many values and keys it is, with everything below it.
        var weight: UInt32 = 0
        /// How many containers nest in it, itself included; 0 for what is no container.
        var height: UInt16 = 0
        /// Whether it is a container whose elements are being read.
        var isOpen = false
    }

    private struct Frame {
        let object: Int
        let isDictionary: Bool
        /// How many references it has: its elements, or its keys and then its values.
        let count: Int
        let references: Int
        let firstValue: Int
        let nodesBefore: Int
        var next = 0
        var height = 1
    }

    private let objects: BinaryObjects
    private let depthLimit: Int
    private let nodeLimit: Int
    private let policy: TreeBuilder.DuplicatePolicy
    private var slots: [Slot] = []
    private var frames: [Frame] = []
    private var values: [PropertyList] = []
    private var nodes = 0
    /// What was left out or replaced, where the policy keeps the last of equal keys.
    private(set) var tolerated: [PropertyListFault] = []
    /// Which references of the outermost dictionary led to a fault.
    private var leftOut: Set<Int> = []

    init(_ objects: BinaryObjects, limits: PropertyListLimits, policy: TreeBuilder.DuplicatePolicy) {
        self.objects = objects
        depthLimit = limits.effectiveDepth
        // Weights are kept in 32 bits: there is one for each object, and 16 MiB hold millions of objects.
        nodeLimit = min(limits.nodes, Int(Int32.max))
        self.policy = policy
    }

    /// Reads the whole list.
    mutating func parse() throws(PropertyListFault) -> PropertyList {
        // A slot for each object is the first memory the file asks for.
        guard objects.count <= nodeLimit else {
            throw objects.fault(
                .tooManyNodes, objects.trailer.offset + 8,
                "The list has \(objects.count) objects; the limit is \(nodeLimit) keys and values.")
        }
        slots = Array(repeating: Slot(), count: objects.count)
        try visit(objects.trailer.topObject, from: objects.trailer.offset + 16)
        while let frame = frames.last {
            if frame.next == frame.count {
                try close()
                continue
            }
            frames[frames.count - 1].next += 1
            do throws(PropertyListFault) {
                try readElement(of: frame)
            } catch {
                try recover(from: error)
            }
        }
        guard let root = values.first else {
            throw objects.fault(.missingValue, 0, "The property list holds no value.")
        }
        return root
    }

    private mutating func readElement(of frame: Frame) throws(PropertyListFault) {
        let place = frame.references + frame.next * objects.referenceSize
        let object = try objects.reference(at: place)
        if frame.isDictionary, frame.next < frame.count / 2 {
            try checkIsText(object, from: place)
        }
        try visit(object, from: place)
    }

    /// Goes on with the outermost dictionary's next key or value, where faults are tolerated.
    private mutating func recover(from fault: PropertyListFault) throws(PropertyListFault) {
        guard policy == .keepLast, fault.code != .tooManyNodes, let outermost = frames.first, outermost.isDictionary
        else { throw fault }
        for frame in frames.dropFirst() { slots[frame.object].isOpen = false }
        frames.removeSubrange(1...)
        values.removeSubrange((outermost.firstValue + outermost.next - 1)...)
        // Something must stand in its place; where that is a key's place, a boolean is no key.
        values.append(.boolean(false))
        leftOut.insert(outermost.next - 1)
        tolerate(fault)
    }

    /// Puts an object's value on the stack, or opens it where it is a container.
    private mutating func visit(_ object: Int, from place: Int) throws(PropertyListFault) {
        let slot = slots[object]
        if let value = slot.value {
            guard Int(slot.height) <= depthLimit - frames.count else { throw tooDeep(place) }
            try count(Int(slot.weight), at: place)
            raiseHeight(Int(slot.height))
            values.append(value)
            return
        }
        guard !slot.isOpen else {
            throw objects.fault(.cycle, place, "Object \(object) contains itself; a property list cannot be a cycle.")
        }
        switch try objects.object(object) {
        case .value(let value):
            try count(1, at: place)
            slots[object].value = value
            slots[object].weight = 1
            values.append(value)
        case .container(let isDictionary, let count, let references):
            try open(object, isDictionary: isDictionary, count: count, references: references)
        }
    }

    private mutating func open(
        _ object: Int, isDictionary: Bool, count: Int, references: Int
    ) throws(PropertyListFault) {
        guard frames.count < depthLimit else { throw tooDeep(references) }
        // Everything it refers to counts at least once, so a huge container is refused before it is built.
        guard count < nodeLimit - nodes else { throw tooMany(references) }
        frames.append(
            Frame(
                object: object, isDictionary: isDictionary, count: count, references: references,
                firstValue: values.count, nodesBefore: nodes))
        nodes += 1
        slots[object].isOpen = true
    }

    private mutating func close() throws(PropertyListFault) {
        guard let frame = frames.popLast() else { return }
        let value = frame.isDictionary ? try dictionary(frame) : .array(Array(values[frame.firstValue...]))
        values.removeSubrange(frame.firstValue...)
        values.append(value)
        slots[frame.object] = Slot(
            value: value, weight: UInt32(clamping: nodes - frame.nodesBefore), height: UInt16(clamping: frame.height))
        raiseHeight(frame.height)
    }

    private mutating func dictionary(_ frame: Frame) throws(PropertyListFault) -> PropertyList {
        let count = frame.count / 2
        var entries = [String: PropertyList](minimumCapacity: count)
        for index in 0..<count {
            guard case .string(let key) = values[frame.firstValue + index] else { continue }
            if frames.isEmpty, leftOut.contains(count + index) { continue }
            let value = values[frame.firstValue + count + index]
            guard entries.updateValue(value, forKey: key) != nil else { continue }
            let fault = objects.fault(
                .duplicateKey, frame.references + index * objects.referenceSize,
                "The key \(Excerpt.of(key)) appears a second time in its dictionary.")
            guard policy == .keepLast else { throw fault }
            tolerate(fault)
        }
        return .dictionary(entries)
    }

    private mutating func tolerate(_ fault: PropertyListFault) {
        if tolerated.count <= StringsReader.mostFaults { tolerated.append(fault) }
    }

    /// A container is as high as its highest element, plus one.
    private mutating func raiseHeight(_ height: Int) {
        guard let last = frames.indices.last else { return }
        frames[last].height = max(frames[last].height, height + 1)
    }

    private func checkIsText(_ object: Int, from place: Int) throws(PropertyListFault) {
        if case .string? = slots[object].value { return }
        guard try objects.isText(object) else {
            throw objects.fault(.keyNotString, place, "A dictionary's key is object \(object), which is not a string.")
        }
    }

    private mutating func count(_ weight: Int, at place: Int) throws(PropertyListFault) {
        guard weight <= nodeLimit - nodes else { throw tooMany(place) }
        nodes += weight
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
