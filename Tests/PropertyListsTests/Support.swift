import PropertyLists

/// The fault of a list that must not be read, or nil if it was read.
func fault(of bytes: [UInt8], limits: PropertyListLimits = .standard) -> PropertyListFault? {
    do throws(PropertyListFault) {
        _ = try PropertyListReader.read(bytes, limits: limits)
        return nil
    } catch {
        return error
    }
}

func fault(of text: String, limits: PropertyListLimits = .standard) -> PropertyListFault? {
    fault(of: Array(text.utf8), limits: limits)
}

/// The value of a list that must be read.
func value(of text: String, limits: PropertyListLimits = .standard) throws -> PropertyList {
    try PropertyListReader.read(Array(text.utf8), limits: limits).value
}

func value(of bytes: [UInt8], limits: PropertyListLimits = .standard) throws -> PropertyList {
    try PropertyListReader.read(bytes, limits: limits).value
}

/// Wraps a value in the text around it in an XML list.
///
/// The value begins at line 4, column 1.
func xml(_ value: String) -> String {
    """
    <?xml version="1.0" encoding="UTF-8"?>
    <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
    <plist version="1.0">
    \(value)
    </plist>

    """
}

/// Text in a wide encoding.
func utf16(_ text: String, bigEndian: Bool, mark: Bool) -> [UInt8] {
    ((mark ? [0xFEFF] : []) + Array(text.utf16)).flatMap { unit -> [UInt8] in
        let bytes = [UInt8(unit >> 8), UInt8(unit & 0xFF)]
        return bigEndian ? bytes : bytes.reversed()
    }
}

func utf32(_ text: String, bigEndian: Bool, mark: Bool) -> [UInt8] {
    ((mark ? [0xFEFF] : []) + text.unicodeScalars.map(\.value)).flatMap { scalar -> [UInt8] in
        let bytes = [24, 16, 8, 0].map { UInt8(scalar >> $0 & 0xFF) }
        return bigEndian ? bytes : bytes.reversed()
    }
}

/// A binary list built by hand, right or wrong.
struct BinaryList {
    /// The bytes of each object; references take one byte.
    var objects: [[UInt8]]
    var top: UInt64 = 0
    var offsetSize: UInt8 = 2
    var referenceSize: UInt8 = 1
    /// Replaces the offset of objects.
    var offsets: [Int: UInt64] = [:]
    /// Replaces the number of objects in the trailer.
    var count: UInt64?
    /// Replaces the place of the offset table in the trailer.
    var table: UInt64?

    init(_ objects: [[UInt8]]) {
        self.objects = objects
    }

    var bytes: [UInt8] {
        var bytes = Array("bplist00".utf8)
        var places: [UInt64] = []
        for object in objects {
            places.append(UInt64(bytes.count))
            bytes += object
        }
        let tableOffset = UInt64(bytes.count)
        for (index, place) in places.enumerated() {
            bytes += Self.bigEndian(offsets[index] ?? place, Int(min(offsetSize, 8)))
        }
        bytes += [0, 0, 0, 0, 0, 0, offsetSize, referenceSize]
        bytes += Self.bigEndian(count ?? UInt64(objects.count), 8)
        bytes += Self.bigEndian(top, 8)
        bytes += Self.bigEndian(table ?? tableOffset, 8)
        return bytes
    }

    /// The string object of a short ASCII text.
    static func ascii(_ text: String) -> [UInt8] {
        [0x50 | UInt8(text.utf8.count)] + Array(text.utf8)
    }

    static func bigEndian(_ value: UInt64, _ size: Int) -> [UInt8] {
        (0..<size).reversed().map { UInt8(truncatingIfNeeded: value >> UInt64(8 * $0)) }
    }
}

/// A seeded source of random numbers (SplitMix64), so that a failure can be repeated.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
