import Fixtures
import Foundation
import Testing

/// What the tool says when the system really refuses: full and read-only file systems, closed directories and paths that
/// lead nowhere.
///
/// Each command names what it could not do, and the remedy of that operation. Nothing is left behind.
@Suite struct RefusedOperationTests {
    /// A command that changes files, in a folder of its own; `$1` is the place that refuses.
    private static let commands: [(name: String, words: String, script: String)] = [
        ("install", "Nothing was changed", #"install --in "$1/plugins" "$2""#),
        ("uninstall", "Nothing was changed", #"uninstall --in "$1/installed" Salon"#),
        ("rollback", "Nothing was changed", #"rollback --in "$1/installed" Salon"#),
        ("disable", "not changed", #"disable org.example.Salon --application my-editor"#),
        ("quarantine", "Nothing was changed", #"quarantine add "$1/installed/Salon.bundle" --application my-editor"#),
        ("pack", "cannot", #"pack --products "$4" --output "$1/packed" "$3""#),
        ("new", "cannot", #"new Fresh"#),
        ("strings", "cannot", #"strings extract "$1/source.swift" --output "$1" --language fr"#),
        ("plist", "cannot", #"plist convert xml1 "$1/list.plist""#),
    ]

    private static var isRoot: Bool { geteuid() == 0 }
    /// Makes a namespace with mounts of its own.
    private static let unshare = isRoot ? ["unshare", "--mount"] : ["unshare", "--user", "--map-root-user", "--mount"]
    private static let nobody = "setpriv --reuid=65534 --regid=65534 --clear-groups"

    /// Some containers give nobody a namespace.
    private static let canMount: Bool = {
        guard let place = try? PluginFolder().path else { return true }
        return (try? Tool.output("/usr/bin/env", unshare + ["mount", "-t", "tmpfs", "none", place]).status) == 0
    }()

    /// Whether another user can run the tool.
    ///
    /// Root of a namespace of its own would have every permission.
    private static let canBeNobody: Bool = {
        guard isRoot, canMount, let place = try? PluginFolder().path else { return false }
        let tool = Workspace.products.appending(path: "pluginhost").path
        let script = "\(nobody) test -x '\(tool)' && \(nobody) test -x '\(place)'"
        return (try? Tool.output("/bin/sh", ["-c", script]).status) == 0
    }()

    /// Runs one command of the tool where the mounts of a script hold for it alone.
    private static func run(
        _ name: String, in place: String, prepare: String, closing: String, as user: String = ""
    ) throws -> Tool.Output {
        let bundle = try BundleSourceFixture(code: .c(PluginSource.good))
        try #require(bundle.pack("--archive").status == 0)
        let archive = bundle.output.appending(path: "Salon-1.0.tar.zst").path
        let tool = Workspace.products.appending(path: "pluginhost").path
        let command = try #require(commands.first { $0.name == name }).script
        let script = """
            \(prepare)
            echo '{ a = b; }' >"$1/list.plist"
            echo 'let text = NSLocalizedString("key", comment: "")' >"$1/source.swift"
            mkdir -p "$1/installed" "$1/plugins"
            for version in 1 2; do '\(tool)' install --in "$1/installed" "$2" >/dev/null || exit 90; done
            chmod -R a+rX "$1"
            \(closing)
            export XDG_CONFIG_HOME="$1/config" XDG_STATE_HOME="$1/state" HOME="$1" && cd "$1" || exit 91
            \(user) '\(tool)' \(command)
            status=$?
            # Nothing that was begun is left.
            left=$(find "$1" ! -path "$1/fill*" \\( -name '.pluginhost-*' -o -name '*.new' -o -name 'Fresh' \\))
            [ -z "$left" ] || echo "LEFT $left"
            exit $status
            """
        return try Tool.output(
            "/usr/bin/env",
            unshare + ["sh", "-c", script, "sh", place, archive, bundle.path, bundle.products],
            environment: ["LC_ALL": "C.UTF-8", "LD_LIBRARY_PATH": Workspace.products.path])
    }

    private static func expect(_ output: Tool.Output, _ name: String, _ remedies: [String]) throws {
        let words = PluginHostTool.words(output.standardOutput + output.standardError)
        let comment = Comment("\(name): \(output)")
        #expect(output.status == 2 || output.status == 1, comment)
        #expect(words.contains(commands.first { $0.name == name }!.words), comment)
        #expect(remedies.contains(where: words.contains), comment)
        #expect(!words.contains("read again") && !words.contains("LEFT"), comment)
        // What failed is not shown as done.
        for done in ["installed in place", "is in quarantine.", ": disabled", ": written", "restored in place"] {
            #expect(!words.contains(done), comment)
        }
    }

    @Test(.fault(849), .enabled(if: Self.canMount), arguments: commands.map(\.name))
    func onAReadOnlyFileSystem(_ name: String) throws {
        let place = try PluginFolder().path
        let output = try Self.run(
            name, in: place, prepare: #"mount -t tmpfs none "$1" || exit 92"#,
            closing: #"mount -o remount,ro "$1" || exit 93"#)
        try Self.expect(output, name, ["now it is read-only"])
    }

    @Test(
        .fault(849), .enabled(if: Self.canMount),
        arguments: commands.map(\.name).filter { !["uninstall", "rollback"].contains($0) })
    func onAFullFileSystem(_ name: String) throws {
        let place = try PluginFolder().path
        let output = try Self.run(
            name, in: place, prepare: #"mount -t tmpfs -o size=2m,nr_inodes=400 none "$1" || exit 92"#,
            closing: """
                cat /dev/zero >"$1/fill" 2>/dev/null
                i=0
                while touch "$1/fill$i" 2>/dev/null; do i=$((i + 1)); done
                """)
        try Self.expect(output, name, ["df -h"])
    }

    /// An ordinary user in the directories of somebody else.
    @Test(.fault(849), .enabled(if: Self.canBeNobody), arguments: commands.map(\.name))
    func withoutPermission(_ name: String) throws {
        let place = try PluginFolder().path
        let output = try Self.run(
            name, in: place, prepare: #"mount -t tmpfs none "$1" || exit 92"#, closing: #"chmod 755 "$1""#,
            as: Self.nobody)
        try Self.expect(output, name, ["Make the directory writable", "Make the file and its directory writable"])
    }

    @Test(
        .fault(849),
        arguments: [
            ("file", "file/below", "a part of it that should be a directory is a file"),
            ("loop", "loop/below", "Remove the circle of symbolic links"),
            ("long", String(repeating: "n", count: 300), "Use a shorter path"),
        ])
    func aPathThatLeadsNowhere(_ name: String, _ path: String, _ remedy: String) throws {
        let place = try PluginFolder()
        try Data().write(to: place.url.appending(path: "file"))
        try FileManager.default.createSymbolicLink(atPath: place.path + "/loop", withDestinationPath: "loop")
        let bad = place.path + "/" + path
        let output = try PluginHostTool.run(
            "disable", "org.example.Salon", "--application", "my-editor", environment: ["XDG_CONFIG_HOME": bad])
        #expect(output.status == 2 && PluginHostTool.words(output.standardOutput).contains(remedy), "\(output)")
        let packed = try BundleSourceFixture(code: .c(PluginSource.good)).pack("--output", bad)
        let words = PluginHostTool.words(packed.standardOutput + packed.standardError)
        // Here each directory of the path is made in turn.
        let inItsPlace = words.contains("Remove what is in its place")
        #expect(packed.status == 2 && (inItsPlace && name != "long" || words.contains(remedy)), "\(packed)")
    }

    /// A quarantine that cannot be written is not shown as changed.
    @Test(.fault(850)) func aQuarantineThatCannotBeWrittenIsNotShownAsChanged() throws {
        let place = try PluginFolder()
        let bundle = try BundleSourceFixture(code: .c(PluginSource.good))
        try #require(bundle.pack().status == 0)
        let file = place.url.appending(path: "state/my-editor/quarantine")
        let environment = ["XDG_STATE_HOME": place.path + "/state"]
        func run(_ arguments: String...) throws -> Tool.Output {
            try PluginHostTool.run(
                ["quarantine"] + arguments + ["--application", "my-editor"], environment: environment)
        }
        try #require(run("add", bundle.bundle.path).status == 0)
        try FileManager.default.removeItem(at: file)
        try FileManager.default.createSymbolicLink(at: file, withDestinationURL: file)
        for arguments in [["add", bundle.bundle.path], ["clear", "org.example.Salon"]] {
            let output = try run(arguments[0], arguments[1])
            let words = PluginHostTool.words(output.standardOutput)
            #expect(output.status == 2 && words.hasPrefix("Nothing was changed:"), "\(output)")
            #expect(!words.contains("is in quarantine.") && !words.contains("may be used again"), "\(output)")
        }
    }
}
