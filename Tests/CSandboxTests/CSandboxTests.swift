import CSandbox
import Foundation
import TestSupport
import Testing

/// The C code that starts, confines and watches workers.
///
/// Each test compiles a program of the folder Programs, runs it, and reads its facts: what has to be shown needs
/// processes that are confined, that are attacked, or that die.
@Suite(.timeLimit(.minutes(5))) struct CSandboxTests {
    /// Whether this kernel has what a sandboxed worker needs, with ports.
    private static let canConfine = phs_landlock_version(nil) >= 4 && phs_filter_is_available(nil)

    @Test func theFilterAllowsItsTableAndNothingElseOnBothArchitectures() throws {
        try Programs().expectFacts(atLeast: 270, of: "filter", with: ["filter", "landlock"])
    }

    @Test(.enabled(if: canConfine)) func whatAHostileWorkerTriesIsDeniedAndEverydayWorkIsNot() throws {
        let programs = try Programs()
        let confined = try programs.build("confined", with: ["filter", "landlock"], sanitized: false)
        let box = try programs.folder("box")
        try programs.expectFacts(
            atLeast: 376, of: "start", with: ["worker", "filter", "landlock"], arguments: [confined.path, box.path])
    }

    @Test func theHostilePlugInDoesWhatTheNamesOfItsActionsSay() throws {
        let programs = try Programs()
        let box = try programs.folder("box")
        // Without sanitisers: they have handlers of their own. The limits of the address space would stop them, too.
        try programs.expectFacts(
            atLeast: 49, of: "unconfined", with: [], sanitized: false, arguments: [box.path])
    }

    @Test(.enabled(if: canConfine)) func tasksDispatchAndFoundationWorkConfined() throws {
        let programs = try Programs()
        let everyday = try programs.buildSwift("everyday", with: ["filter", "landlock", "dispatch"])
        let libraries = try Toolchain.tool("swiftc").deletingLastPathComponent().appending(path: "../lib").standardized
        let box = try programs.folder("box")
        try programs.expectFacts(
            atLeast: 26, of: "start", with: ["worker", "filter", "landlock"],
            arguments: [everyday.path, box.path, "run", libraries.path])
    }

    @Test func dispatchReadsTheStateOfItsThreadsWhereAWorkerMayRead() throws {
        let programs = try Programs()
        // Named as the library. The second one has a read-only table of imports, the third one imports no open().
        let options = [[], ["-Wl,-z,now"], ["-DWITHOUT_OPEN"]]
        let libraries = try options.enumerated().map { number, options in
            let folder = try programs.folder("library\(number)")
            let library = try programs.build(
                "monitor", with: [], sanitized: false, options: ["-shared", "-fPIC"] + options)
            let named = folder.appending(path: "libdispatch.so")
            try FileManager.default.moveItem(at: library, to: named)
            return named.path
        }
        try programs.expectFacts(
            atLeast: 14, of: "dispatch", with: ["dispatch"], sanitized: false, arguments: libraries)
    }

    @Test func anApplicationNeedsNoCodeToStartItselfAsAWorker() throws {
        try Programs().expectFacts(
            atLeast: 8, of: "entry", with: ["worker", "control", "lanes", "landlock"], options: [Programs.entry])
    }

    @Test func lanesCarryCallsAndSurviveEverythingThatAWorkerWrites() throws {
        try Programs().expectFacts(atLeast: 44, of: "lanes", with: ["landlock"])
    }

    @Test func theControlSocketRefusesEveryForgedPacket() throws {
        try Programs().expectFacts(atLeast: 33, of: "control", with: ["control", "lanes", "landlock"])
    }

    @Test(.fault(433, 434, 437, 438, 439)) func theCrashJournalNamesThePlugInThatEndedTheProcess() throws {
        let programs = try Programs()
        let plugin = try programs.build(
            "plugin", with: [], sanitized: false, options: ["-shared", "-fPIC", "-fomit-frame-pointer"])
        let folder = try programs.folder("journals")
        // Without sanitisers: they have handlers of their own.
        try programs.expectFacts(
            atLeast: 74, of: "journal", with: ["landlock"], sanitized: false, arguments: [plugin.path, folder.path])
    }
}

