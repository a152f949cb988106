import Foundation

/// The result of one run of a program.
struct ProgramRun {
    /// The status, or minus the signal that ended it.
    let status: Int32
    /// Without times.
    let result: String
    let standardError: String
    /// The ends of the processes, as strace reports them.
    let killed: String?
    let isHung: Bool

    var everything: String {
        "status \(status)\(killed.map { ", \($0)" } ?? ""): "
            + "\(result)\(standardError)".split(separator: "\n").joined(separator: " | ").suffix(900)
    }

    /// The dynamic linker could not load the program's own libraries, or the runtime of Swift not read its arguments.
    var wasNotStarted: Bool {
        guard result.isEmpty else { return false }
        return status == 127 && standardError.contains("error while loading shared libraries")
            || status == 2 && standardError.contains("The arguments of the call cannot be read")
    }
}

/// Runs the program of a scenario, with or without strace.
struct ProgramRunner {
    private let scenario: Scenario
    private let place: WorkPlace
    /// Longer than any sound run takes on a busy machine, and longer than the limit of “pluginhost load”.
    private static let limit = "20"

    init(_ scenario: Scenario, in place: WorkPlace) {
        self.scenario = scenario
        self.place = place
    }

    /// `strace`: the calls to trace and inject; nil to run without strace.
    func run(strace options: [String]? = nil) throws -> ProgramRun {
        let files = ["out", "err", "trace", "report"].map { place.root.appending(path: "run.\($0)") }
        for file in files { try Data().write(to: file) }
        var command = ["timeout", "--kill-after=1", Self.limit]
        if let options {
            // With a filter in the kernel, which strace has only for whole trees of processes, other calls cost nothing.
            command +=
                ["strace", "-qq", "-o", files[2].path] + (scenario.followsChildren ? ["-f", "--seccomp-bpf"] : [])
                + options
        }
        command += scenario.arguments
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = command
        if scenario.isChild {
            // Its report is a pipe on descriptor 3.
            process.executableURL = URL(filePath: "/bin/bash")
            process.arguments =
                [
                    "-c",
                    "out=$1; err=$2; report=$3; shift 3; \"$@\" 3>&1 >\"$out\" 2>\"$err\" | cat >\"$report\"; exit ${PIPESTATUS[0]}",
                    "bash", files[0].path, files[1].path, files[3].path,
                ] + command
        } else {
            process.standardOutput = try FileHandle(forWritingTo: files[0])
            process.standardError = try FileHandle(forWritingTo: files[1])
        }
        process.environment = scenario.environment
        process.currentDirectoryURL = place.root
        process.standardInput = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        let status = process.terminationStatus
        func text(_ file: Int) throws -> String { String(decoding: try Data(contentsOf: files[file]), as: UTF8.self) }
        let output = try scenario.isChild ? text(3) : text(0)
        let killed = try text(2).split(separator: "\n").first { $0.contains("+++ killed by") }.map(String.init)
        return ProgramRun(
            status: process.terminationReason == .exit ? status : -status, result: Self.withoutTimes(output),
            standardError: try text(1), killed: killed, isHung: status == 124 || status == 137)
    }

    /// Times differ between runs, and so do the sizes and checksums of messages that contain them.
    private static func withoutTimes(_ text: String) -> String {
        text.replacing(/[0-9.]+ (ms|us|s)\b/, with: "TIME")
            .replacing(/"milliseconds":[0-9.e-]+/, with: "TIME")
            // Whether there was an index depends on the run before.
            .replacing(/[0-9]+ from the index, [0-9]+ read/, with: "COUNTED")
            .replacing(/\((read in [^)]*|from the index)\)/, with: "")
            .replacing(/5{32} [0-9a-f]{8} [0-9a-f]{16}/, with: "MESSAGE")
            .replacing(/\/[^ \n“”]*pluginhost-inject-[0-9]+\//, with: "")
    }
}
