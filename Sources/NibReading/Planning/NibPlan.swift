@_spi(PluginHost) public import PluginABI

/// A nib's document, resolved against the classes, tables and resources at one point in time: the steps of an
/// instantiation.
///
/// Every fault is found when the plan is made, before any object exists.
///
/// **Threads.** Any; immutable.
@usableFromInline package final class NibPlan: Sendable {
    /// The index of an object in an instantiation.
    ///
    /// The made objects come first, then the owner, then the placeholders.
    package typealias Slot = Int

    /// Consecutive objects of one class.
    package struct Run: Sendable {
        package let member: NibClassLevel.Member
        package var count: Int
    }

    /// The action that an event sends.
    package struct Action: Sendable {
        /// Nil for First Responder.
        package let target: Slot?
        /// The index in ``Functions/messages``.
        package let message: Int
    }

    /// A step of an instantiation.
    ///
    /// It refers to functions by their indices in ``Functions``.
    ///
    /// Not copyable, so that it is used in place.
    package enum Step: ~Copyable, Sendable {
        case attribute(Slot, value: Int, setter: Int)
        case outlet(Slot, Slot, setter: Int)
        case outlets(Slot, [Slot], @Sendable (AnyObject, [any NibObject]) -> Void)
        case event(Slot, Action, setter: Int)
        case events(Slot, [Action], @Sendable (AnyObject, [NibAction]) -> Void)
        case connector(Slot, Connector)
    }

    package final class Connector: Sendable {
        package let kind: String
        package let destination: Slot?
        package let attributes: [String: String]

        init(kind: String, destination: Slot?, attributes: [String: String]) {
            self.kind = kind
            self.destination = destination
            self.attributes = attributes
        }
    }

    /// The functions of the classes that the steps call: one for each declaration that the document uses.
    package struct Functions: Sendable {
        package let attributes: Rows<AttributeSetter>
        package let outlets: Rows<OutletSetter>
        package let events: Rows<EventSetter>
        /// The names of actions as written in the document, and the actions that they call; nil for First Responder.
        package let messages: [(name: String, action: NibActionSlot?)]
    }

    // Why not copyable: each function is called in place; a copy would retain and release its context. Why not generic:
    // the function would be called through a second one. Either costs more than most setters. Why inlinable: they are
    // called in the module that makes the objects.

    /// Sets an attribute of an object to the value at an index.
    @usableFromInline package struct AttributeSetter: ~Copyable, Sendable {
        @usableFromInline let function: @Sendable (AnyObject, Int) -> Void

        init(_ function: @escaping @Sendable (AnyObject, Int) -> Void) { self.function = function }

        @inlinable @inline(__always)
        package borrowing func set(_ object: AnyObject, _ value: Int) { function(object, value) }
    }

    /// Sets an outlet of an object.
    @usableFromInline package struct OutletSetter: ~Copyable, Sendable {
        @usableFromInline let function: @Sendable (AnyObject, any NibObject) -> Void

        init(_ function: @escaping @Sendable (AnyObject, any NibObject) -> Void) { self.function = function }

        @inlinable @inline(__always)
        package borrowing func set(_ object: AnyObject, _ destination: any NibObject) { function(object, destination) }
    }

    /// Sets an event of an object.
    @usableFromInline package struct EventSetter: ~Copyable, Sendable {
        @usableFromInline let function: @Sendable (AnyObject, NibAction) -> Void

        init(_ function: @escaping @Sendable (AnyObject, NibAction) -> Void) { self.function = function }

        @inlinable @inline(__always)
        package borrowing func set(_ object: AnyObject, _ action: NibAction) { function(object, action) }
    }

    package let scope: NibScope
    /// Whether the objects may be made on the main actor only.
    package let isMainActor: Bool
    /// The objects to make, in the order of the document.
    package let made: [Run]
    /// The number of objects to make.
    package let madeCount: Int
    /// The identifiers of the placeholders that have a slot; their slots follow the owner's.
    package let placeholders: [String]
    /// Whether the owner has a slot.
    package let hasOwner: Bool
    /// The steps in the order of execution, in one list for each phase of the planner.
    package let steps: [Rows<Step>]
    package let functions: Functions
    /// The made objects, in the order in which they wake.
    package let wakes: [Slot]
    /// The kinds of connections that need a connector.
    package let connectorKinds: Set<String>
    /// The objects of the document.
    private let graph: NibGraph
    /// The objects of the document, by id.
    package let names: any NibNames
    /// The slots of the document's objects that are made, which are their indices in `NibInstance.objects`.
    package let slots: [Slot?]
    /// The slots of the objects that no other object contains.
    package let topLevel: [Slot]

    init(
        scope: NibScope, isMainActor: Bool, made: [Run], placeholders: [String], hasOwner: Bool, steps: [Rows<Step>],
        functions: Functions, wakes: [Slot], connectorKinds: Set<String>, graph: NibGraph, slots: [Slot?]
    ) {
        self.scope = scope
        self.isMainActor = isMainActor
        self.made = made
        madeCount = made.reduce(0) { $0 + $1.count }
        self.placeholders = placeholders
        self.hasOwner = hasOwner
        self.steps = steps
        self.functions = functions
        self.wakes = wakes
        self.connectorKinds = connectorKinds
        self.graph = graph
        names = NibPlanNames(graph)
        self.slots = slots
        topLevel = slots.indices.compactMap { graph.objects[$0].parent == nil ? slots[$0] : nil }
    }

    /// The class name of a made object, and a name for the object in messages.
    package func description(ofMade number: Int) -> (className: String, name: String) {
        let object = slots.firstIndex(of: number)
        var last = 0
        let member = made.first { run in
            last += run.count
            return number < last
        }?.member
        return (member?.aClass.name ?? "", object.flatMap(graph.textKey(of:)) ?? "")
    }
}

/// The indices of a document's objects by id, for the instances of a plan.
private final class NibPlanNames: NibNames {
    private let graph: NibGraph

    init(_ graph: NibGraph) { self.graph = graph }

    func number(ofObject id: String) -> Int? { graph.object(ofID: id) }

    var all: [(id: String, number: Int)] {
        graph.objects.indices.compactMap { number in graph.id(of: number).map { ($0, number) } }
    }
}
