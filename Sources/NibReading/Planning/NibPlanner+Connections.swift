import HostBasics
@_spi(PluginHost) internal import PluginABI
internal import PropertyLists

// Some functions take the document as a parameter, so that it is not retained and released for each connection.
extension NibPlanner {
    // MARK: Contained objects

    /// Connects contained objects to the outlets named by their keys.
    ///
    /// Collections are only collected here; see ``ContainedCollection``.
    mutating func setContained() {
        let xml = xml
        var members: [Int: [String: [(object: Int, offset: Int)]]] = [:]
        func add(_ number: Int, _ place: Int, to element: Int, of parent: Int) {
            members[parent, default: [:]][xml.name(ofElement: element), default: []].append((number, place))
        }
        for number in graph.objects.indices {
            guard let parent = graph.objects[number].parent else { continue }
            let object = graph.objects[number]
            switch object.containment {
            case .outlet(let key):
                connect(
                    parent, outlet(ofProperty: key, of: parent, xml), to: number,
                    at: xml.offset(ofElement: object.element),
                    .containment)
            case .collection(let element):
                add(number, xml.offset(ofElement: object.element), to: element, of: parent)
            case .topLevel, .loose: break
            }
        }
        for reference in graph.references {
            let offset = xml.offset(ofElement: reference.element)
            guard let number = destination(of: reference.element, reference.attribute, xml) else { continue }
            switch reference.containment {
            case .outlet(let key):
                connect(
                    reference.parent, outlet(ofProperty: key, of: reference.parent, xml), to: number, at: offset,
                    .containment)
            case .collection(let element): add(number, offset, to: element, of: reference.parent)
            case .topLevel, .loose: break
            }
        }
        for part in graph.collections {
            let name = xml.name(ofElement: part.element)
            // Two collections with the same name count as one.
            guard let all = members[part.object]?.removeValue(forKey: name) else { continue }
            let offset = xml.offset(ofElement: part.element)
            guard let (_, aClass) = slot(ofSource: part.object, at: offset) else { continue }
            guard let outlet = classes[aClass].table.outlets[name], outlet.isCollection else {
                addUndeclared(name, of: classes[aClass].table, isCollection: true, at: offset)
                continue
            }
            contained.append(
                ContainedCollection(
                    object: part.object, outlet: KnownOutlet(name: name, outlet: outlet, setter: nil), members: all))
        }
    }

    /// Sets each collection of contained objects once, with all its members.
    private mutating func setContainedCollections() {
        for collection in contained {
            // Members from references and outlet collections were appended at the end, so restore the order of the
            // document.
            let members = collection.members.sorted { $0.offset < $1.offset }
            connect(
                collection.object, collection.outlet, to: members.map(\.object), offsets: members.map(\.offset),
                .containment)
        }
    }

    /// Adds the objects of an outlet collection to the contained objects of the same name; returns whether there are
    /// any.
    ///
    /// `numbers`: indices in ``contained``, by object and name; built when first needed.
    private mutating func addToContained(
        _ object: Int, _ outlet: KnownOutlet, _ members: [(object: Int, offset: Int)],
        _ numbers: inout [OutletKey: Int]?
    ) -> Bool {
        if contained.isEmpty { return false }
        let known =
            numbers
            ?? Dictionary(
                contained.enumerated().map { (OutletKey(object: $1.object, name: $1.outlet.name), $0) },
                uniquingKeysWith: { first, _ in first })
        numbers = known
        guard let number = known[OutletKey(object: object, name: outlet.name)] else { return false }
        contained[number].members += members
        return true
    }

    // MARK: Connections

    /// The connections of an outlet collection or an event.
    ///
    /// It is set once, after all outlets.
    private struct Group {
        enum Kind {
            case collection, event
        }

        let object: Int
        let kind: Kind
        /// The attribute that names the collection or event; nil for the event of actions that name no event.
        let name: Int?
        /// The previous group of the same object.
        let previous: Int?
        /// The number of earlier groups of the same object.
        let place: Int
        /// The indices of its first and last connection.
        let first: Int
        var last: Int
    }

    /// The groups in the order of their first connections.
    ///
    /// Groups refer to connections by index. Most groups have one connection, and an array for each would be copied
    /// more often than it is used.
    private struct Groups {
        private(set) var all: [Group] = []
        /// The last group of each object.
        ///
        /// Most objects have few groups, which are compared one by one.
        private var last: [Int?]
        /// The groups of objects that have at least ``NibPlanner/mostCompared`` groups.
        private var named: [Key: Int] = [:]
        /// The next connection of the same group, by the connection's index.
        private var next: [Int?]

