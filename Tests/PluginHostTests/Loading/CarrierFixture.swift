import HostBasics
import TestSupport

@_spi(Tools) @testable import PluginHost

/// A bundle that carries a library of its own, of which other bundles may carry another version.
struct CarrierFixture {
    let tree: TemporaryTree
    let name: String
    /// The SONAME of its library, and the name of the library's file.
    let library: String
    var path: String { tree("\(name).bundle") }
    var libraryPath: String { tree("\(name).bundle/Contents/Frameworks/\(library)") }
    var executablePath: String { tree("\(name).bundle/Contents/Linux/\(name)") }

    /// The functions of the library, each of which returns an `int`.
    static func source(_ value: Int) -> String {
        "int part(void) { return \(value); } int next_number(void) { static int number; return ++number; }"
    }

    /// A bundle with a library.
    ///
    /// `library`: the library's SONAME; each test has its own, because a process keeps what it has loaded. `functions`: the
    /// functions of the library, or of `more`, that the plug-in registers. `more`: more source for the executable. `flags`:
    /// for both files.
    init(
        _ name: String, carrying library: String, _ source: String, functions: [String] = ["part", "next_number"],
        more: String = "", flags: [String] = []
    ) throws {
        let built = try Self.built(library, source, flags)
        try self.init(name, library: library, functions: functions, more: more, linkedWith: [built] + flags)
        try install(built)
    }

    /// A bundle that does not carry a library yet.
    init(
        _ name: String, library: String, functions: [String] = ["part", "next_number"], more: String = "",
        linkedWith flags: [String]
    ) throws {
        tree = try TemporaryTree()
        self.name = name
        self.library = library
        try tree.write(
            "\(name).bundle/Contents/Info.plist",
            "{NSExecutable = \(name); CFBundleIdentifier = \"org.example.\(name)\"; NSPrincipalClass = None;}")
        try install(functions: functions, more: more, linkedWith: flags)
    }

    /// Builds a library with a SONAME.
    static func built(_ library: String, _ source: String, _ flags: [String] = []) throws -> String {
        try ELFFixtures.c(
            "carried/\(library)-\(UInt(bitPattern: (source + flags.joined()).hashValue))", source,
            ["-shared", "-Wl,-soname,\(library)"] + flags)
    }

    /// Installs a library under the SONAME.
    func install(_ built: String, as file: String? = nil) throws {
        try Self.copy(built, to: file ?? library, in: "\(name).bundle/Contents/Frameworks", tree)
    }

    func install(functions: [String], more: String = "", linkedWith flags: [String]) throws {
        let registrations = functions.enumerated().map { number, name in
            """
            plugin_function f\(number) = {{sizeof(plugin_function), 1}, PLUGIN_STRING("\(name)"),
                PLUGIN_STRING("() -> int32"), (plugin_code)\(name)};
            if ((s = host->register_function(host, &f\(number)))) return s;
            """
        }
        let source = """
            #include "plugin_abi.h"
            PLUGIN_DECLARE_NOTE;
            \(functions.map { "extern int \($0)(void);" }.joined(separator: "\n"))
            \(more)
            PLUGIN_EXPORT plugin_status plugin_entry(const plugin_host *host) {
                plugin_status s;
                \(registrations.joined(separator: "\n"))
                return PLUGIN_OK;
            }
            """
        let built = try ELFFixtures.c(
            "carrier-\(name)-\(UInt(bitPattern: (source + flags.joined()).hashValue)).so", source,
            ["-shared", "-Wl,-rpath,$ORIGIN/../Frameworks"] + flags)
        try Self.copy(built, to: name, in: "\(name).bundle/Contents/Linux", tree)
    }

    /// As installers do: beside the old file, then renamed over it.
    private static func copy(_ file: String, to name: String, in folder: String, _ tree: TemporaryTree) throws {
        let bytes = try OpenedFile(path: file).bytes(atMost: 1 << 26)
        try tree.write("\(folder)/\(name).new", bytes: bytes)
        try tree.rename("\(folder)/\(name).new", to: "\(folder)/\(name)")
    }

    func load() throws -> PluginBundle {
        let bundle = try PluginBundle.open(path: path)
        try bundle.loadAndReturnError()
        return bundle
    }

    /// The error of a load.
    func refusal() throws -> PluginError {
        do {
            _ = try load()
        } catch let error as PluginError {
            return error
        }
        throw ELFFixtures.BuildFailure(description: "\(name) loads")
    }
}

extension PluginBundle {
    /// The result of a function that the fixture registered.
    func number(_ function: String = "part") throws -> Int {
        try Int(self.function(function, "() -> int32")().int64 ?? -1)
    }

    /// Whether its code was loaded from a private copy with names of its own.
    var hasOwnNames: Bool { mappedCode?.copy != nil }
}
