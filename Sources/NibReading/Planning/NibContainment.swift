import HostBasics
@_spi(PluginHost) internal import PluginABI
internal import PropertyLists

/// The stage of planning that gives objects the objects that they contain.
struct NibContainment {
    private let nib: ResolvedNib
    /// The collections of contained objects, in the order of the document.
    private var collections: [Collection] = []
    /// Indices in ``collections``, by object and name; built when first needed.
    private var numbers: [ConnectedOutlets.OutletKey: Int]?

    /// The objects that an object contains in a collection.
    ///
    /// It is set after the outlet collections are known, because an outlet collection of the same name is added to it.
    private struct Collection {
        let object: Int
        let outlet: NibOutlets.KnownOutlet
        /// The objects, each with its offset.
        var members: [(object: Int, offset: Int)]
    }

    init(_ nib: ResolvedNib) { self.nib = nib }

    /// Connects contained objects to the outlets named by their keys.
    ///
    /// Collections are only collected here; see ``setCollections(_:)``.
    mutating func set(_ outlets: inout NibOutlets) {
        let xml = nib.xml
        var members: [Int: [String: [(object: Int, offset: Int)]]] = [:]
        func add(_ number: Int, _ place: Int, to element: Int, of parent: Int) {
            members[parent, default: [:]][xml.name(ofElement: element), default: []].append((number, place))
        }
        for number in nib.graph.objects.indices {
            guard let parent = nib.graph.objects[number].parent else { continue }
            let object = nib.graph.objects[number]
            switch object.containment {
            case .outlet(let key):
                outlets.connect(
                    parent, outlets.outlet(ofProperty: key, of: parent, xml), to: number,
                    at: xml.offset(ofElement: object.element),
                    .containment)
            case .collection(let element):
                add(number, xml.offset(ofElement: object.element), to: element, of: parent)
            case .topLevel, .loose: break
            }
        }
        for reference in nib.graph.references {
            let offset = xml.offset(ofElement: reference.element)
            guard let number = nib.destination(of: reference.element, reference.attribute, xml) else { continue }
            switch reference.containment {
            case .outlet(let key):
                outlets.connect(
                    reference.parent, outlets.outlet(ofProperty: key, of: reference.parent, xml), to: number,
                    at: offset,
                    .containment)
            case .collection(let element): add(number, offset, to: element, of: reference.parent)
            case .topLevel, .loose: break
            }
        }
        for part in nib.graph.collections {
            let name = xml.name(ofElement: part.element)
            // Two collections with the same name count as one.
            guard let all = members[part.object]?.removeValue(forKey: name) else { continue }
            let offset = xml.offset(ofElement: part.element)
            guard let (_, aClass) = nib.slot(ofSource: part.object, at: offset) else { continue }
            guard let outlet = nib.classes[aClass].table.outlets[name], outlet.isCollection else {
                outlets.addUndeclared(name, of: nib.classes[aClass].table, isCollection: true, at: offset)
                continue
            }
            collections.append(
                Collection(
                    object: part.object, outlet: NibOutlets.KnownOutlet(name: name, outlet: outlet, setter: nil),
                    members: all))
        }
    }

    /// Sets each collection of contained objects once, with all its members.
    func setCollections(_ outlets: inout NibOutlets) {
        for collection in collections {
            // Members from references and outlet collections were appended at the end, so restore the order of the
            // document.
            let members = collection.members.sorted { $0.offset < $1.offset }
            outlets.connect(
                collection.object, collection.outlet, to: members.map(\.object), offsets: members.map(\.offset),
                .containment)
        }
    }

    /// Adds the objects of an outlet collection to the contained objects of the same name; returns whether there are
    /// any.
    mutating func add(
        _ object: Int, _ outlet: NibOutlets.KnownOutlet, _ members: [(object: Int, offset: Int)]
    ) -> Bool {
        if collections.isEmpty { return false }
        let known =
            numbers
            ?? Dictionary(
                collections.enumerated().map {
                    (ConnectedOutlets.OutletKey(object: $1.object, name: $1.outlet.name), $0)
                },
                uniquingKeysWith: { first, _ in first })
        numbers = known
        guard let number = known[ConnectedOutlets.OutletKey(object: object, name: outlet.name)] else { return false }
        collections[number].members += members
        return true
    }
}
