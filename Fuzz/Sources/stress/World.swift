import Foundation

/// The bundles for the operations, made in a folder of the process.
struct World: Sendable {
    let folder: String
    /// Bundles of resources, opened and dropped.
    let resources: [String]
    /// Bundles with C code.
    let code: [String]
    /// The sample plug-ins, where they were built.
    let samples: [String]
    /// Bundles whose code is linked into this program.
    let linked: [String]
    /// Bundles whose code is replaced while it is used.
    let reloaded: [String]

    /// The folder whose files change under watches.
    var turning: String { folder + "/turning" }
    var watched: String { folder + "/watched" }
    var index: String { folder + "/index" }
    /// Search paths of catalogues that use the code in place.
    var searchPaths: [String] { [folder + "/plugins", folder + "/samples"] }

    static let languages = ["en", "de", "fr", "pt-BR", "ja", "zh-Hant"]
    static let keys = 200

    /// The text that a table has for a key.
    static func text(_ key: Int, _ language: String) -> String { "\(language) \(key)" }

    /// `products`: where the package manager put the sample plug-ins.
    init(code products: String) throws {
        let base = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
            .appending(path: "pluginhost-stress-\(ProcessInfo.processInfo.processIdentifier)").path
        folder = base
        let library = try Compiler.build(in: base)
        func plugins(_ letter: String, _ count: Int, in place: String, code: String?) throws -> [String] {
            try (0..<count).map { try Self.bundle("\(letter)\($0)", in: "\(base)/\(place)", code: code) }
        }
        resources = try plugins("R", 12, in: "plugins", code: nil)
        code = try plugins("C", 8, in: "plugins", code: library)
        linked = try plugins("L", LinkedCode.entries.count, in: "linked", code: nil)
        reloaded = try plugins("W", 4, in: "watched", code: library)
        _ = try plugins("T", 4, in: "turning", code: nil)
        samples = try Compiler.assembleSamples(from: products, in: base + "/samples")
    }

    /// Replaces the file of a bundle by other bytes of the same code, as an installer does.
    static func replaceCode(of bundle: String, build: Int) throws {
        let name = URL(filePath: bundle).deletingPathExtension().lastPathComponent
        let path = "\(bundle)/Contents/Linux/\(name)"
        var bytes = try Data(contentsOf: URL(filePath: path))
        // After the last section, which nothing reads.
        bytes.append(contentsOf: withUnsafeBytes(of: UInt64(build)) { Array($0) })
        try bytes.write(to: URL(filePath: path + ".new"))
        guard rename(path + ".new", path) == 0 else { throw CocoaError(.fileWriteUnknown) }
    }

    private static func bundle(_ name: String, in folder: String, code: String?) throws -> String {
        let path = "\(folder)/\(name).bundle"
        let manager = FileManager.default
        try manager.createDirectory(atPath: path + "/Contents/Resources", withIntermediateDirectories: true)
        var info: [String: Any] = [
            "CFBundleIdentifier": "org.example.\(name)", "CFBundleVersion": "1", "CFBundleDevelopmentRegion": "en",
            "PHUses": [LinkedCode.servicePoint: 1],
        ]
        if let code {
            info["NSExecutable"] = name
            try manager.createDirectory(atPath: path + "/Contents/Linux", withIntermediateDirectories: true)
            try manager.copyItem(atPath: code, toPath: "\(path)/Contents/Linux/\(name)")
        }
        try PropertyListSerialization.data(fromPropertyList: info, format: .xml, options: 0)
            .write(to: URL(filePath: path + "/Contents/Info.plist"))
        for language in languages {
            let place = "\(path)/Contents/Resources/\(language).lproj"
            try manager.createDirectory(atPath: place, withIntermediateDirectories: true)
            let table = (0..<keys).map { "key\($0) = \"\(text($0, language))\";" }.joined(separator: "\n")
            try table.write(toFile: place + "/Localizable.strings", atomically: false, encoding: .utf8)
            try language.write(toFile: place + "/page.txt", atomically: false, encoding: .utf8)
        }
        try "x".write(toFile: path + "/Contents/Resources/plain.txt", atomically: false, encoding: .utf8)
        return path
    }

