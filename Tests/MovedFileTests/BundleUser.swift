// A file written against Foundation's Bundle, with every member that it has on Linux. It is compiled twice, unchanged:
// in FoundationFileTests, and in MovedFileTests, where Alias.swift moves the whole module.

import Foundation

/// Uses a bundle as an application does.
///
/// The types that it names are those of Foundation on Linux.
struct BundleUser {
    let bundle: Bundle

    // MARK: Finding bundles

    init?(path: String) {
        guard let bundle = Bundle(path: path) else { return nil }
        self.bundle = bundle
    }

    init?(url: URL) {
        guard let bundle = Bundle(url: url) else { return nil }
        self.bundle = bundle
    }

    init?(identifier: String) {
        guard let bundle = Bundle(identifier: identifier) else { return nil }
        self.bundle = bundle
    }

    init(definingClass aClass: AnyClass) { bundle = Bundle(for: aClass) }

    static var main: Bundle { Bundle.main }
    static var everyBundle: [Bundle] { Bundle.allBundles + Bundle.allFrameworks }

    // MARK: Locations

    var directory: (url: URL, path: String) { (bundle.bundleURL, bundle.bundlePath) }

    var locations: [String: (url: URL?, path: String?)] {
        [
            "resources": (bundle.resourceURL, bundle.resourcePath),
            "executable": (bundle.executableURL, bundle.executablePath),
            "private frameworks": (bundle.privateFrameworksURL, bundle.privateFrameworksPath),
            "shared frameworks": (bundle.sharedFrameworksURL, bundle.sharedFrameworksPath),
            "shared support": (bundle.sharedSupportURL, bundle.sharedSupportPath),
            "plug-ins": (bundle.builtInPlugInsURL, bundle.builtInPlugInsPath),
            "receipt": (bundle.appStoreReceiptURL, nil),
        ]
    }

    func auxiliaryExecutable(_ name: String) -> (url: URL?, path: String?) {
        (bundle.url(forAuxiliaryExecutable: name), bundle.path(forAuxiliaryExecutable: name))
    }

    // MARK: Resources

    /// The resource from each of the instance methods that return one.
    func resource(_ name: String?, _ ext: String?, in subpath: String? = nil, for language: String? = nil) -> [String?]
    {
        var found: [String?] = [
            bundle.path(forResource: name, ofType: ext, inDirectory: subpath, forLocalization: language),
            bundle.url(forResource: name, withExtension: ext, subdirectory: subpath, localization: language)?.path,
        ]
        guard language == nil else { return found }
        found.append(bundle.path(forResource: name, ofType: ext, inDirectory: subpath))
        found.append(bundle.url(forResource: name, withExtension: ext, subdirectory: subpath)?.path)
        guard subpath == nil else { return found }
        found.append(bundle.path(forResource: name, ofType: ext))
        found.append(bundle.url(forResource: name, withExtension: ext)?.path)
        return found
    }

    /// The list from each of the instance methods that return one.
    func resources(_ ext: String?, in subpath: String? = nil, for language: String? = nil) -> [[String]] {
        let localized: [NSURL]? = bundle.urls(
            forResourcesWithExtension: ext, subdirectory: subpath, localization: language)
        var found = [
            bundle.paths(forResourcesOfType: ext, inDirectory: subpath, forLocalization: language),
            localized?.compactMap(\.path) ?? [],
        ]
        guard language == nil else { return found }
        let urls: [NSURL]? = bundle.urls(forResourcesWithExtension: ext, subdirectory: subpath)
        found.append(bundle.paths(forResourcesOfType: ext, inDirectory: subpath))
        found.append(urls?.compactMap(\.path) ?? [])
        return found
    }

    /// The names of a list, without naming the type of its items.
    func names(_ ext: String) -> [String] {
        var names: [String] = []
        for url in bundle.urls(forResourcesWithExtension: ext, subdirectory: nil) ?? [] {
            names.append((url as URL).lastPathComponent)
        }
        return names
    }

    /// The resource from each of the class methods that return one.
    static func resource(_ name: String?, _ ext: String?, ofBundleAt path: String) -> [String?] {
        let url = URL(fileURLWithPath: path)
        return [
            Bundle.path(forResource: name, ofType: ext, inDirectory: path),
            Bundle.url(forResource: name, withExtension: ext, subdirectory: nil, in: url)?.path,
        ]
    }

    /// The list from each of the class methods that return one.
    static func resources(_ ext: String?, ofBundleAt path: String) -> [[String]] {
        let urls: [NSURL]? = Bundle.urls(
            forResourcesWithExtension: ext, subdirectory: nil, in: NSURL(fileURLWithPath: path))
        return [
            Bundle.paths(forResourcesOfType: ext, inDirectory: path),
            urls?.compactMap(\.path) ?? [],
        ]
    }

    // MARK: Information

    var identifier: String? { bundle.bundleIdentifier }
    var information: [String: Any]? { bundle.infoDictionary }
    var localizedInformation: [String: Any]? { bundle.localizedInfoDictionary }
    func version() -> String? { bundle.object(forInfoDictionaryKey: "CFBundleVersion") as? String }

    // MARK: Languages

    var languages: (all: [String], preferred: [String], development: String?) {
        (bundle.localizations, bundle.preferredLocalizations, bundle.developmentLocalization)
    }

    static func preferred(_ names: [String], for preferences: [String]?) -> [String] {
        Bundle.preferredLocalizations(from: names, forPreferences: preferences)
    }

    static func preferred(_ names: [String]) -> [String] { Bundle.preferredLocalizations(from: names) }

    func text(_ key: String, _ value: String? = nil, table: String? = nil) -> String {
        bundle.localizedString(forKey: key, value: value, table: table)
    }

    func marked(_ key: String, table: String? = nil) -> String {
        NSLocalizedString(key, tableName: table, bundle: bundle, value: "", comment: "A word to the translator")
    }

    /// A text of the main bundle.
    static func marked(_ key: String) -> String { NSLocalizedString(key, comment: "A word to the translator") }

    // MARK: Code

    /// Loads the code in every way, and returns what went wrong.
    func load() -> [any Error] {
        var errors: [any Error] = []
        do { try bundle.preflight() } catch { errors.append(error) }
        do { try bundle.loadAndReturnError() } catch { errors.append(error) }
        if bundle.load() != bundle.isLoaded { errors.append(CocoaError(.executableLoad)) }
        return errors
    }

    func takeBack() -> Bool { (bundle as any Unloadable).unload() }

    var principal: AnyClass? { bundle.principalClass }
    func type(_ name: String) -> AnyClass? { bundle.classNamed(name) }
    var machines: [NSNumber]? { bundle.executableArchitectures }

    // MARK: As an object

    /// Bundles are keys of dictionaries and members of sets, and are described.
    var identity: (isItself: Bool, hash: Int, count: Int, texts: [String]) {
        let same: Any? = bundle
        return (
            bundle.isEqual(same) && bundle == bundle && !bundle.isEqual("text"), bundle.hash,
            Set([bundle, bundle]).count,
            [bundle.description, bundle.debugDescription, "\(bundle)"]
        )
    }

    /// A bundle may be passed to another task.
    func identifierElsewhere() async -> String? {
        await Task.detached { [bundle] in bundle.bundleIdentifier }.value
    }
}

/// A protocol to which Bundle conforms by an extension, as applications extend Bundle.
///
/// The call goes through a protocol, because Foundation on Linux marks unload() as deprecated.
protocol Unloadable {
    func unload() -> Bool
}

extension Bundle: Unloadable {}
