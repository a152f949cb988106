import HostBasics

extension ResourceSearch {
    /// All files that represent a resource, in the first directory in search order where a look-up finds one; otherwise
    /// in the first that has any.
    ///
    /// Not cached: a program needs its icon once.
    package mutating func variants(_ query: ResourceQuery) -> [ResourceVariant] {
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

    /// The files in one directory: those for any device first, then by device, each sorted by scale.
    ///
    /// A file for this platform replaces the file of which it is a variant, and only counts if that file exists, as in
    /// a look-up.
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

    /// Excludes most names of a large directory by their first byte.
    private static func mayBegin(_ candidate: String, as name: String) -> Bool {
        guard let a = candidate.utf8.first, let b = name.utf8.first else { return false }
        // Characters beyond ASCII may have several spellings in Unicode.
        return a == b || a >= 128 || b >= 128
    }
}
