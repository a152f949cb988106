public import HostBasics
@_spi(PluginHost) internal import PluginABI
internal import PropertyLists

/// The classes that a NibClasses.plist declares: what nibs may set and connect.
///
/// For checks that run no code.
///
/// **Threads.** A value.
public struct NibClassList: Sendable, Hashable {
    /// One class.
    public struct Entry: Sendable, Hashable {
        /// The name in nibs.
        public var name: String
        /// The name of the superclass, whose declarations also apply; nil for none.
        public var superclass: String?
        /// The class or interface that each outlet accepts; `*` for any object.
        public var outlets: [String: String] = [:]
        /// The class or interface that each outlet collection accepts; `*` for any object.
        public var collections: [String: String] = [:]
        /// The class of each action's sender; `*` for any object, empty if the action takes no sender.
        public var actions: [String: String] = [:]
        /// The type of each attribute, as `NibAttribute.nibTypeName`.
        public var attributes: [String: String] = [:]
        /// For each event by name, `one` or `many`.
        public var events: [String: String] = [:]
        /// The outlets that every nib must connect.
        public var required: Set<String> = []
        /// The interfaces that objects of the class serve.
        public var serves: Set<String> = []
        /// The XML elements that represent an object of the class.
        public var elements: Set<String> = []
        /// The module of the class; nil if it is not stated.
        public var module: String?
    }

    /// A fault in a list.
    public struct Fault: Sendable, Hashable {
        /// The class with the fault; nil for the list itself.
        public let className: String?
        /// The fault as a full sentence.
        public let message: String
        /// The key of the list that contains the fault.
        public var key = "IBClasses"
    }

    /// The classes, in the order of the list.
    public private(set) var entries: [Entry] = []
    /// The XML elements whose objects are ignored.
    public private(set) var elementsLeftOut: Set<String> = []
    /// The faults in the list: the first ones, and the number of further ones.
    public var faults: [Fault] { found.all }
    private var found = FirstFaults()

    /// The name of the list among a bundle's resources.
    public static let fileName = "NibClasses.plist"

    /// A list of the given entries.
    public init(_ entries: [Entry], leavingOut elements: Set<String> = []) {
        self.entries = entries
        elementsLeftOut = elements
    }

    // MARK: Reading

    /// Reads a list.
    ///
    /// Unusable parts are left out and reported in ``faults``.
    public init(reading bytes: [UInt8]) {
        let list: PropertyList
        do throws(PropertyListFault) {
            list = try PropertyListReader.read(bytes).value
        } catch {
            found.add { Fault(className: nil, message: "The list cannot be read: \(error.message)") }
            return
        }
        guard let rows = list["IBClasses"]?.array else {
            found.add { Fault(className: nil, message: "The list has no array IBClasses.") }
            return
        }
        if let value = list["LEAVEOUT"] {
            if let items = value.array, case let names = items.compactMap(\.string), names.count == items.count {
                elementsLeftOut = Set(names)
            } else {
                found.add { Fault(className: nil, message: "LEAVEOUT is not an array of names.", key: "LEAVEOUT") }
            }
        }
        var seen: Set<String> = []
        var suggestions = NameSuggestions()
        for row in rows { add(row, &seen, &suggestions) }
        checkRequired()
    }

    /// Reads the list in a file; nil if there is no such file.
    ///
    /// - Throws: ``PluginError`` for a file that cannot be read.
    public init?(contentsOf path: String) throws(PluginError) {
        do throws(OpenedFile.Failure) {
            self.init(reading: try OpenedFile(path: path).bytes(atMost: PropertyListLimits.standard.size))
        } catch {
            if error == .missing { return nil }
            throw PluginError(
                bundlePath: Path.parent(path),
                PluginFinding(
                    .nibInterfaceInvalid, filePath: path, message: "The file \(quoted(path)) \(error.reason).",
                    remedy: error.remedy(else: "Put a property list in its place.")))
        }
    }

    /// The types of attributes that the library has, without the question mark of optional types.
    private static let typeNames: Set<String> = [
        "String", "Int", "Double", "Float", "Bool", "Point", "Size", "Rect", "Range", "Color", "Record", "Image",
        "Sound", "Date", "Enum",
    ]

