import CatalogIndexing
import Glibc
import HostBasics
import HostRecords
import PluginABI
import PluginWorkers
import SettingsReading

/// A plug-in in use that replaces an older identifier: `PHReplaces`.
@_spi(Tools) public struct PluginReplacement: Sendable {
    /// The older identifier.
    public let old: String
    /// The plug-in in use.
    public let plugin: PluginDescription
    /// Whether it has taken over what belonged to the older identifier.
    public let hasTakenOver: Bool
}

extension PluginCatalog {
    /// Lets a plug-in take over what belongs to the older identifiers that it replaces (`PHReplaces`): the user's
    /// choices, the answers about what it may reach, its settings, and its directory for state.
    ///
    /// The application calls this after it has asked the user, because any bundle can claim to replace another. For a
    /// plug-in that only root can change, the catalogue of an application does it without a question. Until then the
    /// plug-in works with nothing of the older one. What is forbidden to the older one, by the user, the quarantine or
    /// the administrator, is forbidden to this one in any case.
    ///
    /// One entry in the file with the user's choices decides. The settings and the directory for state are renamed once, if
    /// this plug-in has none; if the process ends before that, the next start does it. An answer about permissions goes over to a
    /// bundle in the same folder; what the plug-in requests in addition stays unanswered.
    ///
    /// - Parameter identifier: the identifier of the plug-in in use, the newer one.
    /// - Returns: the changes. There are none if it replaces nothing, or if this was done before.
    /// - Throws: ``PluginError``: `pluginMissing` if no bundle is in use under the identifier; `choicesUnreadable` if
    ///   the entry cannot be written. Nothing has changed then.
    ///
    /// **Threads.** Any. Two processes that change a file at the same time wait for each other.
    @discardableResult
    public func adopt(_ identifier: String) throws -> CatalogChange {
        guard let plugin = plugin(identifier) else {
            let explanation = explanation(of: identifier)
            throw PluginError(
                bundlePath: identifier,
                PluginFinding(
                    .pluginMissing, subject: identifier, message: explanation.sentence, remedy: explanation.remedy))
        }
        let olds = replacements.filter { $0.plugin.identifier == plugin.identifier && !$0.hasTakenOver }.map(\.old)
        guard !olds.isEmpty else { return CatalogChange() }
        guard let path = options.choices else {
            throw PluginError(
                bundlePath: plugin.bundlePath,
                PluginFinding(
                    .choicesUnreadable, message: "The catalogue has no file for the user's choices.",
                    remedy: "Name one by PluginCatalog.Options.choices."))
        }
        do throws(PluginFinding) {
            try UserChoices.kept(at: path).write(.replace(olds, by: plugin.identifier))
        } catch {
            throw PluginError(bundlePath: path, error)
        }
        let change = refresh()
        completeTakingOver(replacements)
        return change
    }

    /// The older identifiers that plug-ins in use replace, in order.
    ///
    /// **Cost.** Nothing if there are none.
    @_spi(Tools) public var replacements: [PluginReplacement] {
        let index = current
        if index.replacing.isEmpty { return [] }
        var rules = CatalogRules()
        rules.replaced = choices.replaced
        // One plug-in may replace many, and its description is read from the index.
        var plugins: [Int: PluginDescription] = [:]
        return index.replacing.sorted { $0.key < $1.key }.map { old, candidate in
            let plugin = plugins[candidate] ?? PluginDescription(self, index, candidate)
            plugins[candidate] = plugin
            return PluginReplacement(
                old: old, plugin: plugin, hasTakenOver: rules.hasTakenOver(old, plugin.identifier))
        }
    }

