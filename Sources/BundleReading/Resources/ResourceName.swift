import HostBasics

/// The name of a resource file, split for finding its variants.
package struct ResourceName: Hashable, Sendable {
    /// The name of the file, with its extension.
    package let full: String
    /// The length in bytes of the name without the requested type; the full length if no type was given.
    private let stemLength: Int

    /// Adds the type to the name; without a type, the name itself may have an extension.
    init(_ name: String, type: String? = nil) {
        if let type, !type.isEmpty {
            full = name + "." + type
            stemLength = name.utf8.count
        } else {
            full = name
            stemLength = name.utf8.count
        }
    }

    /// Where the extension may begin: at the end if there is none, at two places for `a.tar.gz` without a type.
    private var endings: [Int] {
        if stemLength < full.utf8.count { return [stemLength] }
        let endings = Self.endings(of: full)
        return endings.isEmpty ? [full.utf8.count] : endings
    }

    /// The part before an ending, and the ending.
    private func parts(at ending: Int) -> (stem: Substring, ending: Substring) {
        let index = full.utf8.index(full.startIndex, offsetBy: ending)
        return (full[..<index], full[index...])
    }

    /// The positions of the last and the first dot of a name, if they differ, in bytes from its beginning.
    ///
    /// Why bytes: finding character boundaries takes longer than the whole look-up. A dot at the very start hides a
    /// file and does not begin an extension.
    private static func endings(of name: String) -> [Int] {
        var name = name
        return name.withUTF8 { bytes in
            guard let last = bytes.lastIndex(of: UInt8(ascii: ".")), last > 0,
                let first = bytes.dropFirst().firstIndex(of: UInt8(ascii: "."))
            else { return [] }
            return first == last ? [last] : [last, first]
        }
    }

    /// The type as a file's extension; nil for none.
    package static func type(_ type: String?) -> String? {
        guard let type else { return nil }
        let plain = type.hasPrefix(".") ? String(type.dropFirst()) : type
        return plain.isEmpty ? nil : plain
    }

    /// Whether the file is of a type, which is the part after its last or its first dot.
    package static func isName(_ name: String, ofType type: String) -> Bool {
        // Most names in a list have other types.
        guard name.utf8.last == type.utf8.last else { return false }
        return endings(of: name).contains { Substring(name.utf8.dropFirst($0 + 1)) == type }
    }

    /// The spellings of this name with a suffix before the extension.
    package func adding(_ suffix: String) -> [String] {
        suffix.isEmpty ? [full] : inserting(suffix)
    }

    /// The spellings of this name for this platform, with a further suffix.
    func forPlatform(_ suffix: String) -> [String] {
        inserting(NameMark.platform + suffix)
    }

    /// The spellings of this name with a text before the extension.
    private func inserting(_ text: String) -> [String] {
        // This uses String: for any other sequence of characters, the runtime looks up conformances.
        endings.map { ending in
            let parts = parts(at: ending)
            return String(parts.stem) + text + String(parts.ending)
        }
    }

    /// The kind of variant that a name shows: `-linux`, then `~device`, then `@2x`, before the extension.
    package struct Marks: Hashable {
        var isForPlatform = false
        package var device: String?
        package var scale = 1
    }

    /// The kind of variant that this name shows.
    package var marks: Marks { Self.unmark(parts(at: endings[0]).stem).marks }

    /// The names of which this name is a variant, if such a file exists: `icon.png` for `icon-linux.png`,
    /// `icon~phone.png` or `icon@2x.png`.
    var generics: [String] {
        let marks = [UInt8(ascii: "@"), UInt8(ascii: "~"), UInt8(ascii: "-")]
        guard full.utf8.contains(where: marks.contains) else { return [] }
        return endings.flatMap { ending in
            let parts = parts(at: ending)
            return Self.unmark(parts.stem).stems.map { $0 + String(parts.ending) }
        }
    }

    /// Removes the marks, one after another, from the end.
    private static func unmark(_ stem: Substring) -> (stems: [String], marks: Marks) {
        var marks = Marks()
        var stems: [String] = []
        var stem = stem
        if let at = stem.lastIndex(of: "@"), let scale = scale(stem[at...]) {
            marks.scale = scale
            stem = stem[..<at]
            stems.append(String(stem))
        }
        if let tilde = stem.lastIndex(of: "~") {
            marks.device = String(stem[stem.index(after: tilde)...])
            stem = stem[..<tilde]
            stems.append(String(stem))
        }
        if stem.hasSuffix(NameMark.platform) {
            marks.isForPlatform = true
            stems.append(String(stem.dropLast(NameMark.platform.count)))
        }
        return (stems, marks)
    }

    /// The number in "@2x" and similar marks.
    private static func scale(_ text: Substring) -> Int? {
        guard text.hasSuffix("x") else { return nil }
        let digits = text.dropFirst().dropLast()
        return digits.utf8.allSatisfy { 48...57 ~= $0 } ? Int(digits) : nil
    }
}
