/// Reads strings tables, the `.strings` files of a localisation.
///
/// Translators write these files by hand, so the reader keeps as much as possible: a faulty entry is reported with its
/// position and left out, and every good entry before and after it is kept.
///
/// **Threads**: no shared state; may be called from any thread.
public enum StringsReader {
    /// At most this many faults are listed; the last one then states how many more there are.
    public static let mostFaults = ReadingBudget.mostFindings + 1

    /// Reads a strings table.
    ///
    /// It accepts the text form, `"key" = "value";`, with or without braces around the whole, and XML and binary
    /// property lists whose values are strings. For the text form:
    ///
    /// 1. the encoding is UTF-8, UTF-16 or UTF-32 with a byte-order mark, or UTF-16 or UTF-32 without one, recognised
    ///    by the zero bytes of the first character. A file that is not UTF-8 is read as Latin-1 or, if it has bytes
    ///    that are control characters in Latin-1, as Windows-1252, with a fault `assumedLatin1`. A byte that is not a
    ///    character in either becomes U+FFFD, with a fault `invalidEncoding`;
    /// 2. keys and values are in double or single quotes, or bare words of letters, digits and `_ $ / : . - +`;
    /// 3. `"key";` means a value equal to the key;
    /// 4. of equal keys the last wins, and each later one is reported as `duplicateKey`;
    /// 5. a missing semicolon is reported, and the entry is kept if the next entry clearly follows.
    ///
    /// - Parameters:
    ///   - bytes: The file's content. Not referred to after the call. An empty file is an empty table.
    ///   - limits: How much is accepted; a file that exceeds the limit on size is not read, and a table with too many
    ///     entries ends there.
    /// - Returns: The entries, and all faults in the order of the file. In XML and binary files, faults of whole lists
    ///   and of values that are not text have no position.
    ///
    /// **Cost**: linear in the size, whatever faults the file has.
    public static func read(
        _ bytes: UnsafeRawBufferPointer, limits: PropertyListLimits = .stringsTable
    ) -> (entries: [String: String], faults: [PropertyListFault]) {
        do throws(PropertyListFault) {
            try PropertyListReader.checkSize(bytes, limits)
            if PropertyListReader.isBinary(bytes) { return try readBinary(bytes, limits) }
            return try readText(bytes.bindMemory(to: UInt8.self), limits)
        } catch {
            return ([:], [error])
        }
    }

    /// Reads a strings table from an array.
    ///
    /// - Parameters:
    ///   - bytes: The file's content.
    ///   - limits: How much is accepted.
    /// - Returns: The entries, and all faults, like the variant with a buffer.
    public static func read(
        _ bytes: [UInt8], limits: PropertyListLimits = .stringsTable
    ) -> (entries: [String: String], faults: [PropertyListFault]) {
        bytes.withUnsafeBufferPointer { read(UnsafeRawBufferPointer($0), limits: limits) }
    }

    /// Reads a table whose values need not be text, a `.stringsdict`, and keeps as much of it as possible.
    ///
    /// XML and binary lists are read like strings tables; an old-style list is read completely or not at all.
    ///
    /// - Parameters:
    ///   - bytes: The file's content.
    ///   - limits: How much is accepted.
    /// - Returns: The entries, and the faults of the list in the order of the file.
    package static func readValues(
        _ bytes: UnsafeRawBufferPointer, limits: PropertyListLimits = .stringsTable
    ) -> (entries: [String: PropertyList], faults: [PropertyListFault]) {
        do throws(PropertyListFault) {
            try PropertyListReader.checkSize(bytes, limits)
            if PropertyListReader.isBinary(bytes) {
                let (root, faults, further, _) = try binaryRoot(bytes, limits)
                return values(of: root, faults, further: further)
            }
            var noted = FaultList()
            return try withText(of: bytes.bindMemory(to: UInt8.self), &noted) {
                (text, noted) throws(PropertyListFault) in
                if case .xml? = try? TextSource.form(of: text) {
                    var parser = XMLParser(
                        text, ofFile: bytes.count, limits: limits, policy: .keepLast, isLenient: true)
                    let (root, faults) = salvage(&parser, noted)
                    return values(of: root, located(faults, in: text), further: faults.further)
                }
                var faults = noted
                do throws(TextFault) {
                    var parser = OldStyleParser(text, ofFile: bytes.count, limits: limits, policy: .keepLast)
                    return values(of: try parser.parse(), located(faults, in: text), further: faults.further)
                } catch {
                    faults.add(error)
                    return ([:], listed(located(faults, in: text), further: faults.further))
                }
            }
        } catch {
            return ([:], [error])
        }
    }

