import Fixtures
import Foundation
import Glibc
import Testing

/// A bundle that breaks one rule of `check` and `lint`, named by the rule.
struct Defect: Sendable, CustomTestStringConvertible {
    let rule: String
    /// What stands before the bundles on the command line.
    var command = ["check", "--level", "strict"]
    /// Builds the bundles, and returns their paths.
    let make: @Sendable () throws -> [String]

    var testDescription: String { rule }

    static let all = bundles + executables + loads + uses + lists + tables + languages + nibs + settings + sources
}

// MARK: Parts of fixtures

extension Defect {
    /// A plug-in in C with one factory, which it declares; `entry`, `create` and `release` are statements that go before
    /// the plug-in's own.
    static func plugin(
        _ name: String, info: [String: any Sendable] = [:], outside: String = "", entry: String = "",
        create: String = "", release: String = "free(instance);", result: String = "register_maker(host)",
        flags: [String] = []
    ) throws -> BundleFixture {
        let source = """
            #include <stdio.h>
            #include <stdlib.h>
            #include <string.h>
            #include <unistd.h>
            static plugin_status create(const plugin_factory *factory, const plugin_host *host, void **instance) {
                (void)factory; (void)host;
                \(create)
                *instance = calloc(1, 64);
                return *instance ? PLUGIN_OK : PLUGIN_FAILED;
            }
            static void release(void *instance) { \(release) }
            static const plugin_factory maker = {.header = {sizeof(plugin_factory), 1}, .name = {"maker", 5},
                .extension_point = {"org.example.point", 17}, .extension_version = 1, .create = create, .release = release};
            static plugin_status register_maker(const plugin_host *host) { return host->register_factory(host, &maker); }
            \(outside)
            PLUGIN_EXPORT plugin_status plugin_entry(const plugin_host *host) {
                (void)host; (void)register_maker;
                \(entry)
                return \(result);
            }
            """
        return try BundleFixture(name, info: declared.merging(info) { $1 }, code: .c(source, flags: flags))
    }

    private static let declared: [String: any Sendable] = [
        "PHFactories": [
            ["name": "maker", "extensionPoint": "org.example.point", "version": 1] as [String: any Sendable]
        ],
        "CFBundleDevelopmentRegion": "en",
    ]

    /// Adds resources to a bundle.
    static func add(_ files: [String: String], to fixture: BundleFixture) throws {
        for (path, content) in files {
            let file = fixture.url.appending(path: "Contents/Resources/\(path)")
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(content.utf8).write(to: file)
        }
    }

    /// A bundle of resources, with the content of each file.
    static func resources(
        _ name: String, info: [String: any Sendable] = [:], _ files: [String: [UInt8]]
    ) throws -> BundleFixture {
        let keys: [String: any Sendable] = ["NSExecutable": NSNull(), "CFBundleDevelopmentRegion": "en"]
        let fixture = try BundleFixture(name, info: keys.merging(info) { $1 }, code: .none)
        let folder = fixture.url.appending(path: "Contents/Resources")
        for (path, content) in files {
            let file = folder.appending(path: path)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(content).write(to: file)
        }
        return fixture
    }

    /// A defect of one table or list among the resources.
    private static func file(_ rule: String, _ name: String, _ content: [UInt8]) -> Defect {
        Defect(rule: rule) { [try resources(rule, [name: content]).path] }
    }

    private static func file(_ rule: String, _ name: String, _ content: String) -> Defect {
        file(rule, name, Array(content.utf8))
    }

    private static func table(_ rule: String, _ content: String) -> Defect {
        file(rule, "en.lproj/Localizable.strings", content)
    }

    private static func xml(_ rule: String, _ content: String, head: String = #"encoding="UTF-8""#) -> Defect {
        file(rule, "List.plist", "<?xml version=\"1.0\" \(head)?>\n<plist version=\"1.0\">\n\(content)\n</plist>\n")
    }

    /// A defect that shows in the tables of several languages.
    private static func language(
        _ rule: String, info: [String: any Sendable] = [:], _ files: [String: String]
    ) -> Defect {
        Defect(rule: rule) { [try resources(rule, info: info, files.mapValues { Array($0.utf8) }).path] }
    }

