/// A table of codes as text: `key=value,value key=value`; a key may occur several times, but each value only once.
///
/// A look-up searches the text, a constant of the library. Why: a process needs only a few codes of each table, once,
/// while its first bundle waits. Creating a dictionary for each table took a third of the first look-up.
///
/// **Threads.** A value. **Cost.** One pass over the text: a microsecond for a thousand bytes; few tables are longer.
package struct CodeTable: ExpressibleByStringLiteral, Sendable {
    private let text: StaticString

    /// - Parameter text: ASCII; codes of letters, digits and hyphens.
    package init(stringLiteral text: StaticString) { self.text = text }

    /// The first value of a key.
    package func value(of key: String) -> String? {
        search(for: key) { code, key, value in key.elementsEqual(code) ? Self.string(value) : nil }
    }

    /// The key that has a value.
    package func key(of value: String) -> String? {
        search(for: value) { code, key, value in value.elementsEqual(code) ? Self.string(key) : nil }
    }

    /// All values with their keys, in the order of the text.
    package var entries: [(key: String, value: String)] {
        var entries: [(key: String, value: String)] = []
        forEach { key, value in
            entries.append((Self.string(key), Self.string(value)))
            return true
        }
        return entries
    }

    private typealias Bytes = UnsafeBufferPointer<UInt8>

    private static func string(_ bytes: Bytes) -> String { String(decoding: bytes, as: UTF8.self) }

    @inline(__always)
    private func search(for code: String, _ body: (_ code: Bytes, _ key: Bytes, _ value: Bytes) -> String?) -> String? {
        var code = code
        return code.withUTF8 { code in
            var found: String?
            forEach { key, value in
                found = body(code, key, value)
                return found == nil
            }
            return found
        }
    }

    /// Calls body with each value and its key until it returns false.
    @inline(__always)
    private func forEach(_ body: (_ key: Bytes, _ value: Bytes) -> Bool) {
        text.withUTF8Buffer { text in
            var key = Bytes(rebasing: text[..<0])
            var start = 0
            for end in 0...text.count {
                let byte = end < text.count ? text[end] : UInt8(ascii: " ")
                // Every separator except "=" is at most a comma, and every character of a code is greater than a comma.
                guard byte <= UInt8(ascii: ",") || byte == UInt8(ascii: "=") else { continue }
                let word = Bytes(rebasing: text[start..<end])
                start = end + 1
                if byte == UInt8(ascii: "=") {
                    key = word
                } else if !word.isEmpty, !body(key, word) {
                    return
                }
            }
        }
    }
}
