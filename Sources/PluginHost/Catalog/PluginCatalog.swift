import PluginABI
import Synchronization

/// All plug-ins of an application: found, described, and loaded when what they offer is first used.
///
/// ```swift
/// let catalog = PluginCatalog(application: "workbench")
/// for filter in catalog.extensions(of: .textFilter) { menu.add(filter.displayName) }   // nothing is loaded
/// let filter = try catalog.extensions(of: .textFilter)[0].make()                       // one plug-in is
/// ```
/// A catalogue looks through its search paths for bundles, reads their Info.plist files, and gives every candidate a
/// ``PluginVerdict``. It runs no code of a bundle and never looks for bundles inside of one. What it found is kept in an
/// index file of the user's, so that the next start only looks whether something has changed.
///
/// **Threads.** Every member may be used on any thread.
public final class PluginCatalog: Sendable {
    /// How far a start trusts what the index file tells of a bundle.
    public enum Validation: Sendable, Hashable {
        /// A bundle's entry holds as long as its Info.plist is the file that was read: one system call for each bundle.
        case bundles
        /// The entries of a folder hold as long as nothing was added to the folder, removed from it or renamed in it: one
        /// system call for each folder. A change inside of a bundle is noticed when the bundle is first used, and by
        /// ``PluginCatalog/refresh(_:)``.
        case folders
    }

    /// Where a catalogue keeps its index.
    public enum IndexStorage: Sendable, Hashable {
        /// In the user's cache directory: `$XDG_CACHE_HOME/pluginhost`, else `~/.cache/pluginhost`.
        case user
        /// In a directory of the application's choosing.
        case directory(String)
        /// Nowhere: each start reads every Info.plist.
        case none
    }

    /// What an application may want otherwise than usual.
    public struct Options: Sendable, Hashable {
        /// How much to trust what the index file has.
        public var validation = Validation.bundles
        /// Where the index file is kept.
        public var index = IndexStorage.user
        /// The extensions of bundles' names, without the dot; compared with case.
        public var extensions: Set<String> = ["bundle"]
        /// The file with the user's choices, which plug-ins are disabled; nil for none. A catalogue that is made for an
        /// application by its name has ``PluginCatalog/choicesPath(for:)`` where this is nil.
        public var choices: String?

        /// Options; each has its usual value where it is left out.
        public init(
            validation: Validation = .bundles, index: IndexStorage = .user, extensions: Set<String> = ["bundle"],
            choices: String? = nil
        ) {
            self.choices = choices
            self.validation = validation
            self.index = index
            self.extensions = extensions
        }
    }

    /// The directories that are looked through, absolute; first wins.
    public let searchPaths: [String]
    /// The options that it was made with.
    public let options: Options
    /// The index file, whether it exists or not; nil where none is kept.
    public var indexPath: String? { file?.path }
    private let file: IndexFile?
    private let state: Lock<State>
    /// Held while a scan is under way, so that an older one never replaces a newer. Under it Info.plist files and the
    /// index are read and written, and nothing else; what there is to log is logged afterwards.
    private let scanning = Lock(())
    let listeners = EventListeners<CatalogChange>()
    /// What hot reload keeps on the catalogue, from the first watch on; nil for one that was never watched.
    let generationsInUse = AtomicLazyReference<GenerationsInUse>()

    /// How often a bundle was opened, maybe in another's place: what was found out about bundles holds while it stays.
    let openings = Atomic(0)

    private struct State {
        var index: CatalogIndex
        var choices: UserChoices
        /// Why the user's choices cannot be used; then nothing is disabled.
        var choicesFinding: PluginFinding?
        /// Bundles that were opened for their strings or loaded, by the plug-in's identifier.
        var bundles: [String: PluginBundle] = [:]
    }

    /// Looks through directories for plug-ins.
    ///
    /// - Parameters:
    ///   - searchPaths: directories, absolute or relative to the current directory; first wins. One that does not exist is
    ///     no error: it may come to be.
    ///   - options: what is to be otherwise than usual.
    ///
    /// **Cost.** With an index: the reading of one file, and what ``Options/validation`` says. Without: the reading of every
    /// Info.plist.
    public init(searchPaths: [String], options: Options = Options()) {
        let paths = searchPaths.map { Path.normalized($0) ?? Path.resolved($0) ?? $0 }
        self.searchPaths = paths
        self.options = options
        file = Self.file(paths, options)
        let old = Self.readIndex(file)
        let (choices, finding) = Self.choices(options)
        let index = CatalogScan(paths, options, options.validation, choices).run(old: old)
        state = Lock(State(index: index, choices: choices, choicesFinding: finding))
        if index !== old { Self.write(index, file) }
        if let finding { HostEnvironment.log(.error, "\(finding.message) \(finding.remedy)") }
    }

    /// Looks through the standard search paths of an application: ``standardSearchPaths(for:)``. What the user has disabled,
    /// in ``choicesPath(for:)``, is not used.
    public convenience init(application: String, options: Options = Options()) {
        var options = options
        options.choices = options.choices ?? Self.choicesPath(for: application)
        self.init(searchPaths: Self.standardSearchPaths(for: application), options: options)
    }

    // MARK: What there is

    var current: CatalogIndex { state.withLock(\.index) }

    /// Everything that looks like a bundle, with its verdict: by search path, by name. A bundle that is reached by several
    /// links is one candidate.
    ///
    /// **Cost.** Reads what is known of every candidate.
    public var candidates: [PluginCandidate] {
        let index = current
        return (0..<index.candidateCount).lazy.map(index.entry).filter { $0.verdict != .alias }
            .map { PluginCandidate(index, $0) }
    }

