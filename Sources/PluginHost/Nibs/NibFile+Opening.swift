import BundleReading
import HostBasics
import NibReading
@_spi(PluginHost) internal import PluginABI
import Synchronization

extension NibFile {
    private static let types = ["nib", "xib"]
    static let tableTypes = ["strings", "stringsdict"]

    /// Finds and reads a nib of a bundle by its name.
    ///
    /// - Throws: ``PluginError`` of code `nibMissing`, `nibUnreadable` or `nibUnsupported`.
    static func named(_ name: String, in bundle: PluginBundle) throws(PluginError) -> NibFile {
        let type = types.first { name.hasSuffix("." + $0) }
        let stem = type.map { String(name.dropLast($0.count + 1)) } ?? name
        let wanted = type.map { [$0] } ?? types
        let generation = HostEnvironment.resourceGeneration.load(ordering: .acquiring)
        // One search finds both the nib and the tables of its name.
        let found =
            stem.isEmpty ? [] : bundle.resources.places(of: stem, types: wanted + tableTypes, most: .max)
        guard let path = found.firstNonNil({ $0.prefix(wanted.count).firstNonNil { $0 } }) else {
            throw missing(name, in: bundle)
        }
        let plain = Path.lastComponent(stem)
        let hasTable = found.contains { $0.dropFirst(wanted.count).contains { $0 != nil } }
        return try at(path, name: plain, in: bundle, knownTable: plain == stem ? (generation, hasTable) : nil)
    }

    /// Reads the nib at a path.
    static func at(_ path: String, in bundle: PluginBundle) throws(PluginError) -> NibFile {
        try at(path, name: genericName(ofPath: path), in: bundle)
    }

    private static func at(
        _ path: String, name: String, in bundle: PluginBundle, knownTable: (generation: Int, exists: Bool)? = nil
    ) throws(PluginError) -> NibFile {
        let language = bundle.resources.language(ofResourceAt: path)
        let isOfOneLanguage = language != nil && language != "Base"
        return try NibFile(
            NibDocument.bytes(
                atPath: path, bundlePath: bundle.bundlePath, limits: HostEnvironment.current.nibLimits),
            name: name, path: path, bundle: bundle,
            isTranslated: !isOfOneLanguage, knownTable: knownTable)
    }

    /// The name of a file without its extension and the markers of its variant.
    private static func genericName(ofPath path: String) -> String {
        var stem = Path.stem(path)
        let marks = VariantMarks(path: path)
        if marks.scale > 1 { stem = String(stem.dropLast(3)) }
        if let device = marks.device { stem = String(stem.dropLast(device.count + 1)) }
        return stem.hasSuffix(NameMark.platform) ? String(stem.dropLast(NameMark.platform.count)) : stem
    }

    private static func missing(_ name: String, in bundle: PluginBundle) -> PluginError {
        let places = bundle.resources.searchedDirectories.prefix(12).map { quoted($0) }.joined(separator: ", ")
        return PluginError(
            bundlePath: bundle.bundlePath,
            PluginFinding(
                .nibMissing, subject: name,
                message: "The bundle has no nib \(quoted(name)). It was looked for in \(places).",
                remedy:
                    "Add \(quoted(name + (name.hasSuffix(".xib") || name.hasSuffix(".nib") ? "" : ".xib"))) to the resources, or correct the name."
            ))
    }
}
