import ELFImages
import HostBasics
import TestSupport
import Testing

@_spi(Tools) @testable import PluginHost
@_spi(Tools) @testable import PluginWorkers

/// Where code runs: the safest of what the bundle requires and what the application decides.
///
/// Each test that sets a policy runs in a process of its own, because all tests share the environment.
@Suite struct PlacementTests {
    private static func bundle(_ tree: TemporaryTree, _ more: String) throws -> PluginBundle {
        let name = "X\(more.utf8.nameHash).bundle"
        try tree.write(name + "/Contents/Info.plist", CatalogTree.list("org.example.x", "1.2", more))
        return try PluginBundle.open(path: tree(name))
    }

    @Test func withoutAPolicyTheBundleDecides() throws {
        let tree = try TemporaryTree()
        for (list, execution) in [
            ("", PluginExecution.inProcess), ("PHExecution = any;", .inProcess),
            ("PHExecution = \"in-process\";", .inProcess), ("PHExecution = isolated;", .isolated),
            ("PHExecution = sandboxed;", .sandboxed),
        ] {
            let placement = try Self.bundle(tree, list).placement()
            #expect(placement.execution == execution && placement.permissions.isEmpty)
            #expect(
                placement.group == nil && placement.settings.program == .automatic && placement.settings.callTime == nil
            )
        }
    }

    @Test func theSafestDecides() async {
        await #expect(processExitsWith: .success) {
            let tree = try TemporaryTree()
            for asked in [PluginExecution.inProcess, .isolated, .sandboxed] {
                for decided in PluginExecution.allCases {
                    HostEnvironment.current.isolation.execution = { _ in decided }
                    let list = asked == .inProcess ? "PHExecution = any;" : "PHExecution = \(asked);"
                    let placement = try Self.bundle(tree, list).placement()
                    precondition(placement.execution == max(asked, decided))
                }
            }
        }
    }

    @Test func codeThatCannotBeIsolatedConflictsWithAStricterPolicy() async {
        await #expect(processExitsWith: .success) {
            let tree = try TemporaryTree()
            let bundle = try Self.bundle(tree, "PHExecution = \"in-process\";")
            for decided in [PluginExecution.isolated, .sandboxed] {
                HostEnvironment.current.isolation.execution = { _ in decided }
                do throws(PluginError) {
                    _ = try bundle.placement()
                    preconditionFailure()
                } catch {
                    precondition(error.code == .executionConflict && error.subject == "PHExecution")
                    precondition(error.filePath == bundle.manifestPath && error.description.contains("“\(decided)”"))
                    precondition(!error.findings[0].remedy.isEmpty)
                }
            }
            HostEnvironment.current.isolation.execution = { _ in .inProcess }
            try #require(try bundle.placement().execution == .inProcess)
        }
    }

    @Test(.fault(432)) func aGrantThatWasWithdrawnIsGoneFromTheNextPlacement() async {
        await #expect(processExitsWith: .success) {
            let tree = try TemporaryTree()
            let bundle = try Self.bundle(
                tree, "PHExecution = sandboxed; PHPermissions = { network = any; environment = (EDITOR); };")
            try #require(try bundle.placement().permissions.isEmpty)
            HostEnvironment.current.isolation.grant = { _, asked in asked }
            let before = try bundle.placement()
            precondition(before.permissions.network == .any && before.permissions.environment == ["EDITOR"])
            HostEnvironment.current.isolation.grant = { _, asked in
                var less = asked
                less.network = .none
                return less
            }
            let after = try bundle.placement()
            precondition(after.permissions.network == .none && after.permissions.environment == ["EDITOR"])
            precondition(before.permissions.network == .any)
        }
    }

    @Test func aBundleGetsTheSmallerOfTheLimits() async {
        await #expect(processExitsWith: .success) {
            let tree = try TemporaryTree()
            let bundle = try Self.bundle(
                tree, "PHExecution = isolated; PHLimits = { memory = 2048; openFiles = 10; threads = 8; };")
            // Nobody gets more than the defaults unless the application allows it.
            let alone = try bundle.placement().limits
            precondition(alone.memory == 512 && alone.openFiles == 10 && alone.threads == 8)
            HostEnvironment.current.isolation.limits = { _, _ in
                var most = WorkerLimits()
                (most.memory, most.processorSeconds, most.threads) = (1024, 60, 20)
                return most
            }
            let limits = try bundle.placement().limits
            precondition(limits.memory == 1024 && limits.openFiles == 10 && limits.threads == 8)
            precondition(limits.processorSeconds == 60 && limits.message == 256)
        }
    }

    @Test func thePolicyDecidesTheRest() async {
        await #expect(processExitsWith: .success) {
            let tree = try TemporaryTree()
            let bundle = try Self.bundle(tree, "")
            var policy = IsolationPolicy()
            policy.execution = { _ in .isolated }
            policy.group = { $0.identifier + "!" }
            policy.worker = .program("/opt/worker")
            policy.directories = ["fonts": "/srv/fonts"]
            (policy.callTime, policy.cancelTime, policy.startTime) = (.seconds(1), .seconds(2), .seconds(3))
            (policy.idleTime, policy.user, policy.spares) = (nil, "nobody", 4)
            (policy.deaths, policy.deathsWithin) = (5, .seconds(6))
            HostEnvironment.current.isolation = policy
            let placement = try bundle.placement()
            precondition(placement.group == "org.example.x!" && placement.settings.program == .program("/opt/worker"))
            precondition(placement.settings.directories == ["fonts": "/srv/fonts"])
            precondition(placement.settings.callTime == .seconds(1) && placement.settings.cancelTime == .seconds(2))
            precondition(placement.settings.startTime == .seconds(3) && placement.settings.idleTime == nil)
            precondition(placement.settings.user == "nobody" && placement.settings.spares == 4)
            precondition(placement.settings.deaths == 5 && placement.settings.deathsWithin == .seconds(6))
        }
    }

    @Test func aBundleThatNoCatalogueKnowsIsDescribed() throws {
        let tree = try TemporaryTree()
        let bundle = try Self.bundle(
            tree, "PHExecution = isolated; PHRequires = { y = \">=2\"; }; PHLimits = { memory = 64; };")
        let plugin = PluginDescription(of: bundle)
        #expect(plugin.identifier == "org.example.x" && plugin.version == "1.2" && plugin.execution == "isolated")
        #expect(plugin.bundlePath == bundle.bundlePath && plugin.candidate.path == bundle.bundlePath)
        #expect(plugin.candidate.searchPath == tree.path && plugin.candidate.verdict == .usable)
        #expect(plugin.requires.keys.sorted() == ["y"] && plugin.limits.memory == 64)
        #expect(plugin.displayName == bundle.displayName && plugin.state == bundle.state)
    }

    @Test func theIndexKeepsWhatABundleAsksFor() throws {
        let list = """
            PHExecution = sandboxed; PHLimits = { memory = 64; threads = 8; };
            PHPermissions = { files = ({ path = "$HOME"; access = write; }, { path = "/etc"; });
              network = { connect = (443); listen = (1); }; processes = YES; devices = ("/dev/null");
              environment = (A, B); reasons = { files = "To read."; }; };
            """
        let tree = try CatalogTree([
            "a/X.bundle": CatalogTree.list("x", "1", list), "a/Y.bundle": CatalogTree.list("y"),
        ])
        tree.settle()
        _ = tree.catalog("a", index: true).plugins
        let catalog = tree.catalog("a", index: true)
        let plugin = try #require(catalog.plugin("x"))
        // It was not read again.
        #expect(plugin.candidate.readingTime == nil)
        let bundle = try plugin.candidate.open()
        #expect(plugin.execution == "sandboxed" && plugin.permissions == bundle.manifest.permissions)
        #expect(plugin.limits == bundle.manifest.limits && plugin.limits.threads == 8)
        #expect(
            plugin.permissions.files.count == 2 && plugin.permissions.network == .ports(connect: [443], listen: [1]))
        let other = try #require(catalog.plugin("y"))
        #expect(other.execution == nil && other.permissions.isEmpty && other.limits == WorkerLimits())
    }

    @Test func theReasonIsInTheUsersLanguage() async {
        await #expect(processExitsWith: .success) {
            HostEnvironment.current.preferredLanguages = ["de"]
            let tree = try TemporaryTree()
            let bundle = try Self.bundle(
                tree, "PHPermissions = { network = any; reasons = { network = \"To fetch fonts.\"; }; };")
            precondition(bundle.reason(forPermission: "network") == "To fetch fonts.")
            precondition(bundle.reason(forPermission: "files") == nil)
            let translated = try Self.bundle(
                tree, "PHPermissions = { network = any; reasons = { network = \"To fetch more.\"; }; };")
            let name = Path.lastComponent(translated.bundlePath)
            try tree.write(
                name + "/Contents/Resources/de.lproj/InfoPlist.strings",
                "\"PHPermissions.network\" = \"Um Schriften zu holen.\";")
            precondition(translated.reason(forPermission: "network") == "Um Schriften zu holen.")
        }
    }

    @Test func aLaterExecutionIsSafer() {
        #expect(PluginExecution.inProcess < .isolated && PluginExecution.isolated < .sandboxed)
        for execution in PluginExecution.allCases { #expect(PluginExecution(execution.description) == execution) }
        #expect(PluginExecution("any") == nil)
    }
}
