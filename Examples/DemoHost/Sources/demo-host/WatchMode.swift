import Foundation
import PluginHost

/// Does the work again each time that a plug-in or a document has changed, until the user interrupts the program.
struct WatchMode {
    let catalog: PluginCatalog
    /// Their paths.
    let documents: [String]

    /// `work`: does all of the work once, with the code of the plug-ins that is in service.
    func run(_ work: () -> Void) async throws {
        // Before the first use of a plug-in, so that each is loaded from a copy that no build overwrites.
        let events = try catalog.watch()
        // All changes during the work together cause one more round.
        let (rounds, again) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let plugins = Task {
            for await event in events {
                Self.announce(event)
                again.yield()
            }
        }
        let files = DocumentWatch(documents) { name in
            Journal.announce(localized("{0} has changed.", name))
            again.yield()
        }
        let signals = [SIGINT, SIGTERM].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { again.finish() }
            source.activate()
            return source
        }

        work()
        Journal.announce(localized("Waiting for changes; Ctrl-C ends the program."))
        for await _ in rounds { work() }

        for source in signals { source.cancel() }
        files.cancel()
        plugins.cancel()
        Journal.announce(localized("No longer waiting for changes."))
    }

    private static func announce(_ event: CatalogEvent) {
        switch event {
        case .added(let plugin): Journal.announce(localized("New: {0}.", plugin.displayName))
        case .removed(let plugin): Journal.announce(localized("Gone: {0}.", plugin.name))
        case .changed(let plugin): Journal.announce(localized("Changed: {0}.", plugin.displayName))
        case .reloaded(let plugin, let generation, let remaining):
            Journal.announce(
                localized("{0} runs new code: generation {1}.", plugin.displayName, "\(generation.number)"))
            for old in remaining {
                let held = old.liveObjects.map { "\($0.count) × \($0.name)" }.joined(separator: ", ")
                Journal.announce(localized("Generation {0} is still held: {1}.", "\(old.number)", held))
            }
        case .failed(let error): Journal().write("\(error)")
        }
    }
}
