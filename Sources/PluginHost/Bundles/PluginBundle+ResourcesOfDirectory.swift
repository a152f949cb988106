#if FullFoundation
public import Foundation
#else
public import FoundationEssentials
#endif

// NSBundle's class methods: look-ups in a bundle by its directory, without a bundle object.
//
// They find the same resources, in the same order, as the bundle object for that directory. Each call opens the bundle,
// unless its object already exists, and reads the directories again. For more than one look-up, keep the bundle object.

extension PluginBundle {
    /// The path of a resource of the bundle at a directory; nil if the resource or the directory does not exist.
    ///
    /// - Parameters:
    ///   - name: the file's name; see ``path(forResource:ofType:)``.
    ///   - ext: the extension; nil or empty if the name includes it.
    ///   - bundlePath: the bundle's directory, not the directory of its resources.
    /// - Returns: the absolute path, or nil.
    public static func path(
        forResource name: String?, ofType ext: String?, inDirectory bundlePath: String
    ) -> String? {
        PluginBundle(path: bundlePath)?.path(forResource: name, ofType: ext)
    }

    /// The paths of all resources of a type of the bundle at a directory; empty if there are none or no such directory.
    public static func paths(forResourcesOfType ext: String?, inDirectory bundlePath: String) -> [String] {
        PluginBundle(path: bundlePath)?.paths(forResourcesOfType: ext, inDirectory: nil) ?? []
    }

    /// The URL of a resource of the bundle at a directory; nil if the resource or the directory does not exist.
    public static func url(
        forResource name: String?, withExtension ext: String?, subdirectory subpath: String?, in bundleURL: URL
    ) -> URL? {
        PluginBundle(url: bundleURL)?.url(forResource: name, withExtension: ext, subdirectory: subpath)
    }

    /// The URLs of all resources of a type of the bundle at a directory; nil if there is no directory.
    public static func urls(
        forResourcesWithExtension ext: String?, subdirectory subpath: String?, in bundleURL: URL
    ) -> [URL]? {
        PluginBundle(url: bundleURL)?.urls(forResourcesWithExtension: ext, subdirectory: subpath)
    }
}
