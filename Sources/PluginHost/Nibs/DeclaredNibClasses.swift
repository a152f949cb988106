@_spi(PluginHost) internal import PluginABI

/// The classes of several lists as a nib's planner uses them: it checks a nib against them and can make none.
struct DeclaredNibClasses {
    /// The lists of equal rank: a bundle's own, those of the bundles that it requires, and those of the application.
    let ranks: [[(list: NibClassList, path: String?)]]
    let scope: NibScope
    /// Superclasses that no list declares, and circles of them.
    private(set) var faults: [NibClassList.Fault] = []
    /// The superclasses of each class, the nearest first.
    private var ancestors: [String: [String]] = [:]
    private let entries: [String: NibClassList.Entry]

    init(own: [NibClassList], required: [(list: NibClassList, path: String)], application: [NibClassList]) {
        ranks = [
            own.map { ($0, nil) }, required.map { ($0.list, $0.path) }, application.map { ($0, nil) },
        ]
        var entries: [String: NibClassList.Entry] = [:]
        for rank in ranks {
            for (list, _) in rank {
                // The first rank goes before the others.
                for entry in list.entries where entries[entry.name] == nil { entries[entry.name] = entry }
            }
        }
        self.entries = entries
        var faults: [NibClassList.Fault] = []
        for entry in entries.values.sorted(by: { $0.name < $1.name }) {
            let (chain, fault) = Self.ancestors(of: entry, in: entries)
            ancestors[entry.name] = chain
            if let fault { faults.append(fault) }
        }
        self.faults = faults
        let inherited = ancestors
        var levels: [NibClassLevel] = []
        for (number, rank) in ranks.enumerated() where !rank.isEmpty {
            let members = rank.flatMap { list, path in
                list.entries.map { entry in
                    let chain = [entry] + inherited[entry.name, default: []].compactMap { entries[$0] }
                    let aClass = NibClass(
                        name: entry.name,
                        NibRegistration(foreign: Self.table(of: chain), element: nil) { _ in
                            preconditionFailure("a class that is only declared")
                        }, declaredModule: .some(entry.module))
                    return NibClassLevel.Member(
                        aClass: aClass, context: nil, count: nil, bundlePath: path, elements: entry.elements.sorted())
                }
            }
            levels.append(NibClassLevel(isOwn: number == 0, members: members))
        }
        scope = NibScope(
            levels,
            leavingOut: ranks.joined().reduce(into: []) { $0.formUnion($1.list.elementsLeftOut) })
    }

    /// The outermost superclass that declares something, or the class itself: unused outlets are noted once for it.
    func declarer(of name: String, in className: String, _ kind: KeyPath<NibClassList.Entry, [String: String]>)
        -> String
    {
        let chain = [className] + ancestors[className, default: []]
        return chain.last { entries[$0]?[keyPath: kind][name] != nil } ?? className
    }

    private static func ancestors(
        of entry: NibClassList.Entry, in entries: [String: NibClassList.Entry]
    ) -> (chain: [String], fault: NibClassList.Fault?) {
        var chain: [String] = []
        var next = entry.superclass
        while let name = next {
            if name == entry.name || chain.contains(name) {
                return (
                    chain,
                    NibClassList.Fault(
                        className: entry.name,
                        message: "The superclasses of \(quoted(entry.name)) lead in a circle by \(quoted(name)).")
                )
            }
            guard let superclass = entries[name] else {
                return (
                    chain,
                    chain.isEmpty
                        ? NibClassList.Fault(
                            className: entry.name,
                            message: "The superclass \(quoted(name)) of \(quoted(entry.name)) is not declared.") : nil
                )
            }
            chain.append(name)
            next = superclass.superclass
        }
        return (chain, nil)
    }

    // MARK: Tables

    /// The declarations of a class with those of its superclasses; the nearest one of a name holds.
    private static func table(of chain: [NibClassList.Entry]) -> NibClassTable {
        func gather(_ part: KeyPath<NibClassList.Entry, [String: String]>) -> [(name: String, value: String)] {
            var all: [String: String] = [:]
            for entry in chain.reversed() { all.merge(entry[keyPath: part]) { _, nearer in nearer } }
            return all.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) }
        }
        let required = chain.reduce(into: Set<String>()) { $0.formUnion($1.required) }
        let outlets = gather(\.outlets).map { name, target in
            NibOutlet(
                name: name, isRequired: required.contains(name), isCollection: false, target: Self.target(target),
                connect: .one { _, _ in })
        }
        let collections = gather(\.collections).map { name, target in
            NibOutlet(
                name: name, isRequired: false, isCollection: true, target: Self.target(target),
                connect: .all { _, _ in })
        }
        var kinds: Set<String> = []
        for entry in chain { kinds.formUnion(entry.serves.union([entry.name])) }
        let attributes = gather(\.attributes).map { name, type in
            NibAttributeSlot(name: name, typeName: type) { _ in ({ accepts($0, type) ? 0 : nil }, { _, _ in }) }
        }
        let actions = gather(\.actions).map { name, sender in
            NibActionSlot(name: name, sender: Self.target(sender)) { _, _ in }
        }
        let events = gather(\.events).map { name, count in
            NibEventSlot(name: name, connect: count == "many" ? .many { _, _ in } : .one { _, _ in })
        }
        return NibClassTable(
            foreign: chain[0].name, kinds: kinds, outlets: outlets + collections, attributes: attributes,
            actions: actions, events: events, faults: [])
    }

    private static func target(_ name: String) -> NibTarget {
        name.isEmpty || name == "*" ? .anyObject : .named(name)
    }

    /// Whether a value fits an attribute of a type, as the type in code decides.
    static func accepts(_ value: NibValue, _ typeName: String) -> Bool {
        if typeName.hasSuffix("?") {
            if case .none = value { return true }
            return accepts(value, String(typeName.dropLast()))
        }
        switch typeName {
        case "String": return String.nibAttribute(value) != nil
        case "Int": return Int.nibAttribute(value) != nil
        case "Double": return Double.nibAttribute(value) != nil
        case "Float": return Float.nibAttribute(value) != nil
        case "Bool": return Bool.nibAttribute(value) != nil
        case "Point": return NibPoint.nibAttribute(value) != nil
        case "Size": return NibSize.nibAttribute(value) != nil
        case "Rect": return NibRect.nibAttribute(value) != nil
        case "Range": return NibRange.nibAttribute(value) != nil
        case "Color": return NibColor.nibAttribute(value) != nil
        case "Record": return NibRecord.nibAttribute(value) != nil
        case "Image": return NamedImage.nibAttribute(value) != nil
        case "Sound": return NamedSound.nibAttribute(value) != nil
        case "Date": return NibDate.nibAttribute(value) != nil
        case "Enum": return String.nibAttribute(value) != nil
        default:
            // A type that the application added decides by itself.
            guard typeName.hasPrefix("Enum("), typeName.hasSuffix(")") else { return true }
            guard let text = String.nibAttribute(value) else { return false }
            return typeName.dropFirst(5).dropLast().split(separator: "|").contains { $0 == text }
        }
    }
}
