package import HostBasics

/// The search of a ``ResourceFinder`` and its cache.
///
/// **Threads.** A value, guarded by its finder.
package struct ResourceSearch: Sendable {
    /// In order, at least one.
    package let directories: [String]
    package var settings: LocalizationSettings {
        didSet { if settings != oldValue { forgetAll() } }
    }
    package var preference: VariantPreference {
        didSet { if preference != oldValue { forgetAll() } }
    }

    /// How many answers are cached, found or not; when there are more, all are dropped.
    ///
    /// A program that keeps requesting new names must not fill the memory.
    package static let mostAnswers = 16_384
    static let mostLists = 64
    /// How many localisations that are links are used, in the order of names; the others are ignored.
    ///
    /// Bundles that share all their resources make the directory above them a link instead.
    package static let mostLinkedLocalizations = 128

    package var cache = DirectoryCache()
    private var answers = QueryTable<Answer>()
    private var lists = QueryTable<ListAnswer>()
    private var order: (value: SearchOrder, rests: Int)?
    private var state = State.new
    /// The generation of the cache to which all answers belong.
    private var generation: UInt64 = 0
    /// What could not be examined, for the finder to report.
    private var failures: [OpenedDirectory.Failure] = []
    /// The reported paths with their error numbers: a path is reported again only after it could be read, or with
    /// another error.
    private var reported: [String: CInt] = [:]
    private static let mostReported = 256

    private enum State {
        case new
        /// One question was answered by checking for the name of the file.
        ///
        /// No table is created for the answer, because many bundles get no other question.
        case askedByName(ResourceQuery, Answer)
        /// Directories were read.
        case searched
    }

    private struct Answer: Sendable {
        let value: FoundResource?
        /// The number of the set of directories on which it depends.
        let rests: Int
    }

    // No generic type for both, because the runtime would build it at the first look-up of the process.
    private struct ListAnswer: Sendable {
        let value: [FoundResource]
        let rests: Int
    }

    package init(directories: [String], settings: LocalizationSettings, preference: VariantPreference) {
        self.directories = directories
        self.settings = settings
        self.preference = preference
    }

    // MARK: Cached answers

    package mutating func resource(_ query: ResourceQuery) -> FoundResource? {
        if let answer = answers[query] ?? firstAnswer(to: query), cache.isFresh(answer.rests) { return answer.value }
        var run = begin()
        let found = find(query, &run)
        guard let rests = end(run) else { return found }
        // The directories stay cached: reading a large one costs more than all answers from it.
        if answers.count >= Self.mostAnswers { answers.removeAll() }
        answers.set(Answer(value: found, rests: rests), for: query)
        return found
    }

    /// The answer to the first question; nil if directories must be searched.
    private mutating func firstAnswer(to query: ResourceQuery) -> Answer? {
        switch state {
        case .searched: return nil
        case .askedByName(let first, let answer): return first == query ? answer : nil
        case .new:
            var run = Run()
            guard let found = answerByName(query, &run), run.failures.isEmpty else { return nil }
            let answer = Answer(value: found, rests: cache.watchSet(run.seen))
            state = .askedByName(query, answer)
            return answer
        }
    }

    package mutating func resources(_ query: ResourceQuery) -> [FoundResource] {
        if let answer = lists[query], cache.isFresh(answer.rests) { return answer.value }
        var run = begin()
        let found = list(query, &run)
        guard let rests = end(run) else { return found }
        // Lists are long, and few are requested.
        if lists.count >= Self.mostLists { lists.removeAll() }
        lists.set(ListAnswer(value: found, rests: rests), for: query)
        return found
    }

    /// The paths of a resource in each place that has it for one of the queries, which differ only in the type.
    ///
    /// `most`: stop after this number of places. Also returns whether everything on the way could be examined. If not,
    /// there may be places that come earlier.
    package mutating func allPaths(_ queries: [ResourceQuery], most: Int) -> (paths: [[String?]], isCertain: Bool) {
        var run = begin()
        let meanings = queries.map(\.meaning)
        guard let first = meanings.first ?? nil else { return ([], true) }
        var found: [[String?]] = []
        forEachPlace(first, only: nil, &run) { search, place, run in
            let paths = meanings.map { meaning -> String? in
                guard let name = meaning?.name, let file = search.file(name, in: place, &run) else { return nil }
                return search.cache.path(of: place) + "/" + file.name
            }
            if paths.contains(where: { $0 != nil }) { found.append(paths) }
            return found.count < most
        }
        return (found, isCertain(run))
    }

    /// The localisations in their order, and whether every directory that affects them could be examined.
    mutating func currentOrder() -> (order: SearchOrder, isCertain: Bool) {
        if let order, cache.isFresh(order.rests) { return (order.value, true) }
        var run = begin()
        let order = searchOrder(&run)
        return (order, isCertain(run))
    }

    /// Whether everything that a search needed could be examined; records what could not.
    private mutating func isCertain(_ run: Run) -> Bool {
        if !reported.isEmpty {
            for number in run.seen where cache.failure(of: number) == nil { reported[cache.path(of: number)] = nil }
        }
        for failure in run.failures where reported[failure.path] != failure.errno {
            guard reported.count < Self.mostReported else { break }
            reported[failure.path] = failure.errno
            failures.append(failure)
        }
        return run.failures.isEmpty
    }

    /// What could not be examined since the last call.
    mutating func takeFailures() -> [OpenedDirectory.Failure] {
        if failures.isEmpty { return [] }
        defer { failures = [] }
        return failures
    }

    package mutating func begin() -> Run {
        if cache.isFull { forgetAll() }
        if case .searched = state { return Run() }
        // Now directories are read, because their changes can be detected with fewer system calls than changes of
        // single files.
        state = .searched
        forgetAll()
        return Run()
    }

    /// The number of the set on which the answer depends; nil for an answer that must not be cached.
    ///
    /// An answer must not be cached if something could not be examined. Call this before the answer is stored: the
    /// search may have found that older answers are void.
    private mutating func end(_ run: Run) -> Int? {
        forgetOutdated()
        return isCertain(run) ? cache.watchSet(run.seen) : nil
    }

    private mutating func forgetAll() {
        cache.forgetAll()
        forgetOutdated()
    }

    /// Drops all answers if the cache has found a change since they were computed.
    private mutating func forgetOutdated() {
        guard generation != cache.generation else { return }
        generation = cache.generation
        if case .askedByName = state { state = .searched }
        answers.removeAll()
        lists.removeAll()
        order = nil
    }

    // MARK: One search

    /// The state of one search.
    package struct Run {
        package let now = DirectoryCache.now()
        /// The numbers of the directories and links on which the answer depends.
        package var seen: [Int] = []
        /// What could not be examined.
        ///
        /// It is kept separately, because a second attempt in the same search may succeed.
        package var failures: [OpenedDirectory.Failure] = []
    }

    /// Records that a search depends on a directory or link.
    private func note(_ number: Int, _ run: inout Run) {
        if !run.seen.contains(number) { run.seen.append(number) }
        guard let failure = cache.failure(of: number) else { return }
        run.failures.append(OpenedDirectory.Failure(path: cache.path(of: number), errno: failure))
    }

    private mutating func look(at path: String, _ run: inout Run) -> Int {
        let number = cache.directory(path, now: run.now)
        note(number, &run)
        return number
    }

    private mutating func find(_ query: ResourceQuery, _ run: inout Run) -> FoundResource? {
        guard let meaning = query.meaning else { return nil }
        var found: FoundResource?
        forEachPlace(meaning, only: query.localization, &run) { search, place, run in
            if let name = meaning.name {
                found = search.file(name, in: place, &run).map { FoundResource($0, in: search.cache.path(of: place)) }
            } else if let type = meaning.type {
                found = search.first(ofType: type, in: place, &run)
            }
            return found == nil
        }
        return found
    }

    private mutating func list(_ query: ResourceQuery, _ run: inout Run) -> [FoundResource] {
        guard let meaning = query.meaning else { return [] }
        var found: [FoundResource] = []
        var listed: Set<String> = []
        for place in places(meaning, only: query.localization, &run) {
            let directory = cache.path(of: place)
            forEachName(ofType: meaning.type, in: place, &run) { name, chosen in
                if listed.insert(name).inserted { found.append(FoundResource(chosen, in: directory)) }
                return true
            }
        }
        return found
    }

    // MARK: Places

    package mutating func places(
        _ meaning: ResourceQuery.Meaning, only localization: String?, _ run: inout Run
    ) -> [Int] {
        var places: [Int] = []
        forEachPlace(meaning, only: localization, &run) { _, place, _ in
            places.append(place)
            return true
        }
        return places
    }

    /// Calls body with each directory to search, in order, until it returns false.
    ///
    /// A directory is not examined before its turn.
    private mutating func forEachPlace(
        _ meaning: ResourceQuery.Meaning, only localization: String?, _ run: inout Run,
        _ body: (inout Self, Int, inout Run) -> Bool
    ) {
        for directory in directories {
            guard forEachPlace(in: directory, meaning, only: localization, &run, body) else { return }
        }
    }

    /// - Returns: whether the search continues.
    private mutating func forEachPlace(
        in directory: String, _ meaning: ResourceQuery.Meaning, only localization: String?, _ run: inout Run,
        _ body: (inout Self, Int, inout Run) -> Bool
    ) -> Bool {
        let below = meaning.directory.reduce("") { $0 + "/" + $1 }
        let global = look(at: directory + below, &run)
        guard body(&self, global, &run) else { return false }
        let root = below.isEmpty ? global : look(at: directory, &run)
        let order = searchOrder(&run)
        let languages =
            if let localization {
                LanguageMatcher.localization(equalTo: localization, from: order.localizations).map { [$0] } ?? []
            } else {
                order.languages
            }
        for language in languages {
            let folder = language + NameMark.localization
            if let item = cache.item(folder, in: root) {
                let place = look(at: Path.join(directory, item.name + below), &run)
                guard body(&self, place, &run) else { return false }
            }
            if !below.isEmpty, let item = cache.item(folder, in: global) {
                let place = look(at: Path.join(directory + below, item.name), &run)
                guard body(&self, place, &run) else { return false }
            }
        }
        return true
    }

    private mutating func searchOrder(_ run: inout Run) -> SearchOrder {
        let roots = directories.map { look(at: $0, &run) }
        forgetOutdated()
        if let order { return order.value }
        var rests = roots
        let folders = roots.flatMap { localizationFolders(in: $0, &rests, &run) }
        let value = SearchOrder.order(settings, folders: folders)
        if rests.allSatisfy({ cache.failure(of: $0) == nil }) { order = (value, cache.watchSet(rests)) }
        return value
    }

    /// The names of the `.lproj` directories in a directory.
    ///
    /// `rests` receives the links that were followed.
    private mutating func localizationFolders(in root: Int, _ rests: inout [Int], _ run: inout Run) -> [String] {
        cache.localizationNames(in: root).prefix(SearchOrder.mostLocalizations).filter { name in
            guard let item = cache.item(name, in: root) else { return false }
            guard item.kind == .unresolved else { return item.kind == .directory }
            // Each followed link must be examined again at every look-up.
            guard rests.count <= Self.mostLinkedLocalizations else { return false }
            let target = cache.target(of: Path.join(cache.path(of: root), name), now: run.now)
            rests.append(target)
            note(target, &run)
            return cache.kind(ofTarget: target) == .directory
        }
    }

    // MARK: Files

    /// The file in a directory that represents a resource: the best variant.
    package mutating func file(_ name: ResourceName, in place: Int, _ run: inout Run) -> DirectoryListing.Item? {
        for suffix in preference.suffixes {
            for generic in name.adding(suffix) {
                guard let found = item(generic, in: place, &run) else { continue }
                guard cache.hasPlatformVariants(in: place) else { return found }
                for variant in name.forPlatform(suffix) {
                    if let special = item(variant, in: place, &run) { return special }
                }
                return found
            }
        }
        return nil
    }

    /// The item of a name in a directory, if it is a resource.
    ///
    /// If it is a link, the kind of its target is determined.
    package mutating func item(_ name: String, in place: Int, _ run: inout Run) -> DirectoryListing.Item? {
        guard let item = cache.item(name, in: place) else { return nil }
        guard item.kind == .unresolved else { return item }
        return kind(of: Path.join(cache.path(of: place), item.name), &run)
            .map { DirectoryListing.Item(name: item.name, kind: $0) }
    }

    /// The kind of a path's target; nil if it is not a resource.
    package mutating func kind(of path: String, _ run: inout Run) -> DirectoryListing.Kind? {
        let target = cache.target(of: path, now: run.now)
        note(target, &run)
        return cache.kind(ofTarget: target)
    }

    private mutating func first(ofType type: String, in place: Int, _ run: inout Run) -> FoundResource? {
        var found: FoundResource?
        let directory = cache.path(of: place)
        forEachName(ofType: type, in: place, &run) { _, chosen in
            found = FoundResource(chosen, in: directory)
            return false
        }
        return found
    }

    /// Calls body with the names of a type in a directory, in order, and with the variant to use for each, until it
    /// returns false.
    private mutating func forEachName(
        ofType type: String?, in place: Int, _ run: inout Run, _ body: (String, DirectoryListing.Item) -> Bool
    ) {
        for name in cache.sortedNames(in: place) where !name.hasPrefix(".") {
            if let type, !ResourceName.isName(name, ofType: type) { continue }
            let parts = ResourceName(name)
            // A variant is not listed if the file of which it is a variant exists.
            if parts.generics.contains(where: { cache.item($0, in: place) != nil }) { continue }
            if let chosen = file(parts, in: place, &run), !body(name, chosen) { return }
        }
    }
}
