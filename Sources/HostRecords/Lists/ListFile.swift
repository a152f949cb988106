import Glibc
package import HostBasics
internal import PropertyLists

/// Reads a list from its file, and writes it to the file.
///
/// Both have the same limits, so nothing is written that could not be read again.
package enum ListFile {
    /// 16 MiB, 64 levels and 2 million values: several times what 1,000 plug-ins with 40 libraries each need.
    static let limits = PropertyListLimits(size: 16 << 20, depth: 64, nodes: 2_000_000)

    /// - Returns: nil if there is no file at the path.
    static func read<Content: KeptContent>(_ path: String, _ words: ListWords) throws(OwnFile.Refusal) -> Content? {
        guard let bytes = try OwnFile.bytes(path: path, atMost: limits.size) else { return nil }
        let reason: String
        do {
            let list = try PropertyListReader.read(bytes, limits: limits).value
            if let content = Content(list) { return content }
            reason = Content.fault(in: list) ?? words.noList
        } catch {
            reason = "has a fault: \(error)"
        }
        throw OwnFile.Refusal(reason: reason, remedy: words.remedy, isDamage: true)
    }

    static func unread(_ path: String, _ refusal: OwnFile.Refusal, _ words: ListWords) -> PluginFinding {
        PluginFinding(
            words.severity, words.code, filePath: path,
            message: "\(words.subject) \(quoted(path)) cannot be used: the file \(refusal.reason.asSentence)",
            remedy: refusal.remedy)
    }

    /// Why a list cannot be written.
    package struct Unwritable: Error {
        /// The part of a sentence that is in brackets.
        package let reason: String
        package let remedy: String

        static func system(_ errno: CInt, to operation: ErrorNumber.Operation) -> Unwritable {
            Unwritable(reason: describe(errno: errno), remedy: ErrorNumber.remedy(errno, to: operation))
        }
    }

    package static func bytes(_ content: some KeptContent) throws(Unwritable) -> [UInt8] {
        let bytes: [UInt8]
        do {
            bytes = Array(try PropertyListWriter.xml(content.list).utf8)
        } catch {
            throw Unwritable(reason: "\(error)", remedy: "Use a shorter text without control characters.")
        }
        guard bytes.count <= limits.size, (try? PropertyListReader.read(bytes, limits: limits)) != nil else {
            throw Unwritable(
                reason: """
                    it would have \(bytes.count) bytes, and at most \(limits.size) bytes and \(limits.nodes) values are read
                    """,
                remedy: "Remove entries from it that are not needed any more.")
        }
        return bytes
    }

    /// Replaces a list.
    ///
    /// A link that this user made stays a link. Another user's link is replaced: through it, a process of root could be
    /// made to write to any file.
    package static func write(_ bytes: [UInt8], to path: String, for readers: OwnFile.Readers = .owner)
        throws(Unwritable)
    {
        let path = Path.linkOwner(path) == geteuid() ? Path.resolved(path) ?? path : path
        do throws(FileReplacement.Failure) {
            var replacement = FileReplacement()
            if readers == .everybody {
                replacement.create = { path in
                    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
                    // Whatever the umask is.
                    if descriptor >= 0 { fchmod(descriptor, 0o644) }
                    return descriptor
                }
            }
            try replacement.replace(path, with: bytes)
        } catch {
            throw .system(error.errno, to: error.operation)
        }
        FileReplacement.removeLeftovers(of: path)
    }

    /// Keeps a damaged file under another name, before it is replaced.
    ///
    /// The damaged file stays in its place until then. So a process that ends in between leaves a damaged file and not
    /// a missing one, which would release every plug-in.
    ///
    /// - Returns: the new path.
    static func keep(_ path: String) throws(Unwritable) -> String {
        let kept = path + ".damaged"
        unlink(kept)
        // For a link, the link itself is moved; the file that it leads to does not change.
        if Path.linkOwner(path) == nil, link(path, kept) == 0 { return kept }
        // The file cannot have two names, as a directory cannot.
        guard rename(path, kept) == 0 else { throw .system(errno, to: .rename) }
        return kept
    }
}
