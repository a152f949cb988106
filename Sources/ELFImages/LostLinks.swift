import Glibc
import HostBasics

/// Files that are missing libraries under other names: `libX.so.1.2.3` without the link `libX.so.1` to it.
///
/// Tools that copy only files lose links, and so do archives that cannot store links. Some tools leave a link that
/// leads nowhere or a small text file in place of a link.
struct LostLinks {
    /// A library without its link.
    package struct Link {
        /// The kind of item in the link's place.
        package enum Obstacle {
            case link
            case directory
            case other
        }

        /// The path of the library's file.
        package let file: String
        /// The missing link's name.
        package let name: String
        /// Nil if nothing is in the link's place.
        package let obstacle: Obstacle?

        package init(file: String, name: String) {
            self.file = file
            self.name = name
            var status = stat()
            if lstat(Path.join(Path.parent(file), name), &status) != 0 {
                obstacle = nil
            } else {
                switch status.st_mode & S_IFMT {
                case S_IFLNK: obstacle = .link
                case S_IFDIR: obstacle = .directory
                default: obstacle = .other
                }
            }
        }

        private var place: String { Path.join(Path.parent(file), name) }

        /// A sentence that names the file and the link.
        package var sentence: String {
            let library = "\(quoted(file)) is that library, but"
            return switch obstacle {
            case nil: "\(library) the link \(quoted(name)) to it is missing."
            case .link: "\(library) the link \(quoted(name)) beside it leads elsewhere."
            case .directory, .other: "\(library) \(quoted(name)) beside it is not a link to it."
            }
        }

        /// How to create the link again.
        package var remedy: String {
            let options = obstacle == .link || obstacle == .other ? "-sf" : "-s"
            return (obstacle == .directory ? "Remove the directory \(quoted(place)), and make" : "Make")
                + " it again: ln \(options) \(shellWord(Path.lastComponent(file))) "
                + "\(shellWord(place)); copy bundles with their links: cp -a, or “pluginhost pack”."
        }
    }

    private var links: [String: Link] = [:]

    /// How many missing libraries are looked for, and how many files with similar names are opened for each.
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
                for name in Self.similar(to: library.name, in: names) where left > 0 {
                    left -= 1
                    let path = Path.join(place.directory, name)
                    guard let file = try? ELFFile(path: path), file.ownName == library.name else { continue }
                    links[library.name] = Link(file: path, name: library.name)
                    break
                }
            }
        }
    }

    /// The names that the file of a library may have, the most likely first: `libX.so.1.2.3`, then `libX.so` and
    /// `libX-1.2.3.so`.
    private static func similar(to library: String, in names: [String]) -> [String] {
        let longer = names.filter { $0.hasPrefix(library + ".") }
        guard let end = library.firstRange(of: ".so") else { return longer }
        let stem = library[..<end.lowerBound]
        return longer
            + names.filter { name in
                name != library && !name.hasPrefix(library + ".")
                    && (name.hasPrefix(stem + ".so") || name.hasPrefix(stem + "-") && name.hasSuffix(".so"))
            }
    }

    /// The file of a missing library; nil if there is none.
    subscript(name: String) -> Link? { links[name] }
}