        init(objects: Int, connections: Int) {
            last = Array(repeating: nil, count: objects)
            next = Array(repeating: nil, count: connections)
            all.reserveCapacity(connections)
        }

        private struct Key: Hashable {
            let object: Int
            let kind: Group.Kind
            let name: String
        }

        mutating func append(_ connection: Int, _ kind: Group.Kind, _ name: Int?, of object: Int, _ xml: XMLDocument) {
            let place = last[object].map { all[$0].place + 1 } ?? 0
            let isNamed = place >= NibPlanner.mostCompared
            func key(_ name: Int?) -> Key {
                Key(object: object, kind: kind, name: name.map(xml.value(ofAttribute:)) ?? "")
            }
            if let known = isNamed ? named[key(name)] : group(kind, name, of: object, xml) {
                next[all[known].last] = connection
                all[known].last = connection
                return
            }
            all.append(
                Group(
                    object: object, kind: kind, name: name, previous: last[object], place: place, first: connection,
                    last: connection))
            last[object] = all.count - 1
            if place + 1 == NibPlanner.mostCompared {
                var added = last[object]
                while let number = added {
                    let name = all[number].name.map(xml.value(ofAttribute:)) ?? ""
                    named[Key(object: object, kind: all[number].kind, name: name)] = number
                    added = all[number].previous
                }
            } else if isNamed {
                named[key(name)] = all.count - 1
            }
        }

        private func group(_ kind: Group.Kind, _ name: Int?, of object: Int, _ xml: XMLDocument) -> Int? {
            var group = last[object]
            while let number = group {
                if all[number].kind == kind, xml.haveEqualValues(all[number].name, name) { return number }
                group = all[number].previous
            }
            return nil
        }

        /// The indices of a group's connections.
        func connections(of group: Group) -> Connections { Connections(numbers: next, following: group.first) }
    }

    private struct Connections: Sequence, IteratorProtocol {
        let numbers: [Int?]
        var following: Int?

        mutating func next() -> Int? {
            defer { following = following.flatMap { numbers[$0] } }
            return following
        }
    }

    mutating func connect() {
        let xml = xml
        var groups = Groups(objects: graph.objects.count, connections: graph.connections.count)
        for (number, part) in graph.connections.enumerated() {
            let element = part.element
            if xml.isElement(element, named: words.outlet) {
                guard let (property, destination) = ends(of: part, xml) else { continue }
                connect(
                    part.object, outlet(ofProperty: property, of: part.object, xml), to: destination,
                    at: xml.offset(ofAttribute: property), .connections)
            } else if xml.isElement(element, named: words.action) {
                let name =
                    xml.attribute(words.eventType, ofElement: element)
                    ?? xml.attribute(words.trigger, ofElement: element)
                groups.append(number, .event, name, of: part.object, xml)
            } else if xml.isElement(element, named: words.outletCollection) {
                let name = xml.attribute(words.property, ofElement: element)
                groups.append(number, .collection, name, of: part.object, xml)
            } else {
                connect(part, ofKind: xml.name(ofElement: element), at: xml.offset(ofElement: element))
            }
        }
        var numbers: [OutletKey: Int]?
        for group in groups.all {
            switch group.kind {
            case .event: connectEvent(group, groups.connections(of: group), xml)
            case .collection: connectCollection(group, groups.connections(of: group), xml, contained: &numbers)
            }
        }
        setContainedCollections()
    }

    /// Sets an event to the actions of its connections.
    private mutating func connectEvent(_ group: Group, _ connections: Connections, _ xml: XMLDocument) {
        /// Most events have one action; for them no array is allocated.
        var first: NibPlan.Action?
        var others: [(action: NibPlan.Action, offset: Int)] = []
        let known = event(group, xml)
        for number in connections {
            let part = graph.connections[number]
            guard let action = action(part, xml) else { continue }
            let offset = xml.offset(ofElement: part.element)
            guard known != nil else {
                addMissingEvent(group, at: offset)
                continue
            }
            if first == nil { first = action } else { others.append((action, offset)) }
        }
        guard let first, let known, case .object(let slot, let aClass) = resolved[group.object] else { return }
        if let setter = known.setter {
            if let second = others.first {
                return add(
                    .nibActionInvalid, at: second.offset, subject: known.event.name,
                    "The event \(quoted(known.event.name)) of \(quoted(classes[aClass].table.name)) sends one action, and \(others.count + 1) are connected.",
                    "Remove the others, or declare the event with events(_:_:).")
            }
            append(.event(slot, first, setter: setter), .connections, source: group.object)
        } else if case .many(let set) = known.event.connect {
            append(.events(slot, [first] + others.map(\.action), set), .connections, source: group.object)
        }
    }

