/// What nibs may set and connect in objects of one class: its outlets, attributes, actions, events, and the interfaces
/// that it serves.
///
/// ```swift
/// final class Card: NibObject {
///     private var words: Label?
///     static let nibInterface = NibInterface(for: Card.self) { nib in
///         nib.outlet("words", required: true) { $0.words = $1 }
///         nib.action("open:", Card.open)
///     }
///     func open(_ sender: Link) throws { … }
/// }
/// ```
/// Why closures instead of key paths or reflected names: each closure is compiled with the class. So nothing is looked
/// up by name at run time, private properties can be set, and code without reflection metadata works.
///
/// **Threads.** A value; may be shared freely. **Cost.** Creating one allocates several dictionaries. Declare it as a
/// static constant.
public struct NibInterface: Sendable {
    /// For the host.
    @_spi(PluginHost) public let table: NibClassTable

    /// Declares the interface of a class.
    ///
    /// - Parameters:
    ///   - type: the class.
    ///   - parent: the interface of a superclass, whose declarations also apply to this class. A declaration with the
    ///     same name replaces the superclass's.
    ///   - declare: makes the declarations. If it declares a name twice, registering the class is an error
    ///     (`nibInterfaceInvalid`).
    public init<Object: NibObject>(
        for type: Object.Type, inheriting parent: NibInterface? = nil, _ declare: (NibDeclarations<Object>) -> Void
    ) {
        let builder = NibTableBuilder(parent?.table)
        declare(NibDeclarations(builder))
        table = NibClassTable(type, builder, isMainActor: false)
    }

    /// Declares the interface of a class that is isolated to the main actor.
    ///
    /// Instantiate its nibs only on the main thread or in a task of the main actor. Anywhere else that is an error
    /// (`nibThread`), reported before any object is made.
    ///
    /// - Parameters:
    ///   - type: the class.
    ///   - parent: the interface of a superclass.
    ///   - declare: makes the declarations.
    /// - Returns: the interface.
    public static func onMainActor<Object: NibObject>(
        _ type: Object.Type, inheriting parent: NibInterface? = nil,
        _ declare: (NibMainActorDeclarations<Object>) -> Void
    ) -> NibInterface {
        let builder = NibTableBuilder(parent?.table)
        declare(NibMainActorDeclarations(NibDeclarations(builder)))
        return NibInterface(NibClassTable(type, builder, isMainActor: true))
    }

    init(_ table: NibClassTable) { self.table = table }
}

/// Collects what a class declares for ``NibInterface``.
///
/// Each function takes a name as written in nibs, and a closure that sets the property. The closure's first argument is
/// the object.
public final class NibDeclarations<Object: NibObject> {
    let builder: NibTableBuilder

    init(_ builder: NibTableBuilder) { self.builder = builder }

    // MARK: Outlets

    /// An outlet for objects of a class and its subclasses.
    ///
    /// - Parameters:
    ///   - name: the outlet's name.
    ///   - required: whether every nib must connect it in each object of the class.
    ///   - set: sets the property.
    @inlinable
    public func outlet<Value: NibObject>(
        _ name: String, required: Bool = false, _ set: @escaping @Sendable (Object, Value?) -> Void
    ) {
        declareOutlet(
            name, required, "\(Value.self)", { $0 is Value.Type },
            { set(unsafeDowncast($0, to: Object.self), unsafeDowncast($1, to: Value.self)) })
    }

    /// An outlet for objects of any class.
    @inlinable
    public func outlet(
        _ name: String, required: Bool = false, _ set: @escaping @Sendable (Object, (any NibObject)?) -> Void
    ) {
        declareOutlet(name, required, nil, nil, { set(unsafeDowncast($0, to: Object.self), $1) })
    }

    /// An outlet for objects of one C class; see ``NibForeignObject``.
    ///
    /// Connecting an object of any other class is an error (`nibOutletInvalid`), reported before any object is made. So
    /// the object that the closure gets always has this class's function table.
    ///
    /// - Parameters:
    ///   - name: the outlet's name.
    ///   - className: the name under which the C plug-in registers the class.
    ///   - required: whether every nib must connect it in each object of the class.
    ///   - set: sets the property.
    public func outlet(
        _ name: String, ofForeignClass className: String, required: Bool = false,
        _ set: @escaping @Sendable (Object, NibForeignObject?) -> Void
    ) {
        builder.add(
            NibOutlet(
                name: name, isRequired: required, isCollection: false, target: .foreign(className),
                connect: .one {
                    set(unsafeDowncast($0, to: Object.self), unsafeDowncast($1, to: NibForeignObject.self))
                }))
    }

