/// Reads the text form of a strings table and continues after faults.
struct StringsTableParser: ~Copyable {
    private(set) var entries: [String: String] = [:]
    var scanner: OldStyleScanner
    /// How far the current entry was examined; recovery may go back from here.
    var furthest = 0
    /// The work for reading parts twice during recovery, and the memory of the entries.
    var budget: ReadingBudget
    /// How often recovery may continue after a fault.
    var recoveries: Int
    /// Whether the table is enclosed in braces and they are still open.
    private(set) var isBraced = false
    private var faults = FaultList()
    /// Whether a nested value had no end, so that searching for the end of the next one is useless.
    private var sawUnbalanced = false
    private let entryLimit: Int
    private var hasNoMemory = false
    /// Whether the position of every key is recorded, for a checker.
    var recordsKeys = false
    private(set) var recordedKeys: [KeyRecord] = []

    /// `size`: the size of the file in bytes; nil for the size of the text.
    init(_ text: UnsafeBufferPointer<UInt8>, ofFile size: Int? = nil, limits: PropertyListLimits) {
        scanner = OldStyleScanner(text, isLenient: true)
        entryLimit = limits.nodes / 2
        budget = ReadingBudget(list: size ?? text.count, working: 4)
        // A guess that avoids most of the growth and costs at most half the file's size.
        let guess = min(text.count / 64, entryLimit)
        entries.reserveCapacity(guess)
        _ = budget.take(bytes: PropertyList.storageSize(texts: guess))
        recoveries = budget.steps / FaultList.steps
    }

    /// The entries that were read, and all faults, in no particular order.
    consuming func finish() -> (entries: [String: String], faults: FaultList) {
        var faults = faults
        if overBudget == nil { faults.add(scanner.tolerated) }
        return (entries, faults)
    }

    /// Why the whole table is left out; nil if it is not.
    private var overBudget: ReadingBudget.Exhausted? {
        if hasNoMemory { return ReadingBudget.Exhausted(resource: .bytes, inputSize: budget.inputSize) }
        return recoveries < 0 ? ReadingBudget.Exhausted(resource: .steps, inputSize: budget.inputSize) : nil
    }

    /// Reads the whole table.
    mutating func parse() {
        do throws(TextFault) {
            try scanner.skipBlanks()
            if scanner.next == UInt8(ascii: "{") {
                isBraced = true
                scanner.position += 1
            }
            while try readNext() {}
        } catch {
            // Only an unclosed comment and the limits make it impossible to continue.
            if error.code == .overBudget {
                entries = [:]
                faults.replaceAll(with: error)
            } else {
                report(error)
            }
        }
    }

    /// Reads an entry or a closing brace; false at the end.
    private mutating func readNext() throws(TextFault) -> Bool {
        try scanner.skipBlanks()
        guard !scanner.isAtEnd else {
            if isBraced {
                report(.truncated, at: scanner.position, "The file ends before the table's \"{\" is closed.")
            }
            return false
        }
        let start = scanner.position
        furthest = start
        if scanner.next == UInt8(ascii: "}"), isBraced {
            isBraced = false
            scanner.position += 1
            try scanner.skipBlanks()
            guard !scanner.isAtEnd else { return false }
            recover(
                from: scanner.position,
                TextFault(
                    .trailingContent, at: scanner.position,
                    "Something follows the \"}\" that ends the table; nothing may follow it."))
        } else if scanner.next == UInt8(ascii: ";") {
            scanner.position += 1
            report(.unexpectedCharacter, at: start, "Found a semicolon without a key; a key is expected.")
        } else {
            do throws(TextFault) {
                try readEntry()
            } catch {
                recover(from: start, error)
            }
        }
        if let overBudget { throw TextFault(.overBudget, at: start, overBudget.sentence) }
        guard entries.count <= entryLimit else {
            throw TextFault(
                .tooManyNodes, at: start, "The table has more than \(entryLimit) entries, which is the limit.")
        }
        return true
    }

    private mutating func readEntry() throws(TextFault) {
        let start = scanner.position
        guard scanner.isAtString else { throw scanner.unexpected("a key is expected") }
        let key = try scanner.readString()
        try scanner.skipBlanks()
        if scanner.next == UInt8(ascii: ";") {
            scanner.position += 1
            return store(key, key, at: start)
        }
        if scanner.next == UInt8(ascii: "=") {
            scanner.position += 1
            let equals = scanner.position
            try scanner.skipBlanks()
            return try readValue(of: key, at: start, after: equals)
        }
        guard !scanner.isAtEnd else {
            throw TextFault(
                .truncated, at: start, "The file ends after the key \(Excerpt.of(key)); \"=\" and a value are expected."
            )
        }
        let found =
            "Found \(Excerpt.character(scanner.text, at: scanner.position)) after the key \(Excerpt.of(key)); "
            + "\"=\" or \";\" is expected."
        // As in "key = "value"; the quotation mark of the value was read as the end of the key.
        let isUnclosed = key.last { $0 != " " && $0 != "\t" } == "="
        let fault = TextFault(
            .missingSeparator, at: isUnclosed ? start : scanner.position,
            isUnclosed ? "The string that begins here is probably not closed before its \"=\". \(found)" : found)
        // Only the key is lost if the next entry begins here.
        guard isAtNextEntry(afterLineBreak: false) else { throw fault }
        report(fault)
    }