    /// A binary list of these objects, the first at the top; references have one byte.
    private static func binary(_ objects: [[UInt8]], version: String = "00") -> [UInt8] {
        var bytes = Array("bplist\(version)".utf8)
        var offsets: [UInt8] = []
        for object in objects {
            offsets.append(UInt8(bytes.count))
            bytes += object
        }
        func number(_ value: Int) -> [UInt8] { (0..<8).reversed().map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) } }
        let table = bytes.count
        return bytes + offsets + [0, 0, 0, 0, 0, 0, 1, 1] + number(objects.count) + number(0) + number(table)
    }
}

// MARK: The bundle and its executable

extension Defect {
    private static let bundles: [Defect] = [
        Defect(rule: "bundleNotFound") { ["/nonexistent/Nowhere.bundle"] },
        broken("InfoListIsNoList"),
        broken("IdentifierIsANumber"),
        broken("ExecutableMissing"),
        broken("ExecutableIsALinkOut"),
        Defect(rule: "identifierUnusual") {
            [try plugin("IdentifierWithAPlus", info: ["CFBundleIdentifier": "org.example.a+b"]).path]
        },
        Defect(rule: "identifierUnderscore") {
            [try plugin("IdentifierWithAnUnderscore", info: ["CFBundleIdentifier": "org.example.a_b"]).path]
        },
        Defect(rule: "reasonMissing") {
            [try plugin("AsksWithoutReason", info: ["PHPermissions": ["network": "any"]]).path]
        },
        Defect(rule: "writableByOthers") {
            let fixture = try plugin("WritableByOthers")
            try FileManager.default.setAttributes([.posixPermissions: 0o666], ofItemAtPath: fixture.executable.path)
            return [fixture.path]
        },
        Defect(rule: "foreignOwner") {
            let fixture = try plugin("ForeignOwner")
            guard chown(fixture.executable.path, 12345, 12345) == 0 else {
                throw Tool.Failure(description: "only root can make this fixture: \(String(cString: strerror(errno)))")
            }
            return [fixture.path]
        },
        Defect(rule: "nothingOffered") { [try plugin("DeclaresNothing", info: ["PHFactories": NSNull()]).path] },
    ]

    /// One of the bundles with which the command without a level is tested.
    private static func broken(_ name: String) -> Defect {
        let broken = CheckCommandTests.Broken.all.first { $0.name == name }!
        return Defect(rule: broken.code) {
            let fixture = try BundleFixture(name, info: broken.info, code: broken.source)
            try broken.damage(fixture)
            return [fixture.path]
        }
    }

    private static func note(major: Int, swift: Bool) -> String {
        """
        static const plugin_note note PLUGIN_NOTE_ATTRIBUTES = {sizeof(PLUGIN_NOTE_OWNER),
            (uint32_t)(sizeof(plugin_note) - offsetof(plugin_note, head)), PLUGIN_NOTE_TYPE, PLUGIN_NOTE_OWNER,
            {PLUGIN_NOTE_FORMAT, \(major), PLUGIN_ABI_MINOR, \(swift ? "PLUGIN_SWIFT_REVISION, PLUGIN_NOTE_SWIFT" : "0, 0"), 19},
            "toolchain=Swift 5\\n"};
        """
    }

