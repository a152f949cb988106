import Fixtures
import Foundation
import Testing

/// The main bundle of a program, by the place of the program; in processes of their own.
@Suite struct MainBundle {
    private static let source = """
        import Foundation
        import PluginHost
        let main = PluginBundle.main
        print(main.bundlePath)
        print(main.executablePath ?? "none")
        print(main.bundleIdentifier ?? "none")
        print(main.localizedString(forKey: "hello", value: "no string", table: nil))
        print(PluginBundle.allBundles.first === main && PluginBundle(path: main.bundlePath) === main)
        """

    private static let info = "{ CFBundleIdentifier = org.example.main; }"

    /// A directory with the program at a path and files beside it.
    private func install(_ program: String, _ files: [String: String] = [:], built: URL? = nil) throws -> URL {
        let root = Workspace.temporary.appending(path: "main/\(UUID().uuidString)")
        let built = try built ?? Compiler.executable("MainProgram", source: Self.source)
        let place = root.appending(path: program)
        try FileManager.default.createDirectory(
            at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
        try FileManager.default.copyItem(at: built, to: place)
        for (name, content) in files {
            let file = root.appending(path: name)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try content.write(to: file, atomically: false, encoding: .utf8)
        }
        return root
    }

    /// What the program found: the bundle relative to the root, its executable, identifier and string.
    private func run(_ program: String, _ files: [String: String] = [:], link: String? = nil) throws -> [String] {
        let root = try install(program, files)
        var path = root.appending(path: program).path
        if let link {
            let place = root.appending(path: link).path
            try FileManager.default.createSymbolicLink(atPath: place, withDestinationPath: path)
            path = place
        }
        let lines = try Tool.run(path, []).split(separator: "\n").map(String.init)
        #expect(lines.last == "true")
        return lines.dropLast().map { $0 == root.path ? "." : $0.replacing(root.path + "/", with: "") }
    }

    private static let found = ["org.example.main", "Hello"]

    @Test(arguments: ["Linux", "Linux-\(machine)", "\(machine)-linux"])
    func aProgramInsideAnApplicationIsTheApplications(directory: String) throws {
        let program = "X.app/Contents/\(directory)/X"
        let files = [
            "X.app/Contents/Info.plist": Self.info,
            "X.app/Contents/Resources/en.lproj/Localizable.strings": "hello = Hello;",
        ]
        #expect(try run(program, files) == ["X.app", program] + Self.found)
        #expect(try run(program, files, link: "link") == ["X.app", program] + Self.found)
    }

    @Test func aProgramInTheRootOfAnApplicationIsTheApplications() throws {
        let files = [
            "X.app/Resources/Info-gnustep.plist": Self.info,
            "X.app/Resources/en.lproj/Localizable.strings": "hello = Hello;",
        ]
        #expect(try run("X.app/X", files) == ["X.app", "X.app/X"] + Self.found)
    }

    @Test func anInstalledProgramHasItsResourcesInShareOrBesideIt() throws {
        for resources in ["share/X.resources", "bin/X.resources"] {
            let files = [
                "\(resources)/Info.plist": Self.info, "\(resources)/en.lproj/Localizable.strings": "hello = Hello;",
            ]
            #expect(try run("bin/X", files) == [resources, "bin/X"] + Self.found)
        }
    }

    @Test func theBundleOfABareProgramIsItsDirectory() throws {
        #expect(try run("tools/X") == ["tools", "tools/X", "none", "no string"])
        // The name of the directory above has no meaning without Contents' own folders in it.
        #expect(try run("Contents/other/X") == ["Contents/other", "Contents/other/X", "none", "no string"])
    }

    /// With any Info.plist, and without one: as Foundation's Bundle.main, whose code runs.
    @Test func theProgramsBundleIsLoadedFromTheStart() throws {
        let source = """
            import PluginHost
            public final class First {}
            public final class Second { public final class Inner {} }
            let main = PluginBundle.main
            print(main.isLoaded, main.state == .active, main.load(), main.loadError == nil)
            try main.preflight()
            try main.loadAndReturnError()
            print(main.principalClass as Any, main.classNamed("Second") as Any, main.classNamed("Second.Inner") as Any)
            print(main.classNamed("PluginBundle") as Any, main.registrations.count, main.unload(), main.isLoaded)
            """
        let program = try Compiler.executable("LoadedProgram", source: source)
        let root = try install("X.app/Contents/Linux/X", [:], built: program)
        let expected = """
            true true true true
            Optional(LoadedProgram.First) Optional(LoadedProgram.Second) Optional(LoadedProgram.Second.Inner)
            nil 0 false true

            """
        #expect(try Tool.run(root.appending(path: "X.app/Contents/Linux/X").path, []) == expected)
        // An unknown name, an unreadable list, an executable that is not the program: it runs all the same.
        for list in ["{ NSExecutable = Y; NSPrincipalClass = First; }", "{ broken", "{ PHFunctions = no; }"] {
            let info = root.appending(path: "X.app/Contents/Info.plist")
            try list.write(to: info, atomically: false, encoding: .utf8)
            #expect(try Tool.run(root.appending(path: "X.app/Contents/Linux/X").path, []) == expected)
        }
    }

    /// As a user who may enter the program's directory and not list it.
    @Test(.fault(751)) func aMainBundleThatCannotBeReadIsOneObjectAndAsksItselfForNothing() throws {
        let source = """
            import PluginHost
            let main = PluginBundle.main
            print(main === PluginBundle.main, main.manifestError != nil)
            let bundle = try PluginBundle.open(path: main.bundlePath + "/../P.bundle")
            for asked in [main, bundle, PluginBundle(path: main.bundlePath)!] {
                print(asked.localizedString(forKey: "hello", value: "none", table: nil))
                print(asked.image(named: "seal") == nil, asked.sound(named: "bell") == nil)
                print(asked.path(forResource: "a", ofType: "txt") == nil)
            }
            """
        let program = try Compiler.executable("UnreadProgram", source: source)
        let files = ["P.bundle/Contents/Info.plist": "{}", "P.bundle/Contents/Resources/x.txt": ""]
        let root = try install("closed/X", files, built: program)
        let directory = root.appending(path: "closed").path
        chmod(directory, 0o311)
        defer { chmod(directory, 0o755) }
        let runner = getuid() == 0 ? ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] : []
        let output = try Tool.output("/usr/bin/env", runner + [directory + "/X"])
        let answers = String(repeating: "none\ntrue true\ntrue\n", count: 3)
        #expect(output.status == 0 && output.standardOutput == "true true\n" + answers, "\(output)")
    }

