import Glibc
import HostBasics
import NibReading
@_spi(PluginHost) import PluginABI
import Synchronization
import TestSupport
import Testing

@testable import PluginHost

/// The caller's mistakes, and what happens while objects are made.
///
/// Numbers in titles are those of the project's list of faults.
@Suite struct NibLifeFaults {
    private let world: NibWorld

    init() throws { world = try NibWorld() }

    private static let owned = """
        <customObject id="-2" customClass="Card"><connections><outlet property="words" destination="a" id="c"/></connections></customObject>
        <view id="a"/>
        """

    @Test("no owner, and one of another class", .fault(238))
    func theOwnerMustFit() throws {
        let none = try world.error(Self.owned)
        #expect(none.summary == "nibOwnerInvalid 5:63")
        #expect(try world.error(Self.owned, owner: Row()).code == .nibOutletInvalid)
        #expect(
            try world.error(
                "<customObject id=\"-2\"/><view id=\"a\"><connections><outlet property=\"delegate\" destination=\"-2\" id=\"c\"/></connections></view>"
            )
            .code == .nibOwnerInvalid)
    }

    @Test("a placeholder that is missing; one that the nib does not have is a warning", .fault(239))
    func placeholdersMustBeGiven() async {
        await #expect(processExitsWith: .success) {
            nonisolated(unsafe) var logged: [String] = []
            HostEnvironment.current.log = { logged.append($0.message) }
            let world = try NibWorld()
            let text = """
                <placeholder placeholderIdentifier="A" id="p"/>
                <view id="a"><connections><outlet property="delegate" destination="p" id="c"/></connections></view>
                """
            #expect(try world.error(text).summary == "nibPlaceholderMissing 6:35")
            let nib = try world.nib(text)
            try nib.instantiate(placeholders: ["A": Card(), "B": Card()])
            #expect(logged.contains { $0.contains("“B”") && $0.contains("“A”") })
            // One of another class than the nib says is a warning.
            logged = []
            try world.nib("<customObject id=\"-2\" customClass=\"Other\"/>").instantiate(owner: Card())
            #expect(logged.contains { $0.contains("“Other”") && $0.contains("“Card”") })
        }
    }

    @Test("one identifier twice", .fault(240))
    func oneIdentifierStandsOnce() throws {
        let twice =
            "<placeholder placeholderIdentifier=\"A\" id=\"p\"/>\n<placeholder placeholderIdentifier=\"A\" id=\"q\"/>"
        #expect(try world.error(twice).summary == "nibReferenceInvalid 6:1")
        #expect(
            try world.error("<customObject id=\"-2\"/><placeholder placeholderIdentifier=\"IBFilesOwner\" id=\"x\"/>")
                .code == .nibReferenceInvalid)
    }

    @MainActor final class Window: NibObject {
        var block: Block?
        var count = 0
        var opened = 0
        nonisolated init() {}
        nonisolated static let nibInterface = NibInterface.onMainActor(Window.self) { nib in
            nib.outlet("block") { $0.block = $1 }
            nib.attribute("count") { $0.count = $1 }
            nib.action("open:") { (window, _: Link) in window.opened += 1 }
        }
        nonisolated func awakeFromNib() { MainActor.assumeIsolated { count += 1 } }
    }

    @Test("a class of the main actor on another thread", .fault(241))
    func mainActorClassesNeedTheMainActor() async {
        await #expect(processExitsWith: .success) {
            let world = try NibWorld(
                classes: NibClass.blocks + [
                    NibClass(name: "Window", NibRegistration(Window.self, element: nil) { _ in Window() })
                ])
            let nib = try world.nib(
                """
                <customObject id="w" customClass="Window" count="4"><connections><outlet property="block" destination="b" id="c"/></connections></customObject>
                <button id="b"><connections><action selector="open:" target="w" id="d"/></connections></button>
                """)
            let code: PluginError.Code? = await Task.detached { () -> PluginError.Code? in
                do {
                    _ = try nib.instantiate()
                    return nil
                } catch {
                    return (error as? PluginError)?.code
                }
            }.value
            #expect(code == .nibThread)
            // The test's main is asynchronous, so that another thread than the main one runs the main actor's jobs.
            try await MainActor.run {
                let made = try nib.instantiate()
                let window = made.object("w", as: Window.self)!
                #expect(window.block != nil && window.count == 5)
                try (window.block as? Link)?.onPress?.send(from: window.block!)
                #expect(window.opened == 1)
            }
            // An action of a fixed target, and one to First Responder, which another thread sends.
            let (window, link) = try await MainActor.run {
                let made = try nib.instantiate()
                return (made.object("w", as: Window.self)!, UncheckedLink(made.object("b", as: Link.self)!))
            }
            nonisolated(unsafe) var options = NibOptions()
            options.responders = { [window] }
            let second = try world.nib(
                """
                <customObject id="-1" customClass="FirstResponder"/>
                <button id="b"><connections><action selector="open:" target="-1" id="d"/></connections></button>
                """
            ).instantiate(options: options).object("b", as: Link.self)!
            for link in [link, UncheckedLink(second)] {
                let refused = await Task.detached { () -> String in
                    do {
                        try link.link.onPress?.send(from: link.link)
                        return ""
                    } catch {
                        return "\(error)"
                    }
                }.value
                #expect(refused.contains("belongs to the main actor"), "\(refused)")
            }
            #expect(await MainActor.run { window.opened } == 0)
        }
    }

    /// Sent to another thread by a test that does nothing meanwhile.
    private struct UncheckedLink: @unchecked Sendable {
        // @unchecked because one thread after the other uses the object.
        let link: Link
        init(_ link: Link) { self.link = link }
    }

    final class Failing: Plugin, NibObject {
        static let nibInterface = NibInterface(for: Failing.self) { _ in }
        init(context: PluginContext) throws { throw PluginFailure("It has no ink.", remedy: "Fill it.") }
    }

    @Test("an initialiser throws: what was made is released, nobody is awake, the owner is untouched", .fault(242))
    func failedInitialiserLeavesNothing() throws {
        let world = try NibWorld(classes: NibClass.blocks + [.plugin(Failing.self)])
        let recorder = Recorder()
        let card = Card()
        let error = Recorder.$current.withValue(recorder) {
            #expect(throws: PluginError.self) {
                try world.nib(
                    Self.owned + "<view id=\"b\"/><customObject id=\"f\" customClass=\"Failing\"/><view id=\"d\"/>"
                )
                .instantiate(owner: card)
            }
        }
        #expect(error?.code == .nibObjectFailed && error?.description.contains("It has no ink.") ?? false)
        #expect(error?.findings[0].remedy == "Fill it." && error?.description.contains("“f”") ?? false)
        #expect(recorder.events == ["init Block", "init Block", "deinit", "deinit"])
        #expect(card.words == nil && card.loads == 0)
    }

    @Test("an initialiser that traps ends the process; the docs say so", .fault(243))
    func trappingInitialiserEndsTheProcess() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let trap = NibClass(
                name: "Trap", NibRegistration(Row.self, element: nil) { _ in fatalError("It trapped.") })
            // An error would end the process without these words.
            _ = try? NibWorld(classes: [trap]).nib("<customObject id=\"a\" customClass=\"Trap\"/>").instantiate()
        }
        let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(message.contains("It trapped."), "\(message.suffix(500))")
    }

    @Test("a nib that instantiates itself ends at the depth of 32", .fault(244))
    func nestedNibsEnd() throws {
        final class Box: @unchecked Sendable { var nib: Nib?, depth = 0 }
        // @unchecked because one thread uses it.
        let box = Box()
        let nesting = NibClass(
            name: "Nesting",
            NibRegistration(Row.self, element: nil) { context in
                box.depth += 1
                _ = try box.nib?.instantiate()
                return try Row(context: context)
            })
        let nib = try NibWorld(classes: [nesting]).nib("<customObject id=\"a\" customClass=\"Nesting\"/>")
        box.nib = nib
        let error = #expect(throws: PluginError.self) { try nib.instantiate() }
        #expect(box.depth == 32)
        #expect(error?.findings.contains { $0.code == .nibNested } ?? false)
        box.nib = nil
        _ = try nib.instantiate()
    }

    @Test("awake instantiates another nib, and changes the language", .fault(245))
    func awakeMayUseNibs() async {
        await #expect(processExitsWith: .success) {
            final class Waking: Plugin, NibObject {
                nonisolated(unsafe) static var other: Nib?
                static let nibInterface = NibInterface(for: Waking.self) { _ in }
                init(context: PluginContext) throws {}
                func awakeFromNib() {
                    #expect(try! Waking.other!.instantiate().objects.count == 2)
                    HostEnvironment.current.preferredLanguages = ["de"]
                }
            }
            let world = try NibWorld(classes: NibClass.blocks + [.plugin(Waking.self)])
            Waking.other = try world.nib("<view id=\"a\"/><view id=\"b\"/>")
            let nib = try world.nib("<customObject id=\"a\" customClass=\"Waking\"/>")
            #expect(try nib.instantiate().objects.count == 1)
            #expect(try nib.instantiate().objects.count == 1)
        }
    }

    private static let entry: @convention(c) (UnsafePointer<plugin_host>) -> plugin_status = { host in
        registerPlugin(with: host) { plugin in
            plugin.register(Row.self, element: "row")
            plugin.register(Label.self, as: "Title")
        }
    }

    /// Seed 80: a loadable bundle ships a nib, in a language or for all, and its classes are those that its code registers.
    @Test("the bundle is unloaded between two instantiations: a new plan, and the code is active again", .fault(246))
    func aPluginsNibUsesItsClasses() async {
        await #expect(processExitsWith: .success) {
            HostEnvironment.current.preferredLanguages = ["fr"]
            let tree = try TemporaryTree([
                "Rows.bundle/Contents/Info.plist": "{ CFBundleIdentifier = \"org.example.Rows\"; }",
                "Rows.bundle/Contents/Resources/fr.lproj/Rows.nib": NibWorld.document(
                    "<row id=\"r\" title=\"un\"/><customObject id=\"t\" customClass=\"Title\"/>"),
            ])
            let bundle = try PluginBundle.linked(at: tree("Rows.bundle"), entry: NibLifeFaults.entry)
            let nib = try bundle.nib(named: "Rows")
            #expect(!bundle.isLoaded)
            var made: NibInstance? = try nib.instantiate()
            // Its code was loaded when it was first needed.
            #expect(bundle.isLoaded && made?.object("r", as: Row.self)?.title == "un" && made?.object("t") is Label)
            #expect(bundle.liveObjects.map(\.count) == [1, 1], "\(bundle.liveObjects)")
            bundle.unload()
            // Objects outlive the unload.
            #expect(made?.object("r", as: Row.self)?.title == "un")
            made = try nib.instantiate()
            #expect(bundle.isLoaded && made?.objects.count == 2)
            // The one that somebody holds lives on after the instance, and is counted.
            var kept = made?.object("r")
            made = nil
            #expect(kept != nil && bundle.liveObjects.map(\.count) == [1], "\(bundle.liveObjects)")
            kept = nil
            #expect(bundle.liveObjects.isEmpty)
            // The plug-in's own context gives the same.
            let context = PluginContext(services: HostTable(bundle: bundle))
            #expect(
                try context.nib("Rows").name == "Rows" && context.image("none") == nil && context.sound("none") == nil)
        }
    }

    @Test("classes of a bundle that PHRequires names, and of one that does not load", .fault(219, 221))
    func requiredBundlesHaveClasses() async {
        // Faults 219 and 221
        await #expect(processExitsWith: .success) {
            let tree = try TemporaryTree([
                "Rows.bundle/Contents/Info.plist": "{ CFBundleIdentifier = \"org.example.Rows\"; }",
                "User.bundle/Contents/Info.plist": "{ PHRequires = { \"org.example.Rows\" = \"*\"; }; }",
                "User.bundle/Contents/Resources/A.xib": NibWorld.document("<row id=\"r\"/>"),
                "Stranger.bundle/Contents/Info.plist": "{ }",
                "Stranger.bundle/Contents/Resources/A.xib": NibWorld.document(
                    "<customObject id=\"r\" customClass=\"Title\"/>"),
                "Broken.bundle/Contents/Info.plist": "{ NSExecutable = Broken; }",
                "Broken.bundle/Contents/Resources/A.xib": NibWorld.document("<row id=\"r\"/>"),
            ])
            let rows = try PluginBundle.linked(at: tree("Rows.bundle"), entry: NibLifeFaults.entry)
            let user = try PluginBundle.open(path: tree("User.bundle"))
            #expect(try user.nib(named: "A").instantiate().object("r") is Row)
            #expect(rows.isLoaded)
            func error(_ name: String) throws -> PluginError? {
                do {
                    _ = try PluginBundle.open(path: tree(name)).nib(named: "A").instantiate()
                    return nil
                } catch {
                    return error as? PluginError
                }
            }
            let stranger = try error("Stranger.bundle")
            #expect(stranger?.code == .nibClassMissing && stranger?.description.contains("Rows.bundle") ?? false)
            let broken = try error("Broken.bundle")
            #expect(broken?.code == .executableMissing, "\(String(describing: broken))")
            #expect(broken?.filePath?.hasSuffix("A.xib") ?? false && broken?.findings[0].place != nil)
        }
    }

    private static let wrongEntry: @convention(c) (UnsafePointer<plugin_host>) -> plugin_status = { host in
        registerPlugin(with: host) { plugin in plugin.register(Wrong.self) }
    }

    final class Wrong: Plugin, NibObject {
        static let nibInterface = NibInterface(for: Wrong.self) { nib in
            nib.attribute("a") { (_: Wrong, _: Int) in }
            nib.attribute("a") { (_: Wrong, _: String) in }
        }
        init(context: PluginContext) throws {}
    }

    @Test("a plug-in whose class declares a name twice does not load", .fault(223))
    func wrongInterfaceFailsTheLoad() async {
        await #expect(processExitsWith: .success) {
            let tree = try TemporaryTree(["Wrong.bundle/Contents/Info.plist": "{ }"])
            let bundle = try PluginBundle.linked(at: tree("Wrong.bundle"), entry: NibLifeFaults.wrongEntry)
            #expect(!bundle.load() && bundle.loadError?.code == .nibInterfaceInvalid)
        }
    }

    @Test("1,000 instantiations of one nib on several threads", .fault(247))
    func oneNibServesManyThreads() throws {
        let threads = 8
        // Each round has a new nib, so that all threads meet the first plan.
        for _ in 0..<5 {
            let nib = try world.nib("<view id=\"a\"><subviews><view id=\"b\" title=\"x\"/></subviews></view>")
            let arrived = Atomic(0)
            let made = Lock<[Made]>([])
            onThreads(threads) { _ in
                arrived.add(1, ordering: .relaxed)
                while arrived.load(ordering: .relaxed) < threads { sched_yield() }
                for _ in 0..<25 {
                    guard let instance = try? nib.instantiate() else { continue }
                    let entry = Made(instance)
                    made.withLock { $0.append(entry) }
                }
            }
            let blocks = made.withLock { $0 }.compactMap { $0.instance.object("a", as: Block.self) }
            #expect(blocks.count == 200 && blocks.allSatisfy { $0.blocks.map(\.title) == ["x"] })
            #expect(Set((blocks + blocks.flatMap(\.blocks)).map(ObjectIdentifier.init)).count == 400)
        }
    }

    /// What one thread made, for the test's thread after that one has ended.
    private struct Made: @unchecked Sendable {
        // @unchecked because one thread after the other uses the objects.
        let instance: NibInstance
        init(_ instance: NibInstance) { self.instance = instance }
    }

    /// Counts its objects.
    final class Counted: Block {
        static let alive = Atomic(0)
        required init(context: PluginContext) throws {
            try super.init(context: context)
            Self.alive.add(1, ordering: .relaxed)
        }
        deinit { Self.alive.subtract(1, ordering: .relaxed) }
    }

    private static let counted: [NibClass] = [.plugin(Counted.self, element: "view")]

    @Test("10,000 instantiations leave no object", .fault(248))
    func everyObjectIsReleased() throws {
        let nib = try NibWorld(classes: Self.counted).nib(
            """
            <view id="a"><subviews><view id="b"/></subviews>
            <connections><outlet property="delegate" destination="b" id="c"/></connections></view>
            """)
        for _ in 0..<10_000 {
            let made = try nib.instantiate()
            #expect(made.objects.count == 2 && Counted.alive.load(ordering: .relaxed) == 2)
        }
        #expect(Counted.alive.load(ordering: .relaxed) == 0)
    }

    @Test("a chain of strong outlets through all objects is released on a small stack", .fault(249))
    func longChainsAreReleased() async {
        await #expect(processExitsWith: .success) {
            let objects = (0..<4_096).map { number in
                "<view id=\"\(number)\">"
                    + (number < 4_095
                        ? "<connections><outlet property=\"next\" destination=\"\(number + 1)\" id=\"c\(number)\"/></connections>"
                        : "")
                    + "</view>"
            }.joined()
            let nib = try NibWorld(classes: NibLifeFaults.counted).nib(objects)
            nonisolated(unsafe) var kept: Block? = try nib.instantiate().object("0", as: Block.self)
            // The first object owns all others.
            #expect(Counted.alive.load(ordering: .relaxed) == 4_096)
            let attributes = UnsafeMutablePointer<pthread_attr_t>.allocate(capacity: 1)
            defer { attributes.deallocate() }
            pthread_attr_init(attributes)
            // What ``NibLimits/objects`` says of code that is not optimised.
            pthread_attr_setstacksize(attributes, 2 << 20)
            var thread = pthread_t()
            let box = Unmanaged.passRetained(kept!)
            kept = nil
            pthread_create(
                &thread, attributes,
                { pointer in
                    Unmanaged<Block>.fromOpaque(pointer!).release()
                    return nil
                }, box.toOpaque())
            pthread_join(thread, nil)
            #expect(Counted.alive.load(ordering: .relaxed) == 0)
        }
    }
}
