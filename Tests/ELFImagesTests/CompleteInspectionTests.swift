import Foundation
import TestSupport
import Testing

@testable import ELFImages
@testable import HostBasics

/// The findings of the complete inspection for a file, as if it were loaded into this process.
func completeInspection(
    _ path: String, bundle: String = ELFFixtures.directory, plugins: Set<String> = []
) -> [PluginFinding] {
    ELFInspector.inspectCompletely(
        path: path, bundlePath: bundle, surroundings: .currentProcess(pluginLibraries: plugins))
}

@Suite("The complete inspection")
struct CompleteInspectionTests {
    @Test func soundFileHasNoFinding() throws {
        #expect(completeInspection(try ELFFixtures.sound()) == [])
    }

    @Test("A missing executable is reported", .fault(55))
    func missingFile() {
        let path = ELFFixtures.directory + "/nothing.so"
        #expect(
            completeInspection(path) == [
                PluginFinding(
                    .executableMissing, filePath: path, message: "The executable “\(path)” does not exist.",
                    remedy: "Build the plug-in and put its library there, or name the right file in Info.plist.")
            ])
    }

    @Test("A link that leads out of the bundle is seen by whoever opens the file", .fault(56))
    func linkOutOfTheBundle() throws {
        let bundle = ELFFixtures.directory + "/Link.bundle"
        try FileManager.default.createDirectory(atPath: bundle, withIntermediateDirectories: true)
        let target = try ELFFixtures.sound()
        let link = bundle + "/link.so"
        try? FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: target)
        let file = try OpenedFile(path: link)
        let passedLinks = file.passedLinks
        let resolvedPath = file.resolvedPath
        #expect(passedLinks)
        #expect(resolvedPath == target)
        // Its target is inspected like any other file.
        #expect(completeInspection(link, bundle: bundle) == [])
    }

    @Test("A FIFO is not waited for", .fault(57))
    func fifo() throws {
        let path = ELFFixtures.directory + "/fifo.so"
        #expect(mkfifo(path, 0o600) == 0)
        #expect(
            completeInspection(path).map(\.message) == [
                "The executable “\(path)” is a FIFO, not a regular file."
            ])
    }

    @Test("All missing libraries are named, with the directories that were searched", .fault(67))
    func missingLibraries() throws {
        var flags = ["-shared", "-Wl,--no-as-needed", "-Wl,--enable-new-dtags", "-Wl,-rpath,$ORIGIN/lib"]
        for number in 1...3 {
            let library = try ELFFixtures.c(
                "libgone\(number).so", "int gone_\(number)(void) { return 1; }",
                ["-shared", "-Wl,-soname,libgone\(number).so.4"])
            flags.append(library)
        }
        let path = try ELFFixtures.c(
            "needs-gone.so",
            ELFFixtures.entryWithNote + "extern int gone_1(void); int use(void) { return gone_1(); }", flags)
        let findings = completeInspection(path)
        let missing = findings.filter { $0.code == .dependencyMissing }
        #expect(missing.map(\.subject) == ["libgone1.so.4", "libgone2.so.4", "libgone3.so.4"])
        let message = try #require(missing.first?.message)
        #expect(message.hasPrefix("“\(path)” needs the library “libgone1.so.4”, which was not found. Searched: "))
        #expect(message.contains("“\(ELFFixtures.directory)/lib” (RUNPATH), "))
        #expect(message.contains("the cache “/etc/ld.so.cache”, “/"))
        #expect(missing[0].remedy.contains("apt-file search libgone1.so.4"))
        // The symbols of the missing libraries are missing too, which is nothing new.
        #expect(!findings.contains { $0.code == .symbolMissing })
    }

    @Test("A library that another library needs is reported too, with the library that needs it", .fault(67))
    func transitivelyMissingLibrary() throws {
        let far = try ELFFixtures.c(
            "far/libfar.so", "int far(void) { return 1; }", ["-shared", "-Wl,-soname,libfar.so"])
        let near = try ELFFixtures.c(
            "near/libnear.so", "extern int far(void); int near(void) { return far(); }",
            ["-shared", "-Wl,-soname,libnear.so", far])
        let path = try ELFFixtures.c(
            "needs-near.so", ELFFixtures.entryWithNote + "extern int near(void); int use(void) { return near(); }",
            ["-shared", near, "-Wl,--allow-shlib-undefined", "-Wl,-rpath,$ORIGIN/near"])
        let missing = completeInspection(path).filter { $0.code == .dependencyMissing }
        #expect(missing.map(\.subject) == ["libfar.so"])
        #expect(missing.first?.filePath == near)
        #expect(
            missing.first?.message.hasPrefix("“\(near)” needs the library “libfar.so”, which was not found.") == true)
        // RPATH, unlike RUNPATH, is also searched for the libraries of libraries.
        let inherited = try ELFFixtures.c(
            "rpath-near.so", ELFFixtures.entryWithNote + "extern int near(void); int use(void) { return near(); }",
            [
                "-shared", near, "-Wl,--allow-shlib-undefined", "-Wl,--disable-new-dtags",
                "-Wl,-rpath,$ORIGIN/near:$ORIGIN/far",
            ])
        #expect(completeInspection(inherited) == [])
    }

    @Test("A library of another machine is ignored and reported", .fault(62, 67))
    func libraryOfAnotherMachine() throws {
        let library = try ELFFixtures.c(
            "foreign/libforeign.so", "int foreign(void) { return 1; }", ["-shared", "-Wl,-soname,libforeign.so"])
        let path = try ELFFixtures.c(
            "needs-foreign.so",
            ELFFixtures.entryWithNote + "extern int foreign(void); int use(void) { return foreign(); }",
            ["-shared", library, "-Wl,-rpath,$ORIGIN/foreign"])
        #expect(completeInspection(path) == [])
        var file = try ELFBytes(library)
        file[ELFBytes.machine, as: UInt16.self] = 22
        _ = try file.save("foreign/libforeign.so")
        let missing = try #require(completeInspection(path).first)
        #expect(missing.code == .dependencyMissing)
        #expect(missing.message.hasSuffix(" The file “\(library)” is for s390x."))
    }

    @Test("All undefined symbols are named, demangled", .fault(68))
    func undefinedSymbols() throws {
        let c = try ELFFixtures.c(
            "undefined-c.so",
            ELFFixtures.entryWithNote + """
                extern int absent_one(void), absent_two(void); extern int absent_weak(void) __attribute__((weak));
                int use(void) { return absent_one() + absent_two() + (absent_weak ? absent_weak() : 0); }
                """)
        let found = completeInspection(c)
        #expect(Set(found.map(\.subject)) == ["absent_one", "absent_two"])
        #expect(
            found.first { $0.subject == "absent_one" }
                == PluginFinding(
                    .symbolMissing, filePath: c, subject: "absent_one",
                    message: "“\(c)” uses the symbol “absent_one”, which nothing in the process defines.",
                    remedy:
                        "Link the plug-in with the library that defines it; if the host's program does, link that "
                        + "with -Xlinker --export-dynamic; if it did in an earlier version, build the plug-in "
                        + "against the current one."
                ))
        let cxx = try ELFFixtures.cxx(
            "undefined-cxx.so",
            ELFFixtures.entryWithNote
                + "namespace text { struct Filter { int apply(int); }; } int use(text::Filter &f) { return "
                + "f.apply(1); }"
        )
        #expect(
            completeInspection(cxx).map(\.message) == [
                "“\(cxx)” uses the symbol “text::Filter::apply(int)” (“_ZN4text6Filter5applyEi”), which nothing in "
                    + "the process defines."
            ])
    }

    @Test("Undefined symbols of Swift are demangled", .fault(68))
    func undefinedSwiftSymbols() throws {
        let module = ELFFixtures.directory + "/swift-modules"
        try FileManager.default.createDirectory(atPath: module, withIntermediateDirectories: true)
        _ = try ELFFixtures.swift(
            "libAbsent.so", module: "Absent", "public func shout(_ text: String) -> String { text }",
            ["-emit-library", "-emit-module", "-emit-module-path", module + "/Absent.swiftmodule"])
        let path = try ELFFixtures.swift(
            "undefined-swift.so", module: "Caller",
            "import Absent\n" + ELFFixtures.swiftEntry + "public func use() -> String { shout(\"x\") }",
            ["-emit-library", "-I", module])
        let found = completeInspection(path)
        #expect(
            found.map(\.message) == [
                "“\(path)” uses the symbol “Absent.shout(Swift.String) -> Swift.String” (“$s6Absent5shoutyS2SF”), "
                    + "which nothing in the process defines."
            ])
    }

    @Test func hundredsOfUndefinedSymbolsAreCounted() throws {
        let declarations = (0..<150).map { "extern int absent_\($0)(void);" }.joined()
        let calls = (0..<150).map { "absent_\($0)()" }.joined(separator: " + ")
        let path = try ELFFixtures.c(
            "undefined-many.so", ELFFixtures.entryWithNote + declarations + " int use(void) { return \(calls); }")
        let found = completeInspection(path)
        #expect(found.count == 101)
        #expect(found.last?.message == "“\(path)” uses 50 more symbols that nothing in the process defines.")
    }

    @Test("A glibc that is too old is reported with both versions")
    func glibcTooNew() throws {
        let source = ELFFixtures.entryWithNote + "#include <stdio.h>\nint use(void) { return puts(\"x\"); }"
        var file = try ELFBytes(ELFFixtures.c("uses-glibc.so", source))
        let needed = try #require(
            try ELFFile(path: ELFFixtures.directory + "/uses-glibc.so").versions.needed.values.first)
        let newer = "GLIBC_9" + String(repeating: "9", count: needed.name.utf8.count - 7)
        try file.replace(needed.name + "\0", by: newer + "\0")
        let path = try file.save("newer-glibc.so")
        let finding = try #require(completeInspection(path).first)
        #expect(finding.code == .dependencyMissing)
        #expect(finding.subject == newer)
        let libc = try #require(LoadedLibraries.all().first { Path.lastComponent($0.path) == "libc.so.6" }).path
        let version = try #require(Self.glibcVersion)
        #expect(
            finding.message
                == "“\(path)” needs version “\(newer)” of “libc.so.6”, but “\(libc)” was found, which goes up to "
                + "“GLIBC_\(version)”."
        )
        #expect(finding.remedy.hasPrefix("Build the plug-in on a system whose glibc is \(version) or older"))
        #expect(completeInspection(path).count == 1)
    }

    /// “2.36”.
    private static var glibcVersion: String? {
        var text = [CChar](repeating: 0, count: 64)
        guard confstr(CInt(_CS_GNU_LIBC_VERSION), &text, text.count) > 0 else { return nil }
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init), as: UTF8.self).split(separator: " ").last.map(
            String.init)
    }

    @Test func versionThatAnOlderLibraryLacksIsReported() throws {
        func library(_ directory: String, _ version: String) throws -> String {
            let script = try ELFFixtures.file("\(version).map", Array("\(version) { global: versioned; };".utf8))
            return try ELFFixtures.c(
                "\(directory)/libversioned.so", "int versioned(void) { return 1; }",
                ["-shared", "-Wl,-soname,libversioned.so", "-Wl,--version-script=\(script)"])
        }
        let newer = try library("newer", "FOO_2.0")
        let older = try library("older", "FOO_1.5")
        let path = try ELFFixtures.c(
            "versioned.so",
            ELFFixtures.entryWithNote + "extern int versioned(void); int use(void) { return versioned(); }",
            ["-shared", newer, "-Wl,-rpath,$ORIGIN/older"])
        let found = completeInspection(path)
        #expect(
            found.map(\.message) == [
                "“\(path)” needs version “FOO_2.0” of “libversioned.so”, but “\(older)” was found, which goes up to "
                    + "“FOO_1.5”."
            ])
    }

    @Test("An absolute search path that everybody may write to is a warning", .fault(69))
    func writableSearchPath() throws {
        let open = ELFFixtures.directory + "/open"
        try FileManager.default.createDirectory(atPath: open, withIntermediateDirectories: true)
        #expect(chmod(open, 0o777) == 0)
        let path = try ELFFixtures.c(
            "writable-path.so", ELFFixtures.entryWithNote, ["-shared", "-Wl,-rpath,\(open):/usr/lib"])
        let found = completeInspection(path)
        #expect(
            found == [
                PluginFinding(
                    .warning, .unsafeSearchPath, filePath: path, subject: open,
                    message:
                        "“\(path)” has “\(open)” in its RUNPATH, but everybody may write to “\(open)”: the host would "
                        + "load a library that anybody puts there.",
                    remedy: "Run: chmod o-w \(open)")
            ])
    }

    @Test("Relocations that write elsewhere are refused", .fault(80))
    func damagedRelocations() throws {
        var file = try ELFBytes(ELFFixtures.sound())
        let table = Int(file[try file.dynamicValue(7), as: UInt64.self])
        file[table, as: UInt64.self] = 0x10
        let path = try file.save("relocation.so")
        #expect(
            completeInspection(path).map(\.message) == [
                "“\(path)” is damaged: relocation 0 writes outside of its writable segments."
            ])
        file = try ELFBytes(ELFFixtures.sound())
        file[table + 12, as: UInt32.self] = 0xFFFFFF
        let other = try file.save("relocation-symbol.so")
        #expect(completeInspection(other).first?.message.contains("relocation 0 names symbol 16777215 of") == true)
    }

    @Test("Relocations and versions that contradict their counts are refused", .fault(80))
    func damagedTables() throws {
        var file = try ELFBytes(ELFFixtures.sound())
        let table = Int(file[try file.dynamicValue(7), as: UInt64.self])
        file[table + 8, as: UInt32.self] = 6
        #expect(
            completeInspection(try file.save("relative.so")).first?.message.contains(
                "relocation 0 is not of the kind that DT_RELACOUNT promises") == true)
        let source = ELFFixtures.entryWithNote + "#include <stdio.h>\nint use(void) { return puts(\"x\"); }"
        let original = try ELFBytes(ELFFixtures.c("versions.so", source))
        file = original
        let needs = Int(file[try file.dynamicValue(0x6FFF_FFFE), as: UInt64.self])
        file[needs + 12, as: UInt32.self] = 16
        #expect(
            completeInspection(try file.save("verneed.so")).first?.message.contains("does not end where it should")
                == true)
        file = original
        let versions = Int(file[try file.dynamicValue(0x6FFF_FFF0), as: UInt64.self])
        file[versions + 2, as: UInt16.self] = 0x123
        #expect(
            completeInspection(try file.save("versym.so")).first?.message.contains(
                "symbol 1 has the version number 291, which does not exist") == true)
    }

    @Test("A note that is in a section only is read with a warning", .fault(83))
    func noteInSectionOnly() throws {
        var file = try ELFBytes(ELFFixtures.sound())
        for index in (0..<file.segmentCount(4)).reversed() {
            file[try file.segment(4, index), as: UInt32.self] = 0x6FFF_0000
        }
        let path = try file.save("section-note.so")
        let found = completeInspection(path)
        #expect(
            found == [
                PluginFinding(
                    .warning, .abiMismatch, filePath: path, subject: ".note.pluginhost",
                    message:
                        "“\(path)” has its note only in the section .note.pluginhost and in no PT_NOTE segment, so "
                        + "the check before a load does not see it.",
                    remedy:
                        "Link the plug-in again, and change its search path with -rpath at link time: old versions "
                        + "of patchelf move notes."
                )
            ])
        file[try file.firstIndex(of: "PluginHost\0") + 14, as: UInt16.self] = 4
        #expect(
            completeInspection(try file.save("section-note-4.so")).map(\.subject) == [".note.pluginhost", "ABI 4.1"])
    }
}

