import Fixtures
import Foundation

/// The source folder of a bundle, made for one test, and a folder for the packed bundle.
struct BundleSourceFixture {
    let url: URL
    let output: URL
    let name: String
    var path: String { url.path }
    var bundle: URL { output.appending(path: "\(name).bundle") }

    /// Creates the source of a bundle.
    ///
    /// `info`: keys in addition to the identifier and the version; NSNull removes a key. `code`: the library
    /// `lib<name>.so` beside the source; with code, the source also has a folder Sources.
    init(
        _ name: String = "Salon", info: [String: Any] = [:], files: [String: String] = [:],
        code: BundleFixture.Code = .none
    ) throws {
        let folder = Workspace.temporary.appending(path: "source-\(UUID().uuidString)")
        url = folder.appending(path: name)
        output = folder.appending(path: "out")
        self.name = name
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        var keys: [String: Any] = [
            "CFBundleIdentifier": "org.example.\(name)", "CFBundleShortVersionString": "1.0",
            "CFBundleDevelopmentRegion": "en",
        ]
        for (key, value) in info { if value is NSNull { keys[key] = nil } else { keys[key] = value } }
        try PropertyListSerialization.data(fromPropertyList: keys, format: .xml, options: 0)
            .write(to: url.appending(path: "Info.plist"))
        for (path, text) in files { try add(path, text) }
        if case .none = code { return }
        let built = try BundleFixture(name, code: code)
        try FileManager.default.createDirectory(at: url.appending(path: "Sources"), withIntermediateDirectories: true)
        try FileManager.default.copyItem(at: built.executable, to: folder.appending(path: "lib\(name).so"))
    }

    /// The folder that contains the library.
    var products: String { url.deletingLastPathComponent().path }

    func add(_ path: String, _ text: String) throws {
        let file = url.appending(path: path)
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
    }

    func pack(_ arguments: String...) throws -> Tool.Output { try PluginHostTool.run(packing(arguments)) }

    func packing(_ arguments: [String]) -> [String] {
        ["pack", "--products", products, "--output", output.path] + arguments + [path]
    }

    /// Describes every file in a folder by what could differ between two packings: kind, mode, time, link and bytes.
    static func description(of folder: URL) throws -> [String] {
        let paths = try FileManager.default.subpathsOfDirectory(atPath: folder.path).sorted()
        return try paths.map { path in
            let file = folder.appending(path: path).path
            let attributes = try FileManager.default.attributesOfItem(atPath: file)
            let type = attributes[.type] as? FileAttributeType
            let content =
                type == .typeRegular
                ? FileManager.default.contents(atPath: file)!.base64EncodedString()
                : type == .typeSymbolicLink ? try FileManager.default.destinationOfSymbolicLink(atPath: file) : ""
            let mode = String(attributes[.posixPermissions] as? Int ?? 0, radix: 8)
            let time = (attributes[.modificationDate] as? Date)?.timeIntervalSince1970 ?? 0
            return "\(path) \(type?.rawValue ?? "") \(mode) \(time) \(content)"
        }
    }
}
