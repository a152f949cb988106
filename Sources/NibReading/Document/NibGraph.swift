import HostBasics
internal import PropertyLists

/// The objects of a XIB document and their containment, as far as the document alone determines them, without any
/// classes.
///
/// Any element below `objects` that has an id, or whose name is registered, is an object. If an object with a `key` is
/// inside another object, that object contains it under the key's name. An element inside an object without id and key
/// is a collection of objects. In both places, an element with a `reference` and no id represents another object. Any
/// other element with a `key` and no id is a value.
struct NibGraph {
    struct Object {
        enum Role: Hashable {
            case made
            case owner
            case firstResponder
            /// The object that the caller passes for the identifier with that index in ``NibGraph/placeholders``.
            case placeholder(Int)
        }

        /// How the object's parent contains it.
        enum Containment: Equatable {
            case topLevel
            /// In an outlet; `key` is the attribute with the outlet's name.
            case outlet(key: Int)
            /// In a collection; `element` has the collection's name.
            case collection(element: Int)
            /// Inside an object but without a name, so it belongs to no outlet or collection.
            case loose
        }

        let role: Role
        let element: Int
        /// The attribute with its id.
        let id: Int?
        let parent: Int?
        let containment: Containment
        /// Whether the nib makes it.
        var isMade: Bool { role == .made }
    }

    /// A part of an object: the object and the part's element.
    struct Part {
        let object: Int
        let element: Int
    }

    /// An element that represents another object: `<toolbarItem reference="…"/>`.
    struct Reference {
        /// The object whose element contains the reference.
        let parent: Int
        let element: Int
        /// The attribute with the other object's id.
        let attribute: Int
        let containment: Object.Containment
    }

    let xml: XMLDocument
    let words: NibWords
    /// The rows refer to the document and contain no text, so most texts never become strings.
    private(set) var objects: [Object] = []
    /// The identifiers of the placeholders.
    private(set) var placeholders: [String] = []
    /// The number of objects that the nib makes.
    private(set) var madeCount = 0
    /// The indices of objects, by id.
    private(set) var indices: XMLValueTable
    /// The values of objects, which are elements with a `key`.
    private(set) var values: [Part] = []
    private(set) var connections: [Part] = []
    private(set) var runtimeAttributes: [Part] = []
    /// The collections that contain objects or references; `element` is the collection's element.
    private(set) var collections: [Part] = []
    private(set) var references: [Reference] = []
    /// The ids of objects that were left out.
    private(set) var leftOut: Set<String> = []
    let findings = NibFindings()

    private let knowsClasses: Bool
    private let registered: @Sendable (String) -> Bool
    private let elementsLeftOut: Set<String>
    private var placeholderNumbers: [String: Int] = [:]
    /// The roles found so far, to detect a File's Owner, First Responder or placeholder that occurs twice.
    private var roles: Set<Object.Role> = []

    /// - Parameters:
    ///   - xml: the document.
    ///   - root: the document's element `objects`.
    ///   - elementsLeftOut: the elements whose objects are ignored.
    ///   - knowsClasses: if false, an element that contains an object counts as an object, because a class may be
    ///     registered for it.
    ///   - registered: whether a class is registered for the name of an element.
    init(
        _ xml: XMLDocument, root: Int, leavingOut elementsLeftOut: Set<String>, knowsClasses: Bool = true,
        registered: @escaping @Sendable (String) -> Bool
    ) {
        self.xml = xml
        words = NibWords(xml)
        self.knowsClasses = knowsClasses
        self.registered = registered
        self.elementsLeftOut = elementsLeftOut
        // About as many as a typical document has.
        indices = XMLValueTable(xml, reserving: min(Self.usual, xml.count / 4))
        objects.reserveCapacity(min(Self.usual, xml.count / 4))
        connections.reserveCapacity(min(Self.usual, xml.count / 2))
        for element in xml.children(of: root) {
            if leaves(out: element) { continue }
            if reference(ofElement: element) != nil {
                noteLoose(element)
            } else if isObject(element) {
                add(element, parent: nil, .topLevel)
            } else {
                noteLost(element)
            }
        }
    }

    /// The maximum number of rows for which room is reserved at the beginning.
    private static let usual = 4_096

    /// The finding that refuses the document as a whole, because it exceeds a limit; nil if it exceeds none.
    ///
    /// If there is one, nothing else about the nib is checked.
    func excess(over limits: NibLimits) -> NibFinding? {
        if madeCount > limits.objects {
            let first = objects.lazy.filter(\.isMade).dropFirst(limits.objects).first
            return Self.refusal(
                "makes \(madeCount) objects", limits.objects, "objects",
                at: first.map { xml.offset(ofElement: $0.element) })
        }
        guard connections.count > limits.connections else { return nil }
        return Self.refusal(
            "has \(connections.count) connections", limits.connections, "connections",
            at: xml.offset(ofElement: connections[limits.connections].element))
    }

