import Fixtures
import Foundation
import Testing

/// `pluginhost remote`: the proxies that it writes compile, fit the sources, and are refused where something cannot cross.
@Suite struct RemoteCommandTests {
    /// A module with an application's API, compiled for its symbol graph.
    private struct API {
        let folder: URL
        var proxies: URL { folder.appending(path: "Proxies.swift") }
        var graphs: [String] {
            let names =
                (try? FileManager.default.contentsOfDirectory(atPath: folder.appending(path: "graphs").path)) ?? []
            return names.sorted().map { folder.appending(path: "graphs/\($0)").path }
        }

        init(_ source: String) throws {
            folder = Workspace.temporary.appending(path: "remote-\(UUID().uuidString)")
            try FileManager.default.createDirectory(
                at: folder.appending(path: "graphs"), withIntermediateDirectories: true)
            try write(source)
        }

        func write(_ source: String) throws {
            try ("public import PluginABI\n" + source).write(
                to: folder.appending(path: "API.swift"), atomically: true, encoding: .utf8)
        }

        /// Compiles the module without its proxies, and writes its symbol graph.
        func makeGraph() throws {
            try compile(
                files: FileManager.default.fileExists(atPath: proxies.path) ? [proxies.path] : [],
                [
                    "-emit-module", "-D", "GENERATING_PROXIES", "-emit-symbol-graph", "-emit-symbol-graph-dir",
                    folder.appending(path: "graphs").path, "-symbol-graph-minimum-access-level", "private", "-o",
                    folder.appending(path: "API.swiftmodule").path,
                ])
        }

        /// Compiles the module with its proxies.
        func makeLibrary() throws {
            try compile(
                files: [proxies.path], ["-emit-library", "-o", folder.appending(path: "libAPI.so").path])
        }

        private func compile(files: [String], _ arguments: [String]) throws {
            try Tool.run(
                try Tool.find("swiftc"),
                [
                    "-parse-as-library", "-swift-version", "6", "-module-name", "API",
                    folder.appending(path: "API.swift").path,
                ]
                    + files + arguments + Compiler.libraryFlags)
        }

        func remote(_ arguments: String...) throws -> Tool.Output {
            try PluginHostTool.run(
                ["remote", "--module", "API", "--output", proxies.path] + arguments + graphs)
        }
    }

    private static let point = """
        extension ExtensionPoint where Interface == any Converter {
            public static var converter: Self { .init("org.example.converter") }
        }

        """

    private static let whole = """
        public protocol Named: Plugin {
            func rename(_ name: String, in range: Range<Int>) throws
        }
        public protocol Converter: Named, Sendable {
            var fileExtension: String { get }
            var title: String { get throws }
            var size: Int { get async throws }
            func load(url text: String) async throws -> (Int, name: String)
            func pair(_ pair: (Int, text: String), `in`: Outer.Cell?) throws
            func cells(_ cells: [[Outer.Cell]]) throws -> Outer.Cell?
            func `default`(_ names: [String: Set<Int>]) throws
            func convert(_ text: String, progress: RemoteCallback<Bool, Double>) throws -> Outer
            func over(_ number: Int) throws
            func over(_ text: String) throws
            func wait() async throws
            @discardableResult func draw(into frame: RemoteBuffer, from file: RemoteDescriptor) throws -> Bool
        }
        public struct Outer: Sendable {
            public enum Cell: Sendable {
                case none
                case text(String), pair(Int, label: [Cell])
                indirect case inside(Cell)
                case `default`
            }
            public struct Step: Sendable { public var at: Double }
            public private(set) var steps: [Step]
            public var observed: Int { didSet {} }
            public var pair: (Int, text: String)
            public var later: String?
            public var sum: Int { observed + pair.0 }
            public init(_ steps: [Step], observed: Int, pair: (Int, text: String)) {
                self.steps = steps
                self.observed = observed
                self.pair = pair
            }
        }

        """

