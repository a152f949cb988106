import Fixtures
import Foundation
import Testing

/// `pluginhost new`: the project that it makes builds, passes the checks, loads, and passes its tests.
@Suite struct NewCommandTests {
    private static let demoAPI = Workspace.project.appending(path: "Examples/DemoAPI").path
    private static let languages = ["swift", "c", "c++"]
    private static let program = Workspace.products.appending(path: "pluginhost").path

    private func folder() throws -> URL {
        let folder = Workspace.temporary.appending(path: "new-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder
    }

    private func run(_ arguments: [String], in folder: URL) throws -> Tool.Output {
        let path = Workspace.products.path + ":" + ProcessInfo.processInfo.environment["PATH", default: ""]
        return try Tool.output(
            "/usr/bin/env", ["-C", folder.path] + arguments,
            environment: [
                "PATH": path, "LD_LIBRARY_PATH": Workspace.products.path, "LC_ALL": "C.UTF-8", "LANGUAGE": "",
            ])
    }

    private func make(_ name: String, _ arguments: [String], in folder: URL) throws -> URL {
        let output = try run([Self.program, "new", name] + arguments, in: folder)
        #expect(output.status == 0, "\(output)")
        return folder.appending(path: name)
    }

    private func expectSoundBundle(in project: URL, of name: String, offering: String) throws {
        let bundle = project.appending(path: "\(name).bundle").path
        let check = try PluginHostTool.run("check", "--strict", bundle)
        #expect(check.status == 0, "\(check)")
        let strict = try PluginHostTool.document("check", "--level", "strict", bundle)
        #expect(strict.status == 0 && strict.findings.isEmpty, "\(strict.text)")
        let lint = try PluginHostTool.run("lint", "--strict", bundle)
        #expect(lint.status == 0, "\(lint)")
        let load = try PluginHostTool.run("load", "--strict", bundle)
        #expect(load.status == 0 && load.standardOutput.contains(offering), "\(load)")
        let list = try PluginHostTool.document("list", project.path)
        #expect(list.bundles.first?["identifier"] as? String == "org.example.\(name)")
        let languages = try FileManager.default.contentsOfDirectory(atPath: bundle + "/Contents/Resources")
        #expect(languages.contains("en.lproj") && languages.count >= 2)
    }

    @Test(arguments: ["c", "c++"], [false, true])
    func aProjectInCOrCxxBuildsAndTestsAtOnce(_ language: String, isForDemo: Bool) throws {
        let folder = try folder()
        let api = isForDemo ? ["--app-api", Self.demoAPI, "--product", "DemoAPI"] : []
        let project = try make("Salon", ["--language", language] + api, in: folder)
        let output = try run(
            ["make", "CC=\(Tool.find("clang"))", "CXX=\(Tool.find("clang++"))", "test", "check"], in: project)
        #expect(output.status == 0 && output.standardOutput.contains("All tests passed."), "\(output)")
        try expectSoundBundle(in: project, of: "Salon", offering: isForDemo ? "org.example.checksum" : "line-counter")
    }

    /// The code is built with the compiler alone.
    ///
    /// Scripts/walk.py builds a project with the package manager.
    @Test(arguments: [false, true]) func aSwiftPackageHasCodeThatLoads(isForDemo: Bool) throws {
        let folder = try folder()
        let api = isForDemo ? ["--app-api", Self.demoAPI, "--product", "DemoAPI"] : []
        let project = try make("Salon", api, in: folder)
        let source = project.appending(path: "Sources/Salon/Salon.swift").path
        let library = folder.appending(path: "libSalon.so").path
        let modules = "-fmodule-map-file=\(Self.demoAPI)/Sources/CDemoAPI/include/module.modulemap"
        let flags = isForDemo ? ["-lDemoAPI", "-Xcc", modules] : []
        try Tool.run(
            try Tool.find("swiftc"),
            ["-emit-library", "-O", "-parse-as-library", "-module-name", "Salon", source, "-o", library]
                + Compiler.libraryFlags + flags)
        let host = Workspace.products.appending(path: "demo-host").path
        let pack = try run(
            [Self.program, "pack", "--products", folder.path, "--host", host, project.path], in: project)
        #expect(pack.status == 0, "\(pack)")
        try expectSoundBundle(in: project, of: "Salon", offering: isForDemo ? "line-numbers" : "LineCounter")
    }

    // MARK: Equal bytes

    /// Makes the same project in two folders, and does something in each.
    private func twice(_ arguments: [String], _ body: (URL) throws -> URL) throws -> [URL] {
        try ["a", "another/longer/place"].map { place in
            let folder = try folder().appending(path: place)
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            return try body(try make("Salon", arguments, in: folder))
        }
    }

    @Test(arguments: ["c", "c++"]) func theSameSourcesInCOrCxxGiveTheSameBundleInEveryFolder(_ language: String) throws
    {
        let bundles = try twice(["--language", language]) { project in
            let output = try run(
                ["make", "CC=\(Tool.find("clang"))", "CXX=\(Tool.find("clang++"))", "bundle"], in: project)
            #expect(output.status == 0, "\(output)")
            return project.appending(path: "Salon.bundle")
        }
        let difference = try Tool.output("/usr/bin/diff", ["-r"] + bundles.map(\.path))
        #expect(difference.status == 0, "\(difference)")
    }

    @Test func theSameSwiftPackageGivesTheSameCodeInEveryFolder() throws {
        let libraries = try twice([]) { project in
            // Without the library, whose build takes a minute each time.
            let manifest = project.appending(path: "Package.swift")
            let text = try String(contentsOf: manifest, encoding: .utf8)
            try text.replacing(#/(?s: *\.testTarget\(.*?\+ shared\),\n)/#, with: "")
                .replacing(#/ *\.(product|package)\(.*\n/#, with: "")
                .write(to: manifest, atomically: true, encoding: .utf8)
            try """
            public final class Salon {
                public init() {}
                public func cut(_ lengths: [Int]) -> Int {
                    precondition(lengths.count > 1, "\\(#file) of \\(#fileID)")
                    return lengths.sorted()[1]
                }
            }
            """.write(to: project.appending(path: "Sources/Salon/Salon.swift"), atomically: true, encoding: .utf8)
            try Tool.run(
                try Tool.find("swift"), ["build", "--package-path", project.path, "-c", "release", "-j", "1"])
            return project.appending(path: ".build/release/libSalon.so")
        }
        let code = try libraries.map { try Data(contentsOf: $0) }
        #expect(code[0] == code[1])
        for (library, code) in zip(libraries, code) {
            let folder = library.pathComponents.prefix { $0 != "Salon" }.last ?? ""
            #expect(code.range(of: Data("/\(folder)/".utf8)) == nil)
        }
    }

    /// The sample plug-in Template is exactly what the tool makes, so that there is only one template.
    @Test func theTemplateIsWhatIsMade() throws {
        let folder = try folder()
        for name in ["Examples", "Testing"] {
            try FileManager.default.createSymbolicLink(
                at: folder.appending(path: name), withDestinationURL: Workspace.project.appending(path: name))
        }
        let plugins = folder.appending(path: "Plugins")
        try FileManager.default.createDirectory(at: plugins, withIntermediateDirectories: true)
        let made = try make(
            "Template", ["--app-api", "../Examples/DemoAPI", "--product", "DemoAPI", "--library", ".."], in: plugins)
        let output = try Tool.output(
            "/usr/bin/diff",
            ["-r", "--exclude=.build", made.path, Workspace.project.appending(path: "Plugins/Template").path])
        #expect(output.status == 0, "\(output.standardOutput)")
    }

    @Test func aPackageDependsOnTheLibraryThatItsApplicationUses() throws {
        let folder = try folder()
        let api = folder.appending(path: "TextAPI")
        try FileManager.default.createDirectory(at: api, withIntermediateDirectories: true)
        try """
        // swift-tools-version: 6.3
        import PackageDescription
        let package = Package(
            name: "TextAPI", products: [.library(name: "TextAPI", targets: ["TextAPI"])],
            dependencies: [.package(url: "https://example.org/PluginHost.git", from: "0.4.2")], targets: [.target(name: "TextAPI")])
        """.write(to: api.appending(path: "Package.swift"), atomically: true, encoding: .utf8)
        let project = try make("Salon", ["--app-api", "TextAPI"], in: folder)
        let manifest = try String(contentsOf: project.appending(path: "Package.swift"), encoding: .utf8)
        #expect(
            manifest.contains(#".package(url: "https://example.org/PluginHost.git", from: "0.4.2")"#), "\(manifest)")
        #expect(manifest.contains(#".package(name: "TextAPI", path: "../TextAPI")"#))
        #expect(manifest.contains(#".product(name: "TextAPI", package: "TextAPI")"#))
        // The package manager finds no second package at an address, so the tests do without the kit.
        let file = project.appending(path: "Tests/SalonTests/SalonTests.swift")
        let tests = try String(contentsOf: file, encoding: .utf8)
        #expect(!manifest.contains("PluginTesting") && !tests.contains("PluginTesting"))
    }

    /// The package of an application's API, whose protocol has these further requirements.
    private func api(in folder: URL, _ requirements: String) throws {
        let sources = folder.appending(path: "TextAPI/Sources/TextAPI")
        try FileManager.default.createDirectory(at: sources, withIntermediateDirectories: true)
        try """
        // swift-tools-version: 6.3
        import PackageDescription
        let package = Package(
            name: "TextAPI", products: [.library(name: "TextAPI", targets: ["TextAPI"])],
            dependencies: [.package(url: "https://example.org/PluginHost.git", from: "0.4.2")], targets: [.target(name: "TextAPI")])
        """.write(to: folder.appending(path: "TextAPI/Package.swift"), atomically: true, encoding: .utf8)
        try """
        public import PluginABI

        public struct Title: Sendable {}

        /* protocol TextFilter { func unlike() } */
        public protocol TextFilter: Plugin {
            /// Changes a text. It is not { a block }.
            func filter(_ text: String) throws -> String
            func count(
                of word: String,
                in text: [String]
            ) -> Int
            var title: String { get }
            \(requirements)
        }

        extension ExtensionPoint where Interface == any TextFilter {
            public static var textFilter: Self { .init("org.example.text-filter", version: 3) }
        }
        """.write(to: sources.appending(path: "TextAPI.swift"), atomically: true, encoding: .utf8)
    }

    @Test func theCodeUsesAnExtensionPointOfTheApplicationsAPI() throws {
        let folder = try folder()
        try api(in: folder, "func choose() throws -> Title\n    func reset()\n    var size: Double? { get throws }")
        let project = try make("Salon", ["--app-api", "TextAPI"], in: folder)
        let source = project.appending(path: "Sources/Salon/Salon.swift")
        let code = try String(contentsOf: source, encoding: .utf8)
        #expect(code.contains(#"plugin.provide(.textFilter, named: "salon", SalonTextFilter.init)"#), "\(code)")
        let library = ["-emit-library", "-O", "-parse-as-library"] + Compiler.libraryFlags
        try Tool.run(
            try Tool.find("swiftc"),
            library + [
                "-module-name", "TextAPI", folder.path + "/TextAPI/Sources/TextAPI/TextAPI.swift", "-emit-module",
                "-emit-module-path", folder.path + "/TextAPI.swiftmodule", "-o", folder.path + "/libTextAPI.so",
                "-swift-version", "6", "-enable-upcoming-feature", "InternalImportsByDefault",
            ])
        try Tool.run(
            try Tool.find("swiftc"),
            library + [
                "-module-name", "Salon", source.path, "-I", folder.path, "-L", folder.path, "-lTextAPI",
                "-swift-version",
                "6", "-enable-upcoming-feature", "InternalImportsByDefault", "-o", folder.path + "/libSalon.so",
            ])
        let pack = try run([Self.program, "pack", "--products", folder.path, project.path], in: project)
        #expect(pack.status == 0, "\(pack)")
        let load = try PluginHostTool.run(
            "load", "--strict", project.path + "/Salon.bundle",
            environment: ["LD_LIBRARY_PATH": Workspace.products.path + ":" + folder.path])
        let words = PluginHostTool.words(load.standardOutput)
        #expect(load.status == 0 && words.contains("provider salon org.example.text-filter 3"), "\(load)")
    }

    /// What only the application knows is left to the author.
    @Test(arguments: [
        "func choose() -> Title", "func sort<T: Comparable>(_ items: [T]) throws -> T", "associatedtype Kind",
        "init(number: Int)", "var width: Int { get set }", "static func make() -> Int",
        "func fill(_ text: inout String)",
    ])
    func aPointForWhichNoCodeCanBeWrittenIsNotUsed(_ requirement: String) throws {
        let folder = try folder()
        try api(in: folder, requirement)
        let project = try make("Salon", ["--app-api", "TextAPI"], in: folder)
        for file in ["Sources/Salon/Salon.swift", "Info.plist"] {
            let text = try String(contentsOf: project.appending(path: file), encoding: .utf8)
            #expect(!text.contains("provide(") && !text.contains("text-filter") && !text.contains("__API"), "\(text)")
        }
    }

    @Test func noWordOfATemplateIsLeft() throws {
        for language in Self.languages {
            let project = try make("Salon", ["--language", language], in: try folder())
            for path in try FileManager.default.subpathsOfDirectory(atPath: project.path) {
                guard let data = FileManager.default.contents(atPath: project.appending(path: path).path) else {
                    continue
                }
                let text = String(decoding: data, as: UTF8.self)
                let word = text.firstMatch(of: /__(NAME|API|PLUGINHOST|TESTING|IDENT|LANG|COMP)/)
                #expect(!path.contains("__NAME__") && word == nil)
            }
        }
    }

    @Test(
        .fault(475),
        arguments: [
            "", "my-plugin", "../up", "a/b", "1st", "func", "PluginHost", "Testing", "naïve", ".hidden", "a b",
            "Main", "main", String(repeating: "x", count: 65),
        ])
    func aNameThatIsNoModulesIsRefused(_ name: String) throws {
        let folder = try folder()
        let output = try run([Self.program, "new", name], in: folder)
        #expect(output.status == 2, "\(output)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
    }

    @Test(.fault(475), arguments: Self.languages) func whatExistsIsNotOverwritten(_ language: String) throws {
        let folder = try folder()
        let old = folder.appending(path: "Salon")
        try FileManager.default.createDirectory(at: old, withIntermediateDirectories: true)
        try Data("mine".utf8).write(to: old.appending(path: "README.md"))
        try FileManager.default.createSymbolicLink(
            atPath: folder.path + "/Dangling", withDestinationPath: folder.path + "/elsewhere")
        for name in ["Salon", "Dangling"] {
            let output = try run([Self.program, "new", name, "--language", language], in: folder)
            #expect(output.status == 2 && output.standardOutput.contains("exists already"), "\(output)")
        }
        #expect(
            try FileManager.default.subpathsOfDirectory(atPath: folder.path).sorted() == [
                "Dangling", "Salon", "Salon/README.md",
            ])
        #expect(try String(contentsOf: old.appending(path: "README.md"), encoding: .utf8) == "mine")
    }

    @Test(arguments: [["--language", "cobol"], ["--product", "X"], ["--app-api", "/nonexistent", "--language", "c"]])
    func aWrongUseIsTwo(_ arguments: [String]) throws {
        #expect(try run([Self.program, "new", "Salon"] + arguments, in: folder()).status == 2)
    }

    @Test func theDocumentHasEveryKey() throws {
        let output = try run([Self.program, "new", "Salon", "--json"], in: folder())
        let object = try JSONSerialization.jsonObject(with: Data(output.standardOutput.utf8)) as? [String: Any]
        #expect(
            object?.keys.sorted() == [
                "command", "error", "format", "identifier", "kind", "language", "name", "path",
            ])
    }
}
