package import HostBasics
import Synchronization

/// Finds the resources of one bundle.
///
/// Places are searched in this order; the first that has the resource wins:
/// 1. the resources directory itself: a resource for all languages hides every localised one;
/// 2. `<language>.lproj` of the first preferred localisation;
/// 3. `Base.lproj`;
/// 4. the other preferred localisations, the more specific first (`fr_CA`, then `fr`);
/// 5. the development region.
///
/// If a bundle has several directories of resources (OpenStep's `Resources` and the bundle's root), the first one is
/// searched completely in this order, then the next. Each may have localisations.
///
/// With a subdirectory, `<language>.lproj/<subdirectory>` comes first, then `<subdirectory>/<language>.lproj`, as in
/// GNUstep. In the directory with the resource, `name-linux.ext` replaces `name.ext` (only if both exist), and a
/// variant for the host's device or scale is preferred to the plain file (``VariantPreference``).
///
/// A resource is a file or a directory. Names are case-sensitive. Never searched: the parent directory, names and
/// directories with `..`, absolute paths. A symbolic link may lead out of the bundle: resources are only read, and many
/// installed bundles share theirs in this way. FIFOs, sockets and devices are not found, and no look-up opens anything
/// but directories.
///
/// New, removed and renamed files are noticed automatically: an answer was true at most 10 microseconds before the
/// question (``DirectoryCache/trust``). Sources: Apple, Bundle Programming Guide, "The Bundle Search Pattern";
/// GNUstep's NSBundle for the second form of subdirectories.
///
/// **Threads.** Any; other threads wait while a look-up reads a directory.
/// **Cost.** A repeated look-up, successful or not, takes about a fifth of the time of a stat(). The first look-up of a
/// name takes about three stat() calls, and the first in a directory reads that directory. The very first look-up
/// checks for the file by its name if that is enough: three to seven system calls.
package final class ResourceFinder: Sendable {
    /// The absolute paths of the resources, in the order of the search.
    package let directories: [String]

    private let state: Lock<ResourceSearch>
    private let log: @Sendable ([PluginFinding]) -> Void

    /// Creates a finder for the resources in directories.
    ///
    /// `directories`: the absolute paths of the resources, at least one; they need not exist. `log`: receives what
    /// could not be examined, once for each directory and reason. It is called without a lock.
    package init(
        directories: [String], settings: LocalizationSettings = LocalizationSettings(),
        preference: VariantPreference = VariantPreference(),
        log: @escaping @Sendable ([PluginFinding]) -> Void = { _ in }
    ) {
        self.log = log
        self.directories = directories.map { directory in
            var directory = directory
            while directory.hasSuffix("/"), directory.utf8.count > 1 { directory.removeLast() }
            return directory
        }
        state = Lock(ResourceSearch(directories: self.directories, settings: settings, preference: preference))
    }

    /// Creates a finder for the resources in one directory.
    package convenience init(
        directory: String, settings: LocalizationSettings = LocalizationSettings(),
        preference: VariantPreference = VariantPreference(),
        log: @escaping @Sendable ([PluginFinding]) -> Void = { _ in }
    ) {
        self.init(directories: [directory], settings: settings, preference: preference, log: log)
    }

    /// The settings for languages; a change takes effect at the next look-up.
    package var settings: LocalizationSettings {
        get { state.withLock { $0.settings } }
        set { state.withLock { $0.settings = newValue } }
    }

    /// The device and scale for which resources are chosen.
    package var preference: VariantPreference {
        get { state.withLock { $0.preference } }
        set { state.withLock { $0.preference = newValue } }
    }

    // MARK: Resources

    /// The first resource that matches, or nil.
    ///
    /// `name`: the file's name; it may include its extension and a directory. Nil or empty: the first file of the type,
    /// in the order of names. `type`: the extension, with or without a dot; may be double (`tar.gz`). Nil or empty: the
    /// name is complete. `subdirectory`: a directory below the resources. `localization`: only resources for all
    /// languages and those of this localisation; `fr` also means `French.lproj` if there is no `fr.lproj`. Nil: the
    /// order above.
    package func resource(
        _ name: String?, ofType type: String?, inDirectory subdirectory: String? = nil,
        forLocalization localization: String? = nil
    ) -> FoundResource? {
        let query = ResourceQuery(name: name, type: type, directory: subdirectory, localization: localization)
        return search { $0.resource(query) }
    }

    /// The path of ``resource(_:ofType:inDirectory:forLocalization:)``.
    package func path(
        forResource name: String?, ofType type: String?, inDirectory subdirectory: String? = nil,
        forLocalization localization: String? = nil
    ) -> String? {
        resource(name, ofType: type, inDirectory: subdirectory, forLocalization: localization)?.path
    }

    /// All resources of a type, nil or empty for every type: those for all languages, then those of the localisations
    /// in search order, each group sorted by name.
    ///
    /// Each name is listed once, at the place where a look-up would find it first; its variants are not listed. Names
    /// that begin with a dot are left out.
    package func resources(
        ofType type: String?, inDirectory subdirectory: String? = nil, forLocalization localization: String? = nil
    ) -> [FoundResource] {
        let query = ResourceQuery(name: nil, type: type, directory: subdirectory, localization: localization)
        return search { $0.resources(query) }
    }

    /// The paths of ``resources(ofType:inDirectory:forLocalization:)``.
    package func paths(
        forResourcesOfType type: String?, inDirectory subdirectory: String? = nil,
        forLocalization localization: String? = nil
    ) -> [String] {
        resources(ofType: type, inDirectory: subdirectory, forLocalization: localization).map(\.path)
    }

    /// All places that have the resource in one of several types, in search order; the first one hides the others.
    ///
    /// `most`: stop after this number of places. Returns for each place the paths in the order of the types, nil for a
    /// type that does not exist there; and whether every place could be examined. If not, the next answer may be
    /// different.
    package func allPaths(
        forResource name: String, ofTypes types: [String], most: Int = .max
    ) -> (paths: [[String?]], isCertain: Bool) {
        let queries = types.map { ResourceQuery(name: name, type: $0, directory: nil, localization: nil) }
        return search { $0.allPaths(queries, most: most) }
    }

    /// All files that represent one resource on any device at any scale; see ``ResourceVariant``.
    ///
    /// They are in the directory where a look-up finds the resource; if it finds none, in the first directory in search
    /// order with a variant. The file that a look-up finds comes first, the others follow by device and scale.
    package func variants(ofResource name: String, type: String?) -> [ResourceVariant] {
        let query = ResourceQuery(name: name, type: type, directory: nil, localization: nil)
        return search { $0.variants(query) }
    }

    /// Searches, and reports what could not be examined.
    private func search<Answer>(_ body: (inout ResourceSearch) -> Answer) -> Answer {
        let (answer, failures) = state.withLock { (body(&$0), $0.takeFailures()) }
        if !failures.isEmpty { log(failures.map(PluginFinding.resourcesUnreadable)) }
        return answer
    }

    // MARK: Localisations

    /// The bundle's localisations: those declared in Info.plist, in its order, then the other `.lproj` directories,
    /// sorted by name; and the development region, if there is no other localisation, or if `Base` is one of them
    /// (``SearchOrder``).
    package var localizations: [String] {
        localizationsNow.names
    }

    /// ``localizations``, and whether every directory that affects them could be examined.
    package var localizationsNow: (names: [String], isCertain: Bool) {
        let (order, isCertain) = search { $0.currentOrder() }
        return (order.localizations, isCertain)
    }

    /// The directories in which a resource is looked for, in order; they need not exist.
    package var searchedDirectories: [String] {
        let languages = search { $0.currentOrder().order.languages }
        return directories.flatMap { directory in
            [directory] + languages.map { Path.join(directory, $0 + NameMark.localization) }
        }
    }

    /// The language of the `.lproj` directory that contains a resource, or `Base`; nil for a resource for all
    /// languages.
    package func language(ofResourceAt path: String) -> String? {
        let part = directories.firstNonNil { Path.part(of: path, in: $0) } ?? path[...]
        let folder = part.split(separator: "/").dropLast().last {
            $0.hasSuffix(NameMark.localization)
        }
        return folder.map { String($0.dropLast(NameMark.localization.count)) }
    }

    /// The localisations to use for the user, best first; see ``LanguageMatcher``.
    package var preferredLocalizations: [String] {
        search { $0.currentOrder().order.preferred }
    }
}

extension PluginFinding {
    fileprivate static func resourcesUnreadable(_ failure: OpenedDirectory.Failure) -> PluginFinding {
        PluginFinding(
            .warning, .resourcesUnreadable, filePath: failure.path,
            message: "Resources in \(quoted(failure.path)) cannot be searched for (\(describe(errno: failure.errno)))."
        ).refused(by: failure.errno)
    }
}
