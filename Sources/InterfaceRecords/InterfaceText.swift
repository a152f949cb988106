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

    /// Some requirements or entries as one text, which has each on a line.
    static func text(of lines: [String]) -> String { lines.joined(separator: "\n") }

    /// The lines of such a text.
    static func lines(of text: String) -> [String] {
        // Not by characters: “\r\n” is one.
        text.utf8.split(separator: UInt8(ascii: "\n")).map { String(Substring($0)) }
    }

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

extension InterfaceText {
    /// The most parts of a name with dots.
    ///
    /// Nobody nests types that deeply, and the beginnings of a name are as long together as the square of their number.
    private static let mostParts = 64

    /// The beginnings of a name with dots, and the name: of `API.Node.Key` these are `API`, `API.Node` and
    /// `API.Node.Key`.
    static func beginnings(of name: some StringProtocol) -> [String] {
        var beginnings: [String] = []
        for part in name.split(separator: ".").prefix(mostParts) {
            beginnings.append(beginnings.last.map { "\($0).\(part)" } ?? String(part))
        }
        return beginnings
    }

    private static let `static` = "static "
    private static let `extension` = "(extension in "

    /// Whether an entry in the layout of a class is a function: “run() -> ()” or “count.getter : Swift.Int”, and not
    /// “count: Swift.Int” or “superclass API.Node”.
    static func isFunction(_ entry: String) -> Bool {
        let others = ["superclass ", "weak ", "unowned ", "unowned(unsafe) "]
        if others.contains(where: entry.hasPrefix) { return false }
        let text = entry.hasPrefix(`static`) ? entry.dropFirst(`static`.count) : entry[...]
        return text.first { "(<: ".contains($0) } != ":"
    }

    /// Whether the full name of a function is that of a member of an extension.
    static func isInExtension(_ name: String) -> Bool {
        (name.hasPrefix(`static`) ? name.dropFirst(`static`.count) : name[...]).hasPrefix(`extension`)
    }

    /// The protocol or type of a function's full name, and the rest as a requirement is written.
    ///
    /// `static (extension in API):API.Filter.run(Swift.Int) -> ()` gives `API.Filter` and `static run(Swift.Int) -> ()`.
    /// The container of a global function is its module.
    package static func divided(_ name: String) -> (container: String?, member: String) {
        let isStatic = name.hasPrefix(`static`)
        var text = isStatic ? name.dropFirst(`static`.count) : name[...]
        if text.hasPrefix(`extension`), let end = text.firstRange(of: "):") { text = text[end.upperBound...] }
        // “API.Node.count.getter : Swift.Int”: the accessor is a part of the member.
        let head = text.prefix { !"(<: ".contains($0) }
        var parts = head.split(separator: ".", omittingEmptySubsequences: false)
        let accessors: Set<Substring> = [
            "getter", "setter", "modify", "read", "modify2", "read2", "unsafeMutableAddressor",
        ]
        var count = 1
        if parts.count > 2, accessors.contains(parts[parts.count - 1]) { count = 2 }
        guard parts.count > count else { return (nil, (isStatic ? `static` : "") + text) }
        parts.removeLast(count)
        let container = parts.joined(separator: ".")
        return (container, (isStatic ? `static` : "") + text.dropFirst(container.count + 1))
    }
}
