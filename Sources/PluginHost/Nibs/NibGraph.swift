internal import PropertyLists

/// The objects of a XIB document and how they contain one another, as far as the document alone says: no class is known.
///
/// Any element below `objects` that has an id, or whose name is registered, is an object. An object with a `key` in another
/// is contained in it under that name; an element in an object without id and key is a collection of objects. What has a
/// `key` and no id is a value.
struct NibGraph {
    struct Object {
        enum Role: Equatable {
            case made
            case owner
            case firstResponder
            /// What the caller gives under the identifier.
            case placeholder(String)
        }

        /// How the object stands in its parent.
        enum Containment: Equatable {
            case topLevel
            /// In the outlet of a name.
            case outlet(String)
            /// In the collection of a name.
            case collection(String)
            /// In an object, without a name: it belongs to no collection.
            case loose
        }

        let role: Role
        let element: Int
        let id: String?
        let parent: Int?
        let containment: Containment
        /// What the keys of its texts begin with in a table: its id, or that of the object that contains it and the key.
        let textKey: String
    }

    /// Something of an object: its object and its element.
    struct Part {
        let object: Int
        let element: Int
    }

    let xml: XMLDocument
    private(set) var objects: [Object] = []
    /// The numbers of objects by their ids.
    private(set) var indices: [String: Int] = [:]
    /// The values of objects: their elements have a `key`.
    private(set) var values: [Part] = []
    private(set) var connections: [Part] = []
    private(set) var runtimeAttributes: [Part] = []
    /// The collections that hold objects: `element` is the collection's.
    private(set) var collections: [Part] = []
    /// The ids of objects that were left out.
    private(set) var leftOut: Set<String> = []
    private(set) var findings: [NibFinding] = []

    private let registered: (String) -> Bool
    private let elementsLeftOut: Set<String>
    private let limits: NibLimits
    private var isFull = false

    /// - Parameters:
    ///   - xml: the document.
    ///   - root: its `objects`.
    ///   - elementsLeftOut: the elements whose objects are passed over.
    ///   - limits: how many objects and connections there may be.
    ///   - registered: whether a class is registered for an element's name.
    init(
        _ xml: XMLDocument, root: Int, leavingOut elementsLeftOut: Set<String>, limits: NibLimits,
        registered: @escaping (String) -> Bool
    ) {
        self.xml = xml
        self.registered = registered
        self.elementsLeftOut = elementsLeftOut
        self.limits = limits
        for element in xml.children(of: root) {
            let name = xml.name(ofElement: element)
            if leaves(out: element, name) { continue }
            if xml.attribute("id", ofElement: element) != nil || registered(name) {
                add(element, name, parent: nil, .topLevel, textKey: nil)
            } else {
                noteLost(element, name)
            }
        }
    }

    /// The object of File's Owner.
    var owner: Int? { objects.firstIndex { $0.role == .owner } }

    // MARK: Walking

    /// The elements that are values when they have a `key`, also with an id.
    static let valueElements: Set<String> = [
        "string", "mutableString", "integer", "real", "bool", "boolean", "nil", "point", "size", "rect", "range",
        "color",
        "date", "url",
    ]

    private mutating func add(
        _ element: Int, _ name: String, parent: Int?, _ containment: Object.Containment, textKey: String?
    ) {
        guard objects.count < limits.objects else { return refuse("objects", limits.objects, at: element) }
        let id = xml.value("id", ofElement: element)
        let number = objects.count
        let role = parent == nil ? role(of: element, name, id) : .made
        objects.append(
            Object(
                role: role, element: element, id: id, parent: parent, containment: containment,
                textKey: id ?? textKey ?? ""))
        if let id {
            if let first = indices[id] {
                findings.append(
                    NibFinding(
                        code: .nibReferenceInvalid,
                        offset: xml.attribute("id", ofElement: element).map(xml.offset(ofAttribute:)),
                        subject: id,
                        message: "Two objects have the id \(quoted(id)); the other one is in \(NibFinding.line).",
                        remedy: "Give each object an id of its own.",
                        related: xml.offset(ofElement: objects[first].element)))
            } else {
                indices[id] = number
            }
        }
        if role != .made, objects.dropLast().contains(where: { $0.role == role }) {
            findings.append(
                NibFinding(
                    code: .nibReferenceInvalid, offset: xml.offset(ofElement: element), subject: id,
                    message: "The document has the same placeholder twice.", remedy: "Remove one of them."))
        }
        for child in xml.children(of: element) { addPart(child, of: number) }
    }

