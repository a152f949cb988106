/// A nib file in memory: read and parsed once, and instantiated as often as needed.
///
/// ```swift
/// let made = try context.nib("Summary").instantiate(owner: card)
/// ```
/// Get one from `PluginContext.nib(_:)` in a plug-in, or from `PluginBundle.nib(named:)` in the application.
///
/// **Threads.** Any, at the same time. Objects belong to the thread that instantiates. **Lifetime.** A nib also works
/// after its bundle was unloaded: instantiating loads the bundle again.
public final class Nib: Sendable {
    /// For the host, which implements it.
    @_spi(PluginHost) public let services: any NibServices

    /// For the host.
    @_spi(PluginHost)
    public init(services: any NibServices) { self.services = services }

    /// The nib's name, without extension and variant.
    public var name: String { services.name }

    /// Makes the objects, sets their attributes, connects them, and calls `awakeFromNib`.
    ///
    /// Everything is checked before the first object is made: classes, outlets, actions, attributes, the owner and the
    /// placeholders. Afterwards only an initialiser or a connector can fail.
    ///
    /// - Parameters:
    ///   - owner: the object to use as File's Owner; nil if the nib does not connect it.
    ///   - placeholders: the objects to use for the nib's other placeholders, by their identifiers; `Application` is
    ///     one of them.
    ///   - options: how to treat actions to First Responder and connections of other kinds.
    /// - Returns: the instance with its objects. Keep it, or outlets to its objects: nothing else owns the top-level
    ///   objects.
    /// - Throws: `PluginError` with a finding for every fault of the nib and its position in the file. No object
    ///   remains: either none was made, or those that were made are released. The owner is unchanged.
    ///
    /// **Cost.** The first call resolves the document against the classes. Later calls do this again only if the
    /// languages, the device, the scale or the code of the classes changed.
    @discardableResult
    public func instantiate(
        owner: (any NibObject)? = nil, placeholders: [String: any NibObject] = [:], options: NibOptions = NibOptions()
    ) throws -> NibInstance {
        try services.instantiate(owner: owner, placeholders: placeholders, options: options, connected: nil)
    }
}

/// The result of instantiating a nib once.
///
/// **Threads.** The thread that instantiated. **Lifetime.** Owns every object that the nib made.
public final class NibInstance {
    /// Every object that the nib made, in the order of the document; the objects passed for placeholders are not among
    /// them.
    public private(set) var objects: [any NibObject]
    private let names: any NibNames
    private let slots: [Int?]
    private let topLevel: [Int]
    private let census: any NibCensus

    /// For the host.
    ///
    /// `names`: the number of each object of the document, by id. `slots`: for each number, the index in `objects`;
    /// nil, or an index past the end, for an object that the nib did not make. `topLevel`: the indices of the objects
    /// without a parent.
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

    /// For the host: the objects that have an id, with their ids.
    @_spi(PluginHost)
    public var named: [(id: String, object: any NibObject)] {
        names.all.compactMap { id, _ in object(id).map { (id, $0) } }
    }

    /// The objects that no other object contains, in the order of the document.
    public var topLevelObjects: [any NibObject] { topLevel.map { objects[$0] } }

    /// The object with an id in the document; nil if the nib made none with that id.
    public func object(_ id: String) -> (any NibObject)? {
        guard let number = names.number(ofObject: id), let slot = slots[number], slot < objects.count
        else { return nil }
        return objects[slot]
    }

    /// The object with an id, as its class.
    ///
    /// - Parameters:
    ///   - id: the id in the document.
    ///   - type: the object's class or a superclass of it.
    /// - Returns: nil if the nib made none with that id, or if it is of another class.
    public func object<Object: NibObject>(_ id: String, as type: Object.Type) -> Object? { object(id) as? Object }
}

/// How a nib is instantiated.
public struct NibOptions {
    /// Returns the objects that may handle an action whose target is First Responder, the first one first.
    ///
    /// Called each time such an action is sent.
    public var responders: () -> [any NibObject] = { [] }
    /// Closures that establish the connections of kinds that PluginHost does not know, such as `binding`, by the name
    /// of their XML element.
    ///
    /// A kind without a connector is an error (`nibUnsupported`).
    public var connectors: [String: (NibConnection) throws -> Void] = [:]

    /// Creates options with the default values.
    public init() {}
}

/// A connection of a kind that the application establishes.
///
/// See ``NibOptions/connectors``.
public struct NibConnection {
    /// The name of the connection's element.
    public let kind: String
    /// The object whose element contains the connection.
    public let source: any NibObject
    /// The object at the other end; nil if the connection names none, and for First Responder.
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

/// The objects of a nib's document, by id.
@_spi(PluginHost)
public protocol NibNames: AnyObject, Sendable {
    /// The number of an object in the document.
    func number(ofObject id: String) -> Int?
    /// The objects with an id, in the order of the document.
    var all: [(id: String, number: Int)] { get }
}

/// Releases the objects of an instance, and counts those that outlive it.
@_spi(PluginHost)
public protocol NibCensus: AnyObject, Sendable {
    /// Releases the objects, from first to last.
    func release(_ objects: inout [any NibObject])
}

/// What the host does for a ``Nib``.
@_spi(PluginHost)
public protocol NibServices: AnyObject, Sendable {
    var name: String { get }
    /// `connected`: receives the instance after its objects are connected and before any of them wakes.
    func instantiate(
        owner: (any NibObject)?, placeholders: [String: any NibObject], options: NibOptions,
        connected: ((NibInstance) -> Void)?
    ) throws -> NibInstance
}
