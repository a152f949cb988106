/// Reads the XML form of a property list.
///
/// It accepts what Apple's document type describes: one value, in `<plist>` or without it. Comments and processing
/// instructions are skipped, the five predefined entities and character references are expanded. Nothing is ever
/// fetched; a document type with an internal subset is refused, so no entity can be declared. Control characters and
/// line ends are kept, as in Apple's reader.
struct XMLParser: ~Copyable {
    var xml: XMLCursor
    var builder: TreeBuilder

    /// Whether a faulty entry of the outermost dictionary is recorded in `tolerated` and left out.
    private let isLenient: Bool
    private(set) var tolerated = FaultList()
    var text: UnsafeBufferPointer<UInt8> { @inline(__always) get { xml.text } }
    var position: Int {
        @inline(__always) get { xml.position }
        @inline(__always) set { xml.position = newValue }
    }

    /// `size`: the size of the file in bytes; nil for the size of the text.
    init(
        _ text: UnsafeBufferPointer<UInt8>, ofFile size: Int? = nil, limits: PropertyListLimits,
        policy: TreeBuilder.DuplicatePolicy = .keepFirst, isLenient: Bool = false
    ) {
        xml = XMLCursor(text)
        self.isLenient = isLenient
        builder = TreeBuilder(size: size ?? text.count, textSize: text.count, limits: limits, policy: policy)
    }

    /// Reads the whole text.
    mutating func parse() throws(TextFault) -> PropertyList {
        try skipProlog()
        let first = try nextTag(inside: nil)
        let isWrapped = first.element == .plist
        if isWrapped {
            guard first.kind == .open else { throw noValue(first) }
        } else {
            try read(first)
        }
        while !builder.isComplete {
            do throws(TextFault) {
                let tag = try nextTag(inside: first)
                if tag.element == .plist { throw tag.kind == .close ? early(tag) : nested(tag) }
                try read(tag)
            } catch {
                try recover(from: error)
            }
        }
        guard let root = builder.root else { throw noValue(first) }
        do throws(TextFault) {
            try readEnd(first, isWrapped: isWrapped)
        } catch {
            guard isLenient else { throw error }
            tolerated.add(error)
        }
        return root
    }

    private mutating func readEnd(_ first: XMLTag, isWrapped: Bool) throws(TextFault) {
        if isWrapped {
            let tag = try nextTag(inside: first)
            guard tag.element == .plist, tag.kind == .close else { throw secondValue(tag) }
        }
        try xml.skipBetweenTags()
        guard position == text.count else { throw trailing() }
    }

    /// Continues with the next key, if faults are tolerated and there is one.
    private mutating func recover(from fault: TextFault) throws(TextFault) {
        // If a key was found instead of a value, that key is good: reading continues there.
        let from = fault.code == .missingValue ? fault.offset : position
        guard isLenient, fault.code != .tooManyNodes, fault.code != .overBudget, builder.abandonEntry(),
            let key = xml.find("<key>", from: from)
        else { throw fault }
        // A fault costs as much as reading some hundred bytes.
        guard builder.budget.take(steps: FaultList.steps + xml.takeFruitlessSteps()) else {
            throw TextFault(.overBudget, at: fault.offset, builder.budget.exhausted.sentence)
        }
        tolerated.add(fault)
        position = key
    }

    /// Reads the value that a tag begins, or closes the value that it ends.
    @inline(__always)
    private mutating func read(_ tag: XMLTag) throws(TextFault) {
        if tag.kind == .close {
            try close(tag)
        } else if tag.element == .key {
            guard builder.expectation == .key else { throw unexpectedKey(tag) }
            try builder.add(key: try readString(tag), at: tag.offset)
        } else {
            guard builder.expectation != .key else { throw missingKey(tag) }
            try readValue(tag)
        }
    }

    private mutating func readValue(_ tag: XMLTag) throws(TextFault) {
        switch tag.element {
        case .string: try builder.add(.string(try readString(tag)), at: tag.offset)
        case .dict, .array:
            try builder.open(dictionary: tag.element == .dict, at: tag.offset)
            if tag.kind == .empty { try builder.close() }
        case .true, .false:
            try readNothing(in: tag)
            try builder.add(.boolean(tag.element == .true), at: tag.offset)
        case .integer: try builder.add(try readInteger(tag), at: tag.offset)
        case .real: try builder.add(.real(try readReal(tag)), at: tag.offset)
        case .date: try builder.add(.date(try readDate(tag)), at: tag.offset)
        case .data: try builder.add(.data(try readData(tag)), at: tag.offset)
        case .plist: throw nested(tag)
        case .key: throw unexpectedKey(tag)
        }
    }

    private mutating func close(_ tag: XMLTag) throws(TextFault) {
        let expected: XMLElement = builder.isInDictionary ? .dict : .array
        guard builder.isOpen, tag.element == expected else { throw mismatched(tag, expected) }
        if let key = builder.pendingKey {
            throw TextFault(
                .missingValue, at: tag.offset,
                "The dictionary ends after the key \(Excerpt.of(key.name)), which has no value.")
        }
        try builder.close()
        builder.collapseArchiveReference()
    }

    @inline(never)
    private func mismatched(_ tag: XMLTag, _ expected: XMLElement) -> TextFault {
        let wanted = builder.isOpen ? "</\(expected.name)> is expected" : "nothing is open"
        return TextFault(.malformedMarkup, at: tag.offset, "\(tag.description) closes nothing here; \(wanted).")
    }

    /// The list ends before its value.
    @inline(never)
    private func early(_ tag: XMLTag) -> TextFault {
        guard builder.isOpen else { return noValue(tag) }
        let open: XMLElement = builder.isInDictionary ? .dict : .array
        return TextFault(
            .malformedMarkup, at: builder.openedAt,
            "The list ends inside the <\(open.name)> that begins here; its </\(open.name)> is missing.")
    }

    @inline(never)
    private func noValue(_ tag: XMLTag) -> TextFault {
        TextFault(.missingValue, at: tag.offset, "The property list contains no value.")
    }

    @inline(never)
    private func nested(_ tag: XMLTag) -> TextFault {
        TextFault(
            .malformedMarkup, at: tag.offset, "\(tag.description) is inside the list; it may only enclose the list.")
    }

    @inline(never)
    private func secondValue(_ tag: XMLTag) -> TextFault {
        TextFault(
            .trailingContent, at: tag.offset, "\(tag.description) follows the list's only value; </plist> is expected.")
    }

    @inline(never)
    private func trailing() -> TextFault {
        TextFault(
            .trailingContent, at: position,
            "\(Excerpt.of(text, position..<text.count)) follows the end of the property list; nothing may follow it.")
    }

    @inline(never)
    private func unexpectedKey(_ tag: XMLTag) -> TextFault {
        if let key = builder.pendingKey {
            return TextFault(
                .missingValue, at: tag.offset,
                "The key \(Excerpt.of(key.name)) is followed by another <key>; its value is expected.")
        }
        return TextFault(.malformedMarkup, at: tag.offset, "Found <key> outside of a dictionary; a value is expected.")
    }

    @inline(never)
    private func missingKey(_ tag: XMLTag) -> TextFault {
        TextFault(.keyNotString, at: tag.offset, "\(tag.description) is in a dictionary where a <key> is expected.")
    }
}
