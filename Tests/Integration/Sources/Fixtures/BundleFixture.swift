import Foundation
import Glibc

/// A bundle that is built for a test, with code compiled at that moment.
public struct BundleFixture: Sendable {
    /// The content of the executable.
    public enum Code: Sendable {
        /// A C source after `#include "plugin_abi.h"`; the note is declared unless the source declares it.
        case c(String, flags: [String] = [])
        /// The same in C++.
        case cxx(String, flags: [String] = [])
        /// A Swift source that imports PluginABI.
        case swift(String, flags: [String] = [])
        /// A copy of a file.
        case file(URL)
        case none
    }

    /// The bundle's directory.
    public let url: URL
    /// The bundle's directory.
    public var path: String { url.path }
    /// The name without the extension.
    public let name: String
    /// The file with its code.
    public var executable: URL { url.appending(path: "Contents/Linux/\(name)") }
    /// Its Info.plist.
    public var infoList: URL { url.appending(path: "Contents/Info.plist") }

    /// - Parameters:
    ///   - name: the bundle's name; the folder is unique to this call.
    ///   - info: keys beyond NSExecutable and CFBundleIdentifier; a null value removes a key.
    ///   - code: where its code comes from.
    /// - Throws: why it cannot be written or compiled.
    public init(_ name: String, info: [String: any Sendable] = [:], code: Code) throws {
        let folder = Workspace.temporary.appending(path: "bundles/\(UUID().uuidString)")
        self.name = name
        url = folder.appending(path: "\(name).bundle")
        try FileManager.default.createDirectory(
            at: url.appending(path: "Contents/Linux"), withIntermediateDirectories: true)
        try write(info: info)
        try install(code)
    }

    /// Writes its Info.plist.
    public func write(info: [String: any Sendable]) throws {
        var keys: [String: Any] = ["NSExecutable": name, "CFBundleIdentifier": "org.example.\(name)"]
        for (key, value) in info {
            if value is NSNull { keys.removeValue(forKey: key) } else { keys[key] = value }
        }
        try PropertyListSerialization.data(fromPropertyList: keys, format: .xml, options: 0).write(to: infoList)
    }

    /// Replaces the executable by renaming the new code over it.
    public func install(_ code: Code) throws {
        guard let built = try Compiler.build(code, module: name) else { return }
        let beside = executable.appendingPathExtension("new")
        try? FileManager.default.removeItem(at: beside)
        try FileManager.default.copyItem(at: built, to: beside)
        guard rename(beside.path, executable.path) == 0 else {
            throw Tool.Failure(description: "rename to \(executable.path) failed: \(String(cString: strerror(errno)))")
        }
    }
}
