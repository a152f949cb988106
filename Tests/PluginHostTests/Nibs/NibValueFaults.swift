import Glibc
import NibReading
@_spi(PluginHost) import PluginABI
import TestSupport
import Testing

@_spi(Tools) @testable import PluginHost

/// Values of a nib.
///
/// Numbers in titles are those of the project's list of faults.
@Suite struct NibValueFaults {
    private let world: NibWorld

    init() throws { world = try NibWorld() }

    /// A view with something in it.
    private func view(_ attributes: String, _ content: String = "") -> String {
        "<view id=\"a\" \(attributes)>\(content)</view>"
    }

    private func block(_ attributes: String, _ content: String = "") throws -> Block {
        try #require(world.nib(view(attributes, content)).instantiate().object("a", as: Block.self))
    }

    private func runtime(_ attributes: String, _ child: String = "") -> String {
        "<userDefinedRuntimeAttributes><userDefinedRuntimeAttribute \(attributes)>\(child)"
            + "</userDefinedRuntimeAttribute></userDefinedRuntimeAttributes>"
    }

    @Test func everyTypeIsRead() throws {
        let block = try block(
            "title=\"a &amp; b\" tag=\"-7\" ratio=\"1.5e2\" factor=\"0.25\" isOn=\"true\" weight=\"bold\" unknown=\"passed over\" key=\"k\" userLabel=\"l\"",
            """
            <string key="toolTip">tip &lt;</string>
            <mutableString key="note" base64-UTF8="YES">
            w6QgYg==
            </mutableString>
            <rect key="frame" x="-1" y="0" width="2" height="3"/><point key="origin" x="1" y="2"/>
            <size key="extent" width="3" height="4"/><range key="span" location="5" length="6"/>
            <color key="color" red="0.5" green="1" blue="0" alpha="0.25" colorSpace="calibratedRGB"/>
            <date key="date" timeIntervalSinceReferenceDate="-12.5"/>
            <font key="font" metaFont="system" size="13"/>
            <string key="undeclared">passed over</string>
            <point key="canvasLocation" x="nothing" y="0"/><userComments><view id="no"/></userComments>
            """)
        #expect(block.title == "a & b" && block.tag == -7 && block.ratio == 150 && block.factor == 0.25 && block.isOn)
        #expect(block.weight == .bold && block.toolTip == "tip <" && block.note == "ä b")
        #expect(block.frame == NibRect(x: -1, y: 0, width: 2, height: 3) && block.origin == NibPoint(x: 1, y: 2))
        #expect(block.extent == NibSize(width: 3, height: 4) && block.span == NibRange(location: 5, length: 6))
        #expect(block.color == NibColor(red: 0.5, green: 1, blue: 0, alpha: 0.25))
        #expect(block.date == NibDate(secondsSinceReferenceDate: -12.5))
        #expect(block.font == NibRecord(element: "font", attributes: ["metaFont": "system", "size": "13"]))
        #expect(block.font?["size"] == "13")
    }

