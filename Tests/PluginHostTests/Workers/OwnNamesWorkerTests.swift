import Foundation
import Glibc
import HostBasics
import TestSupport
import Testing

@testable import PluginHost
@testable import PluginWorkers

/// Bundles that carry libraries with equal names and run in the worker of one group.
@Suite(.timeLimit(.minutes(2))) struct OwnNamesWorkerTests {
    /// Two bundles in one folder, with different libraries of one name.
    private static func bundles() throws -> (trees: [CarrierFixture], bundles: [PluginBundle]) {
        HostEnvironment.current.isolation.group = { _ in "both" }
        let fixtures = try [1, 2].map {
            try CarrierFixture("Member\($0)", carrying: "libmember.so.1", CarrierFixture.source($0))
        }
        for fixture in fixtures { chmod(fixture.tree.path, 0o755) }
        let beside = fixtures[0].tree("Member2.bundle")
        try FileManager.default.copyItem(atPath: fixtures[1].path, toPath: beside)
        return (fixtures, try [fixtures[0].path, beside].map { try PluginBundle.open(path: $0) })
    }

    @Test(.fault(726), .enabled(if: OtherUser.canConfine))
    func aConfinedBundleWhoseNamesAreTakenGetsAWorkerOfItsOwn() async {
        await #expect(processExitsWith: .success) {
            HostEnvironment.current.isolation.execution = { _ in .sandboxed }
            if geteuid() == 0 { HostEnvironment.current.isolation.user = OtherUser.name }
            let (trees, bundles) = try OwnNamesWorkerTests.bundles()
            #expect(try bundles.map { try $0.number() } == [1, 2])
            #expect(try bundles.map { try $0.number("next_number") } == [1, 1])
            #expect(Set(PluginWorker.all.filter { !$0.hasEnded }.map(\.processIdentifier)).count == 2)
            withExtendedLifetime(trees) {}
        }
    }

    @Test(.fault(726)) func otherBundlesOfAGroupShareItsWorkerAndHaveTheirOwnLibraries() async {
        await #expect(processExitsWith: .success) {
            HostEnvironment.current.isolation.execution = { _ in .isolated }
            let (trees, bundles) = try OwnNamesWorkerTests.bundles()
            #expect(try bundles.map { try $0.number() } == [1, 2])
            #expect(Set(PluginWorker.all.filter { !$0.hasEnded }.map(\.processIdentifier)).count == 1)
            withExtendedLifetime(trees) {}
        }
    }
}
