public import HostBasics
@_spi(PluginHost) internal import PluginABI
internal import PropertyLists

/// A nib as the tools see it: the content of its document, and its faults, found without running code.
///
/// **Threads.** A value.
public struct NibInspection: Sendable {
    /// The classes that a nib is checked against.
    public struct Classes: Sendable {
        /// The lists of the nib's own bundle.
        public var own: [NibClassList] = [] { didSet { known = Known() } }
        /// The lists of the bundles that it requires, with the bundles' paths.
        public var required: [(list: NibClassList, path: String)] = [] { didSet { known = Known() } }
        /// The lists of the application.
        public var application: [NibClassList] = [] { didSet { known = Known() } }
        private var known = Known()

        /// No classes; only the document itself is checked.
        public init() {}

        /// Whether there is no list.
        public var isEmpty: Bool { own.isEmpty && required.isEmpty && application.isEmpty }

        /// The faults in the superclasses that the lists name.
        public var faults: [NibClassList.Fault] { declared.faults }

        /// The classes, prepared once for all nibs.
        var declared: DeclaredNibClasses {
            if let declared = known.classes.withLock({ $0 }) { return declared }
            let declared = DeclaredNibClasses(own: own, required: required, application: application)
            known.classes.withLock { $0 = declared }
            return declared
        }

        /// What to check a nib for.
        var mode: NibPlanner.Mode { isEmpty || declared.isTooLarge ? .document : .declarations }

        private final class Known: Sendable {
            let classes = Lock<DeclaredNibClasses?>(nil)
        }
    }

    /// The result of checking one nib.
    public struct Report: Sendable {
        /// Errors and warnings, with their positions.
        public var findings: [PluginFinding] = []
        /// The first finding about each class or element that no list declares; empty if a list of the application is
        /// known.
        ///
        /// The application may have these classes and elements, so they do not displace any other findings.
        public var unknownClasses: [PluginFinding] = []
        /// Hints worth a look, with their own codes and the severity `warning`.
        public var notes: [PluginFinding] = []
        /// The outlets and actions that the classes of the nib's objects declare, each with the position of the first
        /// object that has it.
        public var declared: [(member: Member, place: PluginFinding.Place)] = []
        /// The outlets and actions that the nib connects.
        public var connected: Set<Member> = []
        /// Whether the nib exceeds the limits.
        ///
        /// If so, there is only that one finding, and nothing else was checked.
        public var isRefused = false
    }

    /// An outlet or an action of a class.
    public struct Member: Sendable, Hashable {
        /// The outermost superclass that declares it.
        public let className: String
        /// Its name.
        public let name: String
        /// Whether it is an action.
        public let isAction: Bool
    }

    /// The file, or a name for bytes in memory.
    public let path: String
    private let limits: NibLimits
    let document: NibDocument
    /// The ids of the nib's bindings, for which a table may have texts.
    let bindings: Set<String>
    /// The objects as far as the document alone determines them.
    private let graph: NibGraph

    /// Reads a nib's file.
    ///
    /// - Throws: ``PluginError`` of code `nibMissing`, `nibUnreadable` or `nibUnsupported`.
    public init(path: String, limits: NibLimits) throws(PluginError) {
        try self.init(
            NibDocument.bytes(atPath: path, bundlePath: Path.parent(path), limits: limits), named: path, limits: limits)
    }

    /// Reads a nib from bytes.
    ///
    /// - Throws: ``PluginError`` of code `nibUnreadable` or `nibUnsupported`.
    public init(_ bytes: [UInt8], named path: String, limits: NibLimits) throws(PluginError) {
        self.path = path
        self.limits = limits
        document = try NibDocument(bytes, path: path, bundlePath: Path.parent(path), limits: limits)
        bindings = Self.bindings(in: document.xml)
        graph = NibGraph(
            document.xml, root: document.root, leavingOut: [], knowsClasses: false, registered: { _ in false })
    }

    // MARK: What it holds

    /// The class that the document names for File's Owner; nil for none.
    public var ownerClass: String? {
        graph.owner.flatMap { document.xml.value("customClass", ofElement: graph.objects[$0].element) }
    }

    /// The number of objects, outlets and actions.
    ///
    /// A collection counts once for each of its objects.
    public var counts: (objects: Int, outlets: Int, actions: Int) {
        let kinds = graph.connections.map { document.xml.name(ofElement: $0.element) }
        return (
            graph.objects.count { $0.role == .made }, kinds.count { $0 == "outlet" || $0 == "outletCollection" },
            kinds.count { $0 == "action" }
        )
    }

