import Glibc
import HostBasics
import NibReading
@_spi(PluginHost) import PluginABI
import TestSupport

@_spi(Tools) @testable import PluginHost

/// What nibs of the tests are made of: a text, a row, a container, a link with an event, and a card that owns them.
protocol Picture: AnyObject { var caption: String { get } }

/// An open class, and its subclasses below.
class Block: Plugin, NibObject {
    enum Weight: String, NibAttribute, CaseIterable { case light, bold }
    enum Free: String, NibAttribute { case some }

    let recorder = Recorder.current
    var title = "" { didSet { recorder?.note("title=\(title)") } }
    var toolTip = ""
    var note: String?
    var tag = 0
    var ratio = 0.5
    var factor: Float = 1
    var isOn = false
    var weight = Weight.light
    var free: Free?
    var frame: NibRect?
    var origin: NibPoint?
    var extent: NibSize?
    var span: NibRange?
    var color: NibColor?
    var date: NibDate?
    var font: NibRecord?
    var image: NamedImage?
    var sound: NamedSound?
    var blocks: [Block] = []
    var header: Block?
    weak var delegate: (any NibObject)?
    var next: Block?
    var awoken = 0

    required init(context: PluginContext) throws { recorder?.note("init \(Self.self)") }
    init() { recorder?.note("init \(Self.self)") }
    deinit { recorder?.note("deinit") }

    class var nibInterface: NibInterface { blockInterface }
    private static let blockInterface = NibInterface(for: Block.self) { nib in
        nib.attribute("title") { $0.title = $1 }
        nib.attribute("toolTip") { $0.toolTip = $1 }
        nib.attribute("note") { $0.note = $1 }
        nib.attribute("tag") { $0.tag = $1 }
        nib.attribute("ratio") { $0.ratio = $1 }
        nib.attribute("factor") { $0.factor = $1 }
        nib.attribute("isOn") { $0.isOn = $1 }
        nib.attribute("weight") { $0.weight = $1 }
        nib.attribute("free") { $0.free = $1 }
        nib.attribute("frame") { $0.frame = $1 }
        nib.attribute("origin") { $0.origin = $1 }
        nib.attribute("extent") { $0.extent = $1 }
        nib.attribute("span") { $0.span = $1 }
        nib.attribute("color") { $0.color = $1 }
        nib.attribute("date") { $0.date = $1 }
        nib.attribute("font") { $0.font = $1 }
        nib.attribute("image") { $0.image = $1 }
        nib.attribute("sound") { $0.sound = $1 }
        nib.outlets("subviews") { $0.blocks = $1 }
        nib.outlet("headerCell") { $0.header = $1 }
        nib.outlet("delegate") { $0.delegate = $1 }
        nib.outlet("next") { $0.next = $1 }
        nib.action("reset", Block.reset)
    }

    func reset() { recorder?.note("reset \(title)") }
    func awakeFromNib() {
        awoken += 1
        recorder?.note("awake \(title)")
    }
}

final class Label: Block, Picture {
    var caption: String { "label " + title }
    override class var nibInterface: NibInterface { labelInterface }
    private static let labelInterface = NibInterface(for: Label.self, inheriting: Block.nibInterface) { nib in
        nib.serves((any Picture).self) { $0 }
    }
}

final class Row: Block {}

final class Link: Block {
    var onPress: NibAction?
    var others: [NibAction] = []
    override class var nibInterface: NibInterface { linkInterface }
    private static let linkInterface = NibInterface(for: Link.self, inheriting: Block.nibInterface) { nib in
        nib.event { $0.onPress = $1 }
        nib.events("touchUpInside") { $0.others = $1 }
    }
}

/// Made by code: a File's Owner.
final class Card: NibObject {
    var words: Block?
    var label: Label?
    var picture: (any Picture)?
    var pictures: [any Picture] = []
    var rows: [Row] = []
    var all: [any NibObject] = []
    var opened: [String] = []
    var loads = 0
    let recorder = Recorder.current

    static let nibInterface = NibInterface(for: Card.self) { nib in
        nib.outlet("words") { $0.words = $1 }
        nib.outlet("label") { $0.label = $1 }
        nib.outlet("picture", as: (any Picture).self) { $0.picture = $1 }
        nib.outlets("pictures", as: (any Picture).self) { $0.pictures = $1 }
        nib.outlets("rows") { $0.rows = $1 }
        nib.outlets("all") { $0.all = $1 }
        nib.action("open:", Card.open)
        nib.action("any:", Card.take)
        nib.action("close", Card.close)
        nib.action("fail", Card.fail)
    }

