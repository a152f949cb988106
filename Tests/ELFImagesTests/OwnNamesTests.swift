import Foundation
import HostBasics
import TestSupport
import Testing

@testable import ELFImages

/// Sources and edits that the tests of ``OwnNames`` share.
enum OwnNamesFixtures {
    static let helper = "libpart.so.1"

    /// The edits of a file for new names of the library that the fixtures carry.
    static func edits(_ path: String, numbers: [String: Int] = [helper: 1]) throws -> [OwnNames.Edit] {
        var names: [String: OwnName] = [:]
        for (name, number) in numbers {
            let own = try #require(OwnName(for: name, number: number))
            names[name] = own
        }
        return try OwnNames(names).edits(
            of: OpenedFile(path: path), path: path, bundlePath: ELFFixtures.directory)
    }

    /// Writes the edited file and returns its path.
    static func edited(_ path: String, as name: String, numbers: [String: Int] = [helper: 1]) throws -> String {
        try applied(edits(path, numbers: numbers), to: ELFBytes(path)).save(name)
    }

    static func applied(_ edits: [OwnNames.Edit], to file: ELFBytes) -> ELFBytes {
        var file = file
        for edit in edits {
            file.bytes.replaceSubrange(Int(edit.offset)..<(Int(edit.offset) + edit.bytes.count), with: edit.bytes)
        }
        return file
    }

    /// A library, and one that needs it; both return the value given.
    ///
    /// Each value has files of its own.
    static func pair(_ value: Int, flags: [String] = []) throws -> (helper: String, user: String) {
        let versions = try ELFFixtures.file("own-\(value).map", "PART_1 { global: part; local: *; };".utf8)
        let helper = try ELFFixtures.c(
            "own-\(value)/\(helper)", "int part(void) { return \(value); }",
            ["-shared", "-Wl,-soname,\(helper)", "-Wl,--version-script,\(versions)"] + flags)
        let user = try ELFFixtures.c(
            "own-\(value)/libuser.so", "extern int part(void); int user(void) { return part(); }",
            ["-shared", "-Wl,-soname,libuser.so", helper] + flags)
        return (helper, user)
    }

    /// Two unique symbols, one of them thread-local, and functions that count in them.
    static let counters = """
        __asm__(".data\\n.type unique_counter, %gnu_unique_object\\n.size unique_counter, 4\\n.p2align 2\\n"
                "unique_counter: .long 0\\n"
                ".section .tdata,\\"awT\\",%progbits\\n.type unique_local, %gnu_unique_object\\n"
                ".size unique_local, 4\\n.p2align 2\\nunique_local: .long 0\\n.text");
        extern int unique_counter; extern __thread int unique_local;
        int count(void) { return ++unique_counter; } int count_local(void) { return ++unique_local; }
        """

    /// The result of a function of a loaded library.
    static func call(_ function: String, in library: LoadedLibrary) throws -> Int32 {
        let address = try #require(library.address(of: function))
        return unsafeBitCast(address, to: (@convention(c) () -> Int32).self)()
    }
}

@Suite struct OwnNamesTests {
    private typealias Fixtures = OwnNamesFixtures

    @Test(.fault(702), arguments: [[], ["-fuse-ld=lld"], ["-Wl,--hash-style=sysv"]])
    func aLibraryWithVersionsLoadsBesideAnotherOfItsName(flags: [String]) throws {
        // All cases run in one process, so each has a number of its own.
        let number = flags.joined().count + 1
        let name = try #require(OwnName(for: Fixtures.helper, number: number)).text
        let (helper, user) = try Fixtures.pair(10 + number, flags: flags)
        let own = try Fixtures.edited(helper, as: "v\(number)-part.so", numbers: [Fixtures.helper: number])
        let ownUser = try Fixtures.edited(user, as: "v\(number)-user.so", numbers: [Fixtures.helper: number])
        let file = try ELFFile(path: ownUser)
        #expect(file.needed.contains(name) && file.ownName == "libuser.so")
        #expect(file.versions.needed.values.contains { $0.library == name && $0.name == "PART_1" })
        let part = try ELFFile(path: own)
        #expect(part.ownName == name && part.versions.defined.values.contains("PART_1"))
        // The other library of the name is in the process first.
        let other = try LoadedLibrary.open(path: Fixtures.pair(5).helper)
        #expect(try Fixtures.call("part", in: other) == 5)
        _ = try LoadedLibrary.open(path: own)
        #expect(try Fixtures.call("user", in: LoadedLibrary.open(path: ownUser)) == Int32(10 + number))
    }

