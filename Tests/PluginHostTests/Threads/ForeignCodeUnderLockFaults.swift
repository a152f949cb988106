import Foundation
import HostBasics
import PluginABI
import Synchronization
import TestSupport
import Testing

@_spi(Tools) @testable import PluginHost

/// Foreign code runs while its thread holds a lock of the library, which it may then take again.
///
/// Each test has a process of its own: they count what runs in the whole process, and the fault ends it.
@Suite(.timeLimit(.minutes(5))) struct ForeignCodeUnderLockFaults {
    private struct Broken: Error, CustomStringConvertible {
        let description: String
    }

    /// `step`: the action before, for the message.
    private static func expectRan(_ step: String) throws {
        if !CallingPlugin.ranWithoutLocks {
            throw Broken(description: "\(step): its code did not run, or a lock was held")
        }
    }

    private static func expect(_ holds: Bool, _ fact: String) throws {
        if !holds { throw Broken(description: "it does not hold that \(fact)") }
    }

    @Test(.fault(171)) func codeOfAPluginRunsWithoutALockWhereverItIsMadeCalledAndDropped() async {
        await #expect(processExitsWith: .success) {
            let bundle = try CallingPlugin.make()
            try bundle.loadAndReturnError()
            try Self.expectRan("activate")
            var object: CallingPlugin.Object? = try bundle.providers(of: CallingPlugin.service)[0].make()
            try Self.expectRan("a provider")
            withExtendedLifetime(object) {}
            object = nil
            try Self.expectRan("the end of its object")
            _ = try bundle.makePrincipal(as: CallingPlugin.Object.self)
            try Self.expectRan("the principal class and the end of its object")
            _ = try bundle.cProviders()[0].make()
            try Self.expectRan("a C factory and the end of its object")
            _ = try bundle.function("call")()
            try Self.expectRan("a C function")
            _ = try bundle.providers(of: CallingPlugin.asking)[0].make()()
            try Self.expectRan("a service")
            // The service is dropped, while nobody else holds it, after `deactivate`.
            try Self.expect(bundle.liveObjects.map(\.count) == [1], "the service lives")
            bundle.unload()
            try Self.expectRan("deactivate and the end of the service")
            try Self.expect(bundle.liveObjects.isEmpty, "the service is gone")
        }
    }

    @Test(.fault(171)) func objectsThatEndUnderALockEndAfterIt() async {
        await #expect(processExitsWith: .success) {
            let bundle = try CallingPlugin.make()
            var instance: CInstance? = try bundle.cProviders()[0].make()
            var box: ServiceBox<CallingPlugin.Object>? = ServiceBox(CallingPlugin.Object())
            let tree = try TemporaryTree(["Other.bundle/Contents/Info.plist": "<plist><dict/></plist>"])
            var other = PluginBundle(path: tree("Other.bundle"))
            other?.catalog = PluginCatalog(searchPaths: [tree.path], options: .init(index: .none))
            _ = CallingPlugin.ranWithoutLocks
            let lock = Lock(0)
            withExtendedLifetime((instance, box, other)) {}
            lock.withLock { _ in
                instance = nil
                box = nil
                other = nil
            }
            try Self.expectRan("the ends of objects")
            try Self.expect(BundleTable.shared.bundle(atPath: tree("Other.bundle")) == nil, "the bundle is forgotten")
            try Self.expect(bundle.liveObjects.isEmpty, "the C object is released")
        }
    }

    @Test(.fault(171)) func aRegistrationThatIsRefusedIsDroppedWithoutALock() async {
        await #expect(processExitsWith: .success) {
            let tree = try TemporaryTree(["Refused.bundle/Contents/Info.plist": CallingPlugin.list])
            let bundle = try PluginBundle.linked(at: tree("Refused.bundle")) { host in
                registerPlugin(with: host) { plugin in
                    for _ in 0..<2 {
                        let held = CallingPlugin.Object()
                        plugin.provide(CallingPlugin.service, named: "twice") { _ in held }
                    }
                }
            }
            try Self.expect(!bundle.load(), "a name that is registered twice is refused")
            try Self.expectRan("the end of what was refused")
        }
    }

    @Test(.fault(171)) func closuresOfTheApplicationEndWithoutALock() async {
        await #expect(processExitsWith: .success) {
            _ = try CallingPlugin.make()
            // The log that is replaced is the last to hold the object.
            for _ in 0..<2 {
                HostEnvironment.current.log = { [held = CallingPlugin.Object()] _ in _ = held }
            }
            try Self.expectRan("the end of a log")
            HostEnvironment.provide(CallingPlugin.service, named: "own") { [held = CallingPlugin.Object()] in held }
                .withdraw()
            try Self.expectRan("the end of a withdrawn service")
        }
    }

    @Test(.fault(171)) func theLogOfAnIndexThatCannotBeWrittenMayAskTheCatalogue() async {
        await #expect(processExitsWith: .success) {
            let tree = try TemporaryTree(["a/X.bundle/Contents/Info.plist": CallingPlugin.list, "file": ""])
            let catalog = PluginCatalog(searchPaths: [tree("a")], options: .init(index: .directory(tree("file/index"))))
            HostEnvironment.current.log = { _ in
                CallingPlugin.callLibrary()
                // Refreshing logs again; once is enough.
                if CallingPlugin.calls.load(ordering: .acquiring) == 1 { catalog.refresh() }
            }
            try tree.write("a/Y.bundle/Contents/Info.plist", "{ CFBundleIdentifier = y; }")
            try Self.expect(catalog.refresh().added.map(\.identifier) == ["y"], "the new plug-in is found")
            try Self.expectRan("the log")
        }
    }

    @Test(.fault(171)) func aCatalogueThatIsReplacedEndsWithoutALock() async {
        await #expect(processExitsWith: .success) {
            let bundle = try CallingPlugin.make()
            let folder = Path.parent(bundle.bundlePath)
            try bundle.loadAndReturnError()
            for _ in 0..<100 {
                let catalog = PluginCatalog(searchPaths: [folder], options: .init(index: .none))
                // A reader with unread events, each of which holds the bundle or the catalogue.
                var changes: AsyncStream<CatalogChange>.Iterator? = catalog.changes.makeAsyncIterator()
                var watched: AsyncStream<CatalogEvent>? = try catalog.watch()
                withExtendedLifetime((changes, watched)) {}
                bundle.catalog = catalog
                (changes, watched) = (nil, nil)
            }
            bundle.catalog = nil
            bundle.unload()
            try Self.expectRan("deactivate")
            try Self.expect(PluginBundle(path: bundle.bundlePath) === bundle, "the bundle is known")
        }
    }

    @Test(.fault(171)) func eventsReachTasksAndObserversWithoutALock() async {
        await #expect(processExitsWith: .success) {
            let bundle = try CallingPlugin.make()
            let observer = NotificationCenter.default.addObserver(
                forName: PluginBundle.didLoadNotification, object: nil, queue: nil
            ) { _ in CallingPlugin.callLibrary() }
            defer { NotificationCenter.default.removeObserver(observer) }
            // The executor of a task runs in the place where the task is resumed.
            let listener = Listener()
            let ready = DispatchSemaphore(value: 0)
            let task = Task { await listener.listen(ready) }
            ready.wait(until: "the listener listens")
            for _ in 0..<200 {
                bundle.load()
                bundle.unload()
            }
            task.cancel()
            await task.value
            try Self.expectRan("observers")
            try Self.expect(InlineExecutor.jobs.withLock { $0 } > 0, "the task ran where it was resumed")
        }
    }
}

/// Reads states on an executor that runs its jobs on the thread that resumes them.
private actor Listener {
    nonisolated var unownedExecutor: UnownedSerialExecutor { InlineExecutor.shared.asUnownedSerialExecutor() }

    func listen(_ ready: DispatchSemaphore) async {
        var changes = PluginBundle.stateChanges.makeAsyncIterator()
        ready.signal()
        while !Task.isCancelled, await changes.next() != nil { CallingPlugin.callLibrary() }
    }
}

/// An application's executor, which is called when an event resumes a task.
private final class InlineExecutor: SerialExecutor {
    static let shared = InlineExecutor()
    static let jobs = Lock(0)
    private let queue = DispatchQueue(label: "jobs")

    func enqueue(_ job: consuming ExecutorJob) {
        // This is the application's code, and runs on the thread that delivers the event.
        CallingPlugin.callLibrary()
        Self.jobs.withLock { $0 += 1 }
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
}
