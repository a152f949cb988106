import Dispatch
import Foundation
import HostBasics
import Synchronization
import TestSupport
import Testing

@_spi(Tools) @testable import PluginHost

@Suite struct PluginGenerationsTests {
    private func version(_ generations: PluginGenerations) throws -> Int { try generations.use { try $0.builtVersion } }

    private func failure(_ outcome: PluginGenerations.Outcome) -> PluginError? {
        if case .failed(let error) = outcome { error } else { nil }
    }

    private func number(_ outcome: PluginGenerations.Outcome) -> Int? {
        if case .replaced(let generation) = outcome { generation.number } else { nil }
    }

    private func isUnchanged(_ outcome: PluginGenerations.Outcome) -> Bool {
        if case .unchanged = outcome { true } else { false }
    }

    @Test func theFirstUseLoadsFromAPrivateCopyOfTheWholeBundle() throws {
        let fixture = try ReloadFixture("FirstUse")
        let generations = PluginGenerations(path: fixture.path)
        #expect(try version(generations) == 1)
        let bundle = try #require(generations.current?.bundle)
        #expect(bundle.bundlePath != fixture.path)
        #expect(bundle.originalPath == fixture.path)
        #expect(bundle.localizedString(forKey: "key", value: nil, table: nil) == "first")
        let mode: UInt32 = geteuid() == 0 ? 0o711 : 0o700
        #expect(FileIdentity(path: bundle.bundlePath + "/../..").map { $0.mode & 0o777 } == mode)
    }

    @Test func newCodeIsBroughtIntoService() throws {
        let fixture = try ReloadFixture("NewCode")
        let generations = PluginGenerations(path: fixture.path)
        let old = try generations.use { bundle in
            try bundle.loadAndReturnError()
            return bundle
        }
        let deactivations = UnsafeMutablePointer<Int>.allocate(capacity: 1)
        deactivations.initialize(to: 0)
        try fixture.install(.init(version: 2, deactivations: UInt(bitPattern: deactivations)))
        #expect(number(generations.reload(at: fixture.path)) == 2)
        #expect(try version(generations) == 2)
        #expect(old.state == .deactivated)
        // The old code is unchanged: a function that somebody keeps still works.
        #expect(PluginBundle(identifier: fixture.identifier) === generations.current?.bundle)
        #expect(deactivations.pointee == 0)
        try fixture.install(.init(version: 3))
        #expect(number(generations.reload(at: fixture.path)) == 3)
        #expect(deactivations.pointee == 1)
        #expect(generations.all.map(\.number) == [1, 2, 3])
        #expect(generations.remaining.isEmpty)
    }

    @Test func aBundleThatWasReplacedIsNotLoadedAgainAndSaysWhoTakesItsPlace() throws {
        let fixture = try ReloadFixture("Replaced")
        let generations = PluginGenerations(path: fixture.path)
        let old = try generations.use { bundle in
            try bundle.loadAndReturnError()
            return bundle
        }
        try fixture.install(.init(version: 2))
        #expect(number(generations.reload(at: fixture.path)) == 2)
        let error = try #require(throws: PluginError.self) { try old.loadAndReturnError() }
        #expect(error.code == .superseded)
        #expect(error.bundlePath == fixture.path)
        let message = """
            The bundle “\(fixture.path)”: This generation of the bundle, in “\(fixture.path)”, was replaced by a newer \
            one. Use the catalogue or PluginBundle(identifier:) to get the newest generation.
            """
        #expect(error.description == message)
        #expect(!old.load())
        #expect(old.state == .deactivated)
        #expect(PluginBundle(identifier: fixture.identifier)?.load() == true)
    }

    @Test func aCallerOfAGenerationThatWasReplacedBeforeItsLoadIsLedToTheNext() throws {
        let fixture = try ReloadFixture("ReplacedBeforeLoad")
        let generations = PluginGenerations(path: fixture.path)
        var bundles: [PluginBundle] = []
        let version = try generations.use { bundle in
            bundles.append(bundle)
            if bundles.count == 1 {
                try fixture.install(.init(version: 2))
                // Nobody has loaded it, so the reload makes no new generation; the next caller does.
                #expect(isUnchanged(generations.reload(at: fixture.path)))
            }
            return try bundle.builtVersion
        }
        #expect(version == 2)
        #expect(bundles.map(\.state) == [.discovered, .active])
        #expect(generations.all.map(\.number) == [1, 2])
    }