    private mutating func add(
        _ row: PropertyList, _ seen: inout Set<String>, _ suggestions: inout NameSuggestions
    ) {
        guard let name = row["CLASS"]?.string, !name.isEmpty else {
            return found.add { Fault(className: nil, message: "An item of IBClasses has no CLASS.") }
        }
        guard seen.insert(name).inserted else {
            return found.add { Fault(className: name, message: "The class \(quoted(name)) is declared twice.") }
        }
        var entry = Entry(name: name)
        entry.superclass = row["SUPERCLASS"]?.string.flatMap { $0.isEmpty || $0 == "NSObject" ? nil : $0 }
        entry.outlets = texts("OUTLETS", row, name)
        entry.collections = texts("COLLECTIONS", row, name)
        entry.actions = texts("ACTIONS", row, name)
        entry.attributes = texts("ATTRIBUTES", row, name)
        entry.events = texts("EVENTS", row, name)
        entry.required = names("REQUIRED", row, name)
        entry.serves = names("SERVES", row, name)
        entry.elements = names("ELEMENT", row, name)
        entry.module = row["MODULE"]?.string
        for (attribute, type) in entry.attributes.sorted(by: { $0.key < $1.key })
        where !Self.mayBeType(type, &suggestions) {
            found.add {
                Fault(
                    className: name,
                    message:
                        "The attribute \(quoted(attribute)) of \(quoted(name)) has the type \(quoted(type)), which does not exist."
                )
            }
        }
        for (event, count) in entry.events.sorted(by: { $0.key < $1.key }) where count != "one" && count != "many" {
            found.add {
                Fault(
                    className: name,
                    message:
                        "The event \(quoted(event)) of \(quoted(name)) is \(quoted(count)); “one” or “many” is expected."
                )
            }
        }
        entries.append(entry)
    }

