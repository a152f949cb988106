extension InterfaceRecord {
    /// The parts of the record that a plug-in's code depends on.
    ///
    /// - Parameters:
    ///   - interfaces: the protocols that its conformances name.
    ///   - texts: readable names of the symbols that it needs.
    ///   - library: the name by which it needs the library of a module.
    /// - Returns: these protocols, and all protocols and types that their requirements and the texts name, directly or in the layout of
    ///   another type. Defaults and functions are left out: only the current ones count.
    public func used(
        interfaces: Set<String>, naming texts: [String], library: (String) -> String?
    ) -> InterfaceRecord {
        let thunk = "dispatch thunk of "
        let called = texts.filter { $0.hasPrefix(thunk) }.map { String($0.dropFirst(thunk.count)) }
        var open: Set<String> = []
        var used = InterfaceRecord()
        for (name, module) in modules {
            var own = Module(
                hasEvolution: module.hasEvolution, isOfSymbols: module.isOfSymbols, library: library(name))
            for (interface, entry) in module.interfaces where interfaces.contains(interface) {
                own.interfaces[interface] = entry.used(as: interface, calling: module.hasEvolution ? called : [])
                for text in entry.requirements { open.formUnion(Self.names(in: text)) }
            }
            used.modules[name] = own
        }
        for text in texts { open.formUnion(Self.names(in: text)) }
        var known: Set<String> = []
        while let name = open.popFirst() {
            guard known.insert(name).inserted else { continue }
            for (module, now) in modules {
                // The plug-in may call requirements of a protocol that others implement.
                if let entry = now.interfaces[name], used.modules[module]?.interfaces[name] == nil {
                    used.modules[module]?.interfaces[name] = entry.used(
                        as: name, calling: now.hasEvolution ? called : [])
                    for text in entry.requirements { open.formUnion(Self.names(in: text)) }
                }
                guard let layout = now.types[name] else { continue }
                used.modules[module]?.types[name] = layout
                for text in layout.entries { open.formUnion(Self.names(in: text)) }
            }
        }
        used.modules = used.modules.filter { !$0.value.interfaces.isEmpty || !$0.value.types.isEmpty }
        return used
    }

    /// Every name with dots in a text, and each beginning of it: of `API.Node.count.getter` also `API.Node`.
    static func names(in text: String) -> Set<String> {
        var names: Set<String> = []
        for word in text.split(whereSeparator: { !($0.isLetter || $0.isNumber || $0 == "_" || $0 == ".") }) {
            names.formUnion(InterfaceText.beginnings(of: word).dropFirst())
        }
        return names
    }
}

extension InterfaceRecord.Interface {
    /// The entry in the record of a plug-in that calls functions, by the names of their symbols.
    fileprivate func used(as name: String, calling called: [String]) -> Self {
        let called = Set(called.map { InterfaceText.requirement($0, of: name) })
        let calls = requirements.indices.filter { index in
            RequirementKind(of: requirements[index]).isAccessor && called.contains(requirements[index])
        }
        return Self(isClassOnly: isClassOnly, requirements: requirements, calls: calls)
    }

    /// The first function of a compiled conformance that is not this protocol's, in words.
    ///
    /// - Parameters:
    ///   - functions: the functions by the symbols of the code, which do not state whether an accessor throws.
    ///   - isOrdered: whether each must be at its place; with library evolution only the names count.
    /// - Returns: nil if there is no difference.
    public func difference(from functions: [String], isOrdered: Bool) -> (code: String, module: String)? {
        let own = self.functions
        func text(_ text: String?) -> String { text.map { "“\(InterfaceText.shown($0))”" } ?? "no function" }
        if !isOrdered {
            let known = Set(own)
            return functions.first { !known.contains($0) }.map { (text($0), text(nil)) }
        }
        for index in 0..<max(own.count, functions.count) {
            let code = functions.indices.contains(index) ? functions[index] : nil
            let module = own.indices.contains(index) ? own[index] : nil
            if code != module { return (text(code), text(module)) }
        }
        return nil
    }

    /// The requirements that are functions, as symbols name them.
    var functions: [String] {
        requirements.filter {
            switch RequirementKind(of: $0).kind {
            case .baseProtocol, .associatedType, .associatedConformance: false
            default: true
            }
        }
        .map(InterfaceText.withoutThrowing)
    }
}