    private static func values(
        of root: PropertyList, _ faults: [PropertyListFault], further: Int
    ) -> (entries: [String: PropertyList], faults: [PropertyListFault]) {
        guard case .dictionary(let entries) = root else {
            return ([:], listed(faults + [noDictionary(root)], further: further))
        }
        return (entries, listed(faults, further: further))
    }

    private static func noDictionary(_ root: PropertyList) -> PropertyListFault {
        PropertyListFault(
            code: .valueNotString, position: .whole,
            message: "The list is \(root.typeName); a strings table is a dictionary.")
    }

    private static func readBinary(
        _ bytes: UnsafeRawBufferPointer, _ limits: PropertyListLimits
    ) throws(PropertyListFault) -> (entries: [String: String], faults: [PropertyListFault]) {
        let (root, faults, furtherFaults, budget) = try binaryRoot(bytes, limits)
        let (entries, others, furtherOthers) = try texts(of: root, budget)
        return (entries, listed(faults + others, further: furtherFaults + furtherOthers))
    }

    private static func binaryRoot(
        _ bytes: UnsafeRawBufferPointer, _ limits: PropertyListLimits
    ) throws(PropertyListFault) -> (
        root: PropertyList, faults: [PropertyListFault], further: Int, budget: ReadingBudget
    ) {
        var parser = BinaryParser(try BinaryObjects(bytes), limits: limits, policy: .keepLast, isLenient: true)
        let root = try parser.parse()
        return (root, parser.tolerated, parser.furtherTolerated, parser.budget)
    }

    private static func readText(
        _ bytes: UnsafeBufferPointer<UInt8>, _ limits: PropertyListLimits
    ) throws(PropertyListFault) -> (entries: [String: String], faults: [PropertyListFault]) {
        var faults = FaultList()
        return try withText(of: bytes, &faults) { (text, faults) throws(PropertyListFault) in
            if case .xml? = try? TextSource.form(of: text) {
                return try readXML(text, ofFile: bytes.count, limits, faults)
            }
            var parser = StringsTableParser(text, ofFile: bytes.count, limits: limits)
            parser.parse()
            let (entries, found) = parser.finish()
            var all = faults
            all.add(found)
            return (entries, listed(located(all, in: text), further: all.further))
        }
    }

    private static func readXML(
        _ text: UnsafeBufferPointer<UInt8>, ofFile size: Int, _ limits: PropertyListLimits, _ earlier: FaultList
    ) throws(PropertyListFault) -> (entries: [String: String], faults: [PropertyListFault]) {
        var parser = XMLParser(text, ofFile: size, limits: limits, policy: .keepLast, isLenient: true)
        let (root, faults) = salvage(&parser, earlier)
        let (entries, others, further) = try texts(of: root, parser.builder.budget)
        return (entries, listed(located(faults, in: text) + others, further: faults.further + further))
    }

    /// The readable part of an XML list, even if a fault ends it, and all faults up to there.
    ///
    /// Nothing is kept of a list that exceeds its budget.
    static func salvage(_ parser: inout XMLParser, _ earlier: FaultList) -> (PropertyList, FaultList) {
        var faults = earlier
        let root: PropertyList
        do throws(TextFault) {
            root = try parser.parse()
        } catch {
            if error.code == .overBudget {
                faults.replaceAll(with: error)
                return (.dictionary([:]), faults)
            }
            root = .dictionary(parser.builder.salvage())
            faults.add(error)
        }
        faults.add(parser.tolerated)
        faults.add(parser.builder)
        return (root, faults)
    }

