internal import PropertyLists

/// What the verdicts depend on besides the bundles themselves.
struct CatalogRules: Sendable, Equatable {
    /// `HostEnvironment.version`; if it is empty because the application set none, requirements on it are not checked.
    var hostVersion = ""
    /// `HostEnvironment.capabilities`.
    var capabilities: Set<String> = []
    /// The identifiers that the user has disabled.
    var disabled: Set<String> = []

    /// The rules of this process.
    static func current(choices: UserChoices) -> CatalogRules {
        let host = HostEnvironment.current
        return CatalogRules(hostVersion: host.version, capabilities: host.capabilities, disabled: choices.disabled)
    }

    /// The text form that the index stores: equal rules have equal texts.
    var description: String {
        ([hostVersion] + capabilities.sorted() + disabled.sorted().map { Self.disabledMark + $0 })
            .joined(separator: "\n")
    }

    /// The prefix of an identifier that is disabled.
    ///
    /// No capability begins with it.
    static let disabledMark = "\u{0}"

    /// The finding for a candidate that the user has disabled.
    func disabledFinding(_ identifier: String, list: String) -> PluginFinding {
        PluginFinding(
            .warning, .disabledByUser, filePath: list, subject: identifier,
            message: "The user has disabled \(quoted(identifier)).", remedy: Self.enabling(identifier))
    }

    static func enabling(_ identifier: String) -> String {
        "Enable it in the application, or by: pluginhost enable \(identifier) --application NAME"
    }

    /// Why this host cannot use a bundle.
    func findings(_ record: PluginRecord, list: String) -> [PluginFinding] {
        var findings = [ExecutionRequest.finding(record.execution, list: list)].compactMap(\.self)
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
            let most = ReadingBudget.mostFindings
            var names = missing.prefix(most).map { quoted($0) }.joined(separator: ", ")
            if missing.count > most { names += " and \(missing.count - most) more" }
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
