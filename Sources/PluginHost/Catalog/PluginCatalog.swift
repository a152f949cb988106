import CatalogIndexing
import HostBasics
public import HostRecords
import PluginABI
import Synchronization

/// All plug-ins of an application.
///
/// The catalogue finds and describes them, and loads each one when it is first used.
///
/// ```swift
/// let catalog = PluginCatalog(application: "workbench")
/// for filter in catalog.extensions(of: .textFilter) { menu.add(filter.displayName) }   // nothing is loaded
/// let filter = try catalog.extensions(of: .textFilter)[0].make()                       // one plug-in is
/// ```
/// A catalogue scans its search paths for bundles, reads their Info.plist files, and gives every candidate a
/// ``PluginVerdict``. It runs no code of a bundle and never searches for bundles inside a bundle. It saves the result
/// in an index file of the user, so that the next start only checks whether something has changed.
///
/// **Threads.** Every member may be used on any thread.
public final class PluginCatalog: Sendable {
    /// How much a start trusts the index file.
    public enum Validation: Sendable, Hashable {
        /// Cached data about a bundle is valid as long as its Info.plist is the same file. This costs one system call
        /// per bundle.
        case bundles
        /// Cached data about a folder is valid until an item is added to the folder, removed from it or renamed in it.
        ///
        /// This costs one system call per folder. A change inside a bundle is detected when the bundle is first used,
        /// and by ``PluginCatalog/refresh(_:)``.
        case folders
    }

    /// Where a catalogue keeps its index.
    public enum IndexStorage: Sendable, Hashable {
        /// In the user's cache directory: `$XDG_CACHE_HOME/pluginhost`, otherwise `~/.cache/pluginhost`.
        case user
        /// In a directory that the application chooses.
        case directory(String)
        /// Nowhere: each start reads every Info.plist.
        case none
    }

    /// Options that an application may change.
    public struct Options: Sendable, Hashable {
        /// How much to trust the index file.
        public var validation = Validation.bundles
        /// Where to keep the index file.
        public var index = IndexStorage.user
        /// The extensions of bundles' names, without the dot; case-sensitive.
        public var extensions: Set<String> = ["bundle"]
        /// The file with the user's choices about which plug-ins are disabled; nil for none.
        ///
        /// If a catalogue is created with an application's name, nil means ``PluginCatalog/choicesPath(for:)``.
        public var choices: String?

        /// The file with the plug-ins in quarantine; nil for none.
        ///
        /// If a catalogue is created with an application's name, nil means ``Quarantine/path(for:)``.
        public var quarantine: String?
        /// Which plug-ins this start leaves out; see ``CrashJournal/advice(_:)``.
        public var safeStart = SafeStart.normal
        /// Whether a plug-in is tried in a confined process (``PluginProbe``) before its code is first used.
        ///
        /// A plug-in that fails is not loaded: `probeFailed`. The result is kept beside the index file, for this
        /// program. It is valid until one of the plug-in's code files, a library that they use, its Info.plist or this
        /// library changes. The command `pluginhost probe` lets a plug-in be tried again.
        ///
        /// During the probe, the plug-in gets no permissions and no services: a plug-in that needs either to start
        /// fails. Code that is linked into the program is not tried.
        public var requiresProbe = false

        /// Creates options.
        ///
        /// Each omitted one has its default value.
        public init(
            validation: Validation = .bundles, index: IndexStorage = .user, extensions: Set<String> = ["bundle"],
            choices: String? = nil, quarantine: String? = nil, safeStart: SafeStart = .normal,
            requiresProbe: Bool = false
        ) {
            self.choices = choices
            self.quarantine = quarantine
            self.safeStart = safeStart
            self.requiresProbe = requiresProbe
            self.validation = validation
            self.index = index
            self.extensions = extensions
        }
    }

    /// The directories to scan, as absolute paths.
    ///
    /// The first one takes precedence.
    public let searchPaths: [String]
    /// The options with which the catalogue was created.
    public let options: Options
    /// The path of the index file, whether it exists or not; nil if the options exclude one.
    public var indexPath: String? { file?.path }
    private let file: IndexFile?
    /// Nil unless the options demand probes.
    let probes: ProbeResults?
    private let state: Lock<State>
    /// Held during a scan, so that an older scan never replaces a newer one.
    ///
    /// While it is held, only Info.plist files and the index are read and written. Log messages are written afterwards.
    private let scanning = Lock(())
    let listeners = EventListeners<CatalogChange>()
    /// The state that hot reload keeps for the catalogue, created by the first watch; nil if it was never watched.
    let generationReference = AtomicLazyReference<GenerationTable>()

