internal import CPluginSupport
import Glibc
import HostBasics
@_spi(PluginHost) internal import PluginABI

/// Values that C plug-ins refer to by number.
///
/// No number is used twice, so using a number too late finds nothing.
final class HandleTable<Value: Sendable>: Sendable {
    private struct State {
        var values: [UInt: Value] = [:]
        var last: UInt = 0
    }

    private let state = Lock(State())

    /// Stores a value and returns its number.
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

    /// Removes a value and returns it, so that it is released while no lock is held.
    @discardableResult
    func remove(_ handle: UnsafeRawPointer?) -> Value? {
        state.withLock { $0.values.removeValue(forKey: UInt(bitPattern: handle)) }
    }
}

/// An object of a nib, in the form that a C plug-in gets.
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

    /// The object; nil if it no longer exists.
    var object: (any NibObject)? { reference }

    /// The C struct for the object; valid as long as this reference.
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

/// An action that a nib connected to an event of a C object.
struct ForeignNibAction: @unchecked Sendable {
    // @unchecked because a NibAction never changes; C plug-ins send it on a thread of their choice.
    let action: NibAction
    private let source: WeakForeignObject

    private final class WeakForeignObject {
        weak var object: NibForeignObject?
        init(_ object: NibForeignObject) { self.object = object }
    }

    /// The object with the event; nil if it no longer exists.
    var sender: NibForeignObject? { source.object }

    static let all = HandleTable<ForeignNibAction>()

    /// Keeps the number of an action valid as long as this handle exists.
    final class Handle {
        let pointer: UnsafeMutableRawPointer
        fileprivate init(_ action: ForeignNibAction) { pointer = ForeignNibAction.all.insert(action) }
        deinit { ForeignNibAction.all.remove(pointer) }
    }

    static func handle(for action: NibAction, of source: NibForeignObject) -> Handle {
        Handle(ForeignNibAction(action: action, source: WeakForeignObject(source)))
    }
}

/// A nib instance that a C plug-in made.
struct ForeignNibInstance: @unchecked Sendable {
    // @unchecked because the ABI requires the plug-in to use it on the thread that instantiated the nib.
    let instance: NibInstance
    /// The nib's File's Owner; the plug-in owns the object.
    let owner: NibForeignObject?
    /// The objects that the plug-in looked up, with their handles.
    let references = References()

    final class References {
        var all: [ForeignNibReference] = []
    }

    static let all = HandleTable<ForeignNibInstance>()
}

/// Class names as C strings that are never freed.
///
/// There are few, and each is needed for the life of the process.
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
