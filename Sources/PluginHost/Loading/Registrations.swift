import BundleReading
internal import CPluginSupport
import ELFImages
import HostBasics
import NibReading
@_spi(PluginHost) internal import PluginABI

/// The registrations of an entry, in order.
struct Registrations: Sendable {
    struct Class: Sendable {
        /// The name under which it was registered; nil for the class's own name.
        let givenName: String?
        let type: any Plugin.Type
        /// Set for a class that nibs may name.
        let nib: NibRegistration?

        /// The name under which the class is registered.
        ///
        /// **Cost.** Without a given name, reads the class's metadata.
        var name: String { givenName ?? LibraryClasses.ownName(of: type) }

        func isNamed(_ name: String) -> Bool {
            givenName.map { $0 == name } ?? LibraryClasses.hasOwnName(name, class: type)
        }

        fileprivate var key: Key { Key(point: "", name: name) }
    }

    /// A C-level provider: a factory of the ABI.
    struct CProvider: @unchecked Sendable {
        // @unchecked because of the pointer: the ABI requires factories to be immortal and constant.
        let pointer: UnsafePointer<plugin_factory>
        let name: String
        let point: String
        let version: UInt32
        let order: Int

        fileprivate var key: Key { Key(point: point, name: name) }
    }

    struct Function: @unchecked Sendable {
        // @unchecked because of the address: the ABI requires code to be immortal.
        let name: String
        let signature: ForeignSignature
        let code: plugin_code

        fileprivate var key: Key { Key(point: "", name: name) }
    }

    /// C-level hooks.
    struct Hook: @unchecked Sendable {
        // @unchecked because of the pointer: the ABI requires hooks to be immortal and constant.
        let pointer: UnsafePointer<plugin_hooks>
    }

    private(set) var classes: [Class] = []
    /// The classes that nibs may name, in Swift and in C.
    var nibClasses: [NibClass] {
        classes.compactMap { entry in entry.nib.map { NibClass(name: entry.name, $0) } } + foreignNibClasses
    }
    /// The C-level classes that nibs may name.
    private(set) var foreignNibClasses: [NibClass] = []
    private(set) var providers: [AnyProvider] = []
    private(set) var cProviders: [CProvider] = []
    private(set) var functions: [String: Function] = Dictionary()  // [:] would be a call at each load
    private(set) var hooks: [Hook] = []
    /// The keys in use, recorded from the second registration onwards.
    ///
    /// A single registration, the usual case, cannot conflict with another, so its name is not read.
    private var taken: Set<Key> = []

    /// A name and the scope in which it must be unique.
    struct Key: Hashable, Sendable {
        /// The extension point; empty if the name must be unique in the bundle.
        let point: String
        let name: String
    }

    /// Whether no item with a name was registered.
    private var isNameless: Bool {
        classes.isEmpty && providers.isEmpty && cProviders.isEmpty && functions.isEmpty && foreignNibClasses.isEmpty
    }

    var isEmpty: Bool { isNameless && hooks.isEmpty }

    /// Whether something was registered and everything can be used from another process.
    var isRemote: Bool {
        !providers.isEmpty && cProviders.isEmpty && classes.isEmpty
            && providers.allSatisfy { $0.remoteMethods != nil }
    }

    /// The bundle's names at extension points.
    @inline(__always)
    var pointKeys: [Key] { providers.isEmpty && cProviders.isEmpty ? [] : allPointKeys }

    private var allPointKeys: [Key] {
        providers.map(\.key) + cProviders.lazy.filter { !$0.point.isEmpty }.map(\.key)
    }

    func `class`(named name: String) -> (any Plugin.Type)? {
        if let exact = classes.first(where: { $0.isNamed(name) }) { return exact.type }
        // For “Module.Reporter” when the class was registered as “Reporter” or under another name.
        return classes.first { LibraryClasses.matches(name, class: $0.type) }?.type
    }

    // MARK: Adding; each function returns the fault, or nil