    /// The finding about a document that exceeds a limit: “The nib makes 5000 objects …”.
    private static func refusal(_ verb: String, _ limit: Int, _ name: String, at offset: Int?) -> NibFinding {
        NibFinding(
            code: .nibUnreadable, offset: offset, message: "The nib \(verb), and the limit is \(limit).",
            remedy: "Divide the nib, or raise the limit: HostEnvironment.current.nibLimits.\(name) of the application, "
                + "and --max-\(name) of this tool.")
    }

    /// The File's Owner object; nil if the document has none.
    var owner: Int? { objects.firstIndex { $0.role == .owner } }

    /// The object with an id; nil if there is none.
    func object(ofID id: String) -> Int? { indices.number(of: id) }

    /// The id of an object; nil if it has none.
    func id(of object: Int) -> String? { objects[object].id.map(xml.value(ofAttribute:)) }

    /// The prefix of the keys that an object's texts have in a table: the object's id or, without one, the prefix of
    /// its container and its own key.
    ///
    /// Nil if the prefix is longer than ``longestTextKey``. Nested objects without ids would make keys whose total size
    /// grows with the square of the document, and no table has such keys.
    func textKey(of object: Int) -> String? {
        // Most objects have an id.
        if let id = objects[object].id, xml.length(ofValue: id) <= Self.longestTextKey {
            return xml.value(ofAttribute: id)
        }
        var parts: [String] = []
        var length = 0
        var next: Int? = object
        while let number = next {
            let part: Int?
            if let id = objects[number].id {
                (part, next) = (id, nil)
            } else if let parent = objects[number].parent, case .outlet(let key) = objects[number].containment {
                (part, next) = (key, parent)
            } else {
                (part, next) = (nil, nil)
            }
            length += 1 + (part.map(xml.length(ofValue:)) ?? 0)
            guard length <= Self.longestTextKey + 1 else { return nil }
            parts.append(part.map(xml.value(ofAttribute:)) ?? "")
        }
        return parts.reversed().joined(separator: ".")
    }

    /// The same for one text of an object; nil also if the key is too long together with the attribute's name.
    func textKey(of object: Int, attribute name: String) -> String? {
        guard let key = textKey(of: object), key.utf8.count + 1 + name.utf8.count <= Self.longestTextKey else {
            return nil
        }
        return key
    }

    /// In bytes.
    static let longestTextKey = 1_024

    /// The identifier of a placeholder; nil for any other object.
    func placeholder(of object: Int) -> String? {
        if case .placeholder(let number) = objects[object].role { placeholders[number] } else { nil }
    }

    // MARK: Walking

    /// The elements that are values if they have a `key`, even if they also have an id.
    static let valueElements: Set<String> = [
        "string", "mutableString", "integer", "real", "bool", "boolean", "nil", "point", "size", "rect", "range",
        "color",
        "date", "url",
    ]

    private mutating func add(
        _ element: Int, parent: Int?, _ containment: Object.Containment
    ) {
        let xml = xml
        let id = xml.attribute(words.id, ofElement: element)
        let number = objects.count
        let role = parent == nil ? role(of: element, id) : .made
        objects.append(
            Object(role: role, element: element, id: id, parent: parent, containment: containment))
        if role == .made { madeCount += 1 }
        if let id, let first = indices.insert(id, number) {
            findings.add(.error) {
                let text = xml.value(ofAttribute: id)
                return NibFinding(
                    code: .nibReferenceInvalid, offset: xml.offset(ofAttribute: id), subject: text,
                    message: "Two objects have the id \(quoted(text)); the other one is in \(NibFinding.line).",
                    remedy: "Give each object an id of its own.",
                    related: xml.offset(ofElement: objects[first].element))
            }
        }
        if role != .made, !roles.insert(role).inserted {
            findings.add(.error) {
                NibFinding(
                    code: .nibReferenceInvalid, offset: xml.offset(ofElement: element), subject: self.id(of: number),
                    message: "The document has the same placeholder twice.", remedy: "Remove one of them.")
            }
        }
        xml.forEachChild(of: element) { addPart($0, of: number) }
    }

    /// The identifier takes precedence over the id, because the ids of File's Owner and First Responder differ between
    /// systems.
    private mutating func role(of element: Int, _ id: Int?) -> Object.Role {
        if let identifier = xml.value(words.placeholderIdentifier, ofElement: element) {
            switch identifier {
            case "IBFilesOwner": return .owner
            case "IBFirstResponder": return .firstResponder
            default: return placeholder(identifier)
            }
        }
        guard let id, xml.isElement(element, named: words.customObject) else { return .made }
        if xml.isValue(ofAttribute: id, "-2") { return .owner }
        if xml.isValue(ofAttribute: id, "-1") { return .firstResponder }
        return xml.isValue(ofAttribute: id, "-3") ? placeholder("Application") : .made
    }

