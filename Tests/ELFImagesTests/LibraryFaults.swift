import Foundation
import TestSupport
import Testing

@testable import ELFImages
@testable import HostBasics

/// Libraries and files that every load refuses: the check must say so before, and name the file that is at fault.
@Suite struct LibraryFaults {
    private func errors(_ findings: [PluginFinding]) -> [PluginFinding] { findings.filter { $0.severity == .error } }

    // MARK: Whose library is used

    @Test(.fault(712)) func aLibraryOfTheBundleThatTheApplicationAlsoHasIsNotUsed() throws {
        let name = "libshadow.so.1"
        let old = try ELFFixtures.c(
            "shadow-app/\(name)", "int old(void) { return 1; }", ["-shared", "-Wl,-soname,\(name)"])
        let new = try ELFFixtures.c(
            "Shadow.bundle/Contents/Frameworks/\(name)", "int old(void) { return 2; } int added(void) { return 2; }",
            ["-shared", "-Wl,-soname,\(name)"])
        let program = try ELFFixtures.c(
            "shadow-app/application", "extern int old(void); int main(void) { return old(); }",
            [old, "-Wl,-rpath,$ORIGIN"])
        func findings(_ symbol: String) throws -> [PluginFinding] {
            let plugin = try ELFFixtures.c(
                "Shadow.bundle/Contents/Linux/\(symbol)",
                ELFFixtures.entryWithNote + "extern int \(symbol)(void); int use(void) { return \(symbol)(); }",
                ["-shared", new, "-Wl,-rpath,$ORIGIN/../Frameworks"])
            return ELFInspector.inspectCompletely(
                path: plugin, bundlePath: ELFFixtures.directory + "/Shadow.bundle",
                surroundings: .program(InspectedProgram(path: program)))
        }
        let warning = try #require(findings("old").first)
        #expect(try findings("old").count == 1)
        #expect(warning.code == .libraryShadowed && warning.severity == .warning && warning.subject == name)
        #expect(warning.message.contains(old) && warning.message.contains("/Frameworks/\(name)"))
        let missing = try #require(errors(findings("added")).first)
        #expect(missing.code == .symbolMissing && missing.subject == "added")
        #expect(missing.message.contains(old) && missing.message.contains("/Frameworks/\(name)"))
    }

    // MARK: Whose symbol is used

    /// The warnings about symbols of a plug-in in a program that needs only libc.
    private func replaced(_ name: String, _ source: String, _ flags: [String] = []) throws -> [PluginFinding] {
        let program = try ELFFixtures.c("scope/program", "int main(void) { return 0; }", ["-O1"])
        let plugin = try ELFFixtures.c("scope/\(name)", ELFFixtures.entryWithNote + source, ["-shared"] + flags)
        return ELFInspector.inspectCompletely(
            path: plugin, bundlePath: ELFFixtures.directory + "/scope",
            surroundings: .program(InspectedProgram(path: program))
        ).filter { $0.code == .symbolReplaced || $0.code == .symbolsMerged }
    }

    private static let own = "int getpagesize(void) { return 7; }\nint size(void) { return getpagesize() * 2; }"

    @Test(.fault(718)) func aSymbolThatTheApplicationHasTooIsReplaced() throws {
        let name = "own-getpagesize.so"
        let findings = try replaced(name, Self.own, ["-fno-builtin", "-O0", "-fsemantic-interposition"])
        let finding = try #require(findings.first)
        #expect(findings.count == 1)
        #expect(finding.code == .symbolReplaced && finding.severity == .warning && finding.subject == "getpagesize")
        let path = ELFFixtures.directory + "/scope/" + name
        #expect(finding.filePath == path)
        #expect(finding.message.hasPrefix("“\(path)” defines and uses the symbol “getpagesize”, but “"))
        #expect(finding.message.hasSuffix("/libc.so.6” defines it too, and is used instead."))
        #expect(finding.remedy == "Hide it, with “static” or -fvisibility=hidden, or link with -Wl,-Bsymbolic.")
    }

