import BundleReading
import Glibc
import HostBasics
import TestSupport
import Testing

@testable import HostRecords
@_spi(Tools) @testable import PluginHost
@testable import PluginWorkers

/// The administrator's list of where plug-ins run.
@Suite struct ExecutionListTests {
    /// Whether a body holds in a process of an application for which the administrator wrote lists.
    ///
    /// `lists`: by the path in the test's directory. `execution`: the bundle's own `PHExecution`. `body`: gets the bundle,
    /// whose identifier is `one`.
    private static func holds(
        _ lists: [String: String], execution: String? = nil, _ body: (PluginBundle) throws -> Bool
    ) throws -> Bool {
        let tree = try CatalogTree([
            "a/One.bundle": CatalogTree.list("one", "1.0", execution.map { "PHExecution = \"\($0)\";" } ?? "")
        ])
        for (path, text) in lists { try tree.tree.write(path, text) }
        return ForkedChild.succeeds {
            setenv("XDG_CONFIG_DIRS", "\(tree("first")):\(tree("second"))", 1)
            setenv("XDG_STATE_HOME", tree("state"), 1)
            _ = PluginCatalog(
                searchPaths: [tree("a")], options: .init(index: .none, quarantine: Quarantine.path(for: "app")))
            guard let bundle = try? PluginBundle.open(path: tree("a/One.bundle")) else { return false }
            return (try? body(bundle)) ?? false
        }
    }

    private static func execution(_ lists: [String: String], of bundle: String? = nil) throws -> [PluginExecution] {
        try PluginExecution.allCases.filter { expected in
            try holds(lists, execution: bundle) { try $0.placement().execution == expected }
        }
    }

    @Test func theSafestWordDecides() async {
        await #expect(processExitsWith: .success) {
            try Self.checkTheSafestWord()
        }
    }

    private static func checkTheSafestWord() throws {
        #expect(try execution([:]) == [.inProcess])
        #expect(try execution(["first/app/execution": "{ Plugins = { one = isolated; }; }"]) == [.isolated])
        #expect(try execution(["first/app/execution": "{ Plugins = { two = isolated; }; }"]) == [.inProcess])
        #expect(
            try execution(["first/app/execution": "{ Plugins = { one = isolated; \"*\" = sandboxed; }; }"])
                == [.sandboxed])
        #expect(
            try execution([
                "first/app/execution": "{ Plugins = { one = isolated; }; }",
                "second/app/execution": "{ Plugins = { one = sandboxed; }; }",
            ]) == [.sandboxed])
        #expect(
            try execution(["first/app/execution": "{ Plugins = { one = isolated; }; }"], of: "sandboxed")
                == [.sandboxed])
        #expect(try execution(["first/another/execution": "{ Plugins = { one = isolated; }; }"]) == [.inProcess])
    }

    @Test(arguments: [
        "{ Plugins = { two = isolated", "(one)", "{ Plugins = (one); }", "{ Plugins = { two = \"in-process\"; }; }",
        "{ Plugins = { two = (isolated); }; }", String(repeating: " ", count: 1 << 20 | 1),
    ])
    func aDamagedListLetsNothingRunLessSafely(text: String) async {
        await #expect(processExitsWith: .success) { [text = text as String] in
            let execution = try Self.execution(["second/app/execution": text])
            #expect(execution == [.sandboxed])
        }
    }

    @Test func theEntryThatCannotBeUsedIsNamed() async {
        await #expect(processExitsWith: .success) {
            let tree = try TemporaryTree()
            try tree.write("first/app/execution", "{ Plugins = { one = sandboxed; two = isolate; zwei = (a); }; }")
            setenv("XDG_CONFIG_DIRS", tree("first"), 1)
            let finding = try #require(ExecutionListCheck("app").findings.first)
            #expect(
                finding.message.contains(
                    "has “isolate” for “two” and for 1 more; it can only have “isolated” or “sandboxed”"),
                "\(finding.message)")
            try tree.write("first/app/execution", "{ Plugins = { two = isolated; one = sandboxed; }; }")
            let files = ExecutionListCheck("app").files
            #expect(files.map(\.identifiers) == [["one", "two"]] && files.map(\.path) == [tree("first/app/execution")])
        }
    }

    @Test func aListThatIsNoFileLetsNothingRunLessSafely() async {
        await #expect(processExitsWith: .success) {
            let execution = try Self.execution(["first/app/execution/x": ""])
            #expect(execution == [.sandboxed])
        }
    }

    @Test func aPluginThatCannotBeIsolatedIsRefused() async {
        await #expect(processExitsWith: .success) {
            let isRefused = try Self.holds(
                ["first/app/execution": "{ Plugins = { one = isolated; }; }"], execution: "in-process"
            ) { bundle in
                do throws(PluginError) {
                    _ = try bundle.placement()
                    return false
                } catch {
                    return error.code == .executionConflict
                        && error.findings[0].message.contains("the administrator's list")
                }
            }
            #expect(isRefused)
        }
    }
}