    @Test func aFileThatNamesNoCarriedLibraryNeedsNoEdit() throws {
        #expect(try Fixtures.edits(ELFFixtures.sound()).isEmpty)
    }

    @Test(.fault(705)) func aNameMustBeAtLeastAsLongAsItsMark() {
        #expect(OwnName(for: "ab", number: 1) == nil)
        #expect(OwnName(for: "abc", number: 1)?.text == "~1~")
        #expect(OwnName(for: "a.so", number: 35)?.text == "~z~o")
        #expect(OwnName(for: "a.so", number: 36)?.text == "~10~")
        #expect(OwnName(for: "a.so", number: 36 * 36) == nil)
    }

    @Test(.fault(705)) func aMarkNeverEndsInsideACharacter() {
        #expect(OwnName(for: "liéso", number: 1) == nil)
        #expect(OwnName(for: "lébso", number: 1)?.text == "~1~bso")
    }

    @Test(.fault(706)) func aNameThatIsAlsoASymbolsNameIsRefused() throws {
        let path = try ELFFixtures.c(
            "own-symbol.so", "int part(void) __asm__(\"libpart.so.1\"); int part(void) { return 1; }",
            ["-shared", "-Wl,-soname,libpart.so.1"])
        do {
            _ = try Fixtures.edits(path)
            Issue.record("the name of a symbol was changed")
        } catch OwnNames.Failure.shared(let name) {
            #expect(name == "libpart.so.1")
        }
    }

    @Test(.fault(706)) func aNameAtTheEndOfASymbolsNameIsRefused() throws {
        let path = try ELFFixtures.c(
            "own-tail.so", "int part(void) __asm__(\"zz_libpart.so.1\"); int part(void) { return 1; }",
            ["-shared", "-Wl,-soname,libpart.so.2"])
        var file = try ELFBytes(path)
        let strings = try Int(file[file.dynamicValue(5), as: UInt64.self])
        let name = try file.firstIndex(of: "zz_libpart.so.1") + 3 - strings
        file[try file.dynamicValue(14), as: UInt64.self] = UInt64(name)
        let changed = try file.save("own-tail-1.so")
        #expect(throws: OwnNames.Failure.self) { try Fixtures.edits(changed) }
        // A string that shares only bytes after the mark is no obstacle.
        var other = try ELFBytes(Fixtures.pair(3, flags: ["-Wl,--enable-new-dtags,-rpath,/nowhere"]).helper)
        other[try other.dynamicValue(29), as: UInt64.self] = try other[other.dynamicValue(14), as: UInt64.self] + 8
        #expect(try !Fixtures.edits(other.save("own-end.so")).isEmpty)
    }

    @Test(.fault(706)) func aVersionWithTheNameOfTheLibraryIsRefused() throws {
        let versions = try ELFFixtures.file("own-version.map", "libpart.so.1 { global: part; };".utf8)
        let path = try ELFFixtures.c(
            "own-version.so", "int part(void) { return 1; }",
            ["-shared", "-Wl,-soname,libpart.so.1", "-Wl,--version-script,\(versions)"])
        #expect(throws: OwnNames.Failure.self) { try Fixtures.edits(path) }
    }

    @Test(.fault(707), arguments: [UInt64(0x6FFF_FFFE), 0x6FFF_FFFC, 5, 6, 14])
    func hostileOffsetsAreRefusedBeforeTheEdit(tag: UInt64) throws {
        for (number, value) in [UInt64(1) << 40, .max, .max - 8].enumerated() {
            let (helper, user) = try Fixtures.pair(4)
            var file = try ELFBytes(tag == 0x6FFF_FFFE ? user : helper)
            file[try file.dynamicValue(tag), as: UInt64.self] = value
            let path = try file.save("hostile-\(tag)-\(number).so")
            #expect(throws: OwnNames.Failure.self) { try Fixtures.edits(path) }
        }
    }

