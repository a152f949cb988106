/// One requirement of an interface, in the form that its proxy needs.
struct RemoteRequirement {
    enum Form {
        /// A property that never changes.
        case constant
        /// A property whose value is requested at each use.
        case property
        case method
    }

    struct Argument {
        /// The label; `_` for none.
        let label: String
        /// The name inside the method.
        let name: String
        let type: DeclaredType
    }

    let form: Form
    /// The name of the method or property, without labels.
    let baseName: String
    /// The name by which the two sides find each other.
    private(set) var name: String
    /// Whether another requirement has the same name and different types.
    private(set) var isOverloaded = false
    let isAsync: Bool
    let arguments: [Argument]
    let result: DeclaredType

    /// Reads a declaration.
    ///
    /// - Throws: the reason why the requirement cannot be called in another process.
    init(_ symbol: Symbol) throws(RemoteObstacle) {
        func fail(_ reason: String) -> RemoteObstacle { RemoteObstacle(symbol, reason) }
        let fragments = symbol.fragments
        name = symbol.title
        baseName = symbol.title.prefix { $0 != "(" }.asIdentifier
        switch symbol.kind.identifier {
        case "swift.method", "swift.property": break
        case "swift.subscript": throw fail("is a subscript: declare a method")
        case "swift.type.method", "swift.type.property", "swift.func.op":
            throw fail("is static: declare it for the objects")
        case "swift.init": throw fail("is an initialiser: declare a method")
        case "swift.associatedtype": throw fail("is an associated type: name the type")
        default: throw fail("is not a method or a property")
        }
        if fragments.contains(where: { $0.kind == "attribute" && !Self.allowed.contains($0.spelling) }) {
            throw fail("is isolated to an actor, or has another attribute that does not hold in another process")
        }
        guard !fragments.has("mutating") else { throw fail("is mutating: let the protocol refine Plugin or AnyObject") }
        let text = fragments.text
        // These words follow the arguments, or the type of a property.
        let isThrowing = fragments.has("throws")
        isAsync = fragments.has("async")
        guard !text.contains("throws(") else { throw fail("throws only errors of one type: write “throws”") }
        guard !fragments.contains(where: { $0.kind == "genericParameter" }) else {
            throw fail("is generic: declare a method for each type")
        }
        if symbol.kind.identifier == "swift.property" {
            guard !fragments.has("set") else { throw fail("can be set: declare a method that throws") }
            guard isThrowing || !isAsync else {
                throw fail("does not throw, but the other process can end: add “throws”")
            }
            form = isThrowing ? .property : .constant
            arguments = []
            result = DeclaredType(Self.type(afterColon: fragments))
        } else {
            guard isThrowing else { throw fail("does not throw, but the other process can end: add “throws”") }
            form = .method
            arguments = symbol.parameters.map { label, parameter in
                Argument(
                    label: label, name: (parameter.internalName ?? parameter.name).asIdentifier,
                    type: DeclaredType(Self.type(afterColon: parameter.declarationFragments ?? [])))
            }
            result = DeclaredType(symbol.functionSignature?.returns ?? [])
        }
        if let obstacle = (arguments.map(\.type) + [result]).compactMap(\.obstacle).first { throw fail(obstacle) }
    }

    /// Adds the types to the name, to distinguish it from another requirement of the same name.
    mutating func addTypesToName() {
        isOverloaded = true
        name += " (\(arguments.map(\.type.text).joined(separator: ", "))) -> \(result.text)"
    }

    private static let allowed: Set<String> = ["@discardableResult", "@available", "@inlinable"]

    /// The fragments between the first colon and the accessors.
    private static func type(afterColon fragments: [Symbol.Fragment]) -> [Symbol.Fragment] {
        guard let colon = fragments.firstIndex(where: { $0.kind == "text" && $0.spelling.contains(":") }) else {
            return []
        }
        var rest = Array(fragments[(colon + 1)...])
        // The fragment with the colon may contain the beginning of the type: “: [”.
        let begun = fragments[colon].spelling.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)[1]
        rest.insert(.init(kind: "text", spelling: String(begun), preciseIdentifier: nil), at: 0)
        if let end = rest.firstIndex(where: { $0.kind == "text" && $0.spelling.contains("{") }) {
            let last = rest[end].spelling.prefix { $0 != "{" }
            rest = rest[..<end] + [.init(kind: "text", spelling: String(last), preciseIdentifier: nil)]
        }
        return rest
    }

    /// The type of a stored property.
    static func propertyType(_ symbol: Symbol) -> DeclaredType { DeclaredType(type(afterColon: symbol.fragments)) }
    /// The type of an initialiser's parameter.
    static func parameterType(_ parameter: Symbol.Parameter) -> DeclaredType {
        DeclaredType(type(afterColon: parameter.declarationFragments ?? []))
    }
}

/// The reason why a declaration cannot be used from another process.
struct RemoteObstacle: Error {
    /// The declaration, such as `TextFilter.size()`.
    let declaration: String
    let place: String?
    let reason: String

    init(_ symbol: Symbol, _ reason: String) {
        declaration = symbol.name
        place = symbol.location?.text
        self.reason = reason
    }
}
