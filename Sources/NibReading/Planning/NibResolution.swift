import HostBasics
@_spi(PluginHost) internal import PluginABI
internal import PropertyLists

/// The first stage of planning: gives every object of the document its class and its slot.
struct NibResolution {
    private let graph: NibGraph
    private let xml: XMLDocument
    private let mode: NibPlanner.Mode
    private let scope: NibScope
    private let externals: NibExternals
    private var lookup: NibClassLookup

    /// `lookup`: finds the classes of the same scope.
    init(
        _ graph: NibGraph, scope: NibScope, _ lookup: NibClassLookup, _ externals: NibExternals, mode: NibPlanner.Mode
    ) {
        self.graph = graph
        xml = graph.xml
        self.mode = mode
        self.scope = scope
        self.externals = externals
        self.lookup = lookup
    }

    /// Resolves every object.
    mutating func resolve() -> ResolvedNib {
        var resolved: [ResolvedNib.Resolved] = []
        resolved.reserveCapacity(graph.objects.count)
        // The slots of made objects come first, so their total number is needed.
        let madeCount = graph.madeCount
        var next = madeCount + (externals.owner == nil ? 0 : 1)
        var slotOfPlaceholder: [String: Int] = [:]
        for name in externals.names(in: graph) {
            slotOfPlaceholder[name] = next
            next += 1
        }
        var resolvedCount = 0
        for number in graph.objects.indices {
            guard !graph.objects[number].isMade else {
                if mode != .document, let aClass = lookup.classNumber(ofElement: graph.objects[number].element, xml) {
                    resolved.append(.object(resolvedCount, aClass))
                    resolvedCount += 1
                } else {
                    resolved.append(.unknown)
                }
                continue
            }
            let object = graph.objects[number]
            switch object.role {
            case .firstResponder: resolved.append(.firstResponder)
            case .owner:
                if let owner = externals.owner {
                    resolved.append(.object(madeCount, lookup.add(owner, object)))
                    checkName(of: owner, object)
                } else {
                    resolved.append(mode == .instantiation ? .absent : assumed(object))
                }
            case .placeholder(let identifier):
                let name = graph.placeholders[identifier]
                if let external = externals.placeholders[name], let slot = slotOfPlaceholder[name] {
                    resolved.append(.object(slot, lookup.add(external, object)))
                } else {
                    resolved.append(mode == .instantiation ? .absent : assumed(object))
                }
            case .made: preconditionFailure("made objects are above")
            }
        }
        for (name, fault, offset) in interfaceFaults() {
            graph.findings.add(
                .nibInterfaceInvalid, at: offset, subject: name, "The interface for nibs of \(quoted(name)): \(fault)",
                "Correct nibInterface of the class.")
        }
        return ResolvedNib(
            xml: xml, graph: graph, mode: mode, resolved: resolved, classes: lookup.classes, made: lookup.made)
    }

    private func interfaceFaults() -> [(name: String, fault: String, offset: Int)] {
        var seen: Set<String> = []
        return lookup.classes.compactMap { known in
            guard let fault = known.table.faults.first ?? known.table.fault(for: known.type),
                seen.insert(known.table.name + fault).inserted
            else { return nil }
            return (known.table.name, fault, xml.offset(ofElement: known.firstElement))
        }
    }

    private func checkName(of owner: any NibObject, _ object: NibGraph.Object) {
        guard let attribute = xml.attribute(graph.words.customClass, ofElement: object.element),
            case let name = xml.value(ofAttribute: attribute), !NibPlanner.unspecific.contains(name)
        else { return }
        // Covers a C class, and a class that was registered under another name.
        if name == owner.nibTable.name { return }
        if case .found(let member) = scope.aClass(named: name), member.aClass.registration.type == type(of: owner),
            !(owner is NibForeignObject)
        {
            return
        }
        var next: AnyClass? = type(of: owner)
        while let current = next {
            if "\(current)" == name || String(reflecting: current) == name { return }
            next = _getSuperclass(current)
        }
        graph.findings.add(
            .nibOwnerInvalid, .warning, at: xml.offset(ofAttribute: attribute), subject: name,
            "File's Owner is a \(quoted(name)) here, and the nib was given a \(quoted("\(type(of: owner))")).",
            "Correct the class in the nib, or give it another owner.")
    }

    /// The resolution of an object that the caller will pass: an object of the class that the document names.
    private mutating func assumed(_ object: NibGraph.Object) -> ResolvedNib.Resolved {
        guard mode == .declarations, let attribute = xml.attribute(graph.words.customClass, ofElement: object.element),
            case let name = xml.value(ofAttribute: attribute), !NibPlanner.unspecific.contains(name)
        else { return .unknown }
        guard case .found(let member) = scope.aClass(named: name) else {
            // The application may have a class that no list declares.
            lookup.addUnknown(
                name, .warning, at: xml.offset(ofAttribute: attribute),
                "The class \(quoted(name)) is not declared, so its outlets and actions are not checked.",
                "Declare it in NibClasses.plist, let the plug-in register it, or correct customClass.")
            return .unknown
        }
        return .object(0, lookup.number(of: member, object.element))
    }
}
