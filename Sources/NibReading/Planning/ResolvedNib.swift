import HostBasics
@_spi(PluginHost) internal import PluginABI
internal import PropertyLists

/// A document whose objects have their classes: what the first stage of planning makes, and the others read.
struct ResolvedNib {
    /// The resolution of an object of the graph.
    enum Resolved {
        /// A slot, and the index of the class in ``classes``.
        case object(NibPlan.Slot, Int)
        case firstResponder
        /// An owner or placeholder for which the caller passed no object.
        case absent
        /// An object whose class is missing; nothing more about it is reported.
        case unknown
    }

    /// A class of objects of the document.
    struct KnownClass {
        let table: NibClassTable
        let type: any NibObject.Type
        /// Nil for the class of the caller's File's Owner or placeholder.
        let member: NibClassLevel.Member?
        /// The first object of the class.
        let firstElement: Int
        /// How many objects of the class the nib makes.
        var count = 0

        /// The name for messages.
        var shownName: String { type == NibForeignObject.self ? table.name : "\(type)" }
    }

    let xml: XMLDocument
    let graph: NibGraph
    let mode: NibPlanner.Mode
    /// The resolution of each object of the graph.
    let resolved: [Resolved]
    /// The classes to which ``resolved`` refers.
    let classes: [KnownClass]
    /// The objects to make, in the order of the document: each class with its number of consecutive objects.
    let made: [NibPlan.Run]

    var words: NibWords { graph.words }
    var findings: NibFindings { graph.findings }

    /// The declarations of an object's class; nil if the class is not known.
    func table(ofObject object: Int) -> NibClassTable? {
        if case .object(_, let aClass) = resolved[object] { classes[aClass].table } else { nil }
    }

    // MARK: Ends of connections

    /// The slot and class of the source of a connection; nil if the source cannot have connections.
    func slot(ofSource object: Int, at offset: Int) -> (NibPlan.Slot, aClass: Int)? {
        switch resolved[object] {
        case .object(let slot, let aClass): return (slot, aClass)
        case .absent: addAbsent(object, at: offset)
        case .firstResponder:
            findings.add(
                .nibReferenceInvalid, at: offset, "First Responder has a connection; it is only ever a destination.",
                "Remove the connection.")
        case .unknown: break
        }
        return nil
    }

    /// The object whose id an attribute of a connection or reference contains; nil if there is none, which is reported.
    func destination(of element: Int, _ attribute: Int?, _ xml: XMLDocument) -> Int? {
        guard let attribute else {
            findings.add(
                .nibReferenceInvalid, at: xml.offset(ofElement: element), "The connection has no destination.",
                "Remove it, or connect it again.")
            return nil
        }
        if let object = graph.indices.number(of: attribute) { return object }
        let id = xml.value(ofAttribute: attribute)
        let what = xml.numberedName(ofAttribute: attribute) == words.reference ? "reference" : "connection"
        if graph.leftOut.contains(id) {
            findings.add(
                .nibReferenceInvalid, at: xml.offset(ofAttribute: attribute), subject: id,
                "The \(what) leads to \(quoted(id)), whose element is left out.",
                "Remove the connection, or register a class for the element.")
        } else {
            findings.add(
                .nibReferenceInvalid, at: xml.offset(ofAttribute: attribute), subject: id,
                "The \(what) leads to \(quoted(id)), and no object has this id.", remedy(ofMissingID: id))
        }
        return nil
    }

    private func remedy(ofMissingID id: String) -> String {
        let close = findings.suggestions.names(near: id, among: graph.indices.values)
        return close.isEmpty
            ? "Remove the connection, or connect it again." : "There is \(quotedList(close, or: "")); connect it again."
    }

    /// Reports a connection to an object that the caller did not pass.
    func addAbsent(_ object: Int, at offset: Int) {
        guard findings.isFirst(absent: object) else { return }
        if let name = graph.placeholder(of: object) {
            findings.add(
                .nibPlaceholderMissing, at: offset, subject: name,
                "The nib connects the placeholder \(quoted(name)), and was given no object for it.",
                "Give it in placeholders[\(quoted(name))].")
        } else {
            findings.add(
                .nibOwnerInvalid, at: offset, "The nib connects File's Owner, and was given none.",
                "Give the object that owns the nib as owner.")
        }
    }

    /// The name of an object for messages: its id, otherwise its element.
    func shown(_ object: Int) -> String {
        switch graph.objects[object].role {
        case .owner: "File's Owner"
        case .firstResponder: "First Responder"
        case .placeholder(let identifier): "the placeholder \(quoted(graph.placeholders[identifier]))"
        case .made:
            graph.id(of: object).map { quoted($0) } ?? "<\(xml.name(ofElement: graph.objects[object].element))>"
        }
    }
}
