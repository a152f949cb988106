/// An action that a nib connected to an event of an object: whoever has it sends it when the event happens.
///
/// **Threads.** The thread that sends; the method runs there. **Lifetime.** Its target is weak: who holds the action does not
/// keep the target alive.
public final class NibAction {
    /// The action's name, as the nib has it.
    public let name: String
    private enum Target {
        case object(WeakNibObject, NibActionSlot)
        case firstResponder(() -> [any NibObject])
    }
    private let to: Target

    /// An action of a fixed target.
    @_spi(PluginHost)
    public init(_ name: String, target: any NibObject, _ slot: NibActionSlot) {
        self.name = name
        to = .object(WeakNibObject(target), slot)
    }

    /// An action to First Responder.
    @_spi(PluginHost)
    public init(_ name: String, responders: @escaping () -> [any NibObject]) {
        self.name = name
        to = .firstResponder(responders)
    }

    /// The object whose method is called; nil once it is gone.
    ///
    /// Of an action to First Responder the first of the responders that has the action now.
    public var target: (any NibObject)? {
        switch to {
        case .object(let target, _): target.object
        case .firstResponder(let responders): firstResponder(of: responders)?.object
        }
    }

    /// Whether ``send(from:)`` would call a method.
    ///
    /// Nothing is called.
    public var isEnabled: Bool { target != nil }

    /// Calls the method.
    ///
    /// - Parameter sender: who sends; the method gets it.
    /// - Returns: whether there was somebody to call.
    /// - Throws: what the method throws; ``PluginFailure`` if it takes senders of another class.
    @discardableResult
    public func send(from sender: any NibObject) throws -> Bool {
        switch to {
        case .object(let target, let slot):
            guard let object = target.object else { return false }
            try slot.perform(object, sender)
        case .firstResponder(let responders):
            guard let (object, slot) = firstResponder(of: responders) else { return false }
            try slot.perform(object, sender)
        }
        return true
    }

    private func firstResponder(of responders: () -> [any NibObject]) -> (object: any NibObject, slot: NibActionSlot)? {
        let name = NibClassTable.actionName(name)
        for object in responders() {
            if let slot = object.nibTable.actions[name] { return (object, slot) }
        }
        return nil
    }
}

/// A weak reference to an object of a nib.
struct WeakNibObject {
    private weak var reference: (any NibObject)?
    init(_ object: any NibObject) { reference = object }
    var object: (any NibObject)? { reference }
}

extension NibObject {
    /// For the host: the declarations of the object's class.
    @_spi(PluginHost)
    public var nibTable: NibClassTable {
        // Each object of a C class has the declarations of its own.
        (self as? NibForeignObject)?.table ?? Self.nibInterface.table
    }
}
