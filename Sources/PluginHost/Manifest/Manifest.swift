// Public for the SPI below: it reads a list that a tool has read.
public import PropertyLists

/// A bundle's Info.plist as a typed value.
///
/// Every key that the host reads is a property; docs/bundle-format.md lists them. A key whose value has the wrong type
/// reads as absent here and stands in the bundle's problems, so that nothing in a file can trap.
public struct Manifest: Sendable {
    /// What a bundle says in `PHFactories` that it offers, readable without loading it.
    public struct Extension: Sendable, Hashable {
        /// The provider's or factory's name.
        public let name: String
        /// The extension point, or nil for a class or factory without one.
        public let extensionPoint: String?
        /// The version of the extension point; 1 where the list does not say.
        public let version: UInt32
        /// What to show to the user, not localised; nil for the name.
        public let displayName: String?
        /// Lower comes first where the application lists several; 0 where the list does not say.
        public let order: Int
    }

    /// An extension point that a bundle opens to others, in `PHExtensionPoints`.
    public struct Point: Sendable, Hashable {
        /// The extension point's name.
        public let name: String
        /// The version of its interface; 1 where the list does not say.
        public let version: UInt32
        /// What to show to the user, not localised; nil for the name.
        public let displayName: String?
    }

    /// `CFBundleIdentifier`.
    public let identifier: String?
    /// `CFBundleName`.
    public let name: String?
    /// `CFBundleDisplayName`.
    public let displayName: String?
    /// `CFBundleVersion`, the build's number.
    public let version: String?
    /// `CFBundleShortVersionString`, the version shown to users.
    public let shortVersion: String?
    /// `CFBundlePackageType`: `BNDL`, `APPL`, `FMWK`.
    public let packageType: String?
    /// `CFBundleDevelopmentRegion`, the language the bundle was written in.
    public let developmentRegion: String?
    /// `CFBundleLocalizations`, languages beside those that have an `.lproj` directory.
    public let localizations: [String]
    /// `CFBundleAllowMixedLocalizations`.
    public let allowsMixedLocalizations: Bool
    /// `CFBundleIconFile`, else `NSIcon`.
    public let iconFile: String?
    /// `CFBundleIconFiles`, the icon's files where it has several.
    public let iconFiles: [String]
    /// `NSMainNibFile`.
    public let mainNibFile: String?
    /// `NSExecutable`, else `CFBundleExecutable`; a value with an unexpanded `${…}` is passed over.
    public let executable: String?
    /// `NSPrincipalClass`.
    public let principalClass: String?
    /// `PHFactories`.
    public let extensions: [Extension]
    /// Whether the list has the key `PHFactories`, be it empty: then the code is held to it.
    let declaresExtensions: Bool
    /// `PHFunctions`: C functions by name, with their signatures.
    public let functions: [String: String]
    /// `PHRequires`: version ranges of other bundles, by their identifiers.
    public let requires: [String: VersionRange]
    /// `PHHostRequires`: the range that the host's version must be in.
    public let hostRequires: VersionRange?
    /// `PHCapabilities`: what the host must offer, by names of the application's choosing.
    public let capabilities: [String]
    /// `UIRequiredDeviceCapabilities`: by the same names, true for what the host must offer and false for what it must
    /// not. The list may be an array, of names that are required.
    public let deviceCapabilities: [String: Bool]
    /// `PHExtensionPoints`: the extension points that the bundle opens to others.
    public let extensionPoints: [Point]
    /// `PHUses`: the services that the code asks for, as extension points with their versions.
    public let uses: [String: UInt32]
    /// `PHExecution`: where the bundle asks its code to run. A bundle that asks for more than this version can give, which
    /// runs all code in the application's process, is not loaded.
    public let execution: String?
    /// `PHBuiltFor`: what the packer read in the executable's note: the plug-in `ABI`, and for Swift the `Toolchain`.
    public let builtFor: [String: String]

    private let list: InfoList
    /// What is wrong with it, each finding naming its key. Warnings, of keys that stand twice, keep nothing from loading.
    @_spi(Tools) public let findings: [PluginFinding]
    /// Those that keep the bundle from loading.
    var errors: [PluginFinding] { findings.filter { $0.severity == .error } }

    /// The list of a bundle that has none.
    static let empty = Manifest(dictionary: [:], path: nil)

    /// Reads a list.
    ///
    /// - Parameters:
    ///   - dictionary: what the list says on this platform.
    ///   - path: the list's path, for the findings.
    ///   - duplicates: the keys that the list has more than once.
    @_spi(Tools) public init(
        dictionary: [String: PropertyList], path: String?, duplicates: DuplicateKeys = DuplicateKeys()
    ) {
        self.init(ManifestValues(dictionary), path: path, InfoList(dictionary), duplicates)
    }

    /// The manifest of a list in the form that nearly all have, read without making a dictionary of it.
    ///
    /// - Returns: nil for a list that is to be read by ``PropertyListReader`` and ``PlatformKeys``.
    init?(recognizing text: ListText, path: String?) {
        var places = ManifestPlaces()
        guard places.recognize(text) else { return nil }
        // A list with equal keys is never recognised.
        self.init(ManifestValues(text, at: places), path: path, InfoList(text), DuplicateKeys())
    }

    private init(_ values: ManifestValues, path: String?, _ list: InfoList, _ duplicates: DuplicateKeys) {
        var decoder = ManifestDecoder(path: path)
        if !duplicates.isEmpty { decoder.note(duplicates) }
        identifier = decoder.name(values[.identifier])
        name = decoder.string(values[.name])
        displayName = decoder.string(values[.displayName])
        version = decoder.string(values[.version])
        shortVersion = decoder.string(values[.shortVersion])
        packageType = decoder.string(values[.packageType])
        developmentRegion = decoder.string(values[.developmentRegion])
        localizations = decoder.strings(values[.localizations])
        allowsMixedLocalizations = decoder.boolean(values[.allowsMixedLocalizations])
        let icon = decoder.string(values[.icon])
        iconFile = decoder.string(values[.iconFile]) ?? icon
        iconFiles = decoder.strings(values[.iconFiles])
        mainNibFile = decoder.string(values[.mainNibFile])
        let executable = decoder.executable(values[.bundleExecutable])
        self.executable = decoder.executable(values[.executable]) ?? executable
        principalClass = decoder.name(values[.principalClass])
        extensions = decoder.extensions(in: values)
        declaresExtensions = values.has(.factories)
        functions = decoder.stringsByName(values[.functions])
        requires = decoder.rangesByName(values[.requires])
        hostRequires = decoder.range(values[.hostRequires])
        capabilities = decoder.strings(values[.capabilities])
        deviceCapabilities = decoder.flagsByName(values[.deviceCapabilities])
        extensionPoints = decoder.points(in: values)
        uses = decoder.versionsByName(values[.uses])
        execution = decoder.string(values[.execution])
        builtFor = decoder.stringsByName(values[.builtFor])
        self.list = list
        findings = decoder.findings
    }

    /// The whole list, made when it is asked for first.
    var dictionary: [String: PropertyList] { list.dictionary }

    /// The keys that begin with `PH` and that this version does not know; a checker reports them, nothing else.
    public var unknownKeys: [String] {
        dictionary.keys.filter { $0.hasPrefix("PH") && !Self.ownKeys.contains($0) }.sorted()
    }

    private static let ownKeys = Set(ManifestKey.allCases.map(\.spelling))
}
