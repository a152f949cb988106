/// The source text of a module's proxies, and of the functions that write and read its values.
struct ProxySource {
    private var lines: [String] = []

    /// The compiler flag that leaves out the proxies, so that the module compiles for a symbol graph after a change.
    static let flag = "GENERATING_PROXIES"

    /// Stands in the line at which the compiler reports that the proxy lacks a requirement, and so in that message.
    private static let hint = "// If the protocol has changed: swift package remote-interfaces"

    var text: String { lines.joined(separator: "\n") + "\n" }

    init(_ module: RemoteModule) {
        add(
            """
            // Written by “pluginhost remote --module \(module.name)”. Do not change it: change the interfaces, and run the
            // command again.
            // swift-format-ignore-file
            """)
        for name in module.imports.sorted() + ["PluginABI"] { add("public import \(name)") }
        add("")
        add("#if \(Self.flag)")
        add("// The module without its proxies, for the symbol graph of which they are made.")
        for interface in module.interfaces { addStub(interface) }
        for structure in module.structures { addStub(structure) }
        add("#else")
        for interface in module.interfaces { addProxy(interface) }
        for structure in module.structures { add(structure) }
        add("#endif")
    }

    private mutating func add(_ text: String, indent: Int = 0) {
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            lines.append(line.isEmpty ? "" : String(repeating: " ", count: 4 * indent) + line)
        }
    }

    // MARK: Interfaces

    private static func proxyName(_ interface: RemoteModule.Interface) -> String {
        interface.name.filter { $0 != "." } + "Proxy"
    }

    private mutating func addStub(_ interface: RemoteModule.Interface) {
        let access = interface.isPublic ? "public " : ""
        add(
            """

            \(access)enum \(Self.proxyName(interface)) {
                \(access)static var interface: RemoteInterface<any \(interface.name)>? { nil }
            }
            """)
    }

    private mutating func addProxy(_ interface: RemoteModule.Interface) {
        let access = interface.isPublic ? "public " : ""
        let proxy = Self.proxyName(interface)
        add(
            """

            /// Stands for an object of ``\(interface.name)`` in another process.
            \(access)final class \(proxy): \(interface.name) {  \(Self.hint)
                private let remote: RemoteObject
                private init(_ remote: RemoteObject) { self.remote = remote }

            """)
        if interface.isPlugin {
            add("/// Always throws: a proxy cannot be created by itself.", indent: 1)
            add("\(access)init(context: PluginContext) throws { throw RemoteObject.isNoPlugin }", indent: 1)
            add("")
        }
        for (number, requirement) in interface.requirements.enumerated() {
            add("/// Passes on `\(requirement.name)`.", indent: 1)
            add(access + declaration(requirement, number), indent: 1)
            add("")
        }
        add("/// How another process uses an object of ``\(interface.name)``.", indent: 1)
        add("\(access)static let interface = RemoteInterface<any \(interface.name)>(", indent: 1)
        add("proxy: { \(proxy)($0) },", indent: 2)
        add("methods: [", indent: 2)
        for requirement in interface.requirements { add(method(requirement, of: interface), indent: 3) }
        add("])", indent: 2)
        add("}")
    }

    private func declaration(_ requirement: RemoteRequirement, _ number: Int) -> String {
        let type = requirement.result.text
        guard requirement.form != .constant else {
            return "var \(requirement.baseName): \(type) { remote.constant(\(number)) }"
        }
        let effects = (requirement.isAsync ? " async" : "") + " throws"
        let call = requirement.isAsync ? "try await remote.callAsync" : "try remote.call"
        let passed = requirement.arguments.flatMap { argument in
            argument.type.elements.map { parts in parts.indices.map { "\(argument.name).\($0)" } } ?? [argument.name]
        }
        let arguments = ([String(number)] + passed).joined(separator: ", ")
        let body =
            requirement.result.elements.map { parts in
                """
                let result: RemoteTuple<\(parts.joined(separator: ", "))> = \(call)(\(arguments))
                return result.elements
                """
            } ?? "\(call)(\(arguments))"
        let indented = body.split(separator: "\n").joined(separator: "\n    ")
        if requirement.form == .property {
            let inner = indented.split(separator: "\n").joined(separator: "\n    ")
            return """
                var \(requirement.baseName): \(type) {
                    get\(effects) {
                        \(inner)
                    }
                }
                """
        }
        let list = requirement.arguments.map { argument in
            let isSame = argument.label.asIdentifier == argument.name
            return "\(isSame ? argument.name : "\(argument.label) \(argument.name)"): \(argument.type.text)"
        }
        let result = requirement.result.isVoid ? "" : " -> \(type)"
        return """
            func \(requirement.baseName)(\(list.joined(separator: ", ")))\(effects)\(result) {
                \(indented)
            }
            """
    }

    private func method(_ requirement: RemoteRequirement, of interface: RemoteModule.Interface) -> String {
        let name = "\"\(requirement.name)\""
        if requirement.form == .constant { return ".constant(\(name)) { $0.\(requirement.baseName) }," }
        var next = 1
        let arguments = requirement.arguments.map { argument in
            let parts = argument.type.elements?.count
            let values = (next..<next + (parts ?? 1)).map { "$\($0)" }
            next += values.count
            let value = parts == nil ? values[0] : "(\(values.joined(separator: ", ")))"
            return argument.label == "_" ? value : "\(argument.label): \(value)"
        }
        let list = requirement.form == .property ? "" : "(\(arguments.joined(separator: ", ")))"
        let call = (requirement.isAsync ? "try await " : "try ") + "$0.\(requirement.baseName)\(list)"
        let head = requirement.isAsync ? "RemoteMethod(async: \(name))" : "RemoteMethod(\(name))"
        guard requirement.result.elements != nil || requirement.isOverloaded else { return "\(head) { \(call) }," }
        // The compiler needs the types of the arguments if methods share a name, and if there are several statements.
        let types = requirement.arguments.flatMap { $0.type.elements ?? [$0.type.text] }
        let named = ["object: any \(interface.name)"] + types.enumerated().map { "argument\($0 + 1): \($1)" }
        let start = "\(head) { (\(named.joined(separator: ", "))) in"
        let namedCall = call.replacing("$0", with: "object").replacing("$", with: "argument")
        guard let parts = requirement.result.elements else { return "\(start)\n    \(namedCall)\n}," }
        let values = parts.indices.map { "result.\($0)" }.joined(separator: ", ")
        return "\(start)\n    let result = \(namedCall)\n    return RemoteTuple(\(values))\n},"
    }

    // MARK: Values

    private mutating func addStub(_ structure: RemoteStructure) {
        let access = structure.isPublic ? "public " : ""
        add(
            """

            extension \(structure.name): RemoteValue {
                \(access)func write(to writer: inout RemoteWriter) throws { throw RemoteObject.isNoPlugin }
                \(access)static func read(from reader: inout RemoteReader) throws -> \(structure.name) {
                    throw RemoteObject.isNoPlugin
                }
            }
            """)
    }

    private mutating func add(_ structure: RemoteStructure) {
        let access = structure.isPublic ? "public " : ""
        add(
            """

            extension \(structure.name): RemoteValue {
                /// Writes the value for another process.
                \(access)func write(to writer: inout RemoteWriter) throws {
            """)
        switch structure.form {
        case .structure(let order, let parameters, let others):
            addWriting(order, parameters.map(\.property) + others, of: structure)
        case .enumeration(let cases): addWriting(cases)
        }
        add(
            """
                }

                /// Reads a value from another process.
                \(access)static func read(from reader: inout RemoteReader) throws -> \(structure.name) {
            """)
        switch structure.form {
        case .structure(_, let parameters, let others): addReading(parameters, others, of: structure)
        case .enumeration(let cases): addReading(cases)
        }
        add("    }\n}")
    }

    private mutating func addWriting(
        _ order: [RemoteStructure.Property], _ properties: [RemoteStructure.Property], of structure: RemoteStructure
    ) {
        let types = order.map(\.type.text)
        let list = types.count == 1 ? types[0] : "(\(types.joined(separator: ", ")))"
        add("try writer.require(\(list).self, in: \(structure.name).self)", indent: 2)
        if properties.isEmpty { add("try writer.write(case: 0)", indent: 2) }
        for property in properties {
            let parts = property.type.elements.map { $0.indices.map { ".\($0)" } } ?? [""]
            for part in parts { add("try writer.write(\(property.name)\(part))", indent: 2) }
        }
    }

    private mutating func addReading(
        _ parameters: [(label: String, property: RemoteStructure.Property)], _ others: [RemoteStructure.Property],
        of structure: RemoteStructure
    ) {
        if parameters.isEmpty && others.isEmpty { add("_ = try reader.caseNumber()", indent: 2) }
        let arguments = parameters.map { label, property in
            (label == "_" ? "" : "\(label): ") + Self.reading(property)
        }
        let hasValues = !arguments.isEmpty
        var value = (hasValues ? "try " : "") + "\(structure.name)(\(arguments.joined(separator: ", ")))"
        if value.count > 100 {
            value = "try \(structure.name)(\n    \(arguments.joined(separator: ",\n    ")))"
        }
        guard !others.isEmpty else { return add("return \(value)", indent: 2) }
        add("var value = \(value)", indent: 2)
        for property in others { add("value.\(property.name) = try \(Self.reading(property))", indent: 2) }
        add("return value", indent: 2)
    }

    private static func reading(_ property: RemoteStructure.Property) -> String {
        guard let parts = property.type.elements else { return "reader.next()" }
        return "(" + parts.map { _ in "reader.next()" }.joined(separator: ", ") + ")"
    }

    private mutating func addWriting(_ cases: [RemoteStructure.Case]) {
        add("switch self {", indent: 2)
        for (number, item) in cases.enumerated() {
            let values = item.payload.indices.map { "value\($0)" }
            let pattern = values.isEmpty ? "" : "(\(values.map { "let \($0)" }.joined(separator: ", ")))"
            add("case .\(item.name)\(pattern):", indent: 2)
            add("try writer.write(case: \(number))", indent: 3)
            for value in values { add("try writer.write(\(value))", indent: 3) }
        }
        add("}", indent: 2)
    }

    private mutating func addReading(_ cases: [RemoteStructure.Case]) {
        add("switch try reader.caseNumber() {", indent: 2)
        for (number, item) in cases.enumerated() {
            let values = item.payload.map { label, _ in (label.map { "\($0): " } ?? "") + "reader.next()" }
            let list = values.isEmpty ? "" : "(\(values.joined(separator: ", ")))"
            add("case \(number): return \(values.isEmpty ? "" : "try ").\(item.name)\(list)", indent: 2)
        }
        add("case let other: throw reader.unknownCase(other, of: Self.self)", indent: 2)
        add("}", indent: 2)
    }
}
