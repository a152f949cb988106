import BundleReading

#if FullFoundation
public import Foundation
#else
public import FoundationEssentials
#endif

extension PluginBundle {
    /// The path of the first resource that matches, in the order of docs/bundle-format.md, "Resources": the resources
    /// for all languages, then the resources of the user's language, of `Base.lproj`, of other languages that the user
    /// reads, and of the language in which the bundle was written.
    ///
    /// A resource is a file or a directory. Names are case-sensitive. Nothing outside the resources is ever found:
    /// names and directories with `..` and absolute paths find nothing. No file is opened.
    ///
    /// - Parameters:
    ///   - name: the file's name; it may include the extension or a directory. Nil or empty for the first file of the
    ///     type.
    ///   - ext: the extension, with or without a dot; may be double (`tar.gz`). Nil or empty if the name includes it.
    /// - Returns: an absolute path, or nil.
    ///
    /// **Threads.** Any. **Cost.** A repeated look-up costs about a fifth of a stat(), even if nothing is found; the
    /// first look-up in a directory reads that directory.
    public func path(forResource name: String?, ofType ext: String?) -> String? {
        resources.resource(name, type: ext, subdirectory: nil, localization: nil)?.path
    }

    /// The path of the first resource that matches, in a directory below the resources or below those of a language.
    public func path(forResource name: String?, ofType ext: String?, inDirectory subpath: String?) -> String? {
        resources.resource(name, type: ext, subdirectory: subpath, localization: nil)?.path
    }

    /// The path of the first resource that matches, among those for all languages and those of one language; nil for
    /// the user's order.
    public func path(
        forResource name: String?, ofType ext: String?, inDirectory subpath: String?,
        forLocalization localizationName: String?
    ) -> String? {
        resources.resource(name, type: ext, subdirectory: subpath, localization: localizationName)?.path
    }

    /// The paths of all resources of a type: those for all languages, then those of the languages in search order,
    /// each group sorted by name.
    ///
    /// Each name is listed once, at the place where a look-up would find it first. Its variants are not listed. Names
    /// that begin with a dot are left out.
    ///
    /// - Parameters:
    ///   - ext: the extension; nil or empty for every type.
    ///   - subpath: a directory below the resources; nil for the resources themselves.
    /// - Returns: absolute paths; empty if nothing is found.
    public func paths(forResourcesOfType ext: String?, inDirectory subpath: String?) -> [String] {
        resources.resources(type: ext, subdirectory: subpath, localization: nil).map(\.path)
    }

    /// The paths of all resources of a type, among those for all languages and those of one language; nil for the
    /// user's order.
    public func paths(
        forResourcesOfType ext: String?, inDirectory subpath: String?, forLocalization localizationName: String?
    ) -> [String] {
        resources.resources(type: ext, subdirectory: subpath, localization: localizationName).map(\.path)
    }

    /// The URL of ``path(forResource:ofType:)``; the URL of a directory ends in a slash.
    public func url(forResource name: String?, withExtension ext: String?) -> URL? {
        resources.resource(name, type: ext, subdirectory: nil, localization: nil)?.url
    }

    /// The URL of ``path(forResource:ofType:inDirectory:)-method``.
    public func url(forResource name: String?, withExtension ext: String?, subdirectory subpath: String?) -> URL? {
        resources.resource(name, type: ext, subdirectory: subpath, localization: nil)?.url
    }

    /// The URL of ``path(forResource:ofType:inDirectory:forLocalization:)``.
    public func url(
        forResource name: String?, withExtension ext: String?, subdirectory subpath: String?,
        localization localizationName: String?
    ) -> URL? {
        resources.resource(name, type: ext, subdirectory: subpath, localization: localizationName)?.url
    }

    /// The URLs of ``paths(forResourcesOfType:inDirectory:)-method``; never nil.
    public func urls(forResourcesWithExtension ext: String?, subdirectory subpath: String?) -> [URL]? {
        resources.resources(type: ext, subdirectory: subpath, localization: nil).map(\.url)
    }

    /// The URLs of ``paths(forResourcesOfType:inDirectory:forLocalization:)``; never nil.
    public func urls(
        forResourcesWithExtension ext: String?, subdirectory subpath: String?, localization localizationName: String?
    ) -> [URL]? {
        resources.resources(type: ext, subdirectory: subpath, localization: localizationName).map(\.url)
    }

    // MARK: Languages

    /// The languages of the bundle: those in `CFBundleLocalizations` and those of its `.lproj` directories.
    public var localizations: [String] { resources.localizations }

    /// The ``localizations`` that fit the user, best first, as the bundle spells them.
    public var preferredLocalizations: [String] { resources.preferredLocalizations }

    /// `CFBundleDevelopmentRegion`, or nil if there is none.
    public var developmentLocalization: String? { manifest.developmentRegion }

    /// The given languages that fit the user, best first.
    public static func preferredLocalizations(from localizationsArray: [String]) -> [String] {
        preferredLocalizations(from: localizationsArray, forPreferences: nil)
    }

    /// The given languages that fit a list of preferences, best first; nil for the user's preferences.
    public static func preferredLocalizations(
        from localizationsArray: [String], forPreferences preferencesArray: [String]?
    ) -> [String] {
        LanguageMatcher.preferredLocalizations(
            from: localizationsArray, forPreferences: preferencesArray ?? HostEnvironment.currentLanguages)
    }
}

extension FoundResource {
    fileprivate var url: URL { URL(filePath: path, directoryHint: isDirectory ? .isDirectory : .notDirectory) }
}
