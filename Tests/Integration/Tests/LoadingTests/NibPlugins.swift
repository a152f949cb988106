import Fixtures
import Foundation
import PluginABI
import PluginHost
import Testing

/// Nibs of real plug-ins: one in Swift whose nib names a class in C, and one in C whose nib names a class in Swift.
@Suite struct NibPlugins {
    /// A C plug-in with the class Dial.
    ///
    /// The function run() instantiates the plug-in's own nib; it returns the number of the first step that fails, or 0.
    private static let dial = """
        #include "plugin_nib.h"
        #include <stdlib.h>
        #include <string.h>
        typedef struct { int64_t level, turns, awakes; char title[32]; const void *action; } dial;
        typedef struct { plugin_header header; int64_t (*level)(void *); int64_t (*turns)(void *);
            plugin_status (*press)(void *); } dial_functions;
        static const plugin_host *the_host;
        static const plugin_nib *nib;
        static int64_t level(void *p) { return ((dial *)p)->level; }
        static int64_t turns(void *p) { return ((dial *)p)->turns; }
        static plugin_status press(void *p) { return nib->send(the_host, ((dial *)p)->action, NULL); }
        static const dial_functions functions = {{sizeof functions, 1}, level, turns, press};
        static plugin_status create(const plugin_factory *f, const plugin_host *h, void **out) {
            (void)f; (void)h; *out = calloc(1, sizeof(dial)); return PLUGIN_OK;
        }
        static void release(void *p) { free(p); }
        static const plugin_factory factory = {{sizeof factory, 1}, {"Dial", 4}, {0, 0}, 0, 0, 0, &functions, create, 0, release};
        static void set_level(void *p, const plugin_nib_value *v) { ((dial *)p)->level = v->integer; }
        static void set_title(void *p, const plugin_nib_value *v) {
            size_t length = v->text.len < 31 ? v->text.len : 31;
            memcpy(((dial *)p)->title, v->text.ptr, length);
        }
        static void set_partner(void *p, const plugin_nib_object *o, size_t n) {
            /* A Swift object has neither functions nor an instance. */
            if (n == 1 && o->instance == NULL && o->functions == NULL) ((dial *)p)->level += 100;
        }
        static void set_action(void *p, const void *a) { ((dial *)p)->action = a; }
        static plugin_status turn(const plugin_host *h, void *p, const plugin_nib_object *sender) {
            (void)h; ((dial *)p)->turns += sender->class_name.len == 4 ? 1 : 1000; return PLUGIN_OK;
        }
        static void awake(void *p) { ((dial *)p)->awakes++; }
        static const plugin_nib_outlet outlets[] = {{{"partner", 7}, {"Knob", 4}, 0, 0, set_partner}};
        static const plugin_nib_attribute attributes[] = {
            {{"level", 5}, PLUGIN_NIB_INTEGER, 0, set_level}, {{"title", 5}, PLUGIN_NIB_STRING, 0, set_title}};
        static const plugin_nib_action actions[] = {{{"turn:", 5}, {"Knob", 4}, turn}};
        static const plugin_nib_event events[] = {{{0, 0}, set_action}};
        static const plugin_nib_class the_class = {{sizeof the_class, 1}, &factory, outlets, attributes, actions, events,
            1, 2, 1, 1, {"dial", 4}, awake};
        static int run(void) {
            void *made = NULL;
            if (nib->instantiate(the_host, PLUGIN_STRING("Mixed"), NULL, NULL, &made) != PLUGIN_OK) return 1;
            plugin_nib_object found = {{sizeof found, 1}, {0, 0}, 0, 0, 0};
            if (nib->find_object(the_host, made, PLUGIN_STRING("k"), &found) != PLUGIN_OK) return 2;
            if (found.instance || found.functions || found.class_name.len != 4) return 3;
            if (memcmp(found.class_name.ptr, "Knob", 4)) return 4;
            if (nib->find_object(the_host, made, PLUGIN_STRING("d"), &found) != PLUGIN_OK) return 5;
            dial *mine = found.instance;
            if (found.functions != &functions || mine->level != 103 || mine->awakes != 1) return 6;
            if (strcmp(mine->title, "Volume")) return 7;
            /* The Swift object performs the action and sends its own, which comes back here. */
            if (press(mine) != PLUGIN_OK || mine->turns != 1) return 8;
            nib->release(the_host, made);
            return 0;
        }
        PLUGIN_EXPORT plugin_status plugin_entry(const plugin_host *host) {
            the_host = host;
            nib = host->get_extension(host, PLUGIN_STRING(PLUGIN_NIB_ID));
            if (nib == NULL || nib->header.size < sizeof *nib) return PLUGIN_ABI_MISMATCH;
            plugin_function f = {{sizeof f, 1}, PLUGIN_STRING("run"), PLUGIN_STRING("() -> int32"), (plugin_code)run};
            plugin_status status = host->register_function(host, &f);
            return status ? status : nib->register_class(host, &the_class);
        }
        """

