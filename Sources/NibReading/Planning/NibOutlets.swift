import HostBasics
@_spi(PluginHost) internal import PluginABI
internal import PropertyLists

/// Connects outlets; shared by the stages for contained objects and for connections.
struct NibOutlets {
    private let nib: ResolvedNib
    private let steps: NibSteps
    /// The functions that the steps call.
    let setters = Rows<NibPlan.OutletSetter>()
    /// The outlets that are connected so far.
    private(set) var connected: ConnectedOutlets
    /// The outlets of each class whose names the document used.
    private var known: [RecentNames<Int, KnownOutlet>]
    /// The last outlet and class that were accepted.
    private var lastAccepted: (outlet: ObjectIdentifier, aClass: Int)?

    /// An outlet of a class, looked up by name.
    final class KnownOutlet {
        let name: String
        /// Nil if the class does not declare it.
        let outlet: NibOutlet?
        /// The identity of ``outlet``.
        let identity: ObjectIdentifier?
        let isCollection: Bool
        /// The index of the function that sets it, if the same function works for all objects.
        let setter: Int?

        init(name: String, outlet: NibOutlet?, setter: Int?) {
            self.name = name
            self.outlet = outlet
            identity = outlet.map { ObjectIdentifier($0) }
            isCollection = outlet?.isCollection ?? false
            self.setter = setter
        }
    }

    init(_ nib: ResolvedNib, _ steps: NibSteps) {
        self.nib = nib
        self.steps = steps
        connected = ConnectedOutlets(nib.graph)
        known = Array(repeating: RecentNames(), count: nib.classes.count)
    }

    /// The outlet of an object's class with the name in an attribute's value.
    mutating func outlet(ofProperty attribute: Int, of object: Int, _ xml: XMLDocument) -> KnownOutlet {
        guard case .object(_, let aClass) = nib.resolved[object] else {
            return KnownOutlet(name: xml.value(ofAttribute: attribute), outlet: nil, setter: nil)
        }
        if let found = known[aClass].found({ xml.areSameValues($0, attribute) }) { return found }
        let name = xml.value(ofAttribute: attribute)
        let outlet = nib.classes[aClass].table.outlets[name]
        var setter: Int?
        if case .one(let set)? = outlet?.connect { setter = setters.append(NibPlan.OutletSetter(set)) }
        let new = KnownOutlet(name: name, outlet: outlet, setter: setter)
        known[aClass].note(new, for: attribute)
        return new
    }

    mutating func connect(
        _ source: Int, _ known: KnownOutlet, to destination: Int, at offset: Int, _ phase: NibSteps.Phase
    ) {
        let isNews =
            if let outlet = known.identity {
                connected.note(source, outlet, to: destination)
            } else {
                connected.noteUndeclared(source, known.name, to: destination)
            }
        if case .unknown = nib.resolved[source] {
            return checkUnknown(source, known.name, destination, isNews, at: offset)
        }
        guard let (slot, aClass) = nib.slot(ofSource: source, at: offset) else { return }
        guard known.identity != nil, !known.isCollection else {
            return addUndeclared(known.name, of: nib.classes[aClass].table, isCollection: false, at: offset)
        }
        guard isNews else {
            return nib.findings.add(
                .nibOutletInvalid, at: offset, subject: known.name,
                "The outlet \(quoted(known.name)) of \(quoted(nib.classes[aClass].table.name)) is connected twice.",
                "Remove one of the connections.")
        }
        guard let (target, conversion) = accepted(destination, by: known, of: aClass, at: offset) else { return }
        if let setter = known.setter {
            steps.append(.outlet(slot, target, setter: setter), phase, isMade: nib.graph.objects[source].isMade)
        } else if let conversion, case .converting(let bind)? = known.outlet?.connect {
            let setter = setters.append(NibPlan.OutletSetter(bind(conversion)))
            steps.append(.outlet(slot, target, setter: setter), phase, isMade: nib.graph.objects[source].isMade)
        }
    }