    /// The parts that a nib in another language must have too: its objects with their classes, and its connections.
    public var shape: Set<String> {
        let xml = document.xml
        func key(_ object: Int) -> String { graph.textKey(of: object) ?? "…" }
        var shape: Set<String> = []
        // Editors differ in the unused placeholders that they write, so only connections of placeholders are compared.
        for (number, object) in graph.objects.enumerated() where object.isMade || object.role == .owner {
            let aClass = xml.value("customClass", ofElement: object.element) ?? xml.name(ofElement: object.element)
            shape.insert("the object “\(key(number))” of the class “\(aClass)”")
        }
        for part in graph.connections {
            let source = key(part.object)
            let name =
                xml.value("property", ofElement: part.element) ?? xml.value("selector", ofElement: part.element)
                ?? xml.value("name", ofElement: part.element) ?? ""
            let destination =
                xml.value("destination", ofElement: part.element) ?? xml.value("target", ofElement: part.element) ?? ""
            shape.insert(
                "the connection “\(name)” of the kind <\(xml.name(ofElement: part.element))> from “\(source)” to “\(destination)”"
            )
        }
        for reference in graph.references {
            shape.insert(
                "the reference <\(xml.name(ofElement: reference.element))> from “\(key(reference.parent))” to “\(xml.value(ofAttribute: reference.attribute))”"
            )
        }
        return shape
    }

    /// The identifiers of the placeholders that have connections or are a destination of one.
    package var placeholderNames: [String] {
        let sources = Set(graph.connections.map(\.object) + graph.references.map(\.parent))
        let destinations = Set(
            graph.connections.flatMap { part in
                [
                    document.xml.attribute("destination", ofElement: part.element),
                    document.xml.attribute("target", ofElement: part.element),
                ]
                .compactMap { $0.flatMap(graph.indices.number(of:)) }
            } + graph.references.compactMap { graph.indices.number(of: $0.attribute) })
        return sources.union(destinations).sorted().compactMap(graph.placeholder(of:))
    }

    /// Whether it has an object with an id.
    public func hasObject(ofID id: String) -> Bool { graph.object(ofID: id) != nil }

    // MARK: Checking

    /// Checks the nib, without its images and sounds.
    ///
    /// - Parameter classes: the classes that it may name; if empty, only the document itself is checked.
    /// - Returns: all findings.
    public func report(classes: Classes) -> Report { report(classes: classes, Self.noResources) }

    /// Checks the nib.
    ///
    /// - Parameters:
    ///   - classes: the classes that it may name; if empty, only the document itself is checked.
    ///   - resources: where its images and sounds are.
    /// - Returns: all findings.
    package func report(classes: Classes, _ resources: NibPlanner.Resources) -> Report {
        let declared = classes.declared
        let planner: NibPlanner
        do throws(NibFinding) {
            planner = try self.planner(declared.scope, resources, mode: classes.mode)
        } catch {
            return Report(findings: located(error), isRefused: true)
        }
        let notes = NibNotes(planner, declared: declared)
        var report = Report(
            notes: notes.findings.located(in: document.xml, path: path), connected: notes.connected)
        if classes.application.isEmpty {
            report.findings = located(planner.findings, [.error, .warning])
            report.unknownClasses = located(planner.findings, [.unknownClass])
        } else {
            report.findings = located(planner.findings)
        }
        let offsets = Set(notes.members.map(\.offset)).sorted()
        let places = Dictionary(
            uniqueKeysWithValues: zip(
                offsets, document.xml.places(of: offsets).map { PluginFinding.Place(line: $0.line, column: $0.column) })
        )
        report.declared = notes.members.compactMap { member, offset in places[offset].map { (member, $0) } }
        return report
    }

    package func located(_ findings: NibFindings, _ kinds: [NibFindings.Kind] = NibFindings.Kind.allCases)
        -> [PluginFinding]
    {
        findings.located(kinds, in: document.xml, path: path)
    }

    package func located(_ finding: NibFinding) -> [PluginFinding] {
        NibFinding.located([finding], in: document.xml, path: path)
    }

    package func planner(
        _ scope: NibScope, assuming assumed: Set<String> = [], _ resources: NibPlanner.Resources, mode: NibPlanner.Mode
    ) throws(NibFinding) -> NibPlanner {
        try NibPlanner(
            document.xml, root: document.root, scope: scope, assuming: assumed, resources: resources,
            limits: limits, owner: nil, placeholders: [:], connectors: [], mode: mode)
    }

    /// For a nib without its bundle: images and sounds are ignored.
    static var noResources: NibPlanner.Resources {
        var resources = NibPlanner.Resources()
        resources.looksForMedia = false
        return resources
    }
}
