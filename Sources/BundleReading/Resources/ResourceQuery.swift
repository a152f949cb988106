import Glibc

/// A question to a ``ResourceFinder``, as the caller put it.
package struct ResourceQuery: Hashable, Sendable {
    package var name: String?
    package var type: String?
    package var directory: String?
    package var localization: String?

    /// The type is not hashed if there is a name: few names are used with more than one type, and hashing it would cost
    /// as much as all the rest.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(name ?? type ?? "")
        if let directory { hasher.combine(directory) }
        if let localization { hasher.combine(localization) }
    }

    /// The parsed query; nil if it cannot name a resource.
    ///
    /// These names and directories find nothing: those that contain `..`, even if it leads back inside; those that
    /// begin with a slash; those with a NUL, which would end the path early; and those that are longer than a file
    /// system allows.
    package var meaning: Meaning? {
        if let localization, !Self.isSafe(localization) || localization.utf8.contains(UInt8(ascii: "/")) { return nil }
        let type = ResourceName.type(type)
        if let type, !Self.isSafe(type) || type.utf8.contains(UInt8(ascii: "/")) { return nil }
        guard var components = Self.components(directory ?? "") else { return nil }
        guard let name, !name.isEmpty else { return Meaning(directory: components, name: nil, type: type) }
        // The name may include a directory: "images/icon".
        guard let parts = Self.components(name), let last = parts.last, !name.hasSuffix("/") else { return nil }
        components += parts.dropLast()
        let file = ResourceName(last, type: type)
        // "." with the type "/x" was refused above; "." with the type "." is "..", and is refused here.
        guard file.full != "..", file.full != "." else { return nil }
        return Meaning(directory: components, name: file, type: type)
    }

    package struct Meaning {
        /// Relative to the resources, or to the directory of a localisation.
        package let directory: [String]
        /// Nil for the first file of the type.
        package let name: ResourceName?
        /// Without a leading dot, not empty.
        package let type: String?
    }

    /// The components of a relative path, without empty ones and ".".
    private static func components(_ path: String) -> [String]? {
        guard path.utf8.count < PATH_MAX else { return nil }
        // Most names have no slash.
        guard path.utf8.contains(UInt8(ascii: "/")) else {
            guard path.utf8.count <= NAME_MAX else { return nil }
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