    /// A Swift plug-in with the class Knob, and a panel that owns its nib.
    ///
    /// `name`: of its provider, which no other bundle has.
    private static func knob(_ name: String) -> String {
        """
        import PluginABI
        final class Knob: Plugin, NibObject {
            enum Side: String, NibAttribute { case left, right }
            var title = "", side = Side.left, presses = 0
            weak var partner: NibForeignObject?
            var press: NibAction?
            static let nibInterface = NibInterface(for: Knob.self) { nib in
                nib.attribute("title") { $0.title = $1 }
                nib.attribute("side") { $0.side = $1 }
                nib.outlet("partner") { $0.partner = $1 }
                nib.event { $0.press = $1 }
                nib.action("press", Knob.pressed)
            }
            init(context: PluginContext) throws {}
            func pressed() throws {
                presses += 1
                try press?.send(from: self)
            }
        }
        final class Panel: NibObject {
            var knob: Knob?, dial: NibForeignObject?, loads = 0
            static let nibInterface = NibInterface(for: Panel.self) { nib in
                nib.outlet("knob", required: true) { $0.knob = $1 }
                nib.outlet("dial") { $0.dial = $1 }
            }
            func nibDidLoad(_ nib: NibInstance) { loads += 1 }
        }
        struct Dial {
            var header: plugin_header
            var level: @convention(c) (UnsafeMutableRawPointer?) -> Int64
            var turns: @convention(c) (UnsafeMutableRawPointer?) -> Int64
            var press: @convention(c) (UnsafeMutableRawPointer?) -> plugin_status
        }
        @Sendable func report(_ context: PluginContext) throws -> String {
            let panel = Panel()
            let made = try context.nib("Panel").instantiate(owner: panel)
            guard let knob = panel.knob, let dial = panel.dial, let table = dial.functions(as: Dial.self) else { return "" }
            try knob.pressed()
            // The C object's event sends to the knob, and the knob's to the C object.
            let status = table.pointee.press(dial.pointer)
            return "\\(knob.title) \\(knob.side) \\(knob.presses) \\(knob.partner === dial) \\(dial.className) "
                + "\\(table.pointee.level(dial.pointer)) \\(table.pointee.turns(dial.pointer)) \\(status) "
                + "\\(made.objects.count) \\(panel.loads)"
        }
        @c(plugin_entry)
        public func pluginEntry(_ host: UnsafePointer<plugin_host>) -> plugin_status {
            registerPlugin(with: host) { plugin in
                plugin.register(Knob.self, element: "knob")
                plugin.provide(ExtensionPoint<@Sendable () throws -> String>("org.example.panel"), named: "\(name)") {
                    context in { try report(context) }
                }
            }
        }
        """
    }

