@_spi(Tools) import BundleReading
import HostBasics
import PluginWorkers
internal import PropertyLists

extension ApplicationBundle {
    private static let textKeys: [ManifestKey] = [
        .identifier, .name, .displayName, .version, .shortVersion, .packageType, .developmentRegion, .iconFile,
    ]

    /// Longer values are not names and are left out.
    private static let longestText = 1_024

    /// The main bundle of this process.
    static var current: ApplicationBundle { ApplicationBundle(.main) }

    private init(_ main: PluginBundle) {
        self.init(
            program: BundleOpening.mainProgram, path: main.bundlePath, layout: main.layout,
            manifestPath: main.manifestPath)
        allowsMixedLocalizations = main.manifest.allowsMixedLocalizations
        localizations = main.localizations
        for key in Self.textKeys {
            if let text = main.manifest.dictionary[key.spelling]?.string, text.utf8.count <= Self.longestText {
                texts[key.spelling] = text
            }
        }
    }

    /// The contents with the values that the application sent.
    fileprivate var contents: BundleContents {
        var list = texts.mapValues(PropertyList.string)
        list[ManifestKey.allowsMixedLocalizations.spelling] = .boolean(allowsMixedLocalizations)
        list[ManifestKey.localizations.spelling] = .array(localizations.map(PropertyList.string))
        return BundleContents(
            path: path, layout: layout, manifestPath: manifestPath,
            manifest: Manifest(dictionary: list, path: manifestPath))
    }
}

// MARK: - In a worker

extension BundleOpening {
    private static let application = Lock<ApplicationBundle?>(nil)

    /// Makes the application's main bundle the main bundle of this process, which the application started.
    ///
    /// Call this before any code of a plug-in runs.
    static func represent(_ application: ApplicationBundle) {
        self.application.withLock { $0 = application }
        replaceMain(BundleTable.shared.insert(PluginBundle(contents: application.contents)))
    }

    /// The file of the program whose bundle is the main bundle; in a worker, the application's program.
    static var mainProgram: String { application.withLock { $0?.program } ?? Path.mainProgram }

    /// Whether this process is a worker and the directory is the application's main bundle, which it may not be allowed
    /// to read.
    static func isOfApplicationElsewhere(_ path: String) -> Bool { application.withLock { $0?.path == path } }

    /// The languages of the main bundle that limit the choice of other bundles.
    struct MainLanguages {
        var localizations: [String]
        var developmentRegion: String?
        var allowsMixedLocalizations: Bool
        /// Whether everything that determines these values could be read.
        var isCertain: Bool
    }

    /// - Parameter main: the main bundle.
    /// - Returns: its languages; in a worker the ones that the application sent, which need no directory.
    static func languages(of main: PluginBundle) -> MainLanguages {
        let manifest = main.manifest
        var languages = MainLanguages(
            localizations: [], developmentRegion: main.developmentLocalization,
            allowsMixedLocalizations: manifest.allowsMixedLocalizations, isCertain: true)
        if languages.allowsMixedLocalizations { return languages }
        if application.withLock({ $0 != nil }) {
            languages.localizations = manifest.localizations
        } else {
            let now = main.resources.localizationsNow
            languages.localizations = now.names
            languages.isCertain = now.isCertain && !main.isProvisional
        }
        return languages
    }
}
