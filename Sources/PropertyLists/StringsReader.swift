/// Reads strings tables, the `.strings` files of a localisation.
///
/// Translators write these files by hand, so the reader saves what can be saved: an entry that is wrong is reported
/// with its place and left out, and every good entry before and after it is kept.
///
/// **Threads**: no shared state; may be called from any thread.
public enum StringsReader {
    /// At most this many faults are listed; the last one then says how many more there were.
    public static let mostFaults = 1_000

    /// Reads a strings table.
    ///
    /// Accepted are the text form, `"key" = "value";`, with or without braces around the whole, and XML and binary
    /// property lists whose values are strings. In text:
    ///
    /// 1. the encoding is UTF-8, UTF-16 or UTF-32 with a byte-order mark, or UTF-16 or UTF-32 without one, recognised
    ///    by the zero bytes of the first character. Bytes that are no UTF-8 are read as Latin-1, with a fault
    ///    `assumedLatin1`;
    /// 2. keys and values are in double or single quotes, or bare words of letters, digits and `_ $ / : . - +`;
    /// 3. `"key";` means a value equal to the key;
    /// 4. of equal keys the last wins, and each later one is reported as `duplicateKey`;
    /// 5. a missing semicolon is reported, and the entry kept where the next thing is clearly the next entry.
    ///
    /// - Parameters:
    ///   - bytes: The file's content. Not referred to after the call. An empty file is an empty table.
    ///   - limits: How much is accepted; a file over the limit on size is not looked at, and a table with too many
    ///     entries ends there.
    /// - Returns: The entries, and everything that is wrong in the order of the file. Faults of whole lists and of
    ///   values that are no text have no place in XML and binary files.
    ///
    /// **Cost**: linear in the size, whatever is wrong with the file.
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
    /// - Returns: The entries, and everything that is wrong, as the form with a buffer does.
    public static func read(
        _ bytes: [UInt8], limits: PropertyListLimits = .stringsTable
    ) -> (entries: [String: String], faults: [PropertyListFault]) {
        bytes.withUnsafeBufferPointer { read(UnsafeRawBufferPointer($0), limits: limits) }
    }

    /// Reads a table whose values need not be text, a `.stringsdict`, and saves what can be saved of it.
    ///
    /// XML and binary lists are read as strings tables are; an old-style list is read whole or not at all.
    ///
    /// - Parameters:
    ///   - bytes: The file's content.
    ///   - limits: How much is accepted.
    /// - Returns: The entries, and what is wrong with the list in the order of the file.
    package static func readValues(
        _ bytes: UnsafeRawBufferPointer, limits: PropertyListLimits = .stringsTable
    ) -> (entries: [String: PropertyList], faults: [PropertyListFault]) {
        do throws(PropertyListFault) {
            try PropertyListReader.checkSize(bytes, limits)
            if PropertyListReader.isBinary(bytes) {
                let (root, faults) = try binaryRoot(bytes, limits)
                return values(of: root, faults)
            }
            var noted: [TextFault] = []
            return try withText(of: bytes.bindMemory(to: UInt8.self), &noted) {
                (text, noted) throws(PropertyListFault) in
                if case .xml? = try? TextSource.form(of: text) {
                    var parser = XMLParser(text, limits: limits, policy: .keepLast)
                    let (root, faults) = salvage(&parser, noted)
                    return values(of: root, located(faults, in: text))
                }
                do throws(TextFault) {
                    var parser = OldStyleParser(text, limits: limits)
                    return values(of: try parser.parse(), located(noted, in: text))
                } catch {
                    return ([:], located(noted + [error], in: text))
                }
            }
        } catch {
            return ([:], [error])
        }
    }

    private static func values(
        of root: PropertyList, _ faults: [PropertyListFault]
    ) -> (entries: [String: PropertyList], faults: [PropertyListFault]) {
        guard case .dictionary(let entries) = root else { return ([:], listed(faults + [noDictionary(root)])) }
        return (entries, listed(faults))
    }

    private static func noDictionary(_ root: PropertyList) -> PropertyListFault {
        PropertyListFault(
            code: .valueNotString, position: .whole,
            message: "The list is \(root.typeName); a strings table is a dictionary.")
    }

    private static func readBinary(
        _ bytes: UnsafeRawBufferPointer, _ limits: PropertyListLimits
    ) throws(PropertyListFault) -> (entries: [String: String], faults: [PropertyListFault]) {
        var (root, faults) = try binaryRoot(bytes, limits)
        return (texts(of: root, &faults), listed(faults))
    }

    private static func binaryRoot(
        _ bytes: UnsafeRawBufferPointer, _ limits: PropertyListLimits
    ) throws(PropertyListFault) -> (PropertyList, [PropertyListFault]) {
        var parser = BinaryParser(try BinaryObjects(bytes), limits: limits, policy: .keepLast)
        let root = try parser.parse()
        return (root, parser.tolerated)
    }

