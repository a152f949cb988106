import CDemoAPI
import DemoAPI
import PluginABI
import PluginHost

/// The work to do on the documents, as the user named it.
///
/// A plug-in is loaded when its work begins.
struct Pipeline {
    private let catalog: PluginCatalog
    /// In the order of the pipeline.
    private let stages: [ExtensionDescription]
    private let journal: Journal

    /// Filters change the text, so the default has only those that a careful typesetter would have used.
    private static let defaultFilters = ["spaces", "smart-quotes", "dashes", "ellipsis"]

    /// `names`: what to run; nil for everything that the plug-ins offer and that does not change the words of a text.
    init(names: [String]?, abilities: Abilities, journal: Journal) throws(UsageError) {
        self.journal = journal
        catalog = abilities.catalog
        if let names {
            let offers = names.map { abilities.offers(named: $0) }
            let unknown = zip(names, offers).filter { $0.1.isEmpty }.map(\.0)
            guard unknown.isEmpty else {
                let all = abilities.allOffers().map(\.name)
                throw UsageError(
                    message: localized(
                        "No bundle in {0} provides {1}. There are: {2}.", abilities.places,
                        unknown.joined(separator: ", "), all.isEmpty ? "–" : all.joined(separator: ", ")))
            }
            stages = offers.flatMap(\.self)
        } else {
            let filters = Self.defaultFilters.compactMap { name in
                abilities.offers(named: name).first { $0.extensionPoint == ExtensionPoint.textFilter.name }
            }
            stages = filters + abilities.allOffers(withFilters: false)
        }
        guard !catalog.extensions(of: .exporter).isEmpty else {
            throw UsageError(message: localized("No bundle in {0} can write a report.", abilities.places))
        }
    }

    /// The steps of the pipeline at one extension point, in the pipeline's order.
    ///
    /// Nothing is loaded before an object is made.
    func extensions<Interface>(of point: ExtensionPoint<Interface>) -> [PluginExtension<Interface>] {
        stages.filter { $0.extensionPoint == point.name }
            .compactMap { catalog.extension(named: $0.name, of: point) }
    }

    /// One object of each step at an extension point.
    ///
    /// If an object cannot be made, the journal reports it and it is left out.
    func objects<Interface>(of point: ExtensionPoint<Interface>) -> [(title: String, object: Interface)] {
        extensions(of: point).compactMap { offer in attempt { (offer.displayName, try offer.make()) } }
    }

    /// The checksums of the pipeline: factories in C, and functions called by signature.
    func checksums() -> [any Checksum] {
        stages.compactMap { stage in
            switch stage.extensionPoint {
            case DEMO_CHECKSUM_POINT:
                attempt {
                    try catalog.withPlugin(stage.plugin.identifier) { try ChecksumObject(named: stage.name, in: $0) }
                }
            case DEMO_CHECKSUM_FUNCTION_POINT:
                attempt {
                    try catalog.withPlugin(stage.plugin.identifier) { try ChecksumFunction(named: stage.name, in: $0) }
                }
            default: nil
            }
        }
    }

    /// The exporter of the pipeline, else the first available one, with its bundle.
    func exporter() -> (object: any Exporter, bundle: PluginBundle)? {
        let named = extensions(of: .exporter)
        guard let offer = named.first ?? catalog.extensions(of: .exporter).first else { return nil }
        return attempt { (try offer.make(), try catalog.withPlugin(offer.plugin.identifier) { $0 }) }
    }

    /// The result of the body; the journal notes a failure.
    private func attempt<Result>(_ body: () throws -> Result) -> Result? {
        do {
            return try body()
        } catch {
            journal.report("\(error)")
            return nil
        }
    }
}