    func remove() { try? FileManager.default.removeItem(atPath: folder) }
}

/// Builds the content of the bundles.
enum Compiler {
    /// A small plug-in of the C level.
    private static let source = """
        #include "plugin_abi.h"
        #include <stdlib.h>
        PLUGIN_DECLARE_NOTE;
        static plugin_status create(const plugin_factory *f, const plugin_host *h, void **out) {
            (void)f; (void)h; *out = malloc(32); return *out ? PLUGIN_OK : PLUGIN_NO_MEMORY;
        }
        static void release(void *p) { free(p); }
        static const plugin_factory thing =
            {{sizeof(plugin_factory), 1}, {"thing", 5}, {0, 0}, 1, 0, 0, 0, create, 0, release};
        static int64_t twice(int64_t number) { return 2 * number; }
        static int active;
        static plugin_status activate(const plugin_host *h, void *d) {
            (void)h; (void)d; return __atomic_add_fetch(&active, 1, __ATOMIC_SEQ_CST) == 1 ? PLUGIN_OK : PLUGIN_FAILED;
        }
        static void deactivate(const plugin_host *h, void *d) {
            (void)h; (void)d; __atomic_sub_fetch(&active, 1, __ATOMIC_SEQ_CST);
        }
        static const plugin_hooks hooks = {{sizeof hooks, 1}, 0, activate, deactivate};
        PLUGIN_EXPORT plugin_status plugin_entry(const plugin_host *host) {
            plugin_function function =
                {{sizeof function, 1}, PLUGIN_STRING("twice"), PLUGIN_STRING("(int64) -> int64"), (plugin_code)twice};
            const plugin_lifecycle *lifecycle = host->get_extension(host, PLUGIN_STRING(PLUGIN_LIFECYCLE_ID));
            if (!lifecycle || lifecycle->register_hooks(host, &hooks)) return PLUGIN_FAILED;
            return host->register_function(host, &function) ? PLUGIN_FAILED : host->register_factory(host, &thing);
        }
        """

    /// The root of the project, from the path of this file.
    private static let project: URL = {
        var url = URL(filePath: #filePath)
        for _ in 0..<4 { url.deleteLastPathComponent() }
        return url
    }()

    static func build(in folder: String) throws -> String {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let file = folder + "/plugin.c"
        try source.write(toFile: file, atomically: false, encoding: .utf8)
        let result = folder + "/plugin.so"
        let headers = project.appending(path: "Sources/CPluginSupport/include").path
        try run(["clang", "-std=gnu11", "-shared", "-fPIC", "-O1", "-I", headers, file, "-o", result])
        return result
    }

    /// - Returns: the bundles with code; none if the sample plug-ins were not built.
    static func assembleSamples(from products: String, in folder: String) throws -> [String] {
        let names = ["Reporter", "Typography", "Charts", "Checksum", "Template"]
        let isBuilt = (names.map { "lib\($0).so" } + ["pluginhost"])
            .allSatisfy { FileManager.default.fileExists(atPath: "\(products)/\($0)") }
        guard isBuilt else {
            say("stress: the sample plug-ins are not in \(products); they are left out")
            return []
        }
        // Another sample requires Wordlist, which has no code.
        let sources = (names + ["Wordlist"]).map { project.appending(path: "Plugins/\($0)").path }
        try run(["\(products)/pluginhost", "pack", "--products", products, "--output", folder] + sources)
        return names.map { "\(folder)/\($0).bundle" }
    }

    private static func run(_ arguments: [String]) throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = arguments
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw CocoaError(.executableLoad, userInfo: [NSDebugDescriptionErrorKey: arguments.joined(separator: " ")])
        }
    }
}
