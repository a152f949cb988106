import Fixtures
import Foundation
import PluginABI
import PluginHost
import Testing

/// Services of plug-ins that are built again while others use them.
@Suite(.timeLimit(.minutes(10))) struct ServiceReload {
    /// A service: an object that returns the number of the build that made it.
    typealias Service = any AnyObject & CustomStringConvertible & Sendable
    typealias Ask = @Sendable () throws -> Service

    /// A watched folder with a plug-in that offers a service and one that requests it.
    private struct Watched {
        let giver: BundleFixture
        let catalog: PluginCatalog
        private let point: String
        /// Lets the plug-in that the catalogue uses request the service.
        let ask: Ask
        /// Lets a plug-in request it that was opened without the catalogue.
        let askBeside: Ask
        var events: AsyncStream<CatalogEvent>.Iterator

        var identifier: String { "org.example.\(giver.name)" }
        var asker: String { "org.example.\(giver.name)Asker" }

        init(_ name: String) throws {
            point = "org.example.\(name).service"
            giver = try BundleFixture(
                name, info: ["PHFactories": [["name": "build", "extensionPoint": point]]], code: .none)
            try giver.install(Self.code(point, build: 1))
            let asker = try Self.asker(name + "Asker", point)
            let folder = giver.url.deletingLastPathComponent()
            try FileManager.default.moveItem(
                at: asker.url, to: folder.appending(path: asker.url.lastPathComponent))
            catalog = PluginCatalog(searchPaths: [folder.path], options: .init(index: .none))
            events = try catalog.watch().makeAsyncIterator()
            ask = try #require(catalog.extensions(of: ExtensionPoint<Ask>("org.example.\(name)Asker")).first).make()
            let beside = try PluginBundle.open(path: Self.asker(name + "Beside", point).path)
            askBeside = try beside.providers(of: ExtensionPoint<Ask>("org.example.\(name)Beside"))[0].make()
        }

        func install(build: Int) throws { try giver.install(Self.code(point, build: build)) }

        /// Activating takes a while, so that others send requests meanwhile; in a negative build it then fails.
        private static func code(_ point: String, build: Int) -> BundleFixture.Code {
            .swift(
                """
                import Glibc
                import PluginABI
                final class Build: Plugin, CustomStringConvertible, Sendable {
                    init(context: PluginContext) throws {}
                    static func activate(context: PluginContext) throws {
                        usleep(50_000)
                        if \(build) < 0 { throw PluginFailure("It is broken.", remedy: "Mend it.") }
                    }
                    let description = "\(build)"
                }
                @c(plugin_entry) public func entry(_ host: UnsafePointer<plugin_host>) -> plugin_status {
                    registerPlugin(with: host) { plugin in
                        plugin.register(Build.self)
                        plugin.provide(
                            ExtensionPoint<any AnyObject & CustomStringConvertible & Sendable>("\(point)"), named: "build"
                        ) { try Build(context: $0) }
                    }
                }
                """)
        }

        private static func asker(_ name: String, _ point: String) throws -> BundleFixture {
            let source = """
                import PluginABI
                typealias Service = any AnyObject & CustomStringConvertible & Sendable
                @c(plugin_entry) public func entry(_ host: UnsafePointer<plugin_host>) -> plugin_status {
                    registerPlugin(with: host) { plugin in
                        plugin.provide(ExtensionPoint<@Sendable () throws -> Service>("org.example.\(name)"), named: "ask") {
                            context in { try context.service(ExtensionPoint<Service>("\(point)")) }
                        }
                    }
                }
                """
            return try BundleFixture(
                name,
                info: [
                    "PHFactories": [["name": "ask", "extensionPoint": "org.example.\(name)"]], "PHUses": [point: 1],
                ],
                code: .swift(source))
        }
    }

    @Test func aNewRequestGetsTheNewestGenerationAndAnOldObjectStillWorksAndIsCounted() async throws {
        var watched = try Watched("ServiceAnew")
        #expect(watched.catalog.state(of: watched.identifier) == .resolved)
        var old: Service? = try watched.ask()
        #expect(old?.description == "1")
        // The request brought it into use.
        #expect(watched.catalog.generations(of: watched.identifier).map(\.state) == [.active])
        #expect(try watched.askBeside() === old)

        try watched.install(build: 2)
        let reload = try await watched.events.nextReload()
        #expect(reload.remaining.map(\.number) == [1])
        #expect(
            reload.remaining.first?.liveObjects.map(\.description) == [
                "1 of the provider “build” at “org.example.ServiceAnew.service”"
            ])
        let new = try watched.ask()
        #expect(new.description == "2")
        #expect(try watched.ask() === new && watched.askBeside() === new)
        #expect(old?.description == "1")
        #expect(watched.catalog.generations(of: watched.identifier).map { $0.liveObjects.map(\.count) } == [[1], [1]])
        // The plug-in that requests it is not reloaded: its own code did not change.
        #expect(watched.catalog.generations(of: watched.asker).map(\.number) == [1])
        old = nil
        #expect(watched.catalog.generations(of: watched.identifier).map { $0.liveObjects.map(\.count) } == [[], [1]])
    }

    @Test func aServiceOfABuildThatFailsStaysWithTheGenerationBefore() async throws {
        var watched = try Watched("ServiceBroken")
        let old = try watched.ask()
        try watched.install(build: -1)
        let error = await #expect(throws: PluginError.self) { try await watched.events.nextReload() }
        #expect(error?.code == .activationFailed)
        #expect(try watched.ask() === old && watched.askBeside() === old)
        try watched.install(build: 2)
        _ = try await watched.events.nextReload()
        #expect(try watched.ask().description == "2")
    }

    @Test func noRequestIsLostWhileThePluginIsBuiltTenTimes() async throws {
        var watched = try Watched("ServiceUnderLoad")
        _ = try watched.ask()
        let end = Locked(false)
        defer { end.withLock { $0 = true } }
        let problems = Locked<[String]>([])
        let callers = [watched.ask, watched.askBeside].map { ask in
            Task.detached {
                var last = 1
                while !end.withLock({ $0 }) {
                    do {
                        let build = Int(try ask().description) ?? 0
                        if build < last { throw Tool.Failure(description: "\(build) after \(last)") }
                        last = build
                    } catch {
                        problems.withLock { if $0.count < 10 { $0.append("\(error)") } }
                    }
                    await Task.yield()
                }
                return Int(try ask().description)
            }
        }
        for build in 2...11 {
            // Every third build fails before the one that works.
            if build % 3 == 0 {
                try watched.install(build: -build)
                await #expect(throws: PluginError.self) { try await watched.events.nextReload() }
            }
            try watched.install(build: build)
            _ = try await watched.events.nextReload()
        }
        end.withLock { $0 = true }
        for caller in callers { #expect(try await caller.value == 11) }
        #expect(problems.withLock { $0 } == [])
        let old = watched.catalog.generations(of: watched.identifier).dropLast()
        #expect(old.allSatisfy { $0.liveObjects.isEmpty })
    }
}