    private static let executables: [Defect] = [
        broken("ExecutableIsAScript"),
        broken("LibraryMissing"),
        broken("SearchPathIsRelative"),
        broken("EntryMissing"),
        Defect(rule: "abiMismatch") { [try plugin("ForABI7", outside: note(major: 7, swift: false)).path] },
        Defect(rule: "toolchainMismatch") { [try plugin("OfSwift5", outside: note(major: 1, swift: true)).path] },
        Defect(rule: "interfaceMismatch") {
            let api = try GrownAPI.built.get()
            return [
                try BundleFixture(
                    "CompiledBefore",
                    info: ["PHFactories": [["name": "upper", "extensionPoint": "org.example.grown-filter"]]],
                    code: .swift(GrownAPI.plugin, flags: api.flags(api.folders[0]))
                ).path
            ]
        },
        Defect(
            rule: "interfaceUnrecorded",
            command: ["check", "--level", "standard", "--host", Workspace.products.appending(path: "pluginhost").path]
        ) {
            let api = try GrownAPI.built.get()
            return [
                try BundleFixture(
                    "CompiledAfter",
                    info: ["PHFactories": [["name": "upper", "extensionPoint": "org.example.grown-filter"]]],
                    code: .swift(GrownAPI.plugin, flags: api.flags(api.folders[1]))
                ).path
            ]
        },
        Defect(rule: "duplicateABI") {
            let flags = try Compiler.objects("PluginABI", "CPluginSupport") + ["-lffi"]
            return [try BundleFixture("OwnPluginABI", code: .swift(swift("", "Sample.self"), flags: flags)).path]
        },
        Defect(rule: "undeclaredRegistration") {
            let other: [String: any Sendable] = ["name": "other", "extensionPoint": "org.example.point"]
            return [try plugin("DeclaresOther", info: ["PHFactories": [other]]).path]
        },
        Defect(rule: "unfulfilledDeclaration") {
            let factories: [[String: any Sendable]] = ["maker", "nobody"].map {
                ["name": $0, "extensionPoint": "org.example.point", "version": 1]
            }
            return [try plugin("DeclaresTwo", info: ["PHFactories": factories]).path]
        },
    ]

    /// A plug-in in Swift that registers a class.
    ///
    /// `members`: of the class.
    private static func swift(_ members: String, _ registered: String, outside: String = "") -> String {
        """
        import PluginABI
        \(outside)
        final class Sample: Plugin {
            init(context: PluginContext) throws {}
            \(members)
        }
        @c(plugin_entry)
        public func pluginEntry(_ host: UnsafePointer<plugin_host>) -> plugin_status {
            registerPlugin(with: host) { plugin in plugin.register(\(registered)) }
        }
        """
    }
}

// MARK: Loading

extension Defect {
    /// Code that harms its process while it is loaded.
    private static func harm(_ rule: String, limit: String = "60", _ entry: String) -> Defect {
        Defect(rule: rule, command: ["check", "--level", "load", "--timeout", limit]) {
            [try plugin(rule, outside: "#include <fcntl.h>\n#include <sys/wait.h>", entry: entry).path]
        }
    }

