import Fixtures
import Foundation
import Testing

/// The tool where the system does not say which program runs: without /proc, and started by the dynamic linker.
@Suite struct UnusualStartTests {
    private static let program = Workspace.products.appending(path: "pluginhost").path

    /// Commands that need no worker process, each with a bundle.
    private static func commands(_ bundle: String) -> [[String]] {
        let folder = bundle.split(separator: "/").dropLast().joined(separator: "/")
        return [
            ["info", bundle], ["check", bundle], ["check", "--level", "load", bundle], ["load", bundle],
            ["list", "/" + folder], ["scan", "/" + folder], ["graph", "/" + folder], ["doctor", "/" + folder],
            ["why", "--in", "/" + folder, "org.example.Started"],
            ["lint", bundle], ["explain"], ["plist", "print", bundle + "/Contents/Info.plist"], ["--version"],
            ["--help"],
        ]
    }

    private func bundle() throws -> String {
        let offer: [String: any Sendable] = ["name": "cut", "extensionPoint": "org.example.cut", "version": 1]
        return try BundleFixture(
            "Started", info: ["PHFactories": [offer]], code: .c(PluginSource.registering("cut", at: "org.example.cut"))
        ).path
    }

    /// The environment of the tool, and the command line that runs a shell command without /proc.
    private static func withoutProc(_ arguments: [String]) throws -> Tool.Output {
        try Tool.output(
            "/usr/bin/unshare",
            ["--user", "--map-root-user", "--mount", "sh", "-c", "mount -t tmpfs none /proc && exec \"$@\"", "sh"]
                + arguments,
            environment: ["LC_ALL": "C.UTF-8", "LANGUAGE": "", "LD_LIBRARY_PATH": Workspace.products.path])
    }

    /// Some containers give nobody a namespace.
    private static let canHideProc = (try? withoutProc(["/bin/true"]).status) == 0

    @Test(.fault(833), .enabled(if: Self.canHideProc)) func everyCommandWorksWithoutProc() throws {
        let bundle = try bundle()
        for command in Self.commands(bundle) {
            let usual = try PluginHostTool.run(command)
            let output = try Self.withoutProc([Self.program] + command)
            // “doctor” reports what the system lacks.
            let isSame = command[0] == "doctor" ? (0...1).contains(output.status) : output.status == usual.status
            #expect(isSame, "\(command): \(output)")
            #expect(!output.standardOutput.isEmpty, "\(command): \(output)")
        }
    }

    /// Its name, by which it finds what it kept, is not lost either.
    @Test(.fault(833), .enabled(if: Self.canHideProc)) func withoutProcAnApplicationHasTheSameIndex() throws {
        let command = ["scan", "--json", "/" + (try bundle()).split(separator: "/").dropLast().joined(separator: "/")]
        let usual = try PluginHostTool.run(command)
        let output = try Self.withoutProc([Self.program] + command)
        let index = try #require(usual.standardOutput.firstMatch(of: #/"index" ?: ?"([^"]+)"/#)?.1)
        #expect(output.standardOutput.contains(index), "\(output)")
    }

    private static let linker = ["/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1"].first {
        FileManager.default.isExecutableFile(atPath: $0)
    }

    /// Each command that runs code in another process names what is missing, and ends.
    @Test(.fault(888), .enabled(if: Self.canHideProc)) func whatNeedsAWorkerNamesProc() throws {
        let bundle = try bundle()
        for (command, status) in [(["probe"], 2), (["load", "--isolated"], 1), (["load", "--sandboxed"], 1)] {
            let output = try Self.withoutProc([Self.program] + command + [bundle])
            #expect(output.status == status, "\(command): \(output)")
            #expect(output.standardOutput.contains("“/proc” is missing"), "\(command): \(output)")
        }
    }