    @Test(.fault(707)) func versionRecordsInACircleAreRefused() throws {
        let user = try Fixtures.pair(4).user
        var file = try ELFBytes(user)
        let records = Int(file[try file.dynamicValue(0x6FFF_FFFE), as: UInt64.self])
        file[records + 12, as: UInt32.self] = UInt32(bitPattern: -16)
        file[try file.dynamicValue(0x6FFF_FFFF), as: UInt64.self] = .max
        let path = try file.save("circle.so")
        #expect(throws: OwnNames.Failure.self) { try Fixtures.edits(path) }
    }

    @Test(.fault(716, 717)) func uniqueSymbolsBecomeWeakAndHaveStaticsOfTheirOwn() throws {
        let first = try ELFFixtures.c("unique-1.so", Fixtures.counters)
        let second = try ELFFixtures.c("unique-2.so", Fixtures.counters + "\nint other;")
        let image = try LoadedLibrary.open(path: first)
        #expect(try Fixtures.call("count", in: image) == 1)
        #expect(try Fixtures.call("count_local", in: image) == 1)
        let own = try LoadedLibrary.open(path: Fixtures.edited(second, as: "unique-own.so", numbers: [:]))
        #expect(try Fixtures.call("count", in: own) == 1)
        #expect(try Fixtures.call("count_local", in: own) == 1)
        #expect(try Fixtures.call("count", in: image) == 2)
        // Without the edit, the symbols of both files have one definition.
        let shared = try LoadedLibrary.open(path: second)
        #expect(try Fixtures.call("count", in: shared) == 3)
        #expect(try quickInspection(first).uniqueSymbols.count == 2)
        #expect(try quickInspection(ELFFixtures.sound()).uniqueSymbols.isEmpty)
    }

    @Test(.fault(707)) func mutantsAreRefusedOrChangedOnlyInNamesAndBindings() throws {
        let (helper, user) = try Fixtures.pair(6, flags: ["-Wl,--hash-style=both", "-Wl,-z,max-page-size=4096"])
        let unique = try ELFFixtures.c(
            "mutant-unique.so", Fixtures.counters, ["-shared", "-Wl,-soname,libpart.so.1"])
        for (number, path) in [helper, user, unique].enumerated() {
            var generator = SeededGenerator(seed: UInt64(700 + number))
            let original = try ELFBytes(path)
            var edited = 0
            for _ in 0..<1000 {
                let mutant = mutant(of: original, using: &generator)
                let path = try mutant.save("own-mutant.so")
                guard let edits = try? Fixtures.edits(path) else { continue }
                edited += 1
                try expectOnlyNamesAndBindings(edits, of: mutant, path)
            }
            // Most mutations hit code.
            #expect(edited > 100)
        }
    }

    /// Half of the changes are in the first pages, which have the headers and the tables.
    private func mutant(of file: ELFBytes, using generator: inout SeededGenerator) -> ELFBytes {
        var mutant = file
        for _ in 0..<Int.random(in: 1...4, using: &generator) {
            let end = Bool.random(using: &generator) ? min(0x800, mutant.bytes.count) : mutant.bytes.count
            mutant.bytes[Int.random(in: 0..<end, using: &generator)] = .random(in: 0...255, using: &generator)
        }
        return mutant
    }

    private func expectOnlyNamesAndBindings(_ edits: [OwnNames.Edit], of file: ELFBytes, _ path: String) throws {
        let image = try ELFFile(path: path)
        func offset(_ address: UInt64) throws -> Int {
            Int(try #require(image.segments.fileOffset(ofAddress: address, count: 1)))
        }
        let strings = try offset(image.dynamic.strings)
        let symbols = try offset(image.dynamic.symbols)
        let changed = Fixtures.applied(edits, to: file)
        #expect(changed.bytes.count == file.bytes.count)
        for place in changed.bytes.indices where changed.bytes[place] != file.bytes[place] {
            let isName = place >= strings && place < strings + Int(image.dynamic.stringsSize)
            let isBinding = place >= symbols && (place - symbols) % ELF.symbolSize == 4
            #expect(isName || isBinding, "byte \(place)")
        }
    }
}