    private static func document(_ objects: String) -> String {
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <document type="com.apple.InterfaceBuilder3.Cocoa.XIB" version="3.0">
            <objects>
        \(objects)
            </objects>
        </document>
        """
    }

    /// A knob and a dial that refer to one another and send to one another.
    private static let pair = """
        <knob id="k" title="Left" side="right">
            <connections>
                <outlet property="partner" destination="d" id="c1"/>
                <action selector="turn:" target="d" id="c2"/>
            </connections>
        </knob>
        <dial id="d" level="3" title="Volume">
            <connections>
                <outlet property="partner" destination="k" id="c3"/>
                <action selector="press" target="k" id="c4"/>
            </connections>
        </dial>
        """

    private static let owned = """
        <customObject id="-2" userLabel="File's Owner" customClass="Panel">
            <connections>
                <outlet property="knob" destination="k" id="c5"/>
                <outlet property="dial" destination="d" id="c6"/>
            </connections>
        </customObject>

        """

    private static func write(_ text: String, _ name: String, in bundle: BundleFixture) throws {
        let resources = bundle.url.appending(path: "Contents/Resources")
        try FileManager.default.createDirectory(at: resources, withIntermediateDirectories: true)
        try Data(text.utf8).write(to: resources.appending(path: name))
    }

    @Test func aSwiftPluginsNibUsesAClassInC() throws {
        let dials = try PluginBundle.open(path: BundleFixture("Dials", code: .c(Self.dial)).path)
        let fixture = try BundleFixture(
            "Knobs", info: ["PHRequires": ["org.example.Dials": "*"]], code: .swift(Self.knob("Knobs")))
        try Self.write(Self.document(Self.owned + Self.pair), "Panel.xib", in: fixture)
        let knobs = try PluginBundle.open(path: fixture.path)
        let point = ExtensionPoint<@Sendable () throws -> String>("org.example.panel")
        let report = try #require(try knobs.providers(of: point).first).make()
        #expect(try report() == "Left right 2 true Dial 103 2 0 2 1")
        // What the nib made is gone, in both plug-ins.
        #expect(dials.isLoaded && dials.liveObjects.isEmpty && knobs.liveObjects.isEmpty)
        // The application instantiates it too, and finds what is wrong before anything is made.
        let nib = try knobs.nib(named: "Panel")
        let error = try #require(#expect(throws: PluginError.self) { try nib.instantiate() })
        #expect(error.code == .nibOwnerInvalid && error.findings[0].place?.line == 6, "\(error)")
        #expect(dials.liveObjects.isEmpty && knobs.liveObjects.isEmpty)
    }

    @Test func aCPluginsNibUsesAClassInSwift() throws {
        let knobs = try PluginBundle.open(path: BundleFixture("SwiftKnobs", code: .swift(Self.knob("SwiftKnobs"))).path)
        let fixture = try BundleFixture(
            "CDials", info: ["PHRequires": ["org.example.SwiftKnobs": "*"]], code: .c(Self.dial))
        try Self.write(Self.document(Self.pair), "Mixed.xib", in: fixture)
        let dials = try PluginBundle.open(path: fixture.path)
        #expect(try dials.function("run")().int64 == 0)
        #expect(knobs.isLoaded && dials.liveObjects.isEmpty && knobs.liveObjects.isEmpty)
        // The host makes the same objects.
        let nib = try dials.nib(named: "Mixed")
        var made: NibInstance? = try nib.instantiate()
        #expect((made?.object("d") as? NibForeignObject)?.className == "Dial")
        #expect(dials.liveObjects.map(\.count) == [1] && knobs.liveObjects.map(\.count) == [1])
        // Objects and their actions outlive the unload of their bundles; a new instantiation loads the code again.
        knobs.unload()
        dials.unload()
        #expect(made?.objects.count == 2)
        made = nil
        #expect(dials.liveObjects.isEmpty && knobs.liveObjects.isEmpty)
        #expect(try nib.instantiate().objects.count == 2)
        #expect(dials.isLoaded && knobs.isLoaded)
    }
}
