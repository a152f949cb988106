public import HostBasics
public import NibReading
internal import PluginHost

/// The texts of a nib that strings tables translate.
///
/// It also recognises the table keys that belong to the nib's objects.
///
/// **Threads.** A value.
@_spi(Tools) public struct NibTexts: Sendable {
    /// The name of the nib's table: the nib's name without extension and variant.
    @_spi(Tools) public let name: String
    /// The texts, in the order of the file.
    @_spi(Tools) public let texts: [NibInspection.Text]
    /// A warning for each text that no table can translate, because its key would be too long.
    @_spi(Tools) public let findings: [PluginFinding]
    /// The nib, and its other variants, which have the same table.
    private let variants: [NibInspection]

    /// Reads a nib.
    ///
    /// The attributes that are texts are declared by NibClasses.plist of the bundle that contains the nib, and of those
    /// that it requires.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - classLists: further files in the format of NibClasses.plist. Without any list, the texts are the text
    ///     attributes of the classes of AppKit and UIKit.
    /// - Throws: ``PluginError`` for a nib that cannot be read; ``LintFinding`` for a list that cannot be read.
    @_spi(Tools) public init(nib path: String, classLists: [String]) throws {
        let path = Path.normalized(path) ?? path
        let limits = HostEnvironment.current.nibLimits
        let nib = try NibInspection(path: path, limits: limits)
        let lists = NibClassLists(of: Self.bundle(containing: path), files: classLists, plugins: [])
        // A missing class is not an error here: a superclass may be the application's.
        let missing = LintFinding.Code(rawValue: PluginError.Code.nibClassMissing.rawValue)
        if let finding = lists.findings.first(where: { $0.code != missing }) { throw finding }
        let folder = Path.parent(path)
        let own = Path.lastComponent(path)
        let name = BundledNib.name(ofFile: own)
        let others = DirectoryListing(path: folder).names.keys.filter { other in
            other != own && BundledNib.isNib(other) && BundledNib.name(ofFile: other) == name
        }
        self.name = name
        let read = try nib.texts(classes: lists.classes)
        (texts, findings) = (read.texts, read.findings)
        variants = [nib] + (try others.map { try NibInspection(path: Path.join(folder, $0), limits: limits) })
    }

    /// Whether a key of the table belongs to an object that no variant of the nib has.
    @_spi(Tools) public func isStale(_ key: String) -> Bool {
        key.contains(".") && !variants.contains { $0.hasObject(ofKey: key) }
    }

    /// How many directories above a nib may be its bundle.
    ///
    /// The language, the resources and a framework's version each have one.
    private static let mostLevels = 6

    /// The nearest bundle with an Info.plist that has a nib among its resources; nil if there is none.
    private static func bundle(containing path: String) -> PluginBundle? {
        // A bundle's paths have their links resolved.
        let path = Path.resolved(path) ?? path
        var folder = path
        for _ in 0..<mostLevels {
            folder = Path.parent(folder)
            // The Info.plist in Contents belongs to the bundle above.
            let root = Path.lastComponent(folder) == "Contents" ? Path.parent(folder) : folder
            guard let bundle = try? PluginBundle.open(path: root), bundle.manifest.identifier != nil else { continue }
            return bundle.resourcePath.map { Path.part(of: path, in: $0) != nil } ?? false ? bundle : nil
        }
        return nil
    }
}

extension LintFinding {
    /// The host's finding about a nib that it refuses.
    ///
    /// The file may be anything, so its line is not shown.
    @_spi(Tools) public init(_ finding: PluginFinding, about path: String) {
        self = NibLines(path: path, bytes: []).finding(finding)
    }
}
