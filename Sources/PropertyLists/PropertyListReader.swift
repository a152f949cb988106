/// Reads property lists of unknown origin.
///
/// It is meant for files from a stranger's bundle: the reader is strict, never recurses on its input, reads in linear
/// time, and checks limits before it allocates memory. Every problem is reported as a ``PropertyListFault`` with its
/// position; nothing in a file can crash the process.
///
/// **Threads**: no shared state; may be called from any thread.
public enum PropertyListReader {
    /// Reads a property list in any of its three forms.
    ///
    /// The form is recognised by the content, as Apple's readers do. A binary list begins with `bplist`, and an XML
    /// list with a `<` that begins XML markup. Anything else is an old-style list, whose data (`<0fbd77>`) and typed
    /// values (`<*BY>`) also begin with `<`. Text is UTF-8, or UTF-16 or UTF-32 recognised by the byte-order mark or by
    /// zero bytes; an XML declaration may also name US-ASCII or ISO-8859-1.
    ///
    /// It is stricter than Apple's reader. These are faults: equal keys (by canonical equivalence, as `String`
    /// compares), numbers and dates that are not finite, lone surrogates, bytes after the end, a document type with a
    /// subset, and more than 30 combining marks in a row.
    ///
    /// - Parameters:
    ///   - bytes: The file's content. Not referred to after the call.
    ///   - limits: How much is accepted.
    /// - Returns: The value, and the form in which it was written. Of equal keys the first one counts;
    ///   ``readAll(_:limits:)`` reports them.
    /// - Throws: ``PropertyListFault``; `tooLarge`, `tooDeep` and `tooManyNodes` for the limits, `empty` for a file of
    ///   blanks, `truncated` if the file ends inside something, `invalidEncoding` and `unknownEncoding` if it is not
    ///   text, and other codes with the meaning that their documentation states.
    ///
    /// **Cost**: linear in the size; a few nanoseconds per byte.
    public static func read(
        _ bytes: UnsafeRawBufferPointer, limits: PropertyListLimits = .standard
    ) throws(PropertyListFault) -> (value: PropertyList, format: PropertyListFormat) {
        let (value, format, _) = try readAll(bytes, limits: limits)
        return (value, format)
    }

    /// The same, together with the keys that a dictionary contains more than once.
    public static func readAll(
        _ bytes: UnsafeRawBufferPointer, limits: PropertyListLimits = .standard
    ) throws(PropertyListFault) -> (value: PropertyList, format: PropertyListFormat, duplicates: DuplicateKeys) {
        try checkSize(bytes, limits)
        guard !bytes.isEmpty else {
            throw PropertyListFault(code: .empty, position: .whole, message: "The file is empty.")
        }
        if isBinary(bytes) {
            var parser = BinaryParser(try BinaryObjects(bytes), limits: limits)
            let value = try parser.parse()
            return (value, .binary, parser.duplicates)
        }
        return try TextSource.withText(of: bytes) { (text) throws(PropertyListFault) in
            do throws(TextFault) {
                switch try TextSource.form(of: text) {
                case .xml:
                    var parser = XMLParser(text, ofFile: bytes.count, limits: limits)
                    let value = try parser.parse()
                    return (value, .xml, parser.builder.duplicateKeys(in: text))
                case .openStep:
                    var parser = OldStyleParser(text, ofFile: bytes.count, limits: limits)
                    let value = try parser.parse()
                    return (value, .openStep, parser.builder.duplicateKeys(in: text))
                }
            } catch {
                throw error.located(in: text)
            }
        }
    }

    /// Reads a property list in any of its three forms, from an array.
    ///
    /// - Parameters:
    ///   - bytes: The file's content.
    ///   - limits: How much is accepted.
    /// - Returns: The value, and the form in which it was written.
    /// - Throws: ``PropertyListFault``, like the variant with a buffer.
    public static func read(
        _ bytes: [UInt8], limits: PropertyListLimits = .standard
    ) throws(PropertyListFault) -> (value: PropertyList, format: PropertyListFormat) {
        try bytes.withUnsafeBufferPointer { (buffer) throws(PropertyListFault) in
            try read(UnsafeRawBufferPointer(buffer), limits: limits)
        }
    }

    /// Refuses a file that exceeds the limit on size.
    static func checkSize(_ bytes: UnsafeRawBufferPointer, _ limits: PropertyListLimits) throws(PropertyListFault) {
        guard bytes.count <= limits.size else {
            throw PropertyListFault(
                code: .tooLarge, position: .whole,
                message: "The file has \(bytes.count) bytes; the limit is \(limits.size).")
        }
    }

    /// Whether the bytes begin like binary lists of any version.
    static func isBinary(_ bytes: UnsafeRawBufferPointer) -> Bool {
        bytes.starts(with: [0x62, 0x70, 0x6C, 0x69, 0x73, 0x74])
    }
}

extension TreeBuilder {
    /// The keys that a dictionary in the text contains more than once, in the order of the file.
    borrowing func duplicateKeys(in text: UnsafeBufferPointer<UInt8>) -> DuplicateKeys {
        var keys = DuplicateKeys()
        keys.otherForm = otherForm
        if duplicates.isEmpty { return keys }
        var counter = PositionCounter(text)
        keys.listed = duplicates.sorted { $0.key.offset < $1.key.offset }.map { duplicate in
            let (line, column) = counter.position(of: duplicate.key.offset)
            return DuplicateKey(
                name: duplicate.key.name, outermost: duplicate.outermost, position: .text(line: line, column: column),
                hasSameValue: duplicate.hasSameValue)
        }
        keys.further = furtherDuplicates
        keys.furtherDiffer = furtherDiffer
        return keys
    }
}