    private static let loads: [Defect] = [
        Defect(rule: "executableChanged") {
            let replace = """
                #include <dlfcn.h>
                __attribute__((constructor)) static void begin(void) {
                    Dl_info info;
                    static char command[8192];
                    dladdr((void *)&begin, &info);
                    snprintf(command, sizeof command, "cp '%s' '%s.new' && mv '%s.new' '%s'", info.dli_fname, info.dli_fname,
                        info.dli_fname, info.dli_fname);
                    if (system(command) != 0) abort();
                }
                """
            return [try plugin("ReplacesItself", outside: replace, flags: ["-D_GNU_SOURCE"]).path]
        },
        Defect(rule: "alreadyEntered") {
            let first = try plugin("FirstOwner")
            let second = try BundleFixture(
                "SecondOwner", info: ["PHRequires": ["org.example.FirstOwner": ">=0"]], code: .none)
            try FileManager.default.linkItem(at: first.executable, to: second.executable)
            return [first.path, second.path]
        },
        Defect(rule: "libraryShadowed", command: ["check", "--level", "standard", "--host", "/bin/sh"]) {
            let name = "libc.so.6"
            let built = try BundleFixture(
                "OtherC", code: .c("int used_of_c(void) { return 1; }", flags: ["-Wl,-soname,\(name)"]))
            let fixture = try plugin("Shadowed")
            let folder = fixture.url.appending(path: "Contents/Frameworks")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try FileManager.default.copyItem(at: built.executable, to: folder.appending(path: name))
            return [fixture.path]
        },
        Defect(rule: "symbolReplaced", command: ["check", "--level", "standard", "--host", "/bin/sh"]) {
            let own = "int getpagesize(void) { return 7; }\nint size_of_two(void) { return getpagesize() * 2; }"
            return [
                try plugin(
                    "OwnPageSize", outside: own, flags: ["-fno-builtin", "-O0", "-fsemantic-interposition"]
                ).path
            ]
        },
        Defect(rule: "symbolsMerged") {
            let unique = """
                __asm__(".pushsection .data\\n.type shared_number, %gnu_unique_object\\n.size shared_number, 4\\n"
                    ".p2align 2\\nshared_number: .long 1\\n.popsection");
                """
            return [try plugin("Unique", outside: unique).path]
        },
        Defect(rule: "libraryClash") {
            // A library of the system that no program uses, and a symbol with the same name.
            let name = "libBrokenLocale.so.1"
            let built = try BundleFixture(
                "Broken",
                code: .c(
                    "int broken(void) __asm__(\"\(name)\"); int broken(void) { return 1; } int used(void) { return 1; }",
                    flags: ["-Wl,-soname,\(name)"]))
            let fixture = try plugin(
                "Clashing", outside: "extern int used(void);", entry: "if (used() != 1) return PLUGIN_FAILED;",
                flags: [built.executable.path])
            let folder = fixture.url.appending(path: "Contents/Frameworks")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try FileManager.default.copyItem(at: built.executable, to: folder.appending(path: name))
            return [fixture.path]
        },
        Defect(rule: "loadFailed") {
            let big = """
                static __thread char big[8 << 20] __attribute__((tls_model("initial-exec")));
                char *use_big(int at) { return &big[at]; }
                """
            return [try plugin("NeedsTooMuchThreadStorage", outside: big).path]
        },
        Defect(rule: "entryFailed") { [try plugin("EntryFails", result: "PLUGIN_FAILED").path] },
        Defect(rule: "nothingRegistered") {
            [try plugin("RegistersNothing", info: ["PHFactories": NSNull()], result: "PLUGIN_OK").path]
        },
        Defect(rule: "registrationInvalid") {
            let nameless = "static plugin_factory nameless; nameless = maker; nameless.name.len = 0;"
            return [try plugin("Nameless", entry: nameless, result: "host->register_factory(host, &nameless)").path]
        },
        Defect(rule: "duplicateFactory") { [try plugin("RegistersTwice", entry: "register_maker(host);").path] },
        Defect(rule: "signatureMismatch") {
            let function = """
                plugin_function f = {{sizeof f, 1}, PLUGIN_STRING("f"), PLUGIN_STRING("() -> int32"), (plugin_code)&abort};
                host->register_function(host, &f);
                """
            return [try plugin("DeclaresLong", info: ["PHFunctions": ["f": "() -> int64"]], entry: function).path]
        },
        Defect(rule: "activationFailed") {
            [try plugin("ActivateFails", outside: hooks("return PLUGIN_FAILED;"), entry: "register_hooks(host);").path]
        },
        Defect(rule: "serviceUndeclared") { [try BundleFixture("AsksSecretly", code: .swift(asking)).path] },
        Defect(rule: "serviceMissing") {
            [try BundleFixture("AsksInVain", info: ["PHUses": ["org.example.nobody": 1]], code: .swift(asking)).path]
        },
        harm("crashed", "abort();"),
        harm("exited", "_exit(3);"),
        harm("hung", limit: "3", "for (;;) pause();"),
        harm("reportLost", "for (int fd = 3; fd < 1024; fd++) close(fd);"),
        harm("descriptorMisused", "ssize_t n = write(3, \"wild\", 4); (void)n;"),
        Defect(rule: "outputFlooded") {
            let flood = """
                static char page[65536]; memset(page, 'x', sizeof page);
                for (int turn = 0; turn < 64; turn++) { ssize_t n = write(2, page, sizeof page); (void)n; }
                """
            return [try plugin("Floods", entry: flood).path]
        },
        Defect(rule: "processesLeft") {
            [try plugin("LeavesProcess", entry: "if (fork() == 0) for (;;) pause();").path]
        },
    ]