    @Test(
        .fault(719),
        arguments: [
            ("weak.so", "__attribute__((weak)) ", [String]()),
            ("hidden.so", "__attribute__((visibility(\"hidden\"))) ", []),
            ("protected.so", "__attribute__((visibility(\"protected\"))) ", []),
            ("symbolic.so", "", ["-Wl,-Bsymbolic"]),
        ])
    func aSymbolThatIsMeantToMergeOrIsReachedDirectlyIsNotReplaced(
        name: String, attribute: String, flags: [String]
    ) throws {
        let findings = try replaced(
            name, attribute + Self.own, ["-fno-builtin", "-O0", "-fsemantic-interposition"] + flags)
        #expect(findings.isEmpty)
    }

    @Test(.fault(719)) func aSymbolThatTheFileOnlyDefinesIsNotReplaced() throws {
        #expect(try replaced("unused-getpagesize.so", "int getpagesize(void) { return 7; }").isEmpty)
    }

    @Test func uniqueSymbolsAreListedInReadableForm() throws {
        let source = ["_ZN1A5countE", "_ZN1B5countE", "_ZN1C5countE", "plain_unique"].map {
            """
            __asm__(".pushsection .data\\n.type \($0), %gnu_unique_object\\n.size \($0), 4\\n.p2align 2\\n"
                "\($0): .long 1\\n.popsection");
            """
        }
        let findings = try replaced("unique.so", source.joined(separator: "\n"))
        let finding = try #require(findings.first)
        #expect(findings.count == 1 && finding.code == .symbolsMerged && finding.severity == .warning)
        #expect(finding.message.contains("defines 4 unique symbols") && finding.message.hasSuffix(" and 1 more."))
        #expect(["“A::count”", "“B::count”", "“C::count”"].count { finding.message.contains($0) } >= 2)
        #expect(finding.remedy.contains("-fno-gnu-unique"))
    }

    // MARK: Whose library is missing

    /// A library of the application, and what it needs: a library that nothing finds.
    private func applicationLibrary() throws -> (gone: String, library: String) {
        let gone = try ELFFixtures.c(
            "nowhere/libfarther.so", "int farther(void) { return 1; }", ["-shared", "-Wl,-soname,libfarther.so"])
        let library = try ELFFixtures.c(
            "app/libapplication.so", "extern int farther(void); int application(void) { return farther(); }",
            ["-shared", "-Wl,-soname,libapplication.so", gone])
        return (gone, library)
    }

    @Test(.fault(820)) func aLibraryThatTheApplicationsLibraryNeedsIsNoNeedOfThePlugin() throws {
        let (gone, library) = try applicationLibrary()
        let program = try ELFFixtures.c(
            "app/application", "extern int application(void); int main(void) { return application(); }",
            [library, "-Wl,-rpath,$ORIGIN", "-Wl,--allow-shlib-undefined"])
        let plugin = try ELFFixtures.c(
            "needs-both.so",
            ELFFixtures.entryWithNote
                + "extern int application(void), farther(void); int use(void) { return application() + farther(); }",
            ["-shared", "-Wl,--no-as-needed", library, gone])
        let findings = ELFInspector.inspectCompletely(
            path: plugin, bundlePath: ELFFixtures.directory + "/Bundle",
            surroundings: .program(InspectedProgram(path: program)))
        let missing = findings.filter { $0.code == .dependencyMissing }
        #expect(missing.map(\.severity) == [.error] && missing.map(\.filePath) == [library])
        let finding = try #require(missing.first)
        #expect(finding.message.hasPrefix("“\(library)” needs the library “libfarther.so”, which was not found."))
        #expect(finding.message.hasSuffix("“\(library)” is not part of the bundle."))
        #expect(!finding.remedy.contains("Contents/Frameworks") && finding.remedy.contains("LD_LIBRARY_PATH"))
    }

