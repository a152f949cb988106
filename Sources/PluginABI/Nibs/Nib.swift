/// A nib file in memory: read and parsed once, to make its objects as often as they are needed.
///
/// ```swift
/// let made = try context.nib("Summary").instantiate(owner: card)
/// ```
/// The bundles that have nibs give them: `PluginContext.nib(_:)` in a plug-in, `PluginBundle.nib(named:)` in the application.
///
/// **Threads.** Any, at once. Objects belong to the thread that instantiates. **Lifetime.** Makes objects also after its
/// bundle was unloaded: the bundle is loaded again.
public final class Nib: Sendable {
    /// For the host, which implements it.
    @_spi(PluginHost) public let services: any NibServices

    /// For the host.
    @_spi(PluginHost)
    public init(services: any NibServices) { self.services = services }

    /// The nib's name, without extension and variant.
    public var name: String { services.name }

    /// Makes the objects, sets their attributes, connects them, and wakes them.
    ///
    /// Everything is checked before the first object is made: classes, outlets, actions, attributes, the owner and the
    /// placeholders. Then nothing can fail but an initialiser and a connector.
    ///
    /// - Parameters:
    ///   - owner: the object that stands for File's Owner; nil for a nib that does not connect it.
    ///   - placeholders: the objects that stand for the nib's other placeholders, by their identifiers; `Application` is one.
    ///   - options: how actions to First Responder and connections of other kinds are treated.
    /// - Returns: what was made. Keep it, or outlets to its objects: nothing else owns the top-level objects.
    /// - Throws: `PluginError` with every problem of the nib and its place in the file. Nothing was made then, or what was
    ///   made is released; the owner is untouched.
    ///
    /// **Cost.** The first time the document is resolved against the classes; afterwards only when languages, device, scale
    /// or the code of its classes changed.
    @discardableResult
    public func instantiate(
        owner: (any NibObject)? = nil, placeholders: [String: any NibObject] = [:], options: NibOptions = NibOptions()
    ) throws -> NibInstance {
        try services.instantiate(owner: owner, placeholders: placeholders, options: options, connected: nil)
    }
}

/// What one instantiation of a nib made.
///
/// **Threads.** The thread that instantiated. **Lifetime.** Owns every object that the nib made.
public final class NibInstance {
    /// Every object that the nib made, in the order of the document; what stands for placeholders is not among them.
    public private(set) var objects: [any NibObject]
    private let names: any NibNames
    private let slots: [Int?]
    private let topLevel: [Int]
    private let census: any NibCensus

    /// For the host.
    ///
    /// `names`: the numbers of the document's objects, by their ids. `slots`: by those numbers, where the object is in `objects`;
    /// behind its end or nil for one that the nib did not make. `topLevel`: where those without parent are.
    @_spi(PluginHost)
    public init(
        objects: [any NibObject], names: any NibNames, slots: [Int?], topLevel: [Int],
        census: any NibCensus
    ) {
        self.objects = objects
        self.census = census
        self.names = names
        self.slots = slots
        self.topLevel = topLevel
    }

    deinit { census.release(&objects) }

    /// For the host: the objects that have an id, by it.
    @_spi(PluginHost)
    public var named: [(id: String, object: any NibObject)] {
        names.all.compactMap { id, _ in object(id).map { (id, $0) } }
    }

    /// The objects that no other object contains, in the order of the document.
    public var topLevelObjects: [any NibObject] { topLevel.map { objects[$0] } }

    /// An object by its id in the document; nil if the nib made none of that id.
    public func object(_ id: String) -> (any NibObject)? {
        guard let number = names.number(ofObject: id), let slot = slots[number], slot < objects.count
        else { return nil }
        return objects[slot]
    }

    /// An object by its id.
    ///
    /// - Parameters:
    ///   - id: the id in the document.
    ///   - type: the object's class or a superclass of it.
    /// - Returns: nil if the nib made none of that id, or one of another class.
    public func object<Object: NibObject>(_ id: String, as type: Object.Type) -> Object? { object(id) as? Object }
}

/// How a nib is instantiated.
public struct NibOptions {
    /// Asked at each send of an action whose target is First Responder: the objects that may have the action, the first one
    /// first.
    public var responders: () -> [any NibObject] = { [] }
    /// Establishes the connections of a kind that PluginHost does not know, such as `binding`, by the name of their
    /// element.
    ///
    /// A kind without connector is an error (`nibUnsupported`).
    public var connectors: [String: (NibConnection) throws -> Void] = [:]

    /// Options that differ from the defaults where they are set.
    public init() {}
}

/// A connection of a kind that the application establishes.
///
/// See ``NibOptions/connectors``.
public struct NibConnection {
    /// The name of the connection's element.
    public let kind: String
    /// The object that the connection stands in.
    public let source: any NibObject
    /// The object that it leads to; nil if it names none, and for First Responder.
    public let destination: (any NibObject)?
    /// Every attribute of the element.
    public let attributes: [String: String]

    /// For the host.
    @_spi(PluginHost)
    public init(
        kind: String, source: any NibObject, destination: (any NibObject)?, attributes: [String: String]
    ) {
        self.kind = kind
        self.source = source
        self.destination = destination
        self.attributes = attributes
    }
}

/// The objects of a nib's document by their ids.
@_spi(PluginHost)
public protocol NibNames: AnyObject, Sendable {
    /// The number of an object in the document.
    func number(ofObject id: String) -> Int?
    /// The objects that have an id, in the order of the document.
    var all: [(id: String, number: Int)] { get }
}

/// Counts the objects of an instance that are not destroyed with it.
@_spi(PluginHost)
public protocol NibCensus: AnyObject, Sendable {
    /// Releases the objects, the first one first.
    func release(_ objects: inout [any NibObject])
}

/// What the host does for a ``Nib``.
@_spi(PluginHost)
public protocol NibServices: AnyObject, Sendable {
    var name: String { get }
    /// `connected`: gets what was made when it is connected, before any object wakes.
    func instantiate(
        owner: (any NibObject)?, placeholders: [String: any NibObject], options: NibOptions,
        connected: ((NibInstance) -> Void)?
    ) throws -> NibInstance
}
