import DemoAPI
import Fixtures
import Foundation
import PluginABI
import PluginHost
import Synchronization
import Testing

/// Plug-ins that are built again while the application uses them.
@Suite(.timeLimit(.minutes(10))) struct HotReload {
    /// A bundle in a watched folder of its own.
    private struct Watched {
        let fixture: BundleFixture
        let catalog: PluginCatalog
        var identifier: String { "org.example.\(fixture.name)" }
        var point: ExtensionPoint<any TextFilter> { ExtensionPoint("org.example.\(fixture.name)") }

        init(_ name: String, build: Int = 1) throws {
            fixture = try BundleFixture(
                name, info: ["PHFactories": [["name": "number", "extensionPoint": "org.example.\(name)"]]],
                code: .none)
            try fixture.install(Self.code(name, build))
            catalog = PluginCatalog(
                searchPaths: [fixture.url.deletingLastPathComponent().path], options: .init(index: .none))
        }

        /// A filter that returns the number of its build for every text.
        static func code(_ name: String, _ build: Int) -> BundleFixture.Code {
            .swift(
                """
                import DemoAPI
                import PluginABI
                final class Number: TextFilter {
                    init(context: PluginContext) throws {}
                    func filter(_ passage: String) throws -> String { "\(build)" }
                }
                @c(plugin_entry) public func entry(_ host: UnsafePointer<plugin_host>) -> plugin_status {
                    registerPlugin(with: host) { plugin in
                        plugin.register(Number.self)
                        plugin.provide(ExtensionPoint<any TextFilter>("org.example.\(name)"), named: "number") {
                            try Number(context: $0)
                        }
                    }
                }
                """, flags: ["-lDemoAPI"])
        }

        func install(build: Int) throws { try fixture.install(Self.code(fixture.name, build)) }
    }

    /// The results that the calls of one thread got.
    private struct Calls {
        var count = 0
        var last = 0
        var problems: [String] = []

        /// - Parameter filters: the extension.
        mutating func call(_ filters: PluginExtension<any TextFilter>) {
            count += 1
            do {
                let answer = Int(try filters.make().filter("")) ?? 0
                if answer < last { note("\(answer) after \(last)") }
                last = answer
            } catch {
                note("\(error)")
            }
        }

        private mutating func note(_ problem: String) {
            if problems.count < 10 { problems.append("call \(count): \(problem)") }
        }
    }

    @Test func aMillionCallsWhileThePluginIsBuiltTwentyTimesLoseNoneAndEndWithTheNewestCode() async throws {
        // The sanitiser makes each call about thirty times slower.
        let isSanitized = ProcessInfo.processInfo.environment["FIXTURE_FLAGS"]?.contains("thread") ?? false
        let (wanted, builds) = (isSanitized ? 50_000 : 1_000_000, 20)
        let watched = try Watched("UnderLoad", build: 0)
        var events = try watched.catalog.watch().makeAsyncIterator()
        let filters = try #require(watched.catalog.extensions(of: watched.point).first)
        #expect(try filters.make().filter("") == "0")

        let end = Atomic(false)
        defer { end.store(true, ordering: .releasing) }
        let calls = Locked(Calls())
        let caller = Task.detached {
            var own = Calls()
            while own.count < wanted || !end.load(ordering: .acquiring) {
                own.call(filters)
                // The plug-in is built while calls go on, not only after the million.
                if own.count % 1000 == 0 { await Task.yield() }
            }
            own.call(filters)
            let all = own
            calls.withLock { $0 = all }
        }
        for build in 1...builds {
            try watched.install(build: build)
            let reload = try await events.nextReload()
            #expect(reload.generation.number == build + 1)
        }
        end.store(true, ordering: .releasing)
        await caller.value

        let made = calls.withLock { $0 }
        #expect(made.problems == [])
        #expect(made.count > wanted)
        #expect(made.last == builds)
        let generations = watched.catalog.generations(of: watched.identifier)
        #expect(generations.count == builds + 1)
        #expect(generations.last?.state == .active)
        #expect(generations.dropLast().allSatisfy { $0.liveObjects.isEmpty })
    }

    @Test func anObjectOfOldCodeWorksOnAndIsNamedUntilItIsGone() async throws {
        let watched = try Watched("Held")
        var events = try watched.catalog.watch().makeAsyncIterator()
        let filters = try #require(watched.catalog.extensions(of: watched.point).first)
        var old: (any TextFilter)? = try filters.make()
        try watched.install(build: 2)
        let reload = try await events.nextReload()
        #expect(reload.remaining.map(\.number) == [1])
        #expect(reload.remaining.first?.liveObjects.map(\.name) == ["number"])
        #expect(try old?.filter("") == "1")
        #expect(try filters.make().filter("") == "2")
        old = nil
        try watched.install(build: 3)
        #expect(try await events.nextReload().remaining.isEmpty)
        let bundle = try watched.catalog.activate(watched.identifier)
        #expect(bundle.originalPath == watched.fixture.path && bundle.bundlePath != watched.fixture.path)
        #expect(PluginBundle(identifier: watched.identifier) === bundle)
    }

    @Test func aBuildThatFailsToLoadIsToldOfWithThePathsOfItsAuthor() async throws {
        let watched = try Watched("BrokenBuild")
        var events = try watched.catalog.watch().makeAsyncIterator()
        let filters = try #require(watched.catalog.extensions(of: watched.point).first)
        _ = try filters.make()
        try watched.fixture.install(.c("int nothing(void) { return 1; }"))
        let error = await #expect(throws: PluginError.self) { try await events.nextReload() }
        #expect(error?.code == .symbolMissing)
        #expect(error?.bundlePath == watched.fixture.path)
        #expect(error?.filePath == watched.fixture.executable.path)
        #expect(try filters.make().filter("") == "1")
        try watched.install(build: 2)
        _ = try await events.nextReload()
        #expect(try filters.make().filter("") == "2")
    }

    @Test func codeThatIsWrittenOverInPlaceDoesNoHarm() async throws {
        let watched = try Watched("InPlace")
        var events = try watched.catalog.watch().makeAsyncIterator()
        let filters = try #require(watched.catalog.extensions(of: watched.point).first)
        let old = try filters.make()
        let other = try BundleFixture("InPlaceNew", code: Watched.code("InPlace", 2))
        // As `cp` does: the existing file is truncated and filled.
        let bytes = try Data(contentsOf: other.executable)
        let handle = try FileHandle(forWritingTo: watched.fixture.executable)
        try handle.truncate(atOffset: 0)
        try handle.write(contentsOf: bytes)
        try handle.close()
        _ = try await events.nextReload()
        #expect(try old.filter("") == "1")
        #expect(try filters.make().filter("") == "2")
    }

    @Test func addedAndRemovedPluginsAreReported() async throws {
        let watched = try Watched("Present")
        let folder = watched.fixture.url.deletingLastPathComponent()
        var events = try watched.catalog.watch().makeAsyncIterator()
        let other = try BundleFixture("Newcomer", code: Watched.code("Newcomer", 1))
        let place = folder.appending(path: "Newcomer.bundle")
        try FileManager.default.moveItem(at: other.url, to: place)
        guard case .added(let plugin)? = await events.next() else {
            Issue.record("the first event is the new plug-in")
            return
        }
        #expect(plugin.identifier == "org.example.Newcomer")
        // It is not loaded, so its new code is only a change.
        try Data("x".utf8).write(to: place.appending(path: "Contents/Linux/Newcomer"))
        guard case .changed(let changed)? = await events.next() else {
            Issue.record("the next event is the change")
            return
        }
        #expect(changed.identifier == "org.example.Newcomer")
        #expect(watched.catalog.generations(of: "org.example.Newcomer").isEmpty)
        try FileManager.default.removeItem(at: place)
        guard case .removed(let gone)? = await events.next() else {
            Issue.record("the last event is the removal")
            return
        }
        #expect(gone.identifier == "org.example.Newcomer")
    }

    @Test func anInfoListThatNamesMoreExtensionsIsReadAgain() async throws {
        let watched = try Watched("MoreExtensions")
        var events = try watched.catalog.watch().makeAsyncIterator()
        _ = try watched.catalog.extensions(of: watched.point).first?.make()
        try watched.fixture.write(info: [
            "PHFactories": [
                ["name": "number", "extensionPoint": "org.example.MoreExtensions"],
                ["name": "again", "extensionPoint": "org.example.MoreExtensions"],
            ]
        ])
        _ = try await events.nextReload()
        #expect(watched.catalog.extensions(of: watched.point).map(\.name) == ["number", "again"])
    }

    @Test func aPluginReachedByALinkIsReloadedWhenItsBuildDirectoryIsMadeAgain() async throws {
        let build = try BundleFixture(
            "Linked", info: ["PHFactories": [["name": "number", "extensionPoint": "org.example.Linked"]]],
            code: Watched.code("Linked", 1))
        let folder = Workspace.temporary.appending(path: "links/\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(
            at: folder.appending(path: "Linked.bundle"), withDestinationURL: build.url)
        let catalog = PluginCatalog(searchPaths: [folder.path], options: .init(index: .none))
        var events = try catalog.watch().makeAsyncIterator()
        let filters = try #require(
            catalog.extensions(of: ExtensionPoint<any TextFilter>("org.example.Linked")).first)
        #expect(try filters.make().filter("") == "1")
        let next = try BundleFixture("LinkedNext", code: Watched.code("Linked", 2))
        // The whole build directory is removed, and comes back with new code.
        let code = try Data(contentsOf: next.executable)
        let list = try Data(contentsOf: build.infoList)
        try FileManager.default.removeItem(at: build.url)
        try FileManager.default.createDirectory(
            at: build.executable.deletingLastPathComponent(), withIntermediateDirectories: true)
        try list.write(to: build.infoList)
        try code.write(to: build.executable)
        _ = try await events.nextReload()
        #expect(try filters.make().filter("") == "2")
    }

    @Test func theWatchEndsWithItsLastReaderAndTheCodeStaysInService() async throws {
        let watched = try Watched("EndOfWatch")
        let filters = try #require(watched.catalog.extensions(of: watched.point).first)
        let reader = Task {
            for await _ in try watched.catalog.watch() {}
        }
        var events: AsyncStream<CatalogEvent>.Iterator? = try watched.catalog.watch().makeAsyncIterator()
        #expect(try filters.make().filter("") == "1")
        events = nil
        _ = events
        reader.cancel()
        _ = await reader.result
        try watched.install(build: 2)
        #expect(try filters.make().filter("") == "1")
        // The next watch brings all changes since then into service, and continues.
        var again = try watched.catalog.watch().makeAsyncIterator()
        _ = try await again.nextReload()
        #expect(try filters.make().filter("") == "2")
        try watched.install(build: 3)
        _ = try await again.nextReload()
        #expect(try filters.make().filter("") == "3")
    }
}
