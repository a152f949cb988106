import CPluginSupport
import Foundation
import HostBasics
import NibReading
@_spi(PluginHost) import PluginABI
import TestSupport
import Testing

@_spi(Tools) @testable import PluginHost

/// Classes of C plug-ins in nibs.
///
/// Numbers in titles are those of the project's list of faults.
@Suite struct ForeignNibClassTests {
    private static let header = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../Sources/CPluginSupport/include/plugin_nib.h").standardizedFileURL.path

    /// What an object of the C class is.
    private struct Counter {
        var tag: Int64, awake: Int64, opened: Int64, parts: Int64, next: Int64
        var width: Double
        var action: UnsafeRawPointer?
    }

    /// Its functions.
    private struct Functions {
        var header: plugin_header
        var press: @convention(c) (UnsafeMutableRawPointer?) -> Int32
        var run: @convention(c) () -> Int32
    }

    /// `defect`: a line of C that spoils the class before it is registered.
    private static func source(defect: String = "") -> String {
        """
        #include "\(header)"
        #include <stdlib.h>
        #include <string.h>
        PLUGIN_DECLARE_NOTE;
        static const plugin_host *the_host;
        static const plugin_nib *nib;
        typedef struct { int64_t tag, awake, opened, parts, next; double width; const void *action; } counter;
        typedef struct { plugin_header header; int32_t (*press)(void *); int32_t (*run)(void); } functions_table;
        static plugin_status create(const plugin_factory *f, const plugin_host *h, void **out) {
            (void)f; (void)h; *out = calloc(1, sizeof(counter)); return PLUGIN_OK;
        }
        static void release(void *p) { free(p); }
        static int32_t press(void *p) { return nib->send(the_host, ((counter *)p)->action, NULL); }
        static int32_t run(void) {
            void *made = NULL;
            if (nib->instantiate(the_host, PLUGIN_STRING("Missing"), NULL, NULL, &made) != PLUGIN_NOT_FOUND) return 1;
            if (nib->instantiate(the_host, PLUGIN_STRING("Counter"), NULL, NULL, &made) != PLUGIN_OK) return 2;
            plugin_nib_object object = {{sizeof object, 1}, {0, 0}, 0, 0, 0};
            if (nib->find_object(the_host, made, PLUGIN_STRING("none"), &object) != PLUGIN_NOT_FOUND) return 3;
            if (nib->find_object(the_host, made, PLUGIN_STRING("c"), &object) != PLUGIN_OK) return 4;
            if (object.class_name.len != 7 || memcmp(object.class_name.ptr, "Counter", 7) != 0) return 5;
            if (((counter *)object.instance)->tag != 7 || object.functions == NULL) return 6;
            nib->release(the_host, made);
            return nib->find_object(the_host, made, PLUGIN_STRING("c"), &object) == PLUGIN_NOT_FOUND ? 0 : 7;
        }
        static void set_tag(void *p, const plugin_nib_value *v) { ((counter *)p)->tag = v->integer; }
        static void set_frame(void *p, const plugin_nib_value *v) { ((counter *)p)->width = v->numbers[2]; }
        static void set_next(void *p, const plugin_nib_object *o, size_t n) {
            ((counter *)p)->next = n == 1 ? (o->instance == NULL ? 1 : 2) : 3;
        }
        static void set_parts(void *p, const plugin_nib_object *o, size_t n) { (void)o; ((counter *)p)->parts = (int64_t)n; }
        static void set_action(void *p, const void *a) { ((counter *)p)->action = a; }
        static plugin_status open_(const plugin_host *h, void *p, const plugin_nib_object *sender) {
            (void)h; ((counter *)p)->opened += (int64_t)sender->class_name.len; return PLUGIN_OK;
        }
        static plugin_status fail(const plugin_host *h, void *p, const plugin_nib_object *sender) {
            (void)p; (void)sender;
            h->set_error(h, PLUGIN_STRING("org.example"), 4, PLUGIN_STRING("It is jammed."), PLUGIN_STRING("Shake it."));
            return PLUGIN_FAILED;
        }
        static void awake(void *p) { ((counter *)p)->awake++; }
        static const functions_table functions = {{sizeof functions, 1}, press, run};
        static const plugin_factory factory = {{sizeof factory, 1}, {"Counter", 7}, {0, 0}, 0, 0, 0, &functions, create, 0, release};
        static plugin_nib_outlet outlets[] = {
            {{"next", 4}, {0, 0}, 0, 0, set_next}, {{"parts", 5}, {"Counter", 7}, 1, 0, set_parts}};
        static plugin_nib_attribute attributes[] = {
            {{"tag", 3}, PLUGIN_NIB_INTEGER, 0, set_tag}, {{"frame", 5}, PLUGIN_NIB_RECT, 0, set_frame}};
        static plugin_nib_action actions[] = {{{"open:", 5}, {0, 0}, open_}, {{"fail", 4}, {0, 0}, fail}};
        static plugin_nib_event events[] = {{{0, 0}, set_action}};
        static plugin_nib_class the_class = {{sizeof the_class, 1}, &factory, outlets, attributes, actions, events,
            2, 2, 2, 1, {"counter", 7}, awake};
        PLUGIN_EXPORT plugin_status plugin_entry(const plugin_host *host) {
            the_host = host;
            nib = host->get_extension(host, PLUGIN_STRING(PLUGIN_NIB_ID));
            if (nib == NULL) return PLUGIN_ABI_MISMATCH;
            \(defect)
            return nib->register_class(host, &the_class);
        }
        """
    }

