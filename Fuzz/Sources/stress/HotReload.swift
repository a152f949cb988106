import Foundation
import PluginHost
import Synchronization

/// One watched catalogue whose plug-ins are replaced while threads use them.
///
/// Each generation's code stays in the process, so there is at most one every other second.
final class HotReload: Sendable {
    let catalog: PluginCatalog
    let linked: [PluginBundle]
    private let world: World
    private let counter: Counter
    private let reader: Task<Void, Never>

    private final class Counter: Sendable {
        let reloads = Atomic(0)
        let builds = Atomic(0)
        let nextSecond = Atomic(0)
    }

    /// How many generations were loaded after the first ones.
    var generations: Int { counter.reloads.load(ordering: .relaxed) }

    init(_ world: World, _ log: Findings) throws {
        self.world = world
        let counter = Counter()
        self.counter = counter
        catalog = PluginCatalog(searchPaths: [world.watched], options: .init(index: .none))
        linked = try LinkedCode.link(world.linked)
        let events = try catalog.watch(quietPeriod: .milliseconds(50))
        reader = Task {
            for await event in events {
                switch event {
                case .reloaded: counter.reloads.add(1, ordering: .relaxed)
                case .failed(let error): log.add("hot reload: \(error)")
                default: break
                }
            }
        }
    }

    /// Replaces the code of a bundle, unless one was replaced a moment ago.
    func replace(_ bundle: String) throws {
        let now = Int(Date().timeIntervalSince1970)
        let next = counter.nextSecond.load(ordering: .acquiring)
        guard now >= next,
            counter.nextSecond.compareExchange(expected: next, desired: now + 2, ordering: .acquiringAndReleasing)
                .exchanged
        else { return }
        try World.replaceCode(of: bundle, build: counter.builds.add(1, ordering: .relaxed).newValue)
    }

    func end() { reader.cancel() }
}
