import Foundation
import Measuring
import PluginHost

/// A directory with bundles and the files of all layers, for one process.
struct SettingsFolder {
    let url: URL

    /// Makes the directory, and lets this process look for settings there.
    init() throws {
        url = URL(filePath: "/tmp/settings-benchmark-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        // A worker may have another user.
        chmod(url.path, 0o755)
        for (variable, layer) in [
            ("XDG_CONFIG_HOME", "home"), ("XDG_CONFIG_DIRS", "etc"), ("XDG_DATA_DIRS", "data"),
        ] { setenv(variable, url.appending(path: layer).path, 1) }
        HostEnvironment.current.name = "settings-benchmark"
        HostEnvironment.current.log = { _ in }
    }

    func remove() { try? FileManager.default.removeItem(at: url) }

    /// The user's file of a plug-in.
    func userFile(_ name: String) -> String {
        url.appending(path: "home/settings-benchmark/settings/org.example.\(name).plist").path
    }

    /// Replaces the user's file, as another process would.
    func store(_ list: String, for name: String) throws {
        let file = userFile(name)
        try FileManager.default.createDirectory(
            at: URL(filePath: file).deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(list.utf8).write(to: URL(filePath: file + ".new"))
        guard rename(file + ".new", file) == 0 else { throw Child.Failure(description: "\(file) cannot be replaced") }
    }

    /// A bundle with the elements of its Settings.bundle.
    func bundle(_ name: String, identifier: String? = nil, code: URL? = nil, _ elements: String) throws -> PluginBundle
    {
        let contents = url.appending(path: "\(name).bundle/Contents")
        let settings = contents.appending(path: "Resources/Settings.bundle")
        try FileManager.default.createDirectory(at: settings, withIntermediateDirectories: true)
        try Data("{ PreferenceSpecifiers = (\(elements)); }".utf8).write(to: settings.appending(path: "Root.plist"))
        var info = "CFBundleIdentifier = \"org.example.\(identifier ?? name)\"; "
        if let code {
            let linux = contents.appending(path: "Linux")
            try FileManager.default.createDirectory(at: linux, withIntermediateDirectories: true)
            try FileManager.default.copyItem(at: code, to: linux.appending(path: name))
            info += "NSExecutable = \(name); "
        }
        try Data("{ \(info)}".utf8).write(to: contents.appending(path: "Info.plist"))
        return try PluginBundle.open(path: url.appending(path: "\(name).bundle").path)
    }
}