    /// Makes the entries for plug-ins that only root can change, and completes what earlier entries began.
    ///
    /// - Returns: whether there are new entries, so that the choices must be read again.
    func takeOver() -> Bool {
        let replacements = replacements
        if replacements.isEmpty { return false }
        var hasNew = false
        if let path = options.choices {
            let open = Dictionary(grouping: replacements.filter { !$0.hasTakenOver }, by: \.plugin.identifier)
            for (identifier, replaced) in open.sorted(by: { $0.key < $1.key })
            where Permissions.onlyRootChanges(replaced[0].plugin.bundlePath) {
                let list = UserChoices.kept(at: path)
                // The list logs why a change cannot be written, which then holds in this process.
                let known = list.content.replaced
                let olds = replaced.map(\.old).filter { known[$0] != identifier }
                if olds.isEmpty { continue }
                list.change(.replace(olds, by: identifier))
                HostEnvironment.log(
                    .notice, bundleIdentifier: identifier,
                    """
                    \(quoted(identifier)) has taken over what belonged to \(shownList(olds.lazy.map(quoted), atMost: 5)).
                    """)
                hasNew = true
            }
        }
        if !hasNew { completeTakingOver(replacements) }
        return hasNew
    }

    /// Moves the directories for state, and the answers, of plug-ins that have an entry.
    ///
    /// It may have happened before, in part or completely.
    private func completeTakingOver(_ replacements: [PluginReplacement]) {
        let environment = HostEnvironment.current
        let application = environment.name
        let done = replacements.filter(\.hasTakenOver)
        consents?.takeOver(done)
        for replacement in done {
            let (old, plugin) = (replacement.old, replacement.plugin)
            let settings = environment.settingsPlaces(of: plugin.identifier)
                .takeUserFile(of: environment.settingsPlaces(of: old))
            if settings != 0 {
                HostEnvironment.log(
                    .warning, bundleIdentifier: plugin.identifier,
                    """
                    The settings of \(quoted(old)) cannot be given to \(quoted(plugin.identifier)): \
                    \(describe(errno: settings)). \(ErrorNumber.remedy(settings, to: .rename))
                    """)
            }
            guard let from = StateDirectory(of: old, in: application),
                let to = StateDirectory(of: plugin.identifier, in: application)
            else { continue }
            let error = to.take(over: from)
            if error == 0 { continue }
            HostEnvironment.log(
                .warning, bundleIdentifier: plugin.identifier,
                """
                The directory \(quoted(from.path)) cannot be renamed to \(quoted(to.path)), so \(quoted(plugin.identifier)) \
                begins without the data of \(quoted(old)): \(describe(errno: error)). \
                \(ErrorNumber.remedy(error, to: .rename))
                """)
        }
    }
}

extension Permissions {
    /// The most files of a bundle that are looked at.
    private static let mostFiles = 100_000

    /// Whether root alone can change a bundle: its directory, those above it, and everything in it belong to root, and
    /// nobody else may write there.
    ///
    /// In a sticky directory such as `/tmp`, others cannot replace what belongs to root.
    ///
    /// **Cost.** A system call for each file, and three for each directory. False for a bundle of more than 100,000 files.
    static func onlyRootChanges(_ bundle: String) -> Bool {
        guard let path = Path.resolved(bundle) else { return false }
        for directory in sequence(first: path, next: { $0 == "/" ? nil : Path.parent($0) }) {
            guard let identity = FileIdentity(path: directory), isRoots(identity, orSticky: directory != path) else {
                return false
            }
        }
        var pending = [path]
        var count = 0
        while let directory = pending.popLast() {
            let listing = DirectoryListing(path: directory)
            guard listing.failure == nil, !listing.isTruncated, listing.unreadableNames == 0 else { return false }
            for name in listing.names.keys {
                count += 1
                let item = Path.join(directory, name)
                guard count <= mostFiles, let identity = FileIdentity(path: item), isRoots(identity, orSticky: false)
                else { return false }
                let isLink = Path.linkOwner(item) != nil
                if isLink, !Path.isInside(Path.resolved(item) ?? "/", directory: path) { return false }
                if identity.isDirectory, !isLink { pending.append(item) }
            }
        }
        return true
    }

    private static func isRoots(_ identity: FileIdentity, orSticky: Bool) -> Bool {
        if identity.owner != 0 { return false }
        let isSticky = orSticky && identity.mode & S_ISVTX != 0
        return isSticky || identity.mode & (S_IWGRP | S_IWOTH) == 0
    }
}
