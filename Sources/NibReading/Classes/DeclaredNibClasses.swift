import HostBasics
@_spi(PluginHost) internal import PluginABI
internal import PropertyLists

/// The classes of several class lists, prepared for a nib's planner, which checks a nib against them but cannot make
/// objects.
///
/// **Cost.** Proportional to the lists. A class shares its inherited declarations with its superclass. Only a class
/// that declares more itself needs copies of them, and the number of copies has a limit.
struct DeclaredNibClasses {
    /// The lists by rank: those of the nib's own bundle, those of the bundles that it requires, and those of the
    /// application.
    let ranks: [[(list: NibClassList, path: String?)]]
    let scope: NibScope
    /// Superclasses that no list declares, and circular superclasses: the first faults, and the number of further ones.
    private(set) var faults: [NibClassList.Fault] = []
    private let families: [String: Family]

    /// One class and its inherited declarations.
    private struct Family {
        let table: NibClassTable
        /// Nil also if the superclass that a list names is missing, or if it would close a circle.
        let superclass: String?
        /// What the class itself declares.
        let outlets: [NibOutlet]
        let actions: [NibActionSlot]
    }

    /// The outermost superclass that declares an outlet or action of this name, by the identity of the outlet or
    /// action.
    private let declarers: [ObjectIdentifier: String]

    /// The maximum number of declarations that are copied because a class adds some to those of its superclass.
    ///
    /// They take about 30 MB.
    ///
    /// A list of all classes of a large framework has a tenth as many.
    static let mostInherited = 1 << 19

    init(own: [NibClassList], required: [(list: NibClassList, path: String)], application: [NibClassList]) {
        ranks = [
            own.map { ($0, nil) }, required.map { ($0.list, $0.path) }, application.map { ($0, nil) },
        ]
        var entries: [String: NibClassList.Entry] = [:]
        for rank in ranks {
            for (list, _) in rank {
                // The first rank takes precedence over the others.
                for entry in list.entries where entries[entry.name] == nil { entries[entry.name] = entry }
            }
        }
        let lines = Lines(entries)
        var tables = Tables(entries, lines)
        for name in lines.order { tables.add(name) }
        // If two classes have the same name, the loop above has already prepared the first one.
        var levels: [NibClassLevel] = []
        var seen: Set<String> = []
        for (number, rank) in ranks.enumerated() where !rank.isEmpty && !tables.areTooLarge {
            let members = rank.flatMap { list, path in
                list.entries.map { entry in
                    let known = seen.insert(entry.name).inserted ? tables.families[entry.name] : nil
                    let family = known ?? tables.family(of: entry)
                    let aClass = NibClass(
                        name: entry.name,
                        NibRegistration(foreign: family.table, element: nil) { _ in
                            preconditionFailure("a class that is only declared")
                        }, declaredModule: .some(entry.module))
                    return NibClassLevel.Member(
                        aClass: aClass, context: nil, count: nil, bundlePath: path, elements: entry.elements.sorted())
                }
            }
            levels.append(NibClassLevel(isOwn: number == 0, members: members))
        }
        families = tables.families
        declarers = tables.declarers
        faults = lines.faults.all
        isTooLarge = tables.areTooLarge
        if isTooLarge {
            faults.append(
                NibClassList.Fault(
                    className: nil,
                    message: "The classes inherit more than \(Self.mostInherited) declarations from one another, "
                        + "so no nib is checked against them."))
        }
        scope = NibScope(
            isTooLarge ? [] : levels,
            leavingOut: ranks.joined().reduce(into: []) { $0.formUnion($1.list.elementsLeftOut) })
    }

    /// Whether the classes inherit more than ``mostInherited`` declarations.
    ///
    /// If so, there are no classes here.
    let isTooLarge: Bool

    // MARK: Declarations of classes

    /// The outermost superclass that declares an outlet; nil for an undeclared outlet.
    func declarer(of outlet: NibOutlet) -> String? { declarers[ObjectIdentifier(outlet)] }

    /// The outermost superclass that declares an action; nil for an undeclared action.
    func declarer(of action: NibActionSlot) -> String? { declarers[ObjectIdentifier(action)] }

    /// The declarations of a class without the inherited ones, and its superclass; nil for a class that no list
    /// declares.
    func declarations(of className: String) -> (outlets: [NibOutlet], actions: [NibActionSlot], superclass: String?)? {
        families[className].map { ($0.outlets, $0.actions, $0.superclass) }
    }

