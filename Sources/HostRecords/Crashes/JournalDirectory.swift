internal import CSandbox
import Glibc
import HostBasics
import HostLogging
internal import PluginABI

/// The directory with the crash journals of an application's processes.
///
/// A journal is named by the number of its process. The journal of a crash that cannot be blamed on any plug-in is kept
/// under another name, because a second such crash has consequences: see ``CrashJournal/advice(_:)``.
package struct JournalDirectory {
    private let path: String

    package init(_ path: String) { self.path = path }

    private static let keptSuffix = ".kept"
    private static let mostKept = 8
    private static let longestKept: Int64 = 7 * 24 * 3600 * 1_000_000_000
    /// More journals than an application has processes.
    private static let mostRead = 4096

    private struct Found {
        let path: String
        let isKept: Bool
        let record: CrashJournal.Record
        let notes: JournalNotes
    }

    /// Reads the journals of processes that have ended, and removes them.
    ///
    /// Call it while the directory is locked, so that only one process reads each journal.
    ///
    /// - Parameter quarantine: the quarantine that counts the deaths.
    /// - Returns: the records of processes that did not end by themselves, the oldest first.
    package func takeRecords(into quarantine: Quarantine) -> [CrashJournal.Record] {
        var found: [Found] = []
        var lastGoodEnd = Int64.min
        for name in DirectoryListing(path: path).names.keys.sorted().prefix(Self.mostRead) where Self.isJournal(name) {
            let file = Path.join(path, name)
            var content = phs_journal_record()
            switch phs_journal_read(file, &content) {
            case 0: break
            case EBUSY: continue  // its process lives
            case let error:
                report(file, error)
                continue
            }
            if content.state == PHS_JOURNAL_CLEAN.rawValue {
                lastGoodEnd = max(lastGoodEnd, content.ended)
                unlink(file)
                continue
            }
            let notes = JournalNotes(journalAt: file)
            let record = CrashJournal.Record(content, hadPlugins: !notes.plugins.isEmpty)
            found.append(
                Found(path: file, isKept: name.hasSuffix(Self.keptSuffix), record: record, notes: notes))
        }
        found.sort { $0.record.started < $1.record.started }
        return keep(found, since: lastGoodEnd, quarantine)
    }

    private func keep(_ found: [Found], since lastGoodEnd: Int64, _ quarantine: Quarantine) -> [CrashJournal.Record] {
        let now = FileIdentity.now
        var records: [CrashJournal.Record] = []
        var keptCount = 0
        for journal in found.reversed() {
            let end = journal.record.ended ?? journal.record.started
            let isRecent = abs(now - end) <= Self.longestKept && end > lastGoodEnd
            if journal.isKept, !isRecent || keptCount == Self.mostKept {
                unlink(journal.path)
                continue
            }
            records.append(journal.record)
            if !journal.isKept { count(journal, in: quarantine) }
            if journal.record.isUnexplained, isRecent, keptCount < Self.mostKept {
                keptCount += 1
                let kept = "\(Path.join(path, "\(end)"))\(Self.keptSuffix)"
                if !journal.isKept, rename(journal.path, kept) != 0 { unlink(journal.path) }
            } else {
                unlink(journal.path)
            }
        }
        return records.reversed()
    }

    private func count(_ journal: Found, in quarantine: Quarantine) {
        for suspect in journal.record.blamed {
            let death = journal.record.death(of: suspect)
            if suspect.certainty.isCertain {
                HostLog.write(
                    .warning, bundleIdentifier: suspect.identifier,
                    "The application ended at \(death.timeText) by \(suspect.identifier): \(death).")
            }
            guard let evidence = journal.notes.evidence(against: suspect.identifier) else { continue }
            if quarantine.note(death, of: evidence, .ofApplication) {
                HostLog.write(
                    .warning, bundleIdentifier: suspect.identifier,
                    "The plug-in \(quoted(evidence.identifier)) is in quarantine.")
            }
        }
    }

    /// `123`, `123-1` or `123.kept`: other files are not journals.
    private static func isJournal(_ name: String) -> Bool {
        let number = name.hasSuffix(keptSuffix) ? name.dropLast(keptSuffix.count) : name[...]
        return !number.isEmpty && number.utf8.allSatisfy { (48...57).contains($0) || $0 == 45 }
    }

    /// Reports a file that is not a usable journal.
    ///
    /// A damaged file and a link are removed, so they are reported only once.
    private func report(_ file: String, _ error: CInt) {
        let reason =
            switch error {
            case EINVAL: "is damaged, or no journal"
            case ELOOP: "is a link"
            case EPERM: "belongs to another user"
            default: "cannot be read (\(describe(errno: error)))"
            }
        let advice = [EINVAL, ELOOP, EPERM].contains(error) ? "" : " " + ErrorNumber.remedy(error)
        HostLog.write(.warning, "The crash journal \(quoted(file)) \(reason); it is ignored.\(advice)")
        if error == EINVAL || error == ELOOP { unlink(file) }
    }
}
