import Glibc
import HostBasics
import TestSupport
import Testing

@_spi(Tools) @testable import PluginHost

/// Plug-ins that change how the thread of the host calculates: the host undoes it and names them.
@Suite(.timeLimit(.minutes(2))) struct FloatStateTests {
    /// A plug-in in C that registers one function; the parts are statements.
    private struct Fixture {
        let tree: TemporaryTree
        let path: String
        let executable: String

        init(
            _ name: String, more: String = "", entry: String = "", activate: String = "", deactivate: String = "",
            result: String = "PLUGIN_OK", flags: [String] = []
        ) throws {
            tree = try TemporaryTree()
            path = tree("\(name).bundle")
            executable = tree("\(name).bundle/Contents/Linux/\(name)")
            let source = """
                #include <fenv.h>
                #include "plugin_abi.h"
                PLUGIN_DECLARE_NOTE;
                \(more)
                static int one(void) { return 1; }
                static plugin_status activate(const plugin_host *host, void *data) {
                    (void)host; (void)data;
                    \(activate)
                    return PLUGIN_OK;
                }
                static void deactivate(const plugin_host *host, void *data) { (void)host; (void)data; \(deactivate) }
                static const plugin_hooks hooks = {{sizeof(plugin_hooks), 1}, 0, activate, deactivate};
                PLUGIN_EXPORT plugin_status plugin_entry(const plugin_host *host) {
                    static plugin_function function = {{sizeof(plugin_function), 1}, PLUGIN_STRING("one"),
                        PLUGIN_STRING("() -> int32"), (plugin_code)one};
                    const plugin_lifecycle *lifecycle = host->get_extension(host, PLUGIN_STRING(PLUGIN_LIFECYCLE_ID));
                    if (!lifecycle) return PLUGIN_FAILED;
                    plugin_status status = lifecycle->register_hooks(host, &hooks);
                    if (!status) status = host->register_function(host, &function);
                    \(entry)
                    return status ? status : \(result);
                }
                """
            try tree.write(
                "\(name).bundle/Contents/Info.plist",
                "{NSExecutable = \(name); CFBundleIdentifier = \"org.example.\(name)\";}")
            let built = try ELFFixtures.c(
                "float-\(name).so", source, ["-shared", "-lm", "-Wl,-rpath,$ORIGIN/../Frameworks"] + flags)
            try tree.write(
                "\(name).bundle/Contents/Linux/\(name)", bytes: OpenedFile(path: built).bytes(atMost: 1 << 26))
        }

        /// Carries a library that the plug-in was linked with.
        func install(_ built: String, as name: String) throws {
            let folder = Path.parent(Path.parent(executable)) + "/Frameworks"
            try tree.write(
                String(folder.dropFirst(tree.path.count + 1)) + "/" + name,
                bytes: OpenedFile(path: built).bytes(atMost: 1 << 26))
        }
    }

    /// Runs a test on a thread state that it must leave unchanged.
    private func unchanged(_ body: () throws -> Void) rethrows {
        let before = FloatState.current
        try body()
        #expect(FloatState.current == before)
        // The smallest normal number, halved: a thread that flushes has 0.
        #expect(opaque(0x1p-1022) / 2 > 0)
        #expect(fegetround() == Self.toNearest)
    }

    // Glibc's macros are not imported.
    private static let toNearest: CInt = 0

    @inline(never) private func opaque(_ number: Double) -> Double { number }

    #if arch(x86_64)
    private static let words =
        "results that are too small for full precision become zero (flush to zero); "
        + "operands that are too small for full precision count as zero (denormals are zero)"

    /// The options for linking with `-ffast-math`.
    ///
    /// gcc adds this file by itself, but clang and newer versions of gcc only to programs.
    private static let fastMath: [String] = {
        var found = glob_t()
        defer { globfree(&found) }
        guard glob("/usr/lib/gcc/*/*/crtfastmath.o", 0, nil, &found) == 0, let path = found.gl_pathv[0] else {
            return ["-ffast-math"]
        }
        return ["-ffast-math", String(cString: path)]
    }()

    @Test(.fault(720), .enabled(if: fastMath.count > 1)) func anExecutableLinkedWithFastMathIsNamedAndUndone() throws {
        try unchanged {
            let fixture = try Fixture("FastMath", flags: Self.fastMath)
            let bundle = try PluginBundle.open(path: fixture.path)
            try bundle.loadAndReturnError()
            #expect(
                bundle.loadWarnings == [
                    PluginFinding(
                        .warning, .processChanged, filePath: fixture.executable, subject: "floating point",
                        message: """
                            Loading “\(fixture.executable)”, with the libraries that it needs, changed how its thread \
                            calculates: \(Self.words). The host has undone it.
                            """,
                        remedy: """
                            Link it without -ffast-math, -funsafe-math-optimizations and -Ofast: they add a constructor \
                            that changes the thread. They may be used for compiling.
                            """)
                ])
            // The second activation makes no second finding.
            try bundle.unloadAndReturnError()
            try bundle.loadAndReturnError()
            #expect(bundle.loadWarnings.count == 1)
        }
    }

    @Test(.fault(720), .enabled(if: fastMath.count > 1)) func aCarriedLibraryLinkedWithFastMathIsNamedAndUndone() throws
    {
        try unchanged {
            // Two bundles, so that the library of the second is in a private copy: the message names the bundle's file.
            for number in [1, 2] {
                let name = "libfast720.so.1"
                let library = try ELFFixtures.c(
                    "float-\(number)-\(name)", "int part(void) { return \(number); }",
                    ["-shared", "-Wl,-soname,\(name)"] + Self.fastMath)
                let fixture = try Fixture(
                    "CarriesFastMath\(number)", more: "extern int part(void);",
                    entry: "if (part() != \(number)) return PLUGIN_FAILED;", flags: [library])
                try fixture.install(library, as: name)
                let bundle = try PluginBundle.open(path: fixture.path)
                try bundle.loadAndReturnError()
                #expect((bundle.mappedCode?.copy != nil) == (number == 2))
                let warning = try #require(bundle.loadWarnings.first)
                #expect(warning.code == .processChanged && bundle.loadWarnings.count == 1)
                #expect(warning.filePath == fixture.path + "/Contents/Frameworks/" + name)
                #expect(warning.message.contains(Self.words) && warning.message.contains(warning.filePath!))
            }
        }
    }

    @Test func bitsAreDescribedInWords() async {
        // In a process of its own, because SIGFPE may follow.
        await #expect(processExitsWith: .success) {
            let fixture = try Fixture(
                "ManyBits",
                entry: """
                    unsigned vector = 0x3D80; __asm__ volatile("ldmxcsr %0" : : "m"(vector));
                    unsigned short x87 = 0x0E3B; __asm__ volatile("fldcw %0" : : "m"(x87));
                    """)
            let bundle = try PluginBundle.open(path: fixture.path)
            try bundle.loadAndReturnError()
            let message = bundle.loadWarnings.first?.message ?? ""
            for words in [
                "a division by zero raises SIGFPE", "results round downward instead of to nearest",
                "results round toward zero instead of to nearest",
                "long double has 53 bits of precision instead of 64",
            ] {
                #expect(message.contains(words), "\(message)")
            }
        }
    }
    #endif

    private static let upwardInC = "fesetround(FE_UPWARD);"

    @Test(.fault(721)) func aRoundingModeOfTheEntryIsNamedAndUndone() throws {
        try unchanged {
            let fixture = try Fixture("RoundsInEntry", entry: Self.upwardInC)
            let bundle = try PluginBundle.open(path: fixture.path)
            try bundle.loadAndReturnError()
            #expect(
                bundle.loadWarnings.map(\.message) == [
                    "The entry of “\(fixture.executable)” changed how its thread calculates: results round upward instead of "
                        + "to nearest. The host has undone it."
                ])
            #expect(bundle.loadWarnings.map(\.code) == [.processChanged])
            #expect(bundle.loadWarnings.first?.remedy.contains("fesetenv()") == true)
        }
    }

    @Test(.fault(721)) func aRoundingModeOfAHookIsNamedAndUndone() async {
        // In a process of its own, because it reads the log.
        await #expect(processExitsWith: .success) {
            let log = Lock<[String]>([])
            HostEnvironment.current.log = { record in log.withLock { $0.append(record.message) } }
            let fixture = try Fixture("RoundsInHooks", activate: Self.upwardInC, deactivate: Self.upwardInC)
            let bundle = try PluginBundle.open(path: fixture.path)
            let before = FloatState.current
            try bundle.loadAndReturnError()
            #expect(FloatState.current == before)
            let activation =
                "The activation of “\(fixture.executable)” changed how its thread calculates: results round upward instead "
                + "of to nearest. The host has undone it."
            #expect(bundle.loadWarnings.map(\.message) == [activation])
            try bundle.unloadAndReturnError()
            #expect(FloatState.current == before)
            let messages = log.withLock(\.self)
            #expect(messages.count == 2)
            #expect(messages.first?.hasPrefix(activation) == true)
            #expect(messages.last?.hasPrefix("The deactivation of “\(fixture.executable)” changed") == true)
        }
    }

    @Test(.fault(722)) func theStateIsRestoredAfterAnEntryThatFails() throws {
        try unchanged {
            let fixture = try Fixture("FailsRounded", entry: Self.upwardInC, result: "PLUGIN_FAILED")
            let bundle = try PluginBundle.open(path: fixture.path)
            let error = #expect(throws: PluginError.self) { try bundle.loadAndReturnError() }
            #expect(error?.findings.map(\.code) == [.entryFailed, .processChanged])
            #expect(error?.findings.last?.message.hasPrefix("The entry of “\(fixture.executable)”") == true)
        }
    }

    @Test(.fault(722)) func theStateIsRestoredAfterAnActivationThatFails() throws {
        try unchanged {
            let fixture = try Fixture("FailsToActivate", activate: Self.upwardInC + " return PLUGIN_FAILED;")
            let bundle = try PluginBundle.open(path: fixture.path)
            let error = #expect(throws: PluginError.self) { try bundle.loadAndReturnError() }
            #expect(error?.findings.map(\.code) == [.activationFailed, .processChanged])
        }
    }

    @Test(.fault(721)) func aWorkerReportsTheChangesOfItsPlugin() async {
        await #expect(processExitsWith: .success) {
            HostEnvironment.current.isolation.execution = { _ in .isolated }
            let fixture = try Fixture(
                "RoundsElsewhere", entry: "fesetround(FE_UPWARD);", activate: "fesetround(FE_DOWNWARD);")
            chmod(fixture.tree.path, 0o755)
            let bundle = try PluginBundle.open(path: fixture.path)
            try bundle.loadAndReturnError()
            #expect(bundle.loadWarnings.map(\.code) == [.processChanged, .processChanged])
            #expect(bundle.loadWarnings.first?.message.hasPrefix("The entry of “\(fixture.executable)”") == true)
            #expect(bundle.loadWarnings.last?.message.contains("round downward instead of to nearest") == true)
        }
    }

    @Test func aPlainPluginHasNoWarning() throws {
        try unchanged {
            let fixture = try Fixture("KeepsFloats")
            let bundle = try PluginBundle.open(path: fixture.path)
            try bundle.loadAndReturnError()
            #expect(bundle.loadWarnings.isEmpty)
        }
    }
}
