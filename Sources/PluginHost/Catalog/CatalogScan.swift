import BundleReading
import CPluginSupport.Shims
import CatalogIndexing
import Dispatch
import Glibc
import HostBasics
import Synchronization

/// Scans the search paths, and reads everything that an older index does not contain.
///
/// It opens no bundle's code, and never looks for bundles inside a bundle.
struct CatalogScan {
    /// Absolute paths without empty and `.` components.
    let searchPaths: [String]
    /// The extensions of bundles' names, without the dot.
    let extensions: Set<String>
    /// How much to trust the older index.
    let validation: PluginCatalog.Validation
    let rules: CatalogRules
    /// The function that reads directories.
    var read = BundleNames.system

    /// Updates an index.
    ///
    /// - Parameter old: the previous index.
    /// - Returns: the same object if nothing has changed.
    ///
    /// **Cost.** For known bundles: one stat() per folder and, unless folders are trusted, one per Info.plist. For new
    /// or changed bundles: reading Info.plist.
    func run(old: CatalogIndex?) -> CatalogIndex {
        var seen: Set<IndexStamp> = []
        let folders = searchPaths.compactMap { scan(folder: $0, old: old, seen: &seen) }
        if let old, old.environment == rules.description, old.folders.map(\.path) == folders.map(\.path),
            folders.allSatisfy(\.isUnchanged), !dependsOnFiles(old)
        {
            return old
        }
        return build(folders, old)
    }

    /// Whether a verdict in the index depends on files that the index does not describe.
    ///
    /// **Cost.** Nothing, unless a plug-in is in quarantine; otherwise it decodes the identifier of every candidate.
    private func dependsOnFiles(_ index: CatalogIndex) -> Bool {
        if rules.quarantined.isEmpty { return false }
        return (0..<index.candidateCount).contains { number in
            let row = index.candidateRow(number)
            return rules.dependsOnFiles(of: index.text(row.identifier), at: index.path(row))
        }
    }

    // MARK: One folder

    private struct FolderScan {
        var path: String
        /// Empty for a directory that does not exist.
        var realPath = ""
        var stamp = IndexStamp.none
        var finding: PluginFinding?
        var candidates: [ListedBundle] = []
        /// Whether everything is the same as in the old index.
        var isUnchanged = false
    }

    /// A name in a folder that belongs to a bundle.
    private struct ListedBundle {
        var name: BundleNames.Name
        /// The candidate in the old index that is still valid.
        var known: Int?
    }

    /// Nil for a directory that was already scanned under another path.
    private func scan(folder path: String, old: CatalogIndex?, seen: inout Set<IndexStamp>) -> FolderScan? {
        let now = FileIdentity.now
        let known = old?.folders.first { $0.path == path }
        guard let identity = FileIdentity(path: path) else {
            if errno != ENOENT { return list(path, now, old, known) }
            return FolderScan(path: path, isUnchanged: known?.realPath == "")
        }
        // This stamp identifies the directory, not its content.
        let place = IndexStamp(device: identity.device, inode: identity.inode, size: 0, modified: 0, changed: 0)
        guard seen.insert(place).inserted else { return nil }
        guard let old, let known, known.finding == nil, known.stamp == IndexStamp(identity),
            known.realPath == path || FileIdentity(path: known.realPath)?.isSameFile(as: identity) ?? false
        else { return list(path, now, old, known) }
        var isUnchanged = true
        var candidates: [ListedBundle] = []
        let stale = validation == .folders ? [] : staleCandidates(of: known, in: old)
        if !stale.isEmpty {
            isUnchanged = false
            candidates = known.candidates.map { number in
                let name = BundleNames.Name(text: old.name(old.candidateRow(number)), isReadable: true)
                return ListedBundle(name: name, known: stale.contains(number) ? nil : number)
            }
        }
        return FolderScan(
            path: path, realPath: known.realPath, stamp: known.stamp, candidates: candidates, isUnchanged: isUnchanged)
    }

    private func list(
        _ path: String, _ now: Int64, _ old: CatalogIndex?, _ known: CatalogIndex.Folder?
    ) -> FolderScan {
        guard let realPath = Path.resolved(path) else {
            return FolderScan(path: path, realPath: path, finding: BundleNames.unlisted(path, errno))
        }
        let found: BundleNames
        do throws(PluginFinding) {
            found = try BundleNames(directory: realPath, extensions: extensions, read: read)
        } catch {
            return FolderScan(
                path: path, realPath: realPath, finding: error,
                candidates: Self.stillKnown(known, in: old, realPath, after: error))
        }
        var numbers: [String: Int] = [:]
        if let old, let known, known.realPath == realPath {
            let stale = staleCandidates(of: known, in: old)
            for number in known.candidates where !stale.contains(number) {
                numbers[old.name(old.candidateRow(number))] = number
            }
        }
        return FolderScan(
            path: path, realPath: realPath, stamp: IndexStamp(found.identity, at: now),
            candidates: found.names.map { ListedBundle(name: $0, known: $0.isReadable ? numbers[$0.text] : nil) })
    }

    /// The previous content of a folder that temporarily cannot be read.
    ///
    /// Why: having too many open files is no reason to remove plug-ins.
    private static func stillKnown(
        _ known: CatalogIndex.Folder?, in old: CatalogIndex?, _ realPath: String, after finding: PluginFinding
    ) -> [ListedBundle] {
        guard let known, let old, known.realPath == realPath, let refusal = finding.refusal,
            ErrorNumber.isPassing(refusal)
        else { return [] }
        return known.candidates.map { number in
            ListedBundle(
                name: BundleNames.Name(text: old.name(old.candidateRow(number)), isReadable: true), known: number)
        }
    }

