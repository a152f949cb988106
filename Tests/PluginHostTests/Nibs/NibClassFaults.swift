import NibReading
@_spi(PluginHost) import PluginABI
import Testing

@testable import PluginHost

/// Classes that a nib names and cannot have.
///
/// Numbers in titles are those of the project's list of faults.
@Suite struct NibClassFaults {
    @Test("a class that nobody registered, with the names that are close", .fault(217))
    func unregisteredClassIsNamed() throws {
        let world = try NibWorld()
        let error = try world.error("<customObject id=\"a\" customClass=\"Labl\"/>")
        #expect(error.summary == "nibClassMissing 5:22" && error.subject == "Labl")
        #expect(error.findings[0].remedy.contains("“Label”"))
        #expect(try world.error("<customObject id=\"a\"/>").summary == "nibClassMissing 5:1")
    }

    @Test("all findings are gathered, in the order of the document, at most 100 and the number of the rest")
    func allFindingsAreGathered() throws {
        let world = try NibWorld()
        let error = try world.error(
            (0..<130).map { "<customObject id=\"\($0)\" customClass=\"Nobody\"/>" }.joined(separator: "\n"))
        #expect(error.findings.count == 101)
        #expect(error.findings[99].place?.line == NibWorld.firstLine + 99)
        #expect(error.findings[100].message.hasPrefix("30 more"))
    }

