import CPluginSupport
import Foundation
import InterfaceRecords
import TestSupport
import Testing

@testable import ELFImages
@testable import HostBasics

/// The functions in the witness tables of a compiled plug-in, by their symbols.
@Suite("Witnesses of a plug-in") struct PluginWitnessesTests {
    private static let api = """
        public protocol Parent { func z() -> Int }
        public struct Opt { public var x: Int; public init(x: Int) { self.x = x } }
        public protocol Filter: Parent, Sendable {
            associatedtype T: Equatable = Int
            func a(_ x: Int) -> Int
            var tag: Int { get set }
            func b(_ x: inout Opt) async throws -> Int
            var tt: String { get throws }
            static func s()
            init(x: Int)
            subscript(_ i: Int) -> Opt { get }
            func m(_ o: [Opt?]) -> T
            mutating func mu()
        }
        public protocol ClassOnly: AnyObject { func c() }
        public protocol Conditional { func k() }
        public enum Outer { public struct Inner { public init() {} } }
        extension Outer { public protocol Nested { func n() } }
        """

    private static func plugin(_ module: String) -> String {
        """
        import \(module)
        struct F: Filter {
            typealias T = Int
            func z() -> Int { 1 }
            func a(_ x: Int) -> Int { 2 }
            var tag: Int { get { 3 } set {} }
            func b(_ x: inout Opt) async throws -> Int { x.x }
            var tt: String { get throws { "" } }
            static func s() {}
            init(x: Int) {}
            subscript(_ i: Int) -> Opt { Opt(x: i) }
            func m(_ o: [Opt?]) -> Int { 3 }
            mutating func mu() {}
        }
        struct Second: Parent { func z() -> Int { 1 } }
        final class N: ClassOnly { func c() {} }
        struct Box<Element> { var element: Element }
        extension Box: Conditional where Element: Conditional { func k() {} }
        extension Outer.Inner: @retroactive Conditional { public func k() {} }
        struct Deep: Outer.Nested { func n() {} }
        protocol Own { func o() }
        struct OwnType: Own { func o() {} }
        // The optimiser leaves out a conformance that nothing uses.
        public nonisolated(unsafe) var filter: any Filter = F(x: 1)
        public nonisolated(unsafe) var parents: [any Parent] = [F(x: 1), Second()]
        public nonisolated(unsafe) var others: (any ClassOnly, any Outer.Nested) = (N(), Deep())
        public nonisolated(unsafe) var conditional: [any Conditional] = [Box(element: Outer.Inner()), Outer.Inner()]
        public func own(_ n: Int) -> Any { let own: any Own = OwnType(); own.o(); return own }
        """
    }

    private static let functions = [
        "a(Swift.Int) -> Swift.Int", "tag.getter : Swift.Int", "tag.setter : Swift.Int", "tag.modify : Swift.Int",
        "b(inout MODULE.Opt) async throws -> Swift.Int", "tt.getter : Swift.String", "static s() -> ()",
        "init(x: Swift.Int) -> A", "subscript.getter : (Swift.Int) -> MODULE.Opt",
        "m(Swift.Array<Swift.Optional<MODULE.Opt>>) -> A.T",
        "mu() -> ()",
    ]

    private func build(_ module: String, evolution: Bool, _ flags: [String]) throws -> (plugin: String, api: String) {
        let folder = "\(ELFFixtures.directory)/\(module)"
        let api = try ELFFixtures.swift(
            "\(module)/lib\(module).so", module: module, Self.api,
            ["-emit-library", "-emit-module", "-emit-module-path", "\(folder)/\(module).swiftmodule"]
                + (evolution ? ["-enable-library-evolution"] : []))
        let plugin = try ELFFixtures.swift(
            "\(module)-user.so", module: "User\(module)", Self.plugin(module),
            ["-emit-library", "-I", folder, "-L", folder, "-l\(module)", "-Xlinker", "-rpath", "-Xlinker", folder]
                + flags)
        return (plugin, api)
    }

