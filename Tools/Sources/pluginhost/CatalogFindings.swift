import HostBasics
@_spi(Tools) import PluginHost

extension PluginError.Code {
    /// A bundle with code whose Info.plist declares nothing, or whose code registers nothing.
    ///
    /// A warning.
    static let nothingOffered = Self(rawValue: "nothingOffered")
    /// An extension point that no other plug-in knows, with a name similar to one that other plug-ins know.
    ///
    /// A warning.
    static let extensionPointUnknown = Self(rawValue: "extensionPointUnknown")
    /// Extensions for other versions of an extension point than the application asks for.
    ///
    /// A warning.
    static let extensionPointVersion = Self(rawValue: "extensionPointVersion")
}

extension PluginBundle {
    /// Warnings about the loaded code: what it registered that no catalogue lists, or that it registered nothing
    /// useful.
    ///
    /// These are only warnings, because an application may load bundles without a catalogue.
    var registrationFindings: [PluginFinding] {
        let registrations = self.registrations
        if registrations.isEmpty, principalClass == nil, manifest.functions.isEmpty {
            return [
                PluginFinding(
                    .warning, .nothingOffered, filePath: executablePath,
                    message: "The code registered nothing that an application can use.",
                    remedy: "Register a class, a provider, a factory or a function in plugin_entry.")
            ]
        }
        let unlisted = registrations.filter { isListed($0) == false }
        guard let first = unlisted.first else { return [] }
        let shown = unlisted.lazy.map { registration in
            let point = registration.extensionPoint ?? ""
            return "“\(registration.name.escapedForTerminal)” at “\(point.escapedForTerminal)” "
                + "\(registration.extensionVersion ?? 1)"
        }
        return [
            PluginFinding(
                .warning, .undeclaredRegistration, filePath: manifestPath, subject: first.name,
                message: """
                    No catalogue lists these registrations of the code, because Info.plist does not declare them: \
                    \(shownList(shown, atMost: 10)).
                    """,
                remedy: "Declare each in PHFactories of Info.plist with its name, extensionPoint and version.")
        ]
    }

    /// Whether a catalogue lists the registration; nil without an extension point.
    func isListed(_ registration: Registration) -> Bool? {
        guard let point = registration.extensionPoint, let version = registration.extensionVersion else { return nil }
        return manifest.extensions.contains { declared in
            declared.name == registration.name && declared.extensionPoint == point && declared.version == version
        }
    }

    /// The warning that Info.plist declares nothing, for a bundle with code; otherwise nil.
    var declarationFinding: PluginFinding? {
        guard manifest.extensions.isEmpty, manifest.functions.isEmpty, manifest.extensionPoints.isEmpty,
            manifest.principalClass == nil, manifest.executable != nil || executablePath != nil
        else { return nil }
        return PluginFinding(
            .warning, .nothingOffered, filePath: manifestPath, subject: "PHFactories",
            message: """
                Its Info.plist declares nothing that an application could find: it has no PHFactories, PHFunctions or \
                NSPrincipalClass.
                """,
            remedy: """
                Run “pluginhost load” to see what the code registers, and declare in PHFactories what is at an extension point.
                """)
    }
}

extension RecordedApplication {
    /// Warnings about extensions that the application did not get in its last run, because it asks for other versions
    /// of their extension points.
    func versionFindings(about plugin: PluginDescription) -> [PluginFinding] {
        var declared: [String: Set<UInt32>] = [:]
        for declaration in plugin.extensions {
            guard let point = declaration.extensionPoint else { continue }
            declared[point, default: []].insert(declaration.version)
        }
        return declared.sorted { $0.key < $1.key }.compactMap { point, versions in
            let wanted = requestedVersions(of: point)
            guard !wanted.isEmpty, versions.isDisjoint(with: wanted) else { return nil }
            let list = versions.sorted().map(String.init).joined(separator: ", ")
            return PluginFinding(
                .warning, .extensionPointVersion, filePath: plugin.bundlePath, subject: point,
                message: """
                    Its extensions at “\(point.escapedForTerminal)” are for version \(list) of the extension point, and the application \
                    asks for version \(wanted.map(String.init).joined(separator: ", ")), so it does not get them.
                    """,
                remedy: """
                    Install a version of the plug-in for this application, or update the application. The plug-in's author: adapt \
                    the code, and write the new “version” into each of these entries of PHFactories in Info.plist.
                    """)
        }
    }
}

/// The extension points that the plug-ins of a catalogue know.
struct KnownPoints {
    /// The identifiers of the plug-ins that offer something at each.
    private var offeredBy: [String: Set<String>] = [:]
    /// The points that a plug-in opens to others, or uses.
    private var wanted: Set<String> = []
    /// The points that more than one plug-in knows, in order.
    private var known: [String] = []
    private let budget = Budget()

    /// The limit on the comparisons for all plug-ins together.
    private final class Budget {
        var suggestions = NameSuggestions()
    }

    init(_ catalog: PluginCatalog) {
        for plugin in catalog.plugins {
            for point in plugin.extensions.compactMap(\.extensionPoint) {
                offeredBy[point, default: []].insert(plugin.identifier)
            }
            wanted.formUnion(plugin.extensionPoints.map(\.name))
            wanted.formUnion(plugin.uses.keys)
        }
        known = wanted.union(offeredBy.keys).filter(isKnown).sorted()
    }

    /// The extension points of a plug-in that are probably misspelt: no other plug-in knows them, and several plug-ins
    /// know one that differs in one character.
    func findings(about manifest: Manifest, list: String) -> [PluginFinding] {
        Set(manifest.extensions.compactMap(\.extensionPoint)).sorted().compactMap { point in
            guard !isKnown(point),
                let other = budget.suggestions.names(near: point, among: known, atMost: 2, most: known.count)
                    .first(where: { $0.isSlip(of: point) })
            else { return nil }
            return PluginFinding(
                .warning, .extensionPointUnknown, filePath: list, subject: point,
                message: """
                    No other plug-in offers or uses anything at the extension point “\(point.escapedForTerminal)”; others do \
                    at “\(other.escapedForTerminal)”, which is spelled nearly the same.
                    """,
                remedy: "If it is misspelt, correct it in PHFactories of Info.plist and in the code.")
        }
    }

    private func isKnown(_ point: String) -> Bool {
        wanted.contains(point) || offeredBy[point, default: []].count > 1
    }
}

extension String {
    /// Whether one change turns this text into the other: a character changed, added or left out, or two characters
    /// exchanged.
    fileprivate func isSlip(of other: String) -> Bool {
        switch editDistance(to: other, atMost: 2) {
        case 1: true
        case 2: sorted() == other.sorted()
        default: false
        }
    }
}
