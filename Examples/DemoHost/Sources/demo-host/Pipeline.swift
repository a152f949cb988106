import CDemoAPI
import DemoAPI
import PluginABI
import PluginHost

/// What shall be done to the documents, as the user named it. A bundle is loaded when the work gets to it.
struct Pipeline {
    /// One name of the pipeline, and who offers it: usually one bundle.
    struct Stage {
        var name: String
        var offers: [PluginFolder.Offer]
        var point: String? { offers[0].point }
    }

    private let stages: [Stage]
    private let exporters: [PluginFolder.Offer]
    private let journal: Journal

    /// Filters change the text, so by default only those run that a careful typesetter would have used.
    private static let defaultFilters = ["spaces", "smart-quotes", "dashes", "ellipsis"]

    /// - Parameters:
    ///   - names: what to run; nil for everything that the bundles offer and that leaves the words of a text alone.
    init(names: [String]?, folder: PluginFolder, journal: Journal) throws(UsageError) {
        self.journal = journal
        var offers: [String: [PluginFolder.Offer]] = [:]
        for offer in folder.offers { offers[offer.name, default: []].append(offer) }

        let all = folder.offers.map(\.name)
        if let unknown = names?.filter({ offers[$0] == nil }), !unknown.isEmpty {
            throw UsageError(
                message: localized(
                    "No bundle in {0} provides {1}. There are: {2}.", folder.path,
                    unknown.joined(separator: ", "), all.isEmpty ? "–" : all.joined(separator: ", ")))
        }
        let others = folder.offers.filter { $0.point != ExtensionPoint.textFilter.name }.map(\.name)
        var seen: Set<String> = []
        stages = (names ?? Self.defaultFilters + others).compactMap { name in
            guard let offers = offers[name], names != nil || seen.insert(name).inserted else { return nil }
            return Stage(name: name, offers: offers)
        }
        exporters = folder.offers.filter { $0.point == ExtensionPoint.exporter.name }
        if exporters.isEmpty {
            throw UsageError(message: localized("No bundle in {0} can write a report.", folder.path))
        }
    }

    /// The providers at an extension point that the pipeline names, in its order, loading their bundles.
    ///
    /// One that cannot be loaded is told to the journal and left out.
    func providers<Interface>(of point: ExtensionPoint<Interface>) -> [Provider<Interface>] {
        stages.filter { $0.point == point.name }.compactMap { stage in
            first(of: stage) { bundle in try bundle.providers(of: point).first { $0.name == stage.name } }
        }
    }

    /// The checksums that the pipeline names: factories in C, and functions called by signature.
    func checksums() -> [any Checksum] {
        stages.compactMap { stage in
            switch stage.point {
            case DEMO_CHECKSUM_POINT: first(of: stage) { try ChecksumObject(named: stage.name, in: $0) }
            case nil: first(of: stage) { try ChecksumFunction(named: stage.name, in: $0) }
            default: nil
            }
        }
    }

    /// The exporter that the pipeline names, else the first that there is.
    func exporter() -> (any Exporter)? {
        let stage =
            stages.first { $0.point == ExtensionPoint.exporter.name }
            ?? Stage(name: exporters[0].name, offers: exporters)
        return first(of: stage) { bundle in
            try bundle.providers(of: .exporter).first { $0.name == stage.name }?.make()
        }
    }

    /// What the first of the stage's bundles that works gives.
    private func first<Result>(of stage: Stage, _ body: (PluginBundle) throws -> Result?) -> Result? {
        for offer in stage.offers {
            do {
                if let result = try body(offer.bundle) { return result }
                journal.report(
                    localized("The bundle {0} names {1} and does not provide it.", offer.bundle.bundlePath, stage.name))
            } catch {
                journal.report("\(error)")
            }
        }
        return nil
    }
}
