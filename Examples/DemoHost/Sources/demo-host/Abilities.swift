import CDemoAPI
import DemoAPI
import Foundation
import PluginABI
import PluginHost

/// What the plug-ins offer, according to the catalogue.
///
/// Nothing here opens a bundle unless its strings or texts are needed, and nothing here runs a plug-in's code.
struct Abilities {
    let catalog: PluginCatalog

    /// The extension points that a pipeline can use, with the versions that this program supports.
    private static let points = [
        (ExtensionPoint.textFilter.name, ExtensionPoint.textFilter.version),
        (ExtensionPoint.textAnalyzer.name, ExtensionPoint.textAnalyzer.version),
        (ExtensionPoint.chart.name, ExtensionPoint.chart.version),
        (ExtensionPoint.exporter.name, ExtensionPoint.exporter.version),
        (DEMO_CHECKSUM_POINT, UInt32(DEMO_CHECKSUM_VERSION)),
        (DEMO_CHECKSUM_FUNCTION_POINT, UInt32(DEMO_CHECKSUM_VERSION)),
    ]

    /// Scans the directories that contain the plug-ins.
    ///
    /// `folder`: where the bundles are; nil for the standard search paths of the program. `journal`: receives a message
    /// about each bundle that cannot be used; the others work.
    init(folder: String?, journal: Journal) throws(UsageError) {
        try self.init(
            folder.map { PluginCatalog(searchPaths: [$0]) } ?? PluginCatalog(application: "demo-host"), folder: folder,
            journal: journal)
    }

    /// What a catalogue knows now.
    init(_ catalog: PluginCatalog, folder: String?, journal: Journal) throws(UsageError) {
        self.catalog = catalog
        if let folder, let faulty = catalog.folders.first(where: { !$0.exists || $0.finding != nil }) {
            throw UsageError(
                message: faulty.finding?.message ?? localized("There are no bundles in {0}.", folder))
        }
        for folder in catalog.folders { if let finding = folder.finding { journal.report(finding.message) } }
        for candidate in catalog.unusable { if let error = candidate.error { journal.report("\(error)") } }
    }

    /// The extensions with a name, usually one.
    ///
    /// This examines only the plug-ins that declare the name, however many others there are.
    func offers(named name: String) -> [ExtensionDescription] {
        Self.points.compactMap { catalog.extension(named: name, at: $0.0, version: $0.1) }
    }

    /// Everything that a pipeline can name, with or without the text filters: by extension point, each in the order that the
    /// plug-ins declare.
    func allOffers(withFilters: Bool = true) -> [ExtensionDescription] {
        Self.points.filter { withFilters || $0.0 != ExtensionPoint.textFilter.name }
            .flatMap { catalog.extensions(at: $0.0, version: $0.1) }
    }

    /// The places where bundles are searched for, for messages.
    var places: String { catalog.searchPaths.joined(separator: ", ") }

    /// The lists of common words.
    ///
    /// A bundle declares that it has them, so only such bundles are opened; they need no code.
    func wordLists(_ journal: Journal) -> WordLists {
        var lists = WordLists()
        for offer in catalog.extensions(at: WordLists.extensionPoint, version: WordLists.extensionVersion) {
            let bundle: PluginBundle
            do {
                bundle = try offer.plugin.candidate.open()
            } catch {
                journal.report("\(error)")
                continue
            }
            for language in bundle.localizations {
                guard
                    let path = bundle.path(
                        forResource: offer.name, ofType: "txt", inDirectory: nil, forLocalization: language)
                else { continue }
                do {
                    let reader = try DocumentReader(path: path)
                    try reader.read { _ in
                    } passage: { passage, _ in
                        lists.add(passage, language: language)
                    }
                } catch {
                    journal.report("\(error)")
                }
            }
        }
        return lists
    }

    // MARK: The list

    /// Prints every plug-in with its state and what it offers, then what is not used and why.
    func printList() {
        let plugins = catalog.plugins
        let lists = catalog.extensions(at: WordLists.extensionPoint, version: WordLists.extensionVersion)
        let offers = Dictionary(grouping: allOffers() + lists, by: \.plugin)
        if plugins.isEmpty { Journal.announce(localized("There are no bundles in {0}.", places)) }
        for plugin in plugins {
            let title = [plugin.displayName, plugin.version].compactMap(\.self).joined(separator: " ")
            Journal.announce("\(title)  \(plugin.identifier)  (\(Self.name(of: plugin.state)))")
            for offer in offers[plugin] ?? [] {
                Journal.announce(
                    "  \(offer.name.padding(toLength: 16, withPad: " ", startingAt: 0)) \(offer.displayName)")
            }
        }
        for candidate in catalog.candidates where candidate.verdict != .usable {
            let title = [candidate.path, candidate.version].compactMap(\.self).joined(separator: " ")
            Journal.announce("\(title)  (\(localized("not used")))")
            Journal.announce("  \(candidate.explanation)")
            for finding in candidate.findings where !finding.remedy.isEmpty { Journal.announce("  \(finding.remedy)") }
        }
    }

    private static func name(of state: PluginState) -> String {
        switch state {
        case .discovered, .resolved: localized("ready")
        case .loading, .active: localized("loaded")
        case .deactivating, .deactivated: localized("unloaded")
        case .failed(let error): localized("failed: {0}", "\(error)")
        }
    }
}