@Suite("The complete inspection: surroundings")
struct ImageSurroundingsTests {
    private static let library = "int shared_answer(void) { return 42; }"

    @Test func loadedLibrarySatisfiesByItsOwnName() throws {
        let library = try ELFFixtures.c(
            "present/libpresent.so", Self.library, ["-shared", "-Wl,-soname,libpresent.so.1"])
        let path = try ELFFixtures.c(
            "needs-present.so",
            ELFFixtures.entryWithNote + "extern int shared_answer(void); int use(void) { return shared_answer(); }",
            ["-shared", library])
        #expect(completeInspection(path).contains { $0.code == .dependencyMissing && $0.subject == "libpresent.so.1" })
        try #require(dlopen(library, RTLD_NOW | RTLD_LOCAL) != nil)
        #expect(completeInspection(path) == [])
    }

    @Test("A symbol that only a library defines which the plug-in does not need is an error that names it", .fault(68))
    func symbolOutsideOfTheScope() throws {
        let library = try ELFFixtures.c(
            "local/liblocal.so", "int local_answer(void) { return 42; }", ["-shared", "-Wl,-soname,liblocal.so"])
        let path = try ELFFixtures.c(
            "uses-local.so",
            ELFFixtures.entryWithNote + "extern int local_answer(void); int use(void) { return local_answer(); }")
        #expect(completeInspection(path).map(\.severity) == [.error])
        try #require(dlopen(library, RTLD_NOW | RTLD_LOCAL) != nil)
        let found = completeInspection(path)
        #expect(found.map(\.severity) == [.error])
        #expect(found[0].message.contains("which only “\(library)” defines"))
    }

