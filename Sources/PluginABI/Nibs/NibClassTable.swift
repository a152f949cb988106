// The part of a NibInterface that the host reads. Not frozen and not for plug-ins: it never leaves the library that
// contains this module and the host.

/// The declarations of one class, including the inherited ones.
@_spi(PluginHost)
public final class NibClassTable: Sendable {
    /// The class that the interface was declared for.
    ///
    /// For a subclass that does not declare its own interface, this is the superclass.
    public let type: any NibObject.Type
    /// The class's name, without its module.
    public let name: String
    /// The class names for which an outlet or action with ``NibTarget/named(_:)`` or ``NibTarget/foreign(_:)`` accepts
    /// objects of this class: its own name.
    ///
    /// A class that only a class list declares also has the names of its superclasses and interfaces.
    public let kinds: Set<String>
    /// Whether the closures must run on the main actor.
    public let isMainActor: Bool
    /// The outlets, by name.
    public let outlets: [String: NibOutlet]
    /// The outlets that every nib must connect, by name.
    public let requiredOutlets: [NibOutlet]
    /// The attributes, by name.
    public let attributes: [String: NibAttributeSlot]
    /// The actions, by name without the trailing colon.
    public let actions: [String: NibActionSlot]
    /// The events, by name.
    public let events: [String: NibEventSlot]
    /// The conversions to interfaces, by the identity of the interface's type.
    public let interfaces: [ObjectIdentifier: AnyNibConversion]
    /// The interfaces' names, for messages.
    public let interfaceNames: [String]
    /// The faults in the declarations, as sentences.
    public let faults: [String]

    init<Object: NibObject>(_ type: Object.Type, _ builder: NibTableBuilder, isMainActor: Bool) {
        self.type = type
        name = "\(type)"
        kinds = [name]
        self.isMainActor = isMainActor || builder.parent?.isMainActor ?? false
        outlets = builder.outlets
        requiredOutlets = builder.requiredOutlets
        attributes = builder.attributes
        actions = builder.actions
        events = builder.events
        interfaces = builder.interfaces
        interfaceNames = builder.interfaceNames
        var faults = builder.faults
        if let parent = builder.parent, !Self.isClass(parent.type, superclassOf: type) {
            faults.append("“\(type)” inherits the interface of “\(parent.name)”, which is not its superclass.")
        }
        self.faults = faults
    }

    /// The declarations of a C class, or of a class that only a class list declares.
    ///
    /// If two declarations have the same name, the last one applies, and ``faults`` reports the name. Inherited
    /// declarations are shared with `parent` as long as this class declares none of the same kind.
    public init(
        foreign name: String, kinds: Set<String> = [], inheriting parent: NibClassTable? = nil, outlets: [NibOutlet],
        attributes: [NibAttributeSlot],
        actions: [NibActionSlot], events: [NibEventSlot], faults: [String]
    ) {
        type = NibForeignObject.self
        self.name = name
        self.kinds = kinds.union([name])
        isMainActor = false
        let builder = NibTableBuilder(parent)
        for outlet in outlets { builder.add(outlet) }
        for attribute in attributes { builder.add(attribute) }
        for action in actions { builder.add(action) }
        for event in events { builder.add(event) }
        self.outlets = builder.outlets
        requiredOutlets = outlets.isEmpty ? parent?.requiredOutlets ?? [] : builder.requiredOutlets
        self.attributes = builder.attributes
        self.actions = builder.actions
        self.events = builder.events
        interfaces = [:]
        interfaceNames = []
        self.faults = faults + builder.faults
    }

    private static func isClass(_ superclass: AnyClass, superclassOf type: AnyClass) -> Bool {
        var next: AnyClass? = _getSuperclass(type)
        while let current = next {
            if current == superclass { return true }
            next = _getSuperclass(current)
        }
        return false
    }

    /// The reason why objects of a class cannot be used with these declarations, as a sentence; nil if they can.
    ///
    /// The closures assume that each object is of ``type``, and do not check it.
    public func fault(for type: AnyClass) -> String? {
        if type == self.type || Self.isClass(self.type, superclassOf: type) { return nil }
        return "“\(type)” has the interface of “\(name)”, which is not its superclass."
    }

