import Foundation
import TestSupport
import Testing

@testable import ELFImages
@testable import HostBasics

/// A class of the tests' own image, and a generic one.
private final class OwnClass {
    final class Nested {}
}
private final class OwnGeneric<Element> {}

@Suite("The classes of one image")
struct LibraryClassesTests {
    private static let source =
        ELFFixtures.swiftEntry + """
            public final class Reporter { public init() {}; public final class Inner { final class Deep {} } }
            private class Private {}
            struct Outer { final class InStruct {}; enum Kind { class InEnum {} } }
            class Generic<T> { class InGeneric {} }
            extension Reporter { class InExtension {} }
            extension Array { class InArray {} }
            extension String { final class InString {} }
            public func local() -> Any { class Local {}; return Local() }
            actor Actor {}
            class Derived: Base {}
            class Base {}
            struct Plain {}
            """

    /// The fixture's image, opened.
    private func library(_ name: String = "libClasses.so", module: String = "Fixture") throws -> (
        base: UInt, path: String
    ) {
        let path = try ELFFixtures.swift(name, module: module, Self.source)
        try #require(dlopen(path, RTLD_NOW | RTLD_LOCAL | CInt(RTLD_NODELETE)) != nil)
        return (try #require(LoadedLibraries.all().first { $0.path == path }).base, path)
    }

    private static let names = [
        "Reporter", "Reporter.Inner", "Reporter.Inner.Deep", "Private", "Outer.InStruct", "Outer.Kind.InEnum",
        "Reporter.InExtension", "String.InString", "Actor", "Derived", "Base", "Local",
    ]

    @Test func namesAreInSourceOrderWithPrivateAndNestedOnesAndWithoutGenerics() throws {
        #expect(LibraryClasses(ofLibraryAt: try library().base).names == Self.names.map { "Fixture.\($0)" })
    }

    @Test func theFileHasTheSameNamesWithoutBeingLoaded() throws {
        let path = try ELFFixtures.swift("libClasses.so", module: "Fixture", Self.source)
        #expect(try ELFFile(path: path).classNames == Self.names.map { "Fixture.\($0)" })
        #expect(try ELFFile(path: path).modules == ["Fixture"])
    }

    @Test func namesOfOneImageOnly() throws {
        let (first, _) = try library()
        let (second, _) = try library("libClasses2.so", module: "Fixture")
        let one: AnyClass = try #require(LibraryClasses(ofLibraryAt: first).class(named: "Reporter"))
        let other: AnyClass = try #require(LibraryClasses(ofLibraryAt: second).class(named: "Reporter"))
        #expect(ObjectIdentifier(one) != ObjectIdentifier(other))
        #expect(LibraryClasses.base(ofLibraryDefining: one) == first)
        #expect(LibraryClasses.base(ofLibraryDefining: other) == second)
    }

    @Test(arguments: [
        "Reporter", "Fixture.Reporter", "Reporter.Inner", "Fixture.Reporter.Inner", "Private", "Local",
        "String.InString",
    ])
    func classIsFoundByName(name: String) throws {
        let found: AnyClass = try #require(LibraryClasses(ofLibraryAt: try library().base).class(named: name))
        #expect(LibraryClasses.ownName(of: found) == name.split(separator: ".").last.map(String.init))
    }

    @Test(arguments: [
        "Inner", "Generic", "Plain", "Other.Reporter", "Fixture", "", ".", ".Reporter", "Reporter.", "fixture.reporter",
        "ixture.Reporter",
    ])
    func otherNamesAreNotFound(name: String) throws {
        let found: AnyClass? = LibraryClasses(ofLibraryAt: try library().base).class(named: name)
        #expect(found.map { LibraryClasses.ownName(of: $0) } == nil)
    }

    @Test func imageWithoutSwiftHasNoClasses() throws {
        let path = try ELFFixtures.sound()
        try #require(dlopen(path, RTLD_NOW | RTLD_LOCAL) != nil)
        let base = try #require(LoadedLibraries.all().first { $0.path == path }).base
        #expect(LibraryClasses(ofLibraryAt: base).names == [])
        #expect(LibraryClasses(ofLibraryAt: 0x1000).names == [])
    }

    @Test func classLeadsToItsImage() throws {
        let own = try #require(LibraryClasses.base(ofLibraryDefining: OwnClass.self))
        #expect(LibraryClasses.base(ofLibraryDefining: OwnGeneric<Int>.self) == own)
        #expect(LibraryClasses.base(ofLibraryDefining: JSONDecoder.self) != own)
        #expect(LibraryClasses.ownName(of: OwnClass.Nested.self) == "Nested")
        #expect(LibraryClasses.ownName(of: OwnGeneric<Int>.self) == "OwnGeneric")
    }

    @Test func modulesAreKnownByImage() throws {
        let (base, _) = try library()
        #expect(LoadedLibraries.modules()[base] == ["Fixture"])
        let libraries = LoadedLibraries.all()
        #expect(libraries.first?.isMainProgram == true)
        #expect(libraries.first?.path == Path.mainProgram)
        #expect(libraries.count { $0.isMainProgram } == 1)
        let foundation = try #require(libraries.first { Path.lastComponent($0.path) == "libFoundationEssentials.so" })
        #expect(LoadedLibraries.modules()[foundation.header]?.contains("FoundationEssentials") == true)
        // Types of C are described in every image that uses them.
        #expect(!LoadedLibraries.modules().values.contains { $0.contains("__C") })
    }
}

@Suite("The fingerprint of an image")
struct ImageFingerprintTests {
    private func base(of path: String) throws -> UInt {
        try #require(dlopen(path, RTLD_NOW | RTLD_LOCAL) != nil)
        return try #require(LoadedLibraries.all().first { $0.path == path }).base
    }

