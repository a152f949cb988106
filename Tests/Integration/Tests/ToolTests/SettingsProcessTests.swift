import Fixtures
import Foundation
import Glibc
import Testing

/// Settings that several programs use at the same time.
@Suite(.timeLimit(.minutes(5))) struct SettingsProcessTests {
    /// An application that stores forty settings of a plug-in, and names each that it has stored; without a prefix for
    /// their keys it shows the first one.
    private static let program = """
        import Glibc
        import PluginABI
        import PluginHost

        HostEnvironment.current.name = "settings-writer"
        let settings = try PluginBundle.open(path: CommandLine.arguments[1]).settings!
        func say(_ line: String) { _ = write(STDOUT_FILENO, line + "\\n", line.utf8.count + 1) }
        if CommandLine.arguments.count > 2 {
            let prefix = CommandLine.arguments[2], first = Int(CommandLine.arguments[3])!
            for number in 0..<(CommandLine.arguments.contains("endlessly") ? .max : 40) {
                try settings.set("\\(prefix)\\(number % 40)", to: .integer(first + number))
                say("\\(prefix)\\(number % 40)")
            }
        } else {
            say("\\(settings.value(of: "a0")!)")
        }
        """

    private static let prefixes = ["a", "b", "c", "d"]

    /// The directories of a user, and a plug-in with 160 settings.
    private struct User {
        let home = URL(filePath: "/tmp/settings-\(UUID().uuidString)")

        init() throws {
            let elements = prefixes.flatMap { prefix in
                (0..<40).map {
                    "{ Type = PSTextFieldSpecifier; Key = \(prefix)\($0); DefaultValue = <*I-1>; }"
                }
            }
            let bundle = "share/settings-writer/plugins/Many.bundle/Contents"
            try write("\(bundle)/Info.plist", "{ CFBundleIdentifier = \"org.example.Many\"; }")
            try write(
                "\(bundle)/Resources/Settings.bundle/Root.plist",
                "{ PreferenceSpecifiers = (\(elements.joined(separator: ", "))); }")
        }

        func write(_ path: String, _ text: String) throws {
            let url = home.appending(path: path)
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: url)
        }

        var bundle: String { home.path + "/share/settings-writer/plugins/Many.bundle" }

        var environment: [String: String] {
            let path = home.path
            return [
                "HOME": path, "XDG_DATA_HOME": path + "/share", "XDG_STATE_HOME": path + "/state",
                "XDG_CACHE_HOME": path + "/cache", "XDG_CONFIG_DIRS": path + "/etc",
                "XDG_CONFIG_HOME": path + "/config", "XDG_DATA_DIRS": "/nowhere",
            ]
        }

        /// The values that another program reads.
        func values() throws -> [String: Int] {
            let list = try PluginHostTool.document(
                of: ["settings", "list", "--application", "settings-writer"], environment: environment)
            #expect(list.status == 0, "\(list.text)")
            let plugins = try #require(list.object["plugins"] as? [[String: Any]])
            let settings = try #require(plugins.first?["settings"] as? [[String: Any]])
            return Dictionary(
                uniqueKeysWithValues: settings.map { ($0["key"] as? String ?? "", $0["value"] as? Int ?? -2) })
        }
    }

    /// A running program that stores settings.
    private struct Writer {
        let process = Process()
        let output: URL

        init(_ program: URL, _ user: User, _ prefix: String, from first: Int, endlessly: Bool) throws {
            output = user.home.appending(path: "\(prefix)-\(first)")
            try Data().write(to: output)
            process.executableURL = program
            process.arguments = [user.bundle, prefix, "\(first)"] + (endlessly ? ["endlessly"] : [])
            process.environment = ProcessInfo.processInfo.environment.merging(user.environment) { $1 }
            process.standardOutput = try FileHandle(forWritingTo: output)
            try process.run()
        }

        /// The keys that it has stored.
        var stored: [String] {
            get throws { try String(contentsOf: output, encoding: .utf8).split(separator: "\n").map(String.init) }
        }
    }

    @Test(.fault(571, 572, 587)) func fourProcessesLoseNothingAlsoIfOneIsKilled() throws {
        let program = try Compiler.executable("SettingsWriter", source: Self.program)
        let user = try User()
        defer { try? FileManager.default.removeItem(at: user.home) }
        var expected: [String: Int] = [:]
        for round in 0..<3 {
            let first = round * 100
            let writers = try Self.prefixes.map {
                try Writer(program, user, $0, from: first, endlessly: $0 == Self.prefixes[3])
            }
            let victim = writers[3]
            // Another moment in each round, in the middle of its changes, which do not end by themselves.
            for _ in 0..<20_000 where try victim.stored.count < 5 + round * 7 { usleep(1_000) }
            kill(victim.process.processIdentifier, SIGKILL)
            for writer in writers { writer.process.waitUntilExit() }
            #expect(victim.process.terminationReason == .uncaughtSignal)
            #expect(writers.dropLast().allSatisfy { $0.process.terminationStatus == 0 })
            for writer in writers {
                let stored = try writer.stored
                #expect(writer.process === victim.process || stored.count == 40)
                for (number, key) in stored.enumerated() { expected[key] = first + number }
            }
            let values = try user.values()
            // What the victim was about to store may be there too.
            let next = "d\(try victim.stored.count % 40)"
            for (key, value) in expected where values[key] != value && key != next {
                Issue.record("round \(round): \(key) is \(values[key] ?? -3), not \(value)")
            }
            #expect(values.count == 160)
        }
    }

    @Test(.fault(585), .enabled(if: geteuid() == 0)) func aProgramWithMoreRightsThanItsUserReadsNoVariable() throws {
        let program = try Compiler.executable("SettingsWriter", source: Self.program)
        let user = try User()
        defer { try? FileManager.default.removeItem(at: user.home) }
        try user.write("config/settings-writer/settings/org.example.Many.plist", "{ Settings = { a0 = 7; }; }")
        let usual = try Tool.output(program.path, [user.bundle], environment: user.environment)
        #expect(usual.standardOutput == "7\n", "\(usual)")
        let copy = user.home.appending(path: "raised")
        try Tool.run("/bin/cp", [program.path, copy.path])
        #expect(chown(copy.path, 65534, 65534) == 0 && chmod(copy.path, 0o4755) == 0)
        let raised = try Tool.output(copy.path, [user.bundle], environment: user.environment)
        #expect(raised.status == 0 && raised.standardOutput == "-1\n", "\(raised)")
    }
}
