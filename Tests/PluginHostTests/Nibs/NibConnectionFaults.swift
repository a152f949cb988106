import NibReading
@_spi(PluginHost) import PluginABI
import Testing

@_spi(Tools) @testable import PluginHost

/// Connections that cannot be made.
///
/// Numbers in titles are those of the project's list of faults.
@Suite struct NibConnectionFaults {
    private let world: NibWorld

    init() throws { world = try NibWorld() }

    /// Seeds 27 and 30: what is not declared is an error, where other loaders make no connection.
    @Test("an outlet, a collection, an action and an event that are not declared, with what there is", .fault(224))
    func undeclaredNamesAreErrors() throws {
        let error = try world.error(
            """
            <view id="a"><connections>
            <outlet property="nxt" destination="a" id="1"/>
            <outletCollection property="rows" destination="a" id="2"/>
            <outlet property="subviews" destination="a" id="3"/>
            <outletCollection property="next" destination="a" id="4"/>
            </connections></view>
            <button id="b"><connections>
            <action selector="rest" target="a" id="5"/>
            <action selector="reset" destination="a" eventType="valueChanged" id="6"/>
            </connections></button>
            <view id="d"><connections><action selector="reset" target="a" id="7"/></connections></view>
            """)
        #expect(
            error.findings.map { "\($0.code) \($0.place?.line ?? 0)" } == [
                "nibOutletInvalid 6", "nibOutletInvalid 7", "nibOutletInvalid 8", "nibOutletInvalid 9",
                "nibActionInvalid 12",
                "nibActionInvalid 13", "nibActionInvalid 15",
            ])
        #expect(error.findings[0].message == "“Block” has no outlet “nxt”.")
        #expect(
            error.findings[0].remedy.contains("“delegate”") && error.findings[0].remedy.contains("Block.nibInterface"))
        #expect(error.findings[0].place == .init(line: 6, column: 9))
        #expect(error.description.contains("/T.xib:6:9: “Block” has no outlet “nxt”."))
        #expect(error.findings[2].message.contains("an outlet collection of that name"))
        #expect(error.findings[4].remedy.contains("“reset”"))
        #expect(error.findings[5].remedy.contains("“touchUpInside”"))
    }

    @Test("what an object contains without a declared outlet", .fault(224))
    func undeclaredContainmentIsAnError() throws {
        let error = try world.error(
            "<view id=\"a\"><cells><view id=\"b\"/></cells><view key=\"cell\" id=\"c\"/></view>")
        #expect(error.findings.map(\.code) == [.nibOutletInvalid, .nibOutletInvalid])
        // An empty collection is none.
        #expect(
            try world.nib("<view id=\"a\"><cells/><gridLines><x/></gridLines></view>").instantiate().objects.count == 1)
    }

    @Test("a destination of the wrong class, and of no class that serves the interface", .fault(225))
    func destinationsMustFit() throws {
        let owner = Card()
        let error = try world.error(
            """
            <customObject id="-2"><connections>
            <outlet property="label" destination="row-3" id="1"/>
            <outlet property="picture" destination="row-3" id="2"/>
            <outletCollection property="rows" destination="row-3" id="3"/>
            <outletCollection property="rows" destination="v" id="4"/>
            <outletCollection property="pictures" destination="v" id="5"/>
            </connections></customObject>
            <customObject id="row-3" customClass="Row"/><view id="v"/>
            """, owner: owner)
        #expect(error.findings.map(\.code) == Array(repeating: .nibOutletInvalid, count: 4))
        #expect(
            error.findings[0].message == "The outlet “label” of “Card” takes a “Label”; “row-3” (line 12) is a “Row”.")
        #expect(error.findings[0].place == .init(line: 6, column: 9))
        #expect(error.findings[1].message.contains("serves"))
        // Nothing was set: the owner is as it was.
        #expect(owner.label == nil && owner.rows.isEmpty && owner.loads == 0)
    }

    /// Counts the calls of its setters.
    private final class Shelf: Plugin, NibObject {
        var sets: [[String]] = []
        var label: Block?
        static let nibInterface = NibInterface(for: Shelf.self) { nib in
            nib.outlets("items") { (shelf: Shelf, items: [Block]) in shelf.sets.append(items.map(\.title)) }
            nib.outlets("others") { (shelf: Shelf, items: [Block]) in shelf.sets.append(["others"] + items.map(\.title))
            }
            nib.outlet("label") { $0.label = $1 }
        }
        init(context: PluginContext) {}
    }

    private func shelfWorld() throws -> NibWorld {
        try NibWorld(classes: [.plugin(Shelf.self, element: "shelf")] + NibClass.blocks)
    }

    @Test(.fault(742)) func anOutletCollectionAndContainedObjectsOfOneNameAreSetOnceInOrder() throws {
        let world = try shelfWorld()
        let made = try world.nib(
            """
            <shelf id="s"><connections>
              <outletCollection property="items" destination="x" id="c1"/>
              <outletCollection property="others" destination="x" id="c2"/>
            </connections>
            <items><view title="a" id="a"/><view title="b" id="b"/></items>
            <connections><outletCollection property="items" destination="y" id="c3"/></connections>
            <items><view title="c" id="c"/></items></shelf>
            <view title="x" id="x"/><view title="y" id="y"/>
            <shelf id="t"><items><view title="d" id="d"/></items></shelf>
            """
        ).instantiate()
        #expect(made.object("s", as: Shelf.self)?.sets == [["x", "a", "b", "y", "c"], ["others", "x"]])
        #expect(made.object("t", as: Shelf.self)?.sets == [["d"]])
        // One wrong object of either kind is an error, and nothing is set.
        let error = try world.error(
            """
            <shelf id="s"><items><view id="a"/><shelf id="b"/></items><connections>
            <outletCollection property="items" destination="s" id="c"/></connections></shelf>
            """)
        #expect(error.findings.map(\.code) == [.nibOutletInvalid, .nibOutletInvalid])
    }

    /// As the items of a toolbar: the allowed ones are made, the default ones refer to them.
    @Test(.fault(743)) func anElementWithAReferenceStandsForTheObjectAndMakesNone() throws {
        let made = try shelfWorld().nib(
            """
            <shelf id="s">
            <items><button reference="later"/><view title="a" id="a"/><button reference="a"/><button reference="later"/></items>
            <others><button reference="a"/></others>
            <textField key="label" reference="later"/>
            </shelf>
            <view title="z" id="later"/>
            """
        ).instantiate()
        let shelf = try #require(made.object("s", as: Shelf.self))
        #expect(shelf.sets == [["z", "a", "a", "z"], ["others", "a"]])
        #expect(made.objects.count == 3 && shelf.label === made.object("later"))
    }

    @Test(.fault(744)) func aReferenceThatLeadsNowhereIsAnError() throws {
        let error = try shelfWorld().error(
            """
            <shelf id="s">
            <items><view reference="gone"/></items>
            <view key="label" reference="-1"/>
            <others><shelf reference="s"/></others>
            </shelf>
            <customObject id="-1"/>
            """)
        #expect(
            error.findings.map { "\($0.code) \($0.place?.line ?? 0)" } == [
                "nibReferenceInvalid 6", "nibOutletInvalid 7", "nibOutletInvalid 8",
            ])
        #expect(error.findings[0].message.contains("reference leads to “gone”"))
    }

    /// A C class whose objects are empty; `made` counts them.
    private static func foreign(_ name: String, _ made: Counter) -> NibClass {
        let table = NibClassTable(foreign: name, outlets: [], attributes: [], actions: [], events: [], faults: [])
        return NibClass(
            name: name,
            NibRegistration(foreign: table, element: nil) { _ in
                made.count += 1
                return NibForeignObject(
                    pointer: UnsafeMutableRawPointer(bitPattern: 8)!, functions: nil, table: table, instance: nil,
                    awake: nil)
            })
    }

    private final class Counter: @unchecked Sendable {
        // @unchecked because it is used by the thread of one test.
        var count = 0
    }

    /// A class in Swift with the name of a C class.
    private enum Namesakes {
        final class Dial: Plugin, NibObject {
            static let nibInterface = NibInterface(for: Dial.self) { _ in }
            init(context: PluginContext) {}
        }
    }

    private final class Rack: NibObject {
        var dial: NibForeignObject?, dials: [NibForeignObject] = []
        static let nibInterface = NibInterface(for: Rack.self) { nib in
            nib.outlet("dial", ofForeignClass: "Dial") { $0.dial = $1 }
            nib.outlets("dials", ofForeignClass: "Dial") { $0.dials = $1 }
        }
    }

    @MainActor private final class MainRack: NibObject {
        var dial: NibForeignObject?, dials: [NibForeignObject] = []
        nonisolated static let nibInterface = NibInterface.onMainActor(MainRack.self) { nib in
            nib.outlet("dial", ofForeignClass: "Dial", required: true) { $0.dial = $1 }
            nib.outlets("dials", ofForeignClass: "Dial") { $0.dials = $1 }
        }
    }

    private static func rack(_ dial: String) -> String {
        """
        <customObject id="-2"><connections>
        <outlet property="dial" destination="d" id="1"/>
        <outletCollection property="dials" destination="d" id="2"/>
        </connections></customObject>
        <customObject id="d" customClass="\(dial)"/>
        """
    }

    /// The closure hands the table of functions on as that of the class it names.
    @Test("an outlet in Swift takes objects of the C class that it names, and no others", .fault(225))
    @MainActor func outletsNameCClasses() throws {
        let made = Counter()
        let world = try NibWorld(classes: [Self.foreign("Dial", made), Self.foreign("Knob", made)] + NibClass.blocks)
        for wrong in ["Knob", "Block"] {
            let owner = Rack()
            let error = try world.error(Self.rack(wrong), owner: owner)
            #expect(
                error.findings.map(\.message) == [
                    "The outlet “dial” of “Rack” takes a “Dial”; “d” (line 9) is a “\(wrong)”.",
                    "The outlet collection “dials” of “Rack” takes a “Dial”; “d” (line 9) is a “\(wrong)”.",
                ])
            #expect(error.summary == "nibOutletInvalid 6:9")
            #expect(made.count == 0 && owner.dial == nil && owner.dials.isEmpty)
        }
        // A class in Swift of the same name has no table of functions.
        let namesake = try NibWorld(classes: [NibClass.plugin(Namesakes.Dial.self)])
        #expect(try namesake.error(Self.rack("Dial"), owner: Rack()).findings.count == 2)
        let owner = Rack()
        try world.nib(Self.rack("Dial")).instantiate(owner: owner)
        #expect(owner.dial?.className == "Dial" && owner.dials.count == 1 && owner.dials[0] === owner.dial)
        let main = MainRack()
        #expect(try world.error(Self.rack("Knob"), owner: main).findings.count == 2)
        try world.nib(Self.rack("Dial")).instantiate(owner: main)
        #expect(main.dial?.className == "Dial" && main.dials.count == 1 && made.count == 2)
        // Checks without code find the same by a list that was written from the classes.
        var classes = NibClasses()
        classes.register(Rack.self) { _ in Rack() }
        #expect(NibClassList(classes).entries.map(\.outlets) == [["dial": "Dial"]])
    }

    @Test("a sender of the wrong class, at connecting and at sending", .fault(226))
    func sendersMustFit() throws {
        let owner = Card()
        let error = try world.error(
            "<customObject id=\"-2\"/><customObject id=\"r\" customClass=\"Sender\"/>"
                + "<button id=\"b\"><connections><action selector=\"label:\" target=\"-2\" id=\"1\"/></connections></button>",
            owner: LabelReader())
        #expect(error.findings.contains { $0.code == .nibActionInvalid && $0.message.contains("“Label”") })
        let nib = try world.nib(
            """
            <customObject id="-2"/>
            <button id="b"><connections><action selector="open:" target="-2" id="1"/></connections></button>
            """)
        let press = try #require(nib.instantiate(owner: owner).object("b", as: Link.self)?.onPress)
        let failure = #expect(throws: PluginFailure.self) { try press.send(from: owner) }
        #expect(failure?.message.contains("“Link”") ?? false && failure?.message.contains("“Card”") ?? false)
    }

    final class LabelReader: NibObject {
        static let nibInterface = NibInterface(for: LabelReader.self) { nib in
            nib.action("label:", LabelReader.read)
        }
        func read(_ label: Label) {}
    }

    @Test("two destinations of one outlet, and two actions of one event", .fault(227))
    func oneOutletHasOneDestination() throws {
        let error = try world.error(
            """
            <view id="a"><connections>
            <outlet property="next" destination="a" id="1"/>
            <outlet property="next" destination="b" id="2"/>
            </connections></view>
            <button id="b"><connections>
            <action selector="reset" target="a" id="3"/>
            <action selector="reset" target="b" id="4"/>
            </connections></button>
            """)
        #expect(error.findings.map(\.code) == [.nibOutletInvalid, .nibActionInvalid])
        #expect(error.findings.map { $0.place?.line } == [7, 11])
    }

    @Test("an outlet to First Responder", .fault(228))
    func outletToFirstResponderIsAnError() throws {
        let error = try world.error(
            """
            <customObject id="-1" customClass="FirstResponder"/>
            <view id="a"><connections><outlet property="delegate" destination="-1" id="1"/></connections></view>
            """)
        #expect(error.summary == "nibOutletInvalid 6:35")
    }

    /// Seed 49: an outlet that must be connected.
    @Test("a required outlet that is not connected", .fault(230))
    func requiredOutletsMustBeConnected() throws {
        let error = try world.error("<customObject id=\"-2\" customClass=\"StrictCard\"/>", owner: StrictCard())
        #expect(error.summary == "nibOutletUnconnected 5:1" && error.subject == "words")
        #expect(error.findings[0].remedy.contains("“Block”"))
        #expect(try world.error("<view id=\"a\"/>", owner: StrictCard()).code == .nibOutletUnconnected)
    }

    @Test("a binding or segue without connector", .fault(231), arguments: ["binding", "segue", "anything"])
    func otherKindsNeedAConnector(kind: String) throws {
        let error = try world.error(
            "<view id=\"a\"><connections><\(kind) destination=\"a\" id=\"1\"/></connections></view>")
        #expect(error.summary == "nibUnsupported 5:27" && error.subject == kind)
    }
}
