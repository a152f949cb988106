internal import CPluginSupport.Shims
@_spi(PluginHost) internal import PluginABI

/// A nib's document, resolved against the classes, tables and resources of one time: what an instantiation does, step
/// by step.
///
/// All that can be wrong is found when it is made, before any object exists.
///
/// **Threads.** Any; immutable.
final class NibPlan: Sendable {
    /// What the caller passes in: the plan also serves other objects of the same classes.
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
        /// The C class: all objects of C classes have one Swift class.
        ///
        /// Kept alive, so that no other table gets its address.
        private let foreignClass: NibClassTable?

        init(_ object: any NibObject) {
            type = ObjectIdentifier(Swift.type(of: object))
            foreignClass = (object as? NibForeignObject)?.table
        }

        static func == (a: Kind, b: Kind) -> Bool { a.type == b.type && a.foreignClass === b.foreignClass }
    }

    /// An object of an instantiation: those that are made come first, then the owner, then the placeholders.
    typealias Slot = Int

    struct Action: Sendable {
        let name: String
        /// Nil for First Responder.
        let target: (slot: Slot, action: NibActionSlot)?
    }

    enum Step: Sendable {
        case attribute(Slot, @Sendable (AnyObject) -> Void)
        case outlet(Slot, Slot, @Sendable (AnyObject, any NibObject) -> Void)
        case outlets(Slot, [Slot], @Sendable (AnyObject, [any NibObject]) -> Void)
        case event(Slot, [Action], @Sendable (AnyObject, [NibAction]) -> Void)
        case connector(Slot, kind: String, Slot?, [String: String])
    }

    let externals: Externals
    let scope: NibScope
    /// ``HostEnvironment/resourceGeneration`` and ``HostEnvironment/nibClassesVersion`` when it was made.
    let generation: Int
    let classesVersion: Int
    /// Whether it may be made on the main thread only.
    let isMainActor: Bool
    /// The classes of the objects that are made, in the order of the document.
    let made: [NibClassLevel.Member]
    /// The ids of the objects, for messages.
    let names: [String]
    /// The identifiers of the placeholders that have a slot, after the owner's.
    let placeholders: [String]
    /// Whether the owner has a slot.
    let hasOwner: Bool
    let steps: [Step]
    /// The made objects in the order in which they wake.
    let wakes: [Slot]
    let indices: [String: Int]
    let topLevel: [Int]

    init(
        externals: Externals, scope: NibScope, generation: Int, classesVersion: Int, isMainActor: Bool,
        made: [NibClassLevel.Member], names: [String], placeholders: [String], hasOwner: Bool, steps: [Step],
        wakes: [Slot], indices: [String: Int], topLevel: [Int]
    ) {
        self.externals = externals
        self.scope = scope
        self.generation = generation
        self.classesVersion = classesVersion
        self.isMainActor = isMainActor
        self.made = made
        self.names = names
        self.placeholders = placeholders
        self.hasOwner = hasOwner
        self.steps = steps
        self.wakes = wakes
        self.indices = indices
        self.topLevel = topLevel
    }

    /// How many nibs may instantiate one another.
    static let mostNested: UInt32 = 32

    /// Why an instantiation ended.
    enum Failure: Error {
        case nested
        case thread
        /// What an initialiser threw, and the number of its object.
        case initializer(Int, any Error)
        /// What a connector threw, and its kind.
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

        var slots: [any NibObject] = []
        slots.reserveCapacity(made.count + placeholders.count + 1)
        for (number, member) in made.enumerated() {
            do {
                slots.append(try member.aClass.registration.make(member.context))
            } catch {
                throw .initializer(number, error)
            }
        }
        let objects = slots
        if hasOwner, let owner { slots.append(owner) }
        for name in placeholders { if let object = given[name] { slots.append(object) } }
        try connect(slots, options)
        count(objects)
        let instance = NibInstance(objects: objects, indices: indices, topLevel: topLevel)
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

    private func connect(_ slots: [any NibObject], _ options: NibOptions) throws(Failure) {
        for step in steps {
            switch step {
            case .attribute(let slot, let set): set(slots[slot])
            case .outlet(let source, let destination, let set): set(slots[source], slots[destination])
            case .outlets(let source, let destinations, let set): set(slots[source], destinations.map { slots[$0] })
            case .event(let source, let actions, let set):
                set(
                    slots[source],
                    actions.map { action in
                        guard let target = action.target else {
                            return NibAction(action.name, responders: options.responders)
                        }
                        return NibAction(action.name, target: slots[target.slot], target.action)
                    })
            case .connector(let source, let kind, let destination, let attributes):
                guard let connector = options.connectors[kind] else { continue }
                do {
                    try connector(
                        NibConnection(
                            kind: kind, source: slots[source], destination: destination.map { slots[$0] },
                            attributes: attributes))
                } catch {
                    throw .connector(kind, error)
                }
            }
        }
    }

    /// Lets the objects count among those that their plug-ins made.
    private func count(_ objects: [any NibObject]) {
        for (object, member) in zip(objects, made) { member.count?.add(object) }
    }

    /// The kinds of connections that need a connector.
    var connectorKinds: Set<String> {
        var kinds: Set<String> = []
        for case .connector(_, let kind, _, _) in steps { kinds.insert(kind) }
        return kinds
    }
}
