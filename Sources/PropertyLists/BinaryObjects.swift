/// The objects of a binary property list: their places from the offset table, and the bytes of each object.
///
/// Every read is checked against the part of the file that may contain objects, and every sum against overflow.
struct BinaryObjects {
    /// The type of an object; its references are not followed yet.
    enum Object {
        case value(PropertyList)
        /// `count` references begin at the offset `references`; a dictionary has two per entry.
        case container(isDictionary: Bool, count: Int, references: Int)
    }

    private let bytes: UnsafeRawBufferPointer
    let trailer: BinaryTrailer

    var count: Int { trailer.objectCount }
    /// The size of the file.
    var size: Int { bytes.count }
    var referenceSize: Int { trailer.referenceSize }

    /// How many bytes of the file belong to objects.
    var room: Int { tableOffset - BinaryTrailer.headerSize }

    /// The beginning of the offset table, which is the end of the objects.
    private var tableOffset: Int { trailer.tableOffset }

    init(_ bytes: UnsafeRawBufferPointer) throws(PropertyListFault) {
        trailer = try BinaryTrailer(bytes)
        self.bytes = bytes
    }

    /// A fault at an offset of the file.
    func fault(_ code: PropertyListFault.Code, _ offset: Int, _ message: String) -> PropertyListFault {
        PropertyListFault(code: code, position: .byte(offset), message: message)
    }

    /// The object number stored at an offset inside a container.
    @inline(__always)
    func reference(at offset: Int) throws(PropertyListFault) -> Int {
        let number = bytes.bigEndian(at: offset, size: referenceSize)
        guard number < UInt64(count) else {
            throw fault(.invalidReference, offset, "A container refers to object \(number) of only \(count).")
        }
        return Int(number)
    }

    /// Whether an object is a string.
    func isText(_ object: Int) throws(PropertyListFault) -> Bool {
        let kind = bytes[try offset(of: object)] >> 4
        return kind == 5 || kind == 6
    }

    /// The sizes of an object, all 0 for one without a length.
    ///
    /// They are the bytes of its content or references in the file, the maximum number of decoded bytes, and the memory
    /// for the decoded bytes.
    func sizes(_ object: Int) throws(PropertyListFault) -> (inFile: Int, decoded: Int, memory: Int) {
        let start = try offset(of: object)
        let marker = bytes[start]
        switch marker >> 4 {
        case 0x4:
            let count = try content(marker, start, unit: 1).count
            return (count, count, PropertyList.storageSize(data: count))
        case 0x5:
            let count = try content(marker, start, unit: 1).count
            return (count, count, PropertyList.storageSize(text: count))
        case 0x6:
            // Every two bytes may become three bytes of UTF-8, and need at least as many again while the text is built.
            let count = try content(marker, start, unit: 2).count
            return (count, count / 2 * 3, PropertyList.storageSize(text: count / 2 * 7))
        case 0xA: return (try content(marker, start, unit: referenceSize).count, 0, 0)
        case 0xD: return (try content(marker, start, unit: 2 * referenceSize).count, 0, 0)
        default: return (0, 0, 0)
        }
    }

    /// Decodes an object.
    func object(_ object: Int) throws(PropertyListFault) -> Object {
        let start = try offset(of: object)
        let marker = bytes[start]
        switch marker >> 4 {
        case 0x0:
            guard marker == 0x08 || marker == 0x09 else { throw unknown(marker, start) }
            return .value(.boolean(marker == 0x09))
        case 0x1: return .value(try integer(marker, start))
        case 0x2: return .value(.real(try real(marker, start)))
        case 0x3:
            guard marker == 0x33 else { throw unknown(marker, start) }
            return .value(.date(try double(start)))
        case 0x4:
            let content = try content(marker, start, unit: 1)
            return .value(.data(Array(bytes[content])))
        case 0x5: return .value(.string(try ascii(try content(marker, start, unit: 1))))
        case 0x6: return .value(.string(try utf16(try content(marker, start, unit: 2))))
        case 0x8:
            let size = Int(marker & 0x0F) + 1
            guard size <= 8 else {
                throw fault(.integerOverflow, start, "An archive reference has \(size) bytes; it must fit 8.")
            }
            return .value(.uid(bytes.bigEndian(at: try payload(start, size: size), size: size)))
        case 0xA:
            let content = try content(marker, start, unit: referenceSize)
            return .container(isDictionary: false, count: content.count / referenceSize, references: content.lowerBound)
        case 0xD:
            let content = try content(marker, start, unit: 2 * referenceSize)
            return .container(isDictionary: true, count: content.count / referenceSize, references: content.lowerBound)
        default: throw unknown(marker, start)
        }
    }

    private func offset(of object: Int) throws(PropertyListFault) -> Int {
        let entry = tableOffset + object * trailer.offsetSize
        let offset = bytes.bigEndian(at: entry, size: trailer.offsetSize)
        guard offset >= UInt64(BinaryTrailer.headerSize), offset < UInt64(tableOffset) else {
            throw fault(
                .invalidReference, entry,
                "The list places object \(object) at byte \(offset), but "
                    + "objects can only be at bytes \(BinaryTrailer.headerSize) to \(tableOffset - 1)."
            )
        }
        return Int(offset)
    }

