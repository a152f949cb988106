import HostBasics
@_spi(PluginHost) internal import PluginABI
internal import PropertyLists

/// Connects events to actions; a part of the stage for connections.
struct NibEvents {
    private let nib: ResolvedNib
    private let steps: NibSteps
    /// The functions that the steps call.
    let setters = Rows<NibPlan.EventSetter>()
    /// See ``NibPlan/Functions/messages``.
    private(set) var messages: [(name: String, action: NibActionSlot?)] = []
    /// The members of each class whose names the document used.
    private var known: [Members]
    /// The last action and sender's class that were accepted.
    private var lastSender: (message: Int, aClass: Int)?

    private struct Members {
        /// The indices of messages.
        var actions = RecentNames<Int, Int>()
        /// The events by the attribute that names the event; nil for the event of actions that name no event.
        var events = RecentNames<Int?, KnownEvent>()
    }

    /// An event of a class, looked up by name.
    private final class KnownEvent {
        let event: NibEventSlot
        /// The index of the function that sets it, if the event sends one action.
        let setter: Int?

        init(event: NibEventSlot, setter: Int?) {
            self.event = event
            self.setter = setter
        }
    }

    init(_ nib: ResolvedNib, _ steps: NibSteps) {
        self.nib = nib
        self.steps = steps
        known = Array(repeating: Members(), count: nib.classes.count)
    }

    /// Sets an event to the actions of its connections.
    mutating func connect(_ group: NibConnectionGroup, _ connections: NibGroupedConnections, _ xml: XMLDocument) {
        /// Most events have one action; for them no array is allocated.
        var first: NibPlan.Action?
        var others: [(action: NibPlan.Action, offset: Int)] = []
        let known = event(group, xml)
        for number in connections {
            let part = nib.graph.connections[number]
            guard let action = action(part, xml) else { continue }
            let offset = xml.offset(ofElement: part.element)
            guard known != nil else {
                addMissingEvent(group, at: offset)
                continue
            }
            if first == nil { first = action } else { others.append((action, offset)) }
        }
        guard let first, let known, case .object(let slot, let aClass) = nib.resolved[group.object] else { return }
        if let setter = known.setter {
            if let second = others.first {
                return nib.findings.add(
                    .nibActionInvalid, at: second.offset, subject: known.event.name,
                    "The event \(quoted(known.event.name)) of \(quoted(nib.classes[aClass].table.name)) sends one action, and \(others.count + 1) are connected.",
                    "Remove the others, or declare the event with events(_:_:).")
            }
            steps.append(
                .event(slot, first, setter: setter), .connections, isMade: nib.graph.objects[group.object].isMade)
        } else if case .many(let set) = known.event.connect {
            steps.append(
                .events(slot, [first] + others.map(\.action), set), .connections,
                isMade: nib.graph.objects[group.object].isMade)
        }
    }

    private func addMissingEvent(_ group: NibConnectionGroup, at offset: Int) {
        guard case .object(_, let aClass) = nib.resolved[group.object] else { return }
        let name = group.name.map(nib.xml.value(ofAttribute:)) ?? ""
        let table = nib.classes[aClass].table
        func what() -> String { name.isEmpty ? "no event for actions without a name" : "no event \(quoted(name))" }
        nib.findings.add(
            .nibActionInvalid, at: offset, subject: name, "\(quoted(table.name)) has \(what()).",
            "It has \(quotedList(table.events.keys, or: "none")); correct the event, or declare it in \(displayed(table.name)).nibInterface."
        )
    }

    /// The event of the class for the group's name; nil if the class has no such event, or is not known.
    private mutating func event(_ group: NibConnectionGroup, _ xml: XMLDocument) -> KnownEvent? {
        guard case .object(_, let aClass) = nib.resolved[group.object] else { return nil }
        if let found = known[aClass].events.found({ xml.haveEqualValues($0, group.name) }) { return found }
        guard let event = nib.classes[aClass].table.events[group.name.map(xml.value(ofAttribute:)) ?? ""] else {
            return nil
        }
        var setter: Int?
        if case .one(let set) = event.connect { setter = setters.append(NibPlan.EventSetter(set)) }
        let new = KnownEvent(event: event, setter: setter)
        known[aClass].events.note(new, for: group.name)
        return new
    }

    // MARK: Actions

    /// The action of a connection; nil if it has a fault, which is reported.
    private mutating func action(_ part: NibGraph.Part, _ xml: XMLDocument) -> NibPlan.Action? {
        let element = part.element
        let offset = xml.offset(ofElement: element)
        guard let selector = xml.attribute(nib.words.selector, ofElement: element), !xml.isEmpty(valueOf: selector),
            !xml.isValue(ofAttribute: selector, ":")
        else {
            nib.findings.add(
                .nibReferenceInvalid, at: offset, "The action has no selector.", "Remove it, or connect it again.")
            return nil
        }
        let target =
            xml.attribute(nib.words.target, ofElement: element)
            ?? xml.attribute(nib.words.destination, ofElement: element)
        guard let destination = nib.destination(of: element, target, xml),
            nib.slot(ofSource: part.object, at: offset) != nil
        else { return nil }
        switch nib.resolved[destination] {
        case .unknown: return nil
        case .absent:
            nib.addAbsent(destination, at: offset)
            return nil
        case .firstResponder:
            messages.append((xml.value(ofAttribute: selector), nil))
            return NibPlan.Action(target: nil, message: messages.count - 1)
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
        if let found = known[aClass].actions.found({ xml.areSameValues($0, selector) }) { return found }
        let name = xml.value(ofAttribute: selector)
        let table = nib.classes[aClass].table
        guard let action = table.actions[NibClassTable.actionName(name)] else {
            nib.findings.add(
                .nibActionInvalid, at: xml.offset(ofAttribute: selector), subject: name,
                "\(quoted(table.name)) has no action \(quoted(name)).",
                "It has \(quotedList(table.actions.values.map(\.name), or: "none")); correct the selector, or declare the action in \(displayed(table.name)).nibInterface."
            )
            return nil
        }
        messages.append((name, action))
        known[aClass].actions.note(messages.count - 1, for: selector)
        return messages.count - 1
    }

    private mutating func checkSender(
        _ sender: Int, of message: Int, _ aClass: Int, at offset: Int
    ) -> Bool {
        guard case .object(_, let found) = nib.resolved[sender] else { return true }
        if let last = lastSender, last == (message, found) { return true }
        guard let action = messages[message].action else { return true }
        let (table, type) = (nib.classes[found].table, nib.classes[found].type)
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
        let className = nib.classes[found].shownName
        nib.findings.add(
            .nibActionInvalid, at: offset, subject: action.name,
            "The action \(quoted(action.name)) of \(quoted(nib.classes[aClass].table.name)) takes a \(quoted(action.sender.name ?? "")) as its "
                + "sender; \(nib.shown(sender)) is a \(quoted(className)).",
            "Connect another object, or declare the action for \(quoted(className)).")
        return false
    }
}
