import BundleReading
import DependencyResolution
package import HostBasics
package import HostRecords
internal import PropertyLists

/// The inputs of the verdicts, apart from the bundles.
package struct CatalogRules: Sendable, Equatable {
    /// `HostEnvironment.version`; if it is empty because the application set none, requirements on it are not checked.
    package var hostVersion = ""
    /// `HostEnvironment.capabilities`.
    package var capabilities: Set<String> = []
    /// The identifiers that the user has disabled.
    package var disabled: Set<String> = []
    /// The identifiers that the user has enabled, although their plug-ins are disabled by default.
    package var enabled: Set<String> = []
    /// By an older identifier, the one that took over what belonged to it.
    package var replaced: [String: String] = [:]

    /// The plug-ins in quarantine.
    package var quarantined: [Quarantine.Entry] = []
    /// Which plug-ins this start leaves out.
    package var safeStart = SafeStart.normal
    /// The application's name, for remedies.
    package var application: String?

    package init(hostVersion: String = "") { self.hostVersion = hostVersion }

    /// The text that the index stores.
    ///
    /// Equal rules have equal texts.
    package var description: String {
        ([hostVersion] + capabilities.sorted() + disabled.sorted().map { Self.disabledMark + $0 }
            + enabled.sorted().map { Self.enabledMark + $0 }
            + replaced.sorted { $0.key < $1.key }.map { Self.replacedMark + $0.key + "\n" + $0.value }
            + quarantined.map { "\(Self.quarantineMark)\($0.identifier)\n\($0.bundlePath ?? "")\n\($0.reason)" }
            + safeStart.names.map { Self.safeStartMark + $0 })
            .joined(separator: "\n")
    }

    /// The prefix of an identifier that is disabled.
    ///
    /// No capability begins with it.
    package static let disabledMark = "\u{0}"
    /// The prefix of an identifier that is enabled.
    private static let enabledMark = "\u{3}"
    /// The prefix of an identifier that was taken over, and of the one that took it over.
    private static let replacedMark = "\u{4}"
    /// The prefix of a plug-in that is in quarantine.
    private static let quarantineMark = "\u{1}"
    /// The prefix of a name that a safe start leaves out.
    private static let safeStartMark = "\u{2}"

    /// The finding for a candidate that the user has disabled, perhaps under an older identifier.
    package func disabledFinding(_ identifier: String, as old: String, list: String) -> PluginFinding {
        // Enabling one plug-in has no effect while all are disabled.
        let all = UserChoices.everyPlugin
        let isOfEveryPlugin = disabled.contains(all)
        return PluginFinding(
            .warning, .disabledByUser, filePath: list, subject: identifier,
            message: isOfEveryPlugin
                ? "Every plug-in is disabled: the list of the user's choices has “\(all)”, or is damaged."
                : "The user has disabled \(quoted(old))" + (old == identifier ? "." : ", which it replaces."),
            remedy: enabling(isOfEveryPlugin ? "'\(all)'" : identifier))
    }

    /// The finding for a candidate that waits until the user enables it; nil for any other.
    ///
    /// `former`: the older identifiers that it claims.
    package func waitingFinding(_ record: PluginRecord, _ former: [String], list: String) -> PluginFinding? {
        if record.isEnabledByDefault || enabled.contains(record.identifier) { return nil }
        if former.contains(where: { enabled.contains($0) && hasTakenOver($0, record.identifier) }) { return nil }
        return PluginFinding(
            .warning, .disabledByUser, filePath: list, subject: record.identifier,
            message: "\(quoted(record.identifier)) is not enabled yet: its Info.plist leaves that to the user.",
            remedy: enabling(record.identifier))
    }

    /// Why a plug-in is not used although the bundle has no fault: it is in quarantine, or a safe start leaves it out.
    ///
    /// `path`: the bundle's directory, with links resolved. `isFormer`: whether the identifier is an older one, whose
    /// entries hold for other code too: a new name is not a new build.
    package func refusal(of identifier: String, at path: String, isFormer: Bool = false) -> (
        VerdictCode, PluginFinding
    )? {
        let entry = quarantined.first {
            isFormer ? $0.identifier == identifier : $0.holds(for: identifier, at: path)
        }
        if let entry {
            return (.quarantined, entry.finding(at: path, application: application))
        }
        guard safeStart.leavesOut(identifier) else { return nil }
        let finding = PluginFinding(
            .warning, .leftOutBySafeStart, filePath: path, subject: identifier,
            message: "This start leaves \(quoted(identifier)) out, because the application crashed before.",
            remedy: "Start the application again to use it.")
        return (.leftOut, finding)
    }

    /// Whether what belonged to an older identifier has gone over to another, by as many entries as replacements may
    /// have steps.
    package func hasTakenOver(_ old: String, _ identifier: String) -> Bool {
        var place = old
        for _ in 0..<Replacements.mostSteps {
            guard let next = replaced[place] else { return false }
            if next == identifier { return true }
            place = next
        }
        return false
    }

    /// The identifier under which the user has disabled a plug-in: its own, or an older one; nil if it is not disabled.
    ///
    /// A choice about its own identifier decides. No entry is needed for an older one, because it only forbids.
    package func disabledIdentifier(of identifier: String, formerly former: [String]) -> String? {
        if disabled.isEmpty { return nil }
        if disables(identifier) { return identifier }
        return enabled.contains(identifier) ? nil : former.first { disabled.contains($0) }
    }

    /// Whether the user has disabled a plug-in.
    package func disables(_ identifier: String) -> Bool {
        !disabled.isEmpty && (disabled.contains(identifier) || disabled.contains(UserChoices.everyPlugin))
    }

    /// Whether the verdict about a bundle depends on the content of its code files, because it may be a copy of a
    /// bundle in quarantine.
    package func dependsOnFiles(of identifier: String, at path: String) -> Bool {
        quarantined.contains { $0.depends(onFilesOf: identifier, at: path) }
    }

    package func enabling(_ identifier: String) -> String {
        "Enable it in the application, or by: pluginhost enable \(identifier) --application \(application ?? "NAME")"
    }

    /// Why this host cannot use a bundle.
    package func findings(_ record: PluginRecord, list: String) -> [PluginFinding] {
        var findings: [PluginFinding] = []
        if let range = record.hostRequires, !hostVersion.isEmpty {
            if !(PluginVersion(hostVersion).map(range.contains) ?? false) {
                findings.append(
                    PluginFinding(
                        .hostIncompatible, filePath: list, subject: "PHHostRequires",
                        message:
                            "It requires version \(quoted(range.description)) of the application; the application has "
                            + "version \(quoted(hostVersion)).",
                        remedy: "Install a version of the bundle for this application, or update the application."))
            }
        }
        let missing = Set(record.capabilities).subtracting(capabilities).sorted()
        if !missing.isEmpty {
            let names = shownList(missing.lazy.map { quoted($0) }, atMost: ReadingBudget.mostFindings)
            findings.append(
                PluginFinding(
                    .hostIncompatible, filePath: list, subject: "PHCapabilities",
                    message: "It requires capabilities that the application does not offer: \(names).",
                    remedy: "Use it in an application that offers them, or update the application."))
        }
        return findings + deviceFindings(record, list: list)
    }

    private func deviceFindings(_ record: PluginRecord, list: String) -> [PluginFinding] {
        let unmet = record.deviceCapabilities.filter { capabilities.contains($0.key) != $0.value }
        return [true, false].compactMap { isRequired in
            let names = unmet.filter { $0.value == isRequired }.keys.sorted().map { quoted($0) }
            guard !names.isEmpty else { return nil }
            let what =
                isRequired
                ? "requires capabilities that the application does not offer"
                : "excludes capabilities that the application offers"
            return PluginFinding(
                .hostIncompatible, filePath: list, subject: ManifestKey.deviceCapabilities.spelling,
                message: "It \(what): \(names.joined(separator: ", ")).",
                remedy: "Use it in an application that offers \(isRequired ? "them" : "none of them").")
        }
    }
}