    /// Calls a function with the text as valid UTF-8; replacements and assumptions are recorded as faults.
    static func withText<Result>(
        of bytes: UnsafeBufferPointer<UInt8>, _ faults: inout FaultList,
        _ body: (UnsafeBufferPointer<UInt8>, FaultList) throws(PropertyListFault) -> Result
    ) throws(PropertyListFault) -> Result {
        var (encoding, markLength) = TextEncoding.detect(bytes)
        let content = UnsafeBufferPointer(rebasing: bytes[markLength...])
        if encoding == .utf8 {
            if markLength == 0, try XMLDeclaration.encoding(in: content) == .latin1 {
                encoding = .latin1
            } else if let bad = UTF8Check.firstFault(in: content, refusingNUL: false) {
                encoding = .latin1
                let offset = content[..<bad].reduce(into: 0) { $0 += Windows1252.utf8Count($1) }
                let assumed = content.contains(where: Windows1252.differs) ? "Windows-1252" : "Latin-1"
                faults.add(
                    TextFault(
                        .assumedLatin1, at: offset,
                        "The byte 0x\(String(content[bad], radix: 16, uppercase: true)) is not valid in UTF-8; "
                            + "the file is read as \(assumed)."
                    ))
            } else {
                return try body(content, faults)
            }
        }
        var decoder = TextDecoder(isLenient: true)
        let converted = try decoder.convert(content, from: encoding)
        faults.add(decoder.faults)
        return try converted.withUnsafeBufferPointer { (text) throws(PropertyListFault) in try body(text, faults) }
    }

    /// The entries of a list that are text, and faults for the others, but only as many as a report lists.
    static func texts(
        of root: PropertyList, _ budget: ReadingBudget
    ) throws(PropertyListFault) -> (entries: [String: String], others: [PropertyListFault], further: Int) {
        guard case .dictionary(let values) = root else { return ([:], [noDictionary(root)], 0) }
        // For a while both dictionaries exist, and later the second one and an index.
        var budget = budget
        guard budget.take(bytes: PropertyList.storageSize(texts: values.count) + StringsIndex.entrySize * values.count)
        else { throw PropertyListFault(code: .overBudget, position: .whole, message: budget.exhausted.sentence) }
        var entries = [String: String](minimumCapacity: values.count)
        var others: [(key: String, value: PropertyList)] = []
        var further = 0
        for (key, value) in values {
            if case .string(let text) = value {
                entries[key] = text
            } else if others.count < ReadingBudget.mostFindings {
                others.append((key, value))
            } else {
                further += 1
            }
        }
        // A dictionary has no order, but the report needs one.
        let faults = others.map { other in
            PropertyListFault(
                code: .valueNotString, position: .whole,
                message:
                    "The value of the key \(Excerpt.of(other.key)) is \(other.value.typeName); a string is expected.")
        }
        return (entries, faults.sorted { $0.message < $1.message }, further)
    }

    private static func located(_ faults: FaultList, in text: UnsafeBufferPointer<UInt8>) -> [PropertyListFault] {
        var counter = PositionCounter(text)
        return faults.faults.sorted { $0.offset < $1.offset }.map { $0.located(by: &counter) }
    }

    /// The faults for a report.
    ///
    /// `further`: how many there are in addition to those that were created.
    static func listed(_ faults: [PropertyListFault], further: Int) -> [PropertyListFault] {
        let left = faults.count - min(faults.count, ReadingBudget.mostFindings) + further
        guard left > 0, let last = faults.prefix(ReadingBudget.mostFindings).last else { return faults }
        return faults.prefix(ReadingBudget.mostFindings) + [Self.further(left, at: last.position)]
    }

    static func further(_ count: Int, at position: PropertyListFault.Position) -> PropertyListFault {
        PropertyListFault(
            code: .furtherFaults, position: position,
            message: count == 1
                ? "There is 1 more fault, which is not listed."
                : "There are \(count) more faults, which are not listed.")
    }
}

extension FaultList {
    /// Adds the equal keys that a builder found.
    mutating func add(_ builder: borrowing TreeBuilder) {
        for key in builder.duplicates { add(builder.fault(key)) }
        add(further: builder.furtherDuplicates)
    }
}
