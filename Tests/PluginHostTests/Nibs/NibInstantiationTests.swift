import NibReading
@_spi(PluginHost) import PluginABI
import TestSupport
import Testing

@testable import PluginHost

/// What a nib makes, and in which order.
///
/// Numbers after “seed” are promises of the guides that nibs come from.
@Suite struct NibInstantiationTests {
    private let world: NibWorld

    init() throws { world = try NibWorld() }

    /// Seeds 1, 3 and 38: objects are restored to the state that was specified, connected, and ready after the call.
    @Test func objectsAreMadeConfiguredAndConnected() throws {
        let nib = try world.nib(
            """
            <customObject id="-2" userLabel="File's Owner" customClass="Card">
                <connections><outlet property="words" destination="a" id="c1"/></connections>
            </customObject>
            <customObject id="-1" userLabel="First Responder" customClass="FirstResponder"/>
            <customObject id="-3" userLabel="Application" customClass="NSObject"/>
            <view id="a" title="first" tag="7" isOn="YES">
                <rect key="frame" x="1" y="2.5" width="30" height="40"/>
                <connections><outlet property="next" destination="b" id="c2"/></connections>
            </view>
            <customObject id="b" customClass="Label" title="second"/>
            """)
        let card = Card()
        let made = try nib.instantiate(owner: card)
        let first = try #require(made.object("a", as: Block.self))
        #expect(first.title == "first" && first.tag == 7 && first.isOn)
        #expect(first.frame == NibRect(x: 1, y: 2.5, width: 30, height: 40))
        // Seed 61: outlets are usable at once. Seeds 8 and 9: the owner stands for the proxy, in both directions.
        #expect(card.words === first)
        #expect(first.next === made.object("b") && first.next is Label)
        #expect(made.object("b", as: Row.self) == nil && made.object("c1") == nil)
        #expect(first.awoken == 1 && card.loads == 1)
        // Seeds 14 and 15: the top-level objects, without the placeholders.
        #expect(made.topLevelObjects.count == 2 && made.topLevelObjects[0] === first)
    }

    /// Seeds 2, 4 and 25: objects of no view, by customObject and their class, made by their initialiser.
    @Test func customObjectsOfAnyClassAreMade() throws {
        let made = try world.nib("<customObject id=\"r\" customClass=\"Row\"/>").instantiate()
        #expect(made.object("r") is Row)
    }

    /// Seed 23: an element stands for a class that is registered for it, and customClass takes its place.
    @Test func elementsStandForClasses() throws {
        let made = try world.nib(
            "<textField id=\"l\"/><textField id=\"r\" customClass=\"Row\"/><button/>"
        ).instantiate()
        #expect(made.object("l") is Label && made.object("r") is Row)
        // An element of a registered name is an object without an id too.
        #expect(made.topLevelObjects.count == 3 && made.topLevelObjects[2] is Link)
    }

    /// Seed 40: contained objects are owned by their parents.
    @Test func containedObjectsStandInTheirParent() throws {
        let made = try world.nib(
            """
            <view id="top">
                <subviews>
                    <view id="one" title="1"><subviews><textField id="two" title="2"/></subviews></view>
                    <textField id="three" title="3"/>
                </subviews>
                <textField key="headerCell" title="head"/>
            </view>
            """
        ).instantiate()
        let top = try #require(made.object("top", as: Block.self))
        #expect(top.blocks.map(\.title) == ["1", "3"] && top.blocks[0].blocks.map(\.title) == ["2"])
        #expect(top.header?.title == "head")
        #expect(made.topLevelObjects.count == 1 && made.objects.count == 5)
    }