    /// The names of all actions.
    var actionNames: Set<String> {
        families.values.reduce(into: []) { names, family in
            for action in family.actions { names.insert(NibClassTable.actionName(action.name)) }
        }
    }

    // MARK: Superclasses

    /// The superclass of each class, and an order in which each class comes after its superclass.
    private struct Lines {
        private(set) var superclasses: [String: String] = [:]
        private(set) var order: [String] = []
        private(set) var faults = FirstFaults()

        init(_ entries: [String: NibClassList.Entry]) {
            /// For each class whose superclasses lead into a circle, a class of that circle.
            var circles: [String: String] = [:]
            var done: Set<String> = []
            for first in entries.keys.sorted() where !done.contains(first) {
                var line: [String] = []
                var places: [String: Int] = [:]
                var next: String? = first
                while let name = next, !done.contains(name), places[name] == nil {
                    places[name] = line.count
                    line.append(name)
                    next = entries[name]?.superclass.flatMap { entries[$0] == nil ? nil : $0 }
                    if let next { superclasses[name] = next }
                }
                if let next, let start = places[next] {
                    for name in line[start...] { circles[name] = name }
                    // One class of the circle loses its superclass, so that the others keep theirs.
                    superclasses[line[line.count - 1]] = nil
                    for name in line[..<start] { circles[name] = next }
                } else if let next, let circle = circles[next] {
                    for name in line { circles[name] = circle }
                }
                order += line.reversed()
                done.formUnion(line)
            }
            for (name, entry) in entries.sorted(by: { $0.key < $1.key }) {
                if let circle = circles[name] {
                    faults.add {
                        NibClassList.Fault(
                            className: name,
                            message: "The superclasses of \(quoted(name)) lead in a circle by \(quoted(circle)).")
                    }
                } else if let superclass = entry.superclass, entries[superclass] == nil {
                    faults.add {
                        NibClassList.Fault(
                            className: name,
                            message: "The superclass \(quoted(superclass)) of \(quoted(name)) is not declared.")
                    }
                }
            }
        }
    }

    // MARK: Tables

    /// The declarations of classes together with those of their superclasses; of several with the same name, the
    /// nearest one applies.
    private struct Tables {
        private let entries: [String: NibClassList.Entry]
        private let lines: Lines
        private(set) var families: [String: Family] = [:]
        private(set) var declarers: [ObjectIdentifier: String] = [:]
        /// How many declarations were copied.
        private var inherited = 0
        var areTooLarge: Bool { inherited > mostInherited }

        init(_ entries: [String: NibClassList.Entry], _ lines: Lines) {
            self.entries = entries
            self.lines = lines
        }

        /// Builds the family of a class; its superclass must be added first.
        mutating func add(_ name: String) {
            guard !areTooLarge, let entry = entries[name] else { return }
            families[name] = family(of: entry)
        }