    /// The bytes of a fixed size that follow a marker.
    private func payload(_ start: Int, size: Int) throws(PropertyListFault) -> Int {
        guard size < tableOffset - start else {
            throw fault(
                .truncated, start,
                "The object needs \(size) bytes; but only \(tableOffset - start - 1) are left before the offset table.")
        }
        return start + 1
    }

    /// The range in the file of an object's bytes; its length is in its marker or in the integer after it.
    private func content(_ marker: UInt8, _ start: Int, unit: Int) throws(PropertyListFault) -> Range<Int> {
        var first = start + 1
        var length = UInt64(marker & 0x0F)
        if length == 0x0F {
            guard first < tableOffset else {
                throw fault(.truncated, start, "The object's length is cut off by the offset table.")
            }
            let lengthMarker = bytes[first]
            guard lengthMarker & 0xF0 == 0x10, lengthMarker <= 0x13 else {
                throw fault(
                    .invalidObject, first,
                    "An object's length begins with the byte 0x\(hex(lengthMarker)); an integer is expected.")
            }
            let size = 1 << Int(lengthMarker & 0x0F)
            length = bytes.bigEndian(at: try payload(first, size: size), size: size)
            guard size < 8 || length <= UInt64(Int64.max) else {
                throw fault(
                    .invalidObject, first,
                    "An object has the length \(Int64(bitPattern: length)); a length cannot be negative.")
            }
            first += 1 + size
        }
        let room = UInt64(tableOffset - first)
        guard length <= room / UInt64(unit) else {
            throw fault(
                .truncated, start,
                "The object has \(length) elements of \(unit) bytes; only \(room) bytes are left before the offset table."
            )
        }
        return first..<first + Int(length) * unit
    }

    private func integer(_ marker: UInt8, _ start: Int) throws(PropertyListFault) -> PropertyList {
        guard marker <= 0x14 else { throw unknown(marker, start) }
        let size = 1 << Int(marker & 0x0F)
        let first = try payload(start, size: size)
        if size < 8 { return PropertyList(bytes.bigEndian(at: first, size: size)) }
        // An integer of eight bytes has a sign, so numbers above Int64.max take sixteen.
        let low = bytes.bigEndian(at: first + size - 8, size: 8)
        if size == 8 { return .integer(Int64(bitPattern: low)) }
        let high = bytes.bigEndian(at: first, size: 8)
        if high == 0 { return PropertyList(low) }
        guard high == .max, low > UInt64(Int64.max) else {
            throw fault(.integerOverflow, start, "An integer of 16 bytes has a value that does not fit 64 bits.")
        }
        return .integer(Int64(bitPattern: low))
    }

    private func real(_ marker: UInt8, _ start: Int) throws(PropertyListFault) -> Double {
        if marker == 0x23 { return try double(start) }
        guard marker == 0x22 else { throw unknown(marker, start) }
        let bits = bytes.bigEndian(at: try payload(start, size: 4), size: 4)
        return try finite(Double(Float(bitPattern: UInt32(truncatingIfNeeded: bits))), start)
    }

    private func double(_ start: Int) throws(PropertyListFault) -> Double {
        try finite(Double(bitPattern: bytes.bigEndian(at: try payload(start, size: 8), size: 8)), start)
    }

    private func finite(_ value: Double, _ start: Int) throws(PropertyListFault) -> Double {
        guard value.isFinite else {
            throw fault(.notFinite, start, "A number or date is \(value); a finite one is expected.")
        }
        return value
    }

    private func ascii(_ range: Range<Int>) throws(PropertyListFault) -> String {
        let text = UnsafeRawBufferPointer(rebasing: bytes[range]).bindMemory(to: UInt8.self)
        if let bad = UTF8Check.firstNonASCII(in: text) {
            throw fault(.invalidEncoding, range.lowerBound + bad, "An ASCII string holds the byte 0x\(hex(text[bad])).")
        }
        return String(decoding: text, as: UTF8.self)
    }

    private func utf16(_ range: Range<Int>) throws(PropertyListFault) -> String {
        let text = UnsafeRawBufferPointer(rebasing: bytes[range]).bindMemory(to: UInt8.self)
        var decoder = TextDecoder(isLenient: true)
        let utf8 = try decoder.convert(text, from: .utf16(bigEndian: true))
        if let problem = decoder.faults.faults.first {
            throw fault(.invalidEncoding, range.lowerBound, problem.message)
        }
        return try utf8.withUnsafeBufferPointer { (buffer) throws(PropertyListFault) in
            guard UTF8Check.isStreamSafe(buffer) else {
                throw fault(.unsafeText, range.lowerBound, "A string holds more than 30 combining marks in a row.")
            }
            return String(decoding: buffer, as: UTF8.self)
        }
    }

    @inline(never)
    private func unknown(_ marker: UInt8, _ start: Int) -> PropertyListFault {
        fault(
            .invalidObject, start, "An object begins with the byte 0x\(hex(marker)), unknown in property lists.")
    }

    private func hex(_ byte: UInt8) -> String {
        String(byte, radix: 16, uppercase: true)
    }
}