    @Test func programAndItsLibrariesAreTheSurroundings() throws {
        let library = try ELFFixtures.c("host/libofhost.so", Self.library, ["-shared", "-Wl,-soname,libofhost.so"])
        let program = try ELFFixtures.c(
            "host/program",
            "extern int shared_answer(void); int main(void) { return shared_answer(); } int of_program(void) { "
                + "return 1; }",
            ["-pie", library, "-Wl,-rpath,$ORIGIN", "-Wl,--export-dynamic"])
        let path = try ELFFixtures.c(
            "for-program.so",
            ELFFixtures.entryWithNote + """
                extern int shared_answer(void), of_program(void), of_nobody(void);
                int use(void) { return shared_answer() + of_program() + of_nobody(); }
                """)
        let found = ELFInspector.inspectCompletely(
            path: path, bundlePath: ELFFixtures.directory, surroundings: .program(InspectedProgram(path: program)))
        #expect(found.map(\.subject) == ["of_nobody"])
        #expect(Set(completeInspection(path).map(\.subject)) == ["shared_answer", "of_program", "of_nobody"])
    }

    @Test func inspectionsThatShareAProgramFindWhatEachAloneFinds() throws {
        let program = try ELFFixtures.c(
            "shared-program/program", "int main(void) { return 0; } int of_program(void) { return 1; }",
            ["-pie", "-Wl,--export-dynamic"])
        let plugins = try (0..<3).map { number in
            try ELFFixtures.c(
                "shared-program/plugin\(number).so",
                ELFFixtures.entryWithNote
                    + "extern int of_program(void), of_nobody\(number)(void);"
                    + "int use(void) { return of_program() + of_nobody\(number)(); }")
        }
        func inspect(_ path: String, _ program: InspectedProgram) -> [PluginFinding] {
            ELFInspector.inspectCompletely(
                path: path, bundlePath: ELFFixtures.directory, surroundings: .program(program))
        }
        let shared = InspectedProgram(path: program)
        for path in plugins + plugins {
            let alone = inspect(path, InspectedProgram(path: program))
            #expect(alone.map(\.code) == [.symbolMissing])
            #expect(inspect(path, shared) == alone)
        }
    }

