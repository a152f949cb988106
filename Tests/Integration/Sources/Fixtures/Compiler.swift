import Foundation

/// Compiles fixtures, each different source once.
public enum Compiler {
    /// The result of each source; nil until it is compiled.
    private static let built = Locked<[String: (place: URL, result: Locked<URL?>)]>([:])

    static func build(_ code: BundleFixture.Code, module: String) throws -> URL? {
        switch code {
        case .none: return nil
        case .file(let url): return url
        case .c(let source, let flags): return try once("c \(flags) \(source)") { try compileC(source, flags, to: $0) }
        case .cxx(let source, let flags):
            return try once("cxx \(flags) \(source)") { try compileC(source, flags, isCPlusPlus: true, to: $0) }
        case .swift(let source, let flags):
            return try once("swift \(module) \(flags) \(source)") {
                try compileSwift(source, flags, module: module, to: $0)
            }
        }
    }

    private static func once(_ key: String, _ compile: (URL) throws -> Void) throws -> URL {
        let (place, result) = built.withLock { built in
            if let known = built[key] { return known }
            let new = (Workspace.temporary.appending(path: "code/\(built.count)"), Locked<URL?>(nil))
            built[key] = new
            return new
        }
        // The lock is held while the compiler runs: two tests that need one fixture build it once. At most as many compilers
        // run as there are processors, because that many tests do.
        return try result.withLock { result in
            if let result { return result }
            try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
            let file = place.appending(path: "fixture.so")
            try compile(file)
            result = file
            return file
        }
    }

    static var header: URL { Workspace.project.appending(path: "Sources/CPluginSupport/include") }

    private static func compileC(_ source: String, _ flags: [String], isCPlusPlus: Bool = false, to result: URL) throws
    {
        let file = result.deletingPathExtension().appendingPathExtension(isCPlusPlus ? "cpp" : "c")
        let note = source.contains("PLUGIN_NOTE") ? "" : "PLUGIN_DECLARE_NOTE;\n"
        // A fixture whose entry is not a function must not see the header's declaration of it.
        let rename = source.contains("int plugin_entry =") ? "#define plugin_entry declared_entry\n" : ""
        let restore = rename.isEmpty ? "" : "#undef plugin_entry\n"
        try "\(rename)#include \"plugin_abi.h\"\n\(restore)\(note)\(source)\n".write(
            to: file, atomically: true, encoding: .utf8)
        try Tool.run(
            try Tool.find(isCPlusPlus ? "clang++" : "clang"),
            [
                isCPlusPlus ? "-std=gnu++17" : "-std=gnu11", "-shared", "-fPIC", "-O1", "-I", header.path, file.path,
                "-o", result.path,
            ] + flags)
    }

    /// The flags with which a file outside of the package manager finds the library's modules and links it.
    public static var libraryFlags: [String] {
        [
            "-swift-version", "6", "-I", Workspace.products.appending(path: "Modules").path,
            "-L", Workspace.products.path, "-lPluginHost",
        ]
            + ["CPluginSupport", "CSandbox"].flatMap {
                let map = Workspace.project.appending(path: "Sources/\($0)/include/module.modulemap")
                return ["-Xcc", "-fmodule-map-file=\(map.path)"]
            }
            + (ProcessInfo.processInfo.environment["FIXTURE_FLAGS"] ?? "").split(separator: " ").map(String.init)
    }

    /// The object files of modules, to link statically what should be linked dynamically.
    public static func objects(_ modules: String...) throws -> [String] {
        try modules.flatMap { module in
            let folder = Workspace.products.appending(path: "\(module).build")
            return try FileManager.default.subpathsOfDirectory(atPath: folder.path)
                .filter { $0.hasSuffix(".o") }.map { folder.appending(path: $0).path }
        }
    }

    private static func compileSwift(_ source: String, _ flags: [String], module: String, to result: URL) throws {
        let file = result.deletingPathExtension().appendingPathExtension("swift")
        try source.write(to: file, atomically: true, encoding: .utf8)
        try Tool.run(
            try Tool.find("swiftc"),
            ["-emit-library", "-O", "-wmo", "-parse-as-library", "-module-name", module, file.path, "-o", result.path]
                + libraryFlags + flags)
    }

    /// Builds an executable from Swift sources; each argument set once.
    public static func executable(_ name: String, source: String, flags: [String] = []) throws -> URL {
        try once("executable \(name) \(flags) \(source)") { result in
            let file = result.deletingLastPathComponent().appending(path: "main.swift")
            try source.write(to: file, atomically: true, encoding: .utf8)
            try Tool.run(
                try Tool.find("swiftc"),
                [
                    "-O", "-module-name", name, file.path, "-o", result.path, "-Xlinker", "-rpath", "-Xlinker",
                    Workspace.products.path,
                ]
                    + libraryFlags + flags)
        }
    }
}
