import BundleReading
import PropertyLists
import TestSupport
import Testing

@_spi(Tools) @testable import PluginHost

/// `PHExecution`, `PHPermissions` and `PHLimits` (431).
@Suite struct PermissionReadingTests {
    private func manifest(_ oldStyle: String) throws -> Manifest {
        guard case .dictionary(let list) = try PropertyListReader.read(Array("{ \(oldStyle) }".utf8)).value else {
            throw TemporaryTree.SystemError(0)
        }
        return Manifest(dictionary: list, path: "/x/Info.plist")
    }

    private func message(_ permissions: String) throws -> String {
        let findings = try manifest("PHPermissions = { \(permissions) };").findings
        let finding = try #require(findings.first)
        #expect(findings.count == 1 && finding.code == .manifestInvalid && finding.subject == "PHPermissions")
        #expect(!finding.remedy.isEmpty)
        return finding.message
    }

    @Test func everyPermissionIsRead() throws {
        let manifest = try manifest(
            """
            PHPermissions = {
              files = ( { path = "$DOCUMENTS/Scores"; access = write; }, { path = "/usr/share/dict"; } );
              network = { connect = (443, "80"); listen = (8080); }; processes = YES;
              devices = ("/dev/snd/seq"); environment = (EDITOR); reasons = { network = "To fetch fonts."; };
            };
            """)
        #expect(manifest.findings.isEmpty)
        let asked = manifest.permissions
        #expect(asked.files == [.init("$DOCUMENTS/Scores", .write), .init("/usr/share/dict", .read)])
        #expect(asked.network == .ports(connect: [443, 80], listen: [8080]) && asked.processes)
        #expect(asked.devices == ["/dev/snd/seq"] && asked.environment == ["EDITOR"])
        #expect(asked.reasons == ["network": "To fetch fonts."] && !asked.isEmpty)
    }

    @Test func aListWithoutTheKeysAsksForNothing() throws {
        let manifest = try manifest("CFBundleName = a;")
        #expect(manifest.permissions == PluginPermissions() && manifest.permissions.isEmpty)
        #expect(manifest.limits == WorkerLimits() && manifest.execution == nil && manifest.workerRequest == nil)
    }

    @Test(arguments: [("none", PluginPermissions.Network.none), ("any", .any)])
    func theNetworkIsAllOrNothing(_ word: String, _ network: PluginPermissions.Network) throws {
        let manifest = try manifest("PHPermissions = { network = \(word); };")
        #expect(manifest.findings.isEmpty && manifest.permissions.network == network)
    }

