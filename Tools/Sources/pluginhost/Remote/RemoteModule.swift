/// The interfaces of a module's extension points, and the types whose values their methods pass.
struct RemoteModule {
    struct Interface {
        let name: String
        let isPublic: Bool
        /// Whether the protocol refines `Plugin`, which requires an initialiser.
        let isPlugin: Bool
        let requirements: [RemoteRequirement]
    }

    let name: String
    private(set) var interfaces: [Interface] = []
    private(set) var structures: [RemoteStructure] = []
    /// The other modules whose types are passed.
    private(set) var imports: Set<String> = []
    /// Everything that cannot be passed to another process.
    private(set) var obstacles: [RemoteObstacle] = []
    /// Requested interfaces that do not exist.
    private(set) var unknown: [String] = []

    private let symbols: [String: Symbol]
    private var members: [String: [Symbol]] = [:]
    /// The protocols that each type and protocol conforms to.
    private var parents: [String: [SymbolGraph.Relationship]] = [:]
    private var requirements: [String: [Symbol]] = [:]

    /// - Parameters:
    ///   - name: the module.
    ///   - graphs: its symbol graph, and those of its extensions of other modules' types.
    ///   - wanted: the names of interfaces; empty for the interfaces of all extension points.
    ///   - output: the name of the generated file. The functions in it do not count as written by hand.
    init(_ name: String, _ graphs: [SymbolGraph], interfaces wanted: [String], output: String?) {
        self.name = name
        var all = graphs.flatMap(\.symbols)
        let types = ["swift.struct", "swift.enum", "swift.class", "swift.protocol", "swift.typealias"]
        let names = Dictionary(
            all.filter { types.contains($0.kind.identifier) }.map { ($0.identifier.precise, $0.name) }
        ) { first, _ in first }
        for index in all.indices { all[index].qualifyTypes(names) }
        symbols = Dictionary(all.map { ($0.identifier.precise, $0) }) { first, _ in first }
        for relationship in graphs.flatMap(\.relationships) {
            switch relationship.kind {
            case "memberOf":
                if let symbol = symbols[relationship.source] {
                    members[relationship.target, default: []].append(symbol)
                }
            case "requirementOf":
                if let symbol = symbols[relationship.source] {
                    requirements[relationship.target, default: []].append(symbol)
                }
            case "conformsTo": parents[relationship.source, default: []].append(relationship)
            default: break
            }
        }
        let protocols = all.filter { $0.kind.identifier == "swift.protocol" }.sorted(by: Symbol.isBefore)
        let pointed = Set(
            all.flatMap { symbol -> [String] in
                guard symbol.pathComponents.first == "ExtensionPoint" else { return [] }
                return (symbol.swiftExtension?.constraints ?? []).compactMap { constraint in
                    constraint.kind == "sameType" && constraint.lhs == "Interface" ? constraint.rhsPrecise : nil
                }
            })
        let chosen = protocols.filter {
            wanted.isEmpty ? pointed.contains($0.identifier.precise) : wanted.contains($0.name)
        }
        unknown = wanted.filter { name in !protocols.contains { $0.name == name } }
        var passed: [String] = []
        for symbol in chosen {
            let (interface, mentioned) = interface(symbol)
            interfaces.append(interface)
            passed += mentioned
        }
        follow(passed, output)
    }

    /// Reads a protocol.
    ///
    /// Requirements that cannot be passed to another process become obstacles.
    private mutating func interface(_ symbol: Symbol) -> (Interface, mentioned: [String]) {
        var isPlugin = false
        var own = [symbol.identifier.precise]
        for parent in parents[symbol.identifier.precise] ?? [] {
            if symbols[parent.target] != nil {
                own.append(parent.target)
                continue
            }
            switch parent.targetFallback {
            case "PluginABI.Plugin": isPlugin = true
            case "Swift.Sendable", "Swift.SendableMetatype", "Swift.Copyable", "Swift.Escapable", "Swift.AnyObject":
                break
            case let other:
                let name = other ?? parent.target
                obstacles.append(
                    RemoteObstacle(
                        symbol, "refines \(name) of another module, whose requirements the graph does not have"))
            }
        }
        var result: [RemoteRequirement] = []
        for declaration in own.flatMap({ requirements[$0] ?? [] }).sorted(by: Symbol.isBefore) {
            do throws(RemoteObstacle) {
                result.append(try RemoteRequirement(declaration))
            } catch {
                obstacles.append(error)
            }
        }
        // Distinguish methods that differ only in their types.
        let counts = Dictionary(result.map { ($0.name, 1) }, uniquingKeysWith: +)
        for index in result.indices where counts[result[index].name]! > 1 { result[index].addTypesToName() }
        let interface = Interface(
            name: symbol.name, isPublic: symbol.accessLevel == "public", isPlugin: isPlugin, requirements: result)
        return (interface, result.flatMap { $0.arguments.flatMap(\.type.mentioned) + $0.result.mentioned })
    }

    /// Finds the types of the module whose values are passed, including those inside other types.
    private mutating func follow(_ mentioned: [String], _ output: String?) {
        var open = mentioned
        var known: Set<String> = []
        while let identifier = open.popLast() {
            guard known.insert(identifier).inserted else { continue }
            guard let symbol = symbols[identifier] else {
                if let module = Self.module(of: identifier) { imports.insert(module) }
                continue
            }
            switch symbol.kind.identifier {
            case "swift.struct", "swift.enum":
                if isWrittenByHand(symbol, output) { continue }
                do throws(RemoteObstacle) {
                    let structure = try RemoteStructure(symbol, members: members[identifier] ?? [])
                    structures.append(structure)
                    open += structure.mentioned
                } catch {
                    obstacles.append(error)
                }
            case "swift.typealias": open += symbol.fragments.compactMap(\.preciseIdentifier)
            default:
                if !isWrittenByHand(symbol, output) {
                    obstacles.append(
                        RemoteObstacle(
                            symbol, "is a class, an actor or a protocol, whose objects are not copied: use a struct"))
                }
            }
        }
        structures.sort { $0.name < $1.name }
        imports.subtract([name, "Swift", "PluginABI"])
    }

    /// Whether a type conforms to RemoteValue without the generated file.
    private func isWrittenByHand(_ symbol: Symbol, _ output: String?) -> Bool {
        let identifier = symbol.identifier.precise
        let conforms = (parents[identifier] ?? []).contains { $0.targetFallback == "PluginABI.RemoteValue" }
        let own = (members[identifier] ?? []).first { $0.title == "write(to:)" && $0.location != nil }
        return conforms && (own == nil || output == nil || own?.location?.file != output)
    }

    /// The name of the module in a mangled name, such as `s:10Foundation4DateV`; nil for the standard library.
    private static func module(of identifier: String) -> String? {
        guard identifier.hasPrefix("s:") else { return nil }
        let rest = identifier.dropFirst(2)
        let digits = rest.prefix { $0.isASCII && $0.isNumber }
        guard let count = Int(digits), count > 0 else { return nil }
        let name = rest.dropFirst(digits.count).prefix(count)
        return name.count == count ? String(name) : nil
    }
}