    private static let nib = NibWorld.document(
        """
        <customObject id="c" customClass="Counter" tag="7">
            <rect key="frame" x="1" y="2" width="3.5" height="4"/>
            <cells/><parts><counter id="p1"/><counter id="p2"/></parts>
            <connections>
                <outlet property="next" destination="d" id="1"/><action selector="open" target="d" id="2"/>
            </connections>
        </customObject>
        <counter id="d"/>
        """)

    private static func tree(_ name: String, _ source: String) throws -> TemporaryTree {
        let file = try ELFFixtures.c("\(name).so", source)
        let tree = try TemporaryTree([
            "Counter.bundle/Contents/Info.plist":
                "{ NSExecutable = Counter; CFBundleIdentifier = \"org.example.Counter\"; PHFactories = ({ name = Counter; }); }",
            "Counter.bundle/Contents/Resources/Counter.xib": ForeignNibClassTests.nib,
        ])
        try tree.write(
            "Counter.bundle/Contents/Linux/Counter", bytes: try OpenedFile(path: file).bytes(atMost: 1 << 24))
        return tree
    }

    private static func counter(_ object: (any NibObject)?) throws -> (object: NibForeignObject, state: Counter) {
        let object = try #require(object as? NibForeignObject)
        return (object, object.pointer.load(as: Counter.self))
    }

