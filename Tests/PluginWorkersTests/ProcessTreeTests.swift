import BundleReading
import Foundation
import HostBasics
import TestSupport
import Testing

@testable import PluginWorkers

/// What the kernel states about a process and those that descend from it.
@Suite(.enabled(if: (try? ProcessTree.check()) != nil, "The kernel does not tell the children of a process."))
struct ProcessTreeTests {
    /// A shell that is stopped does not ask how its child ended, and one that waits for it does.
    enum After: String, CaseIterable {
        case childIsThereStill = "& kill -STOP $$"
        case childIsGone = "; read line"
    }

    @Test(arguments: After.allCases)
    func aProcessThatEndedSinceItWasSeenHasNoMemory(after: After) throws {
        let shell = Process()
        shell.executableURL = URL(filePath: "/bin/sh")
        // It keeps its 64 MiB, because nobody reads its output.
        shell.arguments = ["-c", "dd if=/dev/zero bs=64M count=1 \(after.rawValue)"]
        shell.standardInput = Pipe()
        shell.standardOutput = Pipe()
        shell.standardError = FileHandle.nullDevice
        try shell.run()
        defer {
            kill(shell.processIdentifier, SIGKILL)
            shell.waitUntilExit()
        }

        let limit = Wait.ofATest
        var tree = try #require(ProcessTree(first: shell.processIdentifier))
        while tree.mostMemory < 64 << 20 {
            try #require(limit.sleep())
            tree = try #require(ProcessTree(first: shell.processIdentifier))
        }
        try #require(tree.looks.count == 2)
        #expect(tree.exceedsMemory(48 << 20))

        let child = tree.looks[1].process
        kill(child, SIGKILL)
        while let look = ProcessLook(process: child), after == .childIsGone || look.memory > 0 {
            try #require(limit.sleep())
        }
        #expect(!tree.exceedsMemory(48 << 20))
        #expect(tree.mostMemory >= 64 << 20, "which is of the moment when it was seen")
    }
}
