import Glibc
import HostRecords
import PropertyLists
import TestSupport
import Testing

@_spi(Tools) @testable import PluginHost
@_spi(Tools) @testable import PluginWorkers

/// What the user allowed plug-ins to reach, and updates that ask for more.
@Suite struct PluginConsentsTests {
    /// A plug-in that asks for permissions, and the file with the answers.
    private struct Fixture {
        let tree: CatalogTree
        var file: String { tree("state/app/consents") }
        var consents: PluginConsents { .at(file) }

        init(_ permissions: String) throws {
            tree = try CatalogTree()
            try write(permissions)
        }

        func write(_ permissions: String, version: String = "1.0", folder: String = "a") throws {
            try tree.write(
                "\(folder)/One.bundle", CatalogTree.list("one", version, "PHPermissions = { \(permissions) };"))
        }

        func catalog(_ folder: String = "a") -> PluginCatalog {
            PluginCatalog(
                searchPaths: [tree(folder)], options: .init(index: .none, quarantine: tree("state/app/quarantine")))
        }

        func plugin(_ folder: String = "a") throws -> PluginDescription {
            try #require(catalog(folder).plugin("one"))
        }

        /// The content of the file, as another process sees it.
        func inFile() throws -> ConsentList? {
            ConsentList(try PropertyListReader.read(fileBytes(file)).value)
        }
    }

    private static let music = "files = ({ path = \"$HOME/Music\"; access = write; }); environment = (EDITOR);"

    @Test func anAnswerIsKeptAndHoldsForThatPlugin() throws {
        let fixture = try Fixture(Self.music)
        let plugin = try fixture.plugin()
        #expect(fixture.consents.unanswered(plugin) == plugin.permissions)
        #expect(fixture.consents.allowed(plugin).isEmpty)
        var answer = plugin.permissions
        answer.environment = []
        fixture.consents.give(answer, to: plugin)
        #expect(fixture.consents.isSaved && fixture.consents.findings.isEmpty)
        #expect(try fixture.inFile()?.consents == fixture.consents.consents)
        #expect(fixture.consents.allowed(plugin) == answer)
        #expect(fixture.consents.unanswered(plugin).isEmpty, "what was refused is answered, too")
        var status = stat()
        #expect(stat(fixture.file, &status) == 0 && status.st_mode & 0o077 == 0)
        // A bundle of the same name elsewhere may be somebody else's.
        try fixture.write(Self.music, folder: "b")
        let other = try fixture.plugin("b")
        #expect(fixture.consents.allowed(other).isEmpty && fixture.consents.unanswered(other) == other.permissions)
        #expect(fixture.consents.withdraw("one"))
        #expect(!fixture.consents.withdraw("one"))
        #expect(fixture.consents.allowed(plugin).isEmpty)
        #expect(try fixture.inFile()?.consents == [])
    }