    /// Seeds 34, 35 and 37: every object awakes, contained objects first, otherwise in the order of the document; then the
    /// placeholders learn that the nib is loaded, and the owner last.
    @Test func theOrderIsThatOfTheDocument() throws {
        let recorder = Recorder()
        try Recorder.$current.withValue(recorder) {
            let nib = try world.nib(
                """
                <customObject id="-2" customClass="Card"/>
                <view id="a" title="a"><subviews><view id="b" title="b"/><view id="c" title="c"/></subviews></view>
                <view id="d" title="d"><connections><outlet property="next" destination="a" id="x"/></connections></view>
                <placeholder placeholderIdentifier="Other" id="p"/>
                """)
            let other = try Block(context: PluginContext(services: HostTable(bundle: world.bundle)))
            other.title = "other"
            try nib.instantiate(owner: Card(), placeholders: ["Other": other])
        }
        let expected =
            ["init Block", "title=other"] + Array(repeating: "init Block", count: 4)
            + [
                "title=a", "title=b", "title=c", "title=d", "awake b", "awake c", "awake a", "awake d", "awake other",
                "loaded",
            ]
        #expect(recorder.events.prefix(expected.count).elementsEqual(expected), "\(recorder.events)")
    }

    /// Seed 28: property observers run before all connections are made and before any object wakes.
    @Test func observersRunBeforeAnyAwake() throws {
        final class Peer: Block {
            var peer: Peer? { didSet { recorder?.note("connected \(title) to \(peer?.title ?? "")") } }
            override class var nibInterface: NibInterface { interface }
            private static let interface = NibInterface(for: Peer.self, inheriting: Block.nibInterface) { nib in
                nib.outlet("peer") { $0.peer = $1 }
            }
        }
        let recorder = Recorder()
        let world = try NibWorld(classes: [.plugin(Peer.self, element: "view")])
        try Recorder.$current.withValue(recorder) {
            let made = try world.nib(
                """
                <view id="a" title="one"><connections><outlet property="peer" destination="b" id="c"/></connections></view>
                <view id="b" title="two"/>
                """
            ).instantiate()
            #expect(made.objects.count == 2)
        }
        #expect(
            recorder.events.prefix(7).elementsEqual([
                "init Peer", "init Peer", "title=one", "title=two", "connected one to two", "awake one", "awake two",
            ]), "\(recorder.events)")
    }

    /// Seeds 39 and 57: every instantiation makes new objects, of one document.
    @Test func eachInstantiationMakesNewObjects() throws {
        let nib = try world.nib("<view id=\"a\" title=\"x\"/>")
        let (first, second) = (try nib.instantiate(), try nib.instantiate())
        #expect(first.object("a") !== second.object("a"))
    }

    /// Seeds 20, 57 and 78: the file is read once; nothing is made of it before its objects are needed.
    @Test func theFileIsReadOnceAndNothingIsMadeBefore() throws {
        let recorder = Recorder()
        try Recorder.$current.withValue(recorder) {
            let world = try NibWorld(["A.xib": NibWorld.document("<view id=\"a\" title=\"x\"/>")])
            let nib = try world.named("A")
            world.tree.remove("Nibs.bundle/Contents/Resources/A.xib")
            #expect(recorder.events.isEmpty)
            #expect(try nib.instantiate().objects.count == 1 && nib.instantiate().objects.count == 1)
        }
    }

    /// Seeds 40 and 42: who drops the instance drops the objects that no strong outlet keeps.
    @Test func theInstanceOwnsTheTopLevelObjects() throws {
        let nib = try world.nib(
            """
            <customObject id="-2"><connections><outlet property="words" destination="kept" id="c"/></connections></customObject>
            <view id="kept"/><view id="dropped"/>
            """)
        let card = Card()
        weak var dropped: Block?
        do {
            let made = try nib.instantiate(owner: card)
            dropped = made.object("dropped", as: Block.self)
            #expect(dropped != nil)
        }
        #expect(dropped == nil && card.words != nil)
    }

    /// Seeds 10 and 58: another owner each time; its class may be another too.
    @Test func anotherOwnerEachTime() throws {
        let nib = try world.nib(
            """
            <customObject id="-2"><connections><outlet property="words" destination="a" id="c"/></connections></customObject>
            <view id="a"/>
            """)
        let (card, strict) = (Card(), StrictCard())
        try nib.instantiate(owner: card)
        try nib.instantiate(owner: strict)
        try nib.instantiate(owner: card)
        #expect(card.words != nil && strict.words != nil && card.words !== strict.words && card.loads == 2)
    }

    /// Seed 54: an owner is needed only where the nib connects it.
    @Test func aNibThatDoesNotConnectTheOwnerNeedsNone() throws {
        #expect(
            try world.nib("<customObject id=\"-2\" customClass=\"Card\"/><view id=\"a\"/>").instantiate().objects.count
                == 1)
    }

    /// Seeds 59 and 60: further placeholders by unique names, replaced by what the caller gives; Application is one.
    @Test func placeholdersAreWhatTheCallerGives() throws {
        let nib = try world.nib(
            """
            <customObject id="-3" userLabel="Application" customClass="NSObject">
                <connections><outlet property="words" destination="a" id="c0"/></connections>
            </customObject>
            <placeholder placeholderIdentifier="Other" id="p" userLabel="Other"/>
            <view id="a"><connections><outlet property="delegate" destination="p" id="c1"/></connections></view>
            """)
        let (application, other) = (Card(), Card())
        let made = try nib.instantiate(placeholders: ["Application": application, "Other": other])
        #expect(made.object("a", as: Block.self)?.delegate === other && application.words === made.object("a"))
        #expect(made.objects.count == 1 && application.loads == 1 && other.loads == 1)
    }

    /// The identifier decides before the id: on iOS the numbers of File's Owner and First Responder are those of the other.
    @Test func placeholderIdentifiersDecideBeforeIds() throws {
        let nib = try world.nib(
            """
            <placeholder placeholderIdentifier="IBFilesOwner" id="-1" userLabel="File's Owner" customClass="Card">
                <connections><outlet property="words" destination="a" id="c"/></connections>
            </placeholder>
            <placeholder placeholderIdentifier="IBFirstResponder" id="-2" customClass="UIResponder"/>
            <view id="a"/>
            """)
        let card = Card()
        try nib.instantiate(owner: card)
        #expect(card.words != nil)
    }

    /// Seeds 26, 30 and 32: actions, in both forms of the document; the event is named by eventType.
    @Test func actionsAreConnectedToEvents() throws {
        let nib = try world.nib(
            """
            <customObject id="-2"/>
            <button id="a" title="one"><connections>
                <action selector="open:" target="-2" id="c1"/>
                <action selector="close:" destination="-2" eventType="touchUpInside" id="c2"/>
                <action selector="any" destination="-2" trigger="touchUpInside" id="c3"/>
            </connections></button>
            """)
        let card = Card()
        let made = try nib.instantiate(owner: card)
        let link = try #require(made.object("a", as: Link.self))
        let press = try #require(link.onPress)
        #expect(press.name == "open:" && press.target === card && press.isEnabled)
        #expect(try press.send(from: link))
        // A colon at the end counts on neither side.
        #expect(link.others.map(\.name) == ["close:", "any"])
        for action in link.others { try action.send(from: link) }
        #expect(card.opened == ["open one", "close", "any"])
    }

    /// Targets are weak: an action without one sends nothing, and what a method throws arrives.
    @Test func actionsDoNotKeepTheirTargets() throws {
        let nib = try world.nib(
            """
            <customObject id="-2"/>
            <button id="a"><connections><action selector="fail" target="-2" id="c"/></connections></button>
            """)
        let press: NibAction
        let link: Link
        do {
            let card = Card()
            link = try #require(nib.instantiate(owner: card).object("a", as: Link.self))
            press = try #require(link.onPress)
            #expect(throws: PluginFailure.self) { try press.send(from: link) }
        }
        #expect(!press.isEnabled && press.target == nil)
        #expect(try !press.send(from: link))
    }

    /// An owner has the class that the nib names also if it was registered by that name.
    @Test func anOwnerIsKnownByTheNameThatItsClassWasRegisteredBy() async {
        await #expect(processExitsWith: .success) {
            nonisolated(unsafe) var logged: [String] = []
            HostEnvironment.current.log = { logged.append($0.message) }
            let world = try NibWorld(classes: NibClass.blocks + [.plugin(Row.self, as: "Line")])
            let row = Row()
            try world.nib("<customObject id=\"-2\" customClass=\"Line\"/>").instantiate(owner: row)
            #expect(logged.isEmpty, "\(logged)")
            try world.nib("<customObject id=\"-2\" customClass=\"Label\"/>").instantiate(owner: row)
            #expect(logged.contains { $0.contains("File's Owner is a “Label” here") }, "\(logged)")
        }
    }

    /// Seeds 11, 12, 31, 62 and 64: First Responder is found at each send among the responders of that time.
    @Test func firstResponderIsWhoHasTheActionNow() throws {
        let nib = try world.nib(
            """
            <customObject id="-1" customClass="FirstResponder"/>
            <button id="a" title="x"><connections><action selector="open:" target="-1" id="c"/></connections></button>
            """)
        final class Chain { var objects: [any NibObject] = [] }
        let chain = Chain()
        var options = NibOptions()
        options.responders = { chain.objects }
        let link = try #require(nib.instantiate(options: options).object("a", as: Link.self))
        let press = try #require(link.onPress)
        #expect(try !press.isEnabled && !press.send(from: link))
        let (first, second) = (Card(), Card())
        chain.objects = [link, first, second]
        #expect(try press.isEnabled && press.send(from: link) && press.target === first)
        chain.objects = [second]
        #expect(try press.send(from: link))
        #expect(first.opened == ["open x"] && second.opened == ["open x"])
    }

    /// Outlets by interface, and collections: set once, whole, in the order of the document.
    @Test func interfacesAndCollectionsAreSetWhole() throws {
        let nib = try world.nib(
            """
            <customObject id="-2"><connections>
                <outlet property="picture" destination="l1" id="c0"/>
                <outletCollection property="pictures" destination="l2" id="c1"/>
                <outletCollection property="rows" destination="r" id="c2"/>
                <outletCollection property="pictures" destination="l1" id="c3"/>
                <outletCollection property="all" destination="r" id="c4"/>
                <outletCollection property="all" destination="-2" id="c5"/>
            </connections></customObject>
            <textField id="l1" title="1"/><textField id="l2" title="2"/><customObject id="r" customClass="Row"/>
            """)
        let card = Card()
        try nib.instantiate(owner: card)
        #expect(card.picture?.caption == "label 1")
        #expect(card.pictures.map(\.caption) == ["label 2", "label 1"])
        #expect(card.rows.count == 1 && card.all.count == 2 && card.all[1] === card)
    }

    /// Seed 33: the application establishes connections of other kinds.
    @Test func otherConnectionsAreTheApplications() throws {
        let nib = try world.nib(
            """
            <view id="a"><connections>
                <binding destination="b" name="value" keyPath="x.y" id="c"/><segue kind="show" id="d"/>
            </connections></view><view id="b"/>
            """)
        var seen: [String] = []
        var options = NibOptions()
        options.connectors["binding"] = { connection in
            seen.append("\(connection.kind) \(connection.attributes["keyPath"] ?? "")")
            #expect(
                (connection.source as? Block) !== (connection.destination as? Block) && connection.destination != nil)
        }
        options.connectors["segue"] = { seen.append($0.kind + ($0.destination == nil ? " nowhere" : "")) }
        try nib.instantiate(options: options)
        #expect(seen == ["binding x.y", "segue nowhere"])
        struct Refused: Error {}
        options.connectors["segue"] = { _ in throw Refused() }
        let error = #expect(throws: PluginError.self) { try nib.instantiate(options: options) }
        #expect(error?.code == .nibObjectFailed)
        // Without a connector the kind is an error again, though a plan was made.
        #expect(throws: PluginError.self) { try nib.instantiate() }
    }

    /// Elements that are left out are passed over with what they contain.
    @Test func elementsMayBeLeftOut() async {
        await #expect(processExitsWith: .success) {
            HostEnvironment.current.nibClasses.leaveOut(elements: ["constraint", "layoutGuides"])
            let world = try NibWorld()
            let made = try world.nib(
                """
                <view id="a"><constraints><constraint id="k" first="a"/></constraints>
                <layoutGuides><view id="g"/></layoutGuides></view>
                """
            ).instantiate()
            #expect(made.objects.count == 1)
            let error = try world.error(
                """
                <view id="a"><constraints><constraint id="k"/></constraints>
                <connections><outlet property="next" destination="k" id="c"/></connections></view>
                """)
            #expect(error.code == .nibReferenceInvalid && error.findings[0].message.contains("left out"))
        }
    }

    /// Seeds 51, 53, 55 and 56: both forms of loadNibNamed, with parameters for owner, placeholders and top-level objects, with the application's classes.
    @Test func nibsAreLoadedByName() async {
        await #expect(processExitsWith: .success) {
            HostEnvironment.current.log = { _ in }
            HostEnvironment.current.nibClasses.register(Row.self, element: "view") { try Row(context: $0) }
            let world = try NibWorld([
                "Panel.xib": NibWorld.document(
                    """
                    <customObject id="-2"><connections><outletCollection property="rows" destination="a" id="c"/></connections></customObject>
                    <placeholder placeholderIdentifier="A" id="p"/>
                    <view id="a" title="x"><connections><outlet property="delegate" destination="p" id="d"/></connections></view>
                    """),
                "Plain.xib": NibWorld.document("<view id=\"a\"/><view id=\"b\"/>"),
            ])
            let card = Card()
            let made = world.bundle.loadNibNamed("Panel", owner: card, options: [.externalObjects: ["A": card]])
            #expect(made?.count == 1 && card.rows.count == 1)
            #expect(world.bundle.loadNibNamed("Panel", owner: card) == nil)  // no placeholder
            #expect(world.bundle.loadNibNamed("Panel", owner: 1, options: nil) == nil)
            #expect(world.bundle.loadNibNamed("Panel", owner: card, options: [.externalObjects: ["A": 1]]) == nil)
            var top: [Any]?
            let isLoaded = world.bundle.loadNibNamed("Plain.xib", owner: nil, topLevelObjects: &top)
            #expect(isLoaded && top?.count == 2)
            #expect(!world.bundle.loadNibNamed("Missing", owner: nil, topLevelObjects: nil))
            // Seed 52, 58: by a path, by bytes, by a name in a bundle.
            let path = world.tree("Nibs.bundle/Contents/Resources/Plain.xib")
            #expect(try Nib(contentsOf: path).instantiate().objects.count == 2)
            #expect(
                try Nib(nibData: Array(NibWorld.document("<view id=\"a\"/>").utf8), bundle: nil).instantiate().objects
                    .count == 1)
            #expect(Nib(nibNamed: "Plain", bundle: world.bundle)?.name == "Plain")
            #expect(Nib(nibNamed: "Plain", bundle: nil) == nil)
            // The application's class table changed: the next instantiation uses it.
            let nib = try world.bundle.nib(named: "Plain")
            #expect(try nib.instantiate().object("a") is Row)
            HostEnvironment.current.nibClasses.register(Link.self, element: "view") { try Link(context: $0) }
            #expect(try nib.instantiate().object("a") is Link)
        }
    }

    private static let rowEntry: @convention(c) (UnsafePointer<plugin_host>) -> plugin_status = { host in
        registerPlugin(with: host) { plugin in plugin.register(Row.self) }
    }

    /// Seed 54: of the bundle that defines the owner's class.
    @Test func nibsAreLoadedByNameForTheOwnersClass() async {
        await #expect(processExitsWith: .success) {
            nonisolated(unsafe) var logged: [String] = []
            HostEnvironment.current.log = { logged.append($0.message) }
            let tree = try TemporaryTree([
                "Rows.bundle/Contents/Info.plist": "{ CFBundleIdentifier = \"org.example.Rows\"; }",
                "Rows.bundle/Contents/Resources/Own.xib": NibWorld.document(
                    """
                    <customObject id="-2"><connections><outlet property="next" destination="r" id="c"/></connections></customObject>
                    <customObject id="r" customClass="Row" title="made"/>
                    """),
            ])
            let bundle = try PluginBundle.linked(at: tree("Rows.bundle"), entry: NibInstantiationTests.rowEntry)
            #expect(bundle.load() && PluginBundle(for: Row.self) === bundle)
            let owner = Row()
            #expect(PluginBundle.loadNibNamed("Own", owner: owner) && owner.next?.title == "made" && logged.isEmpty)
            // Neither that bundle nor the main bundle has it.
            #expect(!PluginBundle.loadNibNamed("None", owner: owner))
            #expect(logged.contains { $0.contains("no nib “None”") }, "\(logged)")
            #expect(!PluginBundle.loadNibNamed("Own", owner: 1))
        }
    }

    /// Seeds 43 and 44: the main nib, with or without extension, with the application as File's Owner.
    @Test(arguments: ["Main", "Main.xib"])
    func theMainNibIsThatOfInfoList(name: String) async throws {
        let tree = try TemporaryTree([
            "A.bundle/Contents/Info.plist": "{ NSMainNibFile = \"\(name)\"; }",
            "A.bundle/Contents/Resources/Main.xib": NibWorld.document(
                "<customObject id=\"-2\"/>"),
            "B.bundle/Contents/Info.plist": "{ }",
        ])
        let card = Card()
        let made = try PluginBundle.open(path: tree("A.bundle")).loadMainNib(owner: card)
        #expect(made != nil && card.loads == 1)
        #expect(try PluginBundle.open(path: tree("B.bundle")).loadMainNib(owner: card) == nil)
    }

    /// Seeds 45, 46 and 47: a controller loads its nib when it is needed, once, and may unload it.
    @Test func controllersLoadLazily() throws {
        final class Controller: NibController {
            var words: Block?
            var loads = 0
            private static let interface = NibInterface(for: Controller.self, inheriting: NibController.nibInterface) {
                nib in
                nib.outlet("words", required: true) { $0.words = $1 }
            }
            override class var nibInterface: NibInterface { interface }
            override func nibDidLoad(_ nib: NibInstance) {
                loads += 1
                // May ask for what is being loaded.
                #expect(try! load() === nib && isLoaded)
            }
        }
        let controller = Controller(
            nib: try world.nib(
                """
                <customObject id="-2"><connections><outlet property="words" destination="a" id="c"/></connections></customObject>
                <view id="a"/>
                """))
        #expect(!controller.isLoaded && controller.words == nil)
        let made = try controller.load()
        #expect(try controller.load() === made && controller.loads == 1 && controller.words != nil)
        controller.unload()
        #expect(!controller.isLoaded)
        #expect(try controller.load() !== made && controller.loads == 2)
    }

    /// Objects that refer to one another, and to themselves, are connected.
    @Test(.fault(229)) func circlesAreConnected() throws {
        let made = try world.nib(
            """
            <view id="a"><connections><outlet property="delegate" destination="b" id="1"/></connections></view>
            <view id="b"><connections><outlet property="delegate" destination="a" id="2"/></connections></view>
            <view id="c"><connections><outlet property="delegate" destination="c" id="3"/></connections></view>
            """
        ).instantiate()
        let (a, b) = (made.object("a", as: Block.self), made.object("b", as: Block.self))
        #expect(a?.delegate === b && b?.delegate === a)
        #expect(made.object("c", as: Block.self)?.delegate === made.object("c"))
    }
}