    /// Counts how often a bundle was opened in place of another, or the catalogue was watched.
    ///
    /// A provider that was found for an extension is valid until this number changes.
    let routeChanges = Atomic(0)
    /// Whether plug-ins that only root can change take over what belonged to those that they replace, without a
    /// question: in the application, and not in a tool that looks at its plug-ins.
    private let takesOver = Atomic(false)

    private struct State {
        var index: CatalogIndex
        var choices: UserChoices
        /// Why the file with the user's choices cannot be used.
        var choicesFinding: PluginFinding?
        /// Bundles that were opened for their strings or loaded, by the plug-in's identifier.
        var bundles: [String: PluginBundle] = [:]
    }

    /// Scans directories for plug-ins.
    ///
    /// - Parameters:
    ///   - searchPaths: directories, absolute or relative to the current directory; the first one takes precedence. A
    ///     missing directory is not an error; it may be created later. There can be 16 million.
    ///   - options: options that differ from the defaults.
    ///
    /// **Cost.** With an index: reading one file, plus the checks that ``Options/validation`` describes. Without:
    /// reading every Info.plist.
    public init(searchPaths: [String], options: Options = Options()) {
        precondition(searchPaths.count <= CandidateRow.mostFolders, "a catalogue has at most 16,777,216 search paths")
        let paths = searchPaths.map { Path.normalized($0) ?? Path.resolved($0) ?? $0 }
        self.searchPaths = paths
        self.options = options
        file = Self.file(paths, options)
        probes = options.requiresProbe ? ProbeResults(options.index) : nil
        if let path = options.quarantine { Quarantine.current = Quarantine.at(path) }
        let old = Self.readIndex(file)
        let (choices, finding) = Self.choices(options)
        let index = CatalogScan(paths, options, options.validation, choices).run(old: old)
        state = Lock(State(index: index, choices: choices, choicesFinding: finding))
        if index !== old { Self.write(index, file) }
    }

    /// Scans the standard search paths of an application: ``standardSearchPaths(for:)``.
    ///
    /// Plug-ins that the user has disabled, in ``choicesPath(for:)``, and plug-ins in ``Quarantine`` are not used.
    ///
    /// Use the name in ``HostEnvironment/name``, set before; otherwise the log has a warning, because both name directories of the
    /// user.
    ///
    /// Beside its index, the catalogue stores what the command `pluginhost` needs to explain its answers: the
    /// application's version, its executable, the services that it provides, and where its policy lets plug-ins run.
    public convenience init(application: String, options: Options = Options()) {
        Self.compareName(with: application)
        var options = options
        options.quarantine = options.quarantine ?? Quarantine.path(for: application)
        options.choices = options.choices ?? Self.choicesPath(for: application)
        self.init(searchPaths: Self.standardSearchPaths(for: application), options: options)
        if let path = indexPath { ApplicationRecorder.shared.begin(application, in: Path.parent(path)) }
        // In a trial run nothing of the user's may change.
        guard TrialRun(of: application) == nil else { return }
        takesOver.store(true, ordering: .relaxed)
        if takeOver() { refresh() }
    }

    /// Logs once if plug-ins would find their settings and data under another name than the user's and administrator's tools.
    private static func compareName(with application: String) {
        let name = HostEnvironment.current.name
        guard name != application, !hasComparedName.exchange(true, ordering: .relaxed) else { return }
        HostEnvironment.log(
            .warning,
            """
            The catalogue is of the application \(quoted(application)), but HostEnvironment.current.name is \(quoted(name)): \
            plug-ins find their settings and data in the directories of \(quoted(name)), and “pluginhost --application \
            \(application)” looks in those of \(quoted(application)). Set both to one name at the start.
            """)
    }

    private static let hasComparedName = Atomic(false)

    // MARK: Content

    var current: CatalogIndex { state.withLock(\.index) }