/// Compiles and runs the programs in a directory that exists as long as this object.
final class Programs {
    private static let tests: URL = URL(filePath: #filePath).deletingLastPathComponent()
    private static let sources: URL = tests.appending(path: "../../Sources/CSandbox").standardizedFileURL
    /// The constructor that makes a worker of a program.
    static let entry = sources.appending(path: "worker_entry.c").path
    private let directory: URL

    init() throws {
        directory = Self.temporaryDirectory.appending(path: "isolation-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        // A worker of another user enters it.
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: directory.path)
    }

    deinit { try? FileManager.default.removeItem(at: directory) }

    /// Not a directory that only root can enter: a worker of another user has to.
    private static var temporaryDirectory: URL {
        let usual = FileManager.default.temporaryDirectory
        var folder = usual.resolvingSymlinksInPath()
        while folder.path != "/" {
            var status = stat()
            guard stat(folder.path, &status) == 0, status.st_mode & S_IXOTH != 0 else { return URL(filePath: "/tmp") }
            folder.deleteLastPathComponent()
        }
        return usual
    }

    func folder(_ name: String) throws -> URL {
        let folder = directory.appending(path: name)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.path)
        return folder
    }

    /// The hostile plug-in uses the header of plug-ins.
    private static let includes = ["include", "", "../CPluginSupport/include"].flatMap {
        ["-I", sources.appending(path: $0).standardizedFileURL.path]
    }

    /// The program, with the files of CSandbox that it needs.
    func build(_ name: String, with parts: [String], sanitized: Bool, options: [String] = []) throws -> URL {
        let program = directory.appending(path: name)
        let checks = sanitized ? ["-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"] : []
        let result = try Toolchain.run(
            Toolchain.tool("clang"),
            ["-std=c11", "-D_GNU_SOURCE", "-O1", "-g", "-Wall", "-Wextra", "-Werror"] + checks + options + Self.includes
                + ["-o", program.path, Self.tests.appending(path: "Programs/\(name).c").path]
                + parts.map { Self.sources.appending(path: "\($0).c").path } + ["-ldl", "-lpthread"])
        try #require(result.status == 0, "\(result.said)")
        return program
    }

    func buildSwift(_ name: String, with parts: [String]) throws -> URL {
        let objects = try parts.map { part in
            let object = directory.appending(path: "\(part).o")
            let result = try Toolchain.run(
                Toolchain.tool("clang"),
                ["-std=c11", "-D_GNU_SOURCE", "-O1", "-c"] + Self.includes
                    + ["-o", object.path, Self.sources.appending(path: "\(part).c").path])
            try #require(result.status == 0, "\(result.said)")
            return object.path
        }
        let program = directory.appending(path: name)
        let result = try Toolchain.run(
            Toolchain.tool("swiftc"),
            ["-O", "-parse-as-library", "-o", program.path, Self.tests.appending(path: "Programs/\(name).swift").path]
                + objects)
        try #require(result.status == 0, "\(result.said)")
        return program
    }

    /// Runs a program, whose facts must all hold.
    ///
    /// Why a least number: a program that stops early shows nothing.
    func expectFacts(
        atLeast count: Int, of name: String, with parts: [String], sanitized: Bool = true, options: [String] = [],
        arguments: [String] = []
    ) throws {
        let program = try build(name, with: parts, sanitized: sanitized, options: options)
        let result = try Toolchain.run(program, arguments, environment: ["ASAN_OPTIONS": "detect_leaks=0"])
        let lines = result.said.split(separator: "\n")
        for line in lines where line.hasPrefix("FAILS: ") { Issue.record("\(line)") }
        #expect(lines.count { $0.hasPrefix("holds: ") } >= count, "\(result.said)")
        #expect(result.status == 0, "\(result.said)")
    }
}
