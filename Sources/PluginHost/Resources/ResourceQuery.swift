/// What is asked of a ``ResourceFinder``, as it was asked.
struct ResourceQuery: Hashable, Sendable {
    var name: String?
    var type: String?
    var directory: String?
    var localization: String?

    /// The type is left out where there is a name: few names come with more than one, and hashing it would cost as much
    /// as all else.
    func hash(into hasher: inout Hasher) {
        hasher.combine(name ?? type ?? "")
        if let directory { hasher.combine(directory) }
        if let localization { hasher.combine(localization) }
    }

    /// What the query means: nil where it names nothing that could be among the resources.
    ///
    /// Nothing is found by a name or directory with `..` in it, even where it leads back in; by one that begins with a
    /// slash; and by one with a NUL, which would end the path early.
    var meaning: Meaning? {
        if let localization, !Self.isSafe(localization) || localization.utf8.contains(UInt8(ascii: "/")) { return nil }
        let type = ResourceName.type(type)
        if let type, !Self.isSafe(type) || type.utf8.contains(UInt8(ascii: "/")) { return nil }
        guard var components = Self.components(directory ?? "") else { return nil }
        guard let name, !name.isEmpty else { return Meaning(directory: components, name: nil, type: type) }
        // The name may bring a directory of its own: "images/icon".
        guard let parts = Self.components(name), let last = parts.last, !name.hasSuffix("/") else { return nil }
        components += parts.dropLast()
        let file = ResourceName(last, type: type)
        // "." with the type "/x" is refused above; "." with the type "." is "..", and that here.
        guard file.full != "..", file.full != "." else { return nil }
        return Meaning(directory: components, name: file, type: type)
    }

    struct Meaning {
        /// Relative to the resources, or to a localisation's directory.
        let directory: [String]
        /// Nil for the first of the type.
        let name: ResourceName?
        /// Without a leading dot, not empty.
        let type: String?
    }

    /// The directories in a relative path, without empty ones and ".".
    private static func components(_ path: String) -> [String]? {
        // Most names have no slash.
        guard path.utf8.contains(UInt8(ascii: "/")) else {
            return path == ".." || !isSafe(path) ? nil : path.isEmpty || path == "." ? [] : [path]
        }
        guard !path.hasPrefix("/"), isSafe(path) else { return nil }
        let components = path.utf8.split(separator: UInt8(ascii: "/")).map { String($0)! }.filter { $0 != "." }
        return components.contains("..") ? nil : components
    }

    private static func isSafe(_ text: String) -> Bool {
        !text.utf8.contains(0)
    }
}
