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
        written.write(to: tree("w.application"))
        #expect(ApplicationRecord(path: tree("w.application")) == written)
    }

    @Test func servicesOfTheSameExecutableAreAddedAndThoseOfAnotherAreNot() {
        var now = record("1", [.init(name: "org.a", version: 1)])
        now.add(record("1", [.init(name: "org.b", version: 1)]))
        #expect(now.services.count == 2)
        now.add(record("2", [.init(name: "org.c", version: 1)]))
        #expect(now.services.count == 2)
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