    @Test func aLowerVersionIsTheNewestGenerationToo() throws {
        let fixture = try ReloadFixture("Downgrade")
        try fixture.write(info: "9.0")
        let generations = PluginGenerations(path: fixture.path)
        _ = try version(generations)
        try fixture.write(info: "1.0")
        #expect(number(generations.reload(at: fixture.path)) == 2)
        #expect(PluginBundle(identifier: fixture.identifier)?.manifest.shortVersion == "1.0")
    }

    @Test func theSameBytesAreNotNewCode() throws {
        let fixture = try ReloadFixture("SameBytes")
        let generations = PluginGenerations(path: fixture.path)
        _ = try version(generations)
        try fixture.install(.init(version: 1))
        #expect(isUnchanged(generations.reload(at: fixture.path)))
        #expect(generations.all.count == 1)
    }

    /// As after a link to the installed version was replaced, again and again.
    @Test(.fault(889)) func theSameCodeInAnotherPlaceHasTheResourcesOfThatPlace() throws {
        let fixture = try ReloadFixture("OtherPlace")
        let places = (2...3).map { fixture.tree("\($0)/OtherPlace.bundle") }
        for place in places {
            try FileManager.default.createDirectory(
                atPath: Path.parent(place), withIntermediateDirectories: false)
            try FileManager.default.copyItem(atPath: fixture.path, toPath: place)
        }
        let generations = PluginGenerations(path: fixture.path)
        _ = try version(generations)
        let bundle = try #require(generations.current?.bundle)
        let table = "/Contents/Resources/en.lproj/Localizable.strings"
        func copied() throws -> String { try String(contentsOfFile: bundle.bundlePath + table, encoding: .utf8) }
        for place in places {
            _ = generations.reload(at: place)
            #expect(bundle.originalPath == place)
            for text in [place, place + " again"] {
                let content = "\"key\" = \"\(text)\";"
                try content.write(toFile: place + table, atomically: false, encoding: .utf8)
                guard case .resources = generations.reload(at: place) else {
                    Issue.record("the resources of \(place) were not read")
                    continue
                }
                #expect(try copied() == content)
            }
            #expect(isUnchanged(generations.reload(at: place)))
        }
        #expect(generations.all.count == 1)
    }

    @Test func otherResourcesReachTheCodeThatRuns() throws {
        let fixture = try ReloadFixture("Resources")
        let generations = PluginGenerations(path: fixture.path)
        _ = try version(generations)
        let bundle = try #require(generations.current?.bundle)
        func strings() -> [String] {
            // The last one is in no compiled table, and so is looked up in the table that was read.
            ["key", "key", "none"].map { bundle.localizedString(forKey: $0, value: nil, table: nil) }
        }
        #expect(strings() == ["first", "first", "none"])
        for text in ["second", "third"] {
            try fixture.write(string: text)
            guard case .resources(let generation) = generations.reload(at: fixture.path) else {
                Issue.record("the resources are different")
                return
            }
            #expect(generation.bundle === bundle)
            #expect(strings() == [text, text, "none"])
        }
        #expect(isUnchanged(generations.reload(at: fixture.path)))
        #expect(generations.all.count == 1)
    }

    @Test(.fault(262)) func aFunctionOfAGenerationThatEndedNamesTheBundle() throws {
        let fixture = try ReloadFixture("EndedFunction")
        let generations = PluginGenerations(path: fixture.path)
        let function = try generations.use { try $0.function("version", "() -> uint32") }
        try fixture.install(.init(version: 2))
        #expect(number(generations.reload(at: fixture.path)) == 2)
        for isRemoved in [false, true] {
            if isRemoved { generations.removeEndedCopies() }
            let error = try #require(throws: PluginError.self) { try function() }
            #expect(error.code == .functionUnavailable && error.bundlePath == fixture.path)
            #expect(error.filePath == (isRemoved ? nil : fixture.path + "/Contents/Linux/EndedFunction"))
        }
    }

    @Test func oldCodeKeepsItsResources() throws {
        let fixture = try ReloadFixture("OldResources")
        let generations = PluginGenerations(path: fixture.path)
        _ = try version(generations)
        let old = try #require(generations.current?.bundle)
        try fixture.write(string: "second")
        try fixture.install(.init(version: 2))
        #expect(number(generations.reload(at: fixture.path)) == 2)
        #expect(old.localizedString(forKey: "key", value: nil, table: nil) == "first")
        #expect(generations.current?.bundle.localizedString(forKey: "key", value: nil, table: nil) == "second")
    }

