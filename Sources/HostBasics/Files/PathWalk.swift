/// Walks along a path, name by name, and through every link.
///
/// A watch needs every name on the way, including names in the targets of links: if one of them leads elsewhere, so
/// does the path. The walk does not check whether the directories exist.
struct PathWalk {
    /// A name, and the directory in which it is looked up.
    ///
    /// The directory's path contains no links.
    package struct Step {
        package let directory: String
        package let name: String
    }

    /// The directory that the walk has reached; at the end, the whole path without links.
    package private(set) var directory = "/"
    /// The remaining names, the next one last.
    private var names: [Substring]
    private var linksLeft = 40
    private var stepsLeft = 512

    /// - Parameter path: an absolute path.
    init(_ path: String) { names = Self.names(path).reversed() }

    private static func names(_ path: String) -> [Substring] { path.split(separator: "/") }

    /// Whether no name is left.
    var isFinished: Bool { names.isEmpty }

    /// The next name; nil at the end, or after more names than any path has.
    ///
    /// A loop of links ends after 40 links, as in the kernel.
    package mutating func next() -> Step? {
        while let name = names.last {
            guard stepsLeft > 0 else { return nil }
            if name == "." {
                names.removeLast()
            } else if name == ".." {
                names.removeLast()
                directory = Path.parent(directory)
            } else {
                return Step(directory: directory, name: String(name))
            }
        }
        return nil
    }

    /// Goes to the name that ``next()`` has returned or, if it is a link, to its target.
    mutating func advance() {
        guard let name = names.popLast() else { return }
        stepsLeft -= 1
        let path = Path.join(directory, String(name))
        guard linksLeft > 0, let target = Path.linkTarget(path) else {
            directory = path
            return
        }
        linksLeft -= 1
        if target.hasPrefix("/") { directory = "/" }
        names += Self.names(target).reversed()
    }
}
