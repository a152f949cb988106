import Foundation
import TestSupport
import Testing

@testable import ELFImages
@testable import HostBasics

@Suite("The complete inspection: one copy of each Swift module")
struct ModuleCopyTests {
    @Test("A plug-in with its own copy of PluginABI is refused, with the change that mends it")
    func ownCopy() throws {
        let path = try ELFFixtures.swift(
            "own-abi.so", module: "PluginABI", ELFFixtures.swiftEntry + "public final class PluginRegistrar {}")
        let finding = try #require(completeInspection(path).first)
        #expect(
            finding
                == PluginFinding(
                    .duplicateABI, filePath: path, subject: "PluginABI",
                    message:
                        "The plug-in “\(path)” contains its own copy of the module PluginABI, so the host does "
                        + "not recognise its classes.",
                    remedy:
                        "In its Package.swift, which must be a different package than PluginHost, depend on "
                        + ".product(name: \"PluginHost\", package: \"PluginHost\") instead of on a target: that "
                        + "product is .dynamic, and host and plug-in then share one copy."
                ))
    }

    @Test func aProtocolAloneIsACopyToo() throws {
        let path = try ELFFixtures.swift(
            "own-protocol.so", module: "PluginABI", ELFFixtures.swiftEntry + "public protocol Plugin: AnyObject {}")
        #expect(completeInspection(path).map(\.subject) == ["PluginABI"])
    }

    @Test func libraryWithPluginABIIsACopyOnlyIfTheHostHasItToo() throws {
        let library = try ELFFixtures.swift(
            "libABICopy.so", module: "PluginABI", "public final class PluginRegistrar {}",
            ["-emit-library", "-Xlinker", "-soname=libABICopy.so"])
        let path = try ELFFixtures.c(
            "needs-copy.so", ELFFixtures.entryWithNote,
            ["-shared", "-Wl,--no-as-needed", library, "-Wl,-rpath,$ORIGIN"])
        let program = try ELFFixtures.c("plain-program", "int main(void) { return 0; }", [])
        let alone = ELFInspector.inspectCompletely(
            path: path, bundlePath: ELFFixtures.directory, surroundings: .program(InspectedProgram(path: program)))
        #expect(alone.filter { $0.code == .duplicateABI } == [])
        let found = completeInspection(path).filter { $0.code == .duplicateABI }
        #expect(found.map(\.filePath) == [library])
        #expect(found.first?.message.contains("and so does “") == true)
    }

    @Test("A module that stands in host and plug-in is reported with both files")
    func moduleInTwoImages() throws {
        let source = "public final class Twin {}\n"
        let host = try ELFFixtures.swift("libTwinHost.so", module: "TwinAPI", source)
        let path = try ELFFixtures.swift("twin.so", module: "TwinAPI", ELFFixtures.swiftEntry + source)
        #expect(completeInspection(path) == [])
        try #require(dlopen(host, RTLD_NOW | RTLD_LOCAL | CInt(RTLD_NODELETE)) != nil)
        let found = completeInspection(path)
        #expect(
            found == [
                PluginFinding(
                    .warning, .duplicateABI, filePath: path, subject: "TwinAPI",
                    message:
                        "The Swift module “TwinAPI” is contained in “\(path)” and in “\(host)”: the types of the "
                        + "two copies are different, and casts between them fail.",
                    remedy:
                        "If host and plug-in exchange types of TwinAPI, make it a .library(type: .dynamic) product "
                        + "in a separate package, and let both depend on that product; otherwise ignore this."
                )
            ])
        // Two plug-ins may have modules of one name.
        #expect(completeInspection(path, plugins: [host]) == [])
        // The plug-in itself may be loaded already.
        #expect(completeInspection(host, plugins: [path]).filter { $0.code == .duplicateABI } == [])
    }

    @Test func moduleInThePluginAndInItsOwnLibraryIsReportedOnce() throws {
        let source = "public final class Common {}\n"
        let library = try ELFFixtures.swift(
            "libCommon.so", module: "Common", source, ["-emit-library", "-Xlinker", "-soname=libCommon.so"])
        let path = try ELFFixtures.swift(
            "common.so", module: "Common", ELFFixtures.swiftEntry + source,
            ["-emit-library", "-Xlinker", "--no-as-needed", library, "-Xlinker", "-rpath", "-Xlinker", "$ORIGIN"])
        let found = completeInspection(path)
        #expect(found.map(\.subject) == ["Common"])
        #expect(found.first?.filePath == library)
        #expect(found.first?.message.contains("is contained in “\(library)” and in “\(path)”") == true)
    }

    @Test func moduleInTheProgramIsFoundInItsFile() throws {
        let program = try ELFFixtures.swift(
            "module-program", module: "ProgramAPI",
            "public final class Shared {}\n@main struct Main { static func main() {} }", [])
        let path = try ELFFixtures.swift(
            "module-plugin.so", module: "ProgramAPI", ELFFixtures.swiftEntry + "public final class Shared {}")
        let found = ELFInspector.inspectCompletely(
            path: path, bundlePath: ELFFixtures.directory, surroundings: .program(InspectedProgram(path: program)))
        #expect(found.map(\.code) == [.duplicateABI])
        #expect(found.first?.message.contains("is contained in “\(path)” and in “\(program)”") == true)
    }

    @Test("A plug-in with the Swift runtime linked into it is refused")
    func staticRuntime() throws {
        let path = try ELFFixtures.swift(
            "static-runtime.so", module: "StaticRuntime", ELFFixtures.swiftEntry + "public final class Own {}",
            ["-emit-library", "-static-stdlib"])
        #expect(
            completeInspection(path).filter { $0.severity == .error }.map(\.message) == [
                "“\(path)” contains its own copy of the Swift runtime, so the process would have two."
            ])
    }

    @Test("A program with the Swift runtime linked into it is reported")
    func staticProgram() throws {
        let program = try ELFFixtures.swift(
            "static-program", module: "StaticProgram", "@main struct Main { static func main() { print(1) } }",
            ["-static-stdlib"])
        let path = try ELFFixtures.swift(
            "shared-runtime.so", module: "SharedRuntime", ELFFixtures.swiftEntry + "public final class Own {}")
        let found = ELFInspector.inspectCompletely(
            path: path, bundlePath: ELFFixtures.directory, surroundings: .program(InspectedProgram(path: program)))
        #expect(
            found.filter { $0.code == .duplicateABI }.map(\.message) == [
                "The program “\(program)” has the Swift runtime linked into it, but “\(path)” needs the shared one, "
                    + "so the process would have two."
            ])
    }

    @Test("Without a note, the compiler's revision in .comment shows another toolchain", .fault(83))
    func otherToolchain() throws {
        let path = try ELFFixtures.swift(
            "comment.so", module: "Comment", ELFFixtures.swiftEntry + "public final class Own {}")
        #expect(completeInspection(path) == [])
        let own = try #require(ELFFile.revisions(in: PluginNote.hostToolchain).first)
        let other = String(own.reversed())
        var file = try ELFBytes(path)
        try file.replace(own, by: other)
        let changed = try file.save("comment-other.so")
        let found = completeInspection(changed)
        #expect(
            found.map(\.message) == [
                "“\(changed)” was compiled by a Swift toolchain of the LLVM revision \(other); this host was "
                    + "compiled by that of \(own)."
            ])
        #expect(found.map(\.severity) == [.warning])
        #expect(found.map(\.code) == [.toolchainMismatch])
    }
}
