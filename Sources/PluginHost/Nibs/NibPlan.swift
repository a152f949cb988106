internal import CPluginSupport.Shims
import HostBasics
@_spi(PluginHost) internal import PluginABI

/// A nib's document, resolved against the classes, tables and resources at one point in time: the steps of an
/// instantiation.
///
/// Every fault is found when the plan is made, before any object exists.
///
/// **Threads.** Any; immutable.
final class NibPlan: Sendable {
    /// The classes of the objects that the caller passes.
    ///
    /// The plan also works for other objects of the same classes.
    struct Externals: Equatable {
        let owner: Kind?
        let placeholders: [String: Kind]

        init(owner: (any NibObject)?, placeholders: [String: any NibObject]) {
            self.owner = owner.map(Kind.init)
            self.placeholders = placeholders.isEmpty ? [:] : placeholders.mapValues(Kind.init)
        }
    }

    /// The class of an object.
    struct Kind: Equatable {
        private let type: ObjectIdentifier
        /// The C class, because all objects of C classes have the same Swift class.
        ///
        /// A strong reference, so that no other table can get the same address.
        private let foreignClass: NibClassTable?

        init(_ object: any NibObject) {
            type = ObjectIdentifier(Swift.type(of: object))
            foreignClass = (object as? NibForeignObject)?.table
        }

        static func == (a: Kind, b: Kind) -> Bool { a.type == b.type && a.foreignClass === b.foreignClass }
    }

    /// The index of an object in an instantiation.
    ///
    /// The made objects come first, then the owner, then the placeholders.
    typealias Slot = Int

    /// Consecutive objects of one class.
    struct Run: Sendable {
        let member: NibClassLevel.Member
        var count: Int
    }

    /// The action that an event sends.
    struct Action: Sendable {
        /// Nil for First Responder.
        let target: Slot?
        /// The index in ``Functions/messages``.
        let message: Int
    }

    /// A step of an instantiation.
    ///
    /// It refers to functions by their indices in ``Functions``.
    ///
    /// Not copyable, so that it is used in place.
    enum Step: ~Copyable, Sendable {
        case attribute(Slot, value: Int, setter: Int)
        case outlet(Slot, Slot, setter: Int)
        case outlets(Slot, [Slot], @Sendable (AnyObject, [any NibObject]) -> Void)
        case event(Slot, Action, setter: Int)
        case events(Slot, [Action], @Sendable (AnyObject, [NibAction]) -> Void)
        case connector(Slot, Connector)
    }

    final class Connector: Sendable {
        let kind: String
        let destination: Slot?
        let attributes: [String: String]

        init(kind: String, destination: Slot?, attributes: [String: String]) {
            self.kind = kind
            self.destination = destination
            self.attributes = attributes
        }
    }

    /// The functions of the classes that the steps call: one for each declaration that the document uses.
    struct Functions: Sendable {
        let attributes = Rows<AttributeSetter>()
        let outlets = Rows<OutletSetter>()
        let events = Rows<EventSetter>()
        /// The names of actions as written in the document, and the actions that they call; nil for First Responder.
        var messages: [(name: String, action: NibActionSlot?)] = []
    }

    // Why not copyable: each function is called in place; a copy would retain and release its context. Why not generic:
    // the function would be called through a second one. Either costs more than most setters.

    /// Sets an attribute of an object to the value at an index.
    struct AttributeSetter: ~Copyable, Sendable {
        private let function: @Sendable (AnyObject, Int) -> Void

        init(_ function: @escaping @Sendable (AnyObject, Int) -> Void) { self.function = function }

        @inline(__always)
        borrowing func set(_ object: AnyObject, _ value: Int) { function(object, value) }
    }

    /// Sets an outlet of an object.
    struct OutletSetter: ~Copyable, Sendable {
        private let function: @Sendable (AnyObject, any NibObject) -> Void

        init(_ function: @escaping @Sendable (AnyObject, any NibObject) -> Void) { self.function = function }

        @inline(__always)
        borrowing func set(_ object: AnyObject, _ destination: any NibObject) { function(object, destination) }
    }

