package import BundleReading
internal import CPluginSupport.Shims
import Glibc
import HostBasics

/// Keeps the ends of workers that may not be in the quarantine file yet.
///
/// Counting an end takes time, because it reads the files of the plug-in. No caller waits for that, so the application
/// may end first. Therefore the end is written down before its caller has the error, as a row in a file of this
/// process. The next process of the application that reads the quarantine counts the rows of processes that have ended.
/// The lock of a file shows whether its process lives.
package enum StrikeNotes {
    private struct State {
        var process: pid_t = 0
        var place = ""
        var descriptor: CInt = -1
        /// The times of the ends that are not counted yet.
        var open: Set<Int64> = []
    }

    private static let state = Lock(State())
    private static let mostFiles = 1_024
    private static let mostBytes = 256 << 10
    private static let mostTexts = 9

    /// Writes down an end.
    ///
    /// `place`: the directory, which is created if it is missing. An end that cannot be written is still counted if the
    /// application keeps running.
    package static func keep(
        _ death: Quarantine.Death, of plugin: PluginInfo, _ limit: QuarantineList.Limit, in place: String
    ) {
        let within = Int64(limit.within / .nanoseconds(1))
        let texts = [
            plugin.identifier, plugin.originalPath, JournalNotes.executable(of: plugin), "\(death.time)",
            death.end,
            death.phase, death.method ?? "", "\(limit.deaths)", "\(within)",
        ]
        let row = texts.flatMap { $0.utf8.filter { $0 != 0 } + [0] }
        state.withLock { state in
            if state.process != getpid() || state.place != place {
                // A child that was forked leaves the file to its parent.
                if state.descriptor >= 0 { close(state.descriptor) }
                state = State(process: getpid(), place: place, descriptor: begin(place))
            }
            guard state.descriptor >= 0, write(state.descriptor, row, row.count) == row.count else { return }
            state.open.insert(death.time)
        }
    }

    /// Notes that the end with this time is in the quarantine file.
    package static func settle(_ time: Int64) {
        state.withLock { state in
            guard state.process == getpid(), state.open.remove(time) != nil, state.open.isEmpty else { return }
            ftruncate(state.descriptor, 0)
        }
    }

    /// Makes the file of this process; -1 if that fails.
    private static func begin(_ place: String) -> CInt {
        OwnFile.makeDirectory(place)
        // A process in another container with the same home directory may have the same number.
        for number in 0..<8 {
            let path = Path.join(place, "\(getpid())-\(number)")
            let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0o600)
            guard descriptor >= 0 else {
                if errno == EEXIST { continue }
                return -1
            }
            // Another process may have mistaken it for the file of a process that has ended, and removed it.
            if flock(descriptor, LOCK_EX | LOCK_NB) == 0, isAt(path, descriptor) { return descriptor }
            close(descriptor)
        }
        return -1
    }

    /// Counts the ends that ended processes have written down, and removes their files.
    ///
    /// `quarantine`: the quarantine of the directory.
    static func take(from place: String, into quarantine: Quarantine) {
        for name in DirectoryListing(path: place).names.keys.sorted().prefix(mostFiles) {
            let path = Path.join(place, name)
            let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
            guard descriptor >= 0 else { continue }
            defer { close(descriptor) }
            var identity = phs_file_identity()
            guard phs_fstat(descriptor, &identity) == 0, identity.owner == geteuid(),
                Int(identity.mode) & PHS_KIND_OF_FILE == PHS_REGULAR_FILE,
                flock(descriptor, LOCK_EX | LOCK_NB) == 0, isAt(path, descriptor)
            else { continue }
            if count(bytes(of: descriptor), in: quarantine) { unlink(path) }
        }
    }

    private static func isAt(_ path: String, _ descriptor: CInt) -> Bool {
        var here = phs_file_identity(), there = phs_file_identity()
        return phs_fstat(descriptor, &here) == 0 && phs_stat(path, &there) == 0 && here.inode == there.inode
            && here.device == there.device
    }

    private static func bytes(of descriptor: CInt) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: mostBytes) { buffer, count in
            while count < buffer.count {
                let more = read(descriptor, buffer.baseAddress! + count, buffer.count - count)
                if more <= 0 { break }
                count += more
            }
        }
    }

    /// - Returns: whether the bytes are no longer needed.
    private static func count(_ bytes: [UInt8], in quarantine: Quarantine) -> Bool {
        var texts = bytes.split(separator: 0, omittingEmptySubsequences: false).map {
            String(decoding: $0, as: UTF8.self)
        }
        // Drop what follows the last zero. A row that was cut off is ignored.
        texts.removeLast()
        var isSaved = true
        for start in stride(from: 0, to: texts.count - texts.count % mostTexts, by: mostTexts) {
            let row = texts[start..<start + mostTexts].map(\.self)
            guard let time = Int64(row[3]), let deaths = Int(row[7]), let within = Int64(row[8]),
                let evidence = JournalNotes.evidence(against: row[1], whoseExecutableWas: row[2]),
                evidence.identifier == row[0]
            else { continue }
            let death = Quarantine.Death(
                time: time, end: row[4], phase: row[5], method: row[6].isEmpty ? nil : row[6], isCertain: true,
                isOfWorker: true)
            let limit = QuarantineList.Limit(deaths: max(1, deaths), within: .nanoseconds(within))
            if !quarantine.noteMissed(death, of: evidence, limit) { isSaved = false }
        }
        return isSaved
    }
}