    /// Every item that looks like a bundle, with its verdict, by search path, then by name.
    ///
    /// A bundle that several links lead to is one candidate.
    ///
    /// **Cost.** Decodes the record of every candidate.
    public var candidates: [PluginCandidate] {
        let index = current
        return (0..<index.candidateCount).lazy.map(index.candidateRow).filter { $0.verdict != .alias }
            .map { PluginCandidate(index, $0) }
    }

    /// The candidates that have a fault, as opposed to those that the user has disabled, that a safe start leaves out, or
    /// that another one replaces.
    ///
    /// **Cost.** Checks every candidate's verdict and decodes the records of those that it returns.
    public var unusable: [PluginCandidate] {
        let index = current
        return (0..<index.candidateCount).lazy.map(index.candidateRow).filter {
            ![.usable, .disabled, .leftOut].contains($0.verdict) && !$0.verdict.namesAnother
        }
        .map { PluginCandidate(index, $0) }
    }

    /// The plug-ins: one bundle for each identifier, sorted by identifier.
    ///
    /// **Cost.** Decodes the record of every plug-in; ``extensions(of:)`` and ``plugin(_:)`` decode only what they
    /// return.
    public var plugins: [PluginDescription] {
        let index = current
        return (0..<index.pluginCount).map { PluginDescription(self, index, index.plugin($0)) }
    }

    /// The plug-ins in a possible load order: each comes after those that it requires.
    public var loadOrder: [PluginDescription] {
        let index = current
        return (0..<index.pluginCount).map { PluginDescription(self, index, index.inLoadOrder($0)) }
    }

    /// The plug-in in use under an identifier, or nil; ``explanation(of:)`` states why there is none.
    ///
    /// **Cost.** A binary search.
    public func plugin(_ identifier: String) -> PluginDescription? {
        let index = current
        return index.plugin(identifier: identifier).map { PluginDescription(self, index, $0) }
    }

    // MARK: Updating

    /// Scans again, and reports the differences to ``changes``.
    ///
    /// - Parameter validation: how much cached state to trust.
    /// - Returns: the changes.
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
        ApplicationRecorder.shared.retry()
        if takesOver.load(ordering: .relaxed), takeOver() { return refresh(validation) }
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
        // A bundle that could not be read now is opened again at the next request.
        if bundle.isProvisional { return bundle }
        let isReplacement = state.withLock { $0.bundles.updateValue(bundle, forKey: plugin.identifier) != nil }
        if isReplacement { routeChanges.add(1, ordering: .releasing) }
        return bundle
    }

    /// The opened bundles, by the plug-in's identifier.
    var openedBundles: [(identifier: String, bundle: PluginBundle)] {
        state.withLock { $0.bundles.map { ($0.key, $0.value) } }
    }

    /// The bundle that was opened for an identifier, or nil.
    func openedBundle(_ identifier: String) -> PluginBundle? { state.withLock { $0.bundles[identifier] } }

    // MARK: The user's choices

    /// The user's choices, as last read.
    var choices: UserChoices { state.withLock(\.choices) }
    /// Why the user's choices cannot be used.
    var choicesFinding: PluginFinding? { state.withLock(\.choicesFinding) }

    /// The user's consents, stored beside the application's quarantine; nil for a catalogue without one.
    var consents: PluginConsents? {
        options.quarantine.map { PluginConsents.at(Path.join(Path.parent($0), PluginConsents.fileName)) }
    }

    /// Why files of the quarantine cannot be used.
    var quarantineFindings: [PluginFinding] { options.quarantine.map { Quarantine.at($0).findings } ?? [] }

    private static func choices(_ options: Options) -> (UserChoices, PluginFinding?) {
        guard let path = options.choices else { return (UserChoices(), nil) }
        let list = UserChoices.kept(at: path)
        return (list.content, list.findings.first)
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
            HostEnvironment.log(
                .notice,
                "The index of plug-ins \(quoted(file.path)) \(error.reason); it is created again.\(error.advice)")
            return nil
        }
    }

    private static func write(_ index: CatalogIndex, _ file: IndexFile?) {
        guard let file else { return }
        do throws(IndexFile.Failure) {
            try file.write(index)
        } catch {
            // Not a warning: a start without an index finds the same plug-ins, only more slowly.
            HostEnvironment.log(
                .info,
                """
                The index of plug-ins \(quoted(file.path)) \(error.reason); each start reads every bundle.\(error.advice)
                """)
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
            rules: .current(choices: choices, options))
    }
}
