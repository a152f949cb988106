internal import HostBasics

/// An extension point of an application's API, found in the sources of its package, with code that provides something
/// there.
///
/// The sources are searched for declarations in the form of docs/abi.md. What cannot be written without knowing the
/// application, such as a result of the application's own type from a function that does not throw, is left to the
/// author: such a point is not taken.
struct InterfacePoint: Equatable {
    /// The name of the property: `textFilter`.
    let property: String
    /// The name of the extension point: `org.example.text-filter`.
    let point: String
    let version: UInt32
    /// The name of the protocol.
    let interface: String
    /// The members of a class that conforms to the protocol, each without an indent.
    let members: [String]

    /// The first point in the order of the files for which code can be written; nil if there is none.
    ///
    /// `sources`: the texts of the package's Swift files.
    static func first(in sources: [String]) -> InterfacePoint? {
        let sources = sources.map(withoutComments)
        for source in sources {
            for (interface, body) in blocks(
                #/extension\s+ExtensionPoint\s+where\s+Interface\s*==\s*any\s+(\w+)\s*/#, source)
            {
                guard let members = members(of: interface, in: sources) else { continue }
                let declaration =
                    #/static\s+var\s+(\w+)\s*:[^{]*\{\s*(?:return\s+)?[\w.<> ]*\(\s*"([^"\\]+)"\s*(?:,\s*version\s*:\s*(\d+))?/#
                guard let found = body.firstMatch(of: declaration) else { continue }
                return InterfacePoint(
                    property: String(found.1), point: String(found.2),
                    version: found.3.flatMap { UInt32($0) } ?? 1, interface: interface, members: members)
            }
        }
        return nil
    }

    // MARK: Reading sources

    /// The text without comments; strings are kept.
    private static func withoutComments(_ text: String) -> String {
        text.replacing(#/"(?:\\.|[^"\\\n])*"|//[^\n]*|/\*(?s:.*?)\*//#) { match in
            match.output.hasPrefix("\"") ? String(match.output) : " "
        }
    }

    /// The name and the body of each declaration whose head matches, and which a brace follows.
    private static func blocks(_ head: some RegexComponent<(Substring, Substring)>, _ text: String) -> [(
        String, Substring
    )] {
        text.matches(of: head).compactMap { match in
            guard match.range.upperBound < text.endIndex, text[match.range.upperBound] == "{" else { return nil }
            var depth = 0
            for index in text[match.range.upperBound...].indices {
                if text[index] == "{" { depth += 1 }
                if text[index] == "}" { depth -= 1 }
                if depth == 0 {
                    return (String(match.output.1), text[text.index(after: match.range.upperBound)..<index])
                }
            }
            return nil
        }
    }

    // MARK: The code

    /// The members of a class that conforms to a protocol; nil if they cannot be written, or if the protocol is not in the
    /// sources.
    private static func members(of interface: String, in sources: [String]) -> [String]? {
        guard let head = try? Regex("protocol\\s+(\(interface))\\b[^{]*", as: (Substring, Substring).self) else {
            return nil
        }
        for source in sources {
            guard let match = source.firstMatch(of: head), let (_, body) = blocks(head, source).first else { continue }
            let inherited = match.output.0.split(separator: ":", maxSplits: 1).dropFirst().first ?? ""
            let names = inherited.split { $0 == "," || $0.isWhitespace }.map(String.init)
            guard Set(names).isSubset(of: ["Plugin", "Sendable", "AnyObject"]) else { return nil }
            var members: [String] = []
            for requirement in requirements(in: body) {
                guard let member = member(requirement) else { return nil }
                members.append(member)
            }
            return members
        }
        return nil
    }

    /// The requirements of a protocol, each in one line.
    private static func requirements(in body: Substring) -> [String] {
        var found: [String] = []
        for line in body.split(separator: "\n") {
            let words = line.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            if words.isEmpty { continue }
            // A signature may have several lines.
            let isOpen = found.last.map { $0.count { $0 == "(" } > $0.count { $0 == ")" } } ?? false
            if isOpen { found[found.count - 1] += " " + words } else { found.append(words) }
        }
        return found.map { $0.replacing("( ", with: "(").replacing(" )", with: ")") }
    }

    /// The code for a requirement; nil if it cannot be written.
    private static func member(_ requirement: String) -> String? {
        if let property = requirement.wholeMatch(of: #/var (\w+): ?([^{]+?) ?\{ ?get( throws)? ?\}/#) {
            guard let value = value(of: String(property.2), parameters: "", throwing: property.3 != nil) else {
                return nil
            }
            let get = property.3 == nil ? value : "get throws { \(value) }"
            return "var \(property.1): \(property.2) { \(get) }"
        }
        guard let function = requirement.wholeMatch(of: #/func (\w+)\((.*)\)( async)?( throws)?(?: -> (.+))?/#),
            !function.2.contains("inout")
        else { return nil }
        let result = function.5.map(String.init) ?? "Void"
        guard let value = value(of: result, parameters: String(function.2), throwing: function.4 != nil) else {
            return nil
        }
        return value.isEmpty ? "\(requirement) {}" : "\(requirement) { \(value) }"
    }

    /// An expression of a type, or a statement in its place.
    ///
    /// A parameter of the same type is the value: what a filter gets, it returns.
    private static func value(of type: String, parameters: String, throwing: Bool) -> String? {
        let same = parameters.matches(of: #/(?:\w+ )?(\w+): ?([\w\[\].]+)(?=,|$)/#).first { $0.2 == type }
        if let same { return String(same.1) }
        switch type {
        case "Void", "()": return ""
        case "String": return "\"\""
        case "Bool": return "false"
        case "Int", "Int8", "Int16", "Int32", "Int64", "UInt", "UInt8", "UInt16", "UInt32", "UInt64", "Double", "Float":
            return "0"
        default:
            if type.hasSuffix("?") { return "nil" }
            if type.hasPrefix("["), type.hasSuffix("]") { return type.contains(":") ? "[:]" : "[]" }
            return throwing
                ? #"throw PluginFailure("This is not written yet.", remedy: "Install a newer version of the plug-in.")"#
                : nil
        }
    }
}