    /// The identifier decides before the id: the numbers of File's Owner and First Responder differ between the systems.
    private func role(of element: Int, _ name: String, _ id: String?) -> Object.Role {
        if let identifier = xml.value("placeholderIdentifier", ofElement: element) {
            switch identifier {
            case "IBFilesOwner": return .owner
            case "IBFirstResponder": return .firstResponder
            default: return .placeholder(identifier)
            }
        }
        guard name == "customObject" else { return .made }
        switch id {
        case "-2": return .owner
        case "-1": return .firstResponder
        case "-3": return .placeholder("Application")
        default: return .made
        }
    }

    private mutating func addPart(_ element: Int, of object: Int) {
        let name = xml.name(ofElement: element)
        switch name {
        case "connections":
            for connection in xml.children(of: element) {
                guard connections.count < limits.connections else {
                    return refuse("connections", limits.connections, at: connection)
                }
                connections.append(Part(object: object, element: connection))
            }
            return
        case "userDefinedRuntimeAttributes":
            runtimeAttributes += xml.children(of: element).map { Part(object: object, element: $0) }
            return
        case "userComments", "variation": return
        default: break
        }
        if leaves(out: element, name) { return }
        let key = xml.value("key", ofElement: element)
        let hasID = xml.attribute("id", ofElement: element) != nil
        if let key, Self.valueElements.contains(name) {
            if key != "canvasLocation" { values.append(Part(object: object, element: element)) }
        } else if hasID || registered(name) {
            guard let key else {
                if hasID { noteLoose(element, name, in: object) }
                return add(element, name, parent: object, .loose, textKey: nil)
            }
            add(element, name, parent: object, .outlet(key), textKey: objects[object].textKey + "." + key)
        } else if key != nil {
            values.append(Part(object: object, element: element))
            noteLost(element, name)
        } else {
            addMembers(of: element, name, in: object)
        }
    }

    private mutating func addMembers(of collection: Int, _ collectionName: String, in object: Int) {
        let before = objects.count
        for element in xml.children(of: collection) {
            let name = xml.name(ofElement: element)
            if leaves(out: element, name) { continue }
            if xml.attribute("id", ofElement: element) != nil || registered(name) {
                add(element, name, parent: object, .collection(collectionName), textKey: nil)
            } else {
                noteLost(element, name)
            }
        }
        if objects.count > before { collections.append(Part(object: object, element: collection)) }
    }

    /// Whether the objects of an element are passed over.
    private mutating func leaves(out element: Int, _ name: String) -> Bool {
        guard elementsLeftOut.contains(name) else { return false }
        for descendant in element..<xml.end(ofElement: element) {
            if let id = xml.value("id", ofElement: descendant) { leftOut.insert(id) }
        }
        return true
    }

    /// Notes an element that is neither an object nor known, and holds what is one: it is never reached.
    private mutating func noteLost(_ element: Int, _ name: String) {
        let lost = (element + 1..<xml.end(ofElement: element)).first { descendant in
            xml.attribute("id", ofElement: descendant) != nil
                && !(xml.attribute("key", ofElement: descendant) != nil
                    && Self.valueElements.contains(xml.name(ofElement: descendant)))
        }
        guard let lost else { return }
        findings.append(
            NibFinding(
                code: .nibReferenceInvalid, offset: xml.offset(ofElement: element), subject: name,
                message: "<\(name)> has no id and no class is registered for it, so the object "
                    + "\(quoted(xml.value("id", ofElement: lost) ?? "")) in it is never made.",
                remedy: "Give the element an id, register a class for \(quoted(name)), or leave the element out."))
    }

    private mutating func noteLoose(_ element: Int, _ name: String, in object: Int) {
        findings.append(
            NibFinding(
                severity: .warning, code: .nibReferenceInvalid, offset: xml.offset(ofElement: element),
                subject: xml.value("id", ofElement: element),
                message:
                    "<\(name)> stands in an object without a key and outside of a collection: it is made, and nothing "
                    + "contains it.", remedy: "Give it a key, or put it into a collection."))
    }

    private mutating func refuse(_ what: String, _ limit: Int, at element: Int) {
        guard !isFull else { return }
        isFull = true
        findings.append(
            NibFinding(
                code: .nibUnreadable, offset: xml.offset(ofElement: element),
                message: "The document has more than \(limit) \(what), which is the limit.",
                remedy: "Divide the nib, or raise HostEnvironment.current.nibLimits.\(what)."))
    }
}
