import ELFImages
import HostBasics
@_spi(PluginHost) internal import PluginABI

/// A registration at an extension point.
private struct Registered {
    let name: String
    let point: String
    let version: UInt32

    func isDeclared(by entry: Manifest.Extension) -> Bool {
        name == entry.name && point == entry.extensionPoint && version == entry.version
    }
}

extension PluginBundle {
    /// Compares the registrations of the entry with the declarations in Info.plist.
    func differences(of registrations: borrowing Registrations, in library: LoadedLibrary?) -> [PluginFinding] {
        extensionDifferences(of: registrations) + functionDifferences(of: registrations, in: library)
    }

    /// Compares the registrations of the entry with the declarations in `PHFactories`.
    ///
    /// - Returns: an error for each provider or factory that is not declared, and a warning for each declaration
    ///   without a registration. Empty for a bundle without the key, because it declares nothing.
    private func extensionDifferences(of registrations: borrowing Registrations) -> [PluginFinding] {
        guard manifest.declaresExtensions else { return [] }
        let declared = manifest.extensions
        let registered = registered(in: registrations)
        var findings: [PluginFinding] = []
        for one in registered where !declared.contains(where: one.isDeclared) {
            findings.append(undeclaredFinding(one))
        }
        // By index and field by field, because using a whole element copies it.
        for index in declared.indices {
            let name = declared[index].name
            let isFulfilled =
                if declared[index].extensionPoint == nil {
                    // It declares a class, a factory or a provider.
                    registrations.class(named: name) != nil || registrations.cProviders.contains { $0.name == name }
                        || registrations.providers.contains { $0.name == name }
                        || registrations.foreignNibClasses.contains { $0.name == name }
                } else {
                    // Only the declaration puts a C function at an extension point: the code registers just its name
                    // and signature.
                    registered.contains { $0.isDeclared(by: declared[index]) } || registrations.functions[name] != nil
                }
            if !isFulfilled { findings.append(unfulfilledFinding(declared[index])) }
        }
        return findings
    }

    private func registered(in registrations: borrowing Registrations) -> [Registered] {
        if registrations.providers.isEmpty, registrations.cProviders.isEmpty { return [] }
        return registrations.providers.map {
            Registered(name: $0.name, point: $0.pointName, version: $0.pointVersion)
        }
            + registrations.cProviders.lazy.filter { !$0.point.isEmpty }
            .map { Registered(name: $0.name, point: $0.point, version: $0.version) }
    }

    @inline(never)
    private func undeclaredFinding(_ one: Registered) -> PluginFinding {
        let namesake = manifest.extensions.first { $0.name == one.name }
        let other = namesake.map { entry in
            entry.extensionPoint.map { "declares it for version \(entry.version) of \(quoted($0))" }
                ?? "declares it without an extension point"
        }
        return PluginFinding(
            .undeclaredRegistration, filePath: manifestPath, subject: one.name,
            message: """
                The plug-in registered \(quoted(one.name)) for version \(one.version) of the extension point \
                \(quoted(one.point)), but PHFactories \(other ?? "does not declare it").
                """,
            remedy: namesake?.extensionPoint == one.point
                ? """
                Compile the plug-in again with the application's present API, whose extension point may have another version \
                now; then declare the version that it has.
                """
                : """
                Declare it in PHFactories of Info.plist with this name, extensionPoint and version, or correct them in the code \
                if they are misspelt there.
                """)
    }

    @inline(never)
    private func unfulfilledFinding(_ entry: Manifest.Extension) -> PluginFinding {
        let point = entry.extensionPoint
        let place = point.map { " for version \(entry.version) of the extension point \(quoted($0))" } ?? ""
        return PluginFinding(
            .warning, .unfulfilledDeclaration, filePath: manifestPath, subject: entry.name,
            message: "PHFactories declares \(quoted(entry.name))\(place), but the plug-in did not register it.",
            remedy: "Register it in plugin_entry, or remove it from PHFactories.")
    }
}