    private mutating func readValue(of key: String, at start: Int, after equals: Int) throws(TextFault) {
        switch scanner.next {
        case _ where scanner.isAtString:
            // With a line break before it and another "=" after it, this is the next entry's key.
            if hasLineBreak(from: equals), isAtNextEntry(afterLineBreak: false) {
                return report(.missingValue, at: equals, "The key \(Excerpt.of(key)) has no value after its \"=\".")
            }
            let value = try scanner.readString()
            try finish(key, value, at: start)
        case UInt8(ascii: ";"):
            report(.missingValue, at: scanner.position, "The key \(Excerpt.of(key)) has no value after its \"=\".")
            scanner.position += 1
        case UInt8(ascii: "{"), UInt8(ascii: "("), UInt8(ascii: "<"):
            let place = scanner.position
            let fault = TextFault(
                .valueNotString, at: place,
                "The value of the key \(Excerpt.of(key)) is not a string; a table contains only strings.")
            guard skipNestedValue() else { throw fault }
            report(fault)
            try scanner.skipBlanks()
            if scanner.next == UInt8(ascii: ";") { scanner.position += 1 }
        default: throw scanner.unexpected("a value for the key \(Excerpt.of(key)) is expected")
        }
    }

    /// Reads the semicolon after a value and keeps the entry, even without a semicolon if the meaning is clear.
    private mutating func finish(_ key: String, _ value: String, at start: Int) throws(TextFault) {
        let end = scanner.position
        do throws(TextFault) {
            try scanner.skipBlanks()
        } catch {
            store(key, value, at: start)
            return report(error)
        }
        if scanner.next == UInt8(ascii: ";") {
            scanner.position += 1
            return store(key, value, at: start)
        }
        // Before the closing brace the semicolon may be omitted.
        if scanner.next == UInt8(ascii: "}"), isBraced { return store(key, value, at: start) }
        guard scanner.isAtEnd || isAtNextEntry(afterLineBreak: hasLineBreak(from: end)) else {
            throw TextFault(
                .missingSeparator, at: scanner.position,
                "Found \(Excerpt.character(scanner.text, at: scanner.position)) after the value of the key "
                    + "\(Excerpt.of(key)); \";\" is expected."
            )
        }
        store(key, value, at: start)
        report(.missingSeparator, at: end, "The \";\" after the value of the key \(Excerpt.of(key)) is missing.")
    }

    private func hasLineBreak(from start: Int) -> Bool {
        scanner.text[start..<scanner.position].contains { $0 == 0x0A || $0 == 0x0D }
    }

    /// Whether a key with its `=` is at the position; on a new line `key;` counts too.
    ///
    /// The position does not change.
    private mutating func isAtNextEntry(afterLineBreak: Bool) -> Bool {
        guard scanner.isAtString else { return false }
        let start = scanner.position
        defer {
            furthest = max(furthest, scanner.position)
            scanner.examined += scanner.position - start
            scanner.position = start
        }
        do throws(TextFault) {
            try scanner.skipString()
            try scanner.skipBlanks()
        } catch {
            return false
        }
        return scanner.next == UInt8(ascii: "=") || (afterLineBreak && scanner.next == UInt8(ascii: ";"))
    }

    /// Skips a list, dictionary or data with everything in it.
    ///
    /// If it has no end, returns false and restores the position.
    private mutating func skipNestedValue() -> Bool {
        let start = scanner.position
        guard !sawUnbalanced else { return false }
        var depth = 0
        repeat {
            let byte = scanner.next
            do throws(TextFault) {
                if scanner.isQuote(byte) {
                    _ = try scanner.skipQuoted()
                } else {
                    scanner.position += 1
                }
                try scanner.skipBlanks()
            } catch {
                scanner.position = scanner.text.count
            }
            switch byte {
            case UInt8(ascii: "{"), UInt8(ascii: "("), UInt8(ascii: "<"): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: ")"), UInt8(ascii: ">"): depth -= 1
            default: break
            }
            if depth == 0 { return true }
        } while !scanner.isAtEnd
        furthest = scanner.position
        scanner.examined += scanner.position - start
        scanner.position = start
        sawUnbalanced = true
        return false
    }

    private mutating func store(_ key: String, _ value: String, at start: Int) {
        if recordsKeys { recordedKeys.append(KeyRecord(name: key, offset: start, depth: 1, container: 0)) }
        if entries.count == entries.capacity {
            // For a moment the old memory exists too.
            let old = entries.capacity
            guard pay(PropertyList.storageSize(texts: old + 1)) else { return }
            entries.reserveCapacity(old + 1)
            budget.giveBack(bytes: PropertyList.storageSize(texts: old))
        }
        guard entries.updateValue(value, forKey: key) != nil else {
            _ = pay(
                StringsIndex.entrySize + PropertyList.storageSize(text: key.utf8.count)
                    + PropertyList.storageSize(text: value.utf8.count))
            return
        }
        report(.duplicateKey, at: start, "The key \(Excerpt.of(key)) appears again; its last value is used.")
    }

    private mutating func pay(_ bytes: Int) -> Bool {
        if budget.take(bytes: bytes) { return true }
        hasNoMemory = true
        return false
    }

    mutating func report(_ fault: TextFault) { faults.add(fault) }

    private mutating func report(_ code: PropertyListFault.Code, at offset: Int, _ message: @autoclosure () -> String) {
        faults.add(TextFault(code, at: offset, message()))
    }
}