    private mutating func placeholder(_ identifier: String) -> Object.Role {
        if let known = placeholderNumbers[identifier] { return .placeholder(known) }
        placeholderNumbers[identifier] = placeholders.count
        placeholders.append(identifier)
        return .placeholder(placeholders.count - 1)
    }

    private mutating func addPart(_ element: Int, of object: Int) {
        let xml = xml
        if xml.isElement(element, named: words.connections) {
            xml.forEachChild(of: element) { connections.append(Part(object: object, element: $0)) }
            return
        }
        let name = xml.name(ofElement: element)
        switch name {
        case "userDefinedRuntimeAttributes":
            runtimeAttributes += xml.children(of: element).map { Part(object: object, element: $0) }
            return
        case "userComments", "variation": return
        default: break
        }
        if leaves(out: element) { return }
        let key = xml.attribute(words.key, ofElement: element)
        let hasID = xml.attribute(words.id, ofElement: element) != nil
        if let key, Self.valueElements.contains(name) {
            if !xml.isValue(ofAttribute: key, "canvasLocation") {
                values.append(Part(object: object, element: element))
            }
        } else if let reference = reference(ofElement: element) {
            guard let key else { return noteLoose(element) }
            references.append(
                Reference(parent: object, element: element, attribute: reference, containment: .outlet(key: key)))
        } else if isObject(element, knowingClasses: knowsClasses || key == nil) {
            guard let key else {
                if hasID { noteLoose(element) }
                return add(element, parent: object, .loose)
            }
            add(element, parent: object, .outlet(key: key))
        } else if key != nil {
            values.append(Part(object: object, element: element))
            noteLost(element)
        } else {
            addMembers(of: element, in: object)
        }
    }

    private mutating func addMembers(of collection: Int, in object: Int) {
        let before = objects.count + references.count
        for element in xml.children(of: collection) {
            if leaves(out: element) { continue }
            if let reference = reference(ofElement: element) {
                references.append(
                    Reference(
                        parent: object, element: element, attribute: reference,
                        containment: .collection(element: collection)))
            } else if isObject(element) {
                add(element, parent: object, .collection(element: collection))
            } else {
                noteLost(element)
            }
        }
        if objects.count + references.count > before { collections.append(Part(object: object, element: collection)) }
    }

    /// Whether the objects of an element are ignored; if so, records their ids.
    private mutating func leaves(out element: Int) -> Bool {
        guard !elementsLeftOut.isEmpty, elementsLeftOut.contains(xml.name(ofElement: element)) else { return false }
        for descendant in element..<xml.end(ofElement: element) {
            if let id = xml.value(words.id, ofElement: descendant) { leftOut.insert(id) }
        }
        return true
    }

    /// The attribute with the id of the object that an element represents; nil if it represents no other object.
    private func reference(ofElement element: Int) -> Int? {
        xml.attribute(words.id, ofElement: element) == nil ? xml.attribute(words.reference, ofElement: element) : nil
    }

    private func isObject(_ element: Int) -> Bool { isObject(element, knowingClasses: knowsClasses) }

    private func isObject(_ element: Int, knowingClasses: Bool) -> Bool {
        xml.attribute(words.id, ofElement: element) != nil || registered(xml.name(ofElement: element))
            || !knowingClasses && firstObject(in: element) != nil
    }

    /// The first descendant that its id makes an object.
    private func firstObject(in element: Int) -> Int? {
        (element + 1..<xml.end(ofElement: element)).first { descendant in
            xml.attribute(words.id, ofElement: descendant) != nil
                && !(xml.attribute(words.key, ofElement: descendant) != nil
                    && Self.valueElements.contains(xml.name(ofElement: descendant)))
        }
    }

    /// Reports an element that is neither an object nor known but contains an object, which is therefore never reached.
    private func noteLost(_ element: Int) {
        guard let lost = firstObject(in: element) else { return }
        findings.add(.error) {
            let name = xml.name(ofElement: element)
            return NibFinding(
                code: .nibReferenceInvalid, offset: xml.offset(ofElement: element), subject: name,
                message: "<\(name)> has no id and no class is registered for it, so the object "
                    + "\(quoted(xml.value(words.id, ofElement: lost) ?? "")) in it is never made.",
                remedy: "Give the element an id, register a class for \(quoted(name)), or leave the element out.")
        }
    }

    private func noteLoose(_ element: Int) {
        findings.add(.warning) {
            let reference = reference(ofElement: element)
            return NibFinding(
                severity: .warning, code: .nibReferenceInvalid, offset: xml.offset(ofElement: element),
                subject: xml.value(words.id, ofElement: element) ?? reference.map(xml.value(ofAttribute:)),
                message: "<\(xml.name(ofElement: element))> stands without a key and outside of a collection: "
                    + (reference == nil
                        ? "it is made, and nothing contains it." : "nothing contains the object that it refers to."),
                remedy: "Give it a key, or put it into a collection.")
        }
    }
}
