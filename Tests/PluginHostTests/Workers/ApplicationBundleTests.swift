import BundleReading
import CPluginSupport.Shims
import Foundation
import HostBasics
@_spi(PluginHost) import PluginABI
import TestSupport
import Testing

@testable import PluginHost
@testable import PluginWorkers

/// What a worker says of the application's main bundle, which it may not be able to read.
@Suite(.timeLimit(.minutes(5))) struct ApplicationBundleTests {
    /// Lets this process be an application in English with an image.
    ///
    /// - Returns: the directory with the application.
    static func application(_ localizations: [String] = ["en"], allowsMixed: Bool = false) throws -> TemporaryTree {
        let files = ["X.app/Contents/Info.plist", "X.app/Contents/Linux/X", "X.app/Contents/Resources/seal.png"]
        let tree = try TemporaryTree(Dictionary(uniqueKeysWithValues: files.map { ($0, "x") }))
        chmod(tree.path, 0o755)
        var application = ApplicationBundle(
            program: tree("X.app/Contents/Linux/X"), path: tree("X.app"), layout: .contents,
            manifestPath: tree("X.app/Contents/Info.plist"))
        application.localizations = localizations
        application.allowsMixedLocalizations = allowsMixed
        application.texts = ["CFBundleIdentifier": "org.example.X"]
        // A development region alone is a localisation.
        if !localizations.isEmpty { application.texts["CFBundleDevelopmentRegion"] = "en" }
        BundleOpening.represent(application)
        return tree
    }

    /// A plug-in in English and French, for a user who prefers French.
    static func plugin(_ execution: String) throws -> GadgetPlugin {
        HostEnvironment.current.preferredLanguages = ["fr"]
        if geteuid() == 0, execution == "sandboxed" { HostEnvironment.current.isolation.user = OtherUser.name }
        let plugin = try GadgetPlugin(execution: execution)
        for language in ["en", "fr"] {
            let folder = URL(filePath: plugin.bundle.bundlePath + "/Contents/Resources/\(language).lproj")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try Data("language = \(language);".utf8).write(to: folder.appending(path: "Localizable.strings"))
            try Data(language.utf8).write(to: folder.appending(path: "note.txt"))
        }
        return plugin
    }

    @Test func theMainBundleIsThatOfTheApplication() async {
        await #expect(processExitsWith: .success) {
            let tree = try ApplicationBundleTests.application()
            let main = PluginBundle.main
            #expect(main.bundlePath == tree("X.app") && main.executablePath == tree("X.app/Contents/Linux/X"))
            #expect(main.bundleIdentifier == "org.example.X" && main.localizations == ["en"])
            #expect(main.manifestError == nil && main.developmentLocalization == "en")
            #expect(PluginBundle(path: tree("X.app")) === main && PluginBundle.allBundles.first === main)
            // What this process would send to a worker of its own.
            #expect(ApplicationBundle.current.localizations == ["en"])
            #expect(ApplicationBundle.current.program == tree("X.app/Contents/Linux/X"))
            #expect(ApplicationBundle.current.resourceDirectories == [tree("X.app/Contents/Resources")])
        }
    }

    @Test func theDirectoryOfABareProgramIsNotSharedWithItsPlugIns() {
        func directories(_ path: String, _ layout: BundleLayout) -> [String] {
            ApplicationBundle(program: "/p", path: path, layout: layout, manifestPath: "").resourceDirectories
        }
        #expect(directories("/opt/tool/bin", .flat) == [])
        #expect(directories("/opt/share/X.resources", .installed("X", in: "share")) == ["/opt/share/X.resources"])
        #expect(directories("/opt/X", .openStep(in: "Resources")) == ["/opt/X/Resources"])
        #expect(directories("/opt/X.app", .flat) == ["/opt/X.app"])
    }

    @Test(.fault(750), .enabled(if: OtherUser.canConfine), arguments: ["isolated", "sandboxed"])
    func aWorkerSpeaksTheLanguageOfAnApplicationItCannotRead(execution: String) async {
        await #expect(processExitsWith: .success) { [execution] in
            let tree = try ApplicationBundleTests.application()
            // As root, only for a worker that has another user.
            chmod(tree("X.app"), 0o700)
            let plugin = try ApplicationBundleTests.plugin(execution)
            let gadget = try plugin.make()
            #expect(try gadget.process() != getpid())
            for _ in 0..<2 {
                #expect(try gadget.perform("string") == "en")
                #expect(try gadget.perform("resource").hasSuffix("/en.lproj/note.txt"))
            }
            let image = try gadget.perform("image")
            #expect(image == "none" || execution == "isolated" || geteuid() != 0)
            withExtendedLifetime(plugin) {}
        }
    }

    @Test(.fault(750), .enabled(if: OtherUser.canConfine), arguments: ["isolated", "sandboxed"])
    func aWorkerFindsTheImagesOfTheApplication(execution: String) async {
        await #expect(processExitsWith: .success) { [execution] in
            let tree = try ApplicationBundleTests.application()
            let plugin = try ApplicationBundleTests.plugin(execution)
            #expect(try plugin.make().perform("image") == tree("X.app/Contents/Resources/seal.png"))
            withExtendedLifetime(plugin) {}
        }
    }

    @Test(.fault(750), .enabled(if: OtherUser.canConfine), arguments: ["isolated", "sandboxed"])
    func aWorkerObeysAnApplicationThatAllowsMixedLocalisations(execution: String) async {
        await #expect(processExitsWith: .success) { [execution] in
            let tree = try ApplicationBundleTests.application(allowsMixed: true)
            let plugin = try ApplicationBundleTests.plugin(execution)
            #expect(try plugin.make().perform("string") == "fr")
            withExtendedLifetime((plugin, tree)) {}
        }
    }

    @Test(.fault(750)) func aBareProgramRestrictsNothing() async {
        await #expect(processExitsWith: .success) {
            let tree = try ApplicationBundleTests.application([])
            let plugin = try ApplicationBundleTests.plugin("isolated")
            #expect(try plugin.make().perform("string") == "fr")
            withExtendedLifetime((plugin, tree)) {}
        }
    }

    @Test(.fault(867), .enabled(if: OtherUser.canConfine))
    func whatASandboxIsMeantToRefuseIsNoWarning() async {
        await #expect(processExitsWith: .success) {
            let warnings = Lock<[String]>([])
            HostEnvironment.current.log = { record in
                if record.level >= .notice { warnings.withLock { $0.append(record.message) } }
            }
            let tree = try TemporaryTree(["bin/x": "x", "bin/seal.png": "x"])
            chmod(tree.path, 0o755)
            BundleOpening.represent(
                ApplicationBundle(
                    program: tree("bin/x"), path: tree("bin"), layout: .flat, manifestPath: tree("bin/Info.plist")))
            let plugin = try ApplicationBundleTests.plugin("sandboxed")
            let gadget = try plugin.make()
            #expect(try gadget.perform("image") == "none")
            #expect(warnings.withLock(\.self) == [])
            // Its own resources are to be readable, and not for the application alone.
            let resources = plugin.bundle.bundlePath + "/Contents/Resources"
            chmod(resources, 0)
            #expect(try gadget.perform("string") == "no string")
            chmod(resources, 0o755)
            let limit = Wait.ofATest
            while warnings.withLock(\.isEmpty), limit.sleep() {}
            #expect(warnings.withLock { $0.first?.contains("Let the plug-in's process") } == true)
            withExtendedLifetime(tree) {}
        }
    }

    // MARK: Libraries

    @Test func theSearchPathForLibrariesIsMadeAbsolute() async {
        await #expect(processExitsWith: .success) {
            let tree = try TemporaryTree(["a/": "", "b/": ""])
            chdir(tree("b"))
            setenv("LD_LIBRARY_PATH", "\(tree("a")):;../a:\(tree("missing")):$ORIGIN/x:\(tree("a"))", 1)
            #expect(WorkerEnvironment.libraryDirectories == [tree("a"), tree("b"), "$ORIGIN/x"])
        }
    }

    /// A plug-in that needs a library, which is in a directory of its own.
    ///
    /// - Parameters:
    ///   - isStated: whether the plug-in's own search path (RUNPATH) has the directory.
    ///   - info: further keys of Info.plist for the directory.
    /// - Returns: the plug-in, and the directory.
    /// - Throws: the error of building them.
    private static func needy(
        isStated: Bool = false, info: (String) -> String = { _ in "" }
    ) throws -> (bundle: PluginBundle, folder: String) {
        let library = try CPluginSource(name: "Answer", info: "", text: "int answer(void) { return 42; }").build()
        let folder = library.appending(path: "lib").path
        mkdir(folder, 0o755)
        try copyProgram(
            library.appending(path: "Answer.bundle/Contents/Linux/Answer").path, to: folder + "/libanswer.so")
        let text = """
            #include <plugin_abi.h>
            PLUGIN_DECLARE_NOTE;
            int answer(void);
            static int32_t asks(void) { return answer(); }
            PLUGIN_EXPORT plugin_status plugin_entry(const plugin_host *host) {
                plugin_function function = {{sizeof function, 1}, PLUGIN_STRING("asks"),
                                            PLUGIN_STRING("() -> int32"), (plugin_code)asks};
                return host->register_function(host, &function);
            }
            """
        let stated = isStated ? ["-Wl,--enable-new-dtags,-rpath,\(folder)"] : []
        let needy = try CPluginSource(name: "Needy", info: "PHExecution = sandboxed; \(info(folder))", text: text)
            .build(["-L\(folder)", "-Wl,--no-as-needed", "-lanswer"] + stated)
        return (try PluginBundle.open(path: needy.appending(path: "Needy.bundle").path), folder)
    }

    @Test(.fault(752), .enabled(if: OtherUser.canConfine))
    func aSandboxedPlugInLoadsALibraryOfTheUsersSearchPath() async {
        await #expect(processExitsWith: .success) {
            let (bundle, folder) = try ApplicationBundleTests.needy()
            setenv("LD_LIBRARY_PATH", folder, 1)
            if geteuid() == 0 { HostEnvironment.current.isolation.user = OtherUser.name }
            #expect(try bundle.function("asks")() == .int(42))
        }
    }

    @Test(.fault(752), .enabled(if: OtherUser.canConfine))
    func aLibraryInTheHomeDirectoryIsNamedAsOneThatTheSandboxMayNotRead() async {
        await #expect(processExitsWith: .success) {
            let (bundle, folder) = try ApplicationBundleTests.needy()
            setenv("LD_LIBRARY_PATH", folder, 1)
            setenv("HOME", folder, 1)
            if geteuid() == 0 { HostEnvironment.current.isolation.user = OtherUser.name }
            let error = #expect(throws: PluginError.self) { try bundle.loadAndReturnError() }
            #expect(error?.code == .dependencyMissing && error?.subject == "libanswer.so")
            #expect(error?.findings[0].message.contains("finds the library “\(folder)/libanswer.so”, but") == true)
            #expect(error?.findings[0].remedy.contains("Contents/Frameworks") == true)
        }
    }

    @Test(.fault(841), .enabled(if: OtherUser.canConfine))
    func aLibraryInADirectoryOfTheRunpathIsNamedWithWhatToGrant() async {
        await #expect(processExitsWith: .success) {
            unsetenv("LD_LIBRARY_PATH")
            if geteuid() == 0 { HostEnvironment.current.isolation.user = OtherUser.name }
            for isLink in [false, true] {
                let (bundle, folder) = try ApplicationBundleTests.needy(isStated: true)
                let library = folder + "/libanswer.so"
                // As packages have it: the name that is needed leads to that of a version, here in another directory.
                let place = isLink ? folder + "/real" : folder
                if isLink {
                    mkdir(place, 0o755)
                    try #require(rename(library, place + "/libanswer.so.1.2") == 0)
                    try #require(symlink("real/libanswer.so.1.2", library) == 0)
                }
                let error = #expect(throws: PluginError.self) { try bundle.loadAndReturnError() }
                #expect(error?.code == .dependencyMissing && error?.subject == "libanswer.so")
                let finding = try #require(error?.findings.first)
                let link = isLink ? ", a link to “\(place)/libanswer.so.1.2”" : ""
                #expect(finding.message.contains("the library “\(folder)/libanswer.so”\(link), but"), "\(finding)")
                #expect(finding.remedy.contains("“path = \(folder)”"), "\(finding.remedy)")
                #expect(finding.remedy.contains("“path = \(place)”"), "\(finding.remedy)")
                #expect(finding.remedy.contains("PHPermissions") && finding.remedy.contains("IsolationPolicy.grant"))
            }
        }
    }

    @Test(.fault(841), .enabled(if: OtherUser.canConfine))
    func theDirectoryThatIsGrantedIsSearched() async {
        await #expect(processExitsWith: .success) {
            unsetenv("LD_LIBRARY_PATH")
            if geteuid() == 0 { HostEnvironment.current.isolation.user = OtherUser.name }
            HostEnvironment.current.isolation.grant = { $1 }
            let (bundle, _) = try ApplicationBundleTests.needy(isStated: true) { folder in
                "PHPermissions = { files = ({ path = \"\(folder)\"; access = read; }); };"
            }
            #expect(try bundle.function("asks")() == .int(42))
        }
    }

    @Test(.fault(752), .enabled(if: OtherUser.canConfine))
    func aLinkOutOfTheUsersSearchPathIsNamedWithTheDirectoryThatMustBeInIt() async {
        await #expect(processExitsWith: .success) {
            let (bundle, folder) = try ApplicationBundleTests.needy()
            let links = folder + "-links"
            try #require(mkdir(links, 0o755) == 0 && symlink(folder + "/libanswer.so", links + "/libanswer.so") == 0)
            setenv("LD_LIBRARY_PATH", links, 1)
            if geteuid() == 0 { HostEnvironment.current.isolation.user = OtherUser.name }
            let error = #expect(throws: PluginError.self) { try bundle.loadAndReturnError() }
            let finding = try #require(error?.findings.first)
            #expect(finding.message.contains("“\(links)/libanswer.so”, a link to “\(folder)/libanswer.so”, but"))
            #expect(finding.remedy.contains("LD_LIBRARY_PATH name the directory “\(folder)”"))
        }
    }
}
