import CatalogIndexing
import Glibc
import HostBasics
import TestSupport

@_spi(Tools) @testable import PluginHost

/// Search paths with bundles, and catalogues of them.
final class CatalogTree: Sendable {
    let tree: TemporaryTree

    init(_ lists: [String: String] = [:]) throws {
        tree = try TemporaryTree()
        for (name, list) in lists { try write(name, list) }
    }

    func callAsFunction(_ name: String) -> String { tree(name) }

    /// Writes the Info.plist of a bundle: `a/X.bundle`.
    func write(_ bundle: String, _ list: String) throws { try tree.write(bundle + "/Contents/Info.plist", list) }

    /// Waits until a later change of a file is sure to change its times: see FileIdentity.isSettled(at:).
    func settle() { usleep(60_000) }

    func catalog(
        _ folders: String..., validation: PluginCatalog.Validation = .bundles, index: Bool = false
    ) -> PluginCatalog {
        PluginCatalog(
            searchPaths: folders.map { tree($0) },
            options: .init(validation: validation, index: index ? .directory(tree("index")) : .none))
    }

    /// The one index file.
    var indexPath: String {
        get throws {
            let names = try BundleNames(directory: tree("index"), extensions: ["index"]).names
            guard names.count == 1 else { throw TemporaryTree.SystemError(ENOENT) }
            return tree("index/" + names[0].text)
        }
    }

    func scan(
        _ folders: String..., rules: CatalogRules = CatalogRules(), old: CatalogIndex? = nil,
        validation: PluginCatalog.Validation = .bundles
    ) -> CatalogIndex {
        CatalogScan(
            searchPaths: folders.map { tree($0) }, extensions: ["bundle"], validation: validation, rules: rules
        ).run(old: old)
    }

    /// An old-style Info.plist.
    static func list(_ identifier: String, _ version: String = "1.0", _ more: String = "") -> String {
        "{ CFBundleIdentifier = \"\(identifier)\"; CFBundleShortVersionString = \"\(version)\"; \(more) }"
    }

    /// A list of a bundle that offers something.
    static func list(_ identifier: String, offers name: String, at point: String, order: Int = 0, version: Int = 1)
        -> String
    {
        list(
            identifier, "1.0",
            "PHFactories = ({ name = \(name); extensionPoint = \"\(point)\"; order = \"\(order)\"; version = \(version); });"
        )
    }
}

/// The bytes of a file.
func fileBytes(_ path: String) throws -> [UInt8] {
    try OpenedFile(path: path).bytes(atMost: 1 << 24)
}

/// Sets the modification time, which programs can set.
func setModified(_ path: String, seconds: Int) {
    // Not utimensat(): which module declares its struct for Swift depends on what else a test imports.
    var times = utimbuf(actime: seconds, modtime: seconds)
    utime(path, &times)
}
