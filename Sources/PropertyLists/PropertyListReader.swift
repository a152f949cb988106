/// Reads property lists of unknown origin.
///
/// Meant for what is found in a stranger's bundle: the reader is strict, never recurses on its input, reads in linear
/// time, and keeps to limits before it asks for memory. Whatever is wrong comes back as a ``PropertyListFault`` with
/// its place; nothing in a file ends the process.
///
/// **Threads**: no shared state; may be called from any thread.
public enum PropertyListReader {
    /// Reads a property list in any of its three forms.
    ///
    /// The form is recognised by the content, as Apple does: `bplist` begins a binary list; a first character `<` that
    /// begins XML markup an XML one; anything else is an old-style list, whose data (`<0fbd77>`) and typed values
    /// (`<*BY>`) begin with `<` too. Text is UTF-8, or UTF-16 or UTF-32 recognised by its byte-order mark or its zero
    /// bytes; an XML declaration may also say US-ASCII or ISO-8859-1.
    ///
    /// Stricter than Apple's reader: equal keys (by canonical equivalence, as `String` compares), numbers and dates
    /// that are not finite, lone surrogates, bytes after the end, a document type with a subset, and more than 30
    /// combining marks in a row are faults.
    ///
    /// - Parameters:
    ///   - bytes: The file's content. Not referred to after the call.
    ///   - limits: How much is accepted.
    /// - Returns: The value, and the form it was written in. Of equal keys the first one counts; ``readAll(_:limits:)``
    ///   reports them.
    /// - Throws: ``PropertyListFault``; `tooLarge`, `tooDeep` and `tooManyNodes` for the limits, `empty` for a file of
    ///   blanks, `truncated` where the file ends inside something, `invalidEncoding` and `unknownEncoding` for what is
    ///   no text, the other codes as they say.
    ///
    /// **Cost**: linear in the size; a few nanoseconds a byte.
    public static func read(
        _ bytes: UnsafeRawBufferPointer, limits: PropertyListLimits = .standard
    ) throws(PropertyListFault) -> (value: PropertyList, format: PropertyListFormat) {
        let (value, format, _) = try readAll(bytes, limits: limits)
        return (value, format)
    }

    /// The same, with the keys that a dictionary has more than once.
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
    /// - Returns: The value, and the form it was written in.
    /// - Throws: ``PropertyListFault``, as the form with a buffer does.
    public static func read(
        _ bytes: [UInt8], limits: PropertyListLimits = .standard
    ) throws(PropertyListFault) -> (value: PropertyList, format: PropertyListFormat) {
        try bytes.withUnsafeBufferPointer { (buffer) throws(PropertyListFault) in
            try read(UnsafeRawBufferPointer(buffer), limits: limits)
        }
    }

    /// Refuses what is over the limit on size.
    static func checkSize(_ bytes: UnsafeRawBufferPointer, _ limits: PropertyListLimits) throws(PropertyListFault) {
        guard bytes.count <= limits.size else {
            throw PropertyListFault(
                code: .tooLarge, position: .whole,
                message: "The file has \(bytes.count) bytes; the limit is \(limits.size).")
        }
    }

    /// Whether the bytes begin as binary lists do, of whatever version.
    static func isBinary(_ bytes: UnsafeRawBufferPointer) -> Bool {
        bytes.starts(with: [0x62, 0x70, 0x6C, 0x69, 0x73, 0x74])
    }
}

extension TreeBuilder {
    /// The keys that a dictionary of the text has more than once, in the order of the file.
    borrowing func duplicateKeys(in text: UnsafeBufferPointer<UInt8>) -> DuplicateKeys {
        var keys = DuplicateKeys()
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
