import HostBasics
@_spi(PluginHost) internal import PluginABI

/// The file of an image or sound that was found by its name.
///
/// **Threads.** Any; no lock is held while the file is read.
final class MediaFile: MediaBytes {
    let path: String
    private let bundlePath: String

    init(path: String, bundlePath: String) {
        self.path = path
        self.bundlePath = bundlePath
    }

    deinit { MediaStore.shared.remove(ObjectIdentifier(self)) }

    func bytes() throws -> [UInt8] {
        if let known = MediaStore.shared.bytes(of: ObjectIdentifier(self)) { return known }
        let limit = HostEnvironment.current.nibLimits.media
        let bytes: [UInt8]
        do throws(OpenedFile.Failure) {
            bytes = try OpenedFile(path: path).bytes(atMost: limit)
        } catch {
            throw PluginError(
                bundlePath: bundlePath,
                PluginFinding(
                    .nibResourceMissing, filePath: path, message: "The file \(quoted(path)) \(error.reason).",
                    remedy: error.remedy(else: "Install the bundle again.")
                )
                .refused(by: error.errno))
        }
        guard bytes.count <= limit else { throw PluginError(bundlePath: bundlePath, .mediaTooLarge(path, limit)) }
        MediaStore.shared.keep(bytes, of: ObjectIdentifier(self))
        return bytes
    }
}

/// The bytes of the most recently used images and sounds.
///
/// **Threads.** Any.
final class MediaStore: Sendable {
    static let shared = MediaStore(limit: 64 << 20)

    private struct State {
        var kept: [ObjectIdentifier: (bytes: [UInt8], used: Int)] = [:]
        var size = 0
        /// Counts uses.
        var clock = 0
    }

    private let limit: Int
    private let state = Lock(State())

    /// - Parameter limit: the maximum number of bytes to keep in total.
    init(limit: Int) { self.limit = limit }

    func bytes(of file: ObjectIdentifier) -> [UInt8]? {
        state.withLock { state in
            guard let bytes = state.kept[file]?.bytes else { return nil }
            state.clock += 1
            state.kept[file]?.used = state.clock
            return bytes
        }
    }

    /// Keeps bytes, and evicts the least recently used ones while the total exceeds the limit.
    func keep(_ bytes: [UInt8], of file: ObjectIdentifier) {
        state.withLock { state in
            state.clock += 1
            state.size += bytes.count - (state.kept[file]?.bytes.count ?? 0)
            state.kept[file] = (bytes, state.clock)
            while state.size > limit, let oldest = state.kept.min(by: { $0.value.used < $1.value.used }) {
                state.size -= oldest.value.bytes.count
                state.kept[oldest.key] = nil
            }
        }
    }

    func remove(_ file: ObjectIdentifier) {
        state.withLock { state in
            guard let old = state.kept.removeValue(forKey: file) else { return }
            state.size -= old.bytes.count
        }
    }

    /// The number of bytes that are kept.
    var size: Int { state.withLock(\.size) }
}

extension PluginFinding {
    static func mediaTooLarge(_ path: String, _ limit: Int) -> PluginFinding {
        PluginFinding(
            .warning, .nibResourceMissing, filePath: path,
            message: "The file \(quoted(path)) is larger than \(limit) bytes, which is the limit.",
            remedy: "Use a smaller file, or raise HostEnvironment.current.nibLimits.media.")
    }
}