    @Test(.fault(431)) func anUnknownPermissionIsRefusedByName() throws {
        #expect(
            try message("camera = YES;")
                == "The key PHPermissions of “/x/Info.plist” asks for the permission “camera”, which this version does "
                + "not know; it knows files, network, processes, devices, environment.")
        #expect(try message("reasons = { camera = \"To see.\"; };").contains("“camera”"))
        #expect(try message("network = sometimes;").contains("“sometimes”"))
        #expect(try message("network = { connect = (443); accept = (80); };").contains("“accept”"))
        #expect(try message("files = ({ path = \"/a\"; access = execute; });").contains("“execute”"))
        #expect(try message("files = ({ path = \"/a\"; recursive = NO; });").contains("“recursive”"))
        #expect(try message("files = ({ access = read; });").contains("without a path"))
    }

    @Test(
        .fault(431),
        arguments: [
            ("/a/../b", "has a part “..”"), ("$HOME/..", "has a part “..”"), ("$HOST/../x", "has a part “..”"),
            ("/a/./b", "has a part “.”"), ("$STATE//x", "has an empty part"), ("$HOST", "names no directory"),
            ("$HOMEX", "begins with none of"), ("relative", "begins with none of"), ("~/x", "begins with none of"),
            ("", "begins with none of"), ("$HOME/a\nb", "control character"),
            ("/" + String(repeating: "x", count: 5000), "longer than 4095 bytes"),
        ])
    func aPathThatLeadsElsewhereIsRefused(_ path: String, _ reason: String) throws {
        let file: PropertyList = .dictionary(["path": .string(path)])
        let manifest = Manifest(
            dictionary: ["PHPermissions": .dictionary(["files": .array([file])])], path: "/x/Info.plist")
        #expect(manifest.findings.map(\.code) == [.manifestInvalid] && manifest.permissions.isEmpty)
        #expect(manifest.findings.first?.message.contains(reason) == true)
    }

    @Test(arguments: ["/", "/a", "/a/", "$HOME", "$HOME/", "$DOCUMENTS/a b", "$CONFIG/x", "$STATE", "$HOST/name/x"])
    func aPathBeginsWithOneOfThePlaces(_ path: String) throws {
        _ = try PermissionPath(path)
    }

    @Test(
        .fault(431),
        arguments: [
            "files = yes;", "files = (yes);", "files = ({ path = (); });", "network = ();",
            "network = { connect = 443; };",
            "network = { connect = (0); };", "network = { listen = (65536); };", "processes = ();", "devices = yes;",
            "devices = (\"dev/null\");", "devices = (\"/dev/../etc\");", "devices = (\"/dev\");",
            "devices = (\"/etc/shadow\");", "environment = (\"A=B\");",
            "environment = (\"\");", "reasons = (a);", "reasons = { files = (); };",
        ])
    func aPermissionOfAnotherFormIsRefused(_ permissions: String) throws {
        _ = try message(permissions)
    }

    @Test(.fault(431)) func moreThanAPersonCanJudgeIsRefused() throws {
        let names = (0...PluginPermissions.most).map { "V\($0)" }.joined(separator: ", ")
        #expect(try message("environment = (\(names));").contains("257 items in “environment”; the limit is 256"))
        let many = (0..<20_000).map { "p\($0) = 1;" }.joined()
        let findings = try manifest("PHPermissions = { \(many) };").findings
        #expect(findings.count == 101)
    }

    @Test func limitsAreReadAndTheOthersKeepTheirDefaults() throws {
        let manifest = try manifest("PHLimits = { memory = 64; threads = \"8\"; processorSeconds = 30; };")
        #expect(manifest.findings.isEmpty)
        var expected = WorkerLimits()
        (expected.memory, expected.threads, expected.processorSeconds) = (64, 8, 30)
        #expect(manifest.limits == expected)
    }

    @Test(arguments: ["memory = 0;", "memory = \"-1\";", "memory = much;", "memory = 4294967296;", "speed = 1;"])
    func aLimitThatIsNoneIsRefused(_ limit: String) throws {
        let manifest = try manifest("PHLimits = { \(limit) };")
        #expect(manifest.findings.map(\.code) == [.manifestInvalid] && manifest.limits == WorkerLimits())
        #expect(manifest.findings.first?.subject == "PHLimits")
        #expect(manifest.findings.first?.message.contains(limit.hasPrefix("speed") ? "“speed”" : "“memory”") == true)
    }

    @Test(arguments: ["any", "in-process", "isolated", "sandboxed"]) func everyExecutionIsRead(_ name: String) throws {
        let manifest = try manifest("PHExecution = \"\(name)\";")
        #expect(manifest.findings.isEmpty && manifest.execution == name)
    }

    @Test(.fault(293)) func anUnknownExecutionIsAnError() throws {
        let manifest = try manifest("PHExecution = moon;")
        #expect(manifest.errors.map(\.subject) == ["PHExecution"] && manifest.execution == nil)
    }

    // MARK: What a checker adds

    @Test func permissionsWithoutAReasonAreReported() throws {
        let list =
            "PHPermissions = { network = any; processes = YES; reasons = { processes = \"To open a viewer.\"; }; };"
        let advice = PluginBundle.advice(on: try manifest(list), path: "/x/Info.plist")
        #expect(advice.map(\.code) == [.reasonMissing] && advice.first?.severity == .warning)
        #expect(advice.first?.message == "PHPermissions asks for “network” without a reason.")
        let explained = "PHPermissions = { network = any; reasons = { network = \"To fetch fonts.\"; }; };"
        #expect(PluginBundle.advice(on: try manifest(explained), path: "/x").isEmpty)
    }

    @Test func permissionsOfCodeThatStaysInTheProcessAreReported() throws {
        let list = "PHExecution = in-process; PHPermissions = { network = any; }; PHLimits = { memory = 64; };"
        let advice = PluginBundle.advice(
            on: try manifest(list.replacing("in-process", with: "\"in-process\"")), path: "/x/Info.plist")
        #expect(advice.map(\.subject) == ["PHPermissions", "PHLimits"])
        #expect(advice.allSatisfy { $0.severity == .warning && $0.message.contains("has no effect") })
    }
}
