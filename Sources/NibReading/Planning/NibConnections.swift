import HostBasics
@_spi(PluginHost) internal import PluginABI
internal import PropertyLists

/// The stage of planning for the connections of the document: outlets, outlet collections, actions and other kinds.
struct NibConnections {
    private let nib: ResolvedNib
    private let xml: XMLDocument
    private let steps: NibSteps
    /// The kinds of connections that the caller establishes.
    private let connectors: Set<String>
    /// The events and actions.
    private(set) var events: NibEvents
    /// The kinds of connections without a connector that were reported.
    private var notedKinds: Set<String> = []
    /// The kinds of connections that the caller must establish.
    private(set) var connectorKinds: Set<String> = []

    init(_ nib: ResolvedNib, connectors: Set<String>, _ steps: NibSteps) {
        self.nib = nib
        xml = nib.xml
        self.steps = steps
        self.connectors = connectors
        events = NibEvents(nib, steps)
    }

    /// Connects everything, in the order of the document.
    mutating func connect(_ outlets: inout NibOutlets, _ containment: inout NibContainment) {
        let xml = xml
        var groups = NibConnectionGroups(objects: nib.graph.objects.count, connections: nib.graph.connections.count)
        for (number, part) in nib.graph.connections.enumerated() {
            let element = part.element
            if xml.isElement(element, named: nib.words.outlet) {
                guard let (property, destination) = ends(of: part, xml) else { continue }
                outlets.connect(
                    part.object, outlets.outlet(ofProperty: property, of: part.object, xml), to: destination,
                    at: xml.offset(ofAttribute: property), .connections)
            } else if xml.isElement(element, named: nib.words.action) {
                let name =
                    xml.attribute(nib.words.eventType, ofElement: element)
                    ?? xml.attribute(nib.words.trigger, ofElement: element)
                groups.append(number, .event, name, of: part.object, xml)
            } else if xml.isElement(element, named: nib.words.outletCollection) {
                let name = xml.attribute(nib.words.property, ofElement: element)
                groups.append(number, .collection, name, of: part.object, xml)
            } else {
                connect(part, ofKind: xml.name(ofElement: element), at: xml.offset(ofElement: element))
            }
        }
        for group in groups.all {
            switch group.kind {
            case .event: events.connect(group, groups.connections(of: group), xml)
            case .collection: connectCollection(group, groups.connections(of: group), xml, &outlets, &containment)
            }
        }
    }

    /// Sets an outlet collection to the objects of its connections.
    private mutating func connectCollection(
        _ group: NibConnectionGroup, _ connections: NibGroupedConnections, _ xml: XMLDocument,
        _ outlets: inout NibOutlets, _ containment: inout NibContainment
    ) {
        var collection: NibOutlets.KnownOutlet?
        var members: [(object: Int, offset: Int)] = []
        for number in connections {
            let part = nib.graph.connections[number]
            guard let (property, destination) = ends(of: part, xml) else { continue }
            let offset = xml.offset(ofElement: part.element)
            let known = outlets.outlet(ofProperty: property, of: group.object, xml)
            guard let (_, aClass) = nib.slot(ofSource: group.object, at: offset) else { continue }
            guard known.isCollection else {
                outlets.addUndeclared(known.name, of: nib.classes[aClass].table, isCollection: true, at: offset)
                continue
            }
            collection = known
            members.append((destination, offset))
        }
        guard let collection, !containment.add(group.object, collection, members) else { return }
        outlets.connect(
            group.object, collection, to: members.map(\.object), offsets: members.map(\.offset), .connections)
    }

    /// The attribute that names the outlet of a connection, and the connection's destination.
    ///
    /// Nil if either is missing; that is reported.
    private func ends(of part: NibGraph.Part, _ xml: XMLDocument) -> (property: Int, destination: Int)? {
        guard let property = xml.attribute(nib.words.property, ofElement: part.element), !xml.isEmpty(valueOf: property)
        else {
            nib.findings.add(
                .nibReferenceInvalid, at: xml.offset(ofElement: part.element),
                "The connection has no property.", "Remove it, or connect it again.")
            return nil
        }
        guard
            let destination = nib.destination(
                of: part.element, xml.attribute(nib.words.destination, ofElement: part.element), xml)
        else {
            return nil
        }
        return (property, destination)
    }

    // MARK: Other kinds

    private mutating func connect(_ part: NibGraph.Part, ofKind kind: String, at offset: Int) {
        guard connectors.contains(kind) else {
            // The application's connectors are known only when it instantiates the nib. In the other modes, one warning
            // per kind is enough.
            if nib.mode != .instantiation, !notedKinds.insert(kind).inserted { return }
            return nib.findings.add(
                .nibUnsupported, nib.mode == .instantiation ? .error : .warning, at: offset, subject: kind,
                "The connection is of the kind <\(kind)>, which nobody establishes.",
                "Remove it, or give NibOptions.connectors[\(quoted(kind))].")
        }
        guard let (slot, _) = nib.slot(ofSource: part.object, at: offset) else { return }
        var destination: NibPlan.Slot?
        if let attribute = xml.attribute(nib.words.destination, ofElement: part.element) {
            guard let object = nib.destination(of: part.element, attribute, xml) else { return }
            switch nib.resolved[object] {
            case .object(let slot, _): destination = slot
            case .absent: return nib.addAbsent(object, at: offset)
            case .firstResponder: break
            case .unknown: return
            }
        }
        var attributes: [String: String] = [:]
        for attribute in xml.attributes(ofElement: part.element) {
            attributes[xml.name(ofAttribute: attribute)] = xml.value(ofAttribute: attribute)
        }
        connectorKinds.insert(kind)
        steps.append(
            .connector(slot, NibPlan.Connector(kind: kind, destination: destination, attributes: attributes)),
            .connectors, isMade: true)
    }
}