    /// Registers hooks; `activate`: its statements.
    private static func hooks(_ activate: String) -> String {
        """
        static plugin_status activate(const plugin_host *host, void *data) { (void)host; (void)data; \(activate) }
        static const plugin_hooks hooks = {.header = {sizeof hooks, 1}, .activate = activate};
        static void register_hooks(const plugin_host *host) {
            const plugin_lifecycle *lifecycle = host->get_extension(host, PLUGIN_STRING(PLUGIN_LIFECYCLE_ID));
            lifecycle->register_hooks(host, &hooks);
        }
        """
    }

    private static let asking = swift(
        """
        static func activate(context: PluginContext) throws {
            _ = try context.service(ExtensionPoint<String>("org.example.nobody"))
        }
        """, "Sample.self")
}

// MARK: Using the code

extension Defect {
    private static let uses: [Defect] = [
        Defect(rule: "lateRegistration") {
            let late = """
                static plugin_factory late; late = *factory; late.name = PLUGIN_STRING("late");
                host->register_factory(host, &late);
                """
            return [try plugin("RegistersInCreate", create: late).path]
        },
        Defect(rule: "registrationsVary") {
            let chance = """
                static plugin_factory other; static char name[32]; other = maker;
                other.name.len = (size_t)snprintf(name, sizeof name, "maker%d", getpid()); other.name.ptr = name;
                """
            return [
                try plugin(
                    "NamedByProcess", info: ["PHFactories": NSNull()], entry: chance,
                    result: "host->register_factory(host, &other)"
                ).path
            ]
        },
        Defect(rule: "reloadFailed") {
            let once = "static int count; return count++ == 0 ? PLUGIN_OK : PLUGIN_FAILED;"
            return [try plugin("ActivatesOnce", outside: hooks(once), entry: "register_hooks(host);").path]
        },
        Defect(rule: "principalClassMissing") {
            [try plugin("NoSuchClass", info: ["NSPrincipalClass": "Nobody"]).path]
        },
        Defect(rule: "instantiationFailed") {
            [try plugin("CreateFails", create: "*instance = NULL; return PLUGIN_FAILED;").path]
        },
        Defect(rule: "objectsKept") {
            let source = """
                import PluginABI
                nonisolated(unsafe) var kept: [Sample] = []
                final class Sample { init(context: PluginContext) throws { kept.append(self) } }
                @c(plugin_entry)
                public func pluginEntry(_ host: UnsafePointer<plugin_host>) -> plugin_status {
                    registerPlugin(with: host) { plugin in
                        plugin.provide(ExtensionPoint<AnyObject>("org.example.objects"), named: "kept") { try Sample(context: $0) }
                    }
                }
                """
            return [try BundleFixture("KeepsObjects", code: .swift(source)).path]
        },
        Defect(rule: "memoryKept") { [try plugin("KeepsMemory", release: "(void)instance;").path] },
        Defect(rule: "slowEntry") { [try plugin("SleepsInEntry", entry: "usleep(150000);").path] },
        Defect(rule: "outputInEntry") { [try plugin("PrintsInEntry", entry: "puts(\"hello\");").path] },
        Defect(rule: "threadInEntry") {
            [
                try plugin(
                    "StartsThread",
                    outside: "#include <pthread.h>\nstatic void *run(void *data) { for (;;) pause(); return data; }",
                    entry: "pthread_t thread; pthread_create(&thread, NULL, run, NULL);", flags: ["-pthread"]
                ).path
            ]
        },
        Defect(rule: "processChanged") {
            [try plugin("ChangesUmask", outside: "#include <sys/stat.h>", entry: "umask(0);").path]
        },
    ]
}

// MARK: Lists and tables

