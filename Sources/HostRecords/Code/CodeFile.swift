import Glibc
package import HostBasics

/// A file with code, and the data that shows whether it is still the same.
package struct CodeFile: Sendable, Hashable {
    /// The path by which the dynamic linker finds it.
    package let path: String
    /// The SHA-256 of its content, in hexadecimal digits.
    package let digest: String
    /// ``FileIdentity/noted`` of the file.
    package internal(set) var identity: String

    /// Reads a file.
    ///
    /// - Returns: nil if it cannot be read.
    ///
    /// **Cost.** Some milliseconds for each megabyte, the first time in this process.
    package init?(path: String) {
        let now = FileIdentity.now
        guard let file = try? OpenedFile(path: path) else { return nil }
        let identity = file.identity.noted
        if let known = Self.digests.withLock({ $0[identity] }) {
            self.init(path: path, digest: known, identity: identity)
            return
        }
        guard let digest = try? file.digest() else { return nil }
        // A file that was written very recently could change again without a change of its times.
        if file.identity.isSettled(at: now) {
            Self.digests.withLock { digests in
                if digests.count >= 4096 { digests = [:] }
                digests[identity] = digest
            }
        }
        self.init(path: path, digest: digest, identity: identity)
    }

    /// The digests of files that were read, by identity: most libraries serve many plug-ins.
    private static let digests = Lock<[String: String]>([:])

    package init(path: String, digest: String, identity: String) {
        self.path = path
        self.digest = digest
        self.identity = identity
    }

    /// How a file compares to its noted digest and identity.
    package enum Comparison: Equatable {
        case same
        /// The same content, but the file was written again, or its device got another number.
        case copied(CodeFile)
        case other
    }

    /// Compares the file at the path now.
    ///
    /// **Cost.** One system call; the file is read only if its identity has changed.
    package var comparison: Comparison {
        guard let found = FileIdentity(path: path) else {
            // If the file exists but cannot be examined, it is not known to have changed.
            return ErrorNumber.saysAbsent(errno) ? .other : .same
        }
        if found.noted == identity { return .same }
        guard let now = CodeFile(path: path) else { return .same }
        return now.digest == digest ? .copied(now) : .other
    }
}

extension FileIdentity {
    /// A text that stays the same as long as the file is the same one and its times show no write.
    package var noted: String { "\(device) \(inode) \(size) \(modified) \(changed)" }
}