    @Test func theProxiesOfEveryKindOfRequirementCompile() throws {
        let api = try API(Self.whole + Self.point)
        try api.makeGraph()
        let first = try api.remote()
        #expect(first.status == 0, "\(first)")
        #expect(first.standardOutput.contains("written"))
        try api.makeLibrary()
        // The same from a module that has its proxies, and uses them.
        try api.write(
            Self.whole + Self.point.replacing("converter\")", with: "converter\", remote: ConverterProxy.interface)"))
        try api.makeGraph()
        let check = try api.remote("--check")
        #expect(check.status == 0, "\(check)")
        try api.makeLibrary()
        let text = try String(contentsOf: api.proxies, encoding: .utf8)
        for part in [
            "class ConverterProxy: Converter {  // If the protocol has changed: swift package remote-interfaces",
            "public var fileExtension: String { remote.constant(1) }", "value.later = try reader.next()",
            "RemoteMethod(async: \"wait()\") { try await $0.wait() }", "case .pair(let value0, let value1):",
        ] { #expect(text.contains(part), "\(part) is missing in:\n\(text)") }
        let again = try api.remote()
        #expect(again.standardOutput.contains("up to date"))
        let document = try PluginHostTool.document(
            of: ["remote", "--module", "API", "--output", api.proxies.path] + api.graphs)
        #expect(document.object["interfaces"] as? [String] == ["Converter"])
        #expect(document.object["values"] as? [String] == ["Outer", "Outer.Cell", "Outer.Step"])
        #expect(document.object["isCurrent"] as? Bool == true)
    }

    @Test func anInterfaceThatHasChangedIsOutOfDateAndCanBeWrittenAgain() throws {
        let api = try API(
            Self.whole + Self.point.replacing("converter\")", with: "converter\", remote: ConverterProxy.interface)"))
        try
            "import PluginABI\npublic enum ConverterProxy { public static var interface: RemoteInterface<any Converter>? { nil } }"
            .write(to: api.proxies, atomically: true, encoding: .utf8)
        try api.makeGraph()
        #expect(try api.remote().status == 0)
        // The module no longer compiles with its old proxies, but without them.
        try api.write(
            Self.whole.replacing("func wait()", with: "func added(_ cell: Outer.Cell) throws\n    func wait()")
                + Self.point)
        try api.makeGraph()
        let before = try Data(contentsOf: api.proxies)
        let check = try api.remote("--check")
        #expect(check.status == 1, "\(check)")
        #expect(check.standardOutput.contains("out of date") && check.standardOutput.contains("without --check"))
        #expect(try Data(contentsOf: api.proxies) == before)
        #expect(try api.remote().status == 0)
        try api.makeLibrary()
    }

    @Test func everythingThatCannotCrossIsNamedAndNothingIsWritten() throws {
        let api = try API(
            """
            public protocol Converter: Plugin {
                var settable: Int { get set }
                func size() -> Int
                func typed() throws(Bad)
                func both<T>(_ value: T) throws
                func some(_ values: some Sequence<Int>) throws
                func change(_ number: inout Int) throws
                func several(_ numbers: Int...) throws
                static func make() throws -> Int
                func same() throws -> Self
                subscript(index: Int) -> Int { get }
                func progress(_ body: (Double) -> Bool) throws
                func other(_ converter: any Converter) throws
                func object(_ object: Object) throws
                func secret(_ secret: Secret) throws
                func lists(_ pairs: [(Int, Int)]) throws
            }
            public struct Bad: Error {}
            public final class Object: Sendable {}
            public struct Secret { private var hidden = 1 }

            """ + Self.point)
        try api.makeGraph()
        let output = try api.remote()
        #expect(output.status == 1, "\(output)")
        #expect(!FileManager.default.fileExists(atPath: api.proxies.path))
        let words = PluginHostTool.words(output.standardOutput)
        for (name, reason) in [
            ("Converter.settable", "can be set"), ("Converter.size()", "does not throw"),
            ("Converter.typed()", "only errors of one type"), ("Converter.both(_:)", "is generic"),
            ("Converter.some(_:)", "is generic"), ("Converter.change(_:)", "inout"),
            ("Converter.several(_:)", "any number of arguments"), ("Converter.make()", "is static"),
            ("Converter.same()", "uses Self"), ("Converter.subscript(_:)", "is a subscript"),
            ("Converter.progress(_:)", "RemoteCallback"), ("Converter.other(_:)", "an object of any type"),
            ("Object", "is a class"), ("Secret.hidden", "is private"), ("Converter.lists(_:)", "a tuple inside"),
        ] {
            let line = words.split(separator: "error: ").first { $0.hasPrefix(name + " ") }
            #expect(
                line?.contains(reason) == true, "\(name) is not named with “\(reason)” in:\n\(output.standardOutput)")
        }
        #expect(words.contains("Nothing was written."))
        #expect(output.standardOutput.contains("API.swift:"))
    }

