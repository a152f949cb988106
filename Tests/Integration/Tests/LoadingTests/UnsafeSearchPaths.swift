import Fixtures
import Foundation
import PluginHost
import Testing

/// Libraries that the dynamic linker would take from places where anybody may put files.
///
/// Each library is put there: the dynamic linker alone runs its constructor, and a load does not.
@Suite struct UnsafeSearchPaths {
    /// How a plug-in leads to a library outside of its bundle.
    struct Lure: Codable, Sendable, CustomTestStringConvertible {
        /// The plug-in's RUNPATH, or RPATH.
        var search: String?
        var isOld = false
        /// The folder of the library: from the host's current directory or, with `…`, from the one that has the bundle.
        var place: String
        /// The text before the library's own name in the plug-in's reference.
        var prefix = ""

        var testDescription: String { search.map { "RUNPATH \($0)" } ?? "needs \(prefix)libtrap.so" }
    }

    private static let searchPaths = [
        Lure(search: ".", place: ""), Lure(search: "/nowhere::/nowhere/else", place: ""),
        Lure(search: ":$ORIGIN", place: ""), Lure(search: "$ORIGIN:", place: ""), Lure(search: "parts", place: "parts"),
        Lure(search: "./parts", place: "parts"), Lure(search: "$ORIGIN/../../..", place: "…"),
        Lure(search: "${ORIGIN}/../../../parts", place: "…/parts"),
        Lure(search: "$ORIGIN/../Linux/../../../parts", place: "…/parts"), Lure(search: ".", isOld: true, place: ""),
    ]

    private static let names = [
        Lure(place: "", prefix: "./"), Lure(place: "parts", prefix: "parts/"), Lure(place: "…", prefix: "…/"),
        Lure(place: "…/parts", prefix: "$ORIGIN/../../../parts/"),
    ]

    @Test(.fault(69), arguments: searchPaths) func aSearchPathOutsideOfTheBundleIsRefusedBeforeItsLibraryRuns(
        lure: Lure
    ) async {
        await #expect(processExitsWith: .success) { [lure = lure as Lure] in try Self.tryLure(lure) }
    }

    @Test(.fault(70), arguments: names) func aLibraryThatIsNeededByAPathIsRefusedBeforeItRuns(lure: Lure) async {
        await #expect(processExitsWith: .success) { [lure = lure as Lure] in try Self.tryLure(lure) }
    }

    /// In a process of its own, with its own current directory and libraries.
    private static func tryLure(_ lure: Lure) throws {
        let manager = FileManager.default
        let folder = Workspace.temporary.appending(path: "lures/\(UUID().uuidString)")
        let current = folder.appending(path: "current")
        try manager.createDirectory(at: current, withIntermediateDirectories: true)
        try holds(manager.changeCurrentDirectoryPath(current.path), "the current directory is the test's own")
        let installed = folder.appending(path: "installed")
        func inPlace(_ text: String) -> String { text.replacing("…", with: installed.path) }

        let name = "libtrap\(Int.random(in: 1...999_999_999)).so"
        let soname = inPlace(lure.prefix) + name
        let trap = try BundleFixture(
            "Trap",
            code: .c(
                """
                #include <stdlib.h>
                int trap(void) { return 1; }
                __attribute__((constructor)) static void spring(void) { setenv("FAULT_69_TRAP", "sprung", 1); }
                """, flags: ["-Wl,-soname,\(soname)"]))
        var flags = [trap.executable.path]
        if let search = lure.search {
            flags += ["-Wl,--\(lure.isOld ? "disable" : "enable")-new-dtags", "-Xlinker", "-rpath", "-Xlinker", search]
        }
        let fixture = try BundleFixture(
            "Lured", info: ["NSPrincipalClass": "None"],
            code: .c(
                "extern int trap(void); PLUGIN_EXPORT plugin_status plugin_entry(const plugin_host *host) "
                    + "{ (void)host; return trap() == 1 ? PLUGIN_OK : PLUGIN_FAILED; }", flags: flags))
        let place =
            lure.place.hasPrefix("…")
            ? URL(filePath: inPlace(lure.place)) : current.appending(path: lure.place, directoryHint: .isDirectory)
        for directory in [installed, place] {
            try manager.createDirectory(at: directory, withIntermediateDirectories: true)
        }
        try manager.copyItem(at: trap.executable, to: place.appending(path: name))
        let bundle = installed.appending(path: "Lured.bundle")
        try manager.moveItem(at: fixture.url, to: bundle)
        let executable = bundle.appending(path: "Contents/Linux/Lured").path

        var refusal: PluginError?
        do {
            try PluginBundle.open(path: bundle.path).loadAndReturnError()
        } catch {
            refusal = error as? PluginError
        }
        try holds(getenv("FAULT_69_TRAP") == nil, "the library's code has not run")
        let finding = refusal?.findings.first { $0.code == .unsafeSearchPath }
        let said = refusal?.description ?? "nothing"
        try holds(finding?.filePath == executable, "the load is refused for its search path: \(said)")
        let checked = try PluginBundle.open(path: bundle.path).findings()
        try holds(checked.contains { $0.code == .unsafeSearchPath && $0.severity == .error }, "a check refuses it")
        // The dynamic linker really takes the bait.
        let image = dlopen(executable, RTLD_NOW)
        try holds(image != nil, "the dynamic linker loads it: \(dlerror().map { String(cString: $0) } ?? "")")
        try holds(getenv("FAULT_69_TRAP") != nil, "the library's code runs where nobody refuses it")
    }
}
