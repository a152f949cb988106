@_spi(PluginHost) internal import PluginABI
internal import PropertyLists

/// Resolves a nib's document against classes, tables and resources, and gathers everything that is wrong.
struct NibPlanner {
    /// What the planner asks of the nib's bundle.
    struct Resources {
        /// The translation of a text by its key; nil where the nib's own text stands.
        var translate: (String) -> String? = { _ in nil }
        var image: (String) -> NamedImage? = { _ in nil }
        var sound: (String) -> NamedSound? = { _ in nil }
        /// The bundle that has a class, for a message.
        var stranger: (String) -> String? = { _ in nil }
    }

    let xml: XMLDocument
    let graph: NibGraph
    let scope: NibScope
    let resources: Resources
    let limits: NibLimits
    /// The kinds of connections that the caller establishes.
    let connectors: Set<String>
    private let owner: (any NibObject)?
    private let given: [String: any NibObject]

    private(set) var findings: [NibFinding] = []
    /// What stands in the place of each object of the graph.
    private(set) var resolved: [Resolved] = []
    private var members: [NibClassLevel.Member] = []
    /// By phase; see ``Phase``.
    private var steps = InlineArray<6, [NibPlan.Step]>(repeating: [])
    /// The graph's objects that outlets lead to: by source and outlet.
    private var outlets: [OutletKey: Int] = [:]
    private var missingMedia: Set<String> = []

    struct OutletKey: Hashable {
        let object: Int
        let name: String
    }

    /// What stands for an object of the graph in an instantiation.
    enum Resolved {
        case object(NibPlan.Slot, NibClassTable, any NibObject.Type)
        case firstResponder
        /// An owner or placeholder that the caller did not give.
        case absent
        /// An object whose class is missing: nothing more is found about it.
        case unknown
    }

    /// When a step is done; first those of the lower numbers.
    enum Phase: Int {
        case attributes, containment, connections, runtimeAttributes, connectors, externals
    }

    init(
        _ xml: XMLDocument, root: Int, scope: NibScope, resources: Resources, limits: NibLimits,
        owner: (any NibObject)?, placeholders: [String: any NibObject], connectors: Set<String>
    ) {
        self.xml = xml
        self.scope = scope
        self.resources = resources
        self.limits = limits
        self.owner = owner
        self.connectors = connectors
        given = placeholders
        graph = NibGraph(
            xml, root: root, leavingOut: scope.elementsLeftOut, limits: limits, registered: scope.isRegistered(element:)
        )
        findings = graph.findings
    }

    /// The plan, if nothing is wrong.
    ///
    /// ``findings`` has what is.
    mutating func plan(generation: Int, classesVersion: Int) -> NibPlan? {
        findResources()
        resolveObjects()
        setAttributes()
        setContained()
        connect()
        setRuntimeAttributes()
        requireOutlets()
        checkGiven()
        guard !findings.contains(where: { $0.severity == .error }) else { return nil }
        let isMainActor = resolved.contains {
            if case .object(_, let table, _) = $0 { table.isMainActor } else { false }
        }
        var slots: [Int: NibPlan.Slot] = [:]
        for (number, object) in graph.objects.enumerated() where object.role == .made {
            if case .object(let slot, _, _) = resolved[number] { slots[number] = slot }
        }
        return NibPlan(
            externals: NibPlan.Externals(owner: owner, placeholders: given), scope: scope, generation: generation,
            classesVersion: classesVersion, isMainActor: isMainActor, made: members,
            names: graph.objects.filter { $0.role == .made }.map { $0.id ?? $0.textKey },
            placeholders: externalPlaceholders, hasOwner: owner != nil, steps: allSteps,
            wakes: wakes(slots),
            indices: graph.indices.compactMapValues { slots[$0] },
            topLevel: graph.objects.indices.compactMap { graph.objects[$0].parent == nil ? slots[$0] : nil })
    }

    private var allSteps: [NibPlan.Step] {
        var all: [NibPlan.Step] = []
        all.reserveCapacity(steps.indices.reduce(0) { $0 + steps[$1].count })
        for phase in steps.indices { all += steps[phase] }
        return all
    }

