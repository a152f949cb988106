import HostBasics
@_spi(PluginHost) package import PluginABI
package import PropertyLists

/// Resolves a nib's document against classes, tables and resources, and collects all faults.
///
/// It works in stages, each of which reads the results of those before it: ``NibResolution`` (classes and slots),
/// ``NibAttributes``, ``NibContainment``, ``NibConnections``, ``NibRuntimeAttributes``, ``NibRequiredOutlets``. All of
/// them add steps to ``NibSteps`` and faults to ``findings``.
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

    /// The document with the classes of its objects.
    let nib: ResolvedNib
    private let scope: NibScope
    private let externals: NibExternals
    /// The steps by phase.
    private let steps: [Rows<NibPlan.Step>]
    /// The functions that the steps call.
    private let functions: NibPlan.Functions
    /// The kinds of connections that the caller must establish.
    private let connectorKinds: Set<String>

    /// All findings.
    package var findings: NibFindings { nib.findings }

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
        self.scope = scope
        externals = NibExternals(owner: owner, placeholders: placeholders)
        let graph = NibGraph(
            xml, root: root, leavingOut: scope.elementsLeftOut, knowsClasses: mode != .document,
            registered: scope.isRegistered(element:))
        if let excess = graph.excess(over: limits) { throw excess }
        let media = try NibMedia(graph, resources, limits: limits)
        let lookup = NibClassLookup(graph, scope: scope, assuming: assumed, stranger: resources.stranger)
        var resolution = NibResolution(graph, scope: scope, lookup, externals, mode: mode)
        nib = resolution.resolve()

        let steps = NibSteps()
        var setting = NibValueSetting(nib, translate: resources.translate, media, steps)
        var attributes = NibAttributes(nib)
        attributes.set(&setting)
        var outlets = NibOutlets(nib, steps)
        var containment = NibContainment(nib)
        containment.set(&outlets)
        var connections = NibConnections(nib, connectors: connectors, steps)
        connections.connect(&outlets, &containment)
        containment.setCollections(&outlets)
        NibRuntimeAttributes(nib).set(&setting, outlets.connected)
        NibRequiredOutlets(nib: nib, connected: outlets.connected).check(owner)

        self.steps = steps.lists
        functions = NibPlan.Functions(
            attributes: setting.setters, outlets: outlets.setters, events: connections.events.setters,
            messages: connections.events.messages)
        connectorKinds = connections.connectorKinds
        checkExternals()
    }

    /// The plan; nil if there are errors.
    ///
    /// ``findings`` contains the errors.
    package func plan() -> NibPlan? {
        guard !findings.hasErrors else { return nil }
        let slots = nib.resolved.indices.map { number -> NibPlan.Slot? in
            guard nib.graph.objects[number].isMade, case .object(let slot, _) = nib.resolved[number] else { return nil }
            return slot
        }
        return NibPlan(
            scope: scope, isMainActor: nib.classes.contains { $0.table.isMainActor }, made: nib.made,
            placeholders: externals.names(in: nib.graph), hasOwner: externals.owner != nil, steps: steps,
            functions: functions, wakes: wakes(slots), connectorKinds: connectorKinds, graph: nib.graph, slots: slots)
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
            close(to: nib.graph.objects[number].parent)
            open.append(number)
        }
        close(to: nil)
        return order
    }

    private func checkExternals() {
        if externals.placeholders.isEmpty { return }
        let known = Set(nib.graph.placeholders)
        for name in externals.placeholders.keys.sorted() where !known.contains(name) {
            findings.add(
                .nibPlaceholderMissing, .warning, at: nil, subject: name,
                "The nib was given an object for the placeholder \(quoted(name)), which it does not have.",
                known.isEmpty ? "Give it no placeholders." : "It has \(quotedList(known, or: "none")).")
        }
    }

    // MARK: Names and limits of all stages

    /// Class names that File's Owner has if the author did not choose a class.
    package static let unspecific: Set<String> = ["NSObject", "NSApplication", "UIResponder", "UIApplication"]

    /// The XML attributes of an object's element that are not attributes of the object.
    static let reserved: Set<String> = [
        "id", "key", "customClass", "customModule", "customModuleProvider", "userLabel", "sceneMemberID",
        "placeholderIdentifier",
    ]

    /// Beyond this number, a dictionary is faster than comparing one by one.
    static let mostCompared = 16
}
