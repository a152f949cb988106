internal import CPluginSupport.Shims

/// An action that a nib connected to an event of an object.
///
/// The object sends it when the event happens.
///
/// **Threads.** The thread that sends; the method runs there. **Lifetime.** The target is a weak reference: an action
/// does not keep its target alive.
public final class NibAction {
    /// The action's name, as written in the nib.
    public let name: String
    /// For an action with a fixed target.
    private weak var object: (any NibObject)?
    private let slot: NibActionSlot?
    /// For an action to First Responder.
    private let responders: (() -> [any NibObject])?

    /// An action with a fixed target.
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

    /// The object whose method ``send(from:)`` calls; nil if it no longer exists.
    ///
    /// For an action to First Responder, this is the first responder that currently has the action.
    public var target: (any NibObject)? { receiver?.object }

    /// Whether ``send(from:)`` would call a method.
    ///
    /// Reading this does not call the method.
    public var isEnabled: Bool { target != nil }

    /// Calls the method.
    ///
    /// - Parameter sender: the object that sends; it is passed to the method.
    /// - Returns: whether an object handled the action.
    /// - Throws: the error of the method; ``PluginFailure`` if the method takes senders of another class, or if the
    ///   target's class is isolated to the main actor and this thread does not run it.
    @discardableResult
    public func send(from sender: any NibObject) throws -> Bool {
        guard let (object, slot) = receiver else { return false }
        let table = object.nibTable
        // The nib's checks covered a fixed target; a responder can be any object.
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
        // Each object of a C class has its own declarations.
        (self as? NibForeignObject)?.table ?? Self.nibInterface.table
    }
}