    /// Sets an event of an object.
    struct EventSetter: ~Copyable, Sendable {
        private let function: @Sendable (AnyObject, NibAction) -> Void

        init(_ function: @escaping @Sendable (AnyObject, NibAction) -> Void) { self.function = function }

        @inline(__always)
        borrowing func set(_ object: AnyObject, _ action: NibAction) { function(object, action) }
    }

    let externals: Externals
    let scope: NibScope
    /// The values of ``HostEnvironment/resourceGeneration`` and ``HostEnvironment/nibClassesVersion`` when the plan was
    /// made.
    let generation: Int
    let classesVersion: Int
    /// Whether the objects may be made on the main actor only.
    let isMainActor: Bool
    /// The objects to make, in the order of the document.
    private let made: [Run]
    private let madeCount: Int
    private let census: NibPlanCensus
    /// The identifiers of the placeholders that have a slot; their slots follow the owner's.
    private let placeholders: [String]
    /// Whether the owner has a slot.
    private let hasOwner: Bool
    /// The steps in the order of execution, in one list for each phase of the planner.
    private let steps: [Rows<Step>]
    private let functions: Functions
    /// The made objects, in the order in which they wake.
    private let wakes: [Slot]
    /// The kinds of connections that need a connector.
    let connectorKinds: Set<String>
    /// The objects of the document.
    private let graph: NibGraph
    private let names: NibPlanNames
    /// The slots of the document's objects that are made, which are their indices in ``NibInstance/objects``.
    private let slots: [Slot?]
    private let topLevel: [Slot]

    init(
        externals: Externals, scope: NibScope, generation: Int, classesVersion: Int, isMainActor: Bool,
        made: [Run], placeholders: [String], hasOwner: Bool, steps: [Rows<Step>], functions: Functions, wakes: [Slot],
        connectorKinds: Set<String>, graph: NibGraph, slots: [Slot?]
    ) {
        self.externals = externals
        self.scope = scope
        self.generation = generation
        self.classesVersion = classesVersion
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
        census = NibPlanCensus(made)
    }

    /// The maximum depth of nibs that instantiate one another.
    static let mostNested: UInt32 = 32

    /// Why an instantiation failed.
    enum Failure: Error {
        case nested
        case thread
        /// The error that an initialiser threw, with the index of its object.
        case initializer(Int, any Error)
        /// The error that a connector threw, with the connector's kind.
        case connector(String, any Error)
    }

    /// Makes the objects, sets their attributes, connects and wakes them.
    func run(
        owner: (any NibObject)?, placeholders given: [String: any NibObject], options: NibOptions,
        connected: ((NibInstance) -> Void)?
    ) throws(Failure) -> NibInstance {
        let depth = phs_nib_depth()
        guard depth < Self.mostNested else { throw .nested }
        if isMainActor, !phs_is_on_main_actor() { throw .thread }
        HeldLocks.preconditionNone(before: "the initialisers of a nib's classes")
        phs_set_nib_depth(depth + 1)
        defer { phs_set_nib_depth(depth) }

        var objects: [any NibObject] = []
        objects.reserveCapacity(madeCount + placeholders.count + 1)
        for run in made {
            guard let context = run.member.context else { preconditionFailure("a class that is only declared") }
            let make = run.member.aClass.registration.make
            do {
                for _ in 0..<run.count { objects.append(try make(context)) }
            } catch {
                throw .initializer(objects.count, error)
            }
        }
        if hasOwner, let owner { objects.append(owner) }
        for name in placeholders { if let object = given[name] { objects.append(object) } }
        try connect(objects, options)
        objects.removeLast(objects.count - madeCount)
        census.keep()
        let instance = NibInstance(
            objects: objects, names: names, slots: slots, topLevel: topLevel, census: census)
        connected?(instance)
        for slot in wakes { objects[slot].awakeFromNib() }
        var known: [any NibObject] = []
        for name in placeholders {
            guard let object = given[name], object !== owner, !known.contains(where: { $0 === object }) else {
                continue
            }
            known.append(object)
            object.nibDidLoad(instance)
        }
        owner?.nibDidLoad(instance)
        return instance
    }

