internal import CPluginSupport.Shims

/// An action that a nib connected to an event of an object: whoever has it sends it when the event happens.
///
/// **Threads.** The thread that sends; the method runs there. **Lifetime.** Its target is weak: who holds the action does not
/// keep the target alive.
public final class NibAction {
    /// The action's name, as the nib has it.
    public let name: String
    /// Of an action of a fixed target.
    private weak var object: (any NibObject)?
    private let slot: NibActionSlot?
    /// Of an action to First Responder.
    private let responders: (() -> [any NibObject])?

    /// An action of a fixed target.
    @_spi(PluginHost)
    public init(_ name: String, target: any NibObject, _ slot: NibActionSlot) {
        self.name = name
        object = target
        self.slot = slot
        responders = nil
    }

    /// An action to First Responder.
    @_spi(PluginHost)
    public init(_ name: String, responders: @escaping () -> [any NibObject]) {
        self.name = name
        slot = nil
        self.responders = responders
    }

    /// The object whose method is called; nil once it is gone.
    ///
    /// Of an action to First Responder the first of the responders that has the action now.
    public var target: (any NibObject)? { receiver?.object }

    /// Whether ``send(from:)`` would call a method.
    ///
    /// Nothing is called.
    public var isEnabled: Bool { target != nil }

    /// Calls the method.
    ///
    /// - Parameter sender: who sends; the method gets it.
    /// - Returns: whether there was somebody to call.
    /// - Throws: what the method throws; ``PluginFailure`` if it takes senders of another class, or if the class of the
    ///   target belongs to the main actor, and this thread does not run it.
    @discardableResult
    public func send(from sender: any NibObject) throws -> Bool {
        guard let (object, slot) = receiver else { return false }
        let table = object.nibTable
        // The target of a fixed action was checked with the nib; a responder is anybody's object.
        if let fault = table.fault(for: type(of: object)) {
            throw PluginFailure(fault, remedy: "Correct nibInterface of the class.")
        }
        if table.isMainActor, !phs_is_on_main_actor() {
            throw PluginFailure(
                "The action “\(name)” of “\(table.name)” belongs to the main actor, and another thread sent it.",
                remedy: "Send it on the main actor.")
        }
        try slot.perform(object, sender)
        return true
    }

    private var receiver: (object: any NibObject, slot: NibActionSlot)? {
        if let slot { return object.map { ($0, slot) } }
        guard let responders else { return nil }
        let name = NibClassTable.actionName(name)
        for object in responders() {
            if let slot = object.nibTable.actions[name] { return (object, slot) }
        }
        return nil
    }
}

extension NibObject {
    /// For the host: the declarations of the object's class.
    @_spi(PluginHost)
    public var nibTable: NibClassTable {
        // Each object of a C class has the declarations of its own.
        (self as? NibForeignObject)?.table ?? Self.nibInterface.table
    }
}
