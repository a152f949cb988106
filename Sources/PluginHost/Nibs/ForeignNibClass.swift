internal import CPluginSupport
import HostBasics
import NibReading
@_spi(PluginHost) internal import PluginABI

/// A C class that nibs may name.
struct ForeignNibClass: @unchecked Sendable {
    // @unchecked because of the pointers: the ABI requires the class and everything it points to to be immortal and
    // constant.
    private let pointer: UnsafePointer<plugin_nib_class>
    private let host: HostTable
    let name: String
    let table: NibClassTable

    /// A higher count of one kind indicates a wrong pointer.
    private static let most = 10_000

    /// - Throws: the part that cannot be used, as a fault of the registration.
    init(_ pointer: UnsafePointer<plugin_nib_class>?, host: HostTable) throws(Unusable) {
        guard let pointer, pointer.pointee.header.size >= UInt32(PLUGIN_NIB_CLASS_SIZE_1_0) else {
            throw Unusable("plugin_nib_class", "is shorter than that of \(PLUGIN_NIB_ID)")
        }
        let row = pointer.pointee
        guard let factory = row.factory, factory.pointee.header.size >= UInt32(PLUGIN_FACTORY_SIZE_1_0),
            factory.pointee.create != nil, factory.pointee.release != nil
        else { throw Unusable("plugin_nib_class", "has no factory with create and release") }
        guard let name = factory.pointee.name.validText else {
            throw Unusable(factory.pointee.name.shown, "is not UTF-8")
        }
        guard
            // A count that exceeds Int is negative here.
            [row.outlet_count, row.attribute_count, row.action_count, row.event_count].allSatisfy({
                (0...Self.most).contains($0)
            })
        else { throw Unusable(name, "declares more than \(Self.most) of a kind") }
        self.pointer = pointer
        self.host = host
        self.name = name
        table = NibClassTable(
            foreign: name,
            outlets: try Self.rows(row.outlets, row.outlet_count, name) { (row) throws(Unusable) in
                try Self.outlet(row, of: name)
            },
            attributes: try Self.rows(row.attributes, row.attribute_count, name) { (row) throws(Unusable) in
                try Self.attribute(row, of: name)
            },
            actions: try Self.rows(row.actions, row.action_count, name) { (row) throws(Unusable) in
                try Self.action(row, of: name, host)
            },
            events: try Self.rows(row.events, row.event_count, name) { (row) throws(Unusable) in
                try Self.event(row, of: name, host)
            },
            faults: [])
    }

    /// The name of an unusable part, and the end of a sentence about it.
    struct Unusable: Error {
        let name: String
        let complaint: String
        init(_ name: String, _ complaint: String) { (self.name, self.complaint) = (name, complaint) }
    }

    /// The XML element that represents an object of the class; nil for none.
    var element: String? { pointer.pointee.element.len == 0 ? nil : pointer.pointee.element.validText }

    /// The class as nibs use it.
    var nibClass: NibClass {
        NibClass(name: name, NibRegistration(foreign: table, element: element) { _ in try make() })
    }

    private func make() throws -> NibForeignObject {
        let factory = pointer.pointee.factory!
        let provider = CProvider(
            name: name, extensionPoint: nil, extensionVersion: factory.pointee.extension_version, order: 0,
            bundle: host.bundle,
            registration: Registrations.CProvider(
                pointer: factory, name: name, point: "", version: factory.pointee.extension_version, order: 0),
            table: host, objects: ObjectCount())
        let instance = try provider.make()
        return object(instance.pointer, instance)
    }

    /// Wraps a pointer to a C object.
    ///
    /// `owner`: releases the object when it is deallocated; nil if the plug-in keeps ownership.
    func object(_ instance: UnsafeMutableRawPointer, _ owner: AnyObject?) -> NibForeignObject {
        let awake = pointer.pointee.awake
        return NibForeignObject(
            pointer: instance, functions: pointer.pointee.factory.pointee.functions, table: table, instance: owner,
            awake: awake.map { awake in { @Sendable in awake($0) } })
    }

    // MARK: Rows

    private static func rows<Row, Value>(
        _ rows: UnsafePointer<Row>?, _ count: Int, _ name: String, _ convert: (Row) throws(Unusable) -> Value
    ) throws(Unusable) -> [Value] {
        guard count > 0 else { return [] }
        guard let rows else { throw Unusable(name, "states \(count) rows and has none") }
        var values: [Value] = []
        for row in UnsafeBufferPointer(start: rows, count: count) { values.append(try convert(row)) }
        return values
    }

    /// The name in a row, by the same rules as the name of a registration.
    private static func name(_ text: plugin_string, of className: String, isOptional: Bool = false) throws(Unusable)
        -> String
    {
        guard text.len <= Registrations.maximumNameLength, let name = text.validText, !name.utf8.contains(0),
            isOptional || !name.isEmpty
        else {
            throw Unusable(
                className,
                "declares a name that is empty, not UTF-8, or longer than \(Registrations.maximumNameLength) bytes")
        }
        return name
    }