    @Test(
        .fault(657, 658, 659, 661, 662),
        arguments: [
            ("Plain", false, []), ("Optimised", false, ["-O"]), ("Small", false, ["-Osize", "-wmo"]),
            ("Evolving", true, []), ("EvolvingFast", true, ["-O", "-wmo"]),
        ] as [(String, Bool, [String])])
    func theFunctionsHaveTheOrderOfTheProtocol(_ name: String, _ evolution: Bool, _ flags: [String]) throws {
        let (plugin, _) = try build(name + "API", evolution: evolution, flags)
        let witnesses = PluginWitnesses(of: try LinkedFile(path: plugin))
        #expect(witnesses.buildIdentifier?.count == 40)
        func functions(_ interface: String, _ type: String) -> [String]? {
            witnesses.conformances.first { $0.interface == "\(name)API.\(interface)" && $0.type == type }?.functions
        }
        let module = "User\(name)API"
        let expected = Self.functions.map { $0.replacingOccurrences(of: "MODULE", with: "\(name)API") }
        let found = try #require(functions("Filter", "\(module).F"))
        if evolution { #expect(Set(found) == Set(expected)) } else { #expect(found == expected) }
        #expect(functions("Parent", "\(module).F") == ["z() -> Swift.Int"])
        #expect(functions("Parent", "\(module).Second") == ["z() -> Swift.Int"])
        #expect(functions("ClassOnly", "\(module).N") == ["c() -> ()"])
        #expect(functions("Conditional", "\(module).Box") == ["k() -> ()"])
        #expect(functions("Outer.Nested", "\(module).Deep") == ["n() -> ()"])
        // A retroactive conformance has a type of the other module.
        #expect(
            witnesses.conformances.contains { $0.interface == "\(name)API.Conditional" && $0.type != "\(module).Box" })
        // A protocol of the plug-in itself is in its own file.
        #expect(!witnesses.conformances.contains { $0.interface.hasSuffix(".Own") })
        #expect(
            witnesses.conformances.filter { $0.interface.hasPrefix(name) }.allSatisfy { $0.hasEvolution == evolution })
    }

    @Test(.fault(650)) func ofAStrippedPluginOnlyTheNamesOfTheProtocolsAreKnown() throws {
        let (plugin, _) = try build("StrippedAPI", evolution: false, [])
        let path = try ELFFixtures.file("stripped-user.so", Data(contentsOf: URL(fileURLWithPath: plugin)))
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["strip", "--strip-unneeded", path]
        try process.run()
        process.waitUntilExit()
        let before = PluginWitnesses(of: try LinkedFile(path: plugin))
        let after = PluginWitnesses(of: try LinkedFile(path: path))
        #expect(after.conformances.contains { $0.interface == "StrippedAPI.Filter" })
        #expect(after.conformances.allSatisfy { $0.functions == nil })
        #expect(after.buildIdentifier == before.buildIdentifier)
    }

    @Test(.fault(652)) func aFileWithoutABuildIdentifierHasNone() throws {
        let (plugin, _) = try build("NamelessAPI", evolution: false, ["-Xlinker", "--build-id=none"])
        #expect(PluginWitnesses(of: try LinkedFile(path: plugin)).buildIdentifier == nil)
    }

    /// The record's entries have the kinds that the protocol's descriptor states, so the two have one order.
    @Test func theDescriptorHasTheSameOrder() throws {
        let (_, api) = try build("DescribedAPI", evolution: false, [])
        let file = try ELFFile(path: api)
        let symbol = SymbolName("$s12DescribedAPI6FilterMp")
        let symbols = try #require(file.symbols)
        let index = try #require(symbols.definitions(of: symbol).first)
        let requirements = try #require(ProtocolRequirements(FileMemory(file), at: symbols[index].value))
        let texts =
            ["protocol DescribedAPI.Parent", "where Self.T: Swift.Equatable", "associatedtype T"]
            + Self.functions
        #expect(requirements.count == texts.count)
        #expect(!requirements.isClassOnly && !requirements.hasEvolution)
        for (position, text) in texts.enumerated() where position < requirements.count {
            let kind = try #require(requirements.kind(position))
            #expect(!kind.differs(from: RequirementKind(of: text)), "\(text): \(kind.description)")
        }
        let interfaces = LibraryInterfaces(of: try LinkedFile(path: api))
        #expect(interfaces.modules == ["DescribedAPI"])
        #expect(interfaces.evolution == ["DescribedAPI": false])
        let (_, evolving) = try build("DescribedEvolvingAPI", evolution: true, [])
        #expect(LibraryInterfaces(of: try LinkedFile(path: evolving)).evolution == ["DescribedEvolvingAPI": true])
    }
}
