/// Reads old-style lists: the text form of NeXTSTEP and OpenStep, with GNUstep's typed values.
///
/// The outermost dictionary may lack its braces, as in strings files, and the last value before a closing brace or the
/// end may lack its semicolon. `key;` means a value equal to the key.
struct OldStyleParser: ~Copyable {
    var scanner: OldStyleScanner
    var builder: TreeBuilder
    /// Whether the outermost dictionary has no braces and ends with the file.
    private var isUnbraced = false

    /// `size`: the size of the file in bytes; nil for the size of the text.
    init(
        _ text: UnsafeBufferPointer<UInt8>, ofFile size: Int? = nil, limits: PropertyListLimits,
        policy: TreeBuilder.DuplicatePolicy = .keepFirst
    ) {
        scanner = OldStyleScanner(text, isLenient: false)
        builder = TreeBuilder(size: size ?? text.count, textSize: text.count, limits: limits, policy: policy)
    }

    /// Reads the whole text.
    mutating func parse() throws(TextFault) -> PropertyList {
        try scanner.skipBlanks()
        guard !scanner.isAtEnd else { throw TextFault(.empty, at: scanner.position, "The file holds only comments.") }
        if let only = try readOnlyString() { return .string(only) }
        while !builder.isComplete {
            try scanner.skipBlanks()
            switch builder.expectation {
            case .key: try readKeyOrEnd()
            case .element where scanner.next == UInt8(ascii: ")"): try close()
            default: try readValue()
            }
        }
        try scanner.skipBlanks()
        guard scanner.isAtEnd, let root = builder.root else {
            throw TextFault(
                .trailingContent, at: scanner.position,
                "Found \(Excerpt.of(scanner.text, scanner.position..<scanner.text.count)) after the end of the "
                    + "property list; nothing may follow it."
            )
        }
        return root
    }

    /// A string at the start is the whole list if nothing follows; otherwise it is the first key of a dictionary
    /// without braces.
    private mutating func readOnlyString() throws(TextFault) -> String? {
        guard scanner.isAtString else { return nil }
        let start = scanner.position
        let first = try scanner.readString()
        try scanner.skipBlanks()
        if scanner.isAtEnd { return first }
        scanner.position = start
        isUnbraced = true
        try builder.open(dictionary: true, at: start)
        return nil
    }

    private mutating func readKeyOrEnd() throws(TextFault) {
        let isOutermost = isUnbraced && builder.depth == 1
        if isOutermost ? scanner.isAtEnd : scanner.next == UInt8(ascii: "}") { return try close() }
        let start = scanner.position
        guard scanner.isAtString else { throw noKey(isOutermost) }
        let key = try scanner.readString()
        try builder.add(key: key, at: start)
        try scanner.skipBlanks()
        switch scanner.next {
        case UInt8(ascii: "="): scanner.position += 1
        case UInt8(ascii: ";"):
            scanner.position += 1
            try builder.add(.string(key), at: start)
        default:
            throw scanner.isAtEnd
                ? scanner.unexpected("\"=\" and a value for the key \(Excerpt.of(key)) are expected")
                : TextFault(
                    .missingSeparator, at: scanner.position,
                    "Found \(Excerpt.character(scanner.text, at: scanner.position)); "
                        + "\"=\" or \";\" is expected after the key \(Excerpt.of(key))."
                )
        }
    }

    private mutating func readValue() throws(TextFault) {
        let start = scanner.position
        switch scanner.next {
        case UInt8(ascii: "{"), UInt8(ascii: "("):
            try builder.open(dictionary: scanner.next == UInt8(ascii: "{"), at: start)
            scanner.position += 1
            return
        case UInt8(ascii: "<"): try builder.add(try OldStyleAngle.read(&scanner), at: start)
        default:
            guard scanner.isAtString else { throw noValue() }
            try builder.add(.string(try scanner.readString()), at: start)
        }
        try readSeparator()
    }

    private mutating func close() throws(TextFault) {
        if !(isUnbraced && builder.depth == 1) { scanner.position += 1 }
        try builder.close()
        try readSeparator()
    }

    /// Reads the separator after a value: a semicolon or comma, unless its container ends here.
    private mutating func readSeparator() throws(TextFault) {
        guard builder.isOpen else { return }
        try scanner.skipBlanks()
        let isUnbracedHere = isUnbraced && builder.depth == 1
        let separator = builder.isInDictionary ? UInt8(ascii: ";") : UInt8(ascii: ",")
        let end = builder.isInDictionary ? UInt8(ascii: "}") : UInt8(ascii: ")")
        if scanner.next == separator, !scanner.isAtEnd {
            scanner.position += 1
        } else if isUnbracedHere ? !scanner.isAtEnd : scanner.next != end {
            throw noSeparator()
        }
    }

    private func noKey(_ isOutermost: Bool) -> TextFault {
        if scanner.isAtEnd { return unclosed() }
        switch scanner.next {
        case UInt8(ascii: "("), UInt8(ascii: "{"), UInt8(ascii: "<"):
            return TextFault(
                .keyNotString, at: scanner.position,
                "A dictionary's key begins with \(Excerpt.character(scanner.text, at: scanner.position)); "
                    + "it must be a string."
            )
        default:
            return scanner.unexpected(isOutermost ? "a key is expected" : "a key or \"}\" is expected")
        }
    }

    private func noValue() -> TextFault {
        guard let key = builder.pendingKey else {
            return scanner.isAtEnd && builder.isOpen ? unclosed() : scanner.unexpected("a value is expected")
        }
        if scanner.next == UInt8(ascii: ";") || scanner.next == UInt8(ascii: "}") {
            return TextFault(
                .missingValue, at: scanner.position, "The key \(Excerpt.of(key.name)) has no value after its \"=\".")
        }
        return scanner.unexpected("a value for the key \(Excerpt.of(key.name)) is expected")
    }

    private func noSeparator() -> TextFault {
        if scanner.isAtEnd { return unclosed() }
        let wanted =
            builder.isInDictionary
            ? "\";\" or \"}\" is expected after a value" : "\",\" or \")\" is expected after an element"
        return TextFault(
            .missingSeparator, at: scanner.position,
            "Found \(Excerpt.character(scanner.text, at: scanner.position)); \(wanted).")
    }

    private func unclosed() -> TextFault {
        let kind = builder.isInDictionary ? "dictionary" : "array"
        return TextFault(.truncated, at: builder.openedAt, "The file ends inside the \(kind) that begins here.")
    }
}