    @Test func functionsWrittenByHandAreKept() throws {
        let api = try API(
            """
            public protocol Converter: Plugin { func convert(_ secret: Secret, _ settings: Settings) throws }
            public struct Secret {
                private var hidden = 1
            }
            extension Secret: RemoteValue {
                public func write(to writer: inout RemoteWriter) throws { try writer.write(hidden) }
                public static func read(from reader: inout RemoteReader) throws -> Secret {
                    Secret(hidden: try reader.next())
                }
            }
            public struct Settings: Codable, RemoteValue { public var names: [String: Int] }

            """ + Self.point)
        try api.makeGraph()
        let output = try api.remote()
        #expect(output.status == 0, "\(output)")
        #expect(try !String(contentsOf: api.proxies, encoding: .utf8).contains("extension"))
        try api.makeLibrary()
    }

    @Test func whatIsNoSymbolGraphOfTheModuleIsRefused() throws {
        let api = try API("public protocol Converter: Plugin {}\n" + Self.point)
        try api.makeGraph()
        let none = try PluginHostTool.run("remote", "--module", "API", api.folder.appending(path: "API.swift").path)
        #expect(
            none.status == 2 && PluginHostTool.words(none.standardError).contains("is not a symbol graph"), "\(none)")
        let missing = try PluginHostTool.run("remote", "--module", "API", "/nothing.json")
        #expect(
            missing.status == 2 && PluginHostTool.words(missing.standardError).contains("does not exist"), "\(missing)")
        let other = try PluginHostTool.run(["remote", "--module", "Other"] + api.graphs)
        #expect(
            other.status == 2
                && PluginHostTool.words(other.standardError).contains("is about the module API, not Other"), "\(other)")
        let own = api.graphs.filter { !$0.contains("@") }
        let pointless = try PluginHostTool.run(["remote", "--module", "API"] + own)
        #expect(
            pointless.status == 2
                && PluginHostTool.words(pointless.standardError).contains("API@PluginABI.symbols.json"), "\(pointless)")
        let named = try PluginHostTool.run(["remote", "--module", "API", "--interface", "Converter"] + own)
        #expect(named.status == 0 && named.standardOutput.contains("class ConverterProxy: Converter"), "\(named)")
        let unknown = try PluginHostTool.run(["remote", "--module", "API", "--interface", "Convert"] + own)
        #expect(
            unknown.status == 2 && PluginHostTool.words(unknown.standardError).contains("has no protocol Convert"),
            "\(unknown)")
        #expect(try PluginHostTool.run(["remote", "--module", "API", "--check"] + own).status == 2)
    }

    /// The demonstration's own proxies are what the tool writes today.
    @Test func theProxiesOfTheDemonstrationAreCurrent() throws {
        let folder = Workspace.temporary.appending(path: "remote-demo-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let demo = Workspace.project.appending(path: "Examples/DemoAPI/Sources").path
        let sources = try FileManager.default.contentsOfDirectory(atPath: demo + "/DemoAPI").filter {
            $0.hasSuffix(".swift")
        }
        try Tool.run(
            try Tool.find("swiftc"),
            [
                "-parse-as-library", "-swift-version", "6", "-module-name", "DemoAPI", "-emit-module", "-o",
                folder.appending(path: "DemoAPI.swiftmodule").path, "-emit-symbol-graph", "-emit-symbol-graph-dir",
                folder.path, "-symbol-graph-minimum-access-level", "private",
                "-Xcc", "-fmodule-map-file=\(demo)/CDemoAPI/include/module.modulemap",
            ] + sources.map { "\(demo)/DemoAPI/\($0)" } + Compiler.libraryFlags)
        let check = try PluginHostTool.run(
            "remote", "--module", "DemoAPI", "--check", "--output", demo + "/DemoAPI/Proxies.swift",
            folder.appending(path: "DemoAPI.symbols.json").path,
            folder.appending(path: "DemoAPI@PluginABI.symbols.json").path)
        #expect(check.status == 0, "\(check)")
    }
}
