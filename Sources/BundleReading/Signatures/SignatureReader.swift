import HostBasics

/// Reads the text of a ``ForeignSignature``.
///
/// The text is not trusted.
package struct SignatureReader {
    private typealias Fault = ForeignSignature.Fault
    private typealias Limit = ForeignSignature.Limit

    private let text: [UInt8]
    private var at = 0
    private var types = 0
    /// Whether the signature is that of a function in a table, whose first argument is the object.
    private let isMethod: Bool
    /// The sizes of the buffers that a table's function writes, as text, by the index of the argument.
    package private(set) var outputs: [Int: String] = [:]

    /// The position of a type in the signature.
    ///
    /// It decides which types are allowed.
    private struct Place {
        /// How many structs and callbacks surround it.
        var depth = 0
        /// Whether it is in the signature of a callback.
        var isInCallback = false
        /// Whether it is a result, or a part of one.
        var isResult = false
        var isField = false
    }

    package init(_ text: String, isMethod: Bool = false) {
        self.text = Array(text.utf8)
        self.isMethod = isMethod
    }

    package mutating func read() throws(ForeignSignature.Fault) -> ForeignSignature {
        guard text.count <= Limit.bytes else {
            throw Fault(position: 1, problem: "it has \(text.count) bytes; the limit is \(Limit.bytes)")
        }
        let signature = try signature(Place())
        skipBlanks()
        guard at == text.count else { throw fault("\(next) stands after the signature's end") }
        return signature
    }

    // MARK: Grammar

    /// Reads `(type, …) [throws] -> result`, for a function or a callback.
    private mutating func signature(_ place: Place) throws(ForeignSignature.Fault) -> ForeignSignature {
        try expect("(", for: "the arguments")
        var arguments: [ForeignType] = []
        if !take(")") {
            repeat {
                skipBlanks()
                if arguments.count == Limit.arguments {
                    throw fault("it has more than \(Limit.arguments) arguments")
                }
                if isMethod, place.depth == 0, let special = try methodArgument(arguments.count) {
                    arguments.append(special)
                } else {
                    arguments.append(try type(place))
                }
            } while take(",")
            try expect(")", or: "“,”", for: "the end of the arguments")
        }
        if isMethod, place.depth == 0, arguments.isEmpty { throw fault("the first argument must be “object”") }
        let isThrowing = takeWord("throws")
        try expect("->", for: "the result")
        var resultPlace = place
        resultPlace.isResult = true
        return ForeignSignature(arguments: arguments, result: try type(resultPlace), isThrowing: isThrowing)
    }

    /// Reads `object`, which must come first, or `out SIZE`.
    ///
    /// - Returns: nil for any other argument; in that case nothing is consumed.
    private mutating func methodArgument(_ index: Int) throws(ForeignSignature.Fault) -> ForeignType? {
        skipBlanks()
        let start = at
        switch word() {
        case "object" where index == 0: return .pointer
        case "out" where index > 0:
            skipBlanks()
            let size = word()
            if size.isEmpty { throw fault("\(next) stands where a number of bytes or a field's name is expected") }
            outputs[index] = size
            return .pointer
        default:
            if index == 0 { throw fault("the first argument must be “object”", at: start) }
            at = start
            return nil
        }
    }

    private mutating func type(_ place: Place) throws(ForeignSignature.Fault) -> ForeignType {
        skipBlanks()
        let start = at
        types += 1
        if types > Limit.types { throw fault("it has more than \(Limit.types) types") }
        if peek == UInt8(ascii: "{") { return try structure(place) }
        if peek == UInt8(ascii: "(") { return try .callback(callback(place, start)) }
        let word = word()
        switch word {
        case "": throw fault("\(next) stands where a type is expected")
        case "kept": return try .kept(callback(place, start))
        case "owned": return try owned(place, start)
        default: break
        }
        guard let type = ForeignType.words[word] else { throw fault(unknown(word), at: start) }
        if type == .void, !place.isResult || place.isField {
            throw fault("“void” cannot be the type of \(place.isField ? "a field" : "an argument")", at: start)
        }
        if place.isInCallback, place.isResult, type == .string || type == .bytes {
            throw fault(
                "a callback's result cannot be a borrowed “\(word)”\(place.isField ? "" : "; use “owned \(word)”")",
                at: start)
        }
        return try optional(type)
    }

    private mutating func optional(_ type: ForeignType) throws(ForeignSignature.Fault) -> ForeignType {
        guard peek == UInt8(ascii: "?") else { return type }
        guard [.pointer, .string, .bytes].contains(type) else {
            throw fault("“\(type)” cannot be NULL, so “?” has no meaning after it")
        }
        at += 1
        return .optional(type)
    }

    private mutating func owned(_ place: Place, _ start: Int) throws(ForeignSignature.Fault) -> ForeignType {
        guard place.isResult, !place.isField else {
            throw fault("only a result can be “owned”; arguments and fields are borrowed", at: start)
        }
        skipBlanks()
        let place = at
        let type = ForeignType.words[word()]
        guard let type, type == .string || type == .bytes else {
            throw fault("“string” or “bytes” is expected after “owned”", at: place)
        }
        return .owned(try optional(type))
    }

    private mutating func callback(_ place: Place, _ start: Int) throws(ForeignSignature.Fault) -> ForeignSignature {
        guard !place.isResult, !place.isField, !place.isInCallback else {
            throw fault("a callback can only be an argument of the function itself", at: start)
        }
        return try signature(Place(depth: place.depth + 1, isInCallback: true))
    }

    /// Reads `{name: type, …}` or `{type, …}`.
    private mutating func structure(_ place: Place) throws(ForeignSignature.Fault) -> ForeignType {
        var inside = place
        inside.depth += 1
        inside.isField = true
        if inside.depth > Limit.depth { throw fault("structs stand in one another more than \(Limit.depth) deep") }
        at += 1
        var fields: [ForeignType.Field] = []
        var names: Set<String> = []
        repeat {
            skipBlanks()
            let start = at
            if fields.count == Limit.fields { throw fault("a struct has more than \(Limit.fields) fields") }
            let name = fieldName()
            if let name {
                if name.utf8.count > Limit.nameBytes {
                    throw fault("the name of a field has more than \(Limit.nameBytes) bytes", at: start)
                }
                if !names.insert(name).inserted { throw fault("two fields are called “\(name)”", at: start) }
            }
            if let first = fields.first, (first.name == nil) != (name == nil) {
                throw fault("some fields of the struct have a name and others have none", at: start)
            }
            fields.append(ForeignType.Field(name, try type(inside)))
        } while take(",")
        try expect("}", or: "“,”", for: "the end of the struct")
        return .structure(fields)
    }

    /// Reads a word that is followed by a colon.
    ///
    /// If there is none, returns nil and consumes nothing.
    private mutating func fieldName() -> String? {
        let start = at
        let word = word()
        if !word.isEmpty, take(":") { return word }
        at = start
        return nil
    }

    // MARK: Words

    private var peek: UInt8? { at < text.count ? text[at] : nil }

    private mutating func skipBlanks() {
        while let byte = peek, [0x20, 0x09, 0x0A, 0x0D].contains(byte) { at += 1 }
    }

    /// The letters, digits and underscores at the current position.
    private mutating func word() -> String {
        let start = at
        while let byte = peek, Self.isOfWord(byte) { at += 1 }
        return String(decoding: text[start..<at], as: UTF8.self)
    }

    private static func isOfWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    private mutating func take(_ token: StaticString) -> Bool {
        skipBlanks()
        let length = token.utf8CodeUnitCount
        guard at + length <= text.count else { return false }
        guard token.withUTF8Buffer({ $0.elementsEqual(text[at..<at + length]) }) else { return false }
        at += length
        return true
    }

    private mutating func takeWord(_ expected: String) -> Bool {
        skipBlanks()
        let start = at
        if word() == expected { return true }
        at = start
        return false
    }

    private mutating func expect(
        _ token: StaticString, or other: String? = nil, for what: String
    ) throws(ForeignSignature.Fault) {
        if take(token) { return }
        throw fault("\(next) stands where \(other.map { "\($0) or " } ?? "")“\(token)” is expected, for \(what)")
    }

    // MARK: Faults

    private func fault(_ problem: String, at place: Int? = nil) -> ForeignSignature.Fault {
        // Bytes inside of a character are not counted.
        let before = text[..<(place ?? at)].count { $0 & 0xC0 != 0x80 }
        return ForeignSignature.Fault(position: before + 1, problem: problem)
    }

    /// The text at the current position, for a message.
    private var next: String {
        guard at < text.count else { return "the end" }
        let rest = text[at...]
        var end = rest.firstIndex { !Self.isOfWord($0) } ?? text.count
        if end == at { end = rest.dropFirst().firstIndex { $0 & 0xC0 != 0x80 } ?? text.count }
        return quoted(String(decoding: rest[..<min(end, at + Limit.nameBytes)], as: UTF8.self))
    }

    private func unknown(_ word: String) -> String {
        let known = ForeignType.words.keys.sorted()
        var suggestions = NameSuggestions()
        let near = suggestions.names(near: word, among: known, atMost: 2, most: 1).first
        let shown = quoted(word.utf8.count > Limit.nameBytes ? word.prefix(Limit.nameBytes) + "…" : word[...])
        let hint = near.map { "did you mean “\($0)”?" } ?? "the types are \(known.joined(separator: ", "))"
        return "\(shown) is not a type; \(hint)"
    }
}
