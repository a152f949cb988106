import Glibc
import HostRecords
import Testing

@testable import PluginHost

@Suite struct ApplicationRecordTests {
    private func record(_ version: String = "1", _ services: [ApplicationRecord.Point] = []) -> ApplicationRecord {
        var record = ApplicationRecord(version: version, program: "/opt/w/bin/w", programTime: 7)
        record.services = Set(services)
        return record
    }

    @Test func whatIsWrittenIsReadAgain() throws {
        let tree = try CatalogTree()
        var written = record("3.1", [.init(name: "org.a", version: 2), .init(name: "org.a", version: 1)])
        written.requests = [.init(name: "org.<b>", version: .max)]
        written.placings = ["org.x": .init(execution: .sandboxed, granted: ["network=any", "files=$HOME/<a>:read"])]
        #expect(written.write(to: tree("w.application")))
        #expect(ApplicationRecord(path: tree("w.application")) == written)
    }

    @Test func servicesOfTheSameExecutableAreAddedAndThoseOfAnotherAreNot() {
        var now = record("1", [.init(name: "org.a", version: 1)])
        now.add(record("1", [.init(name: "org.b", version: 1)]))
        #expect(now.services.count == 2)
        now.add(record("2", [.init(name: "org.c", version: 1)]))
        #expect(now.services.count == 2)
    }

    @Test func theLaterDecisionOfThePolicyCounts() {
        var now = record()
        now.placings = ["org.x": .init(execution: .isolated, granted: [])]
        var earlier = record()
        earlier.placings = [
            "org.x": .init(execution: .sandboxed, granted: []), "org.y": .init(execution: .sandboxed, granted: []),
        ]
        now.add(earlier)
        #expect(now.placings["org.x"]?.execution == .isolated && now.placings["org.y"]?.execution == .sandboxed)
    }

    @Test func aWriteThatFailedIsTriedAgain() throws {
        let tree = try CatalogTree()
        let recorder = ApplicationRecorder { "" }
        let directory = tree("later")
        recorder.begin("w", in: directory)
        recorder.noteService("org.a", 1)
        recorder.note(.init(execution: .isolated, granted: ["processes"]), of: "org.x")
        try #require(ApplicationRecord(path: directory + "/w.application") == nil)
        try #require(mkdir(directory, 0o700) == 0)
        recorder.retry()
        let written = try #require(ApplicationRecord(path: directory + "/w.application"))
        #expect(written.services == [.init(name: "org.a", version: 1)])
        #expect(written.placings["org.x"]?.granted == ["processes"])
        // A plug-in that runs in the application's process again is no longer in the file, with a policy or without.
        recorder.note(nil, of: "org.x")
        #expect(try #require(ApplicationRecord(path: directory + "/w.application")).placings.isEmpty)
        recorder.note(.init(execution: .isolated, granted: []), of: "org.x")
        let next = ApplicationRecorder { "" }
        next.begin("w", in: directory)
        next.noteOwnProcess(of: "org.x")
        #expect(try #require(ApplicationRecord(path: directory + "/w.application")).placings.isEmpty)
        try #require(unlink(directory + "/w.application") == 0)
        recorder.retry()
        #expect(ApplicationRecord(path: directory + "/w.application") == nil, "only a failed write is tried again")
    }

    @Test func factsOfManyThreadsAreAllWritten() async throws {
        let tree = try CatalogTree()
        let recorder = ApplicationRecorder { "" }
        recorder.begin("w", in: tree(""))
        await withTaskGroup { group in
            for number in 0..<32 { group.addTask { recorder.noteService("org.s\(number)", 1) } }
        }
        #expect(try #require(ApplicationRecord(path: tree("w.application"))).services.count == 32)
    }

    @Test func aDamagedRecordIsNone() throws {
        let tree = try CatalogTree(["w.application/file": "x"])
        #expect(ApplicationRecord(path: tree("w.application")) == nil)
        #expect(ApplicationRecord(path: tree("nothing")) == nil)
    }

    @Test(arguments: ["", ".", "..", "a/b", String(repeating: "x", count: 300)])
    func aNameThatIsNoPathComponentHasNoRecord(_ name: String) {
        #expect(ApplicationRecord.path(of: name, in: "/cache") == nil)
    }
}
