internal import CPluginSupport
import Glibc
import HostBasics
@_spi(PluginHost) internal import PluginABI

/// Values that C plug-ins hold by a number: no number is used twice, so one that is used too late finds nothing.
final class HandleTable<Value: Sendable>: Sendable {
    private struct State {
        var values: [UInt: Value] = [:]
        var last: UInt = 0
    }

    private let state = Lock(State())

    /// The number of a value, from now on.
    func insert(_ value: Value) -> UnsafeMutableRawPointer {
        let number = state.withLock { state in
            state.last += 1
            state.values[state.last] = value
            return state.last
        }
        return UnsafeMutableRawPointer(bitPattern: number)!
    }

    subscript(handle: UnsafeRawPointer?) -> Value? {
        state.withLock { $0.values[UInt(bitPattern: handle)] }
    }

    /// Forgets a value and returns it, so that it ends where no lock is held.
    @discardableResult
    func remove(_ handle: UnsafeRawPointer?) -> Value? {
        state.withLock { $0.values.removeValue(forKey: UInt(bitPattern: handle)) }
    }
}

/// An object of a nib as a C plug-in sees it.
final class ForeignNibReference {
    private weak var reference: (any NibObject)?
    private let className: plugin_string
    private let functions: UnsafeRawPointer?
    private let pointer: UnsafeMutableRawPointer?

    init(_ object: any NibObject) {
        reference = object
        className = ImmortalNames.string(object.nibTable.name)
        let foreign = object as? NibForeignObject
        functions = foreign?.functions
        pointer = foreign?.pointer
    }

    /// The object; nil once it is gone.
    var object: (any NibObject)? { reference }

    /// Good as long as this reference.
    var foreign: plugin_nib_object {
        plugin_nib_object(
            header: plugin_header(size: UInt32(MemoryLayout<plugin_nib_object>.size), version: 1),
            class_name: className, functions: functions, instance: pointer,
            handle: UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque()))
    }

    static func of(_ object: UnsafePointer<plugin_nib_object>?) -> (any NibObject)? {
        guard let handle = object?.pointee.handle else { return nil }
        return Unmanaged<ForeignNibReference>.fromOpaque(handle).takeUnretainedValue().object
    }
}

/// An action that an event of a C object was given.
struct ForeignNibAction: @unchecked Sendable {
    // @unchecked because a NibAction never changes; C plug-ins send it on the thread that they choose.
    let action: NibAction
    private let source: WeakForeignObject

    private final class WeakForeignObject {
        weak var object: NibForeignObject?
        init(_ object: NibForeignObject) { self.object = object }
    }

    /// The object of the event; nil once it is gone.
    var sender: NibForeignObject? { source.object }

    static let all = HandleTable<ForeignNibAction>()

    /// The number of an action, until this ends.
    final class Handle {
        let pointer: UnsafeMutableRawPointer
        fileprivate init(_ action: ForeignNibAction) { pointer = ForeignNibAction.all.insert(action) }
        deinit { ForeignNibAction.all.remove(pointer) }
    }

    static func handle(for action: NibAction, of source: NibForeignObject) -> Handle {
        Handle(ForeignNibAction(action: action, source: WeakForeignObject(source)))
    }
}

/// What a nib made for a C plug-in.
struct ForeignNibInstance: @unchecked Sendable {
    // @unchecked because the ABI has the plug-in use it on the thread that instantiated.
    let instance: NibInstance
    /// What File's Owner is to the nib; the plug-in owns the object.
    let owner: NibForeignObject?
    /// The objects that were found, with the handles that the plug-in got.
    let references = References()

    final class References {
        var all: [ForeignNibReference] = []
    }

    static let all = HandleTable<ForeignNibInstance>()
}

/// Names of classes as C strings that are never freed: there are few, and each stays for the life of the process.
private enum ImmortalNames {
    private struct Name: @unchecked Sendable {
        // @unchecked because of the pointer: its bytes never change.
        let text: plugin_string
    }

    private static let known = Lock<[String: Name]>([:])

    static func string(_ name: String) -> plugin_string {
        known.withLock { known in
            if let name = known[name] { return name }
            let new = Name(text: plugin_string(ptr: strdup(name), len: name.utf8.count))
            known[name] = new
            return new
        }.text
    }
}