    /// What an object contains before the object, else in the order of the document.
    private func wakes(_ slots: [Int: NibPlan.Slot]) -> [NibPlan.Slot] {
        var order: [NibPlan.Slot] = []
        order.reserveCapacity(slots.count)
        // Objects stand in the graph before what they contain.
        var open: [Int] = []
        func close(to parent: Int?) {
            while let last = open.last, last != parent {
                if let slot = slots[last] { order.append(slot) }
                open.removeLast()
            }
        }
        for (number, object) in graph.objects.enumerated() {
            close(to: object.parent)
            open.append(number)
        }
        close(to: nil)
        return order
    }

    // MARK: Findings

    mutating func add(
        _ code: PluginError.Code, _ severity: PluginFinding.Severity = .error, at offset: Int?, subject: String? = nil,
        related: Int? = nil, _ message: String, _ remedy: String
    ) {
        findings.append(
            NibFinding(
                severity: severity, code: code, offset: offset, subject: subject, message: message, remedy: remedy,
                related: related))
    }

    mutating func append(_ step: NibPlan.Step, _ phase: Phase, source: Int) {
        // What belongs to the owner or a placeholder comes last: then nothing can fail any more.
        let isExternal = graph.objects[source].role != .made && phase != .connectors
        steps[(isExternal ? Phase.externals : phase).rawValue].append(step)
    }

    // MARK: Objects

    private mutating func resolveObjects() {
        resolved.reserveCapacity(graph.objects.count)
        // The slots of what is made come first, so their number is needed.
        let madeCount = graph.objects.reduce(0) { $0 + ($1.role == .made ? 1 : 0) }
        var next = madeCount + (owner == nil ? 0 : 1)
        var slotOfPlaceholder: [String: Int] = [:]
        for name in externalPlaceholders {
            slotOfPlaceholder[name] = next
            next += 1
        }
        for object in graph.objects {
            switch object.role {
            case .firstResponder: resolved.append(.firstResponder)
            case .owner:
                if let owner {
                    resolved.append(.object(madeCount, owner.nibTable, type(of: owner)))
                    checkName(of: owner, object)
                } else {
                    resolved.append(.absent)
                }
            case .placeholder(let name):
                if let external = given[name], let slot = slotOfPlaceholder[name] {
                    resolved.append(.object(slot, external.nibTable, type(of: external)))
                } else {
                    resolved.append(.absent)
                }
            case .made:
                if let member = member(for: object) {
                    resolved.append(.object(members.count, member.aClass.table, member.aClass.registration.type))
                    members.append(member)
                } else {
                    resolved.append(.unknown)
                }
            }
        }
        for (table, offset) in interfaceFaults() {
            add(
                .nibInterfaceInvalid, at: offset, subject: table.name,
                "The interface for nibs of \(quoted(table.name)): \(table.faults[0])",
                "Correct nibInterface of the class.")
        }
    }

    /// The placeholders of the document that the caller gave, in the order of the document.
    private var externalPlaceholders: [String] {
        var names: [String] = []
        for object in graph.objects {
            if case .placeholder(let name) = object.role, given[name] != nil, !names.contains(name) {
                names.append(name)
            }
        }
        return names
    }

    private func interfaceFaults() -> [(NibClassTable, Int)] {
        var seen: Set<ObjectIdentifier> = []
        return zip(resolved, graph.objects).compactMap { resolved, object in
            guard case .object(_, let table, _) = resolved, !table.faults.isEmpty,
                seen.insert(ObjectIdentifier(table)).inserted
            else { return nil }
            return (table, xml.offset(ofElement: object.element))
        }
    }

    /// Names of classes that File's Owner has where its author said nothing.
    private static let unspecific: Set<String> = ["NSObject", "NSApplication", "UIResponder", "UIApplication"]

    private mutating func checkName(of owner: any NibObject, _ object: NibGraph.Object) {
        guard let attribute = xml.attribute("customClass", ofElement: object.element),
            case let name = xml.value(ofAttribute: attribute), !Self.unspecific.contains(name)
        else { return }
        var next: AnyClass? = type(of: owner)
        while let current = next {
            if "\(current)" == name || String(reflecting: current) == name { return }
            next = _getSuperclass(current)
        }
        add(
            .nibOwnerInvalid, .warning, at: xml.offset(ofAttribute: attribute), subject: name,
            "File's Owner is a \(quoted(name)) here, and the nib was given a \(quoted("\(type(of: owner))")).",
            "Correct the class in the nib, or give it another owner.")
    }

