import Fixtures
import Foundation
import Testing

/// `pluginhost new --application`: the project that it makes builds, lists and runs its plug-in, in the program's process
/// and in a sandbox, and its proxies are current.
///
/// The code is built with the compiler alone. Scripts/tutorials.py builds a project with the package manager.
@Suite struct NewApplicationTests {
    private static func made(_ name: String, _ arguments: String...) throws -> (output: Tool.Output, folder: URL) {
        let folder = Workspace.temporary.appending(path: "application-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let output = try Tool.output(
            "/usr/bin/env",
            ["-C", folder.path, Workspace.products.appending(path: "pluginhost").path, "new", name, "--application"]
                + arguments, environment: ["LC_ALL": "C.UTF-8", "LANGUAGE": ""])
        return (output, folder.appending(path: name))
    }

    /// The made project, and what was built of it.
    private struct Built {
        let project: URL
        let products: URL

        /// The program's answer, for a user with a home of its own.
        func run(
            _ arguments: String..., input: String? = nil, language: String = "en", plugins: String? = nil
        ) throws -> Tool.Output {
            try run(arguments, input: input, language: language, plugins: plugins)
        }

        func run(
            _ arguments: [String], input: String? = nil, language: String = "en", plugins: String? = nil,
            environment other: [String: String] = [:]
        ) throws -> Tool.Output {
            var environment = [
                "LC_ALL": "C.UTF-8", "LANGUAGE": language, "HOME": products.path,
                "XDG_STATE_HOME": products.appending(path: "state").path,
                "XDG_CACHE_HOME": products.appending(path: "cache").path,
                "LD_LIBRARY_PATH": "\(products.path):\(Workspace.products.path)",
            ]
            environment["NOTES_PLUGIN_PATH"] = plugins
            environment.merge(other) { $1 }
            let program = products.appending(path: "notes").path
            guard let input else { return try Tool.output(program, arguments, environment: environment) }
            return try Tool.output(
                "/bin/sh", ["-c", "echo \(input) | exec \"$0\" \"$@\"", program] + arguments, environment: environment)
        }

        /// Makes a bundle without any finding.
        func pack(_ arguments: String...) throws -> Tool.Output {
            try PluginHostTool.run(
                ["pack", "--strict", "--host", products.appending(path: "notes").path] + arguments,
                environment: ["LD_LIBRARY_PATH": "\(products.path):\(Workspace.products.path)"])
        }
    }

    /// Built once for all tests.
    ///
    /// The worker's user must be able to enter the directories.
    private static let built = Result {
        let (output, project) = try made("Notes")
        guard output.status == 0 else { throw Tool.Failure(description: "\(output)") }
        let products = project.deletingLastPathComponent().appending(path: "products")
        try FileManager.default.createDirectory(at: products, withIntermediateDirectories: true)
        let compiler = try Tool.find("swiftc")
        func compile(_ module: String, _ sources: String, _ arguments: [String], extra: [String] = []) throws {
            let folder = project.appending(path: sources)
            let files = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter {
                $0.hasSuffix(".swift")
            }
            try Tool.run(
                compiler,
                ["-parse-as-library", "-module-name", module, "-I", products.path, "-L", products.path]
                    + files.map { folder.appending(path: $0).path } + extra + arguments + Compiler.libraryFlags)
        }
        try compile(
            "NotesAPI", "NotesAPI/Sources/NotesAPI",
            [
                "-enable-library-evolution",
                "-emit-library", "-emit-module", "-o", products.appending(path: "libNotesAPI.so").path,
                "-emit-module-path", products.appending(path: "NotesAPI.swiftmodule").path,
            ])
        try compile(
            "Signature", "Plugins/Signature/Sources",
            ["-emit-library", "-o", products.appending(path: "libSignature.so").path, "-lNotesAPI"])
        // The package manager generates this accessor.
        let accessor = products.appending(path: "Accessor.swift")
        try """
        import Foundation
        extension Bundle {
            static let module = Bundle(path: "\(project.path)/Sources/notes/Resources")!
        }
        """.write(to: accessor, atomically: true, encoding: .utf8)
        try compile(
            "notes", "Sources/notes",
            [
                "-emit-executable", "-o", products.appending(path: "notes").path, "-lNotesAPI",
                "-Xlinker", "-rpath=$ORIGIN:\(Workspace.products.path)",
            ], extra: [accessor.path])
        let built = Built(project: project, products: products)
        let pack = try built.pack(
            "--products", products.path, "--output", products.appending(path: "Plugins").path,
            project.appending(path: "Plugins/Signature").path)
        guard pack.status == 0 else { throw Tool.Failure(description: "\(pack)") }
        return built
    }