    @Test func fileAndItsMappedImageHaveTheSame() throws {
        let c = try ELFFixtures.c("fingerprint-c.so", ELFFixtures.entryWithNote)
        #expect(try quickInspection(c).fingerprint != 0)
        #expect(try quickInspection(c).describes(libraryAt: try base(of: c)))
        let swift = try ELFFixtures.swift(
            "fingerprint-swift.so", module: "Print", ELFFixtures.swiftEntry + "final class A {}")
        #expect(try quickInspection(swift).describes(libraryAt: try base(of: swift)))
    }

    @Test("A file that was swapped between check and load is noticed", .fault(74))
    func swappedFile() throws {
        let checked = try ELFFixtures.c(
            "swap-checked.so", ELFFixtures.entryWithNote + "int which(void) { return 1; }")
        let loaded = try ELFFixtures.c(
            "swap-loaded.so", ELFFixtures.entryWithNote + "int which(void) { return 2; }")
        let inspection = try quickInspection(checked)
        #expect(!inspection.describes(libraryAt: try base(of: loaded)))
        #expect(inspection.fingerprint != (try quickInspection(loaded).fingerprint))
    }

    @Test func everyByteOfTheBeginningCounts() throws {
        let original = try ELFBytes(ELFFixtures.sound())
        let fingerprint = original.bytes.withUnsafeBytes { ELFInspector.fingerprint(ofFileBeginning: $0) }
        let length = Int(original[try original.segment(1) + ELFBytes.fileSize, as: UInt64.self])
        // The headers of segments decide how much is covered; this test does not change them.
        let start = Int(original[ELFBytes.programHeaders, as: UInt64.self]) + 56 * original.segmentCountOfAll
        for offset in start..<min(1024, length & ~15) {
            var bytes = original.bytes
            bytes[offset] ^= 0x10
            #expect(
                bytes.withUnsafeBytes { ELFInspector.fingerprint(ofFileBeginning: $0) } != fingerprint, "\(offset)")
        }
    }
}

extension ELFBytes {
    var segmentCountOfAll: Int { Int(self[Self.programHeaderCount, as: UInt16.self]) }
}
