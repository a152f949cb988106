// Public for the SPI below: it creates a manifest from a list that a tool has read.
public import HostBasics
import PluginABI
public import PropertyLists

/// A bundle's Info.plist as a typed value.
///
/// Every key that the host reads is a property; docs/bundle-format.md lists them. A key whose value has the wrong type
/// counts as absent here and is reported as a problem of the bundle, so that nothing in a file can cause a trap.
public struct Manifest: Sendable {
    /// A declaration in `PHFactories`, readable without loading the bundle.
    public struct Extension: Sendable, Hashable {
        /// The provider's or factory's name.
        public let name: String
        /// The extension point, or nil for a class or factory without one.
        public let extensionPoint: String?
        /// The version of the extension point; 1 if the list does not state it.
        public let version: UInt32
        /// The name to show to the user, not localised; nil for `name`.
        public let displayName: String?
        /// The position where the application lists several extensions, lowest first; 0 if the list does not state it.
        public let order: Int

        package init(name: String, extensionPoint: String?, version: UInt32, displayName: String?, order: Int) {
            self.name = name
            self.extensionPoint = extensionPoint
            self.version = version
            self.displayName = displayName
            self.order = order
        }
    }

    /// An extension point that a bundle opens to other bundles, in `PHExtensionPoints`.
    public struct Point: Sendable, Hashable {
        /// The extension point's name.
        public let name: String
        /// The version of its interface; 1 if the list does not state it.
        public let version: UInt32
        /// The name to show to the user, not localised; nil for `name`.
        public let displayName: String?

        package init(name: String, version: UInt32, displayName: String?) {
            self.name = name
            self.version = version
            self.displayName = displayName
        }
    }

    /// `CFBundleIdentifier`.
    public let identifier: String?
    /// `CFBundleName`.
    public let name: String?
    /// `CFBundleDisplayName`.
    public let displayName: String?
    /// `CFBundleVersion`, the build number.
    public let version: String?
    /// `CFBundleShortVersionString`, the version shown to users.
    public let shortVersion: String?
    /// `CFBundlePackageType`: `BNDL`, `APPL`, `FMWK`.
    public let packageType: String?
    /// `CFBundleDevelopmentRegion`, the language in which the bundle was written.
    public let developmentRegion: String?
    /// `CFBundleLocalizations`, languages in addition to those with an `.lproj` directory.
    public let localizations: [String]
    /// `CFBundleAllowMixedLocalizations`.
    public let allowsMixedLocalizations: Bool
    /// `CFBundleIconFile`, otherwise `NSIcon`.
    public let iconFile: String?
    /// `CFBundleIconFiles`, the files of an icon that has several.
    public let iconFiles: [String]
    /// `NSMainNibFile`.
    public let mainNibFile: String?
    /// `NSExecutable`, otherwise `CFBundleExecutable`; a value with an unexpanded `${…}` is ignored.
    public let executable: String?
    /// `NSPrincipalClass`.
    public let principalClass: String?
    /// `PHFactories`.
    public let extensions: [Extension]
    /// Whether the list has the key `PHFactories`, even if it is empty: then the code must match it.
    package let declaresExtensions: Bool
    /// `PHFunctions`: C functions by name, with their signatures.
    public let functions: [String: String]
    /// `PHRequires`: version ranges of other bundles, by their identifiers.
    public let requires: [String: VersionRange]
    /// `PHHostRequires`: the range that must contain the host's version.
    public let hostRequires: VersionRange?
    /// `PHCapabilities`: what the host must offer, under names that the application chooses.
    public let capabilities: [String]
    /// `UIRequiredDeviceCapabilities`: true for what the host must offer and false for what it must not offer, by name.
    ///
    /// In Info.plist, the value may also be an array of required names.
    public let deviceCapabilities: [String: Bool]
    /// `PHExtensionPoints`: the extension points that the bundle opens to other bundles.
    public let extensionPoints: [Point]
    /// `PHUses`: the services that the code requests, as extension points with their versions.
    public let uses: [String: UInt32]
    /// `PHExecution`: where the bundle's code may run: `any`, `in-process`, `isolated` or `sandboxed`; nil for `any`.
    ///
    /// A bundle with another value is not loaded.
    public var execution: String? { executionRequest?.rawValue }
    package let executionRequest: ExecutionRequest?
    /// `PHPermissions`: the access that the code requests when it is sandboxed.
    public var permissions: PluginPermissions { workerRequest?.permissions ?? PluginPermissions() }
    /// `PHLimits`: the resources that its worker process requests; the defaults for items that the list omits.
    public var limits: WorkerLimits { workerRequest?.limits ?? WorkerLimits() }
    /// Nil if the list has neither `PHPermissions` nor `PHLimits`.
    package let workerRequest: WorkerRequest?
    /// `PHBuiltFor`: the plug-in `ABI`, and for Swift the `Toolchain`.
    ///
    /// The packer reads them from the executable's note.
    public let builtFor: [String: String]
    /// Whether the list has `PHInterfaces`: see ``compiledInterfaces()``.
    package let hasInterfaces: Bool
    /// `PHEnabledByDefault`: whether the plug-in is used before the user has enabled it; true if the list does not say.
    public let isEnabledByDefault: Bool
    /// `PHOptionalRequires`: version ranges of bundles that are loaded before this one if they can be used.
    public let optionalRequires: [String: VersionRange]
    /// `PHConflicts`: version ranges of bundles with which this one is never used together.
    public let conflicts: [String: VersionRange]
    /// `PHReplaces`: the older identifiers of this plug-in.
    public let replaces: [String]
    /// `CFBundleDocumentTypes` and `NSExtensions`: the types of documents that the bundle opens.
    public let documentTypes: [DocumentType]
    /// `UTExportedTypeDeclarations`, then `UTImportedTypeDeclarations`: the types that the bundle declares.
    public let typeDeclarations: [TypeDeclaration]
    /// The keys for people, not translated and of any length.
    package let metadata: PluginMetadata

