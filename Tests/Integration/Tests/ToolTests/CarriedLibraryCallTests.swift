import Fixtures
import Foundation
import Testing

/// What the search for clashes of carried libraries adds to a load, in system calls.
@Suite(.enabled(if: (try? Tool.find("strace")) != nil, "strace is not installed"))
struct CarriedLibraryCallTests {
    /// The calls in a load, in the order in which they began, each with the number of its thread.
    private func calls(loading bundle: BundleFixture) throws -> [Substring] {
        let log = Workspace.temporary.appending(path: "strace-\(UUID().uuidString)")
        let output = try Tool.output(
            try Tool.find("strace"),
            ["-f", "-o", log.path, Workspace.products.appending(path: "pluginhost").path, "load", bundle.path])
        #expect(output.status == 0, "\(output)")
        // The end of a call that another thread's call interrupts has a line of its own.
        return try String(contentsOf: log, encoding: .utf8).split(separator: "\n").filter { !$0.contains(" resumed>") }
    }

    /// How often the library itself opens a file: the dynamic linker opens files with another call.
    private func reads(of path: String, in calls: [Substring]) -> Int {
        calls.count { $0.contains(" openat2(") && $0.contains("\"\(path)\"") }
    }

    private static let entry = PluginSource.registering("cut", at: "org.example.cut")
    private static let info: [String: any Sendable] = [
        "PHFactories": [["name": "cut", "extensionPoint": "org.example.cut"]]
    ]
    private static let cache = "/etc/ld.so.cache"

    @Test func aPluginThatCarriesNothingLooksForNoClash() throws {
        let calls = try calls(loading: BundleFixture("CarriesNothing", info: Self.info, code: .c(Self.entry)))
        #expect(reads(of: Self.cache, in: calls) == 0)
    }

    /// The list of the system's libraries is read once, with four calls.
    ///
    /// Everything else is known from the inspection.
    @Test func twoCarriedLibrariesReadTheCacheOfTheLinkerOnce() throws {
        let names = (1...2).map { "libtwocarried\($0).so.1" }
        let libraries = try names.enumerated().map { number, name in
            try BundleFixture(
                "TwoCarried\(number)",
                code: .c("int carried\(number)(void) { return 1; }", flags: ["-Wl,-soname,\(name)"]))
        }
        let bundle = try BundleFixture(
            "CarriesTwo", info: Self.info,
            code: .c(
                """
                int carried0(void);
                int carried1(void);
                int sum(void) { return carried0() + carried1(); }
                \(Self.entry)
                """,
                flags: libraries.map(\.executable.path) + ["-Wl,-rpath,$ORIGIN/../Frameworks"]))
        let frameworks = bundle.url.appending(path: "Contents/Frameworks")
        try FileManager.default.createDirectory(at: frameworks, withIntermediateDirectories: true)
        for (name, library) in zip(names, libraries) {
            try FileManager.default.copyItem(at: library.executable, to: frameworks.appending(path: name))
        }
        let calls = try calls(loading: bundle)
        #expect(reads(of: Self.cache, in: calls) == 1)
        let start = try #require(calls.firstIndex { $0.contains(" openat2(") && $0.contains(Self.cache) })
        // The calls of other threads may come in between.
        let thread = calls[start].prefix { $0 != " " } + " "
        let next = calls[start...].filter { $0.hasPrefix(thread) }.prefix(5)
        let own = next.prefix(4).map { $0.drop { !$0.isLetter }.prefix { $0 != "(" } }
        #expect(
            own == ["openat2", "newfstatat", "pread64", "close"] || own == ["openat2", "fstat", "pread64", "close"],
            "\(next)")
        // The next one opens the first library.
        #expect(next.last?.contains("openat(") == true && names.contains { next.last?.contains($0) == true }, "\(next)")
    }
}
