/// The search of a ``ResourceFinder`` and what it remembers.
///
/// **Threads.** A value, guarded by its finder.
struct ResourceSearch: Sendable {
    let directory: String
    var settings: LocalizationSettings {
        didSet { if settings != oldValue { forgetAll() } }
    }
    var variants: ResourceVariants {
        didSet { if variants != oldValue { forgetAll() } }
    }

    /// Answers remembered, found or not; then they are all dropped. A program that asks for ever new names must not
    /// fill the memory.
    static let mostAnswers = 16_384
    static let mostLists = 64

    private var cache = DirectoryCache()
    private var answers: [ResourceQuery: Answer<String?>] = [:]
    private var lists: [ResourceQuery: Answer<[String]>] = [:]
    private var order: Answer<SearchOrder>?
    /// The generation of the cache that all answers are of.
    private var generation: UInt64 = 0

    private struct Answer<Value: Sendable>: Sendable {
        let value: Value
        /// The number of the set of directories it rests on.
        let rests: Int
    }

    init(directory: String, settings: LocalizationSettings, variants: ResourceVariants) {
        self.directory = directory
        self.settings = settings
        self.variants = variants
    }

    // MARK: Remembered answers

    mutating func path(_ query: ResourceQuery) -> String? {
        if let answer = answers[query], cache.isFresh(answer.rests) { return answer.value }
        var run = begin()
        let path = find(query, &run)
        let rests = end(run)
        // What is known of the directories stays: reading a large one costs more than all answers from it.
        if answers.count >= Self.mostAnswers { answers = [:] }
        answers[query] = Answer(value: path, rests: rests)
        return path
    }

    mutating func paths(_ query: ResourceQuery) -> [String] {
        if let answer = lists[query], cache.isFresh(answer.rests) { return answer.value }
        var run = begin()
        let paths = list(query, &run)
        let rests = end(run)
        // Lists are long, and few are asked for.
        if lists.count >= Self.mostLists { lists = [:] }
        lists[query] = Answer(value: paths, rests: rests)
        return paths
    }

    /// For each place that has a resource of one of the queries, which differ in the type alone, the path of each.
    mutating func allPaths(_ queries: [ResourceQuery]) -> [[String?]] {
        var run = Run()
        let meanings = queries.map(\.meaning)
        guard let first = meanings.first ?? nil else { return [] }
        let found = places(first, only: nil, &run).map { place in
            meanings.map { meaning in
                (meaning?.name).flatMap { file($0, in: place, &run) }.map { path(place, $0) }
            }
        }
        return found.filter { $0.contains { $0 != nil } }
    }

    mutating func currentOrder() -> SearchOrder {
        if let order, cache.isFresh(order.rests) { return order.value }
        var run = Run()
        return searchOrder(&run)
    }

    private mutating func begin() -> Run {
        if cache.isFull { forgetAll() }
        return Run()
    }

    /// The number of what the answer rests on. To be called before the answer is kept: the search may have found that
    /// older answers are void.
    private mutating func end(_ run: Run) -> Int {
        forgetOutdated()
        return cache.watchSet(run.seen)
    }

    private mutating func forgetAll() {
        cache.forgetAll()
        forgetOutdated()
    }

    /// Drops what was concluded from directories that have changed since.
    private mutating func forgetOutdated() {
        guard generation != cache.generation else { return }
        generation = cache.generation
        answers.removeAll(keepingCapacity: true)
        lists.removeAll()
        order = nil
    }

    // MARK: One search

    /// What one search has looked at so far.
    private struct Run {
        let now = DirectoryCache.now()
        /// The numbers of the directories and links that the answer rests on.
        var seen: [Int] = []
    }

    private func path(_ directory: Int, _ name: String) -> String {
        cache.path(of: directory) + "/" + name
    }

    private mutating func look(at path: String, _ run: inout Run) -> Int {
        let number = cache.directory(path, now: run.now)
        if !run.seen.contains(number) { run.seen.append(number) }
        return number
    }

    private mutating func find(_ query: ResourceQuery, _ run: inout Run) -> String? {
        guard let meaning = query.meaning else { return nil }
        var found: String?
        forEachPlace(meaning, only: query.localization, &run) { search, place, run in
            if let name = meaning.name {
                found = search.file(name, in: place, &run).map { search.path(place, $0) }
            } else if let type = meaning.type {
                found = search.names(ofType: type, in: place, &run).first.map { search.path(place, $0.chosen) }
            }
            return found == nil
        }
        return found
    }

