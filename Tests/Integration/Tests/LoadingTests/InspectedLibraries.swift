import Fixtures
import Foundation
import Glibc
import PluginHost
import Testing

/// The libraries that a bundle carries are inspected as its executable is.
@Suite struct InspectedLibraries {
    /// A bundle whose executable needs a library of its own.
    private struct Carrier {
        let bundle: BundleFixture
        let library: URL
        let name: String

        /// Builds a bundle and a library that it needs.
        ///
        /// `folder`: where the library is in the bundle. `search`: the executable's RUNPATH; nil for none, which is
        /// enough for Frameworks.
        init(folder: String = "Contents/Frameworks", search: String? = nil, flags: [String] = []) throws {
            let unique = "carried\(Int.random(in: 1...999_999_999))"
            name = "lib\(unique).so"
            let made = try BundleFixture(
                "Part", code: .c("int \(unique)(void) { return 1; }", flags: ["-Wl,-soname,\(name)"] + flags))
            let beside = made.executable.deletingLastPathComponent().appending(path: name)
            try FileManager.default.copyItem(at: made.executable, to: beside)
            bundle = try BundleFixture(
                "Carrier", info: ["NSPrincipalClass": "None"],
                code: .c(
                    "extern int \(unique)(void); PLUGIN_EXPORT plugin_status plugin_entry(const plugin_host *host) "
                        + "{ (void)host; return \(unique)() == 1 ? PLUGIN_OK : PLUGIN_FAILED; }",
                    flags: [beside.path, "-Wl,--enable-new-dtags"] + (search.map { ["-Wl,-rpath,\($0)"] } ?? [])))
            library = bundle.url.appending(path: "\(folder)/\(name)")
            try FileManager.default.createDirectory(
                at: library.deletingLastPathComponent(), withIntermediateDirectories: true)
            try FileManager.default.copyItem(at: beside, to: library)
        }

        func load() throws { try PluginBundle.open(path: bundle.path).loadAndReturnError() }

        /// The error of a load, and what a check says.
        func refusal() throws -> (error: PluginError, findings: [PluginFinding]) {
            let findings = try PluginBundle.open(path: bundle.path).findings()
            let error = try #require(throws: PluginError.self) { try load() }
            return (error, findings.filter { $0.severity == .error })
        }
    }

    @Test func aSoundLibraryLoads() throws {
        try Carrier().load()
        try Carrier(folder: "Contents/Linux/parts", search: "$ORIGIN/parts").load()
    }

    @Test(.fault(59, 193), arguments: [1, 10, 30, 50, 75, 90, 99])
    func aLibraryThatIsCutOffIsRefusedByLoadAndCheck(percent: Int) throws {
        let carrier = try Carrier()
        let bytes = try Data(contentsOf: carrier.library)
        try bytes.prefix(bytes.count * percent / 100).write(to: carrier.library)
        let (error, findings) = try carrier.refusal()
        #expect(!findings.isEmpty)
        #expect(!error.findings.isEmpty)
        // Where not even the header is there, the file is no library, and the name is missing.
        if bytes.count * percent / 100 > 64 {
            #expect(error.code == .notLoadable)
            #expect(error.findings.contains { $0.filePath == carrier.library.path })
            #expect(findings.contains { $0.filePath == carrier.library.path && $0.message.contains("truncated") })
        }
    }

    @Test(.fault(65, 193)) func aLibraryWithAnExecutableStackIsRefused() throws {
        let carrier = try Carrier(flags: ["-Wl,-z,execstack"])
        let (error, findings) = try carrier.refusal()
        for found in [error.findings, findings] {
            #expect(found.contains { $0.filePath == carrier.library.path && $0.message.contains("executable stack") })
        }
    }

    @Test(
        .fault(280),
        arguments: [
            ("Contents/Linux/parts", "$ORIGIN/parts"), ("Contents/Linux", "${ORIGIN}"), ("x", "$ORIGIN/../../x"),
        ])
    func aLibraryBehindTheSearchPathIsInspected(folder: String, search: String) throws {
        let carrier = try Carrier(folder: folder, search: search)
        let bytes = try Data(contentsOf: carrier.library)
        try bytes.prefix(bytes.count / 2).write(to: carrier.library)
        let (error, findings) = try carrier.refusal()
        #expect(error.code == .notLoadable)
        #expect(error.findings.contains { $0.filePath.map { $0.hasSuffix("/" + carrier.name) } ?? false })
        #expect(findings.contains { $0.message.contains("truncated") })
    }

    /// How many bundles are loaded while their executables are exchanged; `make swaps` asks for 10,000.
    private static let swappedLoads = ProcessInfo.processInfo.environment["SWAPS"].flatMap { Int($0) } ?? 300

