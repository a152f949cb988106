import ELFImages
import Glibc
import HostBasics

/// A file with code, and the data that shows whether it is still the same.
struct CodeFile: Sendable, Hashable {
    /// The path by which the dynamic linker finds it.
    let path: String
    /// The SHA-256 of its content, in hexadecimal digits.
    let digest: String
    /// ``FileIdentity/noted`` of the file.
    var identity: String

    /// Reads a file.
    ///
    /// - Returns: nil if it cannot be read.
    ///
    /// **Cost.** Some milliseconds for each megabyte, the first time in this process.
    init?(path: String) {
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

    init(path: String, digest: String, identity: String) {
        self.path = path
        self.digest = digest
        self.identity = identity
    }

    /// How a file compares to its noted digest and identity.
    enum Comparison: Equatable {
        case same
        /// The same content, but the file was written again, or its device got another number.
        case copied(CodeFile)
        case other
    }

    /// Compares the file at the path now.
    ///
    /// **Cost.** One system call; the file is read only if its identity has changed.
    var comparison: Comparison {
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
    var noted: String { "\(device) \(inode) \(size) \(modified) \(changed)" }
}

extension PluginBundle {
    /// The files whose code runs when the bundle is used: its executable first, then every library that would be loaded
    /// for it, in the bundle or outside.
    ///
    /// No code runs.
    ///
    /// - Throws: ``PluginError`` if there is no executable that can be opened.
    ///
    /// **Cost.** Reads those of the files that this process has not read yet.
    func codeFiles() throws(PluginError) -> [CodeFile] { try codePaths().compactMap(CodeFile.init(path:)) }

    /// The paths of ``codeFiles()``, each once.
    ///
    /// **Cost.** Searches for every library that the executable needs.
    func codePaths() throws(PluginError) -> [String] {
        let path = try openExecutable().path
        var paths = [path]
        if let image = try? ELFFile(path: path) {
            let host = HostLibraries(.currentProcess(pluginLibraries: []), excluding: image)
            let closure = LibraryClosure(of: image, libraries: CarriedLibraries(of: self), in: host)
            paths += closure.newFiles.dropFirst().map(\.path) + closure.present.compactMap { $0.file?.path }
        }
        var seen: Set<String> = []
        return paths.filter { seen.insert($0).inserted }
    }
}