    /// An outlet for objects of every class that serves an interface; see ``serves(_:_:)``.
    ///
    /// - Parameters:
    ///   - name: the outlet's name.
    ///   - interface: the type that `set` takes, such as `(any Picture).self`.
    ///   - required: whether every nib must connect it in each object of the class.
    ///   - set: sets the property.
    public func outlet<Interface>(
        _ name: String, as interface: Interface.Type, required: Bool = false,
        _ set: @escaping @Sendable (Object, Interface?) -> Void
    ) {
        builder.add(
            NibOutlet(
                name: name, isRequired: required, isCollection: false, target: .interface(Interface.self),
                connect: .converting { conversion in
                    let typed = unsafeDowncast(conversion, to: NibConversion<Interface>.self)
                    return { set(unsafeDowncast($0, to: Object.self), typed.convert($1)) }
                }))
    }

    /// An outlet collection, or the objects that an object of the class contains, where all are of one class.
    ///
    /// - Parameters:
    ///   - name: the collection's name.
    ///   - set: sets the property to the whole collection in the order of the document; called once for each object of
    ///     the class.
    @inlinable
    public func outlets<Value: NibObject>(
        _ name: String, _ set: @escaping @Sendable (Object, [Value]) -> Void
    ) {
        declareOutlets(
            name, "\(Value.self)", { $0 is Value.Type },
            { set(unsafeDowncast($0, to: Object.self), $1.map { unsafeDowncast($0, to: Value.self) }) })
    }

    /// An outlet collection, or contained objects, of any class.
    @inlinable
    public func outlets(_ name: String, _ set: @escaping @Sendable (Object, [any NibObject]) -> Void) {
        declareOutlets(name, nil, nil, { set(unsafeDowncast($0, to: Object.self), $1) })
    }

    /// An outlet collection, or contained objects, of one C class.
    ///
    /// Same rules as ``outlet(_:ofForeignClass:required:_:)``.
    public func outlets(
        _ name: String, ofForeignClass className: String,
        _ set: @escaping @Sendable (Object, [NibForeignObject]) -> Void
    ) {
        builder.add(
            NibOutlet(
                name: name, isRequired: false, isCollection: true, target: .foreign(className),
                connect: .all {
                    set(
                        unsafeDowncast($0, to: Object.self),
                        $1.map { unsafeDowncast($0, to: NibForeignObject.self) })
                }))
    }

    /// An outlet collection, or contained objects, of classes that serve an interface.
    public func outlets<Interface>(
        _ name: String, as interface: Interface.Type, _ set: @escaping @Sendable (Object, [Interface]) -> Void
    ) {
        builder.add(
            NibOutlet(
                name: name, isRequired: false, isCollection: true, target: .interface(Interface.self),
                connect: .convertingAll { conversions in
                    let typed = conversions.map { unsafeDowncast($0, to: NibConversion<Interface>.self) }
                    return { source, objects in
                        set(
                            unsafeDowncast(source, to: Object.self),
                            zip(typed, objects).map { $0.convert($1) })
                    }
                }))
    }

    // MARK: Values

    /// An attribute: an XML attribute of the object's element, a value inside the element, or a user-defined runtime
    /// attribute.
    ///
    /// - Parameters:
    ///   - name: the attribute's name.
    ///   - set: sets the property; called only if the nib has the attribute.
    @inlinable
    public func attribute<Value: NibAttribute>(
        _ name: String, _ set: @escaping @Sendable (Object, Value) -> Void
    ) {
        declareAttribute(name, Value.nibTypeName) { count in
            // One thread fills the list before any other thread reads it.
            nonisolated(unsafe) let values = NibValueList<Value>.make(count)
            return (
                { value in Value.nibAttribute(value).map { values.append($0) } },
                { set(unsafeDowncast($0, to: Object.self), values[$1]) }
            )
        }
    }

    // MARK: Actions and events

    /// An action whose method takes a sender of one class.
    ///
    /// Senders of other classes cannot be connected.
    ///
    /// - Parameters:
    ///   - name: the action's name, with or without the trailing colon.
    ///   - method: the method, such as `Card.open`.
    @inlinable
    public func action<Sender: NibObject>(
        _ name: String, _ method: @escaping @Sendable (Object) -> (Sender) throws -> Void
    ) {
        declareAction(name, "\(Sender.self)", { $0 is Sender.Type }) { object, sender in
            guard let typed = sender as? Sender else { throw wrongNibSender(name, "\(Sender.self)", sender) }
            try method(unsafeDowncast(object, to: Object.self))(typed)
        }
    }

    /// An action whose method takes a sender of any class.
    @inlinable
    public func action(_ name: String, _ method: @escaping @Sendable (Object) -> (any NibObject) throws -> Void) {
        declareAction(name, nil, nil) { try method(unsafeDowncast($0, to: Object.self))($1) }
    }

