import Fixtures
import Foundation
import Testing

/// An application's API in a build folder of its own, whose library is replaced by that of a later version.
private struct ReplacedAPI {
    let root: URL
    let name: String
    var products: URL { root.appending(path: "triple/debug") }
    var library: URL { products.appending(path: "lib\(name).so") }

    init(_ name: String) {
        self.name = name
        root = Workspace.temporary.appending(path: "replaced-\(name)-\(UUID().uuidString)")
    }

    /// Builds a version: the library, and its module in the folder Modules.
    func build(_ source: String, flags: [String] = []) throws {
        let modules = products.appending(path: "Modules")
        try? FileManager.default.removeItem(at: products)
        try FileManager.default.createDirectory(at: modules, withIntermediateDirectories: true)
        let file = root.appending(path: "\(name).swift")
        try ("public import PluginABI\n" + source).write(to: file, atomically: true, encoding: .utf8)
        try Tool.run(
            try Tool.find("swiftc"),
            [
                "-emit-library", "-emit-module", "-parse-as-library", "-module-name", name, file.path,
                "-enable-upcoming-feature", "InternalImportsByDefault", "-o", library.path, "-emit-module-path",
                modules.appending(path: "\(name).swiftmodule").path, "-Xlinker", "-soname=lib\(name).so", "-Xlinker",
                "-rpath", "-Xlinker", Workspace.products.path,
            ] + Compiler.libraryFlags + flags)
    }

    var flags: [String] {
        [
            "-I", products.appending(path: "Modules").path, "-L", products.path, "-l\(name)", "-Xlinker", "-rpath",
            "-Xlinker", products.path,
        ]
    }

    /// The source of a plug-in with a type that implements `Filter`.
    func plugin(_ members: String, kind: String = "final class", more: String = "") -> String {
        """
        import \(name)
        import PluginABI
        \(more)
        \(kind) Own: Filter {
            init(context: PluginContext) throws {}
            \(members)
        }
        @c(plugin_entry)
        public func pluginEntry(_ host: UnsafePointer<plugin_host>) -> plugin_status {
            registerPlugin(with: host) { plugin in plugin.provide(.filter, named: "own", Own.init) }
        }
        """
    }
}

/// `pluginhost record`, and what `pack`, `check` and `load` do with the records.
@Suite struct InterfaceRecordTests {
    private static let point = """
        extension ExtensionPoint where Interface == any Filter {
            public static var filter: Self { .init("org.example.recorded-filter") }
        }
        """
    private static let before = """
        public struct Options { public var depth = 1; public var width = 2; public init() {} }
        public protocol Filter: Plugin {
            func first(_ options: Options) -> Int
            func second(_ options: Options) -> Int
        }
        \(point)
        """
    private static let swapped = before.replacingOccurrences(
        of: "func first(_ options: Options) -> Int\n    func second(_ options: Options) -> Int",
        with: "func second(_ options: Options) -> Int\n    func first(_ options: Options) -> Int")
    private static let members =
        "func first(_ options: Options) -> Int { options.depth }\nfunc second(_ options: Options) -> Int { options.width }"

    private func info(_ bundle: URL) throws -> [String: Any] {
        let data = try Data(contentsOf: bundle.appending(path: "Contents/Info.plist"))
        return try #require(PropertyListSerialization.propertyList(from: data, format: nil) as? [String: Any])
    }

    /// A packed plug-in, compiled against the library as it is now.
    private func packed(
        _ api: ReplacedAPI, _ members: String = members, name: String = "Salon", more: String = "",
        arguments: [String] = []
    ) throws -> BundleSourceFixture {
        let source = try BundleSourceFixture(
            name, info: ["PHFactories": [["name": "own", "extensionPoint": "org.example.recorded-filter"]]],
            code: .swift(api.plugin(members, more: more), flags: api.flags))
        let output = try PluginHostTool.run(source.packing(arguments))
        #expect(output.status == 0 && !output.standardOutput.contains("interfaceUnrecorded"), "\(output)")
        return source
    }

