@_spi(Tools) import BundleReading
import HostBasics
internal import PropertyLists

/// What an application states about its main bundle to the processes that run its plug-ins.
///
/// Why it is stated and not read there: the program of such a process can be another one, in another directory, and a
/// confined process may not read the directory of the application.
struct ApplicationBundle: Sendable, Hashable {
    /// The file of the application's program.
    var program: String
    /// The bundle's directory.
    var path: String
    var layout: BundleLayout
    /// Where the bundle's Info.plist is, or where it is expected.
    var manifestPath: String
    /// The values of Info.plist that are texts and about the bundle as a whole, by their keys.
    var texts: [String: String] = [:]
    var allowsMixedLocalizations = false
    /// All localisations: those that Info.plist declares and those with a directory.
    var localizations: [String] = []

    private static let textKeys: [ManifestKey] = [
        .identifier, .name, .displayName, .version, .shortVersion, .packageType, .developmentRegion, .iconFile,
    ]

    /// The texts beyond this length are no names, and are left out.
    private static let longestText = 1_024

    /// The main bundle of this process.
    static var current: ApplicationBundle { ApplicationBundle(.main) }

    private init(_ main: PluginBundle) {
        program = BundleOpening.mainProgram
        path = main.bundlePath
        layout = main.layout
        manifestPath = main.manifestPath
        allowsMixedLocalizations = main.manifest.allowsMixedLocalizations
        localizations = main.localizations
        for key in Self.textKeys {
            if let text = main.manifest.dictionary[key.spelling]?.string, text.utf8.count <= Self.longestText {
                texts[key.spelling] = text
            }
        }
    }

    init(program: String, path: String, layout: BundleLayout, manifestPath: String) {
        self.program = program
        self.path = path
        self.layout = layout
        self.manifestPath = manifestPath
    }

    /// The directories with the resources that every plug-in of the application may read.
    ///
    /// Only those that exist for the bundle alone. Why: the main bundle of a bare program is the directory of the
    /// program, where anything can be.
    var resourceDirectories: [String] {
        let isBundle = path.hasSuffix(".app") || path.hasSuffix(".resources")
        return ([layout.resources] + layout.furtherResources).filter { !$0.isEmpty || isBundle }
            .map { Path.join(path, $0) }
    }

    /// The bundle as its application reads it.
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

    /// Lets the main bundle of this process be that of the application which started it.
    ///
    /// It is called before any code of a plug-in runs.
    static func represent(_ application: ApplicationBundle) {
        self.application.withLock { $0 = application }
        replaceMain(BundleTable.shared.insert(PluginBundle(contents: application.contents)))
    }

    /// The file of the program whose bundle is the main bundle: of the application, also in its workers.
    static var mainProgram: String { application.withLock { $0?.program } ?? Path.mainProgram }

    /// Whether a directory is that of the main bundle, and this process is a worker, which may not be allowed to read it.
    static func isOfApplicationElsewhere(_ path: String) -> Bool { application.withLock { $0?.path == path } }

    /// The languages of the main bundle, as other bundles obey them.
    struct MainLanguages {
        var localizations: [String]
        var developmentRegion: String?
        var allowsMixedLocalizations: Bool
        /// Whether everything that they depend on could be read.
        var isCertain: Bool
    }

    /// - Parameter main: the main bundle.
    /// - Returns: its languages; in a worker those that the application states, which need no directory.
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
