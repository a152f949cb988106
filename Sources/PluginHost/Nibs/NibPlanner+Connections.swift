@_spi(PluginHost) internal import PluginABI
internal import PropertyLists

extension NibPlanner {
    // MARK: Contained objects

    /// What objects contain, by the outlets of those names; a collection is set once, whole.
    mutating func setContained() {
        var members: [Int: [String: [Int]]] = [:]
        for (number, object) in graph.objects.enumerated() {
            guard let parent = object.parent else { continue }
            switch object.containment {
            case .outlet(let name):
                connect(parent, outlet: name, to: number, at: xml.offset(ofElement: object.element), .containment)
            case .collection(let name): members[parent, default: [:]][name, default: []].append(number)
            case .topLevel, .loose: break
            }
        }
        for part in graph.collections {
            let name = xml.name(ofElement: part.element)
            // A collection that is there twice is one.
            guard let all = members[part.object]?.removeValue(forKey: name) else { continue }
            connect(
                part.object, collection: name, to: all,
                offsets: all.map { xml.offset(ofElement: graph.objects[$0].element) },
                at: xml.offset(ofElement: part.element), .containment)
        }
    }

    // MARK: Connections

    private struct Group: Hashable {
        let object: Int
        let name: String
    }

    mutating func connect() {
        /// Outlet collections and events are set once, in the place of their first connection.
        var order: [(isEvent: Bool, Group)] = []
        var collections: [Group: [(destination: Int, offset: Int)]] = [:]
        var events: [Group: [(action: NibPlan.Action, offset: Int)]] = [:]
        for part in graph.connections {
            let offset = xml.offset(ofElement: part.element)
            switch xml.name(ofElement: part.element) {
            case "outlet":
                guard let (name, destination) = named("property", part) else { continue }
                connect(
                    part.object, outlet: name, to: destination,
                    at: xml.attribute("property", ofElement: part.element).map(xml.offset(ofAttribute:)) ?? offset,
                    .connections)
            case "outletCollection":
                guard let (name, destination) = named("property", part) else { continue }
                let group = Group(object: part.object, name: name)
                if collections[group] == nil { order.append((false, group)) }
                collections[group, default: []].append((destination, offset))
            case "action":
                guard let (event, action) = action(part) else { continue }
                let group = Group(object: part.object, name: event)
                if events[group] == nil { order.append((true, group)) }
                events[group, default: []].append((action, offset))
            case let kind: connect(part, ofKind: kind, at: offset)
            }
        }
        for (isEvent, group) in order {
            if isEvent {
                setEvent(group.object, group.name, events[group] ?? [])
            } else {
                let all = collections[group] ?? []
                connect(
                    group.object, collection: group.name, to: all.map(\.destination), offsets: all.map(\.offset),
                    at: all.first?.offset ?? 0, .connections)
            }
        }
    }

    /// The name and destination of a connection; nil if it lacks one, which is noted.
    private mutating func named(_ attribute: StaticString, _ part: NibGraph.Part) -> (name: String, destination: Int)? {
        guard let name = xml.value(attribute, ofElement: part.element), !name.isEmpty else {
            add(
                .nibReferenceInvalid, at: xml.offset(ofElement: part.element),
                "The connection has no \(attribute).", "Remove it, or connect it again.")
            return nil
        }
        guard let destination = destination(of: part, "destination") else { return nil }
        return (name, destination)
    }

    /// The object that an attribute of a connection names by its id.
    private mutating func destination(of part: NibGraph.Part, _ name: StaticString) -> Int? {
        guard let attribute = xml.attribute(name, ofElement: part.element) else {
            add(
                .nibReferenceInvalid, at: xml.offset(ofElement: part.element), "The connection has no destination.",
                "Remove it, or connect it again.")
            return nil
        }
        let id = xml.value(ofAttribute: attribute)
        if let object = graph.indices[id] { return object }
        if graph.leftOut.contains(id) {
            add(
                .nibReferenceInvalid, at: xml.offset(ofAttribute: attribute), subject: id,
                "The connection leads to \(quoted(id)), whose element is left out.",
                "Remove the connection, or register a class for the element.")
        } else {
            let close = closestNames(to: id, among: graph.indices.keys)
            add(
                .nibReferenceInvalid, at: xml.offset(ofAttribute: attribute), subject: id,
                "The connection leads to \(quoted(id)), and no object has this id.",
                close.isEmpty
                    ? "Remove the connection, or connect it again."
                    : "There is \(quotedList(close, or: "")); connect it again.")
        }
        return nil
    }

    // MARK: Outlets