    @Test(.fault(74)) func noEntryIsCalledOfAFileThatWasNotInspected() throws {
        // Two files with one head, which a thread exchanges without end. One of them is refused by every inspection, and
        // the dynamic linker takes it, and runs its constructor: its entry never runs, however the two are exchanged.
        let good = try BundleFixture(
            "Swapped", info: ["NSPrincipalClass": "None"],
            code: .c(
                """
                #include <stdlib.h>
                static const volatile char padding[16384] = {1};
                __attribute__((constructor)) static void begin(void) { setenv("OPENED_74_GOOD", "opened", 1); }
                PLUGIN_EXPORT plugin_status plugin_entry(const plugin_host *host) {
                    (void)host;
                    setenv("FAULT_74_GOOD", "entered", 1);
                    return padding[1] ? PLUGIN_FAILED : PLUGIN_OK;
                }
                """))
        let bytes = try Data(contentsOf: good.executable)
        var refused = bytes
        for name in ["FAULT_74", "OPENED_74"] {
            let place = try #require(refused.range(of: Data("\(name)_GOOD".utf8)))
            refused.replaceSubrange(place, with: "\(name)_EVIL".utf8)
        }
        // DT_RELACOUNT, a piece of advice, becomes DT_AUDIT.
        let advice = withUnsafeBytes(of: UInt64(0x6FFF_FFF9)) { Data($0) }
        let audit = withUnsafeBytes(of: UInt64(0x6FFF_FEFC)) { Data($0) }
        refused.replaceSubrange(try #require(refused.range(of: advice)), with: audit)
        let swaps = Swaps()
        defer { swaps.end() }
        var outcomes: [PluginError.Code: Int] = [:]
        var (number, loaded, opened) = (0, 0, 0)
        var lastLoad = Duration.zero
        // The test shows nothing unless some loads opened the one file, and some the other.
        while number < Self.swappedLoads || (loaded == 0 || opened == 0) && number < 10 * Self.swappedLoads {
            defer { number += 1 }
            let bundle = good.url.deletingLastPathComponent().appending(path: "\(number).bundle")
            try FileManager.default.copyItem(at: good.url, to: bundle)
            let executable = bundle.appending(path: "Contents/Linux/Swapped").path
            try refused.write(to: URL(filePath: executable + ".other"))
            swaps.swap(executable, executable + ".other", within: lastLoad)
            lastLoad = try ContinuousClock().measure {
                do {
                    try PluginBundle.open(path: bundle.path).loadAndReturnError()
                    loaded += 1
                } catch let error as PluginError {
                    outcomes[error.code, default: 0] += 1
                }
            }
            #expect(getenv("FAULT_74_EVIL") == nil, "load \(number), \(outcomes)")
            if getenv("FAULT_74_EVIL") != nil { break }
            if getenv("OPENED_74_EVIL") != nil { opened += 1 }
            unsetenv("OPENED_74_EVIL")
        }
        print("\(number) loads, \(swaps.count) swaps: \(loaded) loaded, \(opened) opened the other file, \(outcomes)")
        #expect(loaded > 0 && opened > 0, "\(outcomes)")
        #expect(swaps.count >= number)
    }
}

/// Exchanges two files by renaming, again and again, on a thread, after pauses of any length up to that of a load: a load
/// whose file is exchanged many times never succeeds, and one whose file stays is never led astray.
private final class Swaps: @unchecked Sendable {
    // @unchecked: what changes is read and written under the lock.
    private let lock = NSLock()
    private var files: (String, String)?
    private var longestPause = Duration.zero
    private var isEnding = false
    private var swapped = 0
    private let ended = DispatchSemaphore(value: 0)

    init() {
        Thread.detachNewThread { [self] in
            while !lock.withLock({ isEnding }) {
                // Under the lock, so that both files are back in their places before others are exchanged.
                lock.withLock {
                    guard let (first, second) = files else { return }
                    rename(first, first + ".aside")
                    rename(second, first)
                    pause(longestPause)
                    rename(first, second)
                    rename(first + ".aside", first)
                    swapped += 1
                }
                pause(lock.withLock { longestPause })
            }
            ended.signal()
        }
    }

    /// Waits 50 µs, and mostly little more, but at times for as long as this.
    private func pause(_ longest: Duration) {
        let share = Double.random(in: 0...1)
        usleep(50 + UInt32(longest / .microseconds(1) * share * share * share))
    }

    /// Exchanges these two from now on, with pauses of at most this length.
    func swap(_ first: String, _ second: String, within longestPause: Duration) {
        lock.withLock { (files, self.longestPause) = ((first, second), longestPause) }
    }

    /// How often two files were exchanged and put back.
    var count: Int { lock.withLock { swapped } }

    func end() {
        lock.withLock { isEnding = true }
        waitUntil("the exchanges have ended", ended)
    }
}