    /// The candidates that cannot be used because something is wrong with them, and not because another is used or the user
    /// has disabled them.
    ///
    /// **Cost.** A look at every candidate's verdict; reads what is known of those that it gives.
    public var unusable: [PluginCandidate] {
        let index = current
        return (0..<index.candidateCount).lazy.map(index.entry).filter {
            $0.verdict != .usable && $0.verdict != .disabled && !$0.verdict.namesAnother
        }
        .map { PluginCandidate(index, $0) }
    }

    /// The plug-ins: one bundle for each identifier, by identifier.
    ///
    /// **Cost.** Reads what is known of every plug-in; ``extensions(of:)`` and ``plugin(_:)`` read what is asked for.
    public var plugins: [PluginDescription] {
        let index = current
        return (0..<index.pluginCount).map { PluginDescription(self, index, index.plugin($0)) }
    }

    /// The plug-ins in the order in which they could be loaded: each after what it requires.
    public var loadOrder: [PluginDescription] {
        let index = current
        return (0..<index.pluginCount).map { PluginDescription(self, index, index.inLoadOrder($0)) }
    }

    /// The plug-in that is used under an identifier, or nil; ``explanation(of:)`` tells why there is none.
    ///
    /// **Cost.** A binary search.
    public func plugin(_ identifier: String) -> PluginDescription? {
        let index = current
        return index.plugin(identifier: identifier).map { PluginDescription(self, index, $0) }
    }

    // MARK: Keeping up

    /// Looks again, and tells ``changes`` what is different.
    ///
    /// - Parameter validation: how far what is known is trusted.
    /// - Returns: what has changed.
    @discardableResult
    public func refresh(_ validation: Validation = .bundles) -> CatalogChange {
        let change: CatalogChange? = scanning.withLock { _ in
            let old = current
            let (choices, finding) = Self.choices(options)
            let index = CatalogScan(searchPaths, options, validation, choices).run(old: old)
            state.withLock { ($0.choices, $0.choicesFinding) = (choices, finding) }
            if index === old { return nil }
            state.withLock { $0.index = index }
            Self.write(index, file)
            return CatalogChange(from: old, to: index, in: self)
        }
        guard let change, !change.isEmpty else { return CatalogChange() }
        listeners.put(change)
        listeners.deliver()
        return change
    }

    // MARK: Bundles

    /// The bundle of a plug-in, opened and kept.
    func opened(_ plugin: PluginDescription) throws -> PluginBundle {
        let path = plugin.bundlePath
        if let bundle = state.withLock({ $0.bundles[plugin.identifier] }), bundle.bundlePath == path { return bundle }
        let bundle = try PluginBundle.open(path: path)
        // One that could not be read now is opened again for the next question.
        if bundle.isProvisional { return bundle }
        state.withLock { $0.bundles[plugin.identifier] = bundle }
        openings.add(1, ordering: .releasing)
        return bundle
    }

    /// Those that were opened, by the plug-in's identifier.
    var openedBundles: [(identifier: String, bundle: PluginBundle)] {
        state.withLock { $0.bundles.map { ($0.key, $0.value) } }
    }

    /// The bundle that was opened under an identifier, if one was.
    func openedBundle(_ identifier: String) -> PluginBundle? { state.withLock { $0.bundles[identifier] } }

    // MARK: The user's choices

    /// What the user decided, as it was read last.
    var choices: UserChoices { state.withLock(\.choices) }
    /// Why the user's choices cannot be used.
    var choicesFinding: PluginFinding? { state.withLock(\.choicesFinding) }

    private static func choices(_ options: Options) -> (UserChoices, PluginFinding?) {
        guard let path = options.choices else { return (UserChoices(), nil) }
        do throws(UserChoices.Failure) {
            return (try UserChoices(path: path), nil)
        } catch {
            return (UserChoices(), error.finding)
        }
    }

    // MARK: The index file

    private static func file(_ paths: [String], _ options: Options) -> IndexFile? {
        let directory: String?
        switch options.index {
        case .none: return nil
        case .user: directory = nil
        case .directory(let path): directory = Path.normalized(path) ?? path
        }
        return IndexFile(
            directory: directory, application: HostEnvironment.current.name, searchPaths: paths,
            extensions: options.extensions)
    }

    private static func readIndex(_ file: IndexFile?) -> CatalogIndex? {
        guard let file else { return nil }
        do throws(IndexFile.Failure) {
            return try file.read()
        } catch {
            HostEnvironment.log(.notice, "The index of plug-ins \(quoted(file.path)) \(error.reason); it is made anew.")
            return nil
        }
    }

    private static func write(_ index: CatalogIndex, _ file: IndexFile?) {
        guard let file else { return }
        do throws(IndexFile.Failure) {
            try file.write(index)
        } catch {
            // Not a warning: a start without an index finds the same, only later.
            HostEnvironment.log(
                .info, "The index of plug-ins \(quoted(file.path)) \(error.reason); each start reads every bundle.")
        }
    }
}

extension CatalogScan {
    fileprivate init(
        _ paths: [String], _ options: PluginCatalog.Options, _ validation: PluginCatalog.Validation,
        _ choices: UserChoices
    ) {
        self.init(
            searchPaths: paths, extensions: options.extensions, validation: validation,
            rules: .current(choices: choices))
    }
}
