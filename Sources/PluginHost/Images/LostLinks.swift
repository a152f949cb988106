/// Files that are missing libraries under their full names: `libX.so.1.2.3` without the link `libX.so.1` to it.
///
/// Links are lost by tools that copy only files, and by archives that cannot hold links.
struct LostLinks {
    /// A library without its link.
    struct Link {
        /// The library's own file.
        let file: String
        /// The missing link's name.
        let name: String

        /// A sentence with the file and the link.
        var sentence: String {
            "\(quoted(file)) is that library, but the link \(quoted(name)) to it is missing."
        }

        /// How to make the link again.
        var remedy: String {
            "Make it again: ln -s \(shellWord(Path.lastComponent(file))) "
                + "\(shellWord(Path.join(Path.parent(file), name))); copy bundles with their links: cp -a, or “pluginhost pack”."
        }
    }

    private var links: [String: Link] = [:]

    /// More missing libraries than are looked for, and more files with similar names than are opened for one.
    private static let mostLibraries = 32
    private static let mostFiles = 8

    /// Looks through the directories that were searched; each is read once.
    init(_ missing: [LibraryClosure.Missing]) {
        var listings: [String: [String]] = [:]
        for library in missing.prefix(Self.mostLibraries) {
            var left = Self.mostFiles
            for place in library.searched where place.rule != "cache" && links[library.name] == nil {
                let names = listings[place.directory] ?? DirectoryListing(path: place.directory).names.keys.sorted()
                listings[place.directory] = names
                for name in names where left > 0 && name.hasPrefix(library.name + ".") {
                    left -= 1
                    let path = Path.join(place.directory, name)
                    guard let file = try? ImageFile(path: path), file.ownName == library.name else { continue }
                    links[library.name] = Link(file: path, name: library.name)
                    break
                }
            }
        }
    }

    /// The file of a missing library; nil if there is none.
    subscript(name: String) -> Link? { links[name] }
}