    /// An action whose method takes no sender.
    @inlinable
    public func action(_ name: String, _ method: @escaping @Sendable (Object) -> () throws -> Void) {
        declareAction(name, nil, nil) { object, _ in try method(unsafeDowncast(object, to: Object.self))() }
    }

    /// An event that sends one action.
    ///
    /// - Parameters:
    ///   - name: the event's name, which nibs write as `eventType` or `trigger`; empty for actions that name no event.
    ///   - set: keeps the action, to send it when the event happens.
    @inlinable
    public func event(_ name: String = "", _ set: @escaping @Sendable (Object, NibAction?) -> Void) {
        declareEvent(name) { set(unsafeDowncast($0, to: Object.self), $1) }
    }

    /// An event that sends any number of actions, in the order of the document.
    ///
    /// - Parameters:
    ///   - name: the event's name.
    ///   - set: keeps the actions, to send them when the event happens.
    @inlinable
    public func events(_ name: String = "", _ set: @escaping @Sendable (Object, [NibAction]) -> Void) {
        declareEvents(name) { set(unsafeDowncast($0, to: Object.self), $1) }
    }

    // MARK: Interfaces

    /// An interface that objects of the class serve; outlets of its type accept them.
    ///
    /// - Parameters:
    ///   - interface: the type, such as `(any Picture).self`.
    ///   - convert: converts an object: `{ $0 }`. The conversion is compiled here, so no cast is needed at run time.
    @inlinable
    public func serves<Interface>(
        _ interface: Interface.Type, _ convert: @escaping @Sendable (Object) -> Interface
    ) {
        declareInterface(interface) { convert(unsafeDowncast($0, to: Object.self)) }
    }

    // MARK: Untyped counterparts of the functions above, which are compiled into their callers

    @usableFromInline
    func declareOutlet(
        _ name: String, _ required: Bool, _ className: String?, _ accepts: (@Sendable (AnyClass) -> Bool)?,
        _ set: @escaping @Sendable (AnyObject, any NibObject) -> Void
    ) {
        builder.add(
            NibOutlet(
                name: name, isRequired: required, isCollection: false, target: NibTarget(className, accepts),
                connect: .one(set)))
    }

    @usableFromInline
    func declareOutlets(
        _ name: String, _ className: String?, _ accepts: (@Sendable (AnyClass) -> Bool)?,
        _ set: @escaping @Sendable (AnyObject, [any NibObject]) -> Void
    ) {
        builder.add(
            NibOutlet(
                name: name, isRequired: false, isCollection: true, target: NibTarget(className, accepts),
                connect: .all(set)))
    }

    @usableFromInline
    func declareAttribute(
        _ name: String, _ typeName: String,
        _ makeValues:
            @escaping @Sendable (Int) -> (add: (NibValue) -> Int?, set: @Sendable (AnyObject, Int) -> Void)
    ) {
        builder.add(NibAttributeSlot(name: name, typeName: typeName, makeValues: makeValues))
    }

    @usableFromInline
    func declareAction(
        _ name: String, _ senderName: String?, _ accepts: (@Sendable (AnyClass) -> Bool)?,
        _ perform: @escaping @Sendable (AnyObject, any NibObject) throws -> Void
    ) {
        builder.add(NibActionSlot(name: name, sender: NibTarget(senderName, accepts), perform: perform))
    }

    @usableFromInline
    func declareEvent(_ name: String, _ set: @escaping @Sendable (AnyObject, NibAction) -> Void) {
        builder.add(NibEventSlot(name: name, connect: .one(set)))
    }

    @usableFromInline
    func declareEvents(_ name: String, _ set: @escaping @Sendable (AnyObject, [NibAction]) -> Void) {
        builder.add(NibEventSlot(name: name, connect: .many(set)))
    }

    @usableFromInline
    func declareInterface<Interface>(
        _ interface: Interface.Type, _ convert: @escaping @Sendable (AnyObject) -> Interface
    ) {
        builder.add(NibConversion(convert), for: Interface.self)
    }
}

/// Collects what a class that is isolated to the main actor declares for ``NibInterface``.
///
/// Like ``NibDeclarations``, with closures that are isolated to the main actor.
public final class NibMainActorDeclarations<Object: NibObject> {
    private let declarations: NibDeclarations<Object>

    init(_ declarations: NibDeclarations<Object>) { self.declarations = declarations }

    /// An outlet for objects of a class and its subclasses.
    public func outlet<Value: NibObject>(
        _ name: String, required: Bool = false, _ set: @escaping @MainActor @Sendable (Object, Value?) -> Void
    ) {
        declarations.outlet(name, required: required, Self.unisolated(set))
    }