    @Test func aMainBundleThatAllowsMixedLocalisationsFreesAllBundles() throws {
        let source = """
            import PluginHost
            HostEnvironment.current.preferredLanguages = ["fr"]
            let bundle = try PluginBundle.open(path: PluginBundle.main.bundlePath + "/../P.bundle")
            print(bundle.localizedString(forKey: "hello", value: nil, table: nil), bundle.preferredLocalizations)
            """
        let program = try Compiler.executable("MixedProgram", source: source)
        for (main, own, expected) in [
            ("NO", "NO", "Hallo [\"de\"]\n"), ("YES", "NO", "Bonjour [\"fr\"]\n"), ("NO", "YES", "Bonjour [\"fr\"]\n"),
        ] {
            func info(_ value: String) -> String { "{ CFBundleAllowMixedLocalizations = \(value); }" }
            let files = [
                "X.app/Contents/Info.plist": info(main), "X.app/Contents/Resources/de.lproj/a.txt": "",
                "P.bundle/Contents/Info.plist": info(own),
                "P.bundle/Contents/Resources/de.lproj/Localizable.strings": "hello = Hallo;",
                "P.bundle/Contents/Resources/fr.lproj/Localizable.strings": "hello = Bonjour;",
            ]
            let root = try install("X.app/Contents/Linux/X", files, built: program)
            #expect(try Tool.run(root.appending(path: "X.app/Contents/Linux/X").path, []) == expected)
        }
    }

