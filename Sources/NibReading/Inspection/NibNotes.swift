public import HostBasics
@_spi(PluginHost) internal import PluginABI
internal import PropertyLists

// For the linter alone: applications see this type, and its other codes.
extension PluginError.Code {
    /// A class declares an outlet that no nib connects.
    ///
    /// A note of the linter.
    @_spi(Tools) public static let nibOutletUnused = Self(rawValue: "nibOutletUnused")
    /// A class declares an action that no nib connects.
    ///
    /// A note of the linter.
    @_spi(Tools) public static let nibActionUnused = Self(rawValue: "nibActionUnused")
    /// No declared class has an action that is sent to First Responder.
    ///
    /// A note of the linter.
    @_spi(Tools) public static let nibActionUnanswered = Self(rawValue: "nibActionUnanswered")
    /// A nib sets an attribute that the object's class does not declare, so the attribute is ignored.
    ///
    /// A note of the linter.
    @_spi(Tools) public static let nibAttributeUndeclared = Self(rawValue: "nibAttributeUndeclared")
    /// A nib has so many objects that it should be divided into several nibs.
    ///
    /// A note of the linter.
    @_spi(Tools) public static let nibLarge = Self(rawValue: "nibLarge")
}

/// Hints about a nib that has no fault but is worth a look, for the linter.
struct NibNotes {
    let findings = NibFindings()
    /// The declared outlets and actions of the objects' classes, each with the offset of the first object that has it.
    private(set) var members: [(member: NibInspection.Member, offset: Int)] = []
    private(set) var connected: Set<NibInspection.Member> = []

    private let nib: ResolvedNib
    private let declared: DeclaredNibClasses
    /// The number of objects above which a nib should be divided.
    private static let mostObjects = 500

    /// - Parameters:
    ///   - planner: the planner of the nib.
    ///   - declared: the classes against which it was checked.
    init(_ planner: NibPlanner, declared: DeclaredNibClasses) {
        nib = planner.nib
        self.declared = declared
        noteSize()
        guard nib.mode == .declarations else { return }
        noteAttributes()
        noteActionsToFirstResponder()
        gatherMembers()
        gatherConnected()
    }

    private func note(
        _ code: PluginError.Code, at offset: @autoclosure () -> Int?, _ subject: String,
        _ message: @autoclosure () -> String, _ remedy: @autoclosure () -> String
    ) {
        findings.add(.warning) {
            NibFinding(
                severity: .warning, code: code, offset: offset(), subject: displayed(subject), message: message(),
                remedy: remedy())
        }
    }

    private func noteSize() {
        let count = nib.graph.madeCount
        guard count > Self.mostObjects else { return }
        note(
            .nibLarge, at: nib.graph.objects.first.map { nib.xml.offset(ofElement: $0.element) }, "\(count)",
            "The nib has \(count) objects, which are all made at once.",
            "Divide it into nibs that are instantiated when their objects are needed.")
    }

    // MARK: Attributes

    private func noteAttributes() {
        let xml = nib.xml
        var noted: Set<ClassAttribute> = []
        func note(_ object: Int, _ name: String, at offset: Int) {
            guard case .object(_, let aClass) = nib.resolved[object] else { return }
            let table = nib.classes[aClass].table
            guard table.attributes[name] == nil, noted.insert(ClassAttribute(aClass: aClass, name: name)).inserted
            else { return }
            self.note(
                .nibAttributeUndeclared, at: offset, name,
                "\(quoted(table.name)) declares no attribute \(quoted(name)), so it is passed over.",
                "Remove it, or declare it in \(displayed(table.name)).nibInterface.")
        }
        for (number, object) in nib.graph.objects.enumerated() where object.role == .made {
            for attribute in xml.attributes(ofElement: object.element) {
                let name = xml.name(ofAttribute: attribute)
                guard !NibPlanner.reserved.contains(name) else { continue }
                note(number, name, at: xml.offset(ofAttribute: attribute))
            }
        }
        for part in nib.graph.values where nib.graph.objects[part.object].role == .made {
            guard let name = xml.value("key", ofElement: part.element) else { continue }
            note(part.object, name, at: xml.offset(ofElement: part.element))
        }
    }

    private struct ClassAttribute: Hashable {
        let aClass: Int
        let name: String
    }

    // MARK: First Responder