    mutating func add(class type: any Plugin.Type, as name: String?, nib: NibRegistration? = nil) -> Fault? {
        let new = Class(givenName: name, type: type, nib: nib)
        if let fault = nib?.table.faults.first { return .interface(new.name, fault) }
        if let name, let fault = check(name: name, what: "a name") { return fault }
        if let fault = take(new.key) { return fault }
        classes.append(new)
        return nil
    }

    mutating func add(_ provider: AnyProvider) -> Fault? {
        if let fault = checkPoint(provider.pointName) { return fault }
        if let fault = check(name: provider.name, what: "a name") ?? take(provider.key) { return fault }
        providers.append(provider)
        return nil
    }

    mutating func add(_ provider: CProvider) -> Fault? {
        if !provider.point.isEmpty, let fault = checkPoint(provider.point) { return fault }
        if let fault = check(name: provider.name, what: "a name") ?? take(provider.key) { return fault }
        cProviders.append(provider)
        return nil
    }

    mutating func add(function name: String, signature text: String, code: @escaping plugin_code) -> Fault? {
        let signature: ForeignSignature
        do throws(ForeignSignature.Fault) { signature = try ForeignSignature(text) } catch {
            return .unusable(
                name, "has the signature \(quoted(text)), \(error.reason)", remedy: ForeignSignature.remedy)
        }
        let function = Function(name: name, signature: signature, code: code)
        if let fault = check(name: name, what: "a name") ?? take(function.key) { return fault }
        functions[name] = function
        return nil
    }

    mutating func add(_ hook: Hook) -> Fault? {
        hooks.append(hook)
        return nil
    }

    mutating func add(foreign aClass: NibClass) -> Fault? {
        if let fault = aClass.table.faults.first { return .interface(aClass.name, fault) }
        if let fault = check(name: aClass.name, what: "a name") ?? take(Key(point: "", name: aClass.name)) {
            return fault
        }
        foreignNibClasses.append(aClass)
        return nil
    }

    /// Why a registration is refused.
    enum Fault {
        case duplicate(Key)
        /// The code runs in a less safe place than the extension point demands.
        case demand(ExecutionDemand)
        /// The name of a class, and the fault in its NibInterface.
        case interface(String, String)
        /// A name, the end of a sentence about it, and the remedy.
        case unusable(String, String, remedy: String = "Correct the registration in plugin_entry.")

        var status: plugin_status {
            switch self {
            case .duplicate: plugin_status(PLUGIN_DUPLICATE)
            case .unusable, .interface, .demand: plugin_status(PLUGIN_INVALID_ARGUMENT)
            }
        }
    }

    /// Longer names indicate a wrong pointer or a wrong length.
    static let maximumNameLength = 1024

    private mutating func take(_ key: @autoclosure () -> Key) -> Fault? {
        if isNameless { return nil }
        if taken.isEmpty {
            taken = Set(classes.map(\.key) + providers.map(\.key) + cProviders.map(\.key) + functions.values.map(\.key))
            for aClass in foreignNibClasses { taken.insert(Key(point: "", name: aClass.name)) }
        }
        let key = key()
        return taken.insert(key).inserted ? nil : .duplicate(key)
    }

    private func checkPoint(_ name: String) -> Fault? { check(name: name, what: "an extension point's name") }

    private func check(name: String, what: String) -> Fault? {
        let length = name.utf8.count
        if length == 0 { return .unusable(name, "is empty, but \(what) is required") }
        if length > Self.maximumNameLength {
            return .unusable(
                String(name.prefix(40)) + "…",
                "is \(length) bytes long; the limit of \(what) is \(Self.maximumNameLength)")
        }
        if name.utf8.contains(0) { return .unusable(name, "contains a NUL character, which is not allowed in \(what)") }
        return nil
    }
}

extension AnyProvider {
    fileprivate var key: Registrations.Key { Registrations.Key(point: pointName, name: name) }
}