    let list: InfoList
    /// The problems of the list, each naming its key.
    ///
    /// Warnings, for example about duplicate keys, do not prevent a load.
    @_spi(Tools) public let findings: [PluginFinding]
    /// The keys of names and versions with unusable values: a warning for a host, and an error for the author.
    @_spi(Tools) public let ignoredKeys: [String]
    /// The findings that prevent a load.
    package var errors: [PluginFinding] { findings.filter { $0.severity == .error } }

    /// The manifest of a bundle without an Info.plist.
    package static let empty = Manifest(dictionary: [:], path: nil)

    /// Creates a manifest from a list.
    ///
    /// - Parameters:
    ///   - dictionary: the values of the list for this platform.
    ///   - path: the list's path, for the findings.
    ///   - duplicates: the keys that the list contains more than once.
    @_spi(Tools) public init(
        dictionary: [String: PropertyList], path: String?, duplicates: DuplicateKeys = DuplicateKeys()
    ) {
        self.init(ManifestValues(dictionary), path: path, InfoList(dictionary), duplicates)
    }

    /// The manifest of a list in the usual form, read without creating a dictionary.
    ///
    /// - Returns: nil for a list that must be read by ``PropertyListReader`` and ``PlatformKeys``.
    package init?(recognizing text: ListText, path: String?) {
        var places = ManifestPlaces()
        guard places.recognize(text) else { return nil }
        // A list with duplicate keys is never recognised.
        self.init(
            ManifestValues(text, at: places), path: path, InfoList(text, interfaces: places[.interfaces]),
            DuplicateKeys())
    }

    private init(_ values: ManifestValues, path: String?, _ list: InfoList, _ duplicates: DuplicateKeys) {
        var decoder = ManifestDecoder(path: path)
        if !duplicates.isEmpty { decoder.note(duplicates) }
        identifier = decoder.identifier(values[.identifier])
        name = decoder.shownName(values[.name])
        displayName = decoder.shownName(values[.displayName])
        version = decoder.shownVersion(values[.version])
        shortVersion = decoder.shownVersion(values[.shortVersion])
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
        executionRequest = decoder.execution(values[.execution])
        workerRequest = decoder.workerRequest(values[.permissions], values[.limits])
        builtFor = decoder.stringsByName(values[.builtFor])
        hasInterfaces = values.has(.interfaces)
        isEnabledByDefault = values.has(.enabledByDefault) ? decoder.boolean(values[.enabledByDefault]) : true
        optionalRequires = decoder.rangesByName(values[.optionalRequires])
        conflicts = decoder.rangesByName(values[.conflicts])
        replaces = decoder.strings(values[.replaces])
        documentTypes = decoder.documentTypes(in: values)
        typeDeclarations = decoder.typeDeclarations(in: values)
        metadata = decoder.metadata(in: values)
        self.list = list
        findings = decoder.findings
        ignoredKeys = decoder.ignoredKeys
    }

    /// All values of the list; created at the first use.
    package var dictionary: [String: PropertyList] { list.dictionary }

    /// The keys that begin with `PH` and that this version does not know; only a checker reports them.
    public var unknownKeys: [String] {
        dictionary.keys.filter { $0.hasPrefix("PH") && !Self.ownKeys.contains($0) && knownKey(meantBy: $0) == nil }
            .sorted()
    }

    /// The keys that neither begin with `PH` nor are known, sorted; only a checker looks at them.
    @_spi(Tools) public var foreignKeys: [String] {
        dictionary.keys.filter {
            !$0.hasPrefix("PH") && !Self.ownKeys.contains($0) && !$0.contains("-") && knownKey(meantBy: $0) == nil
        }.sorted()
    }

    /// The keys that this version would know without the blanks around them, sorted.
    @_spi(Tools) public var keysWithBlanks: [String] {
        dictionary.keys.filter { knownKey(meantBy: $0) != nil }.sorted()
    }

    /// The known key that an author meant by one with blanks around it.
    private func knownKey(meantBy key: String) -> String? {
        guard let name = NameRules.withoutBlanks(key) else { return nil }
        let base =
            name.hasSuffix("-\(PlatformKeys.own)") ? String(name.dropLast(PlatformKeys.own.utf8.count + 1)) : name
        return Self.ownKeys.contains(base) ? name : nil
    }

    package static let ownKeys = Set(ManifestKey.allCases.map(\.spelling))
}
