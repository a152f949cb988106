@_spi(Tools) import HostBasics
@_spi(Tools) import PluginHost

/// Finds the entries of the administrator's lists that name no plug-in, because they are misspelt.
///
/// An entry may be there for a plug-in that will be installed later. So only those that are nearly the identifier of a
/// plug-in that was found are reported.
struct ListedIdentifiers {
    private let known: Set<String>
    /// Its limit is for all lists together.
    private var suggestions = NameSuggestions()

    /// - Parameter catalog: the plug-ins that were found, used or not.
    init(_ catalog: PluginCatalog) {
        // An entry for an older identifier holds for the plug-in that replaced it.
        known = Set(catalog.candidates.map(\.identifier) + catalog.plugins.flatMap(\.replaces))
    }

    mutating func findings(about identifiers: [String], in path: String) -> [PluginFinding] {
        let unknown = identifiers.filter { $0 != "*" && !known.contains($0) }
        if unknown.isEmpty { return [] }
        let sorted = known.sorted()
        return PluginFinding.listed(on: unknown, in: path) { identifier in
            suggestions.names(near: identifier, among: sorted, most: 1).first.map { near in
                PluginFinding(
                    .warning, .pluginMissing, filePath: path, subject: identifier,
                    message: "The list names “\(identifier.escapedForTerminal)”, which is no plug-in that was found.",
                    remedy: "Did you mean “\(near.escapedForTerminal)”?")
            }
        }
    }
}
