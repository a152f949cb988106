#if FullFoundation
public import Foundation
#else
public import FoundationEssentials
#endif

// NSBundle's class methods: look-ups in a bundle by its directory, without an object in the caller's hands.
//
// They are the look-ups of the bundle at that directory, in the same order. Each opens the bundle, unless somebody holds
// its object, and reads the directories anew; who asks more than once keeps the object.

extension PluginBundle {
    /// The path of a resource of the bundle at a directory; nil also where there is no directory.
    ///
    /// - Parameters:
    ///   - name: the file's name; see ``path(forResource:ofType:)``.
    ///   - ext: the extension; nil or empty if the name has it.
    ///   - bundlePath: the bundle's directory, not one of its resources'.
    /// - Returns: the absolute path, or nil.
    public static func path(
        forResource name: String?, ofType ext: String?, inDirectory bundlePath: String
    ) -> String? {
        PluginBundle(path: bundlePath)?.path(forResource: name, ofType: ext)
    }

    /// The paths of all resources of a type of the bundle at a directory; empty also where there is no directory.
    public static func paths(forResourcesOfType ext: String?, inDirectory bundlePath: String) -> [String] {
        PluginBundle(path: bundlePath)?.paths(forResourcesOfType: ext, inDirectory: nil) ?? []
    }

    /// The URL of a resource of the bundle at a directory; nil also where there is no directory.
    public static func url(
        forResource name: String?, withExtension ext: String?, subdirectory subpath: String?, in bundleURL: URL
    ) -> URL? {
        PluginBundle(url: bundleURL)?.url(forResource: name, withExtension: ext, subdirectory: subpath)
    }

    /// The URLs of all resources of a type of the bundle at a directory; nil where there is no directory.
    public static func urls(
        forResourcesWithExtension ext: String?, subdirectory subpath: String?, in bundleURL: URL
    ) -> [URL]? {
        PluginBundle(url: bundleURL)?.urls(forResourcesWithExtension: ext, subdirectory: subpath)
    }
}
