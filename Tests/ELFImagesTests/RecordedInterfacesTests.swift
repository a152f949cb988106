import CPluginSupport
import Foundation
import InterfaceRecords
import PropertyLists
import TestSupport
import Testing

@testable import ELFImages
@testable import HostBasics

/// An API that changed although the number of its requirements stayed the same, and the records of both versions.
///
/// The plug-in is compiled against the first version and runs with the second.
@Suite("Recorded interfaces") struct RecordedInterfacesTests {
    /// One edit of the API, with the records before and after.
    private struct Edit {
        let name: String
        var before =
            "public protocol Filter: CustomStringConvertible { func a(_ x: Int) -> Int; func b(_ x: Int) -> Int }"
        let after: String
        /// The requirements after the edit.
        var requirements = [
            "protocol Swift.CustomStringConvertible", "a(Swift.Int) -> Swift.Int", "b(Swift.Int) -> Swift.Int",
        ]
        var isClassOnly = false
        var types: (before: [String], after: [String])?
        var body =
            "struct F: Filter { var description: String { \"\" }; func a(_ x: Int) -> Int { x }; func b(_ x: Int) -> Int { x } }"
    }

    private func record(
        _ edit: Edit, _ requirements: [String], isClassOnly: Bool, _ layout: [String]?, library: String?
    ) -> InterfaceRecord {
        InterfaceRecord(modules: [
            edit.name: .init(
                hasEvolution: false, library: library,
                interfaces: [
                    "\(edit.name).Filter": .init(isClassOnly: isClassOnly, requirements: requirements)
                ],
                types: layout.map { ["\(edit.name).Opt": .init(kind: .structure, entries: $0)] } ?? [:])
        ])
    }

