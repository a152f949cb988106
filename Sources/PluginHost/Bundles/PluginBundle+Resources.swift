#if FullFoundation
public import Foundation
#else
public import FoundationEssentials
#endif

extension PluginBundle {
    /// The path of the first resource that fits, by the order of docs/bundle-format.md, "Resources": the resources for
    /// everybody, then those of the user's language, of `Base.lproj`, of what else the user reads, of the language the
    /// bundle was written in.
    ///
    /// A resource is a file or a directory. Names are case-sensitive. Nothing outside of the resources is ever found: no
    /// name or directory with `..`, no absolute path. No file is opened.
    ///
    /// - Parameters:
    ///   - name: the file's name, also with its extension or a directory; nil or empty for the first of the type.
    ///   - ext: the extension, with or without a dot; may be double (`tar.gz`). Nil or empty if the name has it.
    /// - Returns: an absolute path, or nil.
    ///
    /// **Threads.** Any. **Cost.** Repeated, about a fifth of a stat(), also where nothing is found; the first look-up in
    /// a directory reads that directory.
    public func path(forResource name: String?, ofType ext: String?) -> String? {
        resources.resource(name, type: ext, subdirectory: nil, localization: nil)?.path
    }

    /// The same, in a directory below the resources or below those of a language.
    public func path(forResource name: String?, ofType ext: String?, inDirectory subpath: String?) -> String? {
        resources.resource(name, type: ext, subdirectory: subpath, localization: nil)?.path
    }

    /// The same, among the resources for everybody and those of one language; nil for the user's order.
    public func path(
        forResource name: String?, ofType ext: String?, inDirectory subpath: String?,
        forLocalization localizationName: String?
    ) -> String? {
        resources.resource(name, type: ext, subdirectory: subpath, localization: localizationName)?.path
    }

    /// The paths of all resources of a type: those for everybody, then those of the languages in the order of the
    /// search, each in the order of names.
    ///
    /// A name is listed once, where a look-up would find it first, and stands for its variants. Names that begin with a
    /// dot are left out.
    ///
    /// - Parameters:
    ///   - ext: the extension; nil or empty for every type.
    ///   - subpath: a directory below the resources; nil for the resources themselves.
    /// - Returns: absolute paths; none where nothing is found.
    public func paths(forResourcesOfType ext: String?, inDirectory subpath: String?) -> [String] {
        resources.resources(type: ext, subdirectory: subpath, localization: nil).map(\.path)
    }

    /// The same, among the resources for everybody and those of one language; nil for the user's order.
    public func paths(
        forResourcesOfType ext: String?, inDirectory subpath: String?, forLocalization localizationName: String?
    ) -> [String] {
        resources.resources(type: ext, subdirectory: subpath, localization: localizationName).map(\.path)
    }

    /// The URL of ``path(forResource:ofType:)``; that of a directory ends in a slash.
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

extension FoundResource {
    fileprivate var url: URL { URL(filePath: path, directoryHint: isDirectory ? .isDirectory : .notDirectory) }
}
