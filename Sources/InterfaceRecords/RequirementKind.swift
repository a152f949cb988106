/// What a requirement is, as a protocol's descriptor states it too (Swift's `ABI/MetadataValues.h`,
/// ProtocolRequirementFlags).
package struct RequirementKind: Hashable, Sendable {
    /// The number of the kind in the descriptor.
    package enum Kind: Int32, Sendable {
        case baseProtocol = 0
        case method, initializer, getter, setter, read, modify, associatedType, associatedConformance
    }

    package var kind: Kind
    package var isInstance: Bool
    package var isAsync: Bool

    private static let instanceFlag: Int32 = 0x10
    private static let asyncFlag: Int32 = 0x20

    /// The kind that the flags of a requirement in a descriptor state; nil for one of a later compiler.
    package init?(flags: Int32) {
        guard let kind = Kind(rawValue: flags & 0xF) else { return nil }
        self.kind = kind
        isInstance = flags & Self.instanceFlag != 0
        isAsync = flags & Self.asyncFlag != 0
    }

    /// Whether it gets or sets a property or an element.
    var isAccessor: Bool {
        switch kind {
        case .getter, .setter, .read, .modify: true
        default: false
        }
    }

    /// The kind of a requirement in a record.
    package init(of text: String) {
        isInstance = false
        isAsync = false
        for (word, kind) in Self.words where text.hasPrefix(word) {
            self.kind = kind
            return
        }
        let isStatic = text.hasPrefix("static ")
        isInstance = !isStatic
        let outer = Self.withoutBrackets(text)
        for (word, kind) in Self.accessors where outer.contains(word) {
            self.kind = kind
            return
        }
        if text.hasPrefix("init(") || text.hasPrefix("init<") {
            kind = .initializer
            isInstance = false
        } else {
            kind = .method
        }
        isAsync = outer.contains(" async")
    }

    private static let words: [(String, Kind)] = [
        (InterfaceText.inherited, .baseProtocol), (InterfaceText.associatedType, .associatedType),
        (InterfaceText.condition, .associatedConformance),
    ]

    private static let accessors: [(String, Kind)] = [
        (".getter", .getter), (".setter", .setter), (".modify", .modify), (".read", .read),
    ]

    /// The text without what is in round brackets, such as a closure that is asynchronous.
    private static func withoutBrackets(_ text: String) -> String {
        var depth = 0
        var outer: [UInt8] = []
        for byte in text.utf8 {
            if byte == UInt8(ascii: "(") { depth += 1 }
            if depth == 0 { outer.append(byte) }
            if byte == UInt8(ascii: ")") { depth = max(0, depth - 1) }
        }
        return String(decoding: outer, as: UTF8.self)
    }

    /// Whether two kinds cannot stand for one requirement.
    ///
    /// A record does not state whether an accessor is asynchronous.
    package func differs(from other: Self) -> Bool {
        if kind != other.kind { return true }
        switch kind {
        case .baseProtocol, .associatedType, .associatedConformance, .initializer: return false
        case .getter, .setter, .read, .modify: return isInstance != other.isInstance
        case .method: return isInstance != other.isInstance || isAsync != other.isAsync
        }
    }

    /// The kind in words: “a static method”.
    package var description: String {
        let words =
            switch kind {
            case .baseProtocol: "inherited protocol"
            case .method: "method"
            case .initializer: "initialiser"
            case .getter: "getter"
            case .setter: "setter"
            case .read, .modify: "coroutine"
            case .associatedType: "associated type"
            case .associatedConformance: "condition of an associated type"
            }
        let isMember = kind != .baseProtocol && kind != .associatedType && kind != .associatedConformance
        let isStatic = isMember && !isInstance && kind != .initializer
        let text = (isAsync ? "async " : "") + (isStatic ? "static " : "") + words
        return ("aeiou".contains(text.first ?? "x") ? "an " : "a ") + text
    }
}
