/// A path in `PHPermissions`: where it begins, and the names that follow.
package struct PermissionPath: Sendable, Hashable {
    /// The directory in which it begins.
    package enum Base: Sendable, Hashable {
        /// `/`.
        case root
        /// `$HOME`: the user's home directory.
        case home
        /// `$DOCUMENTS`: the user's directory for documents.
        case documents
        /// `$CONFIG`: the user's directory for settings.
        case config
        /// `$STATE`: the plug-in's own directory.
        case state
        /// `$HOST/name`: a directory of the application.
        case host(String)
    }

    /// Why a text is not a valid path.
    package struct Fault: Error {
        /// As in “has the path “x”, which REASON”.
        package let reason: String
    }

    package let base: Base
    /// Empty for the base itself.
    package let names: [String]

    /// The longest path, in bytes: the limit of Linux.
    package static let longest = 4_095

    /// Reads a path.
    ///
    /// `..` is refused and not resolved, because people who read the path should not have to resolve it.
    package init(_ text: String) throws(Fault) {
        guard text.utf8.count <= Self.longest else { throw Fault(reason: "is longer than \(Self.longest) bytes") }
        guard !text.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F }) else {
            throw Fault(reason: "contains a control character")
        }
        var names = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        let first = names.removeFirst()
        switch first {
        case "" where !text.isEmpty: base = .root
        case "$HOME": base = .home
        case "$DOCUMENTS": base = .documents
        case "$CONFIG": base = .config
        case "$STATE": base = .state
        case "$HOST":
            guard let name = names.first, !name.isEmpty else {
                throw Fault(reason: "names no directory of the application, as in $HOST/name")
            }
            base = .host(names.removeFirst())
        default: throw Fault(reason: "begins with none of \(Self.beginnings)")
        }
        // “/” and a slash at the end.
        if names.last == "" { names.removeLast() }
        for name in names {
            if name.isEmpty { throw Fault(reason: "has an empty part") }
            if name == "." || name == ".." { throw Fault(reason: "has a part “\(name)”") }
        }
        if case .host(let name) = base, name == "." || name == ".." { throw Fault(reason: "has a part “\(name)”") }
        self.names = names
    }

    static let beginnings = "$HOME, $DOCUMENTS, $CONFIG, $STATE, $HOST/name and /"
}
