import Foundation
import PluginHost
import PluginTesting
import Testing
import XCTest

/// The kit in tests of XCTest.
final class GreeterXCTests: XCTestCase {
    func testAHostServesATestOfXCTest() async throws {
        try await withTestHost(.init(languages: ["de"])) { _ in
            let bundle = try Greeting.bundle()
            expectDeclaredRegistrations(of: bundle)
            XCTAssertEqual("\(try Greeting.made(bundle))", "Guten Tag, world")
        }
    }

    /// Fails, in a process that ``FailuresInXCTest`` starts.
    func testThatFails() async throws {
        let isChild = ProcessInfo.processInfo.environment[FailuresInXCTest.variable] != nil
        try XCTSkipUnless(isChild, "only in a child process")
        expectPluginError(.notLoadable) {}
        await Task.detached { _ = expectPluginError(.bundleNotFound) {} }.value
    }
}

/// A failure is reported to the framework that runs the test, also from a task that the test detaches.
@Suite struct FailuresInXCTest {
    static let variable = "PLUGIN_TESTING_FAILS"

    private func run(_ arguments: [String]) throws -> (status: Int32, output: String) {
        let process = Process()
        process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging([Self.variable: "1"]) { $1 }
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: output, as: UTF8.self))
    }

    @Test func anAssertionFailsATestOfXCTestAtItsLine() throws {
        let (status, output) = try run(["PluginTestingTests.GreeterXCTests/testThatFails"])
        #expect(status == 1)
        let place = /XCTestTests.swift:\d+: error: .*There was no error; “notLoadable” was expected./
        #expect(output.contains(place), "\(output)")
        #expect(output.contains("There was no error; “bundleNotFound” was expected."), "\(output)")
    }

    @Test func anAssertionInADetachedTaskFailsTheRunOfSwiftTesting() throws {
        let (status, output) = try run(["--testing-library", "swift-testing", "--filter", "detachedFailure"])
        #expect(status == 1, "\(output)")
        #expect(output.contains("There was no error; “bundleNotFound” was expected."), "\(output)")
    }

    /// Fails, in a process that the test above starts.
    @Test(.enabled(if: ProcessInfo.processInfo.environment[variable] != nil)) func detachedFailure() async {
        await Task.detached { _ = expectPluginError(.bundleNotFound) {} }.value
    }
}