    @Test func aCClassIsMadeConfiguredAndConnected() async {
        await #expect(processExitsWith: .success) {
            HostEnvironment.current.log = { _ in }
            let tree = try ForeignNibClassTests.tree("counter", ForeignNibClassTests.source())
            let bundle = try PluginBundle.open(path: tree("Counter.bundle"))
            var made: NibInstance? = try bundle.nib(named: "Counter").instantiate()
            let (object, state) = try ForeignNibClassTests.counter(made?.object("c"))
            #expect(bundle.registrations == [PluginBundle.Registration(kind: .pluginClass, name: "Counter")])
            #expect(bundle.loadWarnings.isEmpty, "a class fulfils an item of PHFactories without a point")
            #expect(object.className == "Counter" && state.tag == 7 && state.width == 3.5 && state.awake == 1)
            #expect(state.next == 2 && state.parts == 2)
            // Its event sends the action.
            let functions = try #require(object.functions(as: ForeignNibClassTests.Functions.self))
            #expect(functions.pointee.press(object.pointer) == PLUGIN_OK)
            #expect(try ForeignNibClassTests.counter(made?.object("d")).state.opened == 7)
            // C instantiates, finds and releases.
            #expect(functions.pointee.run() == 0)
            made = nil
        }
    }

    /// The list that is written accepts what the class takes at run time.
    @Test(.fault(746)) func nilFitsEveryAttributeOfACClassAndOfItsList() async {
        await #expect(processExitsWith: .success) {
            HostEnvironment.current.log = { _ in }
            let tree = try ForeignNibClassTests.tree("counternil", ForeignNibClassTests.source())
            let bundle = try PluginBundle.open(path: tree("Counter.bundle"))
            try bundle.load()
            let text = NibWorld.document("<counter id=\"c\"><nil key=\"tag\"/><nil key=\"frame\"/></counter>")
            let made = try NibFile(
                Array(text.utf8), name: "N", path: nil, bundle: bundle, isTranslated: false
            ).instantiate(owner: nil, placeholders: [:], options: NibOptions(), connected: nil)
            #expect(made.objects.count == 1)
            let written = try #require(NibClassList(registeredBy: bundle)).text()
            let list = NibClassList(reading: Array(written.utf8))
            #expect(list.entries.first?.attributes == ["tag": "Int?", "frame": "Rect?"] && list.faults.isEmpty)
            var classes = NibInspection.Classes()
            classes.own = [list]
            let nib = try NibInspection(Array(text.utf8), named: "-", limits: NibLimits())
            #expect(nib.report(classes: classes, in: nil).findings.isEmpty)
        }
    }

    @Test("send after the object of the event was released", .fault(257))
    func sendAfterReleaseFindsNobody() async {
        await #expect(processExitsWith: .success) {
            let tree = try ForeignNibClassTests.tree("released", ForeignNibClassTests.source())
            let bundle = try PluginBundle.open(path: tree("Counter.bundle"))
            let action = try ForeignNibClassTests.counter(try bundle.nib(named: "Counter").instantiate().object("c"))
                .state.action
            #expect(action != nil)
            let host = HostTable(bundle: bundle)
            #expect(host.send(action, from: nil) == PLUGIN_NOT_FOUND && host.send(nil, from: nil) == PLUGIN_NOT_FOUND)
            host.release(nib: action)
        }
    }

    private static let entry: @convention(c) (UnsafePointer<plugin_host>) -> plugin_status = { host in
        registerPlugin(with: host) { plugin in
            plugin.register(Row.self)
            plugin.register(Link.self)
        }
    }

    @Test("a C class in a Swift plug-in's nib, and an action that fails", .fault(255))
    func bothLanguagesMeetInANib() async {
        await #expect(processExitsWith: .success) {
            let tree = try ForeignNibClassTests.tree("meeting", ForeignNibClassTests.source())
            try tree.write("User.bundle/Contents/Info.plist", "{ PHRequires = { \"org.example.Counter\" = \"*\"; }; }")
            try tree.write(
                "User.bundle/Contents/Resources/A.xib",
                NibWorld.document(
                    """
                    <customObject id="c" customClass="Counter"><connections><outlet property="next" destination="r" id="1"/></connections></customObject>
                    <customObject id="r" customClass="Row"><connections><outlet property="delegate" destination="c" id="2"/></connections></customObject>
                    <customObject id="l" customClass="Link"><connections><action selector="fail" target="c" id="3"/>
                        <action selector="open" destination="c" eventType="touchUpInside" id="4"/></connections></customObject>
                    """))
            try tree.write(
                "User.bundle/Contents/Resources/B.xib",
                NibWorld.document(
                    "<customObject id=\"c\" customClass=\"Counter\"><parts><customObject id=\"r\" customClass=\"Row\"/></parts></customObject>"
                ))
            let counter = try PluginBundle.open(path: tree("Counter.bundle"))
            let user = try PluginBundle.linked(at: tree("User.bundle"), entry: ForeignNibClassTests.entry)
            let made = try user.nib(named: "A").instantiate()
            let (object, state) = try ForeignNibClassTests.counter(made.object("c"))
            #expect(counter.isLoaded && state.next == 1)
            #expect(made.object("r", as: Row.self)?.delegate === object)
            let link = try #require(made.object("l", as: Link.self))
            let failure = #expect(throws: PluginFailure.self) { try link.onPress?.send(from: link) }
            #expect(failure?.message == "It is jammed." && failure?.remedy == "Shake it." && failure?.code == 4)
            #expect(try link.others[0].send(from: link))
            #expect(try ForeignNibClassTests.counter(object).state.opened == 4)
            let error = #expect(throws: PluginError.self) { try user.nib(named: "B").instantiate() }
            #expect(error?.code == .nibOutletInvalid && error?.description.contains("“Counter”") ?? false)
        }
    }

    @Test(
        "a short struct, a missing function, an empty or long name, a wrong type", .fault(254),
        arguments: [
            "the_class.header.size = 8;", "outlets[0].set = NULL;", "attributes[1].set = NULL;",
            "actions[0].perform = NULL;",
            "events[0].set = NULL;", "outlets[0].name.len = 0;", "attributes[0].name.len = 1 << 20;",
            "the_class.factory = NULL;",
            "the_class.outlets = NULL;", "the_class.outlet_count = (size_t)-1;", "attributes[0].type = 99;",
            "attributes[0].type = PLUGIN_NIB_NONE;", "actions[1].name = actions[0].name;",
        ])
    func wrongClassesFailTheLoad(defect: String) async {
        await #expect(processExitsWith: .success) { [defect = defect as String] in
            let tree = try ForeignNibClassTests.tree("wrong", ForeignNibClassTests.source(defect: defect))
            let bundle = try PluginBundle.open(path: tree("Counter.bundle"))
            #expect(!bundle.load())
            let expected: PluginError.Code =
                defect.hasPrefix("actions[1].name") ? .nibInterfaceInvalid : .registrationInvalid
            #expect(bundle.loadError?.code == expected, "\(String(describing: bundle.loadError))")
        }
    }

    /// The release of an object, which the setter or action of that object causes.
    private enum Releasing {
        nonisolated(unsafe) static var made: NibInstance?
        nonisolated(unsafe) static var released = 0
        static let release: @convention(c) () -> Void = { made = nil }
        static let count: @convention(c) () -> Void = { released += 1 }
    }

    /// A C class whose setter and action call a function of the host, and one with other outlets.
    private static let releasing = """
        #include "\(header)"
        #include <stdlib.h>
        PLUGIN_DECLARE_NOTE;
        typedef struct { void (*on_call)(void); void (*on_release)(void); int64_t alive; } holder;
        static plugin_status create(const plugin_factory *f, const plugin_host *h, void **out) {
            (void)f; (void)h; *out = calloc(1, sizeof(holder)); return PLUGIN_OK;
        }
        static void release(void *p) { holder *h = p; if (h->on_release) h->on_release(); h->alive = -1; free(p); }
        static void call(holder *h) { if (h->on_call) h->on_call(); h->alive++; }
        static void set_next(void *p, const plugin_nib_object *o, size_t n) { (void)o; (void)n; call(p); }
        static plugin_status close_(const plugin_host *host, void *p, const plugin_nib_object *sender) {
            (void)host; (void)sender; call(p); return PLUGIN_OK;
        }
        static const plugin_factory first = {{sizeof first, 1}, {"Holder", 6}, {0, 0}, 0, 0, 0, 0, create, 0, release};
        static const plugin_factory second = {{sizeof second, 1}, {"Other", 5}, {0, 0}, 0, 0, 0, 0, create, 0, release};
        static const plugin_nib_outlet outlets[] = {{{"next", 4}, {0, 0}, 0, 0, set_next}};
        static const plugin_nib_action actions[] = {{{"close", 5}, {0, 0}, close_}};
        static const plugin_nib_class holder_class = {{sizeof holder_class, 1}, &first, outlets, 0, actions, 0, 1, 0, 1, 0, {0, 0}, 0};
        static const plugin_nib_class other_class = {{sizeof other_class, 1}, &second, 0, 0, actions, 0, 0, 0, 1, 0, {0, 0}, 0};
        PLUGIN_EXPORT plugin_status plugin_entry(const plugin_host *host) {
            const plugin_nib *nib = host->get_extension(host, PLUGIN_STRING(PLUGIN_NIB_ID));
            plugin_status status = nib->register_class(host, &holder_class);
            return status ? status : nib->register_class(host, &other_class);
        }
        """

    private struct Holder {
        var onCall: (@convention(c) () -> Void)?
        var onRelease: (@convention(c) () -> Void)?
        var alive: Int64
    }

    @Test("an object that is released in its own setter or action lives until the call returns", .fault(256))
    func objectsOutliveTheirCalls() async {
        await #expect(processExitsWith: .success) {
            let tree = try ForeignNibClassTests.tree("releasing", ForeignNibClassTests.releasing)
            let nibs = [
                "Made": "<customObject id=\"h\" customClass=\"Holder\"/>",
                "Owned":
                    "<customObject id=\"-2\"><connections><outlet property=\"next\" destination=\"h\" id=\"c\"/></connections></customObject>"
                    + "<customObject id=\"h\" customClass=\"Holder\"/>",
            ]
            for (name, objects) in nibs {
                try tree.write("Counter.bundle/Contents/Resources/\(name).xib", NibWorld.document(objects))
            }
            let bundle = try PluginBundle.open(path: tree("Counter.bundle"))
            func make() throws -> NibForeignObject {
                Releasing.made = try bundle.nib(named: "Made").instantiate()
                let holder = Releasing.made!.object("h") as! NibForeignObject
                holder.pointer.storeBytes(
                    of: Holder(onCall: Releasing.release, onRelease: Releasing.count, alive: 0), as: Holder.self)
                return holder
            }
            // In its setter: it owns another nib, and only this instantiation holds it.
            let nib = try bundle.nib(named: "Owned")
            try nib.instantiate(owner: make())
            #expect(Releasing.made == nil && Releasing.released == 1)
            // In its action.
            let close = try make().nibTable.actions["close"]!
            let action = NibAction("close", target: Releasing.made!.object("h")!, close)
            let isPerformed = try action.send(from: Row())
            #expect(isPerformed && !action.isEnabled && Releasing.made == nil && Releasing.released == 2)
        }
    }

    /// Objects of two C classes are of one Swift class; each has the outlets of its own.
    @Test func ownersOfTwoCClassesDiffer() async {
        await #expect(processExitsWith: .success) {
            let tree = try ForeignNibClassTests.tree("owners", ForeignNibClassTests.releasing)
            let bundle = try PluginBundle.open(path: tree("Counter.bundle"))
            func nib(_ objects: String) throws -> Nib {
                try Nib(nibData: NibWorld.document(objects).utf8, bundle: bundle)
            }
            let made = try nib(
                "<customObject id=\"h\" customClass=\"Holder\"/><customObject id=\"o\" customClass=\"Other\"/>"
            ).instantiate()
            let owned = try nib(
                """
                <customObject id="-2"><connections><outlet property="next" destination="h" id="c"/></connections></customObject>
                <customObject id="h" customClass="Holder"/>
                """)
            try owned.instantiate(owner: made.object("h"))
            let error = #expect(throws: PluginError.self) { try owned.instantiate(owner: made.object("o")) }
            #expect(error?.code == .nibOutletInvalid && error?.description.contains("“Other”") ?? false)
            try owned.instantiate(owner: made.object("h"))
        }
    }
}