    private func addMissingEvent(_ group: Group, at offset: Int) {
        guard case .object(_, let aClass) = resolved[group.object] else { return }
        let name = group.name.map(xml.value(ofAttribute:)) ?? ""
        let table = classes[aClass].table
        func what() -> String { name.isEmpty ? "no event for actions without a name" : "no event \(quoted(name))" }
        add(
            .nibActionInvalid, at: offset, subject: name, "\(quoted(table.name)) has \(what()).",
            "It has \(quotedList(table.events.keys, or: "none")); correct the event, or declare it in \(displayed(table.name)).nibInterface."
        )
    }

    /// The event of the class for the group's name; nil if the class has no such event, or is not known.
    private mutating func event(_ group: Group, _ xml: XMLDocument) -> KnownEvent? {
        guard case .object(_, let aClass) = resolved[group.object] else { return nil }
        if let known = classes[aClass].events.found({ xml.haveEqualValues($0, group.name) }) { return known }
        guard let event = classes[aClass].table.events[group.name.map(xml.value(ofAttribute:)) ?? ""] else {
            return nil
        }
        var setter: Int?
        if case .one(let set) = event.connect { setter = functions.events.append(NibPlan.EventSetter(set)) }
        let known = KnownEvent(event: event, setter: setter)
        classes[aClass].events.note(known, for: group.name)
        return known
    }

    /// Sets an outlet collection to the objects of its connections.
    private mutating func connectCollection(
        _ group: Group, _ connections: Connections, _ xml: XMLDocument, contained numbers: inout [OutletKey: Int]?
    ) {
        var collection: KnownOutlet?
        var members: [(object: Int, offset: Int)] = []
        for number in connections {
            let part = graph.connections[number]
            guard let (property, destination) = ends(of: part, xml) else { continue }
            let offset = xml.offset(ofElement: part.element)
            let known = outlet(ofProperty: property, of: group.object, xml)
            guard let (_, aClass) = slot(ofSource: group.object, at: offset) else { continue }
            guard known.isCollection else {
                addUndeclared(known.name, of: classes[aClass].table, isCollection: true, at: offset)
                continue
            }
            collection = known
            members.append((destination, offset))
        }
        guard let collection, !addToContained(group.object, collection, members, &numbers) else { return }
        connect(
            group.object, collection, to: members.map(\.object), offsets: members.map(\.offset), .connections)
    }

    /// The attribute that names the outlet of a connection, and the connection's destination.
    ///
    /// Nil if either is missing; that is reported.
    private mutating func ends(of part: NibGraph.Part, _ xml: XMLDocument) -> (property: Int, destination: Int)? {
        guard let property = xml.attribute(words.property, ofElement: part.element), !xml.isEmpty(valueOf: property)
        else {
            add(
                .nibReferenceInvalid, at: xml.offset(ofElement: part.element),
                "The connection has no property.", "Remove it, or connect it again.")
            return nil
        }
        guard
            let destination = destination(
                of: part.element, xml.attribute(words.destination, ofElement: part.element), xml)
        else {
            return nil
        }
        return (property, destination)
    }

    /// The object whose id an attribute of a connection or reference contains; nil if there is none, which is reported.
    private mutating func destination(of element: Int, _ attribute: Int?, _ xml: XMLDocument) -> Int? {
        guard let attribute else {
            add(
                .nibReferenceInvalid, at: xml.offset(ofElement: element), "The connection has no destination.",
                "Remove it, or connect it again.")
            return nil
        }
        if let object = graph.indices.number(of: attribute) { return object }
        let id = xml.value(ofAttribute: attribute)
        let what = xml.numberedName(ofAttribute: attribute) == words.reference ? "reference" : "connection"
        if graph.leftOut.contains(id) {
            add(
                .nibReferenceInvalid, at: xml.offset(ofAttribute: attribute), subject: id,
                "The \(what) leads to \(quoted(id)), whose element is left out.",
                "Remove the connection, or register a class for the element.")
        } else {
            add(
                .nibReferenceInvalid, at: xml.offset(ofAttribute: attribute), subject: id,
                "The \(what) leads to \(quoted(id)), and no object has this id.", remedy(ofMissingID: id))
        }
        return nil
    }

