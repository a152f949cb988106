@_spi(PluginHost) internal import PluginABI
internal import PropertyLists

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
    /// A nib has an attribute that its class does not declare, and that is passed over.
    ///
    /// A note of the linter.
    @_spi(Tools) public static let nibAttributeUndeclared = Self(rawValue: "nibAttributeUndeclared")
    /// A nib has so many objects that it should be divided.
    ///
    /// A note of the linter.
    @_spi(Tools) public static let nibLarge = Self(rawValue: "nibLarge")
}

/// What is not wrong with a nib but worth a look, for the linter.
struct NibNotes {
    private(set) var notes: [NibFinding] = []
    /// The declared outlets and actions of the objects' classes, each with the note for one that nobody connects.
    private(set) var members: [NibInspection.Member: NibFinding] = [:]
    private(set) var connected: Set<NibInspection.Member> = []

    private let planner: NibPlanner
    private let declared: DeclaredNibClasses
    /// Objects above which a nib should be divided.
    private static let mostObjects = 500

    /// - Parameters:
    ///   - planner: one that has checked its document.
    ///   - declared: the classes that it was checked against.
    init(_ planner: NibPlanner, declared: DeclaredNibClasses) {
        self.planner = planner
        self.declared = declared
        noteSize()
        guard planner.mode == .declarations else { return }
        noteAttributes()
        noteActionsToFirstResponder()
        gatherMembers()
        gatherConnected()
    }

    private mutating func note(
        _ code: PluginError.Code, at offset: Int?, _ subject: String, _ message: String, _ remedy: String
    ) {
        notes.append(
            NibFinding(
                severity: .warning, code: code, offset: offset, subject: subject, message: message, remedy: remedy))
    }

    private mutating func noteSize() {
        let count = planner.graph.objects.count { $0.role == .made }
        guard count > Self.mostObjects else { return }
        note(
            .nibLarge, at: planner.graph.objects.first.map { planner.xml.offset(ofElement: $0.element) }, "\(count)",
            "The nib has \(count) objects, which are all made at once.",
            "Divide it into nibs that are instantiated when their objects are needed.")
    }

    // MARK: Attributes

    private mutating func noteAttributes() {
        let xml = planner.xml
        var noted: Set<String> = []
        func isNews(_ table: NibClassTable, _ name: String) -> Bool {
            table.attributes[name] == nil && noted.insert("\(table.name)\0\(name)").inserted
        }
        var found: [(NibClassTable, name: String, offset: Int)] = []
        for (number, object) in planner.graph.objects.enumerated() where object.role == .made {
            guard let table = planner.table(ofObject: number) else { continue }
            for attribute in xml.attributes(ofElement: object.element) {
                let name = xml.name(ofAttribute: attribute)
                guard !NibPlanner.reserved.contains(name), isNews(table, name) else { continue }
                found.append((table, name, xml.offset(ofAttribute: attribute)))
            }
        }
        for part in planner.graph.values where planner.graph.objects[part.object].role == .made {
            guard let table = planner.table(ofObject: part.object),
                let name = xml.value("key", ofElement: part.element),
                isNews(table, name)
            else { continue }
            found.append((table, name, xml.offset(ofElement: part.element)))
        }
        for (table, name, offset) in found {
            note(
                .nibAttributeUndeclared, at: offset, name,
                "\(quoted(table.name)) declares no attribute \(quoted(name)), so it is passed over.",
                "Remove it, or declare it in \(table.name).nibInterface.")
        }
    }

    // MARK: First Responder

    private mutating func noteActionsToFirstResponder() {
        let actions = Set(declared.scope.levels.flatMap(\.members).flatMap { $0.aClass.table.actions.keys })
        for (part, name) in actionsToFirstResponder where !actions.contains(NibClassTable.actionName(name)) {
            note(
                .nibActionUnanswered,
                at: planner.xml.attribute("selector", ofElement: part.element).map(planner.xml.offset(ofAttribute:)),
                name, "No declared class has the action \(quoted(name)), which is sent to First Responder.",
                "Correct the selector, or declare the action in the class that answers it.")
        }
    }

