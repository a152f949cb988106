import HostBasics

/// The keys of an Info.plist that the host reads.
package enum ManifestKey: Int, CaseIterable {
    case identifier, name, displayName, version, shortVersion, packageType, developmentRegion, localizations
    case allowsMixedLocalizations, iconFile, icon, iconFiles, mainNibFile, bundleExecutable, executable, principalClass
    case factories, functions, requires, hostRequires, capabilities, deviceCapabilities, extensionPoints, uses,
        execution, permissions, limits, builtFor, interfaces
    case shortDescription, authors, copyright, license, website, bugs, category, keywords
    case documentTypes, exportedTypes, importedTypes, handledExtensions
    case enabledByDefault, optionalRequires, conflicts, replaces

    /// The key as spelled in the list.
    package var spelling: String {
        switch self {
        case .identifier: "CFBundleIdentifier"
        case .name: "CFBundleName"
        case .displayName: "CFBundleDisplayName"
        case .version: "CFBundleVersion"
        case .shortVersion: "CFBundleShortVersionString"
        case .packageType: "CFBundlePackageType"
        case .developmentRegion: "CFBundleDevelopmentRegion"
        case .localizations: "CFBundleLocalizations"
        case .allowsMixedLocalizations: "CFBundleAllowMixedLocalizations"
        case .iconFile: "CFBundleIconFile"
        case .icon: "NSIcon"
        case .iconFiles: "CFBundleIconFiles"
        case .mainNibFile: "NSMainNibFile"
        case .bundleExecutable: "CFBundleExecutable"
        case .executable: "NSExecutable"
        case .principalClass: "NSPrincipalClass"
        case .factories: "PHFactories"
        case .functions: "PHFunctions"
        case .requires: "PHRequires"
        case .hostRequires: "PHHostRequires"
        case .capabilities: "PHCapabilities"
        case .deviceCapabilities: "UIRequiredDeviceCapabilities"
        case .extensionPoints: "PHExtensionPoints"
        case .uses: "PHUses"
        case .execution: "PHExecution"
        case .permissions: "PHPermissions"
        case .limits: "PHLimits"
        case .builtFor: "PHBuiltFor"
        case .interfaces: "PHInterfaces"
        case .shortDescription: "PHDescription"
        case .authors: "PHAuthors"
        case .copyright: "NSHumanReadableCopyright"
        case .license: "PHLicense"
        case .website: "PHWebsite"
        case .bugs: "PHBugs"
        case .category: "LSApplicationCategoryType"
        case .keywords: "PHKeywords"
        case .documentTypes: "CFBundleDocumentTypes"
        case .exportedTypes: "UTExportedTypeDeclarations"
        case .importedTypes: "UTImportedTypeDeclarations"
        case .handledExtensions: "NSExtensions"
        case .enabledByDefault: "PHEnabledByDefault"
        case .optionalRequires: "PHOptionalRequires"
        case .conflicts: "PHConflicts"
        case .replaces: "PHReplaces"
        }
    }

    /// Whether the key affects which code is loaded, for whom, and under which names.
    var decidesAboutCode: Bool {
        switch self {
        case .identifier, .bundleExecutable, .executable, .principalClass, .factories, .functions, .requires,
            .hostRequires, .capabilities, .deviceCapabilities, .extensionPoints, .uses, .execution,
            .permissions, .limits, .enabledByDefault, .optionalRequires, .conflicts, .replaces:
            true
        case .name, .displayName, .version, .shortVersion, .packageType, .developmentRegion, .localizations,
            .allowsMixedLocalizations, .iconFile, .icon, .iconFiles, .mainNibFile, .builtFor, .interfaces,
            .shortDescription, .authors, .copyright, .license, .website, .bugs, .category, .keywords, .documentTypes,
            .exportedTypes,
            .importedTypes, .handledExtensions:
            false
        }
    }

    /// The key with a spelling; nil for one that the host does not read.
    ///
    /// Most other keys of a list have a length that none of these has.
    package init?(_ spelling: UnsafeBufferPointer<UInt8>) {
        let key: Self? =
            switch spelling.count {
            case 6: Self.first(spelling, .icon, .uses, .bugs)
            case 8: Self.first(spelling, .limits)
            case 9: Self.first(spelling, .authors, .license, .website)
            case 10: Self.first(spelling, .requires, .builtFor, .keywords, .replaces)
            case 11: Self.first(spelling, .factories, .functions, .execution, .conflicts)
            case 12: Self.first(spelling, .name, .executable, .handledExtensions, .interfaces)
            case 13: Self.first(spelling, .mainNibFile, .permissions, .shortDescription)
            case 14: Self.first(spelling, .hostRequires, .capabilities)
            case 15: Self.first(spelling, .version)
            case 16: Self.first(spelling, .iconFile, .principalClass)
            case 17: Self.first(spelling, .iconFiles, .extensionPoints)
            case 18: Self.first(spelling, .identifier, .bundleExecutable, .enabledByDefault, .optionalRequires)
            case 19: Self.first(spelling, .displayName, .packageType)
            case 21: Self.first(spelling, .localizations, .documentTypes)
            case 24: Self.first(spelling, .copyright)
            case 25: Self.first(spelling, .developmentRegion, .category)
            case 26: Self.first(spelling, .shortVersion, .exportedTypes, .importedTypes)
            case 28: Self.first(spelling, .deviceCapabilities)
            case 31: Self.first(spelling, .allowsMixedLocalizations)
            default: nil
            }
        guard let key else { return nil }
        self = key
    }

    /// The first of the keys that has a spelling.
    private static func first(
        _ spelling: UnsafeBufferPointer<UInt8>, _ first: Self, _ second: Self? = nil, _ third: Self? = nil,
        _ fourth: Self? = nil
    ) -> Self? {
        if first.isSpelled(spelling) { return first }
        if let second, second.isSpelled(spelling) { return second }
        if let third, third.isSpelled(spelling) { return third }
        if let fourth, fourth.isSpelled(spelling) { return fourth }
        return nil
    }

    private func isSpelled(_ other: UnsafeBufferPointer<UInt8>) -> Bool {
        UnsafeRawBufferPointer(other).holds(spelling)
    }
}