    private mutating func member(for object: NibGraph.Object) -> NibClassLevel.Member? {
        let element = object.element
        let elementName = xml.name(ofElement: element)
        guard let attribute = xml.attribute("customClass", ofElement: element) else {
            switch scope.aClass(ofElement: elementName) {
            case .found(let member): return member
            case .ambiguous(let members):
                addAmbiguous(members, "the element", elementName, xml.offset(ofElement: element))
            case .missing:
                let remedy =
                    elementName == "customObject"
                    ? "Give it a customClass."
                    : "Register a class for the element, leave the element out by nibClasses.leaveOut, or give it a customClass."
                add(
                    .nibClassMissing, at: xml.offset(ofElement: element), subject: elementName,
                    "No class is registered for the element <\(elementName)>, and it has no customClass.", remedy)
            }
            return nil
        }
        let name = xml.value(ofAttribute: attribute)
        let offset = xml.offset(ofAttribute: attribute)
        switch scope.aClass(named: name) {
        case .found(let member): return checkModule(of: member, element) ? member : nil
        case .ambiguous(let members): addAmbiguous(members, "the class", name, offset)
        case .missing:
            let close = closestNames(to: name, among: scope.names)
            let remedy =
                if let path = resources.stranger(name) {
                    "The bundle \(quoted(path)) has it; add that bundle to PHRequires, or register the class in this one."
                } else if !close.isEmpty {
                    "There is \(quotedList(close, or: "")); correct customClass, or register the class."
                } else {
                    "Register the class in the plug-in's entry with plugin.register, or in nibClasses of the application."
                }
            add(
                .nibClassMissing, at: offset, subject: name,
                "The nib names the class \(quoted(name)), which nobody registered for it.",
                remedy)
        }
        return nil
    }

    private mutating func addAmbiguous(
        _ members: [NibClassLevel.Member], _ what: String, _ name: String, _ offset: Int
    ) {
        let paths = Set(members.map { $0.bundlePath ?? "the application" })
        let owners = paths.count > 1 ? quotedList(paths, or: "") : quotedList(members.map(\.aClass.name), or: "")
        add(
            .nibReferenceInvalid, at: offset, subject: name,
            "More than one registers \(what) \(quoted(name)): \(owners).",
            "Give one of them a name of its own, or register one in the application.")
    }

    /// Whether the class is of the module that the element names.
    private mutating func checkModule(of member: NibClassLevel.Member, _ element: Int) -> Bool {
        let aClass = member.aClass
        if xml.value("customModuleProvider", ofElement: element) == "target" {
            let isOwn = scope.levels.contains { level in
                level.isOwn && level.members.contains { $0.aClass === aClass || $0.bundlePath == member.bundlePath }
            }
            if isOwn { return true }
            add(
                .nibClassMissing, at: xml.offset(ofElement: element), subject: aClass.name,
                "The class \(quoted(aClass.name)) is to be of the nib's own bundle, and \(quoted(member.bundlePath ?? "the application")) has it.",
                "Remove customModuleProvider, or register a class of the bundle.")
            return false
        }
        guard let attribute = xml.attribute("customModule", ofElement: element) else { return true }
        let module = xml.value(ofAttribute: attribute)
        if module.isEmpty || module == aClass.module { return true }
        add(
            .nibClassMissing, at: xml.offset(ofAttribute: attribute), subject: aClass.name,
            "The nib names the module \(quoted(module)), and the class \(quoted(aClass.name)) is of \(quoted(aClass.module)).",
            "Correct customModule.")
        return false
    }

    // MARK: Images and sounds

    private mutating func findResources() {
        guard let list = xml.children(of: 0).first(where: { xml.isElement($0, named: "resources") }) else { return }
        var count = 0
        for element in xml.children(of: list) {
            let isImage = xml.isElement(element, named: "image")
            guard isImage || xml.isElement(element, named: "sound"),
                xml.value("catalog", ofElement: element) != "system",
                let attribute = xml.attribute("name", ofElement: element)
            else { continue }
            count += 1
            guard count <= limits.resources else {
                add(
                    .nibUnreadable, at: xml.offset(ofElement: element),
                    "The document lists more than \(limits.resources) images and sounds, which is the limit.",
                    "Divide the nib, or raise HostEnvironment.current.nibLimits.resources.")
                return
            }
            _ = media(isImage, xml.value(ofAttribute: attribute), at: xml.offset(ofAttribute: attribute))
        }
    }

