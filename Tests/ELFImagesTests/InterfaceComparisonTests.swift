import CPluginSupport
import Foundation
import TestSupport
import Testing

@testable import ELFImages
@testable import HostBasics

/// Protocols with other requirements than when a plug-in was compiled against them.
///
/// The API is built twice; the plug-in is compiled against the first version and runs with the second.
@Suite("Changed interfaces") struct InterfaceComparisonTests {
    /// One version of an API, and a plug-in for the first version.
    private struct Interfaces {
        let name: String
        let hasEvolution: Bool

        /// `Refined` refines a protocol with library evolution, so the compiler records the number of its requirements.
        private var api: String {
            """
            public protocol Same: CustomStringConvertible { func first() -> Int }
            public protocol SameAlone { func first() -> Int }
            #if SECOND
            public protocol Refined: CustomStringConvertible { func added() -> Int; func first() -> Int }
            public protocol Alone { func first() -> Int; func added() -> Int; func third() -> Int }
            public protocol Demanding: CustomStringConvertible { func first() -> Int; func added() -> Int }
            extension Refined { public func added() -> Int { 2 } }
            extension Alone { public func added() -> Int { 2 }; public func third() -> Int { 3 } }
            #else
            public protocol Refined: CustomStringConvertible { func first() -> Int }
            public protocol Alone { func first() -> Int }
            public protocol Demanding: CustomStringConvertible { func first() -> Int }
            #endif
            """
        }

        private var plugin: String {
            let types = ["Same", "SameAlone", "Refined", "Alone", "Demanding"].map { interface in
                """
                struct Own\(interface): \(interface) { let description = ""; func first() -> Int { 1 } }
                """
            }
            return """
                import \(name)
                \(types.joined(separator: "\n"))
                @c(conformances) public func conformances() -> UnsafeRawPointer? { plugin_swift_conformances() }
                @c(conformances_size) public func conformancesSize() -> Int { plugin_swift_conformances_size() }
                """
        }

        /// - Returns: the plug-in's file, which finds the second version of the API.
        func build() throws -> (plugin: String, library: String) {
            let flags = ["-emit-library", "-emit-module"] + (hasEvolution ? ["-enable-library-evolution"] : [])
            var libraries: [String] = []
            for version in ["First", "Second"] {
                let folder = "\(ELFFixtures.directory)/\(name)\(version)"
                let define = version == "Second" ? ["-D", "SECOND"] : []
                libraries.append(
                    try ELFFixtures.swift(
                        "\(name)\(version)/lib\(name).so", module: name, api,
                        flags + define + ["-emit-module-path", "\(folder)/\(name).swiftmodule"]))
            }
            let first = "\(ELFFixtures.directory)/\(name)First"
            let plugin = try ELFFixtures.swift(
                "uses-\(name).so", module: "Uses\(name)", plugin,
                [
                    "-emit-library", "-O", "-I", first, "-L", first, "-l\(name)", "-import-objc-header",
                    ELFFixtures.abiHeader, "-Xlinker", "-rpath", "-Xlinker",
                    "\(ELFFixtures.directory)/\(name)Second",
                ])
            return (plugin, libraries[1])
        }
    }

    /// The findings of the check of the file, and of the comparison at the entry.
    private func findings(_ interfaces: Interfaces) throws -> (
        file: [PluginFinding], entry: [PluginFinding], library: String, plugin: String
    ) {
        let (plugin, library) = try interfaces.build()
        let checked = completeInspection(plugin).filter { $0.code == .interfaceMismatch }
        let handle = try #require(dlopen(plugin, RTLD_NOW | RTLD_LOCAL | CInt(RTLD_NODELETE)))
        typealias Start = @convention(c) () -> UnsafeRawPointer?
        typealias Size = @convention(c) () -> Int
        let start = unsafeBitCast(try #require(dlsym(handle, "conformances")), to: Start.self)()
        let size = unsafeBitCast(try #require(dlsym(handle, "conformances_size")), to: Size.self)()
        let entered = InterfaceComparison.findings(for: UnsafeRawBufferPointer(start: start, count: size))
        return (checked, entered, library, plugin)
    }

    @Test(.fault(296)) func withoutLibraryEvolutionEveryOtherNumberOfRequirementsIsFound() throws {
        let (file, entry, library, plugin) = try findings(Interfaces(name: "PlainAPI", hasEvolution: false))
        let subjects = ["PlainAPI.Alone", "PlainAPI.Demanding", "PlainAPI.Refined"]
        #expect(file.compactMap(\.subject).sorted() == subjects)
        #expect(entry.compactMap(\.subject).sorted() == subjects)
        #expect(file.map(\.message).sorted() == entry.map(\.message).sorted())
        let messages = Dictionary(uniqueKeysWithValues: file.map { ($0.subject ?? "", $0.message) })
        #expect(
            messages["PlainAPI.Refined"] == """
                The type “UsesPlainAPI.OwnRefined” was compiled when the protocol “PlainAPI.Refined” had 2 requirements; \
                in “\(library)” it has 3.
                """)
        #expect(
            messages["PlainAPI.Alone"] == """
                The type “UsesPlainAPI.OwnAlone” was compiled when the protocol “PlainAPI.Alone” had fewer requirements \
                than the 3 that it has in “\(library)”.
                """)
        #expect(file.allSatisfy { $0.filePath == plugin && $0.severity == .error })
    }

    @Test(.fault(296)) func withLibraryEvolutionOnlyARequirementWithoutADefaultIsFound() throws {
        let (file, entry, library, _) = try findings(Interfaces(name: "EvolvingAPI", hasEvolution: true))
        #expect(file.map(\.message) == entry.map(\.message))
        #expect(
            file.map(\.message) == [
                """
                The type “UsesEvolvingAPI.OwnDemanding” lacks 1 of the 3 requirements that the protocol \
                “EvolvingAPI.Demanding” has in “\(library)”, which has no default for them: “added() -> Int”.
                """
            ])
    }

    @Test func nothingIsFoundInTheLibrariesOfTheToolchain() {
        var lists: [UnsafeRawBufferPointer] = []
        withUnsafeMutablePointer(to: &lists) { lists in
            phs_each_swift_library(
                { image, context in
                    guard let image else { return false }
                    context?.assumingMemoryBound(to: [UnsafeRawBufferPointer].self).pointee.append(
                        UnsafeRawBufferPointer(
                            start: image.pointee.conformances, count: image.pointee.conformances_length))
                    return true
                }, lists)
        }
        // The standard library and Foundation alone have some thousands.
        #expect(lists.map(\.count).reduce(0, +) > 4 * 2000)
        for list in lists {
            let path = list.baseAddress.flatMap { LoadedLibraries.path(containing: $0) } ?? ""
            // Other tests load plug-ins that were compiled against another version on purpose.
            if path.hasPrefix(ELFFixtures.directory) { continue }
            #expect(InterfaceComparison.findings(for: list).map(\.message) == [])
        }
    }
}
