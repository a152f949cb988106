import Foundation
import TestSupport
import Testing

/// A C plug-in needs only plugin_abi.h.
@Suite struct HeaderTests {
    private static let include: URL = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../Sources/CPluginSupport/include").standardizedFileURL

    /// Compiles a source that includes only the header.
    private func compile(_ source: String, language: String, standard: String) throws -> (status: Int32, said: String) {
        let folder = FileManager.default.temporaryDirectory.appending(path: "header-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "plugin.source")
        try source.write(to: file, atomically: true, encoding: .utf8)
        return try Toolchain.run(
            Toolchain.tool("clang"),
            [
                "-x", language, "-std=\(standard)", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only",
                "-I", Self.include.path, file.path,
            ])
    }

    private static let plugin = """
        #include "plugin_abi.h"
        PLUGIN_DECLARE_NOTE;
        plugin_status plugin_entry(const plugin_host *host) {
            host->set_error(host, PLUGIN_STRING("org.example"), 1, PLUGIN_STRING("no"), PLUGIN_STRING(""));
            return PLUGIN_HAS(host, get_extension) ? PLUGIN_FAILED : PLUGIN_ABI_MISMATCH;
        }

        """

    @Test(arguments: [("c", "c11"), ("c", "c17"), ("c++", "c++17"), ("c++", "c++20")])
    func theHeaderCompilesAloneWithoutAWarning(language: String, standard: String) throws {
        let result = try compile(Self.plugin, language: language, standard: standard)
        #expect(result.status == 0, "\(result.said)")
    }

    @Test(arguments: [("c", "c11"), ("c++", "c++17")])
    func theHeaderOfNibsCompilesBesideIt(language: String, standard: String) throws {
        let source = "#include \"plugin_nib.h\"\n" + Self.plugin
        let result = try compile(source, language: language, standard: standard)
        #expect(result.status == 0, "\(result.said)")
    }

    private static let plusPlus = """
        #include "plugin.hpp"
        struct point { double x, y; };
        template <> struct plugin::type<point> : plugin::structure<&point::x, &point::y> {};
        static point middle(point a, point b) noexcept { return {(a.x + b.x) / 2, (a.y + b.y) / 2}; }
        static std::string join(std::string_view a, plugin::bytes b) { return std::string(a) + std::to_string(b.size); }
        PLUGIN_ENTRY(registrar) { registrar.function<&middle>("middle").function<&join>("join"); }

        """

    @Test(arguments: ["c++17", "c++20"]) func theHeaderOfCPlusPlusCompilesWithoutAWarning(standard: String) throws {
        let result = try compile(Self.plusPlus, language: "c++", standard: standard)
        #expect(result.status == 0, "\(result.said)")
    }

    @Test func aTypeWithoutANameInASignatureIsRefusedByTheCompiler() throws {
        let wrong = """
            #include "plugin.hpp"
            struct point { double x, y; };
            static void draw(point) {}
            PLUGIN_ENTRY(registrar) { registrar.function<&draw>("draw"); }

            """
        let result = try compile(wrong, language: "c++", standard: "c++17")
        #expect(result.status != 0)
        #expect(result.said.contains("plugin::type<point>"), "\(result.said)")
    }

    @Test func anEntryOfAnotherTypeThanTheHeadersIsRefusedByTheCompiler() throws {
        let wrong = "#include \"plugin_abi.h\"\nint plugin_entry(void) { return 0; }\n"
        #expect(try compile(wrong, language: "c", standard: "c11").status != 0)
    }

    @Test func theStaticAssertsCatchAMovedField() throws {
        // With a field inserted before the table's magic number, the header no longer compiles.
        let header = try String(contentsOf: Self.include.appending(path: "plugin_abi.h"), encoding: .utf8)
        let moved = header.replacingOccurrences(
            of: "    uint64_t magic;", with: "    uint64_t extra;\n    uint64_t magic;")
        #expect(moved != header)
        let result = try compile(moved, language: "c", standard: "c11")
        #expect(result.status != 0)
        #expect(result.said.contains("plugin_host.magic"))
    }
}
