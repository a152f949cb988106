extension ResourceSearch {
    /// All files that serve a resource, in the first directory of the order where a look-up finds one, else in the
    /// first that has any.
    ///
    /// Not remembered: a program asks for its icon once.
    mutating func variants(_ query: ResourceQuery) -> [ResourceVariant] {
        guard let meaning = query.meaning, let name = meaning.name else { return [] }
        var run = begin()
        var firstFound: [ResourceVariant] = []
        for place in places(meaning, only: query.localization, &run) {
            let found = variants(of: name, in: place, &run)
            guard let best = file(name, in: place, &run) else {
                if firstFound.isEmpty { firstFound = found }
                continue
            }
            let path = cache.path(of: place) + "/" + best.name
            return found.filter { $0.path == path } + found.filter { $0.path != path }
        }
        return firstFound
    }

    /// The files in one directory: those for any device first, then by device, each by scale. A file for this platform
    /// replaces the one it is a variant of, and counts only beside it, as in a look-up.
    private mutating func variants(
        of name: ResourceName, in place: Int, _ run: inout Run
    ) -> [ResourceVariant] {
        var files: [ResourceName.Marks: String] = [:]
        for candidate in cache.sortedNames(in: place) where Self.mayBegin(candidate, as: name.full) {
            let parts = ResourceName(candidate)
            guard candidate == name.full || parts.generics.contains(name.full),
                let item = item(candidate, in: place, &run), item.kind == .file
            else { continue }
            files[parts.marks] = item.name
        }
        var variants: [ResourceVariant] = []
        for (marks, file) in files where !marks.isForPlatform || name.marks.isForPlatform {
            let special = files[ResourceName.Marks(isForPlatform: true, device: marks.device, scale: marks.scale)]
            variants.append(
                ResourceVariant(
                    path: cache.path(of: place) + "/" + (special ?? file), device: marks.device, scale: marks.scale))
        }
        return variants.sorted { ($0.device ?? "", $0.scale, $0.path) < ($1.device ?? "", $1.scale, $1.path) }
    }

    /// Tells most names of a large directory apart by their first byte.
    private static func mayBegin(_ candidate: String, as name: String) -> Bool {
        guard let a = candidate.utf8.first, let b = name.utf8.first else { return false }
        // Other characters have several spellings in Unicode.
        return a == b || a >= 128 || b >= 128
    }
}
