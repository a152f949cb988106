import Glibc
internal import HostBasics

/// A directory of this process alone, in `TMPDIR` or `/tmp`, for files that exist only for a moment.
///
/// It is removed together with the value.
struct TemporaryDirectory: ~Copyable {
    let path: String

    /// - Throws: ``PackingError`` if it cannot be made.
    init() throws(PackingError) {
        let wanted = getenv("TMPDIR").flatMap { String(validatingCString: $0) } ?? ""
        let place = Path.resolved(wanted) ?? "/tmp"
        var template = OpenedDirectory.name(Path.join(place, "pluginhost-XXXXXX"))
        guard mkdtemp(&template) != nil else {
            throw .refused(.unwritable, place, cannot: "be written to", to: .make, errno: errno)
        }
        path = OpenedDirectory.text(template)
    }

    deinit { try? StagingDirectory.remove(path) }
}