        mutating func family(of entry: NibClassList.Entry) -> Family {
            let superclass = lines.superclasses[entry.name]
            let parent = superclass.flatMap { families[$0]?.table }
            var outlets = entry.outlets.sorted { $0.key < $1.key }.map { name, target in
                NibOutlet(
                    name: name, isRequired: entry.required.contains(name) || parent?.outlets[name]?.isRequired ?? false,
                    isCollection: false, target: DeclaredNibClasses.target(target), connect: .one { _, _ in })
            }
            // A class may require an outlet that its superclass declares as optional.
            for name in entry.required.sorted() where entry.outlets[name] == nil {
                guard let outlet = parent?.outlets[name], !outlet.isRequired, !outlet.isCollection else { continue }
                outlets.append(
                    NibOutlet(
                        name: name, isRequired: true, isCollection: false, target: outlet.target,
                        connect: .one { _, _ in }))
            }
            outlets += entry.collections.sorted { $0.key < $1.key }.map { name, target in
                NibOutlet(
                    name: name, isRequired: false, isCollection: true, target: DeclaredNibClasses.target(target),
                    connect: .all { _, _ in })
            }
            let attributes = entry.attributes.map { name, type in
                let accepts = DeclaredNibClasses.acceptor(type)
                return NibAttributeSlot(name: name, typeName: type) { _ in ({ accepts($0) ? 0 : nil }, { _, _ in }) }
            }
            let actions = entry.actions.map { name, sender in
                NibActionSlot(name: name, sender: DeclaredNibClasses.target(sender)) { _, _ in }
            }
            let events = entry.events.map { name, count in
                NibEventSlot(name: name, connect: count == "many" ? .many { _, _ in } : .one { _, _ in })
            }
            if let parent {
                inherited += parent.kinds.count + (outlets.isEmpty ? 0 : parent.outlets.count)
                inherited += (attributes.isEmpty ? 0 : parent.attributes.count)
                inherited += (actions.isEmpty ? 0 : parent.actions.count) + (events.isEmpty ? 0 : parent.events.count)
            }
            for outlet in outlets {
                let above = parent?.outlets[outlet.name].flatMap { $0.isCollection == outlet.isCollection ? $0 : nil }
                declarers[ObjectIdentifier(outlet)] = above.flatMap { declarers[ObjectIdentifier($0)] } ?? entry.name
            }
            for action in actions {
                let above = parent?.actions[NibClassTable.actionName(action.name)]
                declarers[ObjectIdentifier(action)] = above.flatMap { declarers[ObjectIdentifier($0)] } ?? entry.name
            }
            let table = NibClassTable(
                foreign: entry.name, kinds: entry.serves.union(parent?.kinds ?? []), inheriting: parent,
                outlets: outlets, attributes: attributes, actions: actions, events: events, faults: [])
            return Family(table: table, superclass: superclass, outlets: outlets, actions: actions)
        }
    }

    private static func target(_ name: String) -> NibTarget {
        name.isEmpty || name == "*" ? .anyObject : .named(name)
    }

    // MARK: Types of attributes

    /// Returns a function that checks whether a value fits an attribute type, by the same rules as the type in code.
    ///
    /// It parses the type's name only once, because the name may be long.
    static func acceptor(_ typeName: String) -> @Sendable (NibValue) -> Bool {
        let plain = typeName.lastIndex { $0 != "?" }.map { String(typeName[...$0]) } ?? ""
        let accepts = plainAcceptor(plain)
        guard plain.utf8.count < typeName.utf8.count else { return accepts }
        return { value in
            if case .none = value { return true }
            return accepts(value)
        }
    }

    private static func plainAcceptor(_ typeName: String) -> @Sendable (NibValue) -> Bool {
        switch typeName {
        case "String": return { String.nibAttribute($0) != nil }
        case "Int": return { Int.nibAttribute($0) != nil }
        case "Double": return { Double.nibAttribute($0) != nil }
        case "Float": return { Float.nibAttribute($0) != nil }
        case "Bool": return { Bool.nibAttribute($0) != nil }
        case "Point": return { NibPoint.nibAttribute($0) != nil }
        case "Size": return { NibSize.nibAttribute($0) != nil }
        case "Rect": return { NibRect.nibAttribute($0) != nil }
        case "Range": return { NibRange.nibAttribute($0) != nil }
        case "Color": return { NibColor.nibAttribute($0) != nil }
        case "Record": return { NibRecord.nibAttribute($0) != nil }
        case "Image": return { NamedImage.nibAttribute($0) != nil }
        case "Sound": return { NamedSound.nibAttribute($0) != nil }
        case "Date": return { NibDate.nibAttribute($0) != nil }
        case "Enum": return { String.nibAttribute($0) != nil }
        default:
            // A type that the application added is not known here, so every value passes.
            guard typeName.hasPrefix("Enum("), typeName.hasSuffix(")") else { return { _ in true } }
            let texts = Set(typeName.dropFirst(5).dropLast().split(separator: "|").map(String.init))
            return { value in String.nibAttribute(value).map(texts.contains) ?? false }
        }
    }
}

/// The first faults of class lists, and the number of further ones.
///
/// A fault that is not listed is not built.
struct FirstFaults: Sendable, Hashable {
    private var listed: [NibClassList.Fault] = []
    private var further = 0

    mutating func add(_ make: () -> NibClassList.Fault) {
        if listed.count < ReadingBudget.mostFindings { listed.append(make()) } else { further += 1 }
    }

    var all: [NibClassList.Fault] {
        guard further > 0 else { return listed }
        return listed + [
            NibClassList.Fault(className: nil, message: "\(further) more faults of the classes are not listed.")
        ]
    }
}
