import Fixtures
import PluginHost

extension AsyncStream<CatalogEvent>.Iterator {
    /// The generation of the next reload, and those that remain; an error if the reload failed.
    mutating func nextReload() async throws -> (generation: GenerationReport, remaining: [GenerationReport]) {
        while let event = await next() {
            switch event {
            case .reloaded(_, let generation, let remaining): return (generation, remaining)
            case .failed(let error): throw error
            case .added, .removed, .changed: continue
            }
        }
        throw Tool.Failure(description: "the watch has ended")
    }
}