    private mutating func connect(
        _ source: Int, outlet name: String, to destination: Int, at offset: Int, _ phase: Phase
    ) {
        let isNews = noteOutlet(source, name, to: destination)
        guard let (slot, table) = slot(ofSource: source, at: offset) else { return }
        guard let outlet = table.outlets[name], !outlet.isCollection else {
            return addUndeclared(name, of: table, isCollection: false, at: offset)
        }
        guard isNews else {
            return add(
                .nibOutletInvalid, at: offset, subject: name,
                "The outlet \(quoted(name)) of \(quoted(table.name)) is connected twice.",
                "Remove one of the connections.")
        }
        guard let (target, conversion) = accepted(destination, by: outlet, of: table, at: offset) else { return }
        switch outlet.connect {
        case .one(let set): append(.outlet(slot, target, set), phase, source: source)
        case .converting(let bind):
            if let conversion { append(.outlet(slot, target, bind(conversion)), phase, source: source) }
        case .all, .convertingAll: break
        }
    }

    private mutating func connect(
        _ source: Int, collection name: String, to destinations: [Int], offsets: [Int], at offset: Int, _ phase: Phase
    ) {
        guard let (slot, table) = slot(ofSource: source, at: offset) else { return }
        guard let outlet = table.outlets[name], outlet.isCollection else {
            return addUndeclared(name, of: table, isCollection: true, at: offset)
        }
        var targets: [NibPlan.Slot] = []
        var conversions: [AnyNibConversion] = []
        for (destination, offset) in zip(destinations, offsets) {
            guard let (target, conversion) = accepted(destination, by: outlet, of: table, at: offset) else { continue }
            targets.append(target)
            if let conversion { conversions.append(conversion) }
        }
        guard targets.count == destinations.count else { return }
        switch outlet.connect {
        case .all(let set): append(.outlets(slot, targets, set), phase, source: source)
        case .convertingAll(let bind): append(.outlets(slot, targets, bind(conversions)), phase, source: source)
        case .one, .converting: break
        }
    }

    /// The slot and declarations of the source of a connection; nil if there is none.
    private mutating func slot(ofSource object: Int, at offset: Int) -> (NibPlan.Slot, NibClassTable)? {
        switch resolved[object] {
        case .object(let slot, let table, _): return (slot, table)
        case .absent: addAbsent(object, at: offset)
        case .firstResponder:
            add(
                .nibReferenceInvalid, at: offset, "First Responder has a connection; it is only ever a destination.",
                "Remove the connection.")
        case .unknown: break
        }
        return nil
    }

    private mutating func addUndeclared(_ name: String, of table: NibClassTable, isCollection: Bool, at offset: Int) {
        let what = isCollection ? "outlet collection" : "outlet"
        let names = table.outlets.values.filter { $0.isCollection == isCollection }.map(\.name)
        let other =
            table.outlets[name] == nil
            ? "" : ", but \(isCollection ? "an outlet" : "an outlet collection") of that name"
        add(
            .nibOutletInvalid, at: offset, subject: name,
            "\(quoted(table.name)) has no \(what) \(quoted(name))\(other).",
            "It has \(quotedList(names, or: "none")); correct the property, or declare the \(what) in \(table.name).nibInterface."
        )
    }

    /// The slot of a destination, and its conversion if the outlet takes an interface; nil if the outlet does not take it.
    private mutating func accepted(
        _ destination: Int, by outlet: NibOutlet, of table: NibClassTable, at offset: Int
    ) -> (NibPlan.Slot, AnyNibConversion?)? {
        switch resolved[destination] {
        case .unknown: return nil
        case .absent:
            addAbsent(destination, at: offset)
            return nil
        case .firstResponder:
            add(
                .nibOutletInvalid, at: offset, subject: outlet.name,
                "The outlet \(quoted(outlet.name)) of \(quoted(table.name)) leads to First Responder, which is no object.",
                "Connect an action, or another object.")
            return nil
        case .object(let slot, let found, let type):
            switch outlet.target {
            case .anyObject: return (slot, nil)
            case .aClass(_, let accepts): if accepts(type) { return (slot, nil) }
            case .named(let name): if found.name == name { return (slot, nil) }
            case .anInterface(_, let identity):
                if let conversion = found.interfaces[identity] { return (slot, conversion) }
            }
            let className = Self.name(of: type, found)
            let isInterface = if case .anInterface = outlet.target { true } else { false }
            add(
                .nibOutletInvalid, at: offset, subject: outlet.name,
                related: xml.offset(ofElement: graph.objects[destination].element),
                "The \(outlet.isCollection ? "outlet collection" : "outlet") \(quoted(outlet.name)) of \(quoted(table.name)) takes "
                    + "\(isInterface ? "what serves" : "a") \(quoted(outlet.target.name ?? "")); \(shown(destination)) (\(NibFinding.line)) is a \(quoted(className)).",
                isInterface
                    ? "Connect another object, or let \(quoted(className)) serve the interface."
                    : "Connect another object, or declare the outlet for \(quoted(className)).")
            return nil
        }
    }

    // MARK: Actions