    /// The key under which the table keeps an action: its name without the trailing colon.
    public static func actionName(_ name: String) -> String {
        guard name.utf8.last == UInt8(ascii: ":") else { return name }
        return String(name.utf8.dropLast()) ?? name
    }
}

/// The objects that an outlet or an action accepts.
@_spi(PluginHost)
@frozen
public enum NibTarget: Sendable {
    case anyObject
    /// A Swift class: its name for messages, and a check whether another class is this class or a subclass of it.
    case aClass(String, accepts: @Sendable (AnyClass) -> Bool)
    case anInterface(String, ObjectIdentifier)
    /// A class with this name in any language; declared by C classes.
    case named(String)
    /// A C class with this name; declared by Swift classes. A Swift class with the same name is a different class.
    case foreign(String)

    init(_ name: String?, _ accepts: (@Sendable (AnyClass) -> Bool)?) {
        self = if let name, let accepts { .aClass(name, accepts: accepts) } else { .anyObject }
    }

    static func interface<Interface>(_ type: Interface.Type) -> Self {
        .anInterface("\(type)", ObjectIdentifier(type as any Any.Type))
    }

    /// The name of the class or interface for messages; nil for any object.
    public var name: String? {
        switch self {
        case .anyObject: nil
        case .aClass(let name, _), .anInterface(let name, _), .named(let name), .foreign(let name): name
        }
    }
}

/// An outlet or a collection.
@_spi(PluginHost)
public final class NibOutlet: Sendable {
    /// How the outlet is set.
    ///
    /// The first argument of each closure is the source.
    @frozen
    public enum Connect: Sendable {
        case one(@Sendable (AnyObject, any NibObject) -> Void)
        case all(@Sendable (AnyObject, [any NibObject]) -> Void)
        case converting(@Sendable (AnyNibConversion) -> @Sendable (AnyObject, any NibObject) -> Void)
        case convertingAll(@Sendable ([AnyNibConversion]) -> @Sendable (AnyObject, [any NibObject]) -> Void)
    }

    /// The name in nibs.
    public let name: String
    /// Whether every nib must connect it.
    public let isRequired: Bool
    /// Whether it takes any number of objects.
    public let isCollection: Bool
    /// The objects that it accepts.
    public let target: NibTarget
    /// Sets it.
    public let connect: Connect

    /// An outlet made from its parts.
    public init(name: String, isRequired: Bool, isCollection: Bool, target: NibTarget, connect: Connect) {
        self.name = name
        self.isRequired = isRequired
        self.isCollection = isCollection
        self.target = target
        self.connect = connect
    }
}

/// An attribute.
@_spi(PluginHost)
public final class NibAttributeSlot: Sendable {
    /// What the host does with a text before it passes the text to the attribute.
    public enum Role: Sendable {
        /// Translates it.
        case text
        /// Finds the file of that name.
        case image, sound
        case other
    }

    /// The name in nibs.
    public let name: String
    /// ``NibAttribute/nibTypeName`` of its type.
    public let typeName: String
    /// The role that follows from the type's name.
    public let role: Role
    /// Makes an empty list for values of the attribute, with room for the given number.
    public let makeValues: @Sendable (Int) -> Values

    /// Values of the attribute, converted to its type.
    ///
    /// `add` converts a value and returns its index in the list; nil if the value does not fit. `set` sets the
    /// attribute of an object to the value at an index. One thread fills a list; afterwards any thread may read it.
    public typealias Values = (add: (NibValue) -> Int?, set: @Sendable (AnyObject, Int) -> Void)

    /// An attribute made from its parts.
    public init(name: String, typeName: String, makeValues: @escaping @Sendable (Int) -> Values) {
        self.name = name
        self.typeName = typeName
        self.makeValues = makeValues
        // An optional type has the role of the type that it wraps.
        role =
            switch typeName.prefix(while: { $0 != "?" }) {
            case "String": .text
            case "Image": .image
            case "Sound": .sound
            default: .other
            }
    }
}

/// An action.
@_spi(PluginHost)
public final class NibActionSlot: Sendable {
    /// The name as declared.
    public let name: String
    /// The senders that it accepts.
    public let sender: NibTarget
    /// Calls the method.
    ///
    /// The first argument is the object, the second the sender.
    public let perform: @Sendable (AnyObject, any NibObject) throws -> Void

