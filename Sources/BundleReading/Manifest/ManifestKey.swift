import HostBasics

/// The keys of an Info.plist that the host reads.
package enum ManifestKey: Int, CaseIterable {
    case identifier, name, displayName, version, shortVersion, packageType, developmentRegion, localizations
    case allowsMixedLocalizations, iconFile, icon, iconFiles, mainNibFile, bundleExecutable, executable, principalClass
    case factories, functions, requires, hostRequires, capabilities, deviceCapabilities, extensionPoints, uses,
        execution, permissions, limits, builtFor

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
        }
    }

    /// Whether the key affects which code is loaded, for whom, and under which names.
    var decidesAboutCode: Bool {
        switch self {
        case .identifier, .bundleExecutable, .executable, .principalClass, .factories, .functions, .requires,
            .hostRequires, .capabilities, .deviceCapabilities, .extensionPoints, .uses, .execution,
            .permissions, .limits:
            true
        case .name, .displayName, .version, .shortVersion, .packageType, .developmentRegion, .localizations,
            .allowsMixedLocalizations, .iconFile, .icon, .iconFiles, .mainNibFile, .builtFor:
            false
        }
    }

    /// The key with a spelling; nil for one that the host does not read.
    package init?(_ spelling: UnsafeBufferPointer<UInt8>) {
        let (first, second, third) = Self.candidates(length: spelling.count)
        if let first, first.isSpelled(spelling) {
            self = first
        } else if let second, second.isSpelled(spelling) {
            self = second
        } else if let third, third.isSpelled(spelling) {
            self = third
        } else {
            return nil
        }
    }

    /// The keys with a length.
    ///
    /// Most other keys of a list have a different length.
    private static func candidates(length: Int) -> (Self?, Self?, Self?) {
        switch length {
        case 6: (.icon, .uses, nil)
        case 8: (.limits, nil, nil)
        case 10: (.requires, .builtFor, nil)
        case 11: (.factories, .functions, .execution)
        case 12: (.name, .executable, nil)
        case 13: (.mainNibFile, .permissions, nil)
        case 14: (.hostRequires, .capabilities, nil)
        case 15: (.version, nil, nil)
        case 16: (.iconFile, .principalClass, nil)
        case 17: (.iconFiles, .extensionPoints, nil)
        case 18: (.identifier, .bundleExecutable, nil)
        case 19: (.displayName, .packageType, nil)
        case 21: (.localizations, nil, nil)
        case 25: (.developmentRegion, nil, nil)
        case 26: (.shortVersion, nil, nil)
        case 28: (.deviceCapabilities, nil, nil)
        case 31: (.allowsMixedLocalizations, nil, nil)
        default: (nil, nil, nil)
        }
    }

    private func isSpelled(_ other: UnsafeBufferPointer<UInt8>) -> Bool {
        UnsafeRawBufferPointer(other).holds(spelling)
    }
}