    /// As with Docker before 20.10.10: its filter refuses clone3() with an error that glibc does not take for “missing”.
    @Test(.fault(888), .enabled(if: Self.canFilter))
    func aFilterThatRefusesThreadsIsNamedAndNothingWaitsForEver() throws {
        let bundle = try bundle()
        let program = try Self.refusing.get()
        let commands: [([String], Int32)] = [
            (["probe", bundle], 2), (["load", bundle], 2), (["load", "--isolated", bundle], 2),
            (["check", "--level", "load", bundle], 2), (["call", bundle, "cut"], 2),
        ]
        for (command, status) in commands {
            let output = try Tool.output(
                program, [Self.program] + command,
                environment: ["LC_ALL": "C.UTF-8", "LANGUAGE": "", "LD_LIBRARY_PATH": Workspace.products.path])
            #expect(output.status == status, "\(command): \(output)")
            // “call” reports on standard error.
            let text = output.standardOutput + output.standardError
            #expect(text.contains("“clone3”"), "\(command): \(output)")
        }
    }

    /// The program of ``refusingSource``.
    private static let refusing = Result {
        let source = Workspace.temporary.appending(path: "refusing.c")
        let program = Workspace.temporary.appending(path: "refusing").path
        try refusingSource.write(to: source, atomically: true, encoding: .utf8)
        try Tool.run(try Tool.find("clang"), [source.path, "-o", program])
        return program
    }

    /// Whether this machine has such filters; if the program cannot be made, the test says why.
    private static let canFilter: Bool = {
        guard let program = try? refusing.get() else { return true }
        return (try? Tool.output(program, ["/bin/true"]).status) != 99
    }()

    /// Runs a program with a filter that refuses clone3() with EPERM.
    private static let refusingSource = """
        #include <errno.h>
        #include <linux/filter.h>
        #include <linux/seccomp.h>
        #include <stddef.h>
        #include <sys/prctl.h>
        #include <unistd.h>
        int main(int count, char **arguments) {
            struct sock_filter rules[] = {
                BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
                BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 435, 0, 1),
                BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
                BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
            };
            struct sock_fprog filter = {4, rules};
            if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, 2, &filter) != 0) return 99;
            execv(arguments[1], arguments + 1);
            return 98;
        }
        """

    @Test(.fault(833)) func aProgramThatTheDynamicLinkerStartedFindsItself() throws {
        let bundle = try bundle()
        let linker = try #require(Self.linker)
        let workers = [["probe", bundle], ["load", "--isolated", bundle], ["load", "--sandboxed", bundle]]
        for command in Self.commands(bundle) + workers {
            let usual = try PluginHostTool.run(command)
            let output = try Tool.output(
                linker, [Self.program] + command,
                environment: ["LC_ALL": "C.UTF-8", "LANGUAGE": "", "LD_LIBRARY_PATH": Workspace.products.path])
            #expect(output.status == usual.status, "\(command): \(output)")
        }
        // The demonstration finds its own resources beside it.
        let host = Workspace.products.appending(path: "demo-host").path
        let environment = ["LC_ALL": "C.UTF-8", "LANGUAGE": "", "LD_LIBRARY_PATH": Workspace.products.path]
        let usual = try Tool.output(host, ["--help"], environment: environment)
        let started = try Tool.output(linker, [host, "--help"], environment: environment)
        #expect(started.standardOutput == usual.standardOutput && started.status == usual.status)
    }

    /// A second process of the tool does not get the options of the dynamic linker that the first one was started with.
    @Test(.fault(842)) func librariesThatOnlyAnOptionOfTheDynamicLinkerFindsAreNamed() throws {
        let bundle = try bundle()
        let folder = FileManager.default.temporaryDirectory.appending(path: "started-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        // Not beside its libraries.
        let program = folder.appending(path: "pluginhost").path
        try FileManager.default.copyItem(atPath: Self.program, toPath: program)
        let environment = ["LC_ALL": "C.UTF-8", "LANGUAGE": ""]
        let command = ["--library-path", Workspace.products.path, program, "load", bundle]
        let output = try Tool.output(try #require(Self.linker), command, environment: environment)
        #expect(output.status == 2, "\(output)")
        #expect(output.standardOutput.contains("notStarted 127") && output.standardOutput.contains("LD_LIBRARY_PATH"))
        #expect(output.standardError.contains("error while loading shared libraries"), "\(output)")
    }
}