    /// The findings at the entry and in the file.
    private func findings(
        _ edit: Edit, records library: Bool = true, plugin: Bool = true
    ) throws -> (entry: [PluginFinding], file: [PluginFinding], library: String) {
        let name = edit.name
        var folders: [String] = []
        for (version, source) in [("First", edit.before), ("Second", edit.after)] {
            let folder = "\(ELFFixtures.directory)/\(name)\(version)"
            folders.append(folder)
            let path = try ELFFixtures.swift(
                "\(name)\(version)/lib\(name).so", module: name, source,
                [
                    "-emit-library", "-emit-module", "-emit-module-path", "\(folder)/\(name).swiftmodule", "-Xlinker",
                    "-soname=lib\(name).so",
                ])
            if version == "Second", library {
                let now = record(
                    edit, edit.requirements, isClassOnly: edit.isClassOnly, edit.types?.after, library: nil)
                try InterfaceSectionWriter.write(Array(PropertyListWriter.xml(now.list).utf8), into: path)
            }
        }
        let path = try ELFFixtures.swift(
            "uses-\(name).so", module: "Uses\(name)",
            """
            import \(name)
            \(edit.body)
            public nonisolated(unsafe) var kept: any Filter = F()
            @c(conformances) public func conformances() -> UnsafeRawPointer? { plugin_swift_conformances() }
            @c(conformances_size) public func conformancesSize() -> Int { plugin_swift_conformances_size() }
            """,
            [
                "-emit-library", "-I", folders[0], "-L", folders[0], "-l\(name)", "-import-objc-header",
                ELFFixtures.abiHeader, "-Xlinker", "-rpath", "-Xlinker", folders[1],
            ])
        let old = [
            "protocol Swift.CustomStringConvertible", "a(Swift.Int) -> Swift.Int", "b(Swift.Int) -> Swift.Int",
        ]
        let own =
            plugin
            ? record(edit, old, isClassOnly: false, edit.types?.before, library: "lib\(name).so") : nil
        let checked = ELFInspector.inspectCompletely(
            path: path, bundlePath: ELFFixtures.directory, surroundings: .currentProcess(pluginLibraries: []),
            record: own
        )
        .filter { $0.code == .interfaceMismatch }
        let handle = try #require(
            dlopen(path, RTLD_NOW | RTLD_LOCAL | CInt(RTLD_NODELETE)), "\(String(cString: dlerror()))")
        typealias Start = @convention(c) () -> UnsafeRawPointer?
        typealias Size = @convention(c) () -> Int
        let start = unsafeBitCast(try #require(dlsym(handle, "conformances")), to: Start.self)()
        let size = unsafeBitCast(try #require(dlsym(handle, "conformances_size")), to: Size.self)()
        let entered = InterfaceComparison.findings(
            for: UnsafeRawBufferPointer(start: start, count: size), record: own)
        return (entered, checked, "\(folders[1])/lib\(name).so")
    }

    private static let swapped =
        "public protocol Filter: CustomStringConvertible { func b(_ x: Int) -> Int; func a(_ x: Int) -> Int }"

    @Test(.fault(640)) func twoRequirementsThatChangedPlacesAreNamed() throws {
        let edit = Edit(
            name: "SwapAPI", after: Self.swapped,
            requirements: [
                "protocol Swift.CustomStringConvertible", "b(Swift.Int) -> Swift.Int", "a(Swift.Int) -> Swift.Int",
            ])
        let (entry, file, library) = try findings(edit)
        let message = """
            The type “UsesSwapAPI.F” was compiled when requirement 2 of “SwapAPI.Filter” was “a(Int) -> Int”; in \
            “\(library)” it is “b(Int) -> Int”.
            """
        #expect(entry.map(\.message) == [message])
        #expect(file.map(\.message) == [message])
        #expect(entry.first?.code == .interfaceMismatch && entry.first?.subject == "SwapAPI.Filter")
    }

    @Test(.fault(641, 642)) func aReplacedRequirementAndAnotherTypeAreNamed() throws {
        let edit = Edit(
            name: "ReplaceAPI",
            after:
                "public protocol Filter: CustomStringConvertible { func a(_ x: Int) -> Int; func b(_ x: Double) -> Int }",
            requirements: [
                "protocol Swift.CustomStringConvertible", "a(Swift.Int) -> Swift.Int", "b(Swift.Double) -> Swift.Int",
            ])
        let (entry, file, library) = try findings(edit)
        let message = """
            The type “UsesReplaceAPI.F” was compiled when requirement 3 of “ReplaceAPI.Filter” was “b(Int) -> Int”; in \
            “\(library)” it is “b(Double) -> Int”.
            """
        #expect(entry.map(\.message) == [message])
        #expect(file.map(\.message) == [message])
    }

    @Test(.fault(643)) func anotherLayoutOfATypeIsNamed() throws {
        let protocolText =
            "\npublic protocol Filter: CustomStringConvertible { func a(_ x: Int) -> Int; func b(_ x: Int) -> Int }"
        let edit = Edit(
            name: "LayoutAPI", before: "public struct Opt { public var x: Int; public var y: Int }" + protocolText,
            after: "public struct Opt { public var y: Int; public var x: Int }" + protocolText,
            types: (["x: Swift.Int", "y: Swift.Int"], ["y: Swift.Int", "x: Swift.Int"]))
        let (entry, file, library) = try findings(edit)
        let message = """
            The plug-in was compiled when field 1 of “LayoutAPI.Opt” was “x: Int”; in “\(library)” it is “y: Int”.
            """
        #expect(entry.map(\.message) == [message])
        #expect(file.map(\.message) == [message])
    }

    @Test(.fault(644)) func aStructForAProtocolOfClassesIsFoundWithoutARecord() throws {
        let edit = Edit(
            name: "StructAPI",
            after:
                "public protocol Filter: AnyObject, CustomStringConvertible { func a(_ x: Int) -> Int; func b(_ x: Int) -> Int }"
        )
        let (entry, file, library) = try findings(edit, records: false, plugin: false)
        let message = """
            The type “UsesStructAPI.F” is not a class, but only classes can conform to “StructAPI.Filter” in “\(library)”.
            """
        #expect(entry.map(\.message) == [message])
        #expect(file.map(\.message) == [message])
    }

    @Test(.fault(645)) func aClassForAProtocolThatNowDemandsOneIsFoundByTheRecord() throws {
        let edit = Edit(
            name: "ClassAPI",
            after:
                "public protocol Filter: AnyObject, CustomStringConvertible { func a(_ x: Int) -> Int; func b(_ x: Int) -> Int }",
            isClassOnly: true,
            body:
                "final class F: Filter { var description: String { \"\" }; func a(_ x: Int) -> Int { x }; func b(_ x: Int) -> Int { x } }"
        )
        let (entry, file, library) = try findings(edit)
        let message = """
            The type “UsesClassAPI.F” was compiled when every type could conform to “ClassAPI.Filter”; in “\(library)” only \
            classes can.
            """
        #expect(entry.map(\.message) == [message])
        #expect(file.map(\.message) == [message])
    }

    @Test(.fault(647)) func withoutARecordOfTheLibraryTheKindsAreCompared() throws {
        let edit = Edit(
            name: "KindAPI",
            after: "public protocol Filter: CustomStringConvertible { func a(_ x: Int) -> Int; var b: Int { get } }")
        let (entry, file, library) = try findings(edit, records: false)
        let message = """
            The type “UsesKindAPI.F” was compiled when requirement 3 of “KindAPI.Filter” was “b(Int) -> Int”; in \
            “\(library)” it is a getter.
            """
        #expect(entry.map(\.message) == [message])
        #expect(file.map(\.message) == [message])
    }

    @Test(.fault(648, 649)) func withoutARecordOfThePluginOnlyTheNumberIsCompared() throws {
        let recorded = Edit(name: "LibraryOnlyAPI", after: Self.swapped)
        let (entry, file, _) = try findings(recorded, plugin: false)
        #expect(entry.isEmpty && file.isEmpty)
        let neither = Edit(name: "NoRecordAPI", after: Self.swapped)
        let (other, otherFile, _) = try findings(neither, records: false, plugin: false)
        #expect(other.isEmpty && otherFile.isEmpty)
    }

    @Test(.fault(660)) func aProtocolOfTheSameNameInAnotherModuleIsAnotherProtocol() throws {
        let edit = Edit(name: "NamesakeAPI", after: Self.swapped)
        let (_, _, library) = try findings(edit, plugin: false)
        let other = InterfaceRecord(modules: [
            "OtherAPI": .init(hasEvolution: false, interfaces: ["OtherAPI.Filter": .init(requirements: ["x()"])])
        ])
        var comparison = RecordComparison(other)
        let use = RecordComparison.Use(type: { "P.F" }, interface: "NamesakeAPI.Filter", library: library)
        #expect(comparison.finding(for: use, current: InterfaceSection.read(path: library).record) { [] } == nil)
    }

    @Test func anUnchangedInterfaceHasNoFinding() throws {
        let same = Edit(name: "SameAPI", after: Edit(name: "", after: "").before)
        let (entry, file, _) = try findings(same)
        #expect(entry.map(\.message) == [] && file.map(\.message) == [])
    }
}
