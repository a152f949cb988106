import HostBasics
@_spi(PluginHost) package import PluginABI
package import PropertyLists

/// Resolves a nib's document against classes, tables and resources, and collects all faults.
package struct NibPlanner {
    /// What the planner needs from the nib's bundle.
    package struct Resources {
        /// Translates a text by its key; returns nil to keep the nib's text.
        ///
        /// Nil if there is no table.
        package var translate: ((String) -> String?)?
        package var image: (String) -> NamedImage? = { _ in nil }
        package var sound: (String) -> NamedSound? = { _ in nil }
        /// Whether to look for images and sounds; without a bundle they are ignored.
        package var looksForMedia = true
        /// The path of another bundle that has a class, for a message; nil if there is none.
        package var stranger: (String) -> String? = { _ in nil }

        package init() {}
    }

    /// The purpose of resolving a document.
    package enum Mode {
        /// To make its objects.
        case instantiation
        /// To check it against classes that are declared in lists. File's Owner and the placeholders are assumed to
        /// have the classes that the document names.
        case declarations
        /// To check only the document itself, without any classes.
        case document
    }

    let xml: XMLDocument
    let mode: Mode
    let graph: NibGraph
    var words: NibWords { graph.words }
    let scope: NibScope
    let resources: Resources
    let limits: NibLimits
    /// The kinds of connections that the caller establishes.
    let connectors: Set<String>
    private let owner: (any NibObject)?
    private let given: [String: any NibObject]

    /// All findings.
    package var findings: NibFindings { graph.findings }
    /// Whether the name of a missing class is a misspelling of one of the bundle's own classes.
    private var misspelt: [String: Bool] = [:]
    /// The classes of the nib's own bundle; computed when first needed.
    private lazy var ownNames = scope.levels.filter(\.isOwn).flatMap(\.members).map(\.aClass.name)
    /// The modules of those classes.
    private lazy var ownModules = Set(scope.levels.filter(\.isOwn).flatMap(\.members).compactMap(\.aClass.module))
    /// The resolution of each object of the graph.
    private(set) var resolved: [Resolved] = []
    /// The classes to which ``resolved`` refers.
    var classes: [KnownClass] = []
    /// The indices in ``classes`` of the classes that the nib makes objects of.
    private var classNumbers: [ObjectIdentifier: Int] = [:]
    private var recentClasses = RecentNames<Int, Int>()
    /// The objects to make, in the order of the document: each class with its number of consecutive objects.
    private var made: [NibPlan.Run] = []
    /// The class of the last run in `made`.
    private var lastMade: Int?
    /// The steps by phase; see ``Phase``.
    private let steps = (0..<Phase.allCases.count).map { _ in Rows<NibPlan.Step>() }
    /// The functions that the steps call.
    var functions = NibPlan.Functions()
    /// The attributes of classes by name, as far as the document uses them.
    let knownAttributes = Rows<KnownAttribute>()
    /// A cache of indices in ``knownAttributes``: a fixed number of places for each class, indexed by the numbers of
    /// names.
    ///
    /// If names share a place, it contains the one used last.
    var attributePlaces: [Int?] = []
    /// The indices in ``knownAttributes`` of names that share their place with other names.
    var displacedAttributes: [AttributeKey: Int] = [:]
    /// The connected outlets that are declared, and the last one for each object of the graph.
    private var connected: [ConnectedOutlet] = []
    private var lastConnected: [Int?]
    /// The collections of contained objects, in the order of the document.
    var contained: [ContainedCollection] = []
    /// The destinations of outlets, for objects with more than ``mostCompared`` of them.
    private var destinations: [OutletIdentity: Int] = [:]
    /// The destinations of outlets that no class declares, by source and name.
    private var undeclared: [OutletKey: Int] = [:]
    /// The last outlet and class, and the last action and sender's class, that were accepted.
    var lastAccepted: (outlet: ObjectIdentifier, aClass: Int)?
    var lastSender: (message: Int, aClass: Int)?
    private let assumed: Set<String>
    private var missingMedia: Set<String> = []
    /// The images and sounds that the document expects the system to have, each as “image NAME”.
    private var systemMedia: Set<String> = []
    /// The kinds of connections without a connector that were reported.
    var notedKinds: Set<String> = []
    /// The kinds of connections that the caller must establish.
    var connectorKinds: Set<String> = []

    /// A class of objects of the document, with the names of its members that the document used.
    struct KnownClass {
        let table: NibClassTable
        let type: any NibObject.Type
        /// Nil for the class of the caller's File's Owner or placeholder.
        let member: NibClassLevel.Member?
        /// The first object of the class.
        let firstElement: Int
        /// How many objects of the class the nib makes.
        var count = 0
        var outlets = RecentNames<Int, KnownOutlet>()
        /// The indices of messages; see ``NibPlan/Functions``.
        var actions = RecentNames<Int, Int>()
        /// The events by the attribute that names the event; nil for the event of actions that name no event.
        var events = RecentNames<Int?, KnownEvent>()
    }

    /// An attribute of a class, looked up by name.
    struct KnownAttribute: ~Copyable {
        let name: XMLName
        /// Nil if the class does not declare it.
        let declared: NibAttributeSlot?
        /// How its text is converted.
        let reading: Reading
        /// The index of the function that sets it.
        let setter: Int
        private let convert: (NibValue) -> Int?

        enum Reading {
            case undeclared, text, number, flag
        }

        init(
            name: XMLName, declared: NibAttributeSlot?, reading: Reading, setter: Int,
            convert: @escaping (NibValue) -> Int?
        ) {
            self.name = name
            self.declared = declared
            self.reading = reading
            self.setter = setter
            self.convert = convert
        }

        /// The index of a converted value.
        ///
        /// Nil if the value does not fit, or must first be translated or looked up as a file.
        @inline(__always)
        borrowing func converted(_ value: NibValue) -> Int? { convert(value) }
    }

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

    /// An event of a class, looked up by name.
    final class KnownEvent {
        let event: NibEventSlot
        /// The index of the function that sets it, if the event sends one action.
        let setter: Int?

        init(event: NibEventSlot, setter: Int?) {
            self.event = event
            self.setter = setter
        }
    }

    private struct ConnectedOutlet {
        let outlet: ObjectIdentifier
        let destination: Int
        /// The previous one of the same object.
        let previous: Int?
        /// The number of earlier ones of the same object.
        let place: Int
    }

    private struct OutletIdentity: Hashable {
        let object: Int
        let outlet: ObjectIdentifier
    }

    struct AttributeKey: Hashable {
        let aClass: Int
        let name: Int
    }

    /// The objects that an object contains in a collection.
    ///
    /// It is set after the outlet collections are known, because an outlet collection of the same name is added to it.
    struct ContainedCollection {
        let object: Int
        let outlet: KnownOutlet
        /// The objects, each with its offset.
        var members: [(object: Int, offset: Int)]
    }

    struct OutletKey: Hashable {
        let object: Int
        let name: String
    }

    /// The resolution of an object of the graph.
    enum Resolved {
        /// A slot, and the index of the class in ``classes``.
        case object(NibPlan.Slot, Int)
        case firstResponder
        /// An owner or placeholder for which the caller passed no object.
        case absent
        /// An object whose class is missing; nothing more about it is reported.
        case unknown
    }

    /// The order of the steps: phases with lower numbers come first.
    enum Phase: Int, CaseIterable {
        case attributes, containment, connections, runtimeAttributes, connectors, externals
    }

    /// Resolves a document, and collects its faults in ``findings``.
    ///
    /// - Parameters:
    ///   - xml: the document.
    ///   - root: the document's element `objects`.
    ///   - scope: the classes that it may name.
    ///   - assumed: classes and elements that are defined elsewhere; missing ones of these names are not reported.
    ///   - resources: the resources of the nib's bundle.
    ///   - limits: the limits for the nib's size.
    ///   - owner: File's Owner; nil for none.
    ///   - placeholders: the objects for the document's placeholders, by identifier.
    ///   - connectors: the kinds of connections that the caller establishes.
    ///   - mode: what the document is resolved for.
    /// - Throws: the one finding about a nib that exceeds the limits; nothing else is checked then.
    package init(
        _ xml: XMLDocument, root: Int, scope: NibScope, assuming assumed: Set<String> = [], resources: Resources,
        limits: NibLimits, owner: (any NibObject)?, placeholders: [String: any NibObject], connectors: Set<String>,
        mode: Mode = .instantiation
    ) throws(NibFinding) {
        self.xml = xml
        self.mode = mode
        self.scope = scope
        self.assumed = assumed
        self.resources = resources
        self.limits = limits
        self.owner = owner
        self.connectors = connectors
        given = placeholders
        graph = NibGraph(
            xml, root: root, leavingOut: scope.elementsLeftOut, knowsClasses: mode != .document,
            registered: scope.isRegistered(element:))
        lastConnected = Array(repeating: nil, count: graph.objects.count)
        if let excess = graph.excess(over: limits) { throw excess }
        connected.reserveCapacity(graph.connections.count)
        try findResources()
        resolveObjects()
        setAttributes()
        setContained()
        connect()
        setRuntimeAttributes()
        requireOutlets()
        checkGiven()
    }

    /// The plan; nil if there are errors.
    ///
    /// ``findings`` contains the errors.
    package func plan() -> NibPlan? {
        guard !findings.hasErrors else { return nil }
        let slots = resolved.indices.map { number -> NibPlan.Slot? in
            guard graph.objects[number].isMade, case .object(let slot, _) = resolved[number] else { return nil }
            return slot
        }
        return NibPlan(
            scope: scope, isMainActor: classes.contains { $0.table.isMainActor }, made: made,
            placeholders: externalPlaceholders, hasOwner: owner != nil, steps: steps, functions: functions,
            wakes: wakes(slots), connectorKinds: connectorKinds, graph: graph, slots: slots)
    }

    /// The order in which objects wake: contained objects before their container, otherwise in the order of the
    /// document.
    private func wakes(_ slots: [NibPlan.Slot?]) -> [NibPlan.Slot] {
        var order: [NibPlan.Slot] = []
        order.reserveCapacity(slots.count)
        // In the graph, objects come before the objects that they contain.
        var open: [Int] = []
        func close(to parent: Int?) {
            while let last = open.last, last != parent {
                if let slot = slots[last] { order.append(slot) }
                open.removeLast()
            }
        }
        for number in slots.indices {
            close(to: graph.objects[number].parent)
            open.append(number)
        }
        close(to: nil)
        return order
    }

    // MARK: Findings

    /// Adds a finding; its parts are built only if it is listed.
    func add(
        _ code: PluginError.Code, _ severity: PluginFinding.Severity = .error, at offset: @autoclosure () -> Int?,
        subject: @autoclosure () -> String? = nil, related: @autoclosure () -> Int? = nil,
        _ message: @autoclosure () -> String, _ remedy: @autoclosure () -> String
    ) {
        findings.add(severity == .error ? .error : .warning) {
            NibFinding(
                severity: severity, code: code, offset: offset(), subject: subject().map(displayed), message: message(),
                remedy: remedy(), related: related())
        }
    }

    /// Adds the finding about a class or an element that nobody registered or declared.
    private func addUnknown(
        _ name: String, _ severity: PluginFinding.Severity = .error, at offset: Int,
        _ message: @autoclosure () -> String, _ remedy: @autoclosure () -> String
    ) {
        if assumed.contains(name) { return }
        findings.addUnknown(name) {
            NibFinding(
                severity: severity, code: .nibClassMissing, offset: offset, subject: displayed(name),
                message: message(), remedy: remedy())
        }
    }

    func steps(_ phase: Phase) -> Rows<NibPlan.Step> { steps[phase.rawValue] }

    func append(_ step: consuming NibPlan.Step, _ phase: Phase, source: Int) {
        // Steps on the owner or a placeholder come last, when nothing can fail any more.
        let isExternal = !graph.objects[source].isMade && phase != .connectors
        steps(isExternal ? .externals : phase).append(step)
    }

    // MARK: Objects

    private mutating func resolveObjects() {
        resolved.reserveCapacity(graph.objects.count)
        // The slots of made objects come first, so their total number is needed.
        let madeCount = graph.madeCount
        var next = madeCount + (owner == nil ? 0 : 1)
        var slotOfPlaceholder: [String: Int] = [:]
        for name in externalPlaceholders {
            slotOfPlaceholder[name] = next
            next += 1
        }
        var resolvedCount = 0
        let xml = xml
        for number in graph.objects.indices {
            guard !graph.objects[number].isMade else {
                if mode != .document, let aClass = classNumber(ofElement: graph.objects[number].element, xml) {
                    resolved.append(.object(resolvedCount, aClass))
                    resolvedCount += 1
                } else {
                    resolved.append(.unknown)
                }
                continue
            }
            let object = graph.objects[number]
            switch object.role {
            case .firstResponder: resolved.append(.firstResponder)
            case .owner:
                if let owner {
                    resolved.append(.object(madeCount, add(owner, object)))
                    checkName(of: owner, object)
                } else {
                    resolved.append(mode == .instantiation ? .absent : assumed(object))
                }
            case .placeholder(let identifier):
                let name = graph.placeholders[identifier]
                if let external = given[name], let slot = slotOfPlaceholder[name] {
                    resolved.append(.object(slot, add(external, object)))
                } else {
                    resolved.append(mode == .instantiation ? .absent : assumed(object))
                }
            case .made: preconditionFailure("made objects are above")
            }
        }
        for (name, fault, offset) in interfaceFaults() {
            add(
                .nibInterfaceInvalid, at: offset, subject: name, "The interface for nibs of \(quoted(name)): \(fault)",
                "Correct nibInterface of the class.")
        }
    }

    /// The placeholders of the document for which the caller passed an object, in the order of the document.
    private var externalPlaceholders: [String] {
        guard !given.isEmpty else { return [] }
        return graph.placeholders.filter { given[$0] != nil }
    }

    private func interfaceFaults() -> [(name: String, fault: String, offset: Int)] {
        var seen: Set<String> = []
        return classes.compactMap { known in
            guard let fault = known.table.faults.first ?? known.table.fault(for: known.type),
                seen.insert(known.table.name + fault).inserted
            else { return nil }
            return (known.table.name, fault, xml.offset(ofElement: known.firstElement))
        }
    }

    /// Adds the class of an object from the caller; returns its index.
    private mutating func add(_ external: any NibObject, _ object: NibGraph.Object) -> Int {
        classes.append(
            KnownClass(
                table: external.nibTable, type: type(of: external), member: nil, firstElement: object.element))
        return classes.count - 1
    }

    /// Class names that File's Owner has if the author did not choose a class.
    package static let unspecific: Set<String> = ["NSObject", "NSApplication", "UIResponder", "UIApplication"]

    private mutating func checkName(of owner: any NibObject, _ object: NibGraph.Object) {
        guard let attribute = xml.attribute(words.customClass, ofElement: object.element),
            case let name = xml.value(ofAttribute: attribute), !Self.unspecific.contains(name)
        else { return }
        // Covers a C class, and a class that was registered under another name.
        if name == owner.nibTable.name { return }
        if case .found(let member) = scope.aClass(named: name), member.aClass.registration.type == type(of: owner),
            !(owner is NibForeignObject)
        {
            return
        }
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

    /// The resolution of an object that the caller will pass: an object of the class that the document names.
    private mutating func assumed(_ object: NibGraph.Object) -> Resolved {
        guard mode == .declarations, let attribute = xml.attribute(words.customClass, ofElement: object.element),
            case let name = xml.value(ofAttribute: attribute), !Self.unspecific.contains(name)
        else { return .unknown }
        guard case .found(let member) = scope.aClass(named: name) else {
            // The application may have a class that no list declares.
            addUnknown(
                name, .warning, at: xml.offset(ofAttribute: attribute),
                "The class \(quoted(name)) is not declared, so its outlets and actions are not checked.",
                "Declare it in NibClasses.plist, let the plug-in register it, or correct customClass.")
            return .unknown
        }
        return .object(0, number(of: member, object.element))
    }

    /// The index of the class of an object that the nib makes; also counts the object.
    ///
    /// Nil if there is no class.
    ///
    /// `xml`: the document, passed in so that it is not retained and released for each object.
    private mutating func classNumber(ofElement element: Int, _ xml: XMLDocument) -> Int? {
        let attribute = xml.attribute(words.customClass, ofElement: element)
        if let attribute, let known = recentClasses.found({ xml.areSameValues($0, attribute) }),
            hasNoModule(element) || classes[known].member.map({ checkModule(of: $0, element) }) ?? false
        {
            count(known)
            return known
        }
        guard let member = member(ofElement: element) else { return nil }
        let number = number(of: member, element)
        if let attribute { recentClasses.note(number, for: attribute) }
        count(number)
        return number
    }

    /// Counts an object that the nib makes.
    private mutating func count(_ aClass: Int) {
        classes[aClass].count += 1
        if aClass == lastMade {
            made[made.count - 1].count += 1
        } else if let member = classes[aClass].member {
            made.append(NibPlan.Run(member: member, count: 1))
            lastMade = aClass
        }
    }

    private mutating func number(of member: NibClassLevel.Member, _ element: Int) -> Int {
        if let known = classNumbers[ObjectIdentifier(member)] { return known }
        classNumbers[ObjectIdentifier(member)] = classes.count
        classes.append(
            KnownClass(
                table: member.aClass.table, type: member.aClass.registration.type, member: member,
                firstElement: element))
        return classes.count - 1
    }

    private mutating func member(ofElement element: Int) -> NibClassLevel.Member? {
        guard let attribute = xml.attribute(words.customClass, ofElement: element) else {
            let elementName = xml.name(ofElement: element)
            switch scope.aClass(ofElement: elementName) {
            case .found(let member): return member
            case .ambiguous(let members):
                addAmbiguous(members, "the element", elementName, xml.offset(ofElement: element))
            case .missing:
                addUnknown(
                    elementName, at: xml.offset(ofElement: element),
                    "No class is registered for the element <\(elementName)>, and it has no customClass.",
                    remedy(ofElement: elementName))
            }
            return nil
        }
        let name = xml.value(ofAttribute: attribute)
        let offset = xml.offset(ofAttribute: attribute)
        switch scope.aClass(named: name) {
        case .found(let member): return checkModule(of: member, element) ? member : nil
        case .ambiguous(let members): addAmbiguous(members, "the class", name, offset)
        case .missing:
            func message() -> String { "The nib names the class \(quoted(name)), which nobody registered for it." }
            if !assumed.contains(name), isOfOwnBundle(name, element) {
                add(.nibClassMissing, at: offset, subject: name, message(), remedy(ofClass: name))
            } else {
                addUnknown(name, at: offset, message(), remedy(ofClass: name))
            }
        }
        return nil
    }

    /// Whether only the nib's own bundle can have a missing class.
    ///
    /// That is the case if the nib names the bundle or its module, or if the name is a misspelling of one of its
    /// classes.
    ///
    /// A name that is merely similar may be a class of the application.
    private mutating func isOfOwnBundle(_ name: String, _ element: Int) -> Bool {
        guard scope.levels.contains(where: \.isOwn) else { return false }
        if let provider = xml.attribute(words.customModuleProvider, ofElement: element),
            xml.isValue(ofAttribute: provider, "target")
        {
            return true
        }
        if let module = xml.value("customModule", ofElement: element), ownModules.contains(module) { return true }
        if let known = misspelt[name] { return known }
        let isSlip = findings.suggestions.isSlip(name, ofAny: ownNames)
        misspelt[name] = isSlip
        return isSlip
    }

    private func remedy(ofElement name: String) -> String {
        if name == "customObject" { return "Give it a customClass." }
        let close = findings.suggestions.names(near: name, among: scope.elements)
        return close.isEmpty
            ? "Register a class for the element, leave the element out by nibClasses.leaveOut, or give it a customClass."
            : "There is \(quotedList(close, or: "")); correct the element, or register a class for it."
    }

    private func remedy(ofClass name: String) -> String {
        if let path = resources.stranger(name) {
            return
                "The bundle \(quoted(path)) has it; add that bundle to PHRequires, or register the class in this one."
        }
        let close = findings.suggestions.names(near: name, among: scope.names)
        return close.isEmpty
            ? "Register the class in the plug-in's entry with plugin.register, or in nibClasses of the application."
            : "There is \(quotedList(close, or: "")); correct customClass, or register the class."
    }

    private func addAmbiguous(
        _ members: [NibClassLevel.Member], _ what: String, _ name: String, _ offset: Int
    ) {
        func owners() -> String {
            let paths = Set(members.map { $0.bundlePath ?? "the application" })
            return paths.count > 1 ? quotedList(paths, or: "") : quotedList(members.map(\.aClass.name), or: "")
        }
        add(
            .nibReferenceInvalid, at: offset, subject: name,
            "More than one registers \(what) \(quoted(name)): \(owners()).",
            "Give one of them a name of its own, or register one in the application.")
    }

    /// Whether an element does not state the class's module.
    private func hasNoModule(_ element: Int) -> Bool {
        xml.attribute(words.customModuleProvider, ofElement: element) == nil
            && xml.attribute(words.customModule, ofElement: element) == nil
    }

    /// Whether the class belongs to the module that the element names.
    private func checkModule(of member: NibClassLevel.Member, _ element: Int) -> Bool {
        let aClass = member.aClass
        if let provider = xml.attribute(words.customModuleProvider, ofElement: element),
            xml.value(ofAttribute: provider) == "target"
        {
            if scope.isOwn(member) { return true }
            add(
                .nibClassMissing, at: xml.offset(ofElement: element), subject: aClass.name,
                "The class \(quoted(aClass.name)) is to be of the nib's own bundle, and \(quoted(member.bundlePath ?? "the application")) has it.",
                "Remove customModuleProvider, or register a class of the bundle.")
            return false
        }
        guard let attribute = xml.attribute(words.customModule, ofElement: element) else { return true }
        let module = xml.value(ofAttribute: attribute)
        guard let actual = aClass.module, !module.isEmpty, module != actual else { return true }
        add(
            .nibClassMissing, at: xml.offset(ofAttribute: attribute), subject: aClass.name,
            "The nib names the module \(quoted(module)), and the class \(quoted(aClass.name)) is of \(quoted(actual)).",
            "Correct customModule.")
        return false
    }

    // MARK: Images and sounds

    private mutating func findResources() throws(NibFinding) {
        guard let list = xml.children(of: 0).first(where: { xml.isElement($0, named: "resources") }) else { return }
        var count = 0
        for element in xml.children(of: list) {
            let isImage = xml.isElement(element, named: "image")
            guard isImage || xml.isElement(element, named: "sound"),
                let attribute = xml.attribute("name", ofElement: element)
            else { continue }
            count += 1
            guard count <= limits.resources else {
                throw NibFinding(
                    code: .nibUnreadable, offset: xml.offset(ofElement: element),
                    message:
                        "The nib lists more than \(limits.resources) images and sounds, which is the limit.",
                    remedy:
                        "Divide the nib, or raise HostEnvironment.current.nibLimits.resources of the application.")
            }
            let name = xml.value(ofAttribute: attribute)
            if xml.value("catalog", ofElement: element) == "system" {
                systemMedia.insert("\(isImage ? "image" : "sound") \(name)")
            } else {
                _ = media(isImage, name, at: xml.offset(ofAttribute: attribute))
            }
        }
    }

    /// The image or sound with a name; nil if there is none.
    ///
    /// That is reported once, unless the document expects it from the system.
    mutating func media(_ isImage: Bool, _ name: String, at offset: Int) -> NibValue? {
        guard resources.looksForMedia else { return nil }
        let found: NibValue? =
            isImage ? resources.image(name).map { .image($0) } : resources.sound(name).map { .sound($0) }
        let what = isImage ? "image" : "sound"
        if found == nil, !systemMedia.contains("\(what) \(name)"), missingMedia.insert("\(what) \(name)").inserted {
            add(
                .nibResourceMissing, .warning, at: offset, subject: name,
                "Neither the nib's bundle nor the application has the \(what) \(quoted(name)).",
                "Add the file to the resources, or correct the name.")
        }
        return found
    }

    // MARK: Objects from the caller

    private func checkGiven() {
        if given.isEmpty { return }
        let known = Set(graph.placeholders)
        for name in given.keys.sorted() where !known.contains(name) {
            add(
                .nibPlaceholderMissing, .warning, at: nil, subject: name,
                "The nib was given an object for the placeholder \(quoted(name)), which it does not have.",
                known.isEmpty ? "Give it no placeholders." : "It has \(quotedList(known, or: "none")).")
        }
    }

    /// Reports a connection to an object that the caller did not pass.
    mutating func addAbsent(_ object: Int, at offset: Int) {
        guard notedAbsent.insert(object).inserted else { return }
        if let name = graph.placeholder(of: object) {
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
        let required = classes.map { $0.table.requiredOutlets }
        if required.contains(where: { !$0.isEmpty }) {
            let identities = required.map { Set($0.map { ObjectIdentifier($0) }) }
            for number in resolved.indices {
                guard case .object(_, let aClass) = resolved[number], !required[aClass].isEmpty else { continue }
                let lacks = required[aClass].count - connectedCount(of: number, among: identities[aClass])
                guard lacks > 0 else { continue }
                // Looking for each of them takes time proportional to the number of the class's outlets.
                guard findings.lists(.error) else {
                    findings.addUnlisted(.error, lacks)
                    continue
                }
                requireOutlets(
                    required[aClass], of: classes[aClass].table, number,
                    at: xml.offset(ofElement: graph.objects[number].element))
            }
        }
        if graph.owner == nil, let owner {
            requireOutlets(owner.nibTable.requiredOutlets, of: owner.nibTable, nil, at: nil)
        }
    }

    private func requireOutlets(
        _ required: [NibOutlet], of table: NibClassTable, _ object: Int?, at offset: Int?
    ) {
        for outlet in required {
            if let object, destination(of: ObjectIdentifier(outlet), of: object) != nil { continue }
            add(
                .nibOutletUnconnected, at: offset, subject: outlet.name,
                "The required outlet \(quoted(outlet.name)) of \(quoted(table.name)) is not connected.",
                "Connect it to a \(quoted(outlet.target.name ?? "NibObject")).")
        }
    }

    /// How many of the given outlets of an object are connected.
    private func connectedCount(of object: Int, among outlets: Set<ObjectIdentifier>) -> Int {
        var count = 0
        var next = lastConnected[object]
        while let number = next {
            if outlets.contains(connected[number].outlet) { count += 1 }
            next = connected[number].previous
        }
        return count
    }

    // MARK: For the extensions

    /// Records the destination of a declared outlet; returns false if the outlet already has one.
    mutating func noteOutlet(_ object: Int, _ outlet: ObjectIdentifier, to destination: Int) -> Bool {
        guard self.destination(of: outlet, of: object) == nil else { return false }
        let previous = lastConnected[object]
        let place = previous.map { connected[$0].place + 1 } ?? 0
        connected.append(
            ConnectedOutlet(outlet: outlet, destination: destination, previous: previous, place: place))
        lastConnected[object] = connected.count - 1
        if place == Self.mostCompared {
            var next = lastConnected[object]
            while let number = next {
                destinations[OutletIdentity(object: object, outlet: connected[number].outlet)] =
                    connected[number].destination
                next = connected[number].previous
            }
        } else if place > Self.mostCompared {
            destinations[OutletIdentity(object: object, outlet: outlet)] = destination
        }
        return true
    }

    /// Records the destination of an outlet that no class declares; returns false if the outlet already has one.
    mutating func noteUndeclared(_ object: Int, _ name: String, to destination: Int) -> Bool {
        undeclared.updateValue(destination, forKey: OutletKey(object: object, name: name)) == nil
    }

    func destination(ofOutlet name: String, of object: Int) -> Int? {
        if case .object(_, let aClass) = resolved[object], let outlet = classes[aClass].table.outlets[name] {
            return destination(of: ObjectIdentifier(outlet), of: object)
        }
        return undeclared[OutletKey(object: object, name: name)]
    }

    /// Most objects have few connected outlets, which are compared one by one.
    private func destination(of outlet: ObjectIdentifier, of object: Int) -> Int? {
        guard let last = lastConnected[object] else { return nil }
        if connected[last].place >= Self.mostCompared {
            return destinations[OutletIdentity(object: object, outlet: outlet)]
        }
        var next: Int? = last
        while let number = next {
            if connected[number].outlet == outlet { return connected[number].destination }
            next = connected[number].previous
        }
        return nil
    }

    /// Beyond this number, a dictionary is faster than comparing one by one.
    static let mostCompared = 16

    /// The name of an object for messages: its id, otherwise its element.
    func shown(_ object: Int) -> String {
        switch graph.objects[object].role {
        case .owner: "File's Owner"
        case .firstResponder: "First Responder"
        case .placeholder(let identifier): "the placeholder \(quoted(graph.placeholders[identifier]))"
        case .made:
            graph.id(of: object).map { quoted($0) } ?? "<\(xml.name(ofElement: graph.objects[object].element))>"
        }
    }
}
