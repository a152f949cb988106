import DemoAPI
import Fixtures
import Foundation
import PluginHost
import Testing

/// Errors before the entry: the directory, Info.plist, the executable.
///
/// Each code has a fixture named by its defect.
@Suite struct BundleErrors {
    @Test(.fault(22)) func aMissingInfoPlistIsReportedWithItsPath() throws {
        let fixture = try BundleFixture("NoInfoPlist", code: .c(Source.good))
        try FileManager.default.removeItem(at: fixture.infoList)
        let error = try loadError(fixture)
        #expect(error.code == .manifestUnreadable)
        #expect(error.filePath == fixture.infoList.path)
        #expect(
            error.description
                == "The bundle “\(fixture.path)”: There is no Info.plist: “\(fixture.infoList.path)” does not "
                + "exist. Add Contents/Info.plist with at least CFBundleIdentifier and NSExecutable.")
    }

    @Test(.fault(23)) func anEmptyInfoPlistIsReported() throws {
        for (name, bytes) in [("Empty", Data()), ("Blanks", Data("  \n\t ".utf8)), ("NULs", Data(count: 64))] {
            let fixture = try BundleFixture("InfoPlist\(name)", code: .none)
            try bytes.write(to: fixture.infoList)
            let error = try loadError(fixture)
            #expect(error.code == .manifestUnreadable, "\(name)")
            #expect(error.filePath == fixture.infoList.path)
        }
    }

    @Test(.fault(24, 25)) func anInfoPlistThatIsNotARegularFileIsRefusedWithoutWaiting() throws {
        let fifo = try BundleFixture("InfoPlistIsFIFO", code: .none)
        try FileManager.default.removeItem(at: fifo.infoList)
        #expect(mkfifo(fifo.infoList.path, 0o644) == 0)
        #expect(try loadError(fifo).description.contains("is a FIFO, not a regular file"))

        let directory = try BundleFixture("InfoPlistIsDirectory", code: .none)
        try FileManager.default.removeItem(at: directory.infoList)
        try FileManager.default.createDirectory(at: directory.infoList, withIntermediateDirectories: false)
        #expect(try loadError(directory).description.contains("is a directory, not a regular file"))

        let device = try BundleFixture("InfoPlistIsDevice", code: .none)
        try FileManager.default.removeItem(at: device.infoList)
        try FileManager.default.createSymbolicLink(atPath: device.infoList.path, withDestinationPath: "/dev/zero")
        #expect(try loadError(device).description.contains("is a device, not a regular file"))

        let socketFixture = try BundleFixture("InfoPlistIsSocket", code: .none)
        try FileManager.default.removeItem(at: socketFixture.infoList)
        try bindSocket(at: socketFixture.infoList.path)
        #expect(try loadError(socketFixture).code == .manifestUnreadable)
    }

    /// A socket's path has at most 107 bytes; that of a temporary folder may be longer, so the socket is bound by a short link.
    private func bindSocket(at path: String) throws {
        let short = "/tmp/phs-\(getpid())"
        try? FileManager.default.removeItem(atPath: short)
        try FileManager.default.createSymbolicLink(
            atPath: short, withDestinationPath: URL(filePath: path).deletingLastPathComponent().path)
        defer { try? FileManager.default.removeItem(atPath: short) }
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let name = short + "/Info.plist"
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name.utf8) }
        let bound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try #require(bound == 0)
    }

    @Test(.fault(26)) func aHugeSparseInfoPlistIsRefusedBeforeItIsRead() throws {
        let fixture = try BundleFixture("InfoPlistHuge", code: .none)
        let handle = try FileHandle(forWritingTo: fixture.infoList)
        try handle.truncate(atOffset: 20 << 30)
        try handle.close()
        #expect(try loadError(fixture).description.contains("is 21474836480 bytes long; the limit is 1048576"))
    }

    @Test(.fault(43)) func aDuplicateKeyIsReportedWithLineAndColumn() throws {
        let fixture = try BundleFixture("InfoPlistDuplicateKey", code: .c(Source.good))
        func write(_ key: String, _ values: String...) throws {
            let entries = values.map { "<key>\(key)</key><string>\($0)</string>\n" }.joined()
            try
                "<plist version=\"1.0\">\n<dict>\n<key>NSExecutable</key><string>\(fixture.name)</string>\n\(entries)</dict></plist>"
                .write(to: fixture.infoList, atomically: true, encoding: .utf8)
        }
        try write("NSExecutable", "other")
        let error = try loadError(fixture)
        #expect(error.code == .manifestInvalid && error.subject == "NSExecutable")
        #expect(error.description.contains("line 4, column 1, with different values"))
        // A fault that does not concern code is a warning, and the code is loaded.
        try write("a", "1", "2")
        let bundle = try PluginBundle.open(path: fixture.path)
        let warning = try #require(bundle.findings().first { $0.code == .manifestInvalid })
        #expect(warning.severity == .warning && warning.message.contains("line 5"))
        try bundle.loadAndReturnError()
    }

    @Test(.fault(48)) func aNULInTheIdentifierIsReported() throws {
        let fixture = try BundleFixture("NULInIdentifier", info: ["CFBundleIdentifier": NSNull()], code: .none)
        try "{ CFBundleIdentifier = \"org.example\\000evil\"; NSExecutable = NULInIdentifier; }"
            .write(to: fixture.infoList, atomically: true, encoding: .utf8)
        let error = try loadError(fixture)
        #expect(error.code == .manifestInvalid)
        #expect(error.subject == "CFBundleIdentifier")
        #expect(error.description.contains("NUL"))
    }

    @Test(
        .fault(49),
        arguments: [
            "CFBundleIdentifier", "CFBundleName", "CFBundleDisplayName", "CFBundleVersion",
            "CFBundleShortVersionString",
            "CFBundlePackageType", "CFBundleDevelopmentRegion", "CFBundleLocalizations",
            "CFBundleAllowMixedLocalizations",
            "CFBundleIconFile", "NSIcon", "NSMainNibFile", "CFBundleExecutable", "NSExecutable", "NSPrincipalClass",
            "PHFactories", "PHFunctions", "PHRequires", "PHHostRequires", "PHExecution",
            "PHPermissions", "PHLimits",
        ])
    func aValueOfTheWrongTypeIsReportedByItsKey(key: String) throws {
        let fixture = try BundleFixture(
            "WrongType", info: [key: Date(timeIntervalSinceReferenceDate: 0)], code: .c(Source.good))
        let error = try loadError(fixture)
        #expect(error.code == .manifestInvalid)
        #expect(error.subject == key)
        #expect(error.description.contains("a date"))
        // The other values exist all the same.
        let bundle = try PluginBundle.open(path: fixture.path)
        #expect(bundle.infoDictionary?.count == (key == "NSExecutable" || key == "CFBundleIdentifier" ? 2 : 3))
    }

    @Test(.fault(49)) func wrongTypesInsideOfContainersAreReported() throws {
        let lists: [(String, any Sendable)] = [
            ("CFBundleLocalizations", ["en", 7] as [any Sendable]), ("PHFunctions", ["f": 1]),
            ("PHRequires", ["a": [String]()]),
            ("PHFactories", ["text"]), ("PHFactories", [["name": 1]]), ("PHFactories", [["extensionPoint": "x"]]),
            ("PHFactories", [["name": "a", "version": 0]] as [[String: any Sendable]]),
        ]
        for (key, value) in lists {
            let error = try loadError(BundleFixture("WrongInside", info: [key: value], code: .c(Source.good)))
            #expect(error.code == .manifestInvalid, "\(key) \(value)")
        }
    }

    @Test(
        .fault(52),
        arguments: [
            ("../x", PluginError.Code.executableOutsideBundle), ("/bin/sh", .executableOutsideBundle),
            ("a/b", .executableOutsideBundle),
            ("", .manifestInvalid), (".", .manifestInvalid), ("..", .manifestInvalid),
        ])
    func anExecutableThatIsNotAFileNameIsReported(name: String, code: PluginError.Code) throws {
        let error = try loadError(BundleFixture("BadExecutable", info: ["NSExecutable": name], code: .c(Source.good)))
        #expect(error.code == code)
        #expect(error.subject == "NSExecutable")
    }

    @Test func forAnUnexpandedVariableTheNextKeyIsUsed() throws {
        let fixture = try BundleFixture(
            "Unexpanded", info: ["NSExecutable": "${EXECUTABLE_NAME}", "CFBundleExecutable": "Unexpanded"],
            code: .c(Source.good + "/* u */"))
        try PluginBundle.open(path: fixture.path).loadAndReturnError()
    }

    @Test(.fault(55)) func aMissingExecutableIsReportedWithThePlacesSearched() throws {
        let fixture = try BundleFixture("NoExecutable", code: .none)
        let error = try loadError(fixture)
        #expect(error.code == .executableMissing)
        #expect(error.subject == "NoExecutable")
        #expect(error.description.contains("/NoExecutable.bundle/Contents/Linux”, "))
        #expect(error.description.contains("copy it to “\(fixture.executable.path)”"))
    }

    @Test(.fault(6, 56)) func aLinkInTheExecutablesPlaceIsFollowedInsideTheBundleOnly() throws {
        let good = try BundleFixture("LinkTarget", code: .c(Source.good + "/* 56 */"))
        let out = try BundleFixture("LinkOut", code: .none)
        try FileManager.default.createSymbolicLink(at: out.executable, withDestinationURL: good.executable)
        let error = try loadError(out)
        #expect(error.code == .executableOutsideBundle)
        #expect(error.subject == good.executable.path)

        let dangling = try BundleFixture("LinkDangling", code: .none)
        try FileManager.default.createSymbolicLink(atPath: dangling.executable.path, withDestinationPath: "nowhere")
        let missing = try loadError(dangling)
        #expect(missing.code == .executableMissing)
        #expect(missing.description.contains("is a link to “nowhere”, which does not exist"))

        let loop = try BundleFixture("LinkLoop", code: .none)
        try FileManager.default.createSymbolicLink(atPath: loop.executable.path, withDestinationPath: "LinkLoop")
        #expect(try loadError(loop).code == .notLoadable)

        let inside = try BundleFixture("LinkInside", code: .none)
        try FileManager.default.copyItem(
            at: good.executable, to: inside.url.appending(path: "Contents/Linux/libLinkInside.so.1.2"))
        try FileManager.default.createSymbolicLink(
            atPath: inside.executable.path, withDestinationPath: "libLinkInside.so.1.2")
        try PluginBundle.open(path: inside.path).loadAndReturnError()
    }

    @Test(.fault(8)) func aContentsDirectoryThatLeadsOutOfTheBundleLoadsNoCode() throws {
        let good = try BundleFixture("ContentsTarget", code: .c(Source.good + "/* 8 */"))
        let out = try BundleFixture("ContentsTarget", code: .none)
        try FileManager.default.removeItem(at: out.url.appending(path: "Contents"))
        try FileManager.default.createSymbolicLink(
            at: out.url.appending(path: "Contents"), withDestinationURL: good.url.appending(path: "Contents"))
        #expect(try loadError(out).code == .executableOutsideBundle)
    }

    @Test(.fault(24, 57)) func anExecutableThatIsNotARegularFileIsRefusedWithoutWaiting() throws {
        let fifo = try BundleFixture("ExecutableIsFIFO", code: .none)
        #expect(mkfifo(fifo.executable.path, 0o755) == 0)
        #expect(try loadError(fifo).description.contains("is a FIFO"))
        let directory = try BundleFixture("ExecutableIsDirectory", code: .none)
        try FileManager.default.createDirectory(at: directory.executable, withIntermediateDirectories: false)
        #expect(try loadError(directory).description.contains("is a directory"))
    }

    @Test(.fault(58, 60, 61)) func aFileThatIsNotASharedObjectIsReported() throws {
        for (name, bytes) in [("ZeroBytes", 0), ("TenBytes", 10), ("SixtyFourBytes", 64)] {
            let fixture = try BundleFixture(name, code: .none)
            try Data(count: bytes).write(to: fixture.executable)
            #expect(try loadError(fixture).code == .notLoadable, "\(name)")
        }
        let script = try BundleFixture("Script", code: .none)
        try "#!/bin/sh\n".write(to: script.executable, atomically: true, encoding: .utf8)
        #expect(try loadError(script).code == .notLoadable)
        let object = try BundleFixture("ObjectFile", code: .c("int x;", flags: ["-c"]))
        #expect(try loadError(object).code == .notLoadable)
    }

    @Test(.fault(67)) func everyMissingLibraryIsNamedAndTheLinkersMessageKept() throws {
        let library = Workspace.temporary.appending(path: "libnowhere-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: library, withIntermediateDirectories: true)
        for name in ["libgone1.so", "libgone2.so"] {
            try Tool.run(
                try Tool.find("clang"),
                ["-shared", "-fPIC", "-x", "c", "/dev/null", "-o", library.appending(path: name).path])
        }
        let fixture = try BundleFixture(
            "NeedsTwoLibraries",
            code: .c(
                Source.good, flags: ["-Wl,--no-as-needed", "-L\(library.path)", "-l:libgone1.so", "-l:libgone2.so"]))
        try FileManager.default.removeItem(at: library)
        let error = try loadError(fixture)
        #expect(error.code == .dependencyMissing)
        #expect(
            error.findings.compactMap(\.subject).filter { $0.hasPrefix("libgone") }.sorted() == [
                "libgone1.so", "libgone2.so",
            ])
        #expect(error.systemMessage?.contains("libgone1.so") == true)
    }

    @Test(.fault(68)) func everyUndefinedSymbolIsNamed() throws {
        let source =
            "extern int first_nowhere(void), second_nowhere(void);\n"
            + "PLUGIN_EXPORT plugin_status plugin_entry(const plugin_host *h) { (void)h; return first_nowhere() + second_nowhere(); }"
        let error = try loadError(BundleFixture("UndefinedSymbols", code: .c(source)))
        #expect(error.code == .symbolMissing)
        let all = error.findings.map(\.message).joined()
        #expect(all.contains("first_nowhere") && all.contains("second_nowhere"))
        #expect(error.systemMessage?.contains("nowhere") == true)
    }

    @Test func aFailedLoadSucceedsOnceTheFileIsRepaired() throws {
        let fixture = try BundleFixture("Repaired", code: .none)
        #expect(try loadError(fixture).code == .executableMissing)
        try fixture.install(.c("int nothing;"))
        #expect(try loadError(fixture).code == .symbolMissing)
        try fixture.install(.c(Source.good + "/* repaired */"))
        try PluginBundle.open(path: fixture.path).loadAndReturnError()
        #expect(PluginBundle(path: fixture.path)?.loadError == nil)
    }

    @Test(.fault(13)) func controlCharactersInANameAreEscapedInMessages() throws {
        let fixture = try BundleFixture("Line\nBreak\u{1B}[31m", code: .none)
        let error = #expect(throws: PluginError.self) { try PluginBundle.open(path: fixture.path).loadAndReturnError() }
        let text = try #require(error?.description)
        #expect(!text.contains("\n") && !text.contains("\u{1B}"))
        #expect(text.contains("Line\\nBreak\\u{1B}[31m"))
    }

    @Test(.fault(7, 14)) func unusablePathsAreErrors() throws {
        let loop = Workspace.temporary.appending(path: "loop.bundle")
        try FileManager.default.createSymbolicLink(atPath: loop.path, withDestinationPath: "loop.bundle")
        #expect(throws: PluginError.self) { try PluginBundle.open(path: loop.path) }
        #expect(throws: PluginError.self) { try PluginBundle.open(path: "/" + String(repeating: "a/", count: 3000)) }
    }

    @Test func preflightRunsNoCode() throws {
        let fixture = try BundleFixture(
            "ConstructorTraps",
            code: .c(Source.good + "__attribute__((constructor)) static void trap(void) { __builtin_trap(); }"))
        let bundle = try PluginBundle.open(path: fixture.path)
        try bundle.preflight()
        #expect(!bundle.isLoaded)
    }

    @Test func aProviderThatThrowsIsReportedWithItsNameAndReason() throws {
        let source = """
            import DemoAPI
            import PluginABI
            final class Fails: TextFilter {
                init(context: PluginContext) throws { throw PluginFailure("No dictionary for \\(context.bundleIdentifier).", remedy: "Install one.") }
                func filter(_ passage: String) throws -> String { passage }
            }
            @c(plugin_entry)
            public func pluginEntry(_ host: UnsafePointer<plugin_host>) -> plugin_status {
                registerPlugin(with: host) { plugin in plugin.provide(.textFilter, named: "fails", Fails.init) }
            }
            """
        let bundle = try PluginBundle.open(
            path: BundleFixture("ProviderThrows", code: .swift(source, flags: ["-lDemoAPI"])).path)
        let provider = try #require(try bundle.providers(of: .textFilter).first)
        let error = #expect(throws: PluginError.self) { try provider.make() }
        #expect(error?.code == .instantiationFailed)
        #expect(
            error?.description.hasSuffix(
                "Creating an object of the provider “fails” failed: No dictionary for org.example.ProviderThrows. Install one."
            ) == true)
    }
}