    @Test func itsPluginIsListedAndUsedAtOnce() throws {
        let built = try Self.built.get()
        let list = try built.run()
        #expect(list.status == 0 && list.standardOutput == "signature: Signature (Signature)\n", "\(list)")
        let signed = try built.run("signature", "Hello,", "world")
        #expect(signed.status == 0 && signed.standardOutput.hasPrefix("Hello, world\nWritten on "), "\(signed)")
    }

    @Test func itsTextsAreInTheUsersLanguage() throws {
        let built = try Self.built.get()
        #expect(try built.run(language: "de").standardOutput == "signature: Unterschrift (Unterschrift)\n")
        let signed = try built.run("signature", "Hallo", language: "de")
        #expect(signed.standardOutput.hasPrefix("Hallo\nGeschrieben auf "), "\(signed)")
        let unknown = try built.run("none", "Hallo", language: "de")
        #expect(unknown.status == 1)
        #expect(
            unknown.standardError == "notes: Kein Plug-in hat einen Filter „none“. Den Grund findet: "
                + "pluginhost doctor --application notes\n")
    }

    @Test func aSandboxedPluginReachesOnlyWhatTheUserAllowed() throws {
        let built = try Self.built.get()
        let question = "Signature wants to read /etc/hostname.\n"
        // The end of the input is no answer, so the question comes again.
        for _ in 1...2 {
            let unanswered = try built.run("--sandboxed", "signature", "Hello")
            #expect(unanswered.standardOutput.hasPrefix(question), "\(unanswered)")
            #expect(unanswered.standardOutput.hasSuffix("Hello\nWritten on a computer.\n"), "\(unanswered)")
        }
        let allowed = try built.run("--sandboxed", "signature", "Hello", input: "yes")
        #expect(allowed.status == 0 && allowed.standardOutput.hasPrefix(question), "\(allowed)")
        let name = try? String(contentsOfFile: "/etc/hostname", encoding: .utf8)
        let computer = name?.split(separator: "\n").first.map(String.init) ?? "a computer"
        #expect(allowed.standardOutput.hasSuffix("Hello\nWritten on \(computer).\n"), "\(allowed)")
        // The answer is kept.
        let later = try built.run("--sandboxed", "signature", "Hello")
        #expect(later.standardOutput == "Hello\nWritten on \(computer).\n", "\(later)")
    }

    @Test func aRefusalIsKept() throws {
        let built = try Self.built.get()
        let state = built.products.appending(path: "refused")
        let program = built.products.appending(path: "notes").path
        for expectsQuestion in [true, false] {
            let output = try Tool.output(
                "/bin/sh", ["-c", "printf 'vielleicht\\nNein\\n' | exec \"$0\" --sandboxed signature Hello", program],
                environment: [
                    "LC_ALL": "C.UTF-8", "LANGUAGE": "de", "XDG_STATE_HOME": state.path, "HOME": built.products.path,
                    "LD_LIBRARY_PATH": "\(built.products.path):\(Workspace.products.path)",
                ])
            #expect(output.standardOutput.contains("Unterschrift möchte /etc/hostname lesen.") == expectsQuestion)
            #expect(output.standardOutput.hasSuffix("Hello\nGeschrieben auf einem Computer.\n"), "\(output)")
            // An answer that is neither is asked for again, and a refusal names the way back.
            let questions = output.standardOutput.components(separatedBy: "Erlauben? „ja“ oder „nein“:").count - 1
            #expect(questions == (expectsQuestion ? 2 : 0), "\(output)")
            #expect(output.standardOutput.contains("notes --sandboxed --ask …") == expectsQuestion, "\(output)")
        }
        let again = try built.run(
            ["--sandboxed", "--ask", "signature", "Hello"], input: "j", language: "de",
            environment: ["XDG_STATE_HOME": state.path])
        #expect(again.standardOutput.contains("Unterschrift möchte /etc/hostname lesen."), "\(again)")
        #expect(again.standardOutput.hasSuffix(".\n") && !again.standardOutput.contains("einem Computer"), "\(again)")
        // “--ask” forgets the answer once, so a program that goes on, as with “--watch”, asks once.
        for options in [["--sandboxed", "--ask"], ["--sandboxed"]] {
            let forgotten = try built.run(
                options + ["signature", "Hello"], language: "de", environment: ["XDG_STATE_HOME": state.path])
            #expect(forgotten.standardOutput.contains("Unterschrift möchte /etc/hostname lesen."), "\(forgotten)")
        }
    }

    @Test func aListAsksNothing() throws {
        let built = try Self.built.get()
        #expect(try built.run("--sandboxed").standardOutput == "signature: Signature (Signature)\n")
    }

    @Test func itsHelpExplainsItsOptions() throws {
        let help = try Self.built.get().run("-h", language: "de")
        #expect(help.status == 0 && help.standardOutput.contains("--watch      Zeigt"), "\(help)")
    }

    /// In the program's own process; the next start does without it, and the one after it tries again.
    @Test func aPluginThatEndedTheProgramIsLeftOutOnce() throws {
        let built = try Self.built.get()
        let folder = built.products.appending(path: "crashing")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let project = built.project.appending(path: "Plugins/Signature")
        let source = folder.appending(path: "Signature.swift")
        let code = try String(contentsOf: project.appending(path: "Sources/Signature.swift"), encoding: .utf8)
        let start = try #require(code.range(of: "func filter(_ text: String) -> String {"))
        try code.replacingCharacters(in: start, with: code[start] + " if text == \"crash\" { fatalError() }; return")
            .write(to: source, atomically: true, encoding: .utf8)
        try Tool.run(
            try Tool.find("swiftc"),
            [
                "-emit-library", "-parse-as-library", "-module-name", "Signature", "-I", built.products.path, "-L",
                built.products.path, "-lNotesAPI", source.path, "-o", folder.appending(path: "libSignature.so").path,
            ] + Compiler.libraryFlags)
        let pack = try PluginHostTool.run(
            "pack", "--products", folder.path, "--output", folder.path, project.path,
            environment: ["LD_LIBRARY_PATH": "\(built.products.path):\(Workspace.products.path)"])
        #expect(pack.status == 0, "\(pack)")
        let state = ["XDG_STATE_HOME": folder.appending(path: "state").path]
        func run(_ words: String...) throws -> Tool.Output {
            try built.run(words, plugins: folder.path, environment: state)
        }
        #expect(try run("signature", "crash").status != 0)
        let next = try run()
        #expect(next.standardError.contains("“org.example.Notes.Signature” ended the program"), "\(next)")
        #expect(next.standardOutput.isEmpty, "\(next)")
        let later = try run()
        #expect(later.standardOutput == "signature: Signature (Signature)\n", "\(later)")
    }

    @Test func aBundleThatCannotBeUsedIsExplainedAndTheOthersWork() throws {
        let built = try Self.built.get()
        let plugins = built.products.appending(path: "broken")
        try FileManager.default.createDirectory(at: plugins, withIntermediateDirectories: true)
        try FileManager.default.copyItem(
            at: built.products.appending(path: "Plugins/Signature.bundle"),
            to: plugins.appending(path: "Signature.bundle"))
        let faulty = plugins.appending(path: "Faulty.bundle/Contents")
        try FileManager.default.createDirectory(at: faulty, withIntermediateDirectories: true)
        try Data("<plist>".utf8).write(to: faulty.appending(path: "Info.plist"))
        let output = try built.run(plugins: plugins.path)
        #expect(output.status == 1 && output.standardOutput == "signature: Signature (Signature)\n", "\(output)")
        #expect(output.standardError.contains("Faulty.bundle/Contents/Info.plist"), "\(output)")
        // No plug-in at all is no fault.
        let none = try built.run(plugins: "/nonexistent")
        #expect(none.status == 0 && none.standardOutput.isEmpty, "\(none)")
        #expect(none.standardError.hasPrefix("notes: No plug-in has a filter. To find out why: "), "\(none)")
    }

    @Test(arguments: [["--unknown"], ["signature"], ["--ask"]]) func aWrongUseOfItsProgramIsTwo(_ arguments: [String])
        throws
    {
        let built = try Self.built.get()
        let output = try built.run(arguments[0])
        #expect(output.status == 2 && output.standardError.hasPrefix("Usage: notes [--sandboxed [--ask]]"), "\(output)")
    }

    /// Its library is found by nothing but the name of its program.
    @Test(arguments: [
        ["load"], ["load", "--isolated"], ["load", "--sandboxed"], ["check", "--level", "standard"], ["probe"],
    ])
    func codeThatNeedsItsLibraryRunsOutsideOfIt(_ command: [String]) throws {
        let built = try Self.built.get()
        let bundle = built.products.appending(path: "Plugins/Signature.bundle").path
        let program = built.products.appending(path: "notes").path
        let output = try PluginHostTool.run(command + ["--host", program, bundle])
        #expect(output.status == 0, "\(output)")
        if command[0] == "check" { return }
        let alone = try PluginHostTool.run(command + [bundle])
        #expect(alone.status == 1 && alone.standardOutput.contains("libNotesAPI.so"), "\(alone)")
        #expect(alone.standardOutput.contains("--host"), "\(alone)")
    }

    @Test func itsInterfaceMayGrow() throws {
        let built = try Self.built.get()
        let manifest = try String(
            contentsOf: built.project.appending(path: "NotesAPI/Package.swift"), encoding: .utf8)
        #expect(manifest.contains("\"-enable-library-evolution\"") && manifest.contains("swiftSettings: evolution"))
        let check = try PluginHostTool.run(
            "check", "--level", "standard", "--host", built.products.appending(path: "notes").path, "--json",
            built.products.appending(path: "Plugins/Signature.bundle").path)
        #expect(!check.standardOutput.contains("interfaceUnrecorded"), "\(check)")
    }

    @Test func itsTextsAreComplete() throws {
        let built = try Self.built.get()
        let lint = try PluginHostTool.run(
            "lint", "--strict", "--sources", built.project.appending(path: "Plugins/Signature/Sources").path,
            built.project.appending(path: "Plugins/Signature").path)
        #expect(lint.status == 0, "\(lint)")
        let tables = ["en", "de"].map { built.project.appending(path: "Sources/notes/Resources/\($0).lproj").path }
        let difference = try PluginHostTool.run(
            "strings", "diff", tables[0] + "/Localizable.strings", tables[1] + "/Localizable.strings")
        #expect(difference.status == 0, "\(difference)")
    }

    /// The file with the proxies is a template, and must be what the tool writes.
    @Test func itsProxiesAreCurrent() throws {
        let built = try Self.built.get()
        let graphs = built.products.appending(path: "graphs")
        try FileManager.default.createDirectory(at: graphs, withIntermediateDirectories: true)
        let sources = built.project.appending(path: "NotesAPI/Sources/NotesAPI").path
        try Tool.run(
            try Tool.find("swiftc"),
            [
                "-parse-as-library", "-module-name", "NotesAPI", "-D", "GENERATING_PROXIES", "-emit-module", "-o",
                graphs.appending(path: "NotesAPI.swiftmodule").path, "-emit-symbol-graph", "-emit-symbol-graph-dir",
                graphs.path, "-symbol-graph-minimum-access-level", "private", sources + "/TextFilter.swift",
                sources + "/Proxies.swift",
            ] + Compiler.libraryFlags)
        let check = try PluginHostTool.run(
            "remote", "--module", "NotesAPI", "--check", "--output", sources + "/Proxies.swift",
            graphs.appending(path: "NotesAPI.symbols.json").path,
            graphs.appending(path: "NotesAPI@PluginABI.symbols.json").path)
        #expect(check.status == 0, "\(check)")
    }

    /// The package of the application, a folder that is none, a product of another name.
    @Test(arguments: [
        (["--app-api", "PROJECT"], "has no library product “Notes”, only “Signature”."),
        (["--app-api", "PROJECT/Plugins"], "Plugins/Package.swift”"),
        (["--app-api", "PROJECT/NotesAPI", "--product", "Foo"], "no library product “Foo”, only “NotesAPI”."),
        (["--app-api", "PROJECT/NotesAPI", "--language", "c"], "has no C headers, in Sources/…/include."),
    ])
    func anAPIThatIsNoneIsRefusedBeforeAnythingIsMade(_ arguments: [String], said: String) throws {
        let built = try Self.built.get()
        let folder = built.products.appending(path: "refused-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let output = try Tool.output(
            "/usr/bin/env",
            ["-C", folder.path, Workspace.products.appending(path: "pluginhost").path, "new", "Whisper"]
                + arguments.map { $0.replacingOccurrences(of: "PROJECT", with: built.project.path) })
        #expect(output.status == 2 && PluginHostTool.words(output.standardOutput).contains(said), "\(output)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    }

    /// Authors of other plug-ins begin with the template of the API.
    @Test func thePluginOfAnotherAuthorIsListedAndUsed() throws {
        let built = try Self.built.get()
        let authors = built.products.appending(path: "authors")
        try FileManager.default.createDirectory(at: authors, withIntermediateDirectories: true)
        let tool = Workspace.products.appending(path: "pluginhost").path
        try Tool.run(
            "/usr/bin/env",
            ["-C", authors.path, tool, "new", "Whisper", "--app-api", built.project.appending(path: "NotesAPI").path])
        try Tool.run(
            try Tool.find("swiftc"),
            [
                "-emit-library", "-parse-as-library", "-module-name", "Whisper", "-I", built.products.path, "-L",
                built.products.path, "-lNotesAPI",
                authors.appending(path: "Whisper/Sources/Whisper/Whisper.swift").path,
                "-o", authors.appending(path: "libWhisper.so").path,
            ] + Compiler.libraryFlags)
        let pack = try built.pack(
            "--products", authors.path, "--output", authors.path, authors.appending(path: "Whisper").path)
        #expect(pack.status == 0, "\(pack)")
        let list = try built.run(language: "de", plugins: authors.path)
        #expect(list.standardOutput == "Whisper: Whisper (Whisper)\n", "\(list)")
        let whispered = try built.run("Whisper", "Hallo", language: "de", plugins: authors.path)
        #expect(whispered.standardOutput == "Merke: Hallo\n", "\(whispered)")
    }

    /// A French application: its plug-ins are not German because the tool's own template is.
    @Test func aTemplatesLanguagesAreThoseOfThePlugIn() throws {
        let (_, project) = try Self.made("Salon")
        let resources = project.appending(path: "SalonAPI/PluginTemplate/swift/Resources")
        try FileManager.default.moveItem(
            at: resources.appending(path: "de.lproj"), to: resources.appending(path: "fr.lproj"))
        let output = try Tool.output(
            "/usr/bin/env",
            [
                "-C", project.path, Workspace.products.appending(path: "pluginhost").path, "new", "Murmure",
                "--app-api", "SalonAPI",
            ])
        #expect(output.status == 0, "\(output)")
        let made = project.appending(path: "Murmure/Resources").path
        // Its tests load the built library, so they can also run it in a sandbox.
        let package = try String(contentsOf: project.appending(path: "Murmure/Package.swift"), encoding: .utf8)
        #expect(package.contains("dependencies: [.product(name: \"PluginTesting\""), "\(package)")
        let tables = try FileManager.default.subpathsOfDirectory(atPath: made).filter { $0.hasSuffix(".strings") }
        #expect(
            tables.sorted()
                == ["en", "fr"].flatMap { language in
                    ["InfoPlist", "Localizable", "Providers"].map { "\(language).lproj/\($0).strings" }
                })
    }

    // MARK: The command

    @Test func noWordOfATemplateIsLeft() throws {
        let (output, project) = try Self.made("Salon", "--identifier", "org.salon")
        #expect(output.status == 0 && output.standardOutput.contains("swift run salon"), "\(output)")
        var paths: [String] = []
        for path in try FileManager.default.subpathsOfDirectory(atPath: project.path) {
            paths.append(path)
            // Its placeholders are for “pluginhost new --app-api”.
            if path.hasPrefix("SalonAPI/PluginTemplate") { continue }
            guard let data = FileManager.default.contents(atPath: project.appending(path: path).path) else { continue }
            let text = String(decoding: data, as: UTF8.self)
            #expect(!path.contains("__") && text.firstMatch(of: /__[A-Z]+_/) == nil, "\(path)")
        }
        #expect(
            paths.contains("SalonAPI/Sources/SalonAPI/Proxies.swift") && paths.contains("Sources/salon/Program.swift"))
        let info = project.appending(path: "Plugins/Signature/Info.plist")
        #expect(try String(contentsOf: info, encoding: .utf8).contains("org.salon.Signature"))
    }

    /// The package manager finds no second package at an address, so the project has no tests, which need the kit.
    @Test func aLibraryAtAnAddressHasNoKit() throws {
        let (output, project) = try Self.made("Salon", "--library", "https://example.org/PluginHost.git@0.4.2")
        #expect(output.status == 0, "\(output)")
        let manifest = try String(contentsOf: project.appending(path: "Package.swift"), encoding: .utf8)
        #expect(manifest.contains(#".package(url: "https://example.org/PluginHost.git", from: "0.4.2")"#))
        #expect(!manifest.contains("Test"))
        #expect(!FileManager.default.fileExists(atPath: project.appending(path: "Tests").path))
        let dump = try Tool.output(Tool.find("swift"), ["package", "--package-path", project.path, "dump-package"])
        #expect(dump.status == 0, "\(dump)")
    }

    @Test func aRelativeLibraryIsFoundFromBothPackages() throws {
        let (_, project) = try Self.made("Salon", "--library", "elsewhere")
        for (path, manifest) in [("../elsewhere", "Package.swift"), ("../../elsewhere", "SalonAPI/Package.swift")] {
            let text = try String(contentsOf: project.appending(path: manifest), encoding: .utf8)
            #expect(text.contains(#".package(name: "PluginHost", path: "\#(path)")"#), "\(text)")
        }
    }

    @Test(.fault(475), arguments: ["", "a/b", "1st", "Import", "Testing", "Main", "Signature", "naïve"])
    func aNameThatIsNoModulesIsRefused(_ name: String) throws {
        let (output, project) = try Self.made(name)
        #expect(output.status == 2 && output.standardOutput.contains("not made"), "\(output)")
        let parent = name.contains("/") || name.isEmpty ? Workspace.temporary : project.deletingLastPathComponent()
        #expect(!FileManager.default.fileExists(atPath: parent.appending(path: "Package.swift").path))
    }

    @Test(arguments: [["--language", "c"], ["--app-api", "X"]])
    func anOptionOfPluginsIsRefused(_ option: [String]) throws {
        #expect(try Self.made("Salon", option[0], option[1]).output.status == 2)
    }
}
