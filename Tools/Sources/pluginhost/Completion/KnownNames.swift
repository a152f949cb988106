import ArgumentParser
import HostBasics
@_spi(Tools) import PluginHost
@_spi(Tools) import PluginWorkers
import SettingsReading

/// The names that a shell completes, found in the places that the command line names so far.
///
/// No code of a bundle runs.
enum KnownNames {
    /// Completes the name of an application that this user has run, or that has plug-ins in a standard place.
    static let applications = CompletionKind.custom { _, _, prefix in
        PluginCatalog.knownApplications().filter { $0.hasPrefix(prefix) }
    }

    /// The known application whose name is nearly this one, which is not known; nil if there is none.
    static func application(near name: String, among known: [String] = PluginCatalog.knownApplications()) -> String? {
        if known.contains(name) { return nil }
        var suggestions = NameSuggestions()
        return suggestions.names(near: name, among: known, most: 1).first
    }

    /// Completes the identifier of a plug-in.
    static let identifiers = CompletionKind.custom { words, _, prefix in
        let candidates = candidates(in: words)
        return Set(candidates.map(\.identifier)).filter { $0.hasPrefix(prefix) }.sorted()
    }

    /// Completes what a plug-in asks for, and `all` and `none`.
    static let permissions = CompletionKind.custom { words, _, prefix in
        let asked = candidates(in: words).filter { words.contains($0.identifier) }
            .compactMap { try? $0.open().manifest.permissions.items }
        return (["all", "none"] + (asked.first ?? [])).filter { $0.hasPrefix(prefix) }
    }

    /// Completes the key of a setting that a plug-in declares.
    static let settings = CompletionKind.custom { words, _, prefix in
        let plugin = candidates(in: words).first { words.contains($0.identifier) }
        let declared = (try? plugin?.open())?.settingsSchema?.declarations ?? []
        return declared.map(\.key).filter { $0.hasPrefix(prefix) }
    }

    /// The bundles in the application or the folders that a command line names by `--application` and `--in`.
    private static func candidates(in words: [String]) -> [PluginCandidate] {
        var application: String?
        var folders: [String] = []
        // Some shells make a word of the sign in “--in=FOLDER”.
        let words = words.filter { $0 != "=" }
        for (word, next) in zip(words, words.dropFirst() + [""]) {
            if word == "--application" { application = next }
            if word == "--in" { folders.append(next) }
            if word.hasPrefix("--application=") { application = String(word.dropFirst(14)) }
            if word.hasPrefix("--in=") { folders.append(String(word.dropFirst(5))) }
        }
        guard let search = try? PluginSearch(.naming(application), folders: folders) else { return [] }
        return search.catalog().candidates
    }
}
