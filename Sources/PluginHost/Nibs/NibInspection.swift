@_spi(PluginHost) internal import PluginABI
internal import PropertyLists

/// A nib as the tools see it: what its document says, and what is wrong with it, without running code.
///
/// **Threads.** A value.
@_spi(Tools) public struct NibInspection: Sendable {
    /// The classes that a nib is checked against.
    @_spi(Tools) public struct Classes: Sendable {
        /// Those of the nib's own bundle.
        @_spi(Tools) public var own: [NibClassList] = []
        /// Those of the bundles that it requires, with the bundles' paths.
        @_spi(Tools) public var required: [(list: NibClassList, path: String)] = []
        /// Those of the application.
        @_spi(Tools) public var application: [NibClassList] = []

        /// No classes: the document alone is checked.
        @_spi(Tools) public init() {}

        /// Whether there is no list.
        @_spi(Tools) public var isEmpty: Bool { own.isEmpty && required.isEmpty && application.isEmpty }

        /// What is wrong with the superclasses that the lists name.
        @_spi(Tools) public var faults: [NibClassList.Fault] { declared.faults }

        var declared: DeclaredNibClasses {
            DeclaredNibClasses(own: own, required: required, application: application)
        }
    }

    /// What a check of one nib found.
    @_spi(Tools) public struct Report: Sendable {
        /// Errors and warnings, with their places.
        @_spi(Tools) public var findings: [PluginFinding] = []
        /// The missing classes that only the nib's own bundle can have.
        @_spi(Tools) public var missingOwnClasses: Set<String> = []
        /// What is worth a look, with codes of their own, severity `warning`.
        @_spi(Tools) public var notes: [PluginFinding] = []
        /// The outlets and actions that classes of the nib's objects declare, each with the note to make where no nib
        /// connects it.
        @_spi(Tools) public var declared: [Member: PluginFinding] = [:]
        /// Those that the nib connects.
        @_spi(Tools) public var connected: Set<Member> = []
    }

    /// An outlet or an action of a class.
    @_spi(Tools) public struct Member: Sendable, Hashable {
        /// The outermost superclass that declares it.
        @_spi(Tools) public let className: String
        /// Its name.
        @_spi(Tools) public let name: String
        /// Whether it is an action.
        @_spi(Tools) public let isAction: Bool
    }

    /// The file, or the name of bytes without one.
    @_spi(Tools) public let path: String
    let document: NibDocument
    /// The ids of its bindings, of which a table may have texts.
    let bindings: Set<String>

    /// Reads a nib's file.
    ///
    /// - Throws: ``PluginError`` of code `nibMissing`, `nibUnreadable` or `nibUnsupported`.
    @_spi(Tools) public init(path: String) throws(PluginError) {
        try self.init(NibFile.bytes(atPath: path, bundlePath: Path.parent(path)), named: path)
    }

    /// Reads a nib of bytes.
    ///
    /// - Throws: ``PluginError`` of code `nibUnreadable` or `nibUnsupported`.
    @_spi(Tools) public init(_ bytes: [UInt8], named path: String) throws(PluginError) {
        self.path = path
        document = try NibDocument(
            bytes, path: path, bundlePath: Path.parent(path), limits: HostEnvironment.current.nibLimits)
        bindings = Self.bindings(in: document.xml)
    }

    // MARK: What it holds

    private var graph: NibGraph {
        NibGraph(
            document.xml, root: document.root, leavingOut: [], limits: HostEnvironment.current.nibLimits,
            knowsClasses: false, registered: { _ in false })
    }

    /// The class that the document names for File's Owner; nil for none.
    @_spi(Tools) public var ownerClass: String? {
        let graph = graph
        return graph.owner.flatMap { document.xml.value("customClass", ofElement: graph.objects[$0].element) }
    }

    /// How many objects, outlets and actions it has; collections count with each of their objects.
    @_spi(Tools) public var counts: (objects: Int, outlets: Int, actions: Int) {
        let graph = graph
        let kinds = graph.connections.map { document.xml.name(ofElement: $0.element) }
        return (
            graph.objects.count { $0.role == .made }, kinds.count { $0 == "outlet" || $0 == "outletCollection" },
            kinds.count { $0 == "action" }
        )
    }

    /// What a nib of another language must have too: its objects with their classes, and its connections.
    @_spi(Tools) public var shape: Set<String> {
        let graph = graph
        let xml = document.xml
        var shape: Set<String> = []
        for (number, object) in graph.objects.enumerated() {
            let aClass = xml.value("customClass", ofElement: object.element) ?? xml.name(ofElement: object.element)
            shape.insert("the object “\(graph.textKey(of: number))” of the class “\(aClass)”")
        }
        for part in graph.connections {
            let source = graph.textKey(of: part.object)
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
                "the reference <\(xml.name(ofElement: reference.element))> from “\(graph.textKey(of: reference.parent))” to “\(xml.value(ofAttribute: reference.attribute))”"
            )
        }
        return shape
    }

    /// The identifiers of the placeholders that it connects or is connected to.
    var placeholderNames: [String] {
        let graph = graph
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

    /// The ids of its objects.
    @_spi(Tools) public var ids: Set<String> { Set(graph.indices.values) }

    // MARK: Checking

    /// Checks the nib.
    ///
    /// - Parameters:
    ///   - classes: the classes that it may name; without any, the document alone is checked.
    ///   - bundle: where its images and sounds are; nil to leave them out.
    /// - Returns: everything that was found.
    @_spi(Tools) public func report(classes: Classes, in bundle: PluginBundle?) -> Report {
        let declared = classes.declared
        var planner = planner(
            declared.scope, Self.resources(of: bundle), mode: classes.isEmpty ? .document : .declarations)
        planner.check()
        let notes = NibNotes(planner, declared: declared)
        var report = Report(findings: located(planner.findings), notes: located(notes.notes))
        let members = notes.members.sorted { ($0.value.offset ?? 0, $0.key.name) < ($1.value.offset ?? 0, $1.key.name) }
        for (member, note) in members { report.declared[member] = located([note]).first }
        report.connected = notes.connected
        report.missingOwnClasses = Set(planner.missingClasses.filter(\.value).keys)
        return report
    }

    func located(_ findings: [NibFinding]) -> [PluginFinding] {
        NibFinding.located(findings, in: document.xml, path: path)
    }

    func planner(_ scope: NibScope, _ resources: NibPlanner.Resources, mode: NibPlanner.Mode) -> NibPlanner {
        NibPlanner(
            document.xml, root: document.root, scope: scope, resources: resources,
            limits: HostEnvironment.current.nibLimits, owner: nil, placeholders: [:], connectors: [], mode: mode)
    }

    static func resources(of bundle: PluginBundle?) -> NibPlanner.Resources {
        var resources = NibPlanner.Resources()
        if let bundle {
            resources.image = { bundle.image(named: $0) }
            resources.sound = { bundle.sound(named: $0) }
        } else {
            resources.looksForMedia = false
        }
        return resources
    }
}