    @Test(.fault(820)) func anotherVersionOfThisLibraryInTheApplicationIsNamed() throws {
        func library(_ name: String) throws -> String {
            try ELFFixtures.c(
                "versions/\(name)", "int shared(void) { return 1; }", ["-shared", "-Wl,-soname,\(name)"])
        }
        // The application has the installed library; its API library was built in a checkout.
        let (installed, built) = (try library("libPluginHost.so.99"), try library("libPluginHost.so"))
        let program = try ELFFixtures.c(
            "versions/application", "extern int shared(void); int main(void) { return shared(); }",
            [installed, "-Wl,-rpath,$ORIGIN"])
        let interface = try ELFFixtures.c(
            "interface/libinterface.so", "extern int shared(void); int interface(void) { return shared(); }",
            ["-shared", "-Wl,-soname,libinterface.so", built])
        let plugin = try ELFFixtures.c(
            "needs-interface.so",
            ELFFixtures.entryWithNote + "extern int interface(void); int use(void) { return interface(); }",
            ["-shared", interface, "-Wl,-rpath,$ORIGIN/interface", "-Wl,--allow-shlib-undefined"])
        let findings = ELFInspector.inspectCompletely(
            path: plugin, bundlePath: ELFFixtures.directory + "/Bundle",
            surroundings: .program(InspectedProgram(path: program)))
        let error = try #require(errors(findings).first)
        #expect(error.filePath == interface && error.subject == "libPluginHost.so")
        #expect(error.message.hasSuffix("The application has “\(installed)”, another version of it."))
        #expect(error.remedy.hasPrefix("Build “\(interface)” again with the library that the application uses"))
    }

    @Test(.fault(820)) func anApplicationThatLacksALibraryOfItsOwnIsAWarning() throws {
        let (_, library) = try applicationLibrary()
        let program = try ELFFixtures.c(
            "app/application-alone", "extern int application(void); int main(void) { return application(); }",
            [library, "-Wl,-rpath,$ORIGIN", "-Wl,--allow-shlib-undefined"])
        let findings = ELFInspector.inspectCompletely(
            path: try ELFFixtures.sound(), bundlePath: ELFFixtures.directory,
            surroundings: .program(InspectedProgram(path: program)))
        #expect(errors(findings) == [])
        let warning = try #require(findings.first { $0.code == .dependencyMissing })
        #expect(warning.message.contains("The application itself does not start in this environment."))
    }