extension Defect {
    private static let lists: [Defect] = [
        file("empty", "List.plist", ""),
        Defect(rule: "tooLarge") {
            let fixture = try resources("TooLarge", [:])
            let list = Array("{ a = \"".utf8) + [UInt8](repeating: 0x61, count: 1 << 20) + Array("\"; }".utf8)
            try Data(list).write(to: fixture.infoList)
            return [fixture.path]
        },
        file("tooDeep", "List.plist", String(repeating: "(", count: 70) + String(repeating: ")", count: 70)),
        Defect(rule: "tooManyNodes") {
            let fixture = try resources("TooManyNodes", [:])
            let list = "{ a = (" + String(repeating: "1,", count: 120_000) + "1); }"
            try Data(list.utf8).write(to: fixture.infoList)
            return [fixture.path]
        },
        file(
            "overBudget", "List.plist",
            binary((1...9).map { level in [0xAA] + [UInt8](repeating: UInt8(level), count: 10) } + [[0x51, 0x61]])),
        file("truncated", "List.plist", "{ a = \"b"),
        file("trailingContent", "List.plist", "{ a = b; } c"),
        file(
            "invalidEncoding", "List.plist",
            Array("<?xml version=\"1.0\" encoding=\"UTF-8\"?><plist><string>".utf8)
                + [0xFF] + Array("</string></plist>".utf8)),
        xml("unknownEncoding", "<true/>", head: #"encoding="EBCDIC""#),
        file("unexpectedCharacter", "List.plist", "{ a = ^; }"),
        table("invalidEscape", #""a" = "\Ux";"#),
        table("foreignEscape", #""a" = "\x41";"#),
        xml("unsafeText", "<string>a\(String(repeating: "\u{301}", count: 40))</string>"),
        xml("malformedMarkup", "<dict></array>"),
        xml("unknownElement", "<float>1</float>"),
        xml("unknownEntity", "<string>&nbsp;</string>"),
        file(
            "documentTypeSubset", "List.plist",
            "<?xml version=\"1.0\"?><!DOCTYPE plist [<!ENTITY a \"b\">]><plist><string>&a;</string></plist>"),
        xml("keyNotString", "<dict><string>a</string><string>b</string></dict>"),
        xml("missingValue", "<dict><key>a</key></dict>"),
        xml("duplicateKey", "<dict><key>a</key><true/><key>a</key><false/></dict>"),
        xml("repeatedKey", "<dict><key>a</key><true/><key>a</key><true/></dict>"),
        table("missingSeparator", "\"a\" \"b\";"),
        xml("invalidInteger", "<integer>many</integer>"),
        xml("integerOverflow", "<integer>99999999999999999999</integer>"),
        xml("invalidReal", "<real>much</real>"),
        xml("notFinite", "<real>1e999</real>"),
        xml("invalidDate", "<date>tomorrow</date>"),
        xml("invalidData", "<data>*</data>"),
        file("unknownType", "List.plist", "{ a = <*Qx>; }"),
        file("unsupportedVersion", "List.plist", binary([[0x09]], version: "17")),
        file("invalidTrailer", "List.plist", Array("bplist00".utf8) + [UInt8](repeating: 0, count: 40)),
        file("invalidReference", "List.plist", binary([[0xA1, 9]])),
        file("invalidObject", "List.plist", binary([[0x70]])),
        file("cycle", "List.plist", binary([[0xA1, 0]])),
        table("valueNotString", "\"a\" = { b = c; };"),
        file("assumedLatin1", "en.lproj/Localizable.strings", Array("\"a\" = \"caf".utf8) + [0xE9] + Array("\";".utf8)),
        table("furtherFaults", (0..<150).map { "\"k\($0)\" \"v\";\n" }.joined()),
    ]

    /// A plural entry in a `.stringsdict`.
    private static func plural(_ rule: String, format: String, categories: [String], further: String = "") -> Defect {
        let texts = categories.map { "<key>\($0)</key><string>%d files</string>" }.joined()
        return file(
            rule, "en.lproj/Localizable.stringsdict",
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <plist version="1.0"><dict><key>files</key><dict>
            <key>NSStringLocalizedFormatKey</key><string>\(format)</string>
            <key>n</key><dict><key>NSStringFormatSpecTypeKey</key><string>NSStringPluralRuleType</string>
            <key>NSStringFormatValueTypeKey</key><string>d</string>\(texts)</dict>\(further)
            </dict></dict></plist>
            """)
    }

    private static let tables: [Defect] = [
        Defect(rule: "unreadable") {
            let fixture = try resources("LinkToNowhere", ["en.lproj/a.txt": []])
            try FileManager.default.createSymbolicLink(
                atPath: fixture.path + "/Contents/Resources/en.lproj/Localizable.strings",
                withDestinationPath: "/nonexistent/Localizable.strings")
            return [fixture.path]
        },
        file("tooManyFiles", String(repeating: "d/", count: 17) + "deep.strings", ""),
        file("notChecked", "Main.storyboard", "x"),
        table("furtherFindings", (0..<150).map { "\"k\($0)\" = \"%@ 5% y\";\n" }.joined()),
        table("mixedPlaceholders", "\"a\" = \"%1$@ of %@\";"),
        table("strayPercent", "\"a\" = \"%@ is 5% y\";"),
        table("controlCharacter", "\"a\" = \"it\u{92}s\";"),
        plural("malformedPlural", format: "%#@n@", categories: ["one"]),
        plural(
            "unusedVariable", format: "%#@n@", categories: ["one", "other"],
            further: """
                <key>m</key><dict><key>NSStringFormatSpecTypeKey</key><string>NSStringPluralRuleType</string>
                <key>NSStringFormatValueTypeKey</key><string>d</string><key>one</key><string>%d file</string>
                <key>other</key><string>%d files</string></dict>
                """),
        plural("missingPluralCategory", format: "%#@n@", categories: ["other"]),
    ]

    private static let languages: [Defect] = [
        language("unknownLanguage", ["en.lproj/a.txt": "", "xyzzy.lproj/a.txt": ""]),
        language("duplicateLanguage", ["en.lproj/a.txt": "", "English.lproj/a.txt": ""]),
        language("missingLanguage", info: ["CFBundleLocalizations": ["en", "fr"]], ["en.lproj/a.txt": ""]),
        language(
            "missingTable",
            Dictionary(
                uniqueKeysWithValues: ["en.lproj/A", "en.lproj/B", "de.lproj/A", "de.lproj/B", "fr.lproj/A"].map {
                    ("\($0).strings", "\"a\" = \"1\";")
                })),
        language("hiddenTable", ["A.strings": "\"a\" = \"1\";", "en.lproj/A.strings": "\"a\" = \"1\";"]),
        language(
            "missingEntry",
            ["en.lproj/A.strings": "\"a\" = \"1\";\n\"b\" = \"2\";", "fr.lproj/A.strings": "\"a\" = \"1\";"]),
        language(
            "extraEntry",
            ["en.lproj/A.strings": "\"a\" = \"1\";", "fr.lproj/A.strings": "\"a\" = \"1\";\n\"b\" = \"2\";"]),
        language(
            "untranslated",
            [
                "en.lproj/A.strings": "\"a\" = \"Save all open files before leaving\";",
                "fr.lproj/A.strings": "\"a\" = \"Save all open files before leaving\";",
            ]),
        language(
            "placeholderMismatch",
            ["en.lproj/A.strings": "\"a\" = \"%@ files\";", "fr.lproj/A.strings": "\"a\" = \"%d fichiers\";"]),
    ]

    private static let sources: [Defect] = ["undefinedKey", "unusedKey"].map { rule in
        let folder = Workspace.temporary.appending(path: "sources-\(rule)")
        return Defect(rule: rule, command: ["lint", "--strict", "--sources", folder.path]) {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let key = rule == "undefinedKey" ? "Unknown Key" : "Known Key"
            try Data("let text = bundle.localizedString(forKey: \"\(key)\", value: nil, table: nil)\n".utf8)
                .write(to: folder.appending(path: "Use.swift"))
            return [
                try resources(
                    rule,
                    ["en.lproj/Localizable.strings": Array("\"Known Key\" = \"1\";\n\"Forgotten Key\" = \"2\";".utf8)]
                ).path
            ]
        }
    }
}
