/// The words of a record's texts.
public enum InterfaceText {
    /// Begins the entry of an inherited protocol.
    public static let inherited = "protocol "
    /// Begins the entry of an associated type.
    public static let associatedType = "associatedtype "
    /// Begins the entry of a condition of an associated type.
    public static let condition = "where "
    /// Added to an accessor that throws: no symbol states it.
    public static let throwing = ", throws"

    /// A requirement without the name of its protocol: `static API.Filter.run() -> ()` becomes `static run() -> ()`.
    public static func requirement(_ text: String, of interface: String) -> String {
        let word = "static "
        let (head, rest) = text.hasPrefix(word) ? (word, text.dropFirst(word.count)) : ("", text[...])
        guard rest.hasPrefix(interface + ".") else { return text }
        return head + rest.dropFirst(interface.count + 1)
    }

    /// A requirement without the statement that it throws.
    public static func withoutThrowing(_ text: String) -> String {
        text.hasSuffix(throwing) ? String(text.dropLast(throwing.count)) : text
    }

    /// A text for people: without the name of the standard library's module.
    public static func shown(_ text: String) -> String {
        var shown = ""
        var rest = text[...]
        let module = "Swift."
        while let found = rest.firstRange(of: module) {
            // “MySwift.” ends with the same letters.
            let before = found.lowerBound == rest.startIndex ? shown.last : rest[rest.index(before: found.lowerBound)]
            let isWhole = before.map { !($0.isLetter || $0.isNumber || $0 == "_" || $0 == ".") } ?? true
            shown += rest[..<(isWhole ? found.lowerBound : found.upperBound)]
            rest = rest[found.upperBound...]
        }
        return shown + rest
    }
}
