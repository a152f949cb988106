import HostBasics

/// The directory in which the library keeps its state for an application of a user.
package enum ApplicationState {
    /// The directory: the application's name in `$XDG_STATE_HOME`, by default `~/.local/state`.
    ///
    /// - Returns: nil if the name is not one path component, or the user has no home directory.
    package static func directory(of application: String) -> String? {
        guard !application.isEmpty, application != ".", application != "..",
            !application.utf8.contains(where: { $0 == UInt8(ascii: "/") || $0 == 0 })
        else { return nil }
        return UserDirectories.process.state.map { Path.join($0, application) }
    }
}
