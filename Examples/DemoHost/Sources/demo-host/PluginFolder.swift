import CDemoAPI
import DemoAPI
import Foundation
import PluginABI
import PluginHost

/// The bundles of one directory, and what they offer. Nothing here runs their code.
struct PluginFolder {
    /// Something in a bundle that a pipeline can name.
    struct Offer {
        var name: String
        var bundle: PluginBundle
        /// The extension point; nil for a plain function.
        var point: String?
        /// What to show to the user.
        var title: String
    }

    /// The extension points of this program, and the versions that it speaks.
    private static let points = [
        ExtensionPoint.textFilter.name: Int(ExtensionPoint.textFilter.version),
        ExtensionPoint.textAnalyzer.name: Int(ExtensionPoint.textAnalyzer.version),
        ExtensionPoint.chart.name: Int(ExtensionPoint.chart.version),
        ExtensionPoint.exporter.name: Int(ExtensionPoint.exporter.version),
        DEMO_CHECKSUM_POINT: Int(DEMO_CHECKSUM_VERSION),
    ]

    let path: String
    let bundles: [PluginBundle]
    let offers: [Offer]

    /// - Parameter journal: is told each bundle that cannot be used; the others work.
    init(path: String, journal: Journal) throws(UsageError) {
        self.path = path
        let catalog = PluginCatalog(searchPaths: [path])
        if let problem = catalog.folders.first(where: { !$0.exists })?.path {
            throw UsageError(message: localized("There are no bundles in {0}.", problem))
        }
        if let problem = catalog.folders.compactMap(\.problem).first { throw UsageError(message: problem.message) }
        for candidate in catalog.candidates {
            if let error = candidate.error { journal.report("\(error)") }
        }
        bundles = catalog.plugins.compactMap { plugin in
            do {
                let bundle = try plugin.candidate.open()
                // A bundle without code is none to load, and no less a bundle.
                if bundle.manifest.executable != nil { try bundle.preflight() }
                return bundle
            } catch {
                journal.report("\(error)")
                return nil
            }
        }
        offers = bundles.flatMap(Self.offers(of:))
    }

    /// What Info.plist says that a bundle offers.
    private static func offers(of bundle: PluginBundle) -> [Offer] {
        let factories = bundle.manifest.factories.compactMap { factory -> Offer? in
            guard let point = factory.extensionPoint, points[point] == factory.version else { return nil }
            return Offer(name: factory.name, bundle: bundle, point: point, title: bundle.displayName(of: factory))
        }
        let functions = bundle.manifest.functions.filter { $0.value == ChecksumFunction.signature }.keys.sorted()
        return factories + functions.map { Offer(name: $0, bundle: bundle, point: nil, title: $0) }
    }

    /// The lists of common words: resources of whichever bundle has them, for each language it has them in.
    var wordLists: WordLists {
        var lists = WordLists()
        for bundle in bundles {
            for language in bundle.localizations {
                if let path = bundle.path(
                    forResource: "stop-words", ofType: "txt", inDirectory: nil, forLocalization: language),
                    let list = try? String(contentsOfFile: path, encoding: .utf8)
                {
                    lists.add(list, language: language)
                }
            }
        }
        return lists
    }

    /// Prints every bundle with what it offers.
    func printList() {
        if bundles.isEmpty { print(localized("There are no bundles in {0}.", path)) }
        for bundle in bundles {
            let version = bundle.manifest.shortVersion ?? bundle.manifest.version ?? ""
            print("\(bundle.displayName) \(version)  \(bundle.bundleIdentifier ?? "")")
            for offer in offers where offer.bundle == bundle {
                print("  \(offer.name.padding(toLength: 16, withPad: " ", startingAt: 0)) \(offer.title)")
            }
        }
    }
}
