#if FullFoundation
public import Foundation

// On Linux, Foundation's Bundle returns lists of NSURL where Apple's returns lists of URL. PluginBundle returns URL.
// The overloads below let a file that was written for Linux compile too. They are disfavoured: the compiler uses one
// only where URL does not fit, as in `for url: NSURL in …`.

extension PluginBundle {
    /// The URLs of ``paths(forResourcesOfType:inDirectory:)-method`` as objects; never nil.
    @_disfavoredOverload
    public func urls(forResourcesWithExtension ext: String?, subdirectory subpath: String?) -> [NSURL]? {
        Self.objects(urls(forResourcesWithExtension: ext, subdirectory: subpath))
    }

    /// The URLs of ``paths(forResourcesOfType:inDirectory:forLocalization:)`` as objects; never nil.
    @_disfavoredOverload
    public func urls(
        forResourcesWithExtension ext: String?, subdirectory subpath: String?, localization localizationName: String?
    ) -> [NSURL]? {
        Self.objects(urls(forResourcesWithExtension: ext, subdirectory: subpath, localization: localizationName))
    }

    /// The URLs of all resources with an extension in the bundle at a directory, as objects; nil if there is no
    /// directory.
    public static func urls(
        forResourcesWithExtension ext: String?, subdirectory subpath: String?, in bundleURL: NSURL
    ) -> [NSURL]? {
        objects(urls(forResourcesWithExtension: ext, subdirectory: subpath, in: bundleURL as URL))
    }

    private static func objects(_ urls: [URL]?) -> [NSURL]? { urls?.map { $0 as NSURL } }
}
#endif