    /// Reports required outlets that neither a class nor one of its superclasses declares.
    ///
    /// A superclass of another list may declare any outlet.
    private mutating func checkRequired() {
        let named = Dictionary(entries.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        var steps = Self.mostSteps
        for entry in entries {
            for outlet in entry.required.subtracting(entry.outlets.keys).sorted()
            where !mayInherit(outlet, entry, named, &steps) {
                found.add {
                    Fault(
                        className: entry.name,
                        message:
                            "REQUIRED of \(quoted(entry.name)) names \(quoted(outlet)), which is not among its OUTLETS."
                    )
                }
            }
        }
    }

    /// `steps`: how many superclasses may still be visited, so that a long line or a circle of them costs
    /// little.
    private func mayInherit(_ outlet: String, _ entry: Entry, _ named: [String: Entry], _ steps: inout Int) -> Bool {
        var next = entry.superclass
        var depth = 0
        while let name = next {
            steps -= 1
            depth += 1
            guard let superclass = named[name], superclass.outlets[outlet] == nil, steps > 0, depth < Self.deepest
            else {
                return true
            }
            next = superclass.superclass
        }
        return false
    }

    private static let mostSteps = 1_000_000
    /// No class has more superclasses.
    private static let deepest = 256

    /// Whether a type may exist: it is one of the library, or it may be one of the application.
    ///
    /// A name that differs from the library's by one typing slip is most likely wrong.
    private static func mayBeType(_ name: String, _ suggestions: inout NameSuggestions) -> Bool {
        let plain = name.hasSuffix("?") ? String(name.dropLast()) : name
        if typeNames.contains(plain) || plain.hasPrefix("Enum(") && plain.hasSuffix(")") { return true }
        if plain.isEmpty || plain.hasSuffix("?") { return false }
        let isSlip = typeNames.contains { $0.lowercased() == plain.lowercased() }
        return !isSlip && !suggestions.isSlip(plain, ofAny: typeNames)
    }

    private mutating func texts(_ key: String, _ row: PropertyList, _ className: String) -> [String: String] {
        guard let value = row[key] else { return [:] }
        guard let items = value.dictionary, case let texts = items.compactMapValues(\.string),
            texts.count == items.count
        else {
            found.add {
                Fault(className: className, message: "\(key) of \(quoted(className)) is not a dictionary of texts.")
            }
            return [:]
        }
        return texts
    }

    private mutating func names(_ key: String, _ row: PropertyList, _ className: String) -> Set<String> {
        guard let value = row[key] else { return [] }
        // In the classes.nib of earlier systems, a single name is a string instead of an array.
        if let name = value.string { return [name] }
        guard let items = value.array, case let names = items.compactMap(\.string), names.count == items.count else {
            found.add {
                Fault(className: className, message: "\(key) of \(quoted(className)) is not an array of names.")
            }
            return []
        }
        return Set(names)
    }

    // MARK: Writing

    /// The list as text, with the classes sorted by name, so that equal lists have equal texts.
    ///
    /// - Throws: ``PluginError`` for a name that a property list cannot represent, such as one with a NUL.
    public func text() throws(PluginError) -> String {
        var list: [String: PropertyList] = [
            "IBClasses": .array(entries.sorted { $0.name < $1.name }.map(Self.row))
        ]
        if !elementsLeftOut.isEmpty { list["LEAVEOUT"] = .array(elementsLeftOut.sorted().map { .string($0) }) }
        do throws(PropertyListFault) {
            return try PropertyListWriter.xml(.dictionary(list))
        } catch {
            throw PluginError(
                bundlePath: Self.fileName, PluginFinding(.nibInterfaceInvalid, message: "\(error.message)"))
        }
    }

    private static func row(_ entry: Entry) -> PropertyList {
        var row: [String: PropertyList] = ["CLASS": .string(entry.name)]
        row["SUPERCLASS"] = entry.superclass.map { .string($0) }
        row["MODULE"] = entry.module.map { .string($0) }
        let texts = [
            "OUTLETS": entry.outlets, "COLLECTIONS": entry.collections, "ACTIONS": entry.actions,
            "ATTRIBUTES": entry.attributes, "EVENTS": entry.events,
        ]
        for (key, values) in texts where !values.isEmpty {
            row[key] = .dictionary(values.mapValues { .string($0) })
        }
        for (key, names) in ["REQUIRED": entry.required, "SERVES": entry.serves, "ELEMENT": entry.elements]
        where !names.isEmpty {
            row[key] = .array(names.sorted().map { .string($0) })
        }
        return .dictionary(row)
    }

    // MARK: Classes registered by code

    /// Classes of code, with their superclasses.
    package init(registered classes: [NibClass], leavingOut elements: Set<String> = []) {
        elementsLeftOut = elements
        entries = classes.map { Entry($0) }
        var known = Set(entries.map(\.name))
        for aClass in classes {
            var next: AnyClass? = _getSuperclass(aClass.registration.type)
            while let type = next {
                if let type = type as? any NibObject.Type, known.insert("\(type)").inserted {
                    entries.append(Entry(name: "\(type)", type, type.nibInterface.table))
                }
                next = _getSuperclass(type)
            }
        }
    }
}

extension NibClassList.Entry {
    fileprivate init(_ aClass: NibClass) {
        self.init(name: aClass.name, aClass.registration.type, aClass.table)
        elements = Set([aClass.registration.element].compactMap(\.self))
        // Outlets refer to the class by its own name.
        if aClass.table.name != name { serves.insert(aClass.table.name) }
    }

    /// The declarations of a class in code, including the inherited ones.
    fileprivate init(name: String, _ type: any NibObject.Type, _ table: NibClassTable) {
        self.init(name: name)
        for outlet in table.outlets.values {
            if outlet.isCollection {
                collections[outlet.name] = outlet.target.name ?? "*"
            } else {
                outlets[outlet.name] = outlet.target.name ?? "*"
            }
            if outlet.isRequired { required.insert(outlet.name) }
        }
        for action in table.actions.values { actions[action.name] = action.sender.name ?? "*" }
        for attribute in table.attributes.values { attributes[attribute.name] = attribute.typeName }
        for event in table.events.values { events[event.name] = event.isMany ? "many" : "one" }
        serves = Set(table.interfaceNames)
        // For a C class, this is the Swift class of its objects.
        if type == NibForeignObject.self {
            serves.insert("\(type)")
            return
        }
        module = String(String(reflecting: type).prefix { $0 != "." })
        if let superclass = _getSuperclass(type) as? any NibObject.Type { self.superclass = "\(superclass)" }
    }
}