    @Test(.fault(825)) func aLibraryWithoutItsLinkIsNamedWithTheCommandThatMakesIt() throws {
        let library = try ELFFixtures.c(
            "lost/libunlinked.so.3.1", "int unlinked(void) { return 3; }", ["-shared", "-Wl,-soname,libunlinked.so.3"])
        // One of the same name that is another library, and a file that is none.
        _ = try ELFFixtures.c(
            "lost/libunlinked.so.3.0", "int other(void) { return 3; }", ["-shared", "-Wl,-soname,libother.so.3"])
        _ = try ELFFixtures.file("lost/libunlinked.so.3.0.txt", "text".utf8)
        let plugin = try ELFFixtures.c(
            "needs-unlinked.so",
            ELFFixtures.entryWithNote + "extern int unlinked(void); int use(void) { return unlinked(); }",
            ["-shared", library, "-Wl,-rpath,$ORIGIN/lost"])
        let missing = try #require(errors(completeInspection(plugin)).first)
        #expect(missing.code == .dependencyMissing && missing.subject == "libunlinked.so.3")
        #expect(
            missing.message.hasSuffix(
                "“\(library)” is that library, but the link “libunlinked.so.3” to it is missing."))
        #expect(
            missing.remedy.hasPrefix(
                "Make it again: ln -s libunlinked.so.3.1 \(ELFFixtures.directory)/lost/libunlinked.so.3;"))
    }

    @Test(.fault(885), arguments: ["libstray.so", "libstray-3.1.so", "libstray.so.2.9", "libstray.so.3.1"])
    func aLibraryUnderAnyOtherNameIsFoundByItsOwnName(file: String) throws {
        let library = try ELFFixtures.c(
            "stray-\(file)/\(file)", "int stray(void) { return 3; }", ["-shared", "-Wl,-soname,libstray.so.3"])
        let plugin = try ELFFixtures.c(
            "needs-\(file)",
            ELFFixtures.entryWithNote + "extern int stray(void); int use(void) { return stray(); }",
            ["-shared", library, "-Wl,-rpath,$ORIGIN/stray-\(file)"])
        let missing = try #require(errors(completeInspection(plugin)).first)
        #expect(missing.code == .dependencyMissing && missing.message.contains("“\(library)” is that library"))
        #expect(missing.remedy.hasPrefix("Make it again: ln -s \(file) "))
    }

    /// The command in the remedy must work on what is in the link's place.
    @Test(.fault(885), arguments: ["nowhere", "itself", "text", "directory"])
    func whatIsInThePlaceOfALinkIsReplaced(obstacle: String) throws {
        let directory = "place-\(obstacle)"
        let library = try ELFFixtures.c(
            "\(directory)/libplaced.so.3.1", "int placed(void) { return 3; }",
            ["-shared", "-Wl,-soname,libplaced.so.3"])
        let plugin = try ELFFixtures.c(
            "needs-\(obstacle).so",
            ELFFixtures.entryWithNote + "extern int placed(void); int use(void) { return placed(); }",
            ["-shared", library, "-Wl,-rpath,$ORIGIN/\(directory)"])
        let place = ELFFixtures.directory + "/\(directory)/libplaced.so.3"
        switch obstacle {
        case "nowhere": try #require(symlink("libplaced.so.3.0", place) == 0)
        case "itself": try #require(symlink("libplaced.so.3", place) == 0)
        case "text": _ = try ELFFixtures.file("\(directory)/libplaced.so.3", "libplaced.so.3.1".utf8)
        default: try #require(mkdir(place, 0o755) == 0)
        }
        let missing = try #require(errors(completeInspection(plugin)).first)
        #expect(missing.message.contains("“\(library)” is that library, but "))
        let isLink = obstacle == "nowhere" || obstacle == "itself"
        #expect(missing.message.hasSuffix(isLink ? "leads elsewhere." : "to it."))
        let link = "ln \(obstacle == "directory" ? "-s" : "-sf") libplaced.so.3.1 \(place)"
        #expect(missing.remedy.contains(link))
        #expect(missing.remedy.hasPrefix("Remove the directory “\(place)”") == (obstacle == "directory"))
        if obstacle == "directory" { try #require(rmdir(place) == 0) }
        let arguments = link.split(separator: " ").map(String.init)
        let maker = Process()
        maker.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        maker.arguments = arguments
        try maker.run()
        maker.waitUntilExit()
        #expect(errors(completeInspection(plugin)) == [])
    }

    // MARK: Symbols

    @Test(.fault(824)) func aSymbolThatOnlyALibraryOutsideOfTheScopeDefinesIsAnError() throws {
        let library = try ELFFixtures.c(
            "others/libborrowed.so", "int borrowed(void) { return 1; }", ["-shared", "-Wl,-soname,libborrowed.so"])
        let plugin = try ELFFixtures.c(
            "borrows.so",
            ELFFixtures.entryWithNote + "extern int borrowed(void); int use(void) { return borrowed(); }")
        _ = try LoadedLibrary.open(path: library)
        let error = try #require(errors(completeInspection(plugin)).first)
        #expect(error.code == .symbolMissing && error.subject == "borrowed")
        #expect(error.message.contains("which only “\(library)” defines"))
        #expect(error.remedy.contains("Link the plug-in with “libborrowed.so”"))
        // The dynamic linker agrees, until somebody opens that library for all.
        #expect(throws: LinkerMessage.self) { _ = try LoadedLibrary.open(path: plugin) }
        try #require(dlopen(library, RTLD_NOW | RTLD_GLOBAL) != nil)
        let findings = completeInspection(plugin)
        #expect(errors(findings) == [])
        #expect(findings.contains { $0.code == .symbolMissing && $0.message.contains("RTLD_GLOBAL") })
        _ = try LoadedLibrary.open(path: plugin)
    }

    // MARK: Files

    @Test(.fault(822)) func packedRelocationsWithoutTheirVersionAreRefused() throws {
        let source =
            ELFFixtures.entryWithNote + """
                #include <stdio.h>
                static int number; int *pointers[8] = {[0 ... 7] = &number};
                void show(void) { puts("x"); }
                """
        func plugin(_ name: String, _ flag: String) throws -> String {
            try ELFFixtures.c(name, source, ["-shared", "-fuse-ld=lld", flag])
        }
        let unmarked = try plugin("relr-unmarked.so", "-Wl,--pack-dyn-relocs=relr")
        let findings = try quickInspection(unmarked).findings
        #expect(findings.map(\.subject) == ["GLIBC_ABI_DT_RELR"])
        #expect(findings.first?.remedy.contains("-z pack-relative-relocs") == true)
        #expect(errors(completeInspection(unmarked)).map(\.subject) == ["GLIBC_ABI_DT_RELR"])
        #expect(errors(completeInspection(try plugin("relr-marked.so", "-Wl,-z,pack-relative-relocs"))) == [])
    }

    // MARK: Libraries that are found and refused

    private func user(of library: String, _ name: String, _ symbol: String) throws -> String {
        try ELFFixtures.c(
            name,
            ELFFixtures.entryWithNote + "extern int \(symbol)(void); int use(void) { return \(symbol)(); }",
            ["-shared", library, "-Wl,-rpath,\(Path.parent(library))"])
    }

    /// The errors of the check, for a bundle that does not contain the libraries.
    private func outsideErrors(_ plugin: String) -> [PluginFinding] {
        errors(completeInspection(plugin, bundle: ELFFixtures.directory + "/Bundle"))
    }

    /// The errors of the check, if the dynamic linker refuses the plug-in too.
    private func errorsWhereALoadFails(_ plugin: String) -> [PluginFinding] {
        #expect(throws: LinkerMessage.self) { _ = try LoadedLibrary.open(path: plugin) }
        return outsideErrors(plugin)
    }

    @Test(.fault(886), arguments: ["-pie", "-no-pie"])
    func aProgramThatIsNeededAsALibraryIsAnError(flag: String) throws {
        let directory = "program\(flag)"
        let stub = try ELFFixtures.c(
            "\(directory)/theprogram", "int ofprogram(void) { return 1; }", ["-shared", "-Wl,-soname,theprogram"])
        let plugin = try user(of: stub, "needs-program\(flag).so", "ofprogram")
        let program = try ELFFixtures.c(
            "\(directory)/built",
            "int ofprogram(void) { return 1; } int main(void) { return ofprogram(); }", [flag, "-rdynamic"])
        try #require(rename(program, stub) == 0)
        let found = errorsWhereALoadFails(plugin)
        #expect(found.map(\.code) == [.notLoadable] && found.map(\.subject) == ["theprogram"])
        #expect(found.first?.filePath == plugin && found.first?.message.contains("“\(stub)” is a program") == true)
        // It is one also if it is the application itself.
        let findings = ELFInspector.inspectCompletely(
            path: plugin, bundlePath: ELFFixtures.directory + "/Bundle",
            surroundings: .program(InspectedProgram(path: stub)))
        #expect(errors(findings) == found)
    }

    @Test(.fault(886)) func aLibraryThatForbidsDlopenIsAnError() throws {
        let library = try ELFFixtures.c(
            "refused/libclosed.so", "int closed(void) { return 1; }",
            ["-shared", "-Wl,-z,nodlopen,-soname,libclosed.so"])
        let found = errorsWhereALoadFails(try user(of: library, "needs-closed.so", "closed"))
        #expect(found.map(\.subject) == ["DF_1_NOOPEN"] && found.map(\.filePath) == [library])
    }

    @Test(.fault(886)) func aLibraryOfAnotherSystemOrCutOffIsAnError() throws {
        let library = try ELFFixtures.c(
            "refused/libdamaged.so", "int damaged(void) { return 1; }", ["-shared", "-Wl,-soname,libdamaged.so"])
        let plugin = try user(of: library, "needs-damaged.so", "damaged")
        let whole = try ELFBytes(library).bytes
        var other = whole
        other[7] = 9
        try Data(other).write(to: URL(fileURLWithPath: library))
        var found = errorsWhereALoadFails(plugin)
        #expect(found.map(\.filePath) == [library] && found.first?.message.contains("OS ABI 9") == true)
        try Data(whole.prefix(whole.count / 8)).write(to: URL(fileURLWithPath: library))
        found = outsideErrors(plugin)
        #expect(found.first?.filePath == library && found.first?.message.contains("it ends before") == true)
    }

    @Test(.fault(886)) func packedRelocationsOfALibraryWithoutTheirVersionAreAnError() throws {
        let library = try ELFFixtures.c(
            "refused/libpacked.so",
            """
            #include <stdio.h>
            static int number; int *pointers[8] = {[0 ... 7] = &number};
            int packed(void) { puts("x"); return *pointers[1]; }
            """,
            ["-shared", "-fuse-ld=lld", "-Wl,--pack-dyn-relocs=relr", "-Wl,-soname,libpacked.so"])
        let found = outsideErrors(try user(of: library, "needs-packed.so", "packed"))
        #expect(found.map(\.subject) == ["GLIBC_ABI_DT_RELR"] && found.map(\.filePath) == [library])
        #expect(found.first?.remedy.contains("-z pack-relative-relocs") == true)
    }

    /// The dynamic linker ends the process with an assertion, so that nothing here opens the file.
    @Test(.fault(887)) func aLibraryThatLostAllOfItsVersionsIsAnError() throws {
        let script = try ELFFixtures.file("versions.map", "V2 { global: versioned; };".utf8)
        let source = "int versioned(void) { return 1; }"
        let library = try ELFFixtures.c(
            "lostversions/libversioned.so", source,
            ["-shared", "-nostdlib", "-Wl,-soname,libversioned.so,--version-script=\(script)"])
        let plugin = try user(of: library, "needs-versioned.so", "versioned")
        #expect(outsideErrors(plugin) == [])
        let plain = try ELFFixtures.c(
            "lostversions/plain.so", source, ["-shared", "-nostdlib", "-Wl,-soname,libversioned.so"])
        try #require(rename(plain, library) == 0)
        let found = outsideErrors(plugin)
        #expect(found.map(\.code) == [.dependencyMissing] && found.map(\.subject) == ["V2"])
        #expect(found.first?.message.contains("at the symbol “versioned” the dynamic linker ends the process") == true)
    }

    @Test(.fault(826), arguments: ["enable", "disable"])
    func aSearchPathThatIsEmptyAsAWholeIsNoFault(tags: String) throws {
        var file = try ELFBytes(
            ELFFixtures.c(
                "rpath-\(tags).so", ELFFixtures.entryWithNote, ["-shared", "-Wl,--\(tags)-new-dtags,-rpath,/qqqqq"]))
        try file.replace("/qqqqq", by: "\0\0\0\0\0\0")
        let path = try file.save("rpath-empty-\(tags).so")
        #expect(completeInspection(path) == [])
        // An element that is empty among others is the current directory.
        var other = try ELFBytes(
            ELFFixtures.c(
                "rpath-two-\(tags).so", ELFFixtures.entryWithNote,
                ["-shared", "-Wl,--\(tags)-new-dtags,-rpath,/qqqqq"]))
        try other.replace("/qqqqq", by: ":\0\0\0\0\0")
        #expect(
            errors(completeInspection(try other.save("rpath-colon-\(tags).so"))).map(\.code) == [
                .unsafeSearchPath, .unsafeSearchPath,
            ])
    }

    @Test(.fault(821)) func aFileOnAFileSystemWithoutCodeIsAnError() async {
        await #expect(processExitsWith: .success) {
            let tree = try TemporaryTree(["mounted/": ""])
            let bytes = try ELFBytes(ELFFixtures.sound()).bytes
            let path = tree("mounted/sound.so")
            let isReported = ForkedChild.succeeds {
                // If the system gives the child no namespaces, there is nothing to check.
                guard ForkedChild.enterOwnNamespaces(), ForkedChild.mountWithoutCode(at: tree("mounted")) else {
                    return true
                }
                guard (try? tree.write("mounted/sound.so", bytes: bytes)) != nil else { return false }
                let found = completeInspection(path, bundle: tree("mounted")).filter { $0.severity == .error }
                // The dynamic linker agrees.
                return (try? LoadedLibrary.open(path: path)) == nil && found.map(\.subject) == ["noexec"]
                    && found[0].message
                        == "“\(path)” is on a file system that is mounted noexec, from which no code can be loaded."
            }
            precondition(isReported)
        }
    }
}