    @Test func codeThatCannotBeLoadedLeavesTheOldInService() throws {
        let fixture = try ReloadFixture("Broken")
        let generations = PluginGenerations(path: fixture.path)
        _ = try version(generations)
        try fixture.install(bytes: Array("no shared object".utf8))
        let error = try #require(failure(generations.reload(at: fixture.path)))
        #expect(error.bundlePath == fixture.path)
        #expect(error.filePath == fixture.path + "/Contents/Linux/Broken")
        #expect(!error.description.contains("process-"), "it speaks of the copy: \(error)")
        #expect(try version(generations) == 1)
        #expect(PluginBundle(identifier: fixture.identifier) === generations.current?.bundle)
        // Code that failed is not tried again until it has changed.
        #expect(isUnchanged(generations.reload(at: fixture.path)))
        try fixture.install(.init(version: 2))
        #expect(number(generations.reload(at: fixture.path)) != nil)
        #expect(try version(generations) == 2)
    }

    @Test func anInfoListThatCannotBeReadLeavesTheOldInService() throws {
        let fixture = try ReloadFixture("BrokenList")
        let generations = PluginGenerations(path: fixture.path)
        _ = try version(generations)
        try fixture.tree.write("BrokenList.bundle/Contents/Info.plist", "{ half")
        #expect(failure(generations.reload(at: fixture.path))?.filePath == fixture.path + "/Contents/Info.plist")
        #expect(try version(generations) == 1)
    }

    @Test func aBundleThatIsGoneLeavesTheCodeInService() throws {
        let fixture = try ReloadFixture("Gone")
        let generations = PluginGenerations(path: fixture.path)
        _ = try version(generations)
        fixture.tree.remove("Gone.bundle")
        #expect(failure(generations.reload(at: fixture.path))?.code == .bundleNotFound)
        #expect(try version(generations) == 1)
    }

    @Test func codeThatDoesNotActivateGivesItsNamesBack() throws {
        let fixture = try ReloadFixture("NoActivation")
        let generations = PluginGenerations(path: fixture.path)
        _ = try version(generations)
        try fixture.install(.init(version: 2, factories: ["thing", "more"], failsToActivate: true))
        let error = try #require(failure(generations.reload(at: fixture.path)))
        #expect(error.code == .activationFailed)
        #expect(error.description.contains("it will not"))
        #expect(try version(generations) == 1)
        // The names still belong to the old code: the next generation takes over both of them.
        try fixture.install(.init(version: 3, factories: ["thing", "more"]))
        #expect(number(generations.reload(at: fixture.path)) == 3)
        #expect(try version(generations) == 3)
    }

    @Test func aNameOfAnotherPluginIsNotTakenOver() throws {
        let fixture = try ReloadFixture("Rival")
        let generations = PluginGenerations(path: fixture.path)
        _ = try version(generations)
        try ProviderTable.shared.insert([.init(point: fixture.point, name: "taken")], of: "/another.bundle")
        try fixture.install(.init(version: 2, factories: ["taken"]))
        #expect(failure(generations.reload(at: fixture.path))?.code == .duplicateFactory)
        #expect(try version(generations) == 1)
        ProviderTable.shared.remove([.init(point: fixture.point, name: "taken")], of: "/another.bundle")
    }