    @Test func anUpdateThatAsksForMoreKeepsWhatWasAllowed() throws {
        let fixture = try Fixture("files = ({ path = \"$HOME/Music\"; }); network = { connect = (443); };")
        let old = try fixture.plugin()
        fixture.consents.give(old.permissions, to: old)
        #expect(!fixture.catalog().explanation(of: "one").sentence.contains("asks for more"))
        try fixture.write(
            """
            files = ({ path = "$HOME/Music/New"; }, { path = "$HOME/Music"; access = write; });
            network = { connect = (443, 25); }; processes = YES; devices = ("/dev/snd/seq"); environment = (EDITOR);
            """, version: "2.0")
        let new = try fixture.plugin()
        #expect(fixture.consents.allowed(new).items == ["files=$HOME/Music:read", "network=connect:443"])
        let added = [
            "files=$HOME/Music:write", "network=connect:25", "processes", "devices=/dev/snd/seq", "environment=EDITOR",
        ]
        #expect(fixture.consents.unanswered(new).items == added)
        let sentence = fixture.catalog().explanation(of: "one").sentence
        #expect(
            sentence.contains("It asks for more") && sentence.contains(added.joined(separator: ", ")), "\(sentence)")
        fixture.consents.give(fixture.consents.allowed(new), to: new)
        #expect(fixture.consents.unanswered(new).isEmpty)
        #expect(fixture.consents.consents.count == 1)
        #expect(!fixture.catalog().explanation(of: "one").sentence.contains("asks for more"))
        // One that asks for less gets less, and nobody is asked.
        try fixture.write("network = { connect = (443); };", version: "3.0")
        let less = try fixture.plugin()
        #expect(fixture.consents.allowed(less).items == ["network=connect:443"])
        #expect(fixture.consents.unanswered(less).isEmpty)
    }

    @Test(arguments: [
        ("network = any;", "network = { connect = (80); listen = (81); };", []),
        ("network = { connect = (80); };", "network = any;", ["network=any"]),
        ("network = { connect = (80); };", "network = { listen = (80); };", ["network=listen:80"]),
        ("", "network = any;", ["network=any"]),
        ("files = ({ path = \"/\"; });", "files = ({ path = \"/srv/fonts\"; });", []),
        ("files = ({ path = \"/srv/a\"; });", "files = ({ path = \"/srv/ab\"; });", ["files=/srv/ab:read"]),
    ])
    func whatIsNewIsTheDifference(old: String, new: String, expected: [String]) throws {
        let fixture = try Fixture(old)
        let plugin = try fixture.plugin()
        fixture.consents.give(plugin.permissions, to: plugin)
        try fixture.write(new, version: "2.0")
        #expect(try fixture.consents.unanswered(fixture.plugin()).items == expected)
    }

    @Test func everyPermissionIsReadAsItWasWritten() throws {
        let texts = [
            "files=$HOME/a:write:read", "files=/srv/a,files=b:write", "network=connect:1", "network=connect:443",
            "network=listen:65535", "processes", "devices=/dev/a,b", "environment=A_B",
        ]
        #expect(try PluginPermissions(items: texts).items == texts)
        #expect(throws: PluginPermissions.Fault.self) { try PluginPermissions(items: ["everything"]) }
    }

    @Test func aDamagedFileAllowsNothingAndIsKeptAside() throws {
        let fixture = try Fixture(Self.music)
        let plugin = try fixture.plugin()
        for content in [
            "no list", "{ Plugins = one; }", "{ Plugins = ({ Identifier = one; }); }",
            "{ Plugins = ({ Identifier = one; Path = \"/\"; Asked = (everything); Allowed = (); }); }",
        ] {
            try fixture.tree.tree.write("state/app/consents", content)
            chmod(fixture.file, 0o600)
            #expect(fixture.consents.allowed(plugin).isEmpty)
            let finding = try #require(fixture.consents.findings.first)
            #expect(
                finding.code == .consentsUnusable && finding.severity == .warning && finding.filePath == fixture.file)
            fixture.consents.give(plugin.permissions, to: plugin)
            #expect(fixture.consents.allowed(plugin).items == plugin.permissions.items)
            #expect(fixture.consents.isSaved)
            #expect(fixture.consents.findings.map(\.message).first?.contains("was written anew") ?? false)
            #expect(String(decoding: try fileBytes(fixture.file + ".damaged"), as: UTF8.self) == content)
        }
    }

    @Test func aFileThatOthersMayWriteIsNeitherUsedNorReplaced() throws {
        let fixture = try Fixture(Self.music)
        let plugin = try fixture.plugin()
        fixture.consents.give(plugin.permissions, to: plugin)
        chmod(fixture.file, 0o666)
        #expect(fixture.consents.allowed(plugin).isEmpty)
        let before = try fileBytes(fixture.file)
        fixture.consents.give(PluginPermissions(), to: plugin)
        #expect(try fileBytes(fixture.file) == before && !fixture.consents.isSaved)
        // It holds in this process.
        #expect(fixture.consents.unanswered(plugin).isEmpty)
        chmod(fixture.file, 0o600)
        fixture.consents.give(PluginPermissions(), to: plugin)
        #expect(fixture.consents.isSaved)
        #expect(try fixture.inFile()?.consents.map(\.allowed) == [PluginPermissions()])
    }

    @Test func whatCannotBeWrittenHoldsInTheProcess() throws {
        let fixture = try Fixture(Self.music)
        let plugin = try fixture.plugin()
        try fixture.tree.tree.write("state", "a file in the place of the directory")
        fixture.consents.give(plugin.permissions, to: plugin)
        #expect(fixture.consents.allowed(plugin).items == plugin.permissions.items)
        #expect(!fixture.consents.isSaved && fixture.consents.findings.map(\.code) == [.consentsUnusable])
        #expect(unlink(fixture.tree("state")) == 0)
        fixture.consents.give(plugin.permissions, to: plugin)
        #expect(fixture.consents.isSaved && fixture.consents.findings.isEmpty)
    }

    @Test func keysOfLaterVersionsAreKept() throws {
        let fixture = try Fixture(Self.music)
        try fixture.tree.tree.write("state/app/consents", "{ Plugins = (); Later = yes; }")
        chmod(fixture.file, 0o600)
        let plugin = try fixture.plugin()
        fixture.consents.give(plugin.permissions, to: plugin)
        let list = try PropertyListReader.read(fileBytes(fixture.file)).value
        guard case .dictionary(let items) = list else { return #expect(Bool(false)) }
        #expect(items["Later"]?.string == "yes")
    }

    @Test func aPolicyThatAsksForConsentsGrantsThem() async {
        await #expect(processExitsWith: .success) {
            let fixture = try Fixture(Self.music)
            let plugin = try fixture.plugin()
            let consents = fixture.consents
            HostEnvironment.current.isolation.execution = { _ in .sandboxed }
            HostEnvironment.current.isolation.grant = { plugin, _ in consents.allowed(plugin) }
            #expect(try plugin.opened().placement().permissions.isEmpty)
            consents.give(plugin.permissions, to: plugin)
            #expect(try plugin.opened().placement().permissions.items == plugin.permissions.items)
            consents.withdraw("one")
            #expect(try plugin.opened().placement().permissions.isEmpty, "the next worker")
        }
    }
}