    private func noteActionsToFirstResponder() {
        let actions = declared.actionNames
        for (part, name) in actionsToFirstResponder where !actions.contains(NibClassTable.actionName(name)) {
            note(
                .nibActionUnanswered,
                at: nib.xml.attribute("selector", ofElement: part.element).map(nib.xml.offset(ofAttribute:)),
                name, "No declared class has the action \(quoted(name)), which is sent to First Responder.",
                "Correct the selector, or declare the action in the class that answers it.")
        }
    }

    private var actionsToFirstResponder: [(NibGraph.Part, String)] {
        nib.graph.connections.compactMap { part in
            guard let target = target(ofAction: part), case .firstResponder = nib.resolved[target] else {
                return nil
            }
            return nib.xml.value("selector", ofElement: part.element).map { (part, $0) }
        }
    }

    private func target(ofAction part: NibGraph.Part) -> Int? {
        let xml = nib.xml
        guard xml.isElement(part.element, named: "action") else { return nil }
        let id =
            xml.attribute("target", ofElement: part.element) ?? xml.attribute("destination", ofElement: part.element)
        return id.flatMap(nib.graph.indices.number(of:))
    }

    // MARK: Outlets and actions that are never connected

    private func outlet(_ name: String, of table: NibClassTable) -> NibInspection.Member {
        NibInspection.Member(
            className: table.outlets[name].flatMap(declared.declarer) ?? table.name, name: name, isAction: false)
    }

    private func action(_ name: String, of table: NibClassTable) -> NibInspection.Member {
        NibInspection.Member(
            className: table.actions[name].flatMap(declared.declarer) ?? table.name, name: name, isAction: true)
    }

    /// Visits each class once, no matter how many classes inherit from it.
    private mutating func gatherMembers() {
        var visited: Set<String> = []
        var seen: Set<NibInspection.Member> = []
        for (number, object) in nib.graph.objects.enumerated() {
            var next = nib.table(ofObject: number)?.name
            while let name = next, visited.insert(name).inserted, let own = declared.declarations(of: name) {
                let offset = nib.xml.offset(ofElement: object.element)
                // Required outlets are left out: if they are not connected, that is an error.
                let outlets = own.outlets.filter { !$0.isRequired }.map { outlet in
                    NibInspection.Member(
                        className: declared.declarer(of: outlet) ?? name, name: outlet.name, isAction: false)
                }
                let actions = own.actions.map { action in
                    NibInspection.Member(
                        className: declared.declarer(of: action) ?? name,
                        name: NibClassTable.actionName(action.name), isAction: true)
                }
                for member in outlets + actions where seen.insert(member).inserted { members.append((member, offset)) }
                next = own.superclass
            }
        }
        // Sorted by line, and by name within a line.
        members.sort { ($0.offset, $0.member.name) < ($1.offset, $1.member.name) }
    }

    private mutating func gatherConnected() {
        let xml = nib.xml
        let actions = Dictionary(grouping: members.map(\.member).filter(\.isAction), by: \.name)
        var answered: Set<String> = []
        for object in nib.graph.objects {
            guard let parent = object.parent, let table = nib.table(ofObject: parent) else { continue }
            switch object.containment {
            case .outlet(let key): connected.insert(outlet(xml.value(ofAttribute: key), of: table))
            case .collection(let element): connected.insert(outlet(xml.name(ofElement: element), of: table))
            case .topLevel, .loose: break
            }
        }
        for reference in nib.graph.references {
            guard let table = nib.table(ofObject: reference.parent) else { continue }
            switch reference.containment {
            case .outlet(let key): connected.insert(outlet(xml.value(ofAttribute: key), of: table))
            case .collection(let element): connected.insert(outlet(xml.name(ofElement: element), of: table))
            case .topLevel, .loose: break
            }
        }
        for part in nib.graph.connections {
            if let name = xml.value("property", ofElement: part.element),
                let table = nib.table(ofObject: part.object)
            {
                connected.insert(outlet(name, of: table))
            }
            guard let target = target(ofAction: part), let name = xml.value("selector", ofElement: part.element)
            else { continue }
            let plain = NibClassTable.actionName(name)
            if let table = nib.table(ofObject: target) {
                connected.insert(action(plain, of: table))
            } else if case .firstResponder = nib.resolved[target], answered.insert(plain).inserted {
                // Every class that has the action may handle it.
                connected.formUnion(actions[plain, default: []])
            }
        }
    }
}