    /// Checks for faults of an outlet that do not depend on the class of its object.
    private func checkUnknown(
        _ source: Int, _ name: String, _ destination: Int, _ isNews: Bool, at offset: Int
    ) {
        if !isNews {
            nib.findings.add(
                .nibOutletInvalid, at: offset, subject: name,
                "The outlet \(quoted(name)) of \(nib.shown(source)) is connected twice.",
                "Remove one of the connections.")
        } else if case .firstResponder = nib.resolved[destination] {
            nib.findings.add(
                .nibOutletInvalid, at: offset, subject: name,
                "The outlet \(quoted(name)) of \(nib.shown(source)) leads to First Responder, which is no object.",
                "Connect an action, or another object.")
        }
    }

    mutating func connect(
        _ source: Int, _ known: KnownOutlet, to destinations: [Int], offsets: [Int], _ phase: NibSteps.Phase
    ) {
        guard case .object(let slot, let aClass) = nib.resolved[source] else { return }
        var targets: [NibPlan.Slot] = []
        var conversions: [AnyNibConversion] = []
        for (destination, offset) in zip(destinations, offsets) {
            guard let (target, conversion) = accepted(destination, by: known, of: aClass, at: offset) else { continue }
            targets.append(target)
            if let conversion { conversions.append(conversion) }
        }
        guard targets.count == destinations.count else { return }
        switch known.outlet?.connect {
        case .all(let set)?:
            steps.append(.outlets(slot, targets, set), phase, isMade: nib.graph.objects[source].isMade)
        case .convertingAll(let bind)?:
            steps.append(.outlets(slot, targets, bind(conversions)), phase, isMade: nib.graph.objects[source].isMade)
        case .one?, .converting?, nil: break
        }
    }

    func addUndeclared(_ name: String, of table: NibClassTable, isCollection: Bool, at offset: Int) {
        let what = isCollection ? "outlet collection" : "outlet"
        func names() -> [String] { table.outlets.values.filter { $0.isCollection == isCollection }.map(\.name) }
        let other =
            table.outlets[name] == nil
            ? "" : ", but \(isCollection ? "an outlet" : "an outlet collection") of that name"
        nib.findings.add(
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
        switch nib.resolved[destination] {
        case .unknown: return nil
        case .absent:
            nib.addAbsent(destination, at: offset)
            return nil
        case .firstResponder:
            nib.findings.add(
                .nibOutletInvalid, at: offset, subject: known.name,
                "The outlet \(quoted(known.name)) of \(quoted(nib.classes[aClass].table.name)) leads to First Responder, which is no object.",
                "Connect an action, or another object.")
            return nil
        case .object(let slot, let found):
            // Why cached: neighbouring connections mostly have objects of the same classes, and testing for
            // superclasses is slow.
            if let last = lastAccepted, last.outlet == known.identity, last.aClass == found { return (slot, nil) }
            guard let outlet = known.outlet else { return nil }
            let (table, type) = (nib.classes[found].table, nib.classes[found].type)
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
            let className = nib.classes[found].shownName
            let isInterface = if case .anInterface = outlet.target { true } else { false }
            nib.findings.add(
                .nibOutletInvalid, at: offset, subject: known.name,
                related: nib.xml.offset(ofElement: nib.graph.objects[destination].element),
                "The \(known.isCollection ? "outlet collection" : "outlet") \(quoted(known.name)) of \(quoted(nib.classes[aClass].table.name)) takes "
                    + "\(isInterface ? "what serves" : "a") \(quoted(outlet.target.name ?? "")); \(nib.shown(destination)) (\(NibFinding.line)) is a \(quoted(className)).",
                isInterface
                    ? "Connect another object, or let \(quoted(className)) serve the interface."
                    : "Connect another object, or declare the outlet for \(quoted(className)).")
            return nil
        }
    }
}