    /// An action made from its parts.
    public init(
        name: String, sender: NibTarget, perform: @escaping @Sendable (AnyObject, any NibObject) throws -> Void
    ) {
        self.name = name
        self.sender = sender
        self.perform = perform
    }
}

@usableFromInline
func wrongNibSender(_ action: String, _ expected: String, _ sender: any NibObject) -> any Error {
    PluginFailure(
        "The action “\(action)” takes a sender of the class “\(expected)”, and was sent by a “\(type(of: sender))”.",
        remedy: "Send it from such an object, or declare the action for another class.")
}

/// An event.
@_spi(PluginHost)
public final class NibEventSlot: Sendable {
    /// How the event is set.
    ///
    /// The first argument of each closure is the source.
    @frozen
    public enum Connect: Sendable {
        case one(@Sendable (AnyObject, NibAction) -> Void)
        case many(@Sendable (AnyObject, [NibAction]) -> Void)
    }

    /// The name in nibs; empty for the event of actions that name no event.
    public let name: String
    /// Sets it.
    public let connect: Connect
    /// Whether it takes any number of actions.
    public var isMany: Bool { if case .many = connect { true } else { false } }

    /// An event made from its parts.
    public init(name: String, connect: Connect) {
        self.name = name
        self.connect = connect
    }
}

/// Converts objects of a class to an interface.
///
/// Lookups use the identity of the interface's type.
@_spi(PluginHost)
open class AnyNibConversion: @unchecked Sendable {
    // @unchecked because an open class must be; it has no stored properties.
    init() {}
}

/// The conversion to one interface, compiled where the class was declared.
final class NibConversion<Interface>: AnyNibConversion, @unchecked Sendable {
    // @unchecked because the superclass is; `convert` is a @Sendable closure.
    let convert: @Sendable (AnyObject) -> Interface

    init(_ convert: @escaping @Sendable (AnyObject) -> Interface) { self.convert = convert }
}

/// Collects the declarations of one class.
final class NibTableBuilder {
    let parent: NibClassTable?
    private(set) var outlets: [String: NibOutlet]
    private(set) var attributes: [String: NibAttributeSlot]
    private(set) var actions: [String: NibActionSlot]
    private(set) var events: [String: NibEventSlot]
    private(set) var interfaces: [ObjectIdentifier: AnyNibConversion]
    private(set) var interfaceNames: [String]
    private(set) var faults: [String]
    /// The kind and name of each declaration that this class makes, without the inherited ones.
    private var own: Set<String> = []

    init(_ parent: NibClassTable?) {
        self.parent = parent
        outlets = parent?.outlets ?? [:]
        attributes = parent?.attributes ?? [:]
        actions = parent?.actions ?? [:]
        events = parent?.events ?? [:]
        interfaces = parent?.interfaces ?? [:]
        interfaceNames = parent?.interfaceNames ?? []
        faults = parent?.faults ?? []
    }

    var requiredOutlets: [NibOutlet] { outlets.values.filter(\.isRequired).sorted { $0.name < $1.name } }

    private func note(_ kind: String, _ name: String) {
        if !own.insert(kind + "\0" + name).inserted { faults.append("The \(kind) “\(name)” is declared twice.") }
        if name.isEmpty, kind != "event" { faults.append("The name of an \(kind) is empty.") }
    }

    func add(_ outlet: NibOutlet) {
        note("outlet", outlet.name)
        outlets[outlet.name] = outlet
    }

    func add(_ attribute: NibAttributeSlot) {
        note("attribute", attribute.name)
        attributes[attribute.name] = attribute
    }

    func add(_ action: NibActionSlot) {
        let name = NibClassTable.actionName(action.name)
        note("action", name)
        actions[name] = action
    }

    func add(_ event: NibEventSlot) {
        note("event", event.name)
        events[event.name] = event
    }

    func add<Interface>(_ conversion: AnyNibConversion, for interface: Interface.Type) {
        note("interface", "\(interface)")
        interfaces[ObjectIdentifier(interface as any Any.Type)] = conversion
        interfaceNames.append("\(interface)")
    }
}
