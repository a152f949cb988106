internal import CPluginSupport
@_spi(PluginHost) internal import PluginABI

/// What an entry registered, in order.
struct Registrations: Sendable {
    struct Class: Sendable {
        /// The name that it was registered under; nil for the class's own.
        let givenName: String?
        let type: any Plugin.Type
        /// For a class that nibs may name.
        let nib: NibRegistration?

        /// **Cost.** Without a given name, a reading of the class's metadata.
        var name: String { givenName ?? ImageClasses.ownName(of: type) }

        func isNamed(_ name: String) -> Bool {
            givenName.map { $0 == name } ?? ImageClasses.hasOwnName(name, class: type)
        }

        fileprivate var key: Key { Key(point: "", name: name) }
    }

    /// A provider of the C level: a factory of the ABI.
    struct CProvider: @unchecked Sendable {
        // @unchecked because of the pointer: the ABI makes cProviders immortal and constant.
        let pointer: UnsafePointer<plugin_factory>
        let name: String
        let point: String
        let version: UInt32
        let order: Int

        fileprivate var key: Key { Key(point: point, name: name) }
    }

    struct Function: @unchecked Sendable {
        // @unchecked because of the address: the ABI makes code immortal.
        let name: String
        let signature: String
        let code: plugin_code

        fileprivate var key: Key { Key(point: "", name: name) }
    }

    /// Hooks of the C level.
    struct Hook: @unchecked Sendable {
        // @unchecked because of the pointer: the ABI makes hooks immortal and constant.
        let pointer: UnsafePointer<plugin_hooks>
    }

    private(set) var classes: [Class] = []
    /// The classes that nibs may name, in Swift and in C.
    var nibClasses: [NibClass] {
        classes.compactMap { entry in entry.nib.map { NibClass(name: entry.name, $0) } } + foreignNibClasses
    }
    /// Those of the C level.
    private(set) var foreignNibClasses: [NibClass] = []
    private(set) var providers: [AnyProvider] = []
    private(set) var cProviders: [CProvider] = []
    private(set) var functions: [String: Function] = Dictionary()  // [:] would be a call at each load
    private(set) var hooks: [Hook] = []
    /// What stands where, from the second registration on: one alone, which is the usual, cannot stand in another's
    /// place, and need not even have its name looked up.
    private var taken: Set<Key> = []

    /// A name and what it must be unique in.
    struct Key: Hashable, Sendable {
        /// The extension point, empty for what the bundle itself names.
        let point: String
        let name: String
    }

    /// Whether nothing was registered that has a name.
    private var isNameless: Bool {
        classes.isEmpty && providers.isEmpty && cProviders.isEmpty && functions.isEmpty && foreignNibClasses.isEmpty
    }

    var isEmpty: Bool { isNameless && hooks.isEmpty && foreignNibClasses.isEmpty }

    /// Where the bundle's offers stand among those of all bundles.
    @inline(__always)
    var pointKeys: [Key] { providers.isEmpty && cProviders.isEmpty ? [] : allPointKeys }

    private var allPointKeys: [Key] {
        providers.map(\.key) + cProviders.lazy.filter { !$0.point.isEmpty }.map(\.key)
    }

    func `class`(named name: String) -> (any Plugin.Type)? {
        if let exact = classes.first(where: { $0.isNamed(name) }) { return exact.type }
        // “Module.Reporter” for a class that was registered as “Reporter” or under a name of its own.
        return classes.first { ImageClasses.matches(name, class: $0.type) }?.type
    }

    // MARK: Adding; each returns the fault, or nil

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

    mutating func add(_ function: Function) -> Fault? {
        do throws(ForeignSignature.Fault) {
            _ = try ForeignSignature(function.signature)
        } catch {
            return .unusable(
                function.name, "has the signature \(quoted(function.signature)), \(error.reason)",
                remedy: ForeignSignature.remedy)
        }
        if let fault = check(name: function.name, what: "a name") ?? take(function.key) { return fault }
        functions[function.name] = function
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

    /// Why something cannot be registered.
    enum Fault {
        case duplicate(Key)
        /// A class's name, and what is wrong with its NibInterface.
        case interface(String, String)
        /// A name, the end of a sentence about it, and what to do.
        case unusable(String, String, remedy: String = "Correct the registration in plugin_entry.")

        var status: plugin_status {
            switch self {
            case .duplicate: plugin_status(PLUGIN_DUPLICATE)
            case .unusable, .interface: plugin_status(PLUGIN_INVALID_ARGUMENT)
            }
        }
    }

    /// Longer names are a sign of a wrong pointer or a wrong length.
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
        if length == 0 { return .unusable(name, "is empty, where \(what) is expected") }
        if length > Self.maximumNameLength {
            return .unusable(
                String(name.prefix(40)) + "…",
                "is \(length) bytes long; the limit of \(what) is \(Self.maximumNameLength)")
        }
        if name.utf8.contains(0) { return .unusable(name, "contains a NUL character, which \(what) cannot") }
        return nil
    }
}

extension AnyProvider {
    fileprivate var key: Registrations.Key { Registrations.Key(point: pointName, name: name) }
}