    private static func readText(
        _ bytes: UnsafeBufferPointer<UInt8>, _ limits: PropertyListLimits
    ) throws(PropertyListFault) -> (entries: [String: String], faults: [PropertyListFault]) {
        var faults: [TextFault] = []
        return try withText(of: bytes, &faults) { (text, faults) throws(PropertyListFault) in
            if case .xml? = try? TextSource.form(of: text) { return readXML(text, limits, faults) }
            var parser = StringsTableParser(text, limits: limits)
            parser.parse()
            let (entries, found) = parser.finish()
            return (entries, listed(located(faults + found, in: text)))
        }
    }

    private static func readXML(
        _ text: UnsafeBufferPointer<UInt8>, _ limits: PropertyListLimits, _ earlier: [TextFault]
    ) -> (entries: [String: String], faults: [PropertyListFault]) {
        var parser = XMLParser(text, limits: limits, policy: .keepLast)
        let (root, faults) = salvage(&parser, earlier)
        var shapes: [PropertyListFault] = []
        let entries = texts(of: root, &shapes)
        return (entries, listed(located(faults, in: text) + shapes))
    }

    /// What can be read of an XML list, also where a fault ends it, and everything that is wrong up to there.
    static func salvage(_ parser: inout XMLParser, _ earlier: [TextFault]) -> (PropertyList, [TextFault]) {
        var faults = earlier
        let root: PropertyList
        do throws(TextFault) {
            root = try parser.parse()
        } catch {
            root = .dictionary(parser.builder.salvage())
            faults.append(error)
        }
        faults += parser.tolerated
        faults += parser.builder.duplicates.prefix(mostFaults + 1).map { TreeBuilder.duplicate($0) }
        return (root, faults)
    }

    /// Calls a function with the text as valid UTF-8; what had to be replaced or assumed for that is noted.
    static func withText<Result>(
        of bytes: UnsafeBufferPointer<UInt8>, _ faults: inout [TextFault],
        _ body: (UnsafeBufferPointer<UInt8>, [TextFault]) throws(PropertyListFault) -> Result
    ) throws(PropertyListFault) -> Result {
        var (encoding, markLength) = TextEncoding.detect(bytes)
        let content = UnsafeBufferPointer(rebasing: bytes[markLength...])
        if encoding == .utf8 {
            if markLength == 0, try XMLDeclaration.encoding(in: content) == .latin1 {
                encoding = .latin1
            } else if let bad = UTF8Check.firstFault(in: content, refusingNUL: false) {
                encoding = .latin1
                // Bytes above ASCII take two bytes once they are converted.
                let offset = bad + content[..<bad].reduce(into: 0) { $0 += $1 >= 0x80 ? 1 : 0 }
                faults.append(
                    TextFault(
                        .assumedLatin1, at: offset,
                        "The byte 0x\(String(content[bad], radix: 16, uppercase: true)) is not valid in UTF-8; "
                            + "the file is read as Latin-1."
                    ))
            } else {
                return try body(content, faults)
            }
        }
        var decoder = TextDecoder(isLenient: true)
        let converted = try decoder.convert(content, from: encoding)
        faults += decoder.faults
        return try converted.withUnsafeBufferPointer { (text) throws(PropertyListFault) in try body(text, faults) }
    }

    /// The entries of a list that are text; the others are reported.
    static func texts(of root: PropertyList, _ faults: inout [PropertyListFault]) -> [String: String] {
        guard case .dictionary(let values) = root else {
            faults.append(noDictionary(root))
            return [:]
        }
        var entries = [String: String](minimumCapacity: values.count)
        var others: [PropertyListFault] = []
        for (key, value) in values {
            if case .string(let text) = value {
                entries[key] = text
            } else if others.count < mostFaults {
                others.append(
                    PropertyListFault(
                        code: .valueNotString, position: .whole,
                        message: "The value of the key \(Excerpt.of(key)) is \(value.typeName); a string is expected."))
            }
        }
        // A dictionary has no order; the report has one.
        faults += others.sorted { $0.message < $1.message }
        return entries
    }

    private static func located(_ faults: [TextFault], in text: UnsafeBufferPointer<UInt8>) -> [PropertyListFault] {
        var counter = PositionCounter(text)
        return faults.sorted { $0.offset < $1.offset }.map { $0.located(by: &counter) }
    }

    static func listed(_ faults: [PropertyListFault]) -> [PropertyListFault] {
        guard faults.count > mostFaults else { return faults }
        let further = PropertyListFault(
            code: .furtherFaults, position: faults[mostFaults - 1].position,
            message: "There are more faults from here on, which are not listed.")
        return faults.prefix(mostFaults - 1) + [further]
    }
}