    // MARK: What is still valid

    /// The candidates of a folder whose Info.plist is no longer the file that was read.
    private func staleCandidates(of folder: CatalogIndex.Folder, in old: CatalogIndex) -> Set<Int> {
        let directory = phs_open(AT_FDCWD, folder.realPath, O_RDONLY | O_DIRECTORY, 0)
        guard directory >= 0 else { return Set(folder.candidates) }
        defer { close(directory) }
        let found = Self.inParallel(folder.candidates) { numbers in
            withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Int(PATH_MAX)) { buffer in
                numbers.filter { !holds(old.candidateRow($0), in: old, directory, buffer) }
            }
        }
        return Set(found.joined())
    }

    private func holds(
        _ row: CandidateRow, in old: CatalogIndex, _ directory: CInt, _ buffer: UnsafeMutableBufferPointer<UInt8>
    ) -> Bool {
        guard row.stamp != .none else { return false }
        var list = row.hasUsualList ? PluginRecord.usualListPath : old.record(row).listPath ?? ""
        let length = old.bytes.withUnsafeBytes { bytes -> Int in
            let name = bytes[row.name.range]
            guard name.count + 1 + list.utf8.count < buffer.count else { return 0 }
            var end = buffer.update(fromContentsOf: name)
            buffer[end] = UInt8(ascii: "/")
            end = list.withUTF8 { buffer[(end + 1)...].update(fromContentsOf: $0) }
            buffer[end] = 0
            return end
        }
        guard length > 0 else { return false }
        var identity = phs_file_identity()
        let status = buffer.withMemoryRebound(to: CChar.self) { phs_stat_at(directory, $0.baseAddress, &identity) }
        return status == 0 && IndexStamp(FileIdentity(identity)) == row.stamp
    }

    // MARK: A new index

    private func build(_ folders: [FolderScan], _ old: CatalogIndex?) -> CatalogIndex {
        var builder = CatalogIndexBuilder(rules: rules)
        for folder in folders {
            let bundles: [ScannedBundle]
            if folder.isUnchanged, let old, let known = old.folders.first(where: { $0.path == folder.path }) {
                bundles = ScannedBundle.known(known.candidates.map(old.candidateRow), in: old)
            } else {
                bundles = readCandidates(folder, old)
            }
            // If a name cannot be opened, only reading the directory again shows a change. The same applies to a bundle
            // that the system did not let us read, however much the index is trusted.
            let isComplete = !bundles.contains { $0.record.isNoBundle || $0.record.isProvisional }
            builder.add(
                path: folder.path, realPath: folder.realPath, stamp: isComplete ? folder.stamp : .none,
                finding: folder.finding, bundles: bundles)
        }
        return builder.index()
    }

    private func readCandidates(_ folder: FolderScan, _ old: CatalogIndex?) -> [ScannedBundle] {
        let directory = phs_open(AT_FDCWD, folder.realPath, O_RDONLY | O_DIRECTORY, 0)
        defer { close(directory) }
        return Self.inParallel(folder.candidates.indices) { numbers in
            var writer = ScannedBundle.Writer(count: numbers.count)
            for number in numbers {
                let candidate = folder.candidates[number]
                if let known = candidate.known, let old {
                    writer.add(old.candidateRow(known), in: old)
                } else {
                    Self.read(candidate.name, in: folder.realPath, directory, into: &writer)
                }
            }
            return writer.bundles()
        }.flatMap(\.self)
    }

    /// `directory`: a descriptor of the folder; negative if the folder cannot be opened.
    private static func read(
        _ name: BundleNames.Name, in folder: String, _ directory: CInt, into writer: inout ScannedBundle.Writer
    ) {
        let now = FileIdentity.now
        let path = Path.join(folder, name.text)
        var stamp = IndexStamp.none
        var record: PluginRecord
        do throws(PluginError) {
            guard name.isReadable else { throw unreadableName(path) }
            let base = PathBase(directory: directory, length: path.utf8.count - name.text.utf8.count)
            let contents = try BundleContents.read(path, from: directory < 0 ? .none : base)
            record = PluginRecord(contents, foundAt: path)
            if record.listPath != nil, let identity = contents.manifestIdentity {
                stamp = IndexStamp(identity, at: now)
            }
        } catch {
            record = PluginRecord(noBundle: path, error)
        }
        writer.add(name: name.text, stamp: stamp, record: record, nanoseconds: max(FileIdentity.now - now, 0))
    }

    private static func unreadableName(_ path: String) -> PluginError {
        PluginError(
            bundlePath: path,
            PluginFinding(
                .bundleNotFound, filePath: path,
                message: "The name of \(quoted(path)) is not UTF-8; “\u{FFFD}” replaces the invalid bytes.",
                remedy: "Rename the bundle."))
    }

    // MARK: Steps

    /// Runs a body on parts of a range, on all processors if there is enough to do.
    ///
    /// - Returns: the result for each part, in order.
    private static func inParallel<Result: Sendable>(
        _ range: Range<Int>, _ body: @Sendable (Range<Int>) -> Result
    ) -> [Result] {
        // A part takes at least about a tenth of a millisecond, which is more than the cost of starting it on another
        // thread.
        let length = 128
        let count = (range.count + length - 1) / length
        let results = Lock([Result?](repeating: nil, count: count))
        DispatchQueue.concurrentPerform(iterations: count) { number in
            let start = range.lowerBound + number * length
            let result = body(start..<min(start + length, range.upperBound))
            results.withLock { $0[number] = result }
        }
        return results.withLock { $0.compactMap(\.self) }
    }
}