    @Test("a class of another module, or not of the nib's own bundle", .fault(218))
    func moduleMustBeTheClasss() throws {
        var world = try NibWorld()
        let module = "PluginHostTests"
        _ = try world.nib("<customObject id=\"a\" customClass=\"Row\" customModule=\"\(module)\"/>").instantiate()
        _ = try world.nib("<customObject id=\"a\" customClass=\"\(module).Row\"/>").instantiate()
        _ = try world.nib(
            "<customObject id=\"a\" customClass=\"Row\" customModule=\"x\" customModuleProvider=\"target\"/>"
        ).instantiate()
        let error = try world.error("<customObject id=\"a\" customClass=\"Row\" customModule=\"Other\"/>")
        #expect(error.summary == "nibClassMissing 5:40" && error.findings[0].message.contains("“\(module)”"))
        #expect(try world.error("<customObject id=\"a\" customClass=\"Other.Row\"/>").code == .nibClassMissing)
        world.classes.levels = [.of(NibClass.blocks, isOwn: false, in: world.bundle)]
        #expect(
            try world.error("<customObject id=\"a\" customClass=\"Row\" customModuleProvider=\"target\"/>").code
                == .nibClassMissing)
    }

    @Test("a class of a plug-in that has nothing to do with the nib", .fault(219))
    func classOfAStrangerIsNotUsed() throws {
        var world = try NibWorld()
        world.classes.strangers = ["Chart": "/Charts.bundle"]
        let error = try world.error("<customObject id=\"a\" customClass=\"Chart\"/>")
        #expect(error.code == .nibClassMissing && error.findings[0].remedy.contains("“/Charts.bundle”"))
        #expect(error.findings[0].remedy.contains("PHRequires"))
    }

    @Test("an element without class", .fault(220))
    func elementWithoutClassIsNamed() throws {
        let error = try NibWorld().error("<view id=\"v\"><subviews><slider id=\"a\"/></subviews></view>")
        #expect(error.summary == "nibClassMissing 5:24" && error.subject == "slider")
        #expect(error.findings[0].remedy.contains("leaveOut"))
        #expect(try NibWorld().error("<buton id=\"a\"/>").findings[0].remedy.contains("There is “button”;"))
    }

    @Test("a class that is registered under two names has both", .fault(222))
    func aClassMayHaveTwoNames() throws {
        let world = try NibWorld(classes: [.plugin(Row.self), .plugin(Row.self, as: "Line")])
        let made = try world.nib(
            "<customObject id=\"a\" customClass=\"Row\"/><customObject id=\"b\" customClass=\"Line\"/>"
        ).instantiate()
        #expect(made.object("a") is Row && made.object("b") is Row)
    }

    @Test("two of equal rank that register one name or element are both named; one of a higher rank goes first")
    func ambiguousClassesAreNamed() throws {
        var world = try NibWorld(classes: [
            .plugin(Row.self, as: "X", element: "e"), .plugin(Label.self, as: "Y", element: "e"),
        ])
        #expect(try world.error("<e id=\"a\"/>").code == .nibReferenceInvalid)
        world.classes.levels = [
            .of([.plugin(Label.self, as: "X")], in: world.bundle),
            .of([.plugin(Row.self, as: "X"), .plugin(Link.self, as: "X")], isOwn: false, in: world.bundle),
        ]
        #expect(try world.nib("<customObject id=\"a\" customClass=\"X\"/>").instantiate().object("a") is Label)
        world.classes.levels.removeFirst()
        #expect(try world.error("<customObject id=\"a\" customClass=\"X\"/>").code == .nibReferenceInvalid)
    }

    @Test("a name that is declared twice; an interface that inherits from no superclass", .fault(223))
    func wrongInterfacesAreRefused() throws {
        final class Twice: NibObject {
            static let nibInterface = NibInterface(for: Twice.self) { nib in
                nib.outlet("a") { (_: Twice, _: (any NibObject)?) in }
                nib.outlets("a") { (_: Twice, _: [any NibObject]) in }
            }
        }
        final class Stranger: NibObject {
            static let nibInterface = NibInterface(for: Stranger.self, inheriting: Block.nibInterface) { _ in }
        }
        for owner in [Twice(), Stranger()] as [any NibObject] {
            let error = try NibWorld().error("<customObject id=\"-2\"/>", owner: owner)
            #expect(error.code == .nibInterfaceInvalid, "\(error)")
        }
        #expect(Twice.nibInterface.table.faults.count == 1)
        #expect(Stranger.nibInterface.table.faults[0].contains("“Block”"))
        // An interface that was copied from another class: its closures would take the object for one of that class.
        final class Copied: Plugin, NibObject {
            static let nibInterface = NibInterface(for: Card.self) { $0.action("close", Card.close) }
            init(context: PluginContext) throws {}
            init() {}
        }
        let copied = try NibWorld(classes: [.plugin(Copied.self), .plugin(Link.self, element: "button")])
        let errors = [
            try copied.error("<customObject id=\"a\" customClass=\"Copied\"/>"),
            try copied.error("<customObject id=\"-2\"/>", owner: Copied()),
        ]
        for error in errors {
            #expect(error.code == .nibInterfaceInvalid, "\(error)")
            #expect(error.description.contains("“Copied” has the interface of “Card”, which is not its superclass."))
        }
        // A responder is nobody's to check before an action is sent.
        var options = NibOptions()
        options.responders = { [Copied()] }
        let link = try copied.nib(
            """
            <customObject id="-1" customClass="FirstResponder"/>
            <button id="b"><connections><action selector="close" target="-1" id="c"/></connections></button>
            """
        ).instantiate(options: options).object("b", as: Link.self)!
        #expect(throws: PluginFailure.self) { try link.onPress?.send(from: link) }
        // A subclass may declare a name anew.
        final class Better: Block {
            override class var nibInterface: NibInterface { interface }
            private static let interface = NibInterface(for: Better.self, inheriting: Block.nibInterface) { nib in
                nib.attribute("title") { $0.title = "better " + $1 }
            }
        }
        #expect(Better.nibInterface.table.faults.isEmpty)
        let world = try NibWorld(classes: [.plugin(Better.self)])
        let made = try world.nib("<customObject id=\"a\" customClass=\"Better\" title=\"x\"/>").instantiate()
        #expect(made.object("a", as: Block.self)?.title == "better x")
    }
}
