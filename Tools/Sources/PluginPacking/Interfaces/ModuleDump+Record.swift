@_spi(Tools) import ELFImages
import InterfaceRecords

extension ModuleDump {
    /// Protocols without a witness table: nothing of them is in the protocols that inherit them.
    private static let markers: Set<String> = [
        "Swift.Sendable", "Swift.SendableMetatype", "Swift.Copyable", "Swift.Escapable", "Swift.BitwiseCopyable",
        "Swift._BitwiseCopyable",
    ]

    /// Whether the module was compiled with library evolution; nil if it has no type that shows it.
    ///
    /// Only then does the order of the fields of a struct, and the list of cases of an enum, not belong to its ABI.
    var hasEvolution: Bool? {
        var open = root.members
        while let node = open.popLast() {
            guard node.kind == "TypeDecl", !(node.isExternal ?? false), !node.has("Frozen") else { continue }
            if node.declKind == "Enum" { return !(node.isEnumExhaustive ?? false) }
            if node.declKind == "Struct" || node.declKind == "Class",
                let field = node.members.first(where: { $0.hasStorage ?? false && !($0.isStatic ?? false) })
            {
                return field.fixedbinaryorder == nil
            }
            open += node.members
        }
        return nil
    }

    /// The public protocols and types.
    ///
    /// `hasEvolution`: whether the module was compiled with library evolution, if the dump does not show it.
    func record(hasEvolution: Bool) -> InterfaceRecord.Module {
        var module = InterfaceRecord.Module(hasEvolution: self.hasEvolution ?? hasEvolution)
        var open = root.members
        while let node = open.popLast() {
            guard node.kind == "TypeDecl" else { continue }
            open += node.members
            // An extension of another module's type.
            guard !(node.isExternal ?? false), let name = node.readableName else { continue }
            switch node.declKind {
            case "Protocol": module.interfaces[name] = Self.interface(node, name)
            case "Struct": module.types[name] = Self.structure(node)
            case "Enum": module.types[name] = Self.enumeration(node)
            case "Class": module.types[name] = Self.classLayout(node, name)
            default: break
            }
        }
        return module
    }

    // MARK: Protocols

    private static func interface(_ node: Node, _ name: String) -> InterfaceRecord.Interface {
        var result = InterfaceRecord.Interface(requirements: [])
        let inherited = Set((node.conformances ?? []).compactMap { $0.mangledName.flatMap(readable) })
        for part in node.conditions {
            guard let colon = part.firstRange(of: " : ") else { continue }
            let (type, parent) = (String(part[..<colon.lowerBound]), String(part[colon.upperBound...]))
            if markers.contains(parent) { continue }
            if type != "Self" {
                if parent != "AnyObject" { result.requirements.append("\(InterfaceText.condition)\(type): \(parent)") }
            } else if parent == "AnyObject" || !inherited.contains(parent) {
                // A superclass demands a class too.
                result.isClassOnly = true
            } else {
                result.requirements.append(InterfaceText.inherited + parent)
            }
        }
        let own = node.members.filter { $0.protocolReq ?? false }
        for type in own where type.declKind == "AssociatedType" && !(type.overriding ?? false) {
            // Its only child is the type that it has by default.
            if !type.members.isEmpty { result.defaults.append(result.requirements.count) }
            result.requirements.append(InterfaceText.associatedType + type.printedName)
        }
        let defaults = defaultNames(node, name)
        for member in own {
            for function in member.accessors ?? [member] where function.reqNewWitnessTableEntry ?? false {
                guard let full = function.readableName else { continue }
                let text = InterfaceText.requirement(full, of: name)
                if defaults.contains(text) { result.defaults.append(result.requirements.count) }
                let throwing = function.declKind == "Accessor" && function.throwing ?? false
                result.requirements.append(throwing ? text + InterfaceText.throwing : text)
            }
        }
        return result
    }

    /// The functions of the protocol's extensions in its own module: default implementations, unless they have other
    /// types.
    private static func defaultNames(_ node: Node, _ name: String) -> Set<String> {
        var names: Set<String> = []
        for member in node.members where member.isFromExtension ?? false {
            for function in member.accessors ?? [member] {
                // “(extension in API):API.Filter.run() -> ()”
                guard let full = function.readableName, let place = full.firstRange(of: "\(name).") else { continue }
                names.insert((full.hasPrefix("static ") ? "static " : "") + full[place.upperBound...])
            }
        }
        return names
    }

    // MARK: Types