    private var actionsToFirstResponder: [(NibGraph.Part, String)] {
        planner.graph.connections.compactMap { part in
            guard let target = target(ofAction: part), case .firstResponder = planner.resolved[target] else {
                return nil
            }
            return planner.xml.value("selector", ofElement: part.element).map { (part, $0) }
        }
    }

    private func target(ofAction part: NibGraph.Part) -> Int? {
        let xml = planner.xml
        guard xml.isElement(part.element, named: "action") else { return nil }
        let id =
            xml.attribute("target", ofElement: part.element) ?? xml.attribute("destination", ofElement: part.element)
        return id.flatMap(planner.graph.indices.number(of:))
    }

    // MARK: What is never connected

    private func outlet(_ name: String, of table: NibClassTable) -> NibInspection.Member {
        let isCollection = table.outlets[name]?.isCollection ?? false
        return NibInspection.Member(
            className: declared.declarer(of: name, in: table.name, isCollection ? \.collections : \.outlets),
            name: name, isAction: false)
    }

    private func action(_ name: String, of table: NibClassTable) -> NibInspection.Member {
        // A list may have the name with its colon.
        let written = table.actions[name]?.name ?? name
        return NibInspection.Member(
            className: declared.declarer(of: written, in: table.name, \.actions), name: name, isAction: true)
    }

    private mutating func gatherMembers() {
        var seen: Set<String> = []
        for (number, object) in planner.graph.objects.enumerated() {
            guard let table = planner.table(ofObject: number), seen.insert(table.name).inserted else { continue }
            let offset = planner.xml.offset(ofElement: object.element)
            // A required outlet that is not connected is an error.
            for name in table.outlets.values.filter({ !$0.isRequired }).map(\.name) {
                let member = outlet(name, of: table)
                guard members[member] == nil else { continue }
                members[member] = NibFinding(
                    severity: .warning, code: .nibOutletUnused, offset: offset, subject: name,
                    message: "\(quoted(member.className)) declares the outlet \(quoted(name)), and no nib connects it.",
                    remedy: "Connect it, or remove it from the class.")
            }
            for name in table.actions.keys {
                let member = action(name, of: table)
                guard members[member] == nil else { continue }
                members[member] = NibFinding(
                    severity: .warning, code: .nibActionUnused, offset: offset, subject: name,
                    message: "\(quoted(member.className)) declares the action \(quoted(name)), and no nib connects it.",
                    remedy: "Connect it, or remove it from the class.")
            }
        }
    }

    private mutating func gatherConnected() {
        let xml = planner.xml
        for object in planner.graph.objects {
            guard let parent = object.parent, let table = planner.table(ofObject: parent) else { continue }
            switch object.containment {
            case .outlet(let key): connected.insert(outlet(xml.value(ofAttribute: key), of: table))
            case .collection(let element): connected.insert(outlet(xml.name(ofElement: element), of: table))
            case .topLevel, .loose: break
            }
        }
        for reference in planner.graph.references {
            guard let table = planner.table(ofObject: reference.parent) else { continue }
            switch reference.containment {
            case .outlet(let key): connected.insert(outlet(xml.value(ofAttribute: key), of: table))
            case .collection(let element): connected.insert(outlet(xml.name(ofElement: element), of: table))
            case .topLevel, .loose: break
            }
        }
        for part in planner.graph.connections {
            if let name = xml.value("property", ofElement: part.element),
                let table = planner.table(ofObject: part.object)
            {
                connected.insert(outlet(name, of: table))
            }
            guard let target = target(ofAction: part), let name = xml.value("selector", ofElement: part.element)
            else { continue }
            let plain = NibClassTable.actionName(name)
            if let table = planner.table(ofObject: target) {
                connected.insert(action(plain, of: table))
            } else if case .firstResponder = planner.resolved[target] {
                // Whoever has it may answer.
                for member in members.keys where member.isAction && member.name == plain { connected.insert(member) }
            }
        }
    }
}