    @Test func interfaceBuilderLeavesThePaddingOut() throws {
        #expect(try block("", "<string key=\"title\" base64-UTF8=\"YES\">\nCg\n</string>").title == "\n")
        #expect(try block("", "<string key=\"title\" base64-UTF8=\"YES\">Cg==</string>").title == "\n")
        #expect(try block("", "<string key=\"title\" base64-UTF8=\"YES\">YWI</string>").title == "ab")
        #expect(
            try world.error(view("", "<string key=\"title\" base64-UTF8=\"YES\">C</string>")).code
                == .nibAttributeInvalid)
    }

    @Test func colorsHaveTheirForms() throws {
        #expect(
            try block("", "<color key=\"color\" white=\"0.5\" colorSpace=\"x\"/>").color
                == NibColor(red: 0.5, green: 0.5, blue: 0.5))
        #expect(
            try block("", "<color key=\"color\" name=\"textColor\" catalog=\"System\"/>").color
                == NibColor(name: "textColor"))
        #expect(
            try block("", "<color key=\"color\" cyan=\"1\" magenta=\"0\" yellow=\"0\" black=\"0\"/>").color
                == NibColor(green: 1, blue: 1))
    }

    /// Runtime attributes of every type, also through an outlet that the nib connects.
    @Test func runtimeAttributesAreSetLast() throws {
        let made = try world.nib(
            """
            <view id="a" title="first">
                <userDefinedRuntimeAttributes>
                    <userDefinedRuntimeAttribute type="string" keyPath="title" value="second"/>
                    <userDefinedRuntimeAttribute type="number" keyPath="tag"><integer key="value" value="4"/></userDefinedRuntimeAttribute>
                    <userDefinedRuntimeAttribute type="number" keyPath="ratio"><real key="value" value="2.5"/></userDefinedRuntimeAttribute>
                    <userDefinedRuntimeAttribute type="boolean" keyPath="isOn" value="YES"/>
                    <userDefinedRuntimeAttribute type="point" keyPath="origin"><point key="value" x="1" y="2"/></userDefinedRuntimeAttribute>
                    <userDefinedRuntimeAttribute type="string" keyPath="note" value="x"/>
                    <userDefinedRuntimeAttribute type="nil" keyPath="note"/>
                    <userDefinedRuntimeAttribute type="string" keyPath="next.headerCell.title" value="far"/>
                </userDefinedRuntimeAttributes>
                <connections><outlet property="next" destination="b" id="c"/></connections>
            </view>
            <view id="b"><textField key="headerCell" title="near"/></view>
            """
        ).instantiate()
        let a = try #require(made.object("a", as: Block.self))
        #expect(
            a.title == "second" && a.tag == 4 && a.ratio == 2.5 && a.isOn && a.origin == NibPoint(x: 1, y: 2)
                && a.note == nil)
        #expect(a.next?.header?.title == "far")
    }

    @Test("a runtime attribute that is not declared, with what there is", .fault(232))
    func undeclaredRuntimeAttributeIsAnError() throws {
        final class Title: Plugin, NibObject {
            static let nibInterface = NibInterface(for: Title.self) { nib in
                nib.attribute("title") { (_: Title, _: String) in }
                nib.attribute("tag") { (_: Title, _: Int) in }
            }
            init(context: PluginContext) {}
        }
        let few = try NibWorld(classes: [.plugin(Title.self, element: "view")])
            .error(view("", runtime("type=\"string\" keyPath=\"colour\" value=\"x\"")))
        #expect(few.findings[0].remedy.contains("“tag” and “title”"), "\(few)")
        let error = try world.error(view("", runtime("type=\"string\" keyPath=\"titel\" value=\"x\"")))
        #expect(error.code == .nibAttributeInvalid && error.subject == "titel" && error.findings[0].place != nil)
        // Of many, the close one.
        #expect(error.findings[0].remedy.hasPrefix("It has “title”; correct keyPath"), "\(error)")
        #expect(try world.error(view("", runtime("type=\"string\" value=\"x\""))).code == .nibAttributeInvalid)
    }

    @Test(
        "values of the wrong type, too large, not finite", .fault(233),
        arguments: [
            "tag=\"x\"", "tag=\"3.5\"", "tag=\"\"", "tag=\"9223372036854775808\"", "tag=\"0x10\"", "ratio=\"nan\"",
            "ratio=\"inf\"",
            "ratio=\"1e999\"", "ratio=\"\"", "ratio=\" 1\"", "factor=\"1e300\"", "isOn=\"maybe\"", "isOn=\"\"",
            "frame=\"1 2 3 4\"",
        ])
    func attributesMustFit(attribute: String) throws {
        let error = try world.error(view(attribute))
        #expect(error.summary == "nibAttributeInvalid 5:14", "\(error)")
    }

    @Test(
        "values that cannot be read", .fault(233),
        arguments: [
            "<integer key=\"tag\" value=\"9223372036854775808\"/>", "<integer key=\"tag\"/>",
            "<real key=\"ratio\" value=\"nan\"/>",
            "<real key=\"tag\" value=\"1.5\"/>", "<bool key=\"isOn\" value=\"x\"/>",
            "<rect key=\"frame\" x=\"1\" y=\"2\" width=\"3\"/>",
            "<point key=\"origin\" x=\"a\" y=\"0\"/>", "<range key=\"span\" location=\"-1\" length=\"0\"/>",
            "<color key=\"color\" red=\"inf\"/>", "<string key=\"title\" base64-UTF8=\"YES\">abc</string>",
            "<string key=\"title\" base64-UTF8=\"YES\">/w==</string>",
            "<size key=\"origin\" width=\"1\" height=\"1\"/>",
            "<nil key=\"title\"/>", "<font key=\"frame\"/>",
            "<date key=\"date\" timeIntervalSinceReferenceDate=\"1e999\"/>",
        ])
    func valuesMustBeSound(value: String) throws {
        let error = try world.error(view("", value))
        #expect(error.code == .nibAttributeInvalid && error.findings[0].place?.line == NibWorld.firstLine, "\(error)")
    }

    @Test(
        "runtime attributes of the wrong type", .fault(233),
        arguments: [
            "type=\"boolean\" keyPath=\"tag\" value=\"x\"", "type=\"number\" keyPath=\"tag\" value=\"many\"",
            "type=\"number\" keyPath=\"title\" value=\"1\"", "type=\"point\" keyPath=\"origin\" value=\"{1, 2}\"",
            "type=\"string\" keyPath=\"title\"",
        ])
    func runtimeAttributesMustFit(attribute: String) throws {
        #expect(try world.error(view("", runtime(attribute))).code == .nibAttributeInvalid)
    }

    @Test("a path through an outlet that the nib does not connect", .fault(234))
    func pathsGoThroughConnectedOutlets() throws {
        let error = try world.error(view("", runtime("type=\"string\" keyPath=\"next.title\" value=\"x\"")))
        #expect(error.code == .nibAttributeInvalid && error.findings[0].message.contains("“next”"))
        #expect(
            try world.error(view("", runtime("type=\"string\" keyPath=\".title\" value=\"x\""))).code
                == .nibAttributeInvalid)
    }

    /// A class that declares paths as attributes, as views have `layer.cornerRadius`.
    private final class Tile: Plugin, NibObject {
        var radius = 0.0, depth = 0, tag = 0
        var next: Tile?, layer: Tile?
        static let nibInterface = NibInterface(for: Tile.self) { nib in
            nib.attribute("layer.cornerRadius") { $0.radius = $1 }
            nib.attribute("layer.shadow.depth") { $0.depth = $1 }
            nib.attribute("tag") { $0.tag = $1 }
            nib.outlet("next") { $0.next = $1 }
            nib.outlet("layer") { $0.layer = $1 }
        }
        init(context: PluginContext) {}
    }

    @Test(.fault(745)) func aClassMayDeclareAWholePathAsAnAttribute() throws {
        let world = try NibWorld(classes: [.plugin(Tile.self, element: "tile")])
        let made = try world.nib(
            """
            <tile id="a"><real key="layer.cornerRadius" value="2"/><userDefinedRuntimeAttributes>
            <userDefinedRuntimeAttribute type="number" keyPath="layer.shadow.depth" value="3"/>
            <userDefinedRuntimeAttribute type="number" keyPath="next.layer.cornerRadius" value="4.5"/>
            <userDefinedRuntimeAttribute type="number" keyPath="next.tag" value="5"/>
            </userDefinedRuntimeAttributes><connections>
            <outlet property="next" destination="b" id="1"/><outlet property="layer" destination="b" id="2"/>
            </connections></tile><tile id="b"/>
            """
        ).instantiate()
        let (a, b) = (try #require(made.object("a", as: Tile.self)), try #require(made.object("b", as: Tile.self)))
        #expect(a.radius == 2 && a.depth == 3 && b.radius == 4.5 && b.tag == 5 && b.depth == 0)
        let error = try world.error(
            "<tile id=\"a\">" + runtime("type=\"number\" keyPath=\"cell.radius\" value=\"1\"") + "</tile>")
        #expect(error.code == .nibAttributeInvalid && error.findings[0].remedy.contains("“cell.radius”"), "\(error)")
    }

    /// The rest of a path is looked up at few of its dots: a megabyte of them takes no time.
    @Test func aPathOfAMillionDotsIsReadOnce() throws {
        let world = try NibWorld(classes: [.plugin(Tile.self, element: "tile")])
        let path = String(repeating: "next.", count: 200_000) + "tag"
        let made = try world.nib(
            "<tile id=\"a\">" + runtime("type=\"number\" keyPath=\"\(path)\" value=\"6\"")
                + "<connections><outlet property=\"next\" destination=\"a\" id=\"1\"/></connections></tile>"
        ).instantiate()
        #expect(made.object("a", as: Tile.self)?.tag == 6)
    }

    @Test("a text that is no case of the enumeration", .fault(235))
    func enumerationsAreListed() throws {
        let error = try world.error(view("weight=\"heavy\""))
        #expect(error.code == .nibAttributeInvalid)
        #expect(error.findings[0].message.contains("one of “bold” and “light”; it is “heavy”"), "\(error)")
        #expect(try world.error(view("free=\"none\"")).code == .nibAttributeInvalid)
        #expect(
            Block.Weight.nibTypeName == "Enum(light|bold)" && Block.Free.nibTypeName == "Enum"
                && Block.Free?.nibTypeName == "Enum?")
    }

    /// Seeds 16, 17, 21, 22, 66 and 67: a nib has names; the files are found in its bundle and read before any object is
    /// made, and code gets the same object.
    @Test func imagesAndSoundsAreFoundByName() throws {
        let recorder = Recorder()
        try Recorder.$current.withValue(recorder) {
            let world = try NibWorld(["seal.png": "\u{1}", "ring.wav": "RIFF"])
            #expect(recorder.events.isEmpty)
            let nib = Nib(
                services: try NibFile(
                    Array(
                        NibWorld.document(
                            "<view id=\"a\" image=\"seal\" sound=\"ring\"/>",
                            "<resources><image name=\"seal\" width=\"1\" height=\"1\"/><sound name=\"ring\"/></resources>"
                        ).utf8),
                    name: "Test", path: nil, bundle: world.bundle, isTranslated: false, classes: world.classes))
            let block = try #require(nib.instantiate().object("a", as: Block.self))
            #expect(block.image != nil && block.image === world.bundle.image(named: "seal"))
            #expect(block.sound != nil && block.sound === world.bundle.sound(named: "ring"))
            #expect(try block.image?.bytes() == [1])
        }
        #expect(recorder.events.first == "init Block")
    }

    @Test func imagesAreFoundBeforeAnyObjectIsMade() async {
        await #expect(processExitsWith: .success) {
            let recorder = Recorder()
            HostEnvironment.current.log = { recorder.note($0.message.contains("“seal”") ? "missing" : $0.message) }
            try Recorder.$current.withValue(recorder) {
                _ = try NibWorld().nib("<view id=\"a\" image=\"seal\"/>").instantiate()
            }
            #expect(recorder.events.prefix(2).elementsEqual(["missing", "init Block"]), "\(recorder.events)")
        }
    }

    /// The `url` of a text, and an image by its name as a runtime attribute.
    @Test func urlsAreTextsAndRuntimeAttributesMayBeImages() throws {
        #expect(
            try block("", "<url key=\"title\" string=\"https://example.org/a?b\"/>").title == "https://example.org/a?b")
        #expect(try block("title=\"old\"", "<url key=\"title\"/>").title.isEmpty)
        let world = try NibWorld(["seal.png": "one"])
        let made = try world.nib(view("", runtime("type=\"image\" keyPath=\"image\" value=\"seal\""))).instantiate()
        let image = try #require(made.object("a", as: Block.self)?.image)
        #expect(image === world.bundle.image(named: "seal"))
    }

    /// A kept nib has other images after the device or the scale changed.
    @Test func theDeviceAndTheScaleChooseTheImage() async {
        await #expect(processExitsWith: .success) {
            let world = try NibWorld([
                "seal.png": "plain", "seal~terminal.png": "terminal", "seal~terminal@2x.png": "two",
            ])
            let nib = try world.nib("<view id=\"a\" image=\"seal\"/>")
            func content() throws -> String {
                let image = try #require(nib.instantiate().object("a", as: Block.self)?.image)
                return String(decoding: try image.bytes(), as: UTF8.self)
            }
            #expect(try content() == "plain")
            HostEnvironment.current.device = "terminal"
            #expect(try content() == "terminal")
            HostEnvironment.current.scale = 2
            #expect(try content() == "two")
            HostEnvironment.current.device = nil
            #expect(try content() == "plain")
        }
    }

    @Test func systemImagesArePassedOver() async {
        await #expect(processExitsWith: .success) {
            nonisolated(unsafe) var logged: [String] = []
            HostEnvironment.current.log = { logged.append($0.message) }
            let world = try NibWorld()
            func made(_ catalog: String, _ name: String = "checkmark") throws -> Block? {
                try Nib(
                    services: world.file(
                        NibWorld.document(
                            "<view id=\"a\" title=\"x\" image=\"\(name)\"/>",
                            "<resources><image name=\"\(name)\" \(catalog) width=\"1\" height=\"1\"/></resources>"))
                ).instantiate().object("a", as: Block.self)
            }
            #expect(try made("catalog=\"system\"")?.title == "x" && logged.isEmpty, "\(logged)")
            #expect(try made("", "NSAddTemplate")?.title == "x" && logged.isEmpty, "\(logged)")
            for name in ["checkmark", "NS", "NSlogo", "XNSAddTemplate"] {
                #expect(try made("", name)?.image == nil && logged.contains { $0.contains("“\(name)”") })
            }
        }
    }

    /// A type whose name begins like that of another.
    @Test func typesOfTheApplicationAreNotTakenForTexts() throws {
        struct StringList: NibAttribute {
            let texts: [Substring]
            static var nibTypeName: String { "StringList" }
            static func nibAttribute(_ value: NibValue) -> Self? {
                if case .string(let text) = value { StringList(texts: text.split(separator: " ")) } else { nil }
            }
        }
        final class Menu: Plugin, NibObject {
            var words: StringList?
            init(context: PluginContext) throws {}
            static let nibInterface = NibInterface(for: Menu.self) { nib in
                nib.attribute("words") { $0.words = $1 }
            }
        }
        #expect(Menu.nibInterface.table.attributes["words"]?.role == .other)
        let world = try NibWorld(classes: [.plugin(Menu.self)])
        let made = try world.nib("<customObject id=\"a\" customClass=\"Menu\" words=\"one two\"/>").instantiate()
        #expect(made.object("a", as: Menu.self)?.words?.texts == ["one", "two"])
    }

    @Test(
        "an image or sound that is missing, above the resources, a FIFO, or larger than 64 MiB is a warning",
        .fault(236))
    func missingImageKeepsTheAttribute() async {
        await #expect(processExitsWith: .success) {
            nonisolated(unsafe) var logged: [String] = []
            HostEnvironment.current.log = { logged.append($0.message) }
            let world = try NibWorld(["large.png": "x"])
            let resources = world.tree("Nibs.bundle/Contents/Resources/")
            #expect(mkfifo(resources + "fifo.png", 0o600) == 0)
            #expect(truncate(resources + "large.png", (64 << 20) + 1) == 0)
            for name in ["seal", "../Info", "fifo", "large", ""] {
                logged = []
                let made = try world.nib("<view id=\"a\" title=\"x\" image=\"\(name)\" sound=\"\(name)\"/>")
                    .instantiate()
                #expect(made.object("a", as: Block.self)?.image == nil)
                #expect(logged.contains { $0.hasPrefix("/T.xib:5:") && $0.contains("image") }, "\(logged)")
                #expect(logged.contains { $0.hasPrefix("/T.xib:5:") && $0.contains("sound") })
            }
        }
    }

    @Test("an image that changes on disk is another object", .fault(237))
    func changedImageIsAnother() throws {
        let world = try NibWorld(["seal.png": "one"])
        let first = try #require(world.bundle.image(named: "seal"))
        #expect(world.bundle.image(named: "seal") === first)
        try world.tree.write("Nibs.bundle/Contents/Resources/seal.png", "other")
        // What was found is believed for 10 microseconds.
        usleep(1_000)
        let second = try #require(world.bundle.image(named: "seal"))
        #expect(second !== first)
        #expect(try second.bytes() == Array("other".utf8))
        // A nib that was made before goes on with the image that it found; a new one has the file's.
        func image(_ nib: Nib) throws -> NamedImage? { try nib.instantiate().object("a", as: Block.self)?.image }
        let kept = try world.nib("<view id=\"a\" image=\"seal\"/>")
        #expect(try image(kept) === second)
        try world.tree.write("Nibs.bundle/Contents/Resources/seal.png", "a third")
        usleep(1_000)
        #expect(try image(kept) === second)
        let renewed = try world.nib("<view id=\"a\" image=\"seal\"/>")
        let third = try image(renewed)
        #expect(third != nil && third !== second && third === world.bundle.image(named: "seal"))
    }
}
