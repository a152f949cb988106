internal import CPluginSupport.Shims
import HostBasics
import NibReading
@_spi(PluginHost) internal import PluginABI

/// A nib's plan, and everything that must stay the same for it to be used again.
///
/// **Threads.** Any; immutable.
final class NibInstantiation: Sendable {
    /// The classes of the objects that the caller passes.
    ///
    /// The instantiation also works for other objects of the same classes.
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

    let plan: NibPlan
    let externals: Externals
    let classes: AvailableNibClasses
    /// The values of ``HostEnvironment/resourceGeneration`` and ``HostEnvironment/nibClassesVersion`` when the plan was
    /// made.
    let generation: Int
    let classesVersion: Int
    private let census: NibPlanCensus

    init(
        _ plan: NibPlan, externals: Externals, classes: AvailableNibClasses, generation: Int, classesVersion: Int
    ) {
        self.plan = plan
        self.externals = externals
        self.classes = classes
        self.generation = generation
        self.classesVersion = classesVersion
        census = NibPlanCensus(plan.made)
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
        if plan.isMainActor, !phs_is_on_main_actor() { throw .thread }
        HeldLocks.preconditionNone(before: "the initialisers of a nib's classes")
        phs_set_nib_depth(depth + 1)
        defer { phs_set_nib_depth(depth) }

        var objects: [any NibObject] = []
        objects.reserveCapacity(plan.madeCount + plan.placeholders.count + 1)
        for run in plan.made {
            guard let context = run.member.context else { preconditionFailure("a class that is only declared") }
            let make = run.member.aClass.registration.make
            do {
                for _ in 0..<run.count { objects.append(try make(context)) }
            } catch {
                throw .initializer(objects.count, error)
            }
        }
        if plan.hasOwner, let owner { objects.append(owner) }
        for name in plan.placeholders { if let object = given[name] { objects.append(object) } }
        try connect(objects, options)
        objects.removeLast(objects.count - plan.madeCount)
        census.keep()
        let instance = NibInstance(
            objects: objects, names: plan.names, slots: plan.slots, topLevel: plan.topLevel, census: census)
        connected?(instance)
        for slot in plan.wakes { objects[slot].awakeFromNib() }
        var known: [any NibObject] = []
        for name in plan.placeholders {
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
        let functions = plan.functions
        for part in plan.steps {
            for number in part.all.indices { try Self.perform(part.all[number], functions, sources, objects, options) }
        }
    }

    /// `sources`: the objects, passed to the setters without retaining them.
    @inline(__always)
    private static func perform(
        _ step: borrowing NibPlan.Step, _ functions: borrowing NibPlan.Functions, _ sources: [Unmanaged<AnyObject>],
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
        _ action: NibPlan.Action, _ functions: borrowing NibPlan.Functions, _ objects: [any NibObject],
        _ options: NibOptions
    ) -> NibAction {
        let (name, function) = functions.messages[action.message]
        guard let target = action.target, let function else { return NibAction(name, responders: options.responders) }
        return NibAction(name, target: objects[target], function)
    }
}

/// Counts the objects of a plan's instances among the objects that their plug-ins made.
///
/// All objects of an instance live at least as long as the instance, so until then no object needs its own record. When
/// the instance is released, most of its objects are destroyed with it. Only an object that is still referenced gets a
/// weak reference, which costs as much as making an object.
private final class NibPlanCensus: NibCensus {
    /// The counters of the objects, in the objects' order, each with the number of consecutive objects that it counts.
    private let runs: [(count: (any NibObjectCounter)?, number: Int)]
    private let totals: [(count: any NibObjectCounter, number: Int)]

    init(_ made: [NibPlan.Run]) {
        runs = made.map { ($0.member.count, $0.count) }
        var totals: [ObjectIdentifier: (count: any NibObjectCounter, number: Int)] = [:]
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
