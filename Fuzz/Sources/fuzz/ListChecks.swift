import PropertyLists

/// The rules for every property list.
struct ListChecks {
    private let bytes: UnsafeRawBufferPointer
    private let limits: PropertyListLimits

    init(bytes: UnsafeRawBufferPointer, random: inout SeededGenerator) {
        self.bytes = bytes
        // Low limits now and then, so that inputs reach them.
        limits =
            random.oneIn(4)
            ? PropertyListLimits(size: 1 << 12, depth: 1 + random.below(8), nodes: 1 + random.below(200)) : .standard
    }

    func run(sample: Sample?) throws(Violation) {
        let read = Self.read(bytes, limits)
        switch read {
        case .success(let value):
            if limits == .standard, let expected = sample?.value, !value.isEqual(to: expected) {
                throw Violation("a right file is read as something else: \(value), not \(expected)")
            }
            var nodes = 0
            let depth = try measure(value, &nodes)
            guard depth <= limits.depth, nodes <= limits.nodes, bytes.count <= limits.size else {
                throw Violation(
                    "the limits are broken: depth \(depth), \(nodes) nodes, \(bytes.count) bytes, \(limits)")
            }
            try checkWriting(value)
        case .failure(let fault):
            try fault.check(inFileOf: bytes.count)
            if limits == .standard, sample?.value != nil { throw Violation("a right file is refused: \(fault)") }
        }
        try checkInspection(read)
        try checkEntries()
    }

    private static func read(
        _ bytes: [UInt8], _ limits: PropertyListLimits
    ) -> Result<PropertyList, PropertyListFault> {
        bytes.withUnsafeBytes { read($0, limits) }
    }

    private static func read(
        _ bytes: UnsafeRawBufferPointer, _ limits: PropertyListLimits
    ) -> Result<PropertyList, PropertyListFault> {
        do throws(PropertyListFault) {
            return .success(try PropertyListReader.read(bytes, limits: limits).value)
        } catch {
            return .failure(error)
        }
    }

    /// The depth of a value, and the number of its keys and values.
    private func measure(_ value: PropertyList, _ nodes: inout Int) throws(Violation) -> Int {
        nodes += 1
        guard nodes <= limits.nodes else { throw Violation("the limit on nodes is broken: over \(limits.nodes)") }
        var deepest = 0
        switch value {
        case .array(let values):
            for value in values { deepest = max(deepest, try measure(value, &nodes)) }
            return deepest + 1
        case .dictionary(let entries):
            for value in entries.values {
                nodes += 1
                deepest = max(deepest, try measure(value, &nodes))
            }
            return deepest + 1
        default: return 0
        }
    }

    /// A value that XML can express is unchanged when it is written and read again.
    private func checkWriting(_ value: PropertyList) throws(Violation) {
        let text: String
        do throws(PropertyListFault) {
            text = try PropertyListWriter.xml(value)
        } catch {
            guard error.code == .notRepresentable else { throw Violation("writing fails: \(error)") }
            return
        }
        // An archive reference is three nodes and one level more in XML.
        let generous = PropertyListLimits(size: .max, depth: limits.depth + 1, nodes: .max)
        switch Self.read(Array(text.utf8), generous) {
        case .success(let again):
            guard again.isEqual(to: value) else { throw Violation("written and read again it differs: \(text)") }
        case .failure(let fault): throw Violation("what was written is refused: \(fault): \(text)")
        }
    }

    /// The fast way gives the reader's result, or leaves the list to it.
    private func checkEntries() throws(Violation) {
        let text = ListText(capacity: bytes.count)
        UnsafeMutableRawBufferPointer(start: text.bytes, count: bytes.count).copyMemory(from: bytes)
        var places: [(key: String, value: ListPlace)] = []
        let isRecognized = text.forEachItem { key, place in
            places.append((String(decoding: key, as: UTF8.self), place))
            return true
        }
        guard isRecognized else { return }
        guard case .success(.dictionary(let entries)) = Self.read(bytes, .standard) else {
            throw Violation("the fast way takes a list that the reader refuses")
        }
        guard places.count == entries.count else {
            throw Violation("the fast way finds \(places.count) entries, the reader \(entries.count)")
        }
        for (key, place) in places where text.value(at: place) != entries[key] {
            throw Violation("the fast way reads another value of the key \(key.debugDescription)")
        }
    }

    /// The checker finds faults exactly where the reader does.
    private func checkInspection(_ read: Result<PropertyList, PropertyListFault>) throws(Violation) {
        let inspected = ListInspector.inspect(bytes, as: .propertyList, limits: limits)
        for fault in inspected.faults { try fault.fault.check(inFileOf: bytes.count) }
        switch read {
        case .success(let value):
            // Only the checker reports a duplicate key: the reader takes the first value.
            let faults = inspected.faults.filter { ![.duplicateKey, .repeatedKey].contains($0.fault.code) }
            guard faults.isEmpty, inspected.value == value else {
                throw Violation("the checker faults a good list: \(inspected.faults.map(\.fault))")
            }
        case .failure(let fault):
            guard !inspected.faults.isEmpty else { throw Violation("the checker overlooks: \(fault)") }
        }
    }
}

extension PropertyList {
    /// Equal, except for what XML cannot express: fractions of a second, and a dictionary that looks like an archive
    /// reference.
    func isEqual(to other: PropertyList) -> Bool {
        switch (self.spelled, other.spelled) {
        case (.date(let date), .date(let other)): abs(date - other) <= 1
        case (.array(let values), .array(let others)):
            values.count == others.count && zip(values, others).allSatisfy { $0.isEqual(to: $1) }
        case (.dictionary(let entries), .dictionary(let others)):
            entries.count == others.count
                && entries.allSatisfy { key, value in others[key].map { value.isEqual(to: $0) } ?? false }
        case (let value, let other): value == other
        }
    }

    private var spelled: PropertyList {
        guard case .dictionary(let entries) = self, entries.count == 1, case .integer(let number)? = entries["CF$UID"],
            let identifier = UInt32(exactly: number)
        else { return self }
        return .uid(UInt64(identifier))
    }
}
