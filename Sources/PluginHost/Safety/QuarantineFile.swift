import Glibc
internal import PropertyLists

/// Reads and writes a quarantine file.
enum QuarantineFile {
    enum Content {
        case missing
        case list(QuarantineList)
        case refused(OwnFile.Refusal)
    }

    /// The most bytes that a file may have: enough for 1,000 plug-ins with 40 libraries each.
    private static let mostBytes = 16 << 20

    /// `entry`: reads one entry.
    static func read(_ path: String, entry: (PropertyList) -> Quarantine.Entry?) -> Content {
        do {
            guard let bytes = try OwnFile.bytes(path: path, atMost: mostBytes) else { return .missing }
            if let list = QuarantineList(try PropertyListReader.read(bytes).value, entry: entry) { return .list(list) }
            return .refused(damage("is no list of plug-ins"))
        } catch let refusal as OwnFile.Refusal {
            return .refused(refusal)
        } catch {
            return .refused(damage("has a fault: \(error)"))
        }
    }

    private static func damage(_ reason: String) -> OwnFile.Refusal {
        OwnFile.Refusal(
            reason: reason, remedy: "Look with “pluginhost quarantine list” at what is in quarantine now.",
            isDamage: true)
    }

    static func backup(of path: String) -> String { path + ".backup" }

    /// Writes the file, then its copy.
    ///
    /// - Returns: why the file could not be written, as the end of a sentence; nil if it was.
    @discardableResult
    static func write(_ list: QuarantineList, to path: String) -> String? {
        do {
            let bytes = Array(try PropertyListWriter.xml(list.list).utf8)
            try FileReplacement().replace(path, with: bytes)
            // Without a copy nothing is lost as long as the file is good.
            try? FileReplacement().replace(backup(of: path), with: bytes)
            FileReplacement.removeLeftovers(of: path)
            return nil
        } catch let error as FileReplacement.Failure {
            return describe(errno: error.errno)
        } catch {
            return "\(error)"
        }
    }

    /// Renames a damaged file.
    ///
    /// - Returns: the new path; nil if it could not be renamed.
    static func setAside(_ path: String) -> String? {
        let kept = path + ".damaged"
        return rename(path, kept) == 0 ? kept : nil
    }

    // MARK: Findings

    static func finding(_ path: String, _ refusal: OwnFile.Refusal) -> PluginFinding {
        PluginFinding(
            .warning, .quarantineUnusable, filePath: path,
            message: "The quarantine in \(quoted(path)) cannot be used: the file \(refusal.reason.asSentence)",
            remedy: refusal.remedy)
    }

    static func unwritten(_ path: String, _ reason: String) -> PluginFinding {
        PluginFinding(
            .warning, .quarantineUnusable, filePath: path,
            message: """
                A change of the quarantine in \(quoted(path)) was not written (\(reason)); it holds in this process and is \
                written with the next change.
                """,
            remedy: "Make the directory writable for the user.", systemMessage: nil)
    }
}