    /// The image or sound of a name; nil if there is none, which is noted once.
    mutating func media(_ isImage: Bool, _ name: String, at offset: Int) -> NibValue? {
        let found: NibValue? =
            isImage ? resources.image(name).map { .image($0) } : resources.sound(name).map { .sound($0) }
        let what = isImage ? "image" : "sound"
        if found == nil, missingMedia.insert("\(what) \(name)").inserted {
            add(
                .nibResourceMissing, .warning, at: offset, subject: name,
                "Neither the nib's bundle nor the application has the \(what) \(quoted(name)).",
                "Add the file to the resources, or correct the name.")
        }
        return found
    }

    // MARK: What the caller gives

    private mutating func checkGiven() {
        for name in given.keys.sorted() where !graph.objects.contains(where: { $0.role == .placeholder(name) }) {
            let known = graph.objects.compactMap { if case .placeholder(let name) = $0.role { name } else { nil } }
            add(
                .nibPlaceholderMissing, .warning, at: nil, subject: name,
                "The nib was given an object for the placeholder \(quoted(name)), which it does not have.",
                known.isEmpty ? "Give it no placeholders." : "It has \(quotedList(known, or: "none")).")
        }
    }

    /// Notes that something is connected that the caller did not give.
    mutating func addAbsent(_ object: Int, at offset: Int) {
        guard notedAbsent.insert(object).inserted else { return }
        if case .placeholder(let name) = graph.objects[object].role {
            add(
                .nibPlaceholderMissing, at: offset, subject: name,
                "The nib connects the placeholder \(quoted(name)), and was given no object for it.",
                "Give it in placeholders[\(quoted(name))].")
        } else {
            add(
                .nibOwnerInvalid, at: offset, "The nib connects File's Owner, and was given none.",
                "Give the object that owns the nib as owner.")
        }
    }

    private var notedAbsent: Set<Int> = []

    // MARK: Required outlets

    private mutating func requireOutlets() {
        var ownerIsInDocument = false
        for (number, object) in graph.objects.enumerated() {
            if object.role == .owner { ownerIsInDocument = true }
            guard case .object(_, let table, _) = resolved[number] else { continue }
            requireOutlets(of: table, number, at: xml.offset(ofElement: object.element))
        }
        if !ownerIsInDocument, let owner { requireOutlets(of: owner.nibTable, nil, at: nil) }
    }

    private mutating func requireOutlets(of table: NibClassTable, _ object: Int?, at offset: Int?) {
        for outlet in table.requiredOutlets {
            if let object, outlets[OutletKey(object: object, name: outlet.name)] != nil { continue }
            add(
                .nibOutletUnconnected, at: offset, subject: outlet.name,
                "The required outlet \(quoted(outlet.name)) of \(quoted(table.name)) is not connected.",
                "Connect it to a \(quoted(outlet.target.name ?? "NibObject")).")
        }
    }

    // MARK: For the other parts

    mutating func noteOutlet(_ object: Int, _ name: String, to destination: Int) -> Bool {
        outlets.updateValue(destination, forKey: OutletKey(object: object, name: name)) == nil
    }

    func destination(ofOutlet name: String, of object: Int) -> Int? {
        outlets[OutletKey(object: object, name: name)]
    }

    /// An object as it stands in a message: its id, else its element.
    func shown(_ object: Int) -> String {
        switch graph.objects[object].role {
        case .owner: "File's Owner"
        case .firstResponder: "First Responder"
        case .placeholder(let name): "the placeholder \(quoted(name))"
        case .made:
            graph.objects[object].id.map { quoted($0) } ?? "<\(xml.name(ofElement: graph.objects[object].element))>"
        }
    }
}

extension NibClassTable {
    /// The outlets that every nib must connect, by name.
    fileprivate var requiredOutlets: [NibOutlet] {
        outlets.values.filter(\.isRequired).sorted { $0.name < $1.name }
    }
}