    private func remedy(ofMissingID id: String) -> String {
        let close = findings.suggestions.names(near: id, among: graph.indices.values)
        return close.isEmpty
            ? "Remove the connection, or connect it again." : "There is \(quotedList(close, or: "")); connect it again."
    }

    // MARK: Outlets

    /// The outlet of an object's class with the name in an attribute's value.
    private mutating func outlet(ofProperty attribute: Int, of object: Int, _ xml: XMLDocument) -> KnownOutlet {
        guard case .object(_, let aClass) = resolved[object] else {
            return KnownOutlet(name: xml.value(ofAttribute: attribute), outlet: nil, setter: nil)
        }
        if let known = classes[aClass].outlets.found({ xml.areSameValues($0, attribute) }) { return known }
        let name = xml.value(ofAttribute: attribute)
        let outlet = classes[aClass].table.outlets[name]
        var setter: Int?
        if case .one(let set)? = outlet?.connect { setter = functions.outlets.append(NibPlan.OutletSetter(set)) }
        let known = KnownOutlet(name: name, outlet: outlet, setter: setter)
        classes[aClass].outlets.note(known, for: attribute)
        return known
    }

    private mutating func connect(
        _ source: Int, _ known: KnownOutlet, to destination: Int, at offset: Int, _ phase: Phase
    ) {
        let isNews =
            if let outlet = known.identity {
                noteOutlet(source, outlet, to: destination)
            } else {
                noteUndeclared(source, known.name, to: destination)
            }
        if case .unknown = resolved[source] {
            return checkUnknown(source, known.name, destination, isNews, at: offset)
        }
        guard let (slot, aClass) = slot(ofSource: source, at: offset) else { return }
        guard known.identity != nil, !known.isCollection else {
            return addUndeclared(known.name, of: classes[aClass].table, isCollection: false, at: offset)
        }
        guard isNews else {
            return add(
                .nibOutletInvalid, at: offset, subject: known.name,
                "The outlet \(quoted(known.name)) of \(quoted(classes[aClass].table.name)) is connected twice.",
                "Remove one of the connections.")
        }
        guard let (target, conversion) = accepted(destination, by: known, of: aClass, at: offset) else { return }
        if let setter = known.setter {
            append(.outlet(slot, target, setter: setter), phase, source: source)
        } else if let conversion, case .converting(let bind)? = known.outlet?.connect {
            let setter = functions.outlets.append(NibPlan.OutletSetter(bind(conversion)))
            append(.outlet(slot, target, setter: setter), phase, source: source)
        }
    }

    /// Checks for faults of an outlet that do not depend on the class of its object.
    private func checkUnknown(
        _ source: Int, _ name: String, _ destination: Int, _ isNews: Bool, at offset: Int
    ) {
        if !isNews {
            add(
                .nibOutletInvalid, at: offset, subject: name,
                "The outlet \(quoted(name)) of \(shown(source)) is connected twice.", "Remove one of the connections.")
        } else if case .firstResponder = resolved[destination] {
            add(
                .nibOutletInvalid, at: offset, subject: name,
                "The outlet \(quoted(name)) of \(shown(source)) leads to First Responder, which is no object.",
                "Connect an action, or another object.")
        }
    }

    private mutating func connect(
        _ source: Int, _ known: KnownOutlet, to destinations: [Int], offsets: [Int], _ phase: Phase
    ) {
        guard case .object(let slot, let aClass) = resolved[source] else { return }
        var targets: [NibPlan.Slot] = []
        var conversions: [AnyNibConversion] = []
        for (destination, offset) in zip(destinations, offsets) {
            guard let (target, conversion) = accepted(destination, by: known, of: aClass, at: offset) else { continue }
            targets.append(target)
            if let conversion { conversions.append(conversion) }
        }
        guard targets.count == destinations.count else { return }
        switch known.outlet?.connect {
        case .all(let set)?: append(.outlets(slot, targets, set), phase, source: source)
        case .convertingAll(let bind)?: append(.outlets(slot, targets, bind(conversions)), phase, source: source)
        case .one?, .converting?, nil: break
        }
    }