    private static func structure(_ node: Node) -> InterfaceRecord.Layout {
        InterfaceRecord.Layout(kind: .structure, entries: fields(node), isFrozen: node.has("Frozen"))
    }

    private static func fields(_ node: Node) -> [String] {
        node.members.filter { ($0.hasStorage ?? false) && !($0.isStatic ?? false) && !($0.isFromExtension ?? false) }
            .map { field in
                let ownership = ["", "weak ", "unowned ", "unowned(unsafe) "]
                let place = field.ownership ?? 0
                return (ownership.indices.contains(place) ? ownership[place] : "")
                    + "\(field.printedName): \(field.members.first?.printedName ?? "?")"
            }
    }

    private static func enumeration(_ node: Node) -> InterfaceRecord.Layout {
        let cases = node.members.filter { $0.declKind == "EnumElement" }.map { element in
            // “(API.Mode.Type) -> (Swift.Int) -> API.Mode”: the second function has the values.
            let function = element.members.first?.members.first
            let values = function?.kind == "TypeFunc" ? function?.members.last?.printedName : nil
            let text = values.map { $0.hasPrefix("(") ? $0 : "(\($0))" } ?? ""
            let name = element.printedName.prefix { $0 != "(" }
            return (element.has("Indirect") || node.has("Indirect") ? "indirect " : "") + name + text
        }
        return InterfaceRecord.Layout(kind: .enumeration, entries: cases, isFrozen: node.has("Frozen"))
    }

    /// A class: its superclass, its stored properties, and its methods that subclasses may override, in the order of the
    /// table through which they are called.
    private static func classLayout(_ node: Node, _ name: String) -> InterfaceRecord.Layout {
        var entries = (node.superclassNames ?? []).prefix(1).map { "superclass \($0)" } + fields(node)
        if !node.has("Final") {
            for member in node.members where !(member.isFromExtension ?? false) {
                for function in member.accessors ?? [member] {
                    guard ["Func", "Constructor", "Accessor"].contains(function.declKind), !function.has("Final"),
                        !(function.overriding ?? false), function.initKind != "Convenience",
                        let full = function.readableName
                    else { continue }
                    entries.append(InterfaceText.requirement(full, of: name))
                }
            }
        }
        return InterfaceRecord.Layout(kind: .class, entries: entries)
    }

    // MARK: Functions

    /// The functions, methods, initialisers and accessors outside of protocols.
    ///
    /// Methods that subclasses may override are in `module`, in the layout of their class, and left out here.
    func functions(
        _ code: SerializedCode, beside module: InterfaceRecord.Module
    ) -> [String: InterfaceRecord.Function] {
        var functions: [String: InterfaceRecord.Function] = [:]
        var open = root.members.map { (node: $0, type: Node?.none) }
        while let (node, type) = open.popLast() {
            if node.kind == "TypeDecl" {
                open += node.members.map { ($0, node) }
                continue
            }
            if node.protocolReq ?? false { continue }
            let isOfStorage = type != nil && (node.hasStorage ?? false) && !(node.isStatic ?? false)
            for function in node.accessors ?? [node] {
                guard ["Func", "Constructor", "Accessor"].contains(function.declKind),
                    let symbol = function.mangledName,
                    let name = function.readableName, !module.isOverridable(name) || function.declKind == "Constructor"
                else { continue }
                let digests = code.digests(of: symbol)
                functions[name] = InterfaceRecord.Function(
                    body: digests.body, defaultValues: digests.defaultValues, isOfStorage: isOfStorage)
            }
        }
        return functions
    }

    static func readable(_ symbol: String) -> String? { SymbolNames.readable(symbol) }
}

extension ModuleDump.Node {
    /// The full name of a declaration.
    var readableName: String? { mangledName.flatMap(ModuleDump.readable) }

    /// The parts of `<Self : API.Parent, Self.T : Swift.Equatable>`; commas inside angle brackets divide nothing.
    var conditions: [String] {
        guard let text = genericSig, text.hasPrefix("<"), text.hasSuffix(">") else { return [] }
        var parts: [String] = [""]
        var depth = 0
        for character in text.dropFirst().dropLast() {
            if character == "<" || character == "(" { depth += 1 }
            if character == ">" || character == ")" { depth -= 1 }
            if character == ",", depth == 0 {
                parts.append("")
            } else if !(character == " " && parts[parts.count - 1].isEmpty) {
                parts[parts.count - 1].append(character)
            }
        }
        return parts
    }
}