    private mutating func list(_ query: ResourceQuery, _ run: inout Run) -> [String] {
        guard let meaning = query.meaning else { return [] }
        var paths: [String] = []
        var listed: Set<String> = []
        for place in places(meaning, only: query.localization, &run) {
            for (name, chosen) in names(ofType: meaning.type, in: place, &run) where listed.insert(name).inserted {
                paths.append(path(place, chosen))
            }
        }
        return paths
    }

    // MARK: Where

    private mutating func places(
        _ meaning: ResourceQuery.Meaning, only localization: String?, _ run: inout Run
    ) -> [Int] {
        var places: [Int] = []
        forEachPlace(meaning, only: localization, &run) { _, place, _ in
            places.append(place)
            return true
        }
        return places
    }

    /// Calls body with each directory to search, in order, until it returns false. A directory is not looked at before
    /// its turn.
    private mutating func forEachPlace(
        _ meaning: ResourceQuery.Meaning, only localization: String?, _ run: inout Run,
        _ body: (inout Self, Int, inout Run) -> Bool
    ) {
        let below = meaning.directory.map { "/" + $0 }.joined()
        let global = look(at: directory + below, &run)
        guard body(&self, global, &run) else { return }
        let root = below.isEmpty ? global : look(at: directory, &run)
        let order = searchOrder(&run)
        let languages =
            if let localization {
                LanguageMatcher.localization(equalTo: localization, from: order.localizations).map { [$0] } ?? []
            } else {
                order.languages
            }
        for language in languages {
            let folder = language + ".lproj"
            if let entry = cache.entry(folder, in: root) {
                let place = look(at: directory + "/" + entry.name + below, &run)
                guard body(&self, place, &run) else { return }
            }
            if !below.isEmpty, let entry = cache.entry(folder, in: global) {
                let place = look(at: directory + below + "/" + entry.name, &run)
                guard body(&self, place, &run) else { return }
            }
        }
    }

    private mutating func searchOrder(_ run: inout Run) -> SearchOrder {
        let root = look(at: directory, &run)
        forgetOutdated()
        if let order { return order.value }
        var rests = [root]
        let folders = cache.sortedNames(in: root).filter { name in
            guard name.hasSuffix(SearchOrder.suffix), let entry = cache.entry(name, in: root) else { return false }
            guard entry.kind == .unresolved else { return entry.kind == .directory }
            let target = cache.target(ofLink: directory + "/" + name, now: run.now)
            rests.append(target)
            return cache.kind(ofTarget: target) == .directory
        }
        for number in rests where !run.seen.contains(number) { run.seen.append(number) }
        let value = SearchOrder(settings, folders: folders)
        order = Answer(value: value, rests: cache.watchSet(rests))
        return value
    }

    // MARK: Which file

    /// The name of the file in a directory that serves a resource: the best variant.
    private mutating func file(_ name: ResourceName, in place: Int, _ run: inout Run) -> String? {
        for suffix in variants.suffixes {
            for generic in name.adding(suffix) {
                guard let found = resource(generic, in: place, &run) else { continue }
                guard cache.hasPlatformVariants(in: place) else { return found }
                for variant in name.forPlatform(suffix) {
                    if let special = resource(variant, in: place, &run) { return special }
                }
                return found
            }
        }
        return nil
    }

    /// The name as it stands in the directory, if it is a resource's.
    private mutating func resource(_ name: String, in place: Int, _ run: inout Run) -> String? {
        guard let entry = cache.entry(name, in: place) else { return nil }
        guard entry.kind == .unresolved else { return entry.name }
        let target = cache.target(ofLink: path(place, entry.name), now: run.now)
        if !run.seen.contains(target) { run.seen.append(target) }
        return cache.kind(ofTarget: target) == nil ? nil : entry.name
    }

    /// The names of a type in a directory, in order, each with the variant to take for it.
    private mutating func names(
        ofType type: String?, in place: Int, _ run: inout Run
    ) -> [(name: String, chosen: String)] {
        var names: [(String, String)] = []
        for name in cache.sortedNames(in: place) where !name.hasPrefix(".") {
            if let type, !ResourceName.isName(name, ofType: type) { continue }
            let parts = ResourceName(name)
            // A variant is not listed beside what it is a variant of.
            if parts.generics.contains(where: { cache.entry($0, in: place) != nil }) { continue }
            if let chosen = file(parts, in: place, &run) { names.append((name, chosen)) }
        }
        return names
    }
}