    /// The slot and class of the source of a connection; nil if the source cannot have connections.
    private mutating func slot(ofSource object: Int, at offset: Int) -> (NibPlan.Slot, aClass: Int)? {
        switch resolved[object] {
        case .object(let slot, let aClass): return (slot, aClass)
        case .absent: addAbsent(object, at: offset)
        case .firstResponder:
            add(
                .nibReferenceInvalid, at: offset, "First Responder has a connection; it is only ever a destination.",
                "Remove the connection.")
        case .unknown: break
        }
        return nil
    }

    private func addUndeclared(_ name: String, of table: NibClassTable, isCollection: Bool, at offset: Int) {
        let what = isCollection ? "outlet collection" : "outlet"
        func names() -> [String] { table.outlets.values.filter { $0.isCollection == isCollection }.map(\.name) }
        let other =
            table.outlets[name] == nil
            ? "" : ", but \(isCollection ? "an outlet" : "an outlet collection") of that name"
        add(
            .nibOutletInvalid, at: offset, subject: name,
            "\(quoted(table.name)) has no \(what) \(quoted(name))\(other).",
            "It has \(quotedList(names(), or: "none")); correct the property, or declare the \(what) in \(displayed(table.name)).nibInterface."
        )
    }

    /// The slot of a destination, and its conversion if the outlet takes an interface; nil if the outlet does not
    /// accept it.
    private mutating func accepted(
        _ destination: Int, by known: KnownOutlet, of aClass: Int, at offset: Int
    ) -> (NibPlan.Slot, AnyNibConversion?)? {
        switch resolved[destination] {
        case .unknown: return nil
        case .absent:
            addAbsent(destination, at: offset)
            return nil
        case .firstResponder:
            add(
                .nibOutletInvalid, at: offset, subject: known.name,
                "The outlet \(quoted(known.name)) of \(quoted(classes[aClass].table.name)) leads to First Responder, which is no object.",
                "Connect an action, or another object.")
            return nil
        case .object(let slot, let found):
            // Why cached: neighbouring connections mostly have objects of the same classes, and testing for
            // superclasses is slow.
            if let last = lastAccepted, last.outlet == known.identity, last.aClass == found { return (slot, nil) }
            guard let outlet = known.outlet else { return nil }
            let (table, type) = (classes[found].table, classes[found].type)
            if case .anInterface(_, let identity) = outlet.target, let conversion = table.interfaces[identity] {
                return (slot, conversion)
            }
            let fits =
                switch outlet.target {
                case .anyObject: true
                case .aClass(_, let accepts): accepts(type)
                case .named(let name): table.kinds.contains(name)
                // The outlet's closure assumes an object of this type, and does not check it.
                case .foreign(let name): type == NibForeignObject.self && table.kinds.contains(name)
                case .anInterface: false
                }
            if fits {
                lastAccepted = (ObjectIdentifier(outlet), found)
                return (slot, nil)
            }
            let className = Self.name(of: type, table)
            let isInterface = if case .anInterface = outlet.target { true } else { false }
            add(
                .nibOutletInvalid, at: offset, subject: known.name,
                related: xml.offset(ofElement: graph.objects[destination].element),
                "The \(known.isCollection ? "outlet collection" : "outlet") \(quoted(known.name)) of \(quoted(classes[aClass].table.name)) takes "
                    + "\(isInterface ? "what serves" : "a") \(quoted(outlet.target.name ?? "")); \(shown(destination)) (\(NibFinding.line)) is a \(quoted(className)).",
                isInterface
                    ? "Connect another object, or let \(quoted(className)) serve the interface."
                    : "Connect another object, or declare the outlet for \(quoted(className)).")
            return nil
        }
    }

    // MARK: Actions

