import Fixtures
import Foundation

/// A folder of bundles without code, made for one test.
struct PluginFolder {
    let url: URL
    var path: String { url.path }

    init(_ bundles: [String: [String: Any]] = [:]) throws {
        url = Workspace.temporary.appending(path: "folder-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        for (name, info) in bundles { try add(name, info) }
    }

    /// Adds a bundle: `NAME.bundle`, by default of the identifier `org.example.NAME`.
    @discardableResult
    func add(_ name: String, _ info: [String: Any]) throws -> URL {
        let contents = url.appending(path: "\(name).bundle/Contents")
        try FileManager.default.createDirectory(at: contents, withIntermediateDirectories: true)
        let keys = ["CFBundleIdentifier": "org.example.\(name)", "CFBundleShortVersionString": "1.0"] as [String: Any]
        try PropertyListSerialization.data(
            fromPropertyList: keys.merging(info) { $1 }, format: .xml, options: 0
        ).write(to: contents.appending(path: "Info.plist"))
        return contents.deletingLastPathComponent()
    }

    /// What `PHFactories` has for one factory.
    static func factory(_ name: String, at point: String, version: Int = 1, order: Int = 0) -> [String: Any] {
        ["name": name, "extensionPoint": point, "version": version, "order": order]
    }
}
