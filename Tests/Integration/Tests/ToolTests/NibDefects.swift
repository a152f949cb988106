import Fixtures

/// A bundle for each rule about nibs.
extension Defect {
    static let nibs: [Defect] = [
        nib("nibUnreadable", ["A.xib": "<document"]),
        nib("nibUnsupported", ["A.xib": "<plist version=\"1.0\"/>"]),
        nib("nibClassMissing", ["A.xib": document("<customObject id=\"x\"/>"), "NibClasses.plist": classes("Gone")]),
        nib("nibReferenceInvalid", ["A.xib": document("<view id=\"x\"/><view id=\"x\"/>")]),
        nib("nibOutletInvalid", checked(owner("wrods", "w") + word)),
        nib(
            "nibActionInvalid",
            checked(
                owner("words", "w") + word
                    + #"<button id="b"><connections><action selector="shut" target="-2" id="a"/></connections></button>"#
            )),
        nib("nibAttributeInvalid", checked(owner("words", "w") + #"<textField id="w" tag="much"/>"#)),
        nib("nibOutletUnconnected", checked(#"<customObject id="-2" customClass="Card"/>"#)),
        nib("nibResourceMissing", ["A.xib": document("", "<resources><image name=\"seal\"/></resources>")]),
        nib("nibInterfaceInvalid", ["A.xib": document(""), "NibClasses.plist": "{ IBClasses = ({}); }"]),
        Defect(rule: "nibClassesOutdated") {
            let fixture = try plugin(
                "NibClassesOutdated",
                outside: """
                    #include "plugin_nib.h"
                    static const plugin_factory dot = {.header = {sizeof(plugin_factory), 1}, .name = {"Dot", 3},
                        .create = create, .release = release};
                    static const plugin_nib_class dot_class = {.header = {sizeof(plugin_nib_class), 1}, .factory = &dot};
                    """,
                entry: """
                    const plugin_nib *nib = host->get_extension(host, PLUGIN_STRING(PLUGIN_NIB_ID));
                    if (nib == NULL || nib->register_class(host, &dot_class) != PLUGIN_OK) return PLUGIN_FAILED;
                    """)
            try add(["NibClasses.plist": "{ IBClasses = ({ CLASS = Dot; OUTLETS = { a = \"*\"; }; }); }"], to: fixture)
            return [fixture.path]
        },
        Defect(rule: "nibObjectsLeaked", command: ["load", "--strict", "--instantiate"]) {
            let source = """
                import PluginABI
                final class Ring: Plugin, NibObject {
                    private var next: Ring?
                    init(context: PluginContext) {}
                    static let nibInterface = NibInterface(for: Ring.self) { nib in nib.outlet("next") { $0.next = $1 } }
                }
                @c(plugin_entry)
                public func pluginEntry(_ host: UnsafePointer<plugin_host>) -> plugin_status {
                    registerPlugin(with: host) { plugin in plugin.register(Ring.self) }
                }
                """
            func ring(_ id: String, to next: String) -> String {
                """
                <customObject id="\(id)" customClass="Ring"><connections>
                <outlet property="next" destination="\(next)" id="\(id)-next"/></connections></customObject>
                """
            }
            let fixture = try BundleFixture("StrongRing", code: .swift(source))
            try add(["A.xib": document(ring("a", to: "b") + ring("b", to: "a"))], to: fixture)
            return [fixture.path]
        },
        nib("nibClassesUnknown", ["A.xib": document("")]),
        nib("nibOutletUnused", checked(owner("words", "w") + word)),
        nib("nibActionUnused", checked(owner("words", "w") + word)),
        nib(
            "nibActionUnanswered",
            checked(
                #"<customObject id="-1"/>"#
                    + #"<button id="b"><connections><action selector="undo" target="-1" id="a"/></connections></button>"#
            )),
        nib("nibAttributeUndeclared", checked(#"<textField id="w" frame="x"/>"#)),
        nib("nibLarge", ["A.xib": document((0...500).map { "<view id=\"v\($0)\"/>" }.joined())]),
        nib(
            "staleTranslation",
            ["Base.lproj/A.xib": document("<view id=\"v\"/>"), "de.lproj/A.strings": "\"w.title\" = \"Wort\";"]),
        nib(
            "nibLanguagesDiffer",
            ["Base.lproj/A.xib": document("<view id=\"v\"/>"), "de.lproj/A.xib": document("<view id=\"w\"/>")]),
        nib(
            "tableUnused",
            ["de.lproj/A.xib": document("<view id=\"v\"/>"), "de.lproj/A.strings": "\"v.title\" = \"V\";"]),
    ]

    private static func nib(_ rule: String, _ files: [String: String]) -> Defect {
        Defect(rule: rule) { [try resources(rule, files.mapValues { Array($0.utf8) }).path] }
    }

    private static func document(_ objects: String, _ rest: String = "") -> String {
        "<document type=\"com.apple.InterfaceBuilder3.Cocoa.XIB\" version=\"3.0\"><objects>\(objects)</objects>\(rest)</document>"
    }

    private static let word = #"<textField id="w" tag="1"/>"#

    private static func owner(_ outlet: String, _ destination: String) -> String {
        #"<customObject id="-2" customClass="Card"><connections><outlet property="\#(outlet)" destination="\#(destination)" id="c"/></connections></customObject>"#
    }

    /// A nib with the list of its classes.
    private static func checked(_ objects: String) -> [String: String] {
        ["A.xib": document(objects), "NibClasses.plist": classes(nil)]
    }

    private static func classes(_ superclass: String?) -> String {
        """
        { IBClasses = (
            { CLASS = Card; OUTLETS = { words = Label; other = "*"; }; REQUIRED = (words); ACTIONS = { open = ""; }; },
            { CLASS = Label; ELEMENT = (textField); ATTRIBUTES = { tag = Int; }; \(superclass.map { "SUPERCLASS = \($0);" } ?? "") },
            { CLASS = Link; ELEMENT = (button); EVENTS = { "" = one; }; }
        ); }
        """
    }
}
