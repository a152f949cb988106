/// The name of a file among the resources, taken apart for its variants.
struct ResourceName: Hashable, Sendable {
    /// The name of the file, with its extension.
    let full: String
    /// How long the name is without the extension it was asked for with.
    private let stemLength: Int?

    /// Adds the type to the name; without a type, the name as a whole may have an extension.
    init(_ name: String, type: String? = nil) {
        if let type, !type.isEmpty {
            full = name + "." + type
            stemLength = name.utf8.count
        } else {
            full = name
            stemLength = nil
        }
    }

    /// How the name can be parted into stem and extension. More than one way for `a.tar.gz` asked for as a whole.
    private var parts: [(stem: Substring, ending: Substring)] {
        let endings =
            if let stemLength { [full.utf8.index(full.startIndex, offsetBy: stemLength)] } else {
                Self.endings(of: full)
            }
        return endings.isEmpty ? [(full[...], full.suffix(0))] : endings.map { (full[..<$0], full[$0...]) }
    }

    /// The last dot of a name and the first one, if that is another. A dot at the very start hides a file and begins no
    /// extension.
    private static func endings(of name: String) -> [String.Index] {
        // Bytes, not characters: finding the borders of characters takes longer than the whole look-up.
        let bytes = name.utf8
        guard let last = bytes.lastIndex(of: UInt8(ascii: ".")), last != bytes.startIndex,
            let first = bytes.dropFirst().firstIndex(of: UInt8(ascii: "."))
        else { return [] }
        return first == last ? [last] : [last, first]
    }

    /// The type as a file's extension: nil for none.
    static func type(_ type: String?) -> String? {
        guard let type else { return nil }
        let plain = type.hasPrefix(".") ? String(type.dropFirst()) : type
        return plain.isEmpty ? nil : plain
    }

    /// Whether the file is of a type: what follows its last or its first dot.
    static func isName(_ name: String, ofType type: String) -> Bool {
        // Most names in a list are of other types.
        guard name.utf8.last == type.utf8.last else { return false }
        return endings(of: name).contains { name[$0...].dropFirst() == type }
    }

    /// The spellings of this name with a suffix before the extension.
    func adding(_ suffix: String) -> [String] {
        suffix.isEmpty ? [full] : parts.map { $0.stem + suffix + String($0.ending) }
    }

    /// What marks a file for this platform, before its extension.
    static let platformSuffix = "-linux"

    /// The spellings of this name for this platform, with a further suffix.
    func forPlatform(_ suffix: String) -> [String] {
        parts.map { $0.stem + Self.platformSuffix + suffix + String($0.ending) }
    }

    /// Whether it is "@2x" or the like.
    private static func isScale(_ text: Substring) -> Bool {
        text.utf8.count > 2 && text.hasSuffix("x") && text.dropFirst().dropLast().utf8.allSatisfy { 48...57 ~= $0 }
    }

    /// The names that this name is a variant of, if such a file exists: `icon.png` for `icon-linux.png`,
    /// `icon~phone.png` or `icon@2x.png`.
    var generics: [String] {
        let marks = [UInt8(ascii: "@"), UInt8(ascii: "~"), UInt8(ascii: "-")]
        guard full.utf8.contains(where: marks.contains) else { return [] }
        return parts.flatMap { stem, ending -> [String] in
            var generics: [String] = []
            var stem = stem
            if let at = stem.lastIndex(of: "@"), Self.isScale(stem[at...]) {
                stem = stem[..<at]
                generics.append(String(stem) + ending)
            }
            if let tilde = stem.lastIndex(of: "~") {
                stem = stem[..<tilde]
                generics.append(String(stem) + ending)
            }
            if stem.hasSuffix(Self.platformSuffix) {
                generics.append(String(stem.dropLast(Self.platformSuffix.count)) + ending)
            }
            return generics
        }
    }
}