    func open(_ sender: Link) throws { opened.append("open \(sender.title)") }
    func take(_ sender: any NibObject) { opened.append("any") }
    func close() { opened.append("close") }
    func fail() throws { throw PluginFailure("It failed.") }
    func nibDidLoad(_ nib: NibInstance) {
        loads += 1
        recorder?.note("loaded")
    }
}

/// An owner with a required outlet.
final class StrictCard: NibObject {
    var words: Block?
    static let nibInterface = NibInterface(for: StrictCard.self) { nib in
        nib.outlet("words", required: true) { $0.words = $1 }
    }
}

/// What happened, in order, on one thread.
final class Recorder: @unchecked Sendable {
    // @unchecked because it is used by the thread of one test.
    @TaskLocal static var current: Recorder?
    private(set) var events: [String] = []
    func note(_ event: String) { events.append(event) }
}

/// Classes that need no code to be loaded.
struct TestClasses: NibClassSource {
    var levels: [NibClassLevel]
    var strangers: [String: String] = [:]

    func nibClasses() throws(PluginError) -> AvailableNibClasses { AvailableNibClasses(levels: levels) }
    func isCurrent(_ classes: AvailableNibClasses) -> Bool { true }
    func stranger(withNibClass name: String) -> String? { strangers[name] }
}

extension NibClassLevel {
    static func of(_ classes: [NibClass], isOwn: Bool = true, in bundle: PluginBundle) -> NibClassLevel {
        let context = PluginContext(services: HostTable(bundle: bundle))
        return NibClassLevel(
            isOwn: isOwn,
            members: classes.map {
                Member(
                    aClass: $0, context: context, count: nil, bundlePath: bundle.bundlePath,
                    elements: $0.registration.element.map { [$0] } ?? [])
            })
    }
}

extension NibClass {
    static func plugin<P: Plugin & NibObject>(_ type: P.Type, as name: String? = nil, element: String? = nil)
        -> NibClass
    {
        NibClass(name: name ?? "\(type)", NibRegistration(type, element: element) { try type.init(context: $0) })
    }

    static var blocks: [NibClass] {
        [
            plugin(Block.self, element: "view"), plugin(Label.self, element: "textField"), plugin(Row.self),
            plugin(Link.self, element: "button"),
        ]
    }
}

/// A bundle with resources, and nibs of its text.
struct NibWorld {
    let tree: TemporaryTree
    let bundle: PluginBundle
    var classes: TestClasses

    init(_ files: [String: String] = [:], classes: [NibClass] = NibClass.blocks) throws {
        var all = [
            "Nibs.bundle/Contents/Info.plist":
                "{ CFBundleIdentifier = \"org.example.Nibs\"; CFBundleDevelopmentRegion = en; }"
        ]
        for (name, text) in files { all["Nibs.bundle/Contents/Resources/" + name] = text }
        tree = try TemporaryTree(all)
        bundle = try PluginBundle.open(path: tree("Nibs.bundle"))
        self.classes = TestClasses(levels: [.of(classes, in: bundle)])
    }

    /// A document of some objects.
    static func document(_ objects: String, _ more: String = "") -> String {
        NibText.document(objects, more)
    }

    /// The line of the first object of ``document(_:_:)``.
    static let firstLine = 5

    func file(_ text: String) throws -> NibFile { try file(bytes: Array(text.utf8)) }

    func file(bytes: [UInt8]) throws -> NibFile {
        try NibFile(bytes, name: "Test", path: "/T.xib", bundle: bundle, isTranslated: false, classes: classes)
    }

    func nib(_ objects: String, _ more: String = "") throws -> Nib {
        Nib(services: try file(Self.document(objects, more)))
    }

    /// A nib of the bundle's resources.
    func named(_ name: String) throws -> Nib {
        let found = try NibFile.named(name, in: bundle)
        let bytes = try OpenedFile(path: found.path!).bytes(atMost: 1 << 20)
        return Nib(
            services: try NibFile(
                bytes, name: found.name, path: found.path, bundle: bundle, isTranslated: found.isTranslated,
                classes: classes))
    }

    /// What is wrong with a nib of some objects.
    func error(
        _ objects: String, owner: (any NibObject)? = nil, placeholders: [String: any NibObject] = [:],
        options: NibOptions = NibOptions()
    ) throws -> PluginError {
        let nib = try nib(objects)
        do {
            _ = try nib.instantiate(owner: owner, placeholders: placeholders, options: options)
        } catch let error as PluginError {
            return error
        }
        throw NothingWrong()
    }

    struct NothingWrong: Error {}
}

extension PluginError {
    /// The first finding's code, line and column.
    var summary: String {
        let place = findings[0].place.map { " \($0)" } ?? ""
        return "\(code)\(place)"
    }
}
