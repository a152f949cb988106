#if FullFoundation
public import Foundation
#else
public import FoundationEssentials
#endif

extension PluginBundle {
    /// Finds a resource, by the search order of docs/bundle-format.md.
    ///
    /// - Parameters:
    ///   - name: the file's name without extension; nil or empty for the first of the type.
    ///   - ext: the extension, with or without a dot; nil or empty if the name has it.
    /// - Returns: an absolute path, or nil.
    public func path(forResource name: String?, ofType ext: String?) -> String? {
        resources.path(name: name, type: ext, subdirectory: nil, localization: nil)
    }

    public func path(forResource name: String?, ofType ext: String?, inDirectory subpath: String?) -> String? {
        resources.path(name: name, type: ext, subdirectory: subpath, localization: nil)
    }

    public func path(
        forResource name: String?, ofType ext: String?, inDirectory subpath: String?,
        forLocalization localizationName: String?
    ) -> String? {
        resources.path(name: name, type: ext, subdirectory: subpath, localization: localizationName)
    }

    public func paths(forResourcesOfType ext: String?, inDirectory subpath: String?) -> [String] {
        resources.paths(type: ext, subdirectory: subpath, localization: nil)
    }

    public func paths(
        forResourcesOfType ext: String?, inDirectory subpath: String?, forLocalization localizationName: String?
    ) -> [String] {
        resources.paths(type: ext, subdirectory: subpath, localization: localizationName)
    }

    public func url(forResource name: String?, withExtension ext: String?) -> URL? {
        path(forResource: name, ofType: ext).map { URL(filePath: $0) }
    }

    public func url(forResource name: String?, withExtension ext: String?, subdirectory subpath: String?) -> URL? {
        path(forResource: name, ofType: ext, inDirectory: subpath).map { URL(filePath: $0) }
    }

    public func url(
        forResource name: String?, withExtension ext: String?, subdirectory subpath: String?,
        localization localizationName: String?
    ) -> URL? {
        path(forResource: name, ofType: ext, inDirectory: subpath, forLocalization: localizationName).map {
            URL(filePath: $0)
        }
    }

    public func urls(forResourcesWithExtension ext: String?, subdirectory subpath: String?) -> [URL]? {
        paths(forResourcesOfType: ext, inDirectory: subpath).map { URL(filePath: $0) }
    }

    public func urls(
        forResourcesWithExtension ext: String?, subdirectory subpath: String?, localization localizationName: String?
    ) -> [URL]? {
        paths(forResourcesOfType: ext, inDirectory: subpath, forLocalization: localizationName).map {
            URL(filePath: $0)
        }
    }

    // MARK: Languages

    /// The languages that the bundle has: those of `CFBundleLocalizations` and of its `.lproj` directories.
    public var localizations: [String] { resources.localizations }

    /// Of ``localizations``, those that fit the user, best first, in the bundle's own spelling.
    public var preferredLocalizations: [String] { resources.preferredLocalizations }

    /// `CFBundleDevelopmentRegion`, or nil where there is none.
    public var developmentLocalization: String? { manifest.developmentRegion }

    /// Of some languages, those that fit the user, best first.
    public static func preferredLocalizations(from localizationsArray: [String]) -> [String] {
        preferredLocalizations(from: localizationsArray, forPreferences: nil)
    }

    /// Of some languages, those that fit a list of preferences, best first; nil for the user's.
    public static func preferredLocalizations(
        from localizationsArray: [String], forPreferences preferencesArray: [String]?
    ) -> [String] {
        LanguageMatcher.preferredLocalizations(
            from: localizationsArray, forPreferences: preferencesArray ?? HostEnvironment.currentLanguages)
    }
}