    /// The list names the script that starts the application; the executable is the program that the script starts.
    @Test func aScriptAndTheProgramThatItStartsAreTwoThings() throws {
        let source = """
            import PluginHost
            let main = PluginBundle.main
            print(main.bundlePath)
            print(main.executablePath ?? "none")
            print(main.manifest.executable ?? "none")
            print(main.path(forAuxiliaryExecutable: main.manifest.executable ?? "") ?? "none")
            try main.preflight()
            """
        let program = try Compiler.executable("StartedProgram", source: source)
        let files = [
            "X.app/Contents/Info.plist": "{ CFBundleExecutable = X; }",
            "X.app/Contents/Linux/X": "#!/bin/sh\nexec \"$(dirname \"$0\")/X-program\" \"$@\"\n",
        ]
        let root = try install("X.app/Contents/Linux/X-program", files, built: program)
        let script = root.appending(path: "X.app/Contents/Linux/X").path
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: script)
        let app = root.appending(path: "X.app").path
        #expect(try Tool.run(script, []) == "\(app)\n\(script)-program\nX\n\(script)\n")
    }

    /// In a process of its own, because Foundation reads the environment when it starts.
    @Test func argumentsAndFilesOfDefaultsDecideOverTheEnvironment() throws {
        let source = "import PluginHost\nprint(PluginBundle.preferredLocalizations(from: [\"en\", \"it\", \"fr\"]))"
        let program = try Compiler.executable("DefaultsProgram", source: source).path
        let folder = Workspace.temporary.appending(path: "defaults-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        func languages(_ arguments: String...) throws -> String {
            let environment = ["XDG_CONFIG_HOME": folder.path, "LANGUAGE": "fr"]
            return try Tool.output(program, arguments, environment: environment).standardOutput
        }
        #expect(try languages() == "[\"fr\"]\n")
        #expect(try languages("-AppleLanguages", "(it, en)") == "[\"it\"]\n")
        try PropertyListSerialization.data(fromPropertyList: ["AppleLanguages": ["it"]], format: .xml, options: 0)
            .write(to: folder.appending(path: ".GlobalPreferences.plist"))
        #expect(try languages() == "[\"it\"]\n")
        #expect(try languages("-AppleLanguages", "en") == "[\"en\"]\n")
    }

    @Test func aClassOfALinkedFrameworkBelongsToTheFramework() throws {
        let code = """
            public final class Shape {}
            @c(shape_class)
            public func shapeClass() -> UnsafeRawPointer { unsafeBitCast(Shape.self as AnyClass, to: UnsafeRawPointer.self) }
            """
        let library = try BundleFixture("Shapes", code: .swift(code, flags: ["-Xlinker", "-soname=libShapes.so.1"]))
        let root = Workspace.temporary.appending(path: "main/\(UUID().uuidString)")
        let version = root.appending(path: "Shapes.framework/Versions/1")
        let lib = root.appending(path: "lib")
        for directory in [version.appending(path: "Resources"), lib] {
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        }
        try FileManager.default.copyItem(at: library.executable, to: version.appending(path: "libShapes.so.1"))
        try "{ CFBundleIdentifier = org.example.shapes; }"
            .write(to: version.appending(path: "Resources/Info.plist"), atomically: false, encoding: .utf8)
        // As systems install frameworks: the linker finds the library by a link in its own directory.
        try FileManager.default.createSymbolicLink(
            atPath: lib.appending(path: "libShapes.so.1").path,
            withDestinationPath: "../Shapes.framework/Versions/1/libShapes.so.1")
        let source = """
            import PluginHost
            @_silgen_name("shape_class") func shapeClass() -> UnsafeRawPointer
            let shape = unsafeBitCast(shapeClass(), to: AnyClass.self)
            let bundle = PluginBundle(for: shape)
            print(bundle.bundlePath, bundle.bundleIdentifier ?? "none")
            print(PluginBundle(for: shape) === bundle, PluginBundle.allFrameworks.contains(bundle))
            final class Own {}
            print(PluginBundle(for: Own.self) === PluginBundle.main)
            """
        let program = try Compiler.executable(
            "UsesShapes", source: source,
            flags: [library.executable.path, "-Xlinker", "-rpath", "-Xlinker", lib.path])
        let framework = root.appending(path: "Shapes.framework").path
        #expect(try Tool.run(program.path, []) == "\(framework) org.example.shapes\ntrue true\ntrue\n")
    }
}

/// The machine's name in the names of directories.
private let machine: String = {
    var names = utsname()
    uname(&names)
    return withUnsafeBytes(of: &names.machine) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
}()
