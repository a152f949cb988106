import Foundation
import Measuring

/// The cost of starting a program among many plug-ins of which it uses one.
///
/// The demo host writes a report with the sample plug-in Reporter: once with Reporter alone (and the list of words that
/// it requires), and once with many other plug-ins.
struct HostStart {
    /// The demo host.
    let program: String
    /// The folder of the assembled sample plug-ins.
    let samples: String
    let others: Int
    let rounds: Int

    /// The most milliseconds that the others may add.
    private static let goal = 5.0

    func print() throws {
        let folder = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
            .appending(path: "pluginhost-start-\(getpid())")
        defer { try? FileManager.default.removeItem(at: folder) }
        let alone = folder.appending(path: "alone"), crowd = folder.appending(path: "crowd")
        try install(in: alone, others: 0)
        try install(in: crowd, others: others)
        let document = folder.appending(path: "document.txt")
        try "One small step for a man, one giant leap for mankind.\n".write(
            to: document, atomically: true, encoding: .utf8)
        let ways = [alone, crowd].map { plugins in
            [
                program, "--plugins", plugins.path, "--pipeline", "html", "--output",
                folder.appending(path: "report.html").path, document.path,
            ]
        }
        setenv("XDG_CACHE_HOME", folder.appending(path: "cache").path, 1)
        // The first start of each writes the index; file times must be old enough for the index to be trusted.
        for _ in 0..<3 {
            for way in ways { _ = try milliseconds(way) }
            usleep(100_000)
        }
        var times: [[Double]] = [[], []]
        // The starts alternate, so that other work of the machine affects both.
        for round in 0..<rounds {
            for way in round % 2 == 0 ? [0, 1] : [1, 0] { times[way].append(try milliseconds(ways[way])) }
        }
        let differences = zip(times[0], times[1]).map { $1 - $0 }.sorted()
        let medians = times.map { $0.sorted()[rounds / 2] }
        Swift.print("Starting the demo host, which uses one plug-in, medians of \(rounds) starts in milliseconds")
        Swift.print(String(format: "  with that one alone                      %8.2f", medians[0]))
        Swift.print(String(format: "  with %5d others beside it              %8.2f", others, medians[1]))
        Swift.print(
            String(
                format:
                    "  difference of each pair                  %8.2f  (%.2f to %.2f in half of them)",
                differences[rounds / 2], differences[rounds / 4], differences[rounds * 3 / 4])
                + Goals.text(of: "start with others beside it", differences[rounds / 2], atMost: Self.goal))
    }

    private func install(in folder: URL, others: Int) throws {
        let files = FileManager.default
        try files.createDirectory(at: folder, withIntermediateDirectories: true)
        for name in ["Reporter.bundle", "Checksum.bundle", "Wordlist.bundle"] {
            try files.copyItem(atPath: samples + "/" + name, toPath: folder.path + "/" + name)
        }
        for number in 0..<others {
            let contents = folder.appending(path: "Other\(number).bundle/Contents")
            try files.createDirectory(at: contents.appending(path: "Linux"), withIntermediateDirectories: true)
            try files.linkItem(
                atPath: samples + "/Typography.bundle/Contents/Linux/Typography",
                toPath: contents.path + "/Linux/Other\(number)")
            let factories = ["spaces", "quotes"].map { name in
                [
                    "name": "\(name)-\(number)", "extensionPoint": "org.example.text-filter", "version": 2,
                    "displayName": "Some filter", "order": 100,
                ] as [String: Any]
            }
            let list: [String: Any] = [
                "CFBundleIdentifier": "org.example.Other\(number)", "CFBundleName": "Other \(number)",
                "CFBundleShortVersionString": "1.0", "CFBundleVersion": "1", "CFBundlePackageType": "BNDL",
                "CFBundleDevelopmentRegion": "en", "NSExecutable": "Other\(number)", "PHFactories": factories,
            ]
            try PropertyListSerialization.data(fromPropertyList: list, format: .xml, options: 0)
                .write(to: contents.appending(path: "Info.plist"))
        }
    }

    /// From the start of a process to its end.
    private func milliseconds(_ arguments: [String]) throws -> Double {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for descriptor in [STDOUT_FILENO, STDERR_FILENO] {
            posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_WRONLY, 0)
        }
        var words: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        var process = pid_t()
        let start = now()
        guard posix_spawn(&process, arguments[0], &actions, nil, &words, environ) == 0 else {
            throw Child.Failure(description: "\(arguments[0]) cannot be started")
        }
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        let time = Double(now() - start) / 1_000_000
        guard status == 0 else {
            throw Child.Failure(description: "\(arguments.joined(separator: " ")) ended with \(status)")
        }
        return time
    }
}
