import Fixtures
import Foundation
import Testing

/// Tests of the fuzzer itself: it finds planted defects, and repeats an input from its seed.
@Suite struct FuzzTests {
    private func fuzz(_ arguments: String...) throws -> Tool.Output {
        try Tool.output(Workspace.products.appending(path: "fuzz").path, arguments, environment: [:])
    }

    @Test func everyPlantedDefectIsFound() throws {
        let folder = Workspace.temporary.appending(path: "fuzz-corpus")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for first in 0x3D...0x41 {
            // Long, so that most damage does not touch the first byte.
            try Data(repeating: UInt8(first), count: 200).write(to: folder.appending(path: "\(first)"))
        }
        let findings = Workspace.temporary.appending(path: "fuzz-findings").path
        let output = try fuzz(
            "planted", "--inputs", "20000", "--seed", "7", "--corpus", folder.path, "--findings", findings,
            "--patience", "4")
        #expect(output.status == 1)
        let reasons = [
            "signal ", "it does not end within 4 s", "bytes of memory", "a broken rule", "ms of the processor",
        ]
        for reason in reasons { #expect(output.standardOutput.contains(reason), "\(reason): \(output.standardOutput)") }
        let saved = try FileManager.default.contentsOfDirectory(atPath: findings).sorted()
        let broken = try #require(
            saved.first { FileManager.default.contents(atPath: "\(findings)/\($0)")?.first == 0x40 })
        let again = try fuzz("planted", "--replay", "\(findings)/\(broken)")
        #expect(again.status == 1)
        #expect(again.standardOutput.contains("a broken rule"))
    }

    @Test func aWrongUseIsToldSo() throws {
        for arguments in [["plists", "--inputs", "none"], ["nothing"], ["plists", "--replay", "/nowhere"]] {
            let output = try Tool.output(Workspace.products.appending(path: "fuzz").path, arguments, environment: [:])
            #expect(output.status == 2)
            #expect(!output.standardError.isEmpty)
        }
    }

    /// Damaged nibs.
    @Test(.fault(216), arguments: ["plists", "strings", "stringsdict", "signatures", "nibs"])
    func theReadersPassAShortRun(
        target: String
    )
        throws
    {
        let findings = Workspace.temporary.appending(path: "fuzz-none").path
        let output = try fuzz(target, "--inputs", "2000", "--seed", "3", "--findings", findings)
        #expect(output.status == 0, "\(output.standardOutput)")
        #expect(output.standardOutput.contains("0 findings"))
    }

    @Test(arguments: ["budgets", "formats", "indexes", "tables", "archives", "settings", "records"])
    func theReadersSurviveHostileFiles(
        target: String
    ) throws {
        let findings = Workspace.temporary.appending(path: "fuzz-none").path
        let output = try fuzz(target, "--inputs", "200", "--seed", "3", "--findings", findings)
        #expect(output.status == 0, "\(output.standardOutput)")
        #expect(output.standardOutput.contains("0 findings"))
    }

    @Test(.fault(707)) func mutantsGetNamesOfTheirOwnOrAreRefused() throws {
        let findings = Workspace.temporary.appending(path: "fuzz-none").path
        let output = try fuzz("ownnames", "--inputs", "5000", "--seed", "3", "--findings", findings)
        #expect(output.status == 0, "\(output.standardOutput)")
        #expect(output.standardOutput.contains("0 findings"))
    }

    @Test(.fault(80)) func mutantsOfPluginsAndTheirLibrariesAreLoadedInProcesses() throws {
        let output = try fuzz("elf", "--inputs", "2000", "--seed", "3", "--jobs", "4")
        #expect(output.status == 0, "\(output.standardOutput)")
        // The linker of the toolchain makes every kind of file except those that need another linker.
        let absent = output.standardOutput.split(separator: "\n").first { $0.hasPrefix("no linker here makes") } ?? ""
        #expect(!absent.contains("lld"), "\(absent)")
        // The rule holds, and the mutants are neither all sound nor all refused.
        let last = try #require(output.standardOutput.split(separator: "\n").last)
        let counts = last.split { !$0.isNumber }.compactMap { Int($0) }
        #expect(counts.count >= 6 && counts[2] > 200 && counts[3] > 200, "\(last)")
    }
}