    @Test func namesThatTheNewCodeLacksBecomeFree() throws {
        let fixture = try ReloadFixture("Renamed", .init(version: 1, factories: ["old"]))
        let generations = PluginGenerations(path: fixture.path)
        _ = try version(generations)
        try fixture.install(.init(version: 2, factories: ["new"]))
        #expect(number(generations.reload(at: fixture.path)) == 2)
        try ProviderTable.shared.insert([.init(point: fixture.point, name: "old")], of: "/another.bundle")
        #expect(throws: PluginError.self) {
            try ProviderTable.shared.insert([.init(point: fixture.point, name: "new")], of: "/another.bundle")
        }
    }

    @Test func theOldIsDeactivatedWhenTheLastCallerHasLeftIt() throws {
        let deactivations = UnsafeMutablePointer<Int>.allocate(capacity: 1)
        deactivations.initialize(to: 0)
        let fixture = try ReloadFixture("Callers", .init(version: 1, deactivations: UInt(bitPattern: deactivations)))
        let generations = PluginGenerations(path: fixture.path)
        try generations.use { bundle in
            #expect(try bundle.builtVersion == 1)
            try fixture.install(.init(version: 2))
            #expect(number(generations.reload(at: fixture.path)) == 2)
            // Nothing has changed in the old one; a call from here goes to the new one.
            #expect(bundle.state == .active)
            #expect(try bundle.builtVersion == 1)
            #expect(try version(generations) == 2)
            #expect(generations.remaining.map(\.number) == [1])
            #expect(deactivations.pointee == 0)
        }
        // It then happens on another thread.
        let limit = Wait.ofATest
        while !generations.remaining.isEmpty || generations.all[0].state != .deactivated, limit.sleep() {}
        #expect(generations.all[0].state == .deactivated)
        #expect(deactivations.pointee == 1)
    }

    @Test func liveObjectsTellWhoHoldsAnOldGeneration() throws {
        let fixture = try ReloadFixture("Held")
        let generations = PluginGenerations(path: fixture.path)
        var object: CInstance? = try generations.use { try $0.cProviders(at: fixture.point, version: 1)[0].make() }
        try fixture.install(.init(version: 2))
        _ = generations.reload(at: fixture.path)
        #expect(generations.remaining.map(\.number) == [1])
        #expect(generations.remaining[0].liveObjects.map(\.name) == ["thing"])
        #expect(generations.remaining[0].liveObjects.map(\.count) == [1])
        withExtendedLifetime(object) {}
        object = nil
        #expect(generations.remaining.isEmpty)
    }

    @Test func unusedPluginsAreNotLoaded() throws {
        let fixture = try ReloadFixture("Unused")
        let generations = PluginGenerations(path: fixture.path)
        try fixture.install(.init(version: 2))
        #expect(isUnchanged(generations.reload(at: fixture.path)))
        #expect(generations.current == nil)
        // It was copied and not loaded, and is dismissed.
        try generations.use { _ in }
        try fixture.install(.init(version: 3))
        #expect(isUnchanged(generations.reload(at: fixture.path)))
        #expect(generations.current == nil)
        #expect(try version(generations) == 3)
        // Unloaded by the application, too.
        generations.current?.bundle.unload()
        try fixture.install(.init(version: 4))
        #expect(isUnchanged(generations.reload(at: fixture.path)))
        #expect(try version(generations) == 4)
    }

    @Test func codeThatFailedToLoadIsLoadedWhenItIsMended() throws {
        let fixture = try ReloadFixture("Mended", .init(version: 1, failsToActivate: true))
        let generations = PluginGenerations(path: fixture.path)
        let error = #expect(throws: PluginError.self) { try version(generations) }
        #expect(error?.bundlePath == fixture.path)
        try fixture.install(.init(version: 2))
        #expect(number(generations.reload(at: fixture.path)) == 2)
        #expect(try version(generations) == 2)
    }

    @Test func codeLoadedInPlaceIsTheFirstGeneration() throws {
        let fixture = try ReloadFixture("InPlace")
        let bundle = try PluginBundle.open(path: fixture.path)
        try bundle.loadAndReturnError()
        let generations = PluginGenerations(inPlace: bundle)
        #expect(try generations.use { $0 } === bundle)
        if case .resources = generations.reload(at: fixture.path) {} else { Issue.record("nothing was reloaded") }
        try fixture.install(.init(version: 2))
        #expect(number(generations.reload(at: fixture.path)) == 2)
        #expect(try version(generations) == 2)
        #expect(bundle.state == .deactivated)
    }

    @Test func callersOnManyThreadsSeeOneGenerationOrTheNext() throws {
        let fixture = try ReloadFixture("ManyCallers")
        let generations = PluginGenerations(path: fixture.path)
        // A reload does nothing for a plug-in that nobody has loaded.
        #expect(try version(generations) == 1)
        let end = Atomic(false)
        defer { end.store(true, ordering: .releasing) }
        let failures = Mutex<[String]>([])
        let done = DispatchGroup()
        for _ in 0..<4 {
            DispatchQueue.global().async(group: done) {
                var last = 0
                while !end.load(ordering: .acquiring) {
                    do {
                        let seen = try generations.use { try $0.builtVersion }
                        if seen < last { failures.withLock { $0.append("\(seen) after \(last)") } }
                        last = seen
                    } catch {
                        failures.withLock { $0.append("\(error)") }
                    }
                }
            }
        }
        for build in 2...12 {
            try fixture.install(.init(version: build))
            if number(generations.reload(at: fixture.path)) != build {
                failures.withLock { $0.append("no generation \(build)") }
            }
        }
        end.store(true, ordering: .releasing)
        done.wait(until: "the callers have ended")
        #expect(failures.withLock { $0 } == [])
        #expect(try version(generations) == 12)
    }

    @Test func copiesThatFailLeaveNothingBehind() throws {
        let fixture = try ReloadFixture("TooLarge")
        let tree = try TemporaryTree()
        let directory = try PrivateDirectory(in: [tree("copies")])
        do throws(PluginError) {
            _ = try BundleCopy(of: fixture.path, in: directory, limits: .init(bytes: 100))
            Issue.record("it is larger than that")
        } catch {
            #expect(error.code == .copyFailed)
            #expect(error.description.contains("too large"))
        }
        #expect(Array(DirectoryListing(path: directory.path).names.keys) == ["lock"])
    }
}