    /// Otherwise the tables of a program would count as absent for the thousandth plug-in.
    @Test func eachInspectionMayReadAsMuchOfTheProgramAsTheFirst() throws {
        let path = try ELFFixtures.c("long-program/program", "int main(void) { return 0; }", ["-pie"])
        #expect(truncate(path, 48 << 20) == 0)
        let program = InspectedProgram(path: path)
        for _ in 0..<3 {
            let file = try #require(program.libraries.program)
            #expect(file.bytes(at: 0, count: 40 << 20)?.count == 40 << 20)
            #expect(file.bytes(at: 0, count: 40 << 20) == nil)
        }
    }

    @Test func programThatCannotBeReadIsReported() throws {
        let program = ELFFixtures.directory + "/no-program"
        let found = ELFInspector.inspectCompletely(
            path: try ELFFixtures.sound(), bundlePath: "/", surroundings: .program(InspectedProgram(path: program)))
        #expect(found.first?.message == "The program “\(program)” does not exist.")
    }

    @Test func libraryThatIsNotFoundIsMissingFromTheClosure() throws {
        let library = try ELFFixtures.c(
            "deleted/libdeleted.so", "int deleted_answer(void) { return 42; }",
            ["-shared", "-Wl,-soname,libdeleted.so"])
        let path = try ELFFixtures.c(
            "needs-deleted.so",
            ELFFixtures.entryWithNote + "extern int deleted_answer(void); int use(void) { return deleted_answer(); }",
            ["-shared", library])
        let present = HostLibraries(.program(InspectedProgram(path: Path.mainProgram)), excluding: nil)
        let file = try ELFFile(path: path)
        let closure = LibraryClosure(of: file, in: present)
        #expect(closure.missing.map(\.name) == ["libdeleted.so"])
    }
}
