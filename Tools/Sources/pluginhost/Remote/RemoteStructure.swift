/// A struct or an enum whose values are passed to another process, in the form in which they are written and read.
struct RemoteStructure {
    struct Property {
        let name: String
        let type: DeclaredType
    }

    struct Case {
        let name: String
        /// The payload: each label, and the type without the label.
        let payload: [(label: String?, type: String)]
    }

    enum Form {
        /// `order`: the properties in stored order. `parameters`: the properties that the initialiser takes, with its
        /// labels. `others`: the properties that are set afterwards.
        case structure(order: [Property], parameters: [(label: String, property: Property)], others: [Property])
        case enumeration([Case])
    }

    /// The name within the module, such as `Table.Cell`.
    let name: String
    let isPublic: Bool
    let form: Form
    /// The identifiers of the types that its values contain.
    let mentioned: [String]

    /// Reads a declaration and its members.
    ///
    /// - Throws: the reason why its values cannot be passed to another process.
    init(_ symbol: Symbol, members: [Symbol]) throws(RemoteObstacle) {
        name = symbol.name
        isPublic = symbol.accessLevel == "public" || symbol.accessLevel == "open"
        guard !symbol.fragments.contains(where: { $0.kind == "genericParameter" }) else {
            throw RemoteObstacle(symbol, "is generic: write both functions of RemoteValue by hand")
        }
        guard !["private", "fileprivate"].contains(symbol.accessLevel) else {
            throw RemoteObstacle(symbol, "is private: write both functions of RemoteValue in its file")
        }
        if symbol.kind.identifier == "swift.enum" {
            (form, mentioned) = try Self.enumeration(symbol, members)
        } else {
            (form, mentioned) = try Self.structure(symbol, members)
        }
    }

    private static func enumeration(
        _ symbol: Symbol, _ members: [Symbol]
    ) throws(RemoteObstacle) -> (Form, [String]) {
        let symbols = members.filter { $0.kind.identifier == "swift.enum.case" }.sorted(by: Symbol.isBefore)
        guard !symbols.isEmpty else { throw RemoteObstacle(symbol, "has no cases") }
        guard symbols.count <= 65_536 else { throw RemoteObstacle(symbol, "has more than 65,536 cases") }
        var cases: [Case] = []
        for symbol in symbols {
            let text = symbol.fragments.text
            var payload: [(label: String?, type: String)] = []
            if let open = text.firstIndex(of: "("), text.last == ")" {
                let parts = DeclaredType.split(text[text.index(after: open)...].dropLast())
                payload = parts.map { part in
                    let part = part.replacing(" : ", with: ": ")
                    let type = DeclaredType.withoutLabel(part)
                    let label = type == part ? nil : part.prefix { $0 != ":" }.trimmedSpaces
                    return (label == "_" ? nil : label, type)
                }
            }
            let types = DeclaredType(symbol.fragments.filter { !($0.kind == "text" && $0.spelling == " ") })
            // The payload's own brackets do not make it a tuple.
            let tuple = payload.contains { $0.type.contains("(") }
            if let obstacle = tuple ? "has a tuple or a function as payload: use a struct" : types.payloadObstacle {
                throw RemoteObstacle(symbol, obstacle)
            }
            cases.append(Case(name: symbol.title.prefix { $0 != "(" }.trimmedSpaces, payload: payload))
        }
        let mentioned = symbols.flatMap { $0.fragments.compactMap(\.preciseIdentifier) }
        return (.enumeration(cases), mentioned)
    }

    private static func structure(
        _ symbol: Symbol, _ members: [Symbol]
    ) throws(RemoteObstacle) -> (Form, [String]) {
        let initialisers = members.filter { member in
            member.kind.identifier == "swift.init" && !["private", "fileprivate"].contains(member.accessLevel)
                && !member.title.hasPrefix("init?") && !member.fragments.text.hasPrefix("init?")
                && !member.fragments.has("throws") && !member.fragments.has("async")
                && !member.fragments.contains { $0.kind == "genericParameter" }
        }
        let parameters = initialisers.map(\.parameters)
        func takes(_ argument: (label: String, parameter: Symbol.Parameter), _ property: Property) -> Bool {
            let parameter = argument.parameter
            let name = parameter.internalName ?? parameter.name
            return name.asIdentifier == property.name
                && RemoteRequirement.parameterType(parameter).unqualified == property.type.unqualified
        }
        var stored: [(property: Property, isSettable: Bool)] = []
        for member in members.sorted(by: Symbol.isBefore)
        where member.kind.identifier == "swift.property" && member.location != nil {
            let property = Property(name: member.title.asIdentifier, type: RemoteRequirement.propertyType(member))
            let text = member.fragments.text
            if member.fragments.has("lazy") {
                throw RemoteObstacle(member, "is lazy: write both functions of RemoteValue by hand")
            }
            // The compiler writes “{ get }” for a computed property, but also for a stored one with a private setter,
            // and “{ get set }” for one with observers. One that an initialiser takes is stored.
            if text.contains("{"), !parameters.joined().contains(where: { takes($0, property) }) { continue }
            if member.fragments.contains(where: { $0.kind == "attribute" }) {
                throw RemoteObstacle(member, "has a wrapper or another attribute: write both functions by hand")
            }
            if ["private", "fileprivate"].contains(member.accessLevel) {
                throw RemoteObstacle(member, "is private: write both functions of RemoteValue in its file")
            }
            if let obstacle = property.type.obstacle { throw RemoteObstacle(member, obstacle) }
            stored.append((property, !member.fragments.has("let") && !text.contains("{ get }")))
        }
        let fitting = parameters.filter { list in
            list.allSatisfy { argument in stored.contains { takes(argument, $0.property) } }
        }
        guard let chosen = fitting.max(by: { $0.count < $1.count }) else {
            throw RemoteObstacle(
                symbol, "has no initialiser whose arguments are its properties, with their names and types: add one")
        }
        let taken = chosen.map { argument in
            // Each parameter of a matching initialiser has its property.
            (label: argument.label, property: stored.first { takes(argument, $0.property) }!.property)
        }
        let others = stored.filter { item in !taken.contains { $0.property.name == item.property.name } }
        if let fixed = others.first(where: { !$0.isSettable }) {
            throw RemoteObstacle(
                symbol, "has the property \(fixed.property.name), which cannot be set: let an initialiser take it")
        }
        let order = stored.map(\.property)
        let mentioned = order.flatMap(\.type.mentioned)
        return (.structure(order: order, parameters: taken, others: others.map(\.property)), mentioned)
    }
}

extension DeclaredType {
    /// Why the values of a payload cannot be passed to another process.
    fileprivate var payloadObstacle: String? {
        obstacle.flatMap { $0.contains("tuple") ? nil : $0 }
    }
}