    private static func target(_ text: plugin_string, of className: String) throws(Unusable) -> NibTarget {
        let name = try name(text, of: className, isOptional: true)
        return name.isEmpty ? .anyObject : .named(name)
    }

    private static func outlet(_ row: plugin_nib_outlet, of className: String) throws(Unusable) -> NibOutlet {
        let name = try name(row.name, of: className)
        guard let set = row.set else { throw Unusable(className, "has no function for the outlet \(quoted(name))") }
        let connect: NibOutlet.Connect =
            row.is_collection != 0
            ? .all { source, objects in Self.set(objects, of: source, set) }
            : .one { source, object in Self.set([object], of: source, set) }
        return NibOutlet(
            name: name, isRequired: row.is_required != 0, isCollection: row.is_collection != 0,
            target: try target(row.class_name, of: className), connect: connect)
    }

    private static func attribute(_ row: plugin_nib_attribute, of className: String) throws(Unusable)
        -> NibAttributeSlot
    {
        let name = try name(row.name, of: className)
        guard let set = row.set else { throw Unusable(className, "has no function for the attribute \(quoted(name))") }
        guard let type = ForeignNibValue.Kind(rawValue: row.type), type != .none else {
            throw Unusable(className, "declares the attribute \(quoted(name)) with the type \(row.type)")
        }
        // Every attribute of a C class accepts <nil/>, as PLUGIN_NIB_NONE.
        return NibAttributeSlot(name: name, typeName: type.typeName + "?") { _ in
            nonisolated(unsafe) var values: [ForeignNibValue] = []
            return (
                { value in
                    guard let value = ForeignNibValue(value, as: type) else { return nil }
                    values.append(value)
                    return values.count - 1
                },
                { object, number in
                    let value = values[number]
                    value.with { set(Self.pointer(of: object), $0) }
                }
            )
        }
    }

    private static func action(
        _ row: plugin_nib_action, of className: String, _ host: HostTable
    ) throws(Unusable) -> NibActionSlot {
        let name = try name(row.name, of: className)
        guard let perform = row.perform else {
            throw Unusable(className, "has no function for the action \(quoted(name))")
        }
        let sender = try target(row.sender_class, of: className)
        return NibActionSlot(name: name, sender: sender) { object, from in
            if case .named(let wanted) = sender, from.nibTable.name != wanted {
                throw PluginFailure(
                    "The action “\(name)” takes a sender of the class “\(wanted)”, and was sent by a “\(from.nibTable.name)”.",
                    remedy: "Send it from such an object, or declare the action for another class.")
            }
            HeldLocks.preconditionNone(before: "an action of a C class")
            _ = host.takeReason()  // one that was set before this call is not this call's
            let reference = ForeignNibReference(from)
            let status = withExtendedLifetime((reference, from)) {
                withUnsafePointer(to: reference.foreign) { perform(host.pointer, Self.pointer(of: object), $0) }
            }
            guard status != PLUGIN_OK else { return }
            let reason = host.takeReason()
            throw PluginFailure(
                reason?.message ?? "The action “\(name)” returned \(status) and gave no reason.",
                remedy: reason?.hint ?? "",
                code: reason?.code ?? status)
        }
    }

    private static func event(
        _ row: plugin_nib_event, of className: String, _ host: HostTable
    ) throws(Unusable) -> NibEventSlot {
        let name = try name(row.name, of: className, isOptional: true)
        guard let set = row.set else { throw Unusable(className, "has no function for the event \(quoted(name))") }
        return NibEventSlot(
            name: name,
            connect: .one { object, action in
                let source = unsafeDowncast(object, to: NibForeignObject.self)
                let handle = ForeignNibAction.handle(for: action, of: source)
                source.references.append(handle)
                set(source.pointer, handle.pointer)
            })
    }

    // MARK: Objects

    private static func pointer(of object: AnyObject) -> UnsafeMutableRawPointer {
        // The setters of a C class are called only with objects of that class.
        unsafeDowncast(object, to: NibForeignObject.self).pointer
    }

    /// Passes the objects of an outlet to its setter.
    private static func set(
        _ objects: [any NibObject], of source: AnyObject,
        _ set: (UnsafeMutableRawPointer?, UnsafePointer<plugin_nib_object>?, Int) -> Void
    ) {
        let source = unsafeDowncast(source, to: NibForeignObject.self)
        let references = objects.map { ForeignNibReference($0) }
        // The plug-in may keep the handles as long as the source object lives.
        source.references += references as [AnyObject]
        withExtendedLifetime(objects) {
            references.map(\.foreign).withUnsafeBufferPointer { set(source.pointer, $0.baseAddress, $0.count) }
        }
    }
}
