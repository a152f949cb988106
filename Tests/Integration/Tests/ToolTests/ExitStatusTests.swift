import Fixtures
import Foundation
import Testing

@Suite struct ExitStatusTests {
    @Test(arguments: [["check"], ["info", "--colour", "x"], ["frobnicate"], ["check", "--host"], ["load"]])
    func aWrongUseIsTwo(_ arguments: [String]) throws {
        let output = try PluginHostTool.run(arguments)
        #expect(output.status == 2)
        #expect(output.standardOutput.isEmpty)
        #expect(output.standardError.contains("Usage:"))
    }

    @Test(arguments: ["info", "check", "load"]) func aMissingDirectoryIsTwo(_ command: String) throws {
        let output = try PluginHostTool.run(command, "/nonexistent/X.bundle")
        #expect(output.status == 2)
        #expect(output.standardOutput.contains("bundleNotFound"))
    }

    @Test func aFileIsNoBundle() throws {
        let file = Workspace.temporary.appending(path: "file.bundle")
        try Data().write(to: file)
        #expect(try PluginHostTool.run("info", file.path).status == 2)
    }

    @Test func aMissingHostIsTwo() throws {
        let fixture = try BundleFixture("Hostless", code: .none)
        let output = try PluginHostTool.run("check", "--host", "/nonexistent/host", fixture.path)
        #expect(output.status == 2)
        #expect(output.standardError.contains("/nonexistent/host"))
    }

    @Test func theWorstBundleDecides() throws {
        let good = try BundleFixture("Fine", code: .c(PluginSource.good)).path
        let bad = try BundleFixture("Bad", code: .c(PluginSource.missingEntry)).path
        #expect(try PluginHostTool.run("check", good, bad).status == 1)
        #expect(try PluginHostTool.run("check", good, bad, "/nonexistent").status == 2)
    }

    @Test func outputThatCannotBeWrittenIsTwo() throws {
        let path = try BundleFixture("Unwritable", code: .none).path
        let program = Workspace.products.appending(path: "pluginhost").path
        let output = try Tool.output("/bin/sh", ["-c", "exec \"$0\" info \"$1\" >/dev/full", program, path])
        #expect(output.status == 2)
        #expect(output.standardError.contains("cannot be written"))
    }

    @Test(arguments: [["--help"], ["help", "check"], ["--version"], ["load", "--help"]])
    func helpIsASuccess(_ arguments: [String]) throws {
        let output = try PluginHostTool.run(arguments)
        #expect(output.status == 0)
        #expect(!output.standardOutput.isEmpty)
        #expect(output.standardError.isEmpty)
    }
}