    /// The action of a connection; nil if it has a fault, which is reported.
    private mutating func action(_ part: NibGraph.Part, _ xml: XMLDocument) -> NibPlan.Action? {
        let element = part.element
        let offset = xml.offset(ofElement: element)
        guard let selector = xml.attribute(words.selector, ofElement: element), !xml.isEmpty(valueOf: selector),
            !xml.isValue(ofAttribute: selector, ":")
        else {
            add(.nibReferenceInvalid, at: offset, "The action has no selector.", "Remove it, or connect it again.")
            return nil
        }
        let target =
            xml.attribute(words.target, ofElement: element) ?? xml.attribute(words.destination, ofElement: element)
        guard let destination = destination(of: element, target, xml), slot(ofSource: part.object, at: offset) != nil
        else { return nil }
        switch resolved[destination] {
        case .unknown: return nil
        case .absent:
            addAbsent(destination, at: offset)
            return nil
        case .firstResponder:
            functions.messages.append((xml.value(ofAttribute: selector), nil))
            return NibPlan.Action(target: nil, message: functions.messages.count - 1)
        case .object(let slot, let aClass):
            guard let message = message(ofSelector: selector, aClass, xml),
                checkSender(part.object, of: message, aClass, at: xml.offset(ofAttribute: selector))
            else { return nil }
            return NibPlan.Action(target: slot, message: message)
        }
    }

    /// The index in ``NibPlan/Functions/messages`` for a connection's selector and a class; nil if the class has no
    /// such action, which is reported.
    private mutating func message(ofSelector selector: Int, _ aClass: Int, _ xml: XMLDocument) -> Int? {
        if let known = classes[aClass].actions.found({ xml.areSameValues($0, selector) }) { return known }
        let name = xml.value(ofAttribute: selector)
        let table = classes[aClass].table
        guard let action = table.actions[NibClassTable.actionName(name)] else {
            add(
                .nibActionInvalid, at: xml.offset(ofAttribute: selector), subject: name,
                "\(quoted(table.name)) has no action \(quoted(name)).",
                "It has \(quotedList(table.actions.values.map(\.name), or: "none")); correct the selector, or declare the action in \(displayed(table.name)).nibInterface."
            )
            return nil
        }
        functions.messages.append((name, action))
        classes[aClass].actions.note(functions.messages.count - 1, for: selector)
        return functions.messages.count - 1
    }

    private mutating func checkSender(
        _ sender: Int, of message: Int, _ aClass: Int, at offset: Int
    ) -> Bool {
        guard case .object(_, let found) = resolved[sender] else { return true }
        if let last = lastSender, last == (message, found) { return true }
        guard let action = functions.messages[message].action else { return true }
        let (table, type) = (classes[found].table, classes[found].type)
        let fits =
            switch action.sender {
            case .aClass(_, let accepts): accepts(type)
            case .named(let name): table.kinds.contains(name)
            case .anyObject, .anInterface, .foreign: true
            }
        if fits {
            lastSender = (message, found)
            return true
        }
        let className = Self.name(of: type, table)
        add(
            .nibActionInvalid, at: offset, subject: action.name,
            "The action \(quoted(action.name)) of \(quoted(classes[aClass].table.name)) takes a \(quoted(action.sender.name ?? "")) as its "
                + "sender; \(shown(sender)) is a \(quoted(className)).",
            "Connect another object, or declare the action for \(quoted(className)).")
        return false
    }

    /// The name of a class for messages.
    private static func name(of type: any NibObject.Type, _ table: NibClassTable) -> String {
        type == NibForeignObject.self ? table.name : "\(type)"
    }

    // MARK: Other kinds

    private mutating func connect(_ part: NibGraph.Part, ofKind kind: String, at offset: Int) {
        guard connectors.contains(kind) else {
            // The application's connectors are known only when it instantiates the nib. In the other modes, one warning
            // per kind is enough.
            if mode != .instantiation, !notedKinds.insert(kind).inserted { return }
            return add(
                .nibUnsupported, mode == .instantiation ? .error : .warning, at: offset, subject: kind,
                "The connection is of the kind <\(kind)>, which nobody establishes.",
                "Remove it, or give NibOptions.connectors[\(quoted(kind))].")
        }
        guard let (slot, _) = slot(ofSource: part.object, at: offset) else { return }
        var destination: NibPlan.Slot?
        if let attribute = xml.attribute(words.destination, ofElement: part.element) {
            guard let object = self.destination(of: part.element, attribute, xml) else { return }
            switch resolved[object] {
            case .object(let slot, _): destination = slot
            case .absent: return addAbsent(object, at: offset)
            case .firstResponder: break
            case .unknown: return
            }
        }
        var attributes: [String: String] = [:]
        for attribute in xml.attributes(ofElement: part.element) {
            attributes[xml.name(ofAttribute: attribute)] = xml.value(ofAttribute: attribute)
        }
        connectorKinds.insert(kind)
        append(
            .connector(slot, NibPlan.Connector(kind: kind, destination: destination, attributes: attributes)),
            .connectors, source: part.object)
    }
}
