import Fixtures
import Foundation
import Testing

/// The command `pluginhost` that was built beside these tests.
enum PluginHostTool {
    /// Runs the tool.
    ///
    /// The libraries of the sample plug-ins are found, as an application's would be.
    static func run(_ arguments: String..., environment: [String: String] = [:]) throws -> Tool.Output {
        try run(arguments, environment: environment)
    }

    static func run(_ arguments: [String], environment: [String: String] = [:]) throws -> Tool.Output {
        let program = Workspace.products.appending(path: "pluginhost").path
        guard FileManager.default.isExecutableFile(atPath: program) else {
            throw Tool.Failure(description: "there is no \(program): build the product pluginhost into the same folder")
        }
        let usual = ["LANGUAGE": "", "LC_ALL": "C.UTF-8", "LD_LIBRARY_PATH": Workspace.products.path]
        return try Tool.output(program, arguments, environment: usual.merging(environment) { $1 })
    }

    /// Runs a command with --json and reads its one document.
    static func document(_ arguments: String..., environment: [String: String] = [:]) throws -> Document {
        try document(of: arguments, environment: environment)
    }

    static func document(of arguments: [String], environment: [String: String] = [:]) throws -> Document {
        let output = try run(arguments + ["--json"], environment: environment)
        let object = try JSONSerialization.jsonObject(with: Data(output.standardOutput.utf8))
        return Document(
            status: output.status, text: output.standardOutput, object: try #require(object as? [String: Any]))
    }

    /// A text without its line breaks and indents.
    static func words(_ text: String) -> String { text.split(whereSeparator: \.isWhitespace).joined(separator: " ") }

    /// The document of --json.
    struct Document {
        let status: Int32
        let text: String
        let object: [String: Any]

        var bundles: [[String: Any]] { object["bundles"] as? [[String: Any]] ?? [] }
        /// The findings of the only bundle.
        var findings: [[String: Any]] { bundles.first?["findings"] as? [[String: Any]] ?? [] }
        var codes: [String] { findings.compactMap { $0["code"] as? String } }
    }
}

/// Sources of plug-ins for the tool.
enum PluginSource {
    /// Offers a function and a factory, and prints.
    static let good = """
        #include <stdio.h>
        static int32_t twice(int32_t number) { return 2 * number; }
        static plugin_status create(const plugin_factory *f, const plugin_host *h, void **i) {
            (void)f; (void)h; *i = (void *)&twice; return PLUGIN_OK;
        }
        static void release(void *i) { (void)i; }
        static const plugin_factory factory = {.header = {sizeof(plugin_factory), 1}, .name = {"maker", 5},
            .extension_point = {"org.example.point", 17}, .extension_version = 3, .create = create, .release = release};
        PLUGIN_EXPORT plugin_status plugin_entry(const plugin_host *host) {
            plugin_function function = {{sizeof function, 1}, PLUGIN_STRING("twice"), PLUGIN_STRING("(int32) -> int32"),
                (plugin_code)twice};
            puts("the plug-in prints");
            host->register_function(host, &function);
            return host->register_factory(host, &factory);
        }
        """

    /// Registers one factory at an extension point.
    static func registering(_ name: String, at point: String) -> String {
        """
        static plugin_status create(const plugin_factory *f, const plugin_host *h, void **i) {
            (void)f; (void)h; *i = (void *)&create; return PLUGIN_OK;
        }
        static void release(void *i) { (void)i; }
        static const plugin_factory factory = {.header = {sizeof(plugin_factory), 1},
            .name = {"\(name)", \(name.utf8.count)}, .extension_point = {"\(point)", \(point.utf8.count)},
            .extension_version = 1, .create = create, .release = release};
        PLUGIN_EXPORT plugin_status plugin_entry(const plugin_host *host) { return host->register_factory(host, &factory); }
        """
    }

    static let missingEntry = "int other(void) { return 1; }"

    static let undefinedSymbol = """
        extern int nobody_defines_this(void);
        PLUGIN_EXPORT plugin_status plugin_entry(const plugin_host *host) {
            (void)host; return nobody_defines_this();
        }
        """

    /// Leaves a file at a given path, so that a test can see whether it ran.
    static func leavingMark(at path: String) -> String {
        """
        #include <stdio.h>
        __attribute__((constructor)) static void mark(void) { fclose(fopen("\(path)", "w")); }
        \(good)
        """
    }
}