    @Test(.fault(640, 643)) func aPluginIsRefusedAfterRequirementsChangedPlaces() throws {
        let api = ReplacedAPI("SwappedAPI")
        try api.build(Self.before)
        let source = try packed(api, arguments: ["--strip"])
        let interfaces = try #require(try info(source.bundle)["PHInterfaces"] as? [String: Any])
        let modules = try #require(interfaces["Modules"] as? [String: [String: Any]])
        let module = try #require(modules["SwappedAPI"])
        let entry = try #require((module["Protocols"] as? [String: [String: Any]])?["SwappedAPI.Filter"])
        #expect(
            entry["Requirements"] as? String == """
                protocol PluginABI.Plugin
                first(SwappedAPI.Options) -> Swift.Int
                second(SwappedAPI.Options) -> Swift.Int
                """)
        let types = try #require(module["Types"] as? [String: [String: Any]])
        #expect(types["SwappedAPI.Options"]?["Layout"] as? String == "depth: Swift.Int\nwidth: Swift.Int")
        #expect((interfaces["Code"] as? String)?.count == 40 && module["Library"] as? String == "libSwappedAPI.so")
        // The same library is fine, with a record and without one.
        #expect(try PluginHostTool.run("load", source.bundle.path).status == 0)
        let recorded = try PluginHostTool.run("record", api.library.path)
        #expect(recorded.status == 0 && recorded.standardOutput.contains("recorded"), "\(recorded)")
        let loaded = try PluginHostTool.run("load", source.bundle.path)
        #expect(loaded.status == 0, "\(loaded)")
        try api.build(Self.swapped)
        // Nothing is noticed until the library has its record.
        #expect(try PluginHostTool.run("check", source.bundle.path).status == 0)
        try #require(PluginHostTool.run("record", api.library.path).status == 0)
        let message = """
            The type “Salon.Own” was compiled when requirement 2 of “SwappedAPI.Filter” was “first(SwappedAPI.Options) -> \
            Int”; in “\(api.library.path)” it is “second(SwappedAPI.Options) -> Int”.
            """
        for command in ["check", "load"] {
            let document = try PluginHostTool.document(command, source.bundle.path)
            #expect(document.status == 1)
            #expect(document.text.contains("interfaceMismatch"), "\(document.text)")
        }
        let checked = try PluginHostTool.document("check", source.bundle.path)
        #expect(checked.findings.map { $0["message"] as? String } == [message])
    }

    @Test(.fault(646)) func associatedTypesThatChangedPlacesAreFound() throws {
        let api = ReplacedAPI("AssociatedAPI")
        let members = """
            associatedtype A: Equatable = Int
                associatedtype B: Hashable = Int
                func run() -> Int
            """
        let source = """
            public protocol Filter: Plugin {
                \(members)
            }
            \(Self.point)
            """
        try api.build(source)
        let plugin = try packed(api, "func run() -> Int { 1 }")
        let other = source.replacingOccurrences(
            of: "associatedtype A: Equatable = Int", with: "associatedtype C: X = Int"
        )
        .replacingOccurrences(of: "associatedtype B: Hashable = Int", with: "associatedtype A: Equatable = Int")
        .replacingOccurrences(of: "associatedtype C: X = Int", with: "associatedtype B: Hashable = Int")
        try api.build(other)
        try #require(PluginHostTool.run("record", api.library.path).status == 0)
        let document = try PluginHostTool.document("check", plugin.bundle.path)
        let recorded = try info(plugin.bundle)["PHInterfaces"] ?? "nothing"
        #expect(document.codes.contains("interfaceMismatch"), "\(document.text)\n\(recorded)")
    }

    @Test(.fault(651)) func aRecordOfAnotherExecutableIsAWarning() throws {
        let api = ReplacedAPI("RecompiledAPI")
        try api.build(Self.before)
        let source = try packed(api)
        let list = source.bundle.appending(path: "Contents/Info.plist")
        let text = try String(contentsOf: list, encoding: .utf8)
        try text.replacing(/<key>Code<\/key>\s*<string>[0-9a-f]{4}/, with: "<key>Code</key><string>zzzz")
            .write(to: list, atomically: true, encoding: .utf8)
        try api.build(Self.swapped)
        try #require(PluginHostTool.run("record", api.library.path).status == 0)
        let document = try PluginHostTool.document("check", source.bundle.path)
        #expect(document.status == 0 && document.findings.contains { $0["subject"] as? String == "PHInterfaces" })
        #expect(try PluginHostTool.run("load", source.bundle.path).status == 0)
    }

    @Test(.fault(653)) func codeOfOtherModulesThanThoseBesideTheLibraryIsNotPacked() throws {
        let api = ReplacedAPI("OutdatedAPI")
        try api.build(Self.before)
        let source = try BundleSourceFixture(
            "Stale", info: ["PHFactories": [["name": "own", "extensionPoint": "org.example.recorded-filter"]]],
            code: .swift(api.plugin(Self.members), flags: api.flags))
        try api.build(Self.swapped)
        let output = try source.pack()
        #expect(output.status == 1 && output.standardOutput.contains("interfaceMismatch"), "\(output)")
        #expect(
            PluginHostTool.words(output.standardOutput).contains(
                "with “first(OutdatedAPI.Options) -> Int”, where the module of its library has “second(OutdatedAPI.Options)"
            ),
            "\(output)")
        #expect(!FileManager.default.fileExists(atPath: source.bundle.path))
    }

    @Test(.fault(650)) func strippedCodeIsPackedWithAWarning() throws {
        let api = ReplacedAPI("StrippedFirstAPI")
        try api.build(Self.before)
        let source = try BundleSourceFixture(
            "Bare", info: ["PHFactories": [["name": "own", "extensionPoint": "org.example.recorded-filter"]]],
            code: .swift(api.plugin(Self.members), flags: api.flags + ["-Xlinker", "--strip-all"]))
        let output = try source.pack()
        #expect(output.status == 0 && output.standardOutput.contains("interfaceUnrecorded"), "\(output)")
        #expect(try info(source.bundle)["PHInterfaces"] == nil)
    }

    @Test(.fault(652)) func codeWithoutABuildIdentifierIsPackedWithAWarning() throws {
        let api = ReplacedAPI("NamelessBuildAPI")
        try api.build(Self.before)
        let source = try BundleSourceFixture(
            "Nameless", info: ["PHFactories": [["name": "own", "extensionPoint": "org.example.recorded-filter"]]],
            code: .swift(api.plugin(Self.members), flags: api.flags + ["-Xlinker", "--build-id=none"]))
        let output = try source.pack()
        #expect(output.status == 0 && output.standardOutput.contains("has no build-id"), "\(output)")
        #expect(try info(source.bundle)["PHInterfaces"] == nil)
    }

    @Test(.fault(663)) func withoutTheDigesterOnlySymbolsAreRecorded() throws {
        let api = ReplacedAPI("UndigestedAPI")
        try api.build(Self.before)
        let source = try BundleSourceFixture(
            "Undigested", info: ["PHFactories": [["name": "own", "extensionPoint": "org.example.recorded-filter"]]],
            code: .swift(api.plugin(Self.members), flags: api.flags))
        let output = try PluginHostTool.run(source.packing([]), environment: ["PATH": "/nonexistent"])
        #expect(output.status == 0 && output.standardOutput.contains("swift-api-digester"), "\(output)")
        let interfaces = try #require(try info(source.bundle)["PHInterfaces"] as? [String: Any])
        let module = try #require((interfaces["Modules"] as? [String: [String: Any]])?["UndigestedAPI"])
        #expect(module["Symbols"] as? Bool == true && module["Types"] == nil)
        let alone = try PluginHostTool.run("record", api.library.path, environment: ["PATH": "/nonexistent"])
        #expect(alone.status == 2 && alone.standardOutput.contains("swift-api-digester"), "\(alone)")
        // The functions alone show that two changed places.
        try api.build(Self.swapped)
        try #require(PluginHostTool.run("record", api.library.path).status == 0)
        #expect(try PluginHostTool.document("check", source.bundle.path).codes.contains("interfaceMismatch"))
    }

    @Test(.fault(658, 659, 661, 662)) func onlyWhatThePluginImplementsAndNamesIsRecorded() throws {
        let api = ReplacedAPI("ManyAPI")
        try api.build(
            Self.before + """

                public enum Outer { public struct Inner { public init() {} } }
                extension Outer { public protocol Nested: Plugin { func nested() } }
                public protocol Conditional: Plugin { func conditional() }
                public protocol Unused: Plugin { func unused() }
                public struct Unreached { public var x = 1; public init() {} }
                """)
        let more = """
            protocol Mine { func mine() }
            final class Other: Filter, Outer.Nested, Mine {
                init(context: PluginContext) throws {}
                \(Self.members)
                func nested() {}
                func mine() {}
            }
            final class Box<Element>: Plugin { init(context: PluginContext) throws {} }
            extension Box: Conditional where Element: Equatable { func conditional() {} }
            public nonisolated(unsafe) var kept: [Any.Type] = [Other.self, Box<Int>.self]
            public func use(_ any: Any) -> Bool { any is any Conditional }
            """
        let source = try packed(api, name: "Many", more: more)
        let interfaces = try #require(try info(source.bundle)["PHInterfaces"] as? [String: Any])
        let modules = try #require(interfaces["Modules"] as? [String: [String: Any]])
        #expect(modules.keys.sorted() == ["ManyAPI"])
        let protocols = try #require(modules["ManyAPI"]?["Protocols"] as? [String: Any])
        #expect(Set(protocols.keys).isSubset(of: ["ManyAPI.Filter", "ManyAPI.Outer.Nested", "ManyAPI.Conditional"]))
        #expect(protocols["ManyAPI.Filter"] != nil && protocols["ManyAPI.Unused"] == nil)
        let types = modules["ManyAPI"]?["Types"] as? [String: Any] ?? [:]
        #expect(types["ManyAPI.Options"] != nil && types["ManyAPI.Unreached"] == nil)
    }

    @Test func aLibraryWithoutModulesIsNotRecorded() throws {
        let api = ReplacedAPI("LonelyAPI")
        try api.build(Self.before)
        let alone = api.root.appending(path: "alone.so")
        try FileManager.default.copyItem(at: api.library, to: alone)
        let document = try PluginHostTool.document("record", alone.path)
        #expect(document.status == 1)
        let text = try PluginHostTool.run("record", "/nonexistent.so")
        #expect(text.status == 2, "\(text)")
    }

    @Test func theStagedCopyOfALibraryHasItsRecord() throws {
        let api = ReplacedAPI("StagedAPI")
        try api.build(Self.before)
        let source = api.root.appending(path: "main.swift")
        try "import StagedAPI\nprint(Options().depth)\n".write(to: source, atomically: true, encoding: .utf8)
        let program = api.products.appending(path: "program")
        try Tool.run(
            try Tool.find("swiftc"), [source.path, "-o", program.path] + api.flags + Compiler.libraryFlags)
        let tree = api.root.appending(path: "tree")
        let output = try PluginHostTool.run("stage", "--output", tree.path, program.path)
        #expect(output.status == 0 && !output.standardOutput.contains("interfaceUnrecorded"), "\(output)")
        let files = FileManager.default.enumerator(at: tree, includingPropertiesForKeys: nil)
        let copy = try #require(
            files?.compactMap { $0 as? URL }.first { $0.lastPathComponent == api.library.lastPathComponent })
        // Nothing else is beside the copy. The built library has no record of its own.
        let compared = try PluginHostTool.run("diff", api.library.path, copy.path)
        #expect(compared.status == 0 && compared.standardOutput.contains("Nothing changed."), "\(compared)")
        try FileManager.default.removeItem(at: api.products.appending(path: "Modules"))
        #expect(try PluginHostTool.run("diff", copy.path, copy.path).status == 0)
        // The staged tree has the record.
        let staged = try PluginHostTool.document("diff", tree.path, copy.path)
        #expect(staged.status == 0 && staged.object["partial"] as? Bool == false, "\(staged.text)")
        let partial = try PluginHostTool.document("diff", api.library.path, copy.path)
        #expect(partial.status == 0 && partial.object["partial"] as? Bool == true, "\(partial.text)")
    }

    @Test func twoVersionsOfAnAPIAreComparedWithTheOutcomeForPlugins() throws {
        let api = ReplacedAPI("ComparedAPI")
        try api.build(Self.before)
        let old = api.root.appending(path: "old.so")
        try #require(PluginHostTool.run("record", api.library.path).status == 0)
        try FileManager.default.copyItem(at: api.library, to: old)
        #expect(try PluginHostTool.run("diff", old.path, api.library.path).status == 0)
        try api.build(Self.swapped)
        let document = try PluginHostTool.document("diff", old.path, api.library.path)
        let changes = document.object["changes"] as? [[String: Any]] ?? []
        #expect(document.status == 1 && changes.count == 1, "\(document.text)")
        #expect(changes.first?["subject"] as? String == "ComparedAPI.Filter")
        #expect(changes.first?["change"] as? String == "requirementsMoved")
        #expect(changes.first?["implementers"] as? String == "refused: interfaceMismatch")
        let module = api.products.appending(path: "Modules/ComparedAPI.swiftmodule").path
        let text = try PluginHostTool.run("diff", old.path, module)
        #expect(text.status == 1 && text.standardOutput.contains("changed places"), "\(text)")
        let junit = try PluginHostTool.run("diff", "--format", "junit", old.path, module)
        #expect(junit.status == 1 && junit.standardOutput.contains("tests=\"2\" failures=\"1\""), "\(junit)")
        let sarif = try PluginHostTool.run("diff", "--format", "sarif", old.path, module)
        let report = try JSONSerialization.jsonObject(with: Data(sarif.standardOutput.utf8)) as? [String: Any]
        let results = (report?["runs"] as? [[String: Any]])?.first?["results"] as? [[String: Any]]
        #expect(sarif.status == 1 && results?.map { $0["ruleId"] as? String } == ["interfaceMismatch"], "\(sarif)")
        #expect(try PluginHostTool.run("diff", "--format", "junit", "--json", old.path, module).status == 2)
    }

    @Test(arguments: [false, true]) func functionsDefaultValuesAndInlinableCodeAreCompared(_ evolution: Bool) throws {
        let flags = ["-Onone"] + (evolution ? ["-enable-library-evolution"] : [])
        let api = ReplacedAPI("FunctionsAPI")
        let source = """
            public func gone(_ x: Int) -> Int { x }
            public func standard(_ x: Int = 5, _ y: Int = 6) -> Int { x + y }
            @inlinable public func inlined(_ x: Int) -> Int { x * 3 }
            public func same(_ x: Int) -> Int { x + 1 }
            public struct Size { public var width: Int; public init() { width = 1 } }
            \(Self.before)
            extension Filter { public func second(_ options: Options) -> Int { 9 } }
            """
        try api.build(source, flags: flags)
        let old = api.root.appending(path: "old.so")
        try #require(PluginHostTool.run("record", api.library.path).status == 0)
        try FileManager.default.copyItem(at: api.library, to: old)
        try api.build(
            source.replacing("public func gone(_ x: Int) -> Int { x }\n", with: "")
                .replacing("y: Int = 6", with: "y: Int = 7").replacing("x * 3", with: "x * 4")
                .replacing("x + 1", with: "x + 2").replacing(
                    "Size { public var", with: "Size { public internal(set) var"
                )
                .replacing("extension Filter { public func second(_ options: Options) -> Int { 9 } }", with: ""),
            flags: flags)
        let document = try PluginHostTool.document("diff", old.path, api.library.path)
        let changes = document.object["changes"] as? [[String: Any]] ?? []
        let rows = changes.map { change in
            ["subject", "change", "implementers", "callers"].map { change[$0] as? String ?? "?" }
        }
        let missing = "refused: symbolMissing"
        let accessors = ["modify", "setter"].map {
            ["FunctionsAPI.Size.width.\($0) : Swift.Int", "accessorRemoved", "works", evolution ? missing : "works"]
        }
        #expect(
            rows == [
                [
                    "(extension in FunctionsAPI):FunctionsAPI.Filter.second(FunctionsAPI.Options) -> Swift.Int",
                    "defaultRemoved", missing, "works",
                ]
            ] + accessors + [
                ["FunctionsAPI.gone(Swift.Int) -> Swift.Int", "functionRemoved", "works", missing],
                [
                    "FunctionsAPI.inlined(Swift.Int) -> Swift.Int", "body", "works", "keeps the old value if inlined",
                ],
                [
                    "FunctionsAPI.standard(Swift.Int, Swift.Int) -> Swift.Int", "defaultValue", "works",
                    "keeps the old value",
                ],
            ], "\(document.text)")
        #expect(document.object["functions"] as? Bool == true)
        // The record of a plug-in has no functions.
        let plugin = try packed(api, name: "Functions")
        let interfaces = try #require(try info(plugin.bundle)["PHInterfaces"] as? [String: Any])
        let module = (interfaces["Modules"] as? [String: [String: Any]])?["FunctionsAPI"]
        #expect(module != nil && module?["Functions"] == nil)
    }

    @Test func aCallerOfAGetterThatThrowsNowIsRefusedWithLibraryEvolution() throws {
        let api = ReplacedAPI("ThrowingAPI")
        let source = """
            public protocol Source { var depth: Int { get } }
            public protocol Filter: Plugin { func run(_ source: any Source) -> Int }
            \(Self.point)
            """
        let flags = ["-enable-library-evolution"]
        try api.build(source, flags: flags)
        let plugin = try packed(api, "func run(_ source: any Source) -> Int { source.depth }", name: "Caller")
        try api.build(source.replacing("{ get }", with: "{ get throws }"), flags: flags)
        try #require(PluginHostTool.run("record", api.library.path).status == 0)
        for command in ["check", "load"] {
            let document = try PluginHostTool.document(command, plugin.bundle.path)
            #expect(document.status == 1 && document.text.contains("interfaceMismatch"), "\(document.text)")
            #expect(document.text.contains("which it calls, could not throw an error"), "\(document.text)")
        }
    }

    @Test(.fault(664), arguments: [false, true]) func bareLibrariesAreComparedByTheirSymbols(_ evolution: Bool) throws {
        let flags = evolution ? ["-enable-library-evolution"] : []
        let api = ReplacedAPI("BareAPI")
        let source =
            Self.before
            + "\npublic func free(_ x: Int) -> Int { x }\nopen class Node { open func p() {}; open func q() {} }\n"
        try api.build(source, flags: ["-Onone"] + flags)
        let old = api.root.appending(path: "old.so")
        try FileManager.default.copyItem(at: api.library, to: old)
        let same = try PluginHostTool.document("diff", old.path, old.path)
        #expect(same.status == 0 && (same.object["changes"] as? [Any])?.isEmpty == true, "\(same.text)")
        try api.build(
            source.replacing("func second(_ options: Options) -> Int", with: "var second: Int { get }")
                .replacing("free(_ x: Int)", with: "free(_ x: Int32)").replacing("Int { x }", with: "Int { 1 }")
                .replacing("open func p() {};", with: ""),
            flags: ["-Onone"] + flags)
        let document = try PluginHostTool.document("diff", old.path, api.library.path)
        let changes = document.object["changes"] as? [[String: Any]] ?? []
        func kinds(_ subject: String) -> [String] {
            changes.filter { $0["subject"] as? String == subject }.compactMap { $0["change"] as? String }
        }
        #expect(document.object["partial"] as? Bool == true, "\(document.text)")
        #expect(kinds("BareAPI.Filter") == ["requirementRemoved", "requirementAdded"], "\(document.text)")
        #expect(kinds("BareAPI.free(Swift.Int) -> Swift.Int") == ["functionRemoved"], "\(document.text)")
        #expect(kinds("BareAPI.Node") == ["methodRemoved"], "\(document.text)")
        let text = try PluginHostTool.run("diff", old.path, api.library.path)
        #expect(text.status == 1 && text.standardOutput.contains("Partial:"), "\(text)")
    }

    @Test(.fault(664), arguments: [false, true])
    func fieldsAndCasesOfBareLibrariesAreCompared(_ evolution: Bool) throws {
        let flags = ["-Onone"] + (evolution ? ["-enable-library-evolution"] : [])
        let api = ReplacedAPI("FieldsAPI")
        let source =
            Self.before + """

                public struct Page { public var number: Int; var options: [Options]; public var kind: Kind?
                    public enum Kind { case text, image(String, width: Int); indirect case group([Kind]) } }
                open class Node { public var name = ""; weak var parent: Node?; open func p() {} }
                public final class Leaf: Node { public var filter: (any Filter)? }
                public struct Same { var a: [String: Set<Int>]; var b: (Int, Page.Kind); var c: (Page) -> Node
                    private struct Hidden {}; private var d = Hidden() }

                """
        try api.build(source, flags: flags)
        let old = api.root.appending(path: "old.so")
        try FileManager.default.copyItem(at: api.library, to: old)
        try api.build(
            source.replacing(
                "var options: [Options]; public var kind: Kind?", with: "public var kind: Kind?; var n = [0]"
            )
            .replacing("width: Int", with: "width: Double").replacing("weak var parent: Node?;", with: "")
            .replacing("Leaf: Node", with: "Leaf"),
            flags: flags)
        let document = try PluginHostTool.document("diff", old.path, api.library.path)
        let changes = document.object["changes"] as? [[String: Any]] ?? []
        func texts(_ subject: String) -> [String] {
            changes.filter { $0["subject"] as? String == "FieldsAPI.\(subject)" }.compactMap { $0["text"] as? String }
        }
        #expect(document.object["partial"] as? Bool == true, "\(document.text)")
        #expect(
            texts("Page") == [
                "field 2 was “options: Array<FieldsAPI.Options>” and is “kind: Optional<FieldsAPI.Page.Kind>”"
            ],
            "\(document.text)")
        #expect(texts("Page.Kind").count == 1 && texts("Page.Kind")[0].contains("width: "), "\(document.text)")
        #expect(texts("Node").contains { $0.contains("parent") }, "\(document.text)")
        #expect(texts("Leaf").contains { $0.contains("superclass FieldsAPI.Node") }, "\(document.text)")
        #expect(texts("Same").isEmpty, "\(document.text)")
        // A side without reflection metadata: neither side has fields then.
        try api.build(source, flags: flags + ["-Xfrontend", "-disable-reflection-metadata"])
        let without = try PluginHostTool.document("diff", old.path, api.library.path)
        #expect(without.status == 0 && (without.object["changes"] as? [Any])?.isEmpty == true, "\(without.text)")
    }

    @Test func aProgramStandsForTheLibrariesThatItIsLinkedWith() throws {
        let api = ReplacedAPI("LinkedAPI")
        try api.build(Self.before)
        let source = api.root.appending(path: "main.swift")
        try "import LinkedAPI\nprint(Options().depth)\n".write(to: source, atomically: true, encoding: .utf8)
        let program = api.products.appending(path: "program")
        try Tool.run(
            try Tool.find("swiftc"), [source.path, "-o", program.path] + api.flags + Compiler.libraryFlags)
        let module = api.products.appending(path: "Modules/LinkedAPI.swiftmodule").path
        let compared = try PluginHostTool.document("diff", program.path, module)
        #expect(compared.status == 0 && compared.object["modules"] as? [String] == ["LinkedAPI"], "\(compared.text)")
        #expect(compared.object["partial"] as? Bool == false)
        let package = api.root.appending(path: "package")
        try FileManager.default.createDirectory(at: package, withIntermediateDirectories: true)
        try Data("// swift-tools-version: 6.3\n".utf8).write(to: package.appending(path: "Package.swift"))
        let unbuilt = try PluginHostTool.run("diff", package.path, module)
        #expect(unbuilt.status == 2 && unbuilt.standardOutput.contains("was not built"), "\(unbuilt)")
        try FileManager.default.createDirectory(
            at: package.appending(path: ".build"), withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(
            at: package.appending(path: ".build/debug"), withDestinationURL: api.products)
        let built = try PluginHostTool.document("diff", package.path, module)
        #expect(built.status == 0 && built.object["modules"] as? [String] == ["LinkedAPI"], "\(built.text)")
    }

    @Test(arguments: [false, true], [false, true])
    func onlyAnAPIWithNeitherLibraryEvolutionNorARecordIsReported(_ evolution: Bool, _ isRecorded: Bool) throws {
        let api = ReplacedAPI("Evolving\(evolution)\(isRecorded)API")
        try api.build(Self.before, flags: evolution ? ["-enable-library-evolution"] : [])
        let plugin = try packed(api, name: "Checked")
        if isRecorded { try #require(PluginHostTool.run("record", api.library.path).status == 0) }
        let program = Workspace.products.appending(path: "pluginhost").path
        let report = try PluginHostTool.document(
            "check", "--host", program, "--level", "standard", plugin.bundle.path)
        #expect(report.text.contains("interfaceUnrecorded") == !(evolution || isRecorded), "\(report.text)")
        #expect((report.bundles.first?["notRun"] as? [Any])?.isEmpty == true, "\(report.text)")
        // Without a level only what a load refuses is reported.
        let plain = try PluginHostTool.document("check", "--host", program, plugin.bundle.path)
        #expect(!plain.text.contains("interfaceUnrecorded"), "\(plain.text)")
    }

    /// They have no library evolution on Linux, and nobody but the toolchain's authors can change that.
    @Test func protocolsOfTheToolchainAreNotReported() throws {
        let api = ReplacedAPI("FoundationUserAPI")
        try api.build(Self.before, flags: ["-enable-library-evolution"])
        let plugin = try packed(
            api, name: "FoundationUser",
            more: "import Foundation\nstruct Failure: LocalizedError { var errorDescription: String? { nil } }")
        let report = try PluginHostTool.run(
            "check", "--host", Workspace.products.appending(path: "pluginhost").path, "--level", "standard", "--json",
            plugin.bundle.path)
        #expect(!report.standardOutput.contains("interfaceUnrecorded"), "\(report)")
    }

    @Test(.fault(665, 666)) func versionsThatCannotBeComparedAreRefused() throws {
        let (one, other) = (ReplacedAPI("OneAPI"), ReplacedAPI("OtherAPI"))
        try one.build(Self.before)
        try other.build(Self.before)
        let output = try PluginHostTool.run("diff", one.library.path, other.library.path)
        #expect(output.status == 2 && output.standardError.contains("no module in common"), "\(output)")
        let module = other.products.appending(path: "Modules/OtherAPI.swiftmodule")
        try Data("a module of another compiler".utf8).write(to: module)
        let damaged = try PluginHostTool.run("diff", one.library.path, module.path)
        #expect(damaged.status == 2 && damaged.standardOutput.contains("swift-api-digester"), "\(damaged)")
    }
}