    /// An outlet for objects of any class.
    public func outlet(
        _ name: String, required: Bool = false,
        _ set: @escaping @MainActor @Sendable (Object, (any NibObject)?) -> Void
    ) {
        declarations.outlet(name, required: required, Self.unisolated(set))
    }

    /// An outlet for objects of one C class.
    public func outlet(
        _ name: String, ofForeignClass className: String, required: Bool = false,
        _ set: @escaping @MainActor @Sendable (Object, NibForeignObject?) -> Void
    ) {
        declarations.outlet(name, ofForeignClass: className, required: required, Self.unisolated(set))
    }

    /// An outlet for objects of every class that serves an interface.
    public func outlet<Interface>(
        _ name: String, as interface: Interface.Type, required: Bool = false,
        _ set: @escaping @MainActor @Sendable (Object, Interface?) -> Void
    ) {
        declarations.outlet(name, as: interface, required: required, Self.unisolated(set))
    }

    /// An outlet collection, or contained objects, of a class.
    public func outlets<Value: NibObject>(
        _ name: String, _ set: @escaping @MainActor @Sendable (Object, [Value]) -> Void
    ) {
        declarations.outlets(name, Self.unisolated(set))
    }

    /// An outlet collection, or contained objects, of any class.
    public func outlets(
        _ name: String, _ set: @escaping @MainActor @Sendable (Object, [any NibObject]) -> Void
    ) {
        declarations.outlets(name, Self.unisolated(set))
    }

    /// An outlet collection, or contained objects, of one C class.
    public func outlets(
        _ name: String, ofForeignClass className: String,
        _ set: @escaping @MainActor @Sendable (Object, [NibForeignObject]) -> Void
    ) {
        declarations.outlets(name, ofForeignClass: className, Self.unisolated(set))
    }

    /// An outlet collection, or contained objects, of classes that serve an interface.
    public func outlets<Interface>(
        _ name: String, as interface: Interface.Type,
        _ set: @escaping @MainActor @Sendable (Object, [Interface]) -> Void
    ) {
        declarations.outlets(name, as: interface, Self.unisolated(set))
    }

    /// An attribute.
    public func attribute<Value: NibAttribute>(
        _ name: String, _ set: @escaping @MainActor @Sendable (Object, Value) -> Void
    ) {
        declarations.attribute(name, Self.unisolated(set))
    }

    /// An action that takes a sender of a class.
    public func action<Sender: NibObject>(
        _ name: String, _ method: @escaping @MainActor @Sendable (Object, Sender) throws -> Void
    ) {
        let method = unsafeBitCast(method, to: (@Sendable (Object, Sender) throws -> Void).self)
        declarations.action(name) { (object: Object) -> (Sender) throws -> Void in { try method(object, $0) } }
    }

    /// An action that takes a sender of any class.
    public func action(
        _ name: String, _ method: @escaping @MainActor @Sendable (Object, any NibObject) throws -> Void
    ) {
        let method = unsafeBitCast(method, to: (@Sendable (Object, any NibObject) throws -> Void).self)
        declarations.action(name) { (object: Object) -> (any NibObject) throws -> Void in { try method(object, $0) } }
    }

    /// An action that takes no sender.
    public func action(_ name: String, _ method: @escaping @MainActor @Sendable (Object) throws -> Void) {
        let method = unsafeBitCast(method, to: (@Sendable (Object) throws -> Void).self)
        declarations.action(name) { (object: Object) -> () throws -> Void in { try method(object) } }
    }

    /// An event that sends one action.
    public func event(
        _ name: String = "", _ set: @escaping @MainActor @Sendable (Object, NibAction?) -> Void
    ) {
        declarations.event(name, Self.unisolated(set))
    }

    /// An event that sends any number of actions.
    public func events(
        _ name: String = "", _ set: @escaping @MainActor @Sendable (Object, [NibAction]) -> Void
    ) {
        declarations.events(name, Self.unisolated(set))
    }

    /// An interface that objects of the class serve.
    public func serves<Interface>(
        _ interface: Interface.Type, _ convert: @escaping @MainActor @Sendable (Object) -> Interface
    ) {
        let convert = unsafeBitCast(convert, to: (@Sendable (Object) -> Interface).self)
        declarations.serves(interface, convert)
    }

    /// The same closure, callable from code that is not isolated.
    ///
    /// Why this is safe: the host checks that it runs on the main actor before it makes the first object, and isolation
    /// does not change a closure's representation.
    private static func unisolated<Value>(
        _ set: @escaping @MainActor @Sendable (Object, Value) -> Void
    ) -> @Sendable (Object, Value) -> Void {
        unsafeBitCast(set, to: (@Sendable (Object, Value) -> Void).self)
    }
}