    /// The event and the action of a connection.
    private mutating func action(_ part: NibGraph.Part) -> (event: String, action: NibPlan.Action)? {
        let element = part.element
        let offset = xml.offset(ofElement: element)
        guard let selector = xml.value("selector", ofElement: element), !selector.isEmpty, selector != ":" else {
            add(.nibReferenceInvalid, at: offset, "The action has no selector.", "Remove it, or connect it again.")
            return nil
        }
        let isTarget = xml.attribute("target", ofElement: element) != nil
        guard let destination = destination(of: part, isTarget ? "target" : "destination"),
            slot(ofSource: part.object, at: offset) != nil
        else { return nil }
        let event = xml.value("eventType", ofElement: element) ?? xml.value("trigger", ofElement: element) ?? ""
        switch resolved[destination] {
        case .unknown: return nil
        case .absent:
            addAbsent(destination, at: offset)
            return nil
        case .firstResponder: return (event, NibPlan.Action(name: selector, target: nil))
        case .object(let slot, let table, _):
            let place = xml.attribute("selector", ofElement: element).map(xml.offset(ofAttribute:)) ?? offset
            guard let action = table.actions[NibClassTable.actionName(selector)] else {
                add(
                    .nibActionInvalid, at: place, subject: selector,
                    "\(quoted(table.name)) has no action \(quoted(selector)).",
                    "It has \(quotedList(table.actions.values.map(\.name), or: "none")); correct the selector, or declare the action in \(table.name).nibInterface."
                )
                return nil
            }
            guard checkSender(part.object, of: action, table, at: place) else { return nil }
            return (event, NibPlan.Action(name: selector, target: (slot, action)))
        }
    }

    private mutating func checkSender(
        _ sender: Int, of action: NibActionSlot, _ table: NibClassTable, at offset: Int
    ) -> Bool {
        guard case .object(_, let found, let type) = resolved[sender] else { return true }
        let fits =
            switch action.sender {
            case .aClass(_, let accepts): accepts(type)
            case .named(let name): found.name == name
            case .anyObject, .anInterface: true
            }
        if fits { return true }
        let className = Self.name(of: type, found)
        add(
            .nibActionInvalid, at: offset, subject: action.name,
            "The action \(quoted(action.name)) of \(quoted(table.name)) takes a \(quoted(action.sender.name ?? "")) as its "
                + "sender; \(shown(sender)) is a \(quoted(className)).",
            "Connect another object, or declare the action for \(quoted(className)).")
        return false
    }

    /// A class as it stands in a message.
    private static func name(of type: any NibObject.Type, _ table: NibClassTable) -> String {
        type == NibForeignObject.self ? table.name : "\(type)"
    }

    private mutating func setEvent(_ source: Int, _ name: String, _ actions: [(action: NibPlan.Action, offset: Int)]) {
        guard case .object(let slot, let table, _) = resolved[source], let first = actions.first else { return }
        guard let event = table.events[name] else {
            let what = name.isEmpty ? "no event for actions without a name" : "no event \(quoted(name))"
            return add(
                .nibActionInvalid, at: first.offset, subject: name, "\(quoted(table.name)) has \(what).",
                "It has \(quotedList(table.events.keys, or: "none")); correct the event, or declare it in \(table.name).nibInterface."
            )
        }
        if !event.isMany, actions.count > 1 {
            return add(
                .nibActionInvalid, at: actions[1].offset, subject: name,
                "The event \(quoted(name)) of \(quoted(table.name)) sends one action, and \(actions.count) are connected.",
                "Remove the others, or declare the event with events(_:_:).")
        }
        append(.event(slot, actions.map(\.action), event.set), .connections, source: source)
    }

    // MARK: Other kinds

    private mutating func connect(_ part: NibGraph.Part, ofKind kind: String, at offset: Int) {
        guard connectors.contains(kind) else {
            return add(
                .nibUnsupported, at: offset, subject: kind,
                "The connection is of the kind <\(kind)>, which nobody establishes.",
                "Remove it, or give NibOptions.connectors[\(quoted(kind))].")
        }
        guard let (slot, _) = slot(ofSource: part.object, at: offset) else { return }
        var destination: NibPlan.Slot?
        if xml.attribute("destination", ofElement: part.element) != nil {
            guard let object = self.destination(of: part, "destination") else { return }
            switch resolved[object] {
            case .object(let slot, _, _): destination = slot
            case .absent: return addAbsent(object, at: offset)
            case .firstResponder: break
            case .unknown: return
            }
        }
        var attributes: [String: String] = [:]
        for attribute in xml.attributes(ofElement: part.element) {
            attributes[xml.name(ofAttribute: attribute)] = xml.value(ofAttribute: attribute)
        }
        append(.connector(slot, kind: kind, destination, attributes), .connectors, source: part.object)
    }
}