    private func connect(_ objects: [any NibObject], _ options: NibOptions) throws(Failure) {
        let sources = objects.map { Unmanaged.passUnretained($0 as AnyObject) }
        let functions = functions
        for part in steps {
            for number in part.all.indices { try Self.perform(part.all[number], functions, sources, objects, options) }
        }
    }

    /// `sources`: the objects, passed to the setters without retaining them.
    @inline(__always)
    private static func perform(
        _ step: borrowing Step, _ functions: borrowing Functions, _ sources: [Unmanaged<AnyObject>],
        _ objects: [any NibObject], _ options: NibOptions
    ) throws(Failure) {
        switch step {
        case .attribute(let slot, let value, let setter):
            sources[slot]._withUnsafeGuaranteedRef { functions.attributes.all[setter].set($0, value) }
        case .outlet(let slot, let destination, let setter):
            sources[slot]._withUnsafeGuaranteedRef { functions.outlets.all[setter].set($0, objects[destination]) }
        case .outlets(let slot, let destinations, let set):
            sources[slot]._withUnsafeGuaranteedRef { set($0, destinations.map { objects[$0] }) }
        case .event(let slot, let action, let setter):
            sources[slot]._withUnsafeGuaranteedRef {
                functions.events.all[setter].set($0, Self.action(action, functions, objects, options))
            }
        case .events(let slot, let actions, let set):
            sources[slot]._withUnsafeGuaranteedRef {
                set($0, actions.map { Self.action($0, functions, objects, options) })
            }
        case .connector(let slot, let connection):
            guard let connector = options.connectors[connection.kind] else { return }
            do {
                try connector(
                    NibConnection(
                        kind: connection.kind, source: objects[slot],
                        destination: connection.destination.map { objects[$0] }, attributes: connection.attributes))
            } catch {
                throw .connector(connection.kind, error)
            }
        }
    }

    private static func action(
        _ action: Action, _ functions: borrowing Functions, _ objects: [any NibObject], _ options: NibOptions
    ) -> NibAction {
        let (name, function) = functions.messages[action.message]
        guard let target = action.target, let function else { return NibAction(name, responders: options.responders) }
        return NibAction(name, target: objects[target], function)
    }

    /// The class name of a made object, and a name for the object in messages.
    func description(ofMade number: Int) -> (className: String, name: String) {
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

/// Counts the objects of a plan's instances among the objects that their plug-ins made.
///
/// All objects of an instance live at least as long as the instance, so until then no object needs its own record. When
/// the instance is released, most of its objects are destroyed with it. Only an object that is still referenced gets a
/// weak reference, which costs as much as making an object.
private final class NibPlanCensus: NibCensus {
    /// The counters of the objects, in the objects' order, each with the number of consecutive objects that it counts.
    private let runs: [(count: ObjectCount?, number: Int)]
    private let totals: [(count: ObjectCount, number: Int)]

    init(_ made: [NibPlan.Run]) {
        runs = made.map { ($0.member.count, $0.count) }
        var totals: [ObjectIdentifier: (count: ObjectCount, number: Int)] = [:]
        for case (let count?, let number) in runs {
            totals[ObjectIdentifier(count), default: (count, 0)].number += number
        }
        self.totals = Array(totals.values)
    }

    func keep() {
        for (count, number) in totals { count.keep(number) }
    }

    func release(_ objects: inout [any NibObject]) {
        var survivors: [ObjectIdentifier: [(ObjectIdentifier, WeakReference<AnyObject>)]] = [:]
        objects.reverse()
        for (count, number) in runs {
            for _ in 0..<number {
                var object: AnyObject = objects.removeLast()
                guard let count, !isKnownUniquelyReferenced(&object) else { continue }
                survivors[ObjectIdentifier(count), default: []]
                    .append((ObjectIdentifier(object), WeakReference(object)))
            }
        }
        for (count, number) in totals {
            count.release(number, survivors: survivors[ObjectIdentifier(count)] ?? [])
        }
    }
}
