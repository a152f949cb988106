import Glibc
@_spi(Tools) import HostBasics
import HostRecords
internal import PluginABI
internal import PropertyLists

/// The probe results that a catalogue keeps: a file for each bundle and each program that tried it.
///
/// A file is replaced as a whole, so several processes need no lock. In the worst case, each of them tries the bundle
/// once. If a file has any fault, the bundle is tried again, and one line in the log states why. A result that cannot
/// be written is valid as long as the catalogue exists.
final class ProbeResults: Sendable {
    /// Nil to write no files.
    private let directory: String?
    /// Whether `pluginhost probe` finds the files.
    private let isUsual: Bool
    /// Results that were not written, by the name of their file.
    private let unwritten = Lock<[String: ProbeResult]>([:])

    /// Larger files are not a result.
    ///
    /// The result for 1,000 libraries has half this size.
    private static let mostBytes = 1 << 20
    private static let pathExtension = "probe"

    init(directory: String?, isUsual: Bool) {
        self.directory = directory
        self.isUsual = isUsual
    }

    private static func prefix(_ bundle: PluginBundle) -> String {
        String(bundle.originalPath.utf8.nameHash, radix: 16) + "-"
    }

    private static func name(_ bundle: PluginBundle) -> String {
        "\(prefix(bundle))\(String(ProbeResult.thisProgram.utf8.nameHash, radix: 16)).\(pathExtension)"
    }

    // MARK: Use

    /// Tries a bundle, unless a result for the same files is kept.
    ///
    /// A result is not kept if files changed during the probe, or if it says nothing about the plug-in.
    ///
    /// - Throws: ``PluginError`` of code `probeFailed`: the probe failed, now or earlier, or is not possible.
    ///
    /// **Threads.** Any, without a lock. Only the bundle's load prevents two probes of it at the same time.
    func require(_ bundle: PluginBundle) throws(PluginError) {
        // The load itself reports faults of the files.
        guard bundle.manifestError == nil, let paths = Self.triedPaths(of: bundle) else { return }
        if let known = known(bundle, paths) {
            if known.findings.isEmpty { return }
            throw failure(of: bundle, known.findings, isKept: true)
        }
        let files = paths.compactMap(CodeFile.init(path:))
        let report: PluginProbe.Report
        do throws(PluginError) {
            report = try PluginProbe.report(on: bundle)
        } catch {
            throw untried(bundle, error)
        }
        let findings = report.error?.findings ?? []
        let isKept = !report.isInconclusive && files.allSatisfy { $0.comparison == .same }
        if isKept { keep(ProbeResult(of: bundle, files: files, findings: findings), Self.name(bundle)) }
        if !findings.isEmpty { throw failure(of: bundle, findings, isKept: isKept) }
    }

    /// Why a bundle failed earlier with its current files; nil if it passed or must be tried.
    func knownFailure(of bundle: PluginBundle) -> PluginError? {
        guard let paths = Self.triedPaths(of: bundle), let known = known(bundle, paths), !known.findings.isEmpty else {
            return nil
        }
        return failure(of: bundle, known.findings, isKept: true)
    }

    /// Info.plist is included, because it contains the limits and names the executable.
    private static func triedPaths(of bundle: PluginBundle) -> [String]? {
        (try? bundle.codePaths()).map { $0 + [bundle.manifestPath] }
    }

    private func known(_ bundle: PluginBundle, _ paths: [String]) -> ProbeResult? {
        let name = Self.name(bundle)
        guard let kept = unwritten.withLock({ $0[name] }) ?? directory.flatMap({ Self.read(Path.join($0, name)) }),
            let result = kept.renewed(for: bundle, paths)
        else { return nil }
        // Keeps the new identities, so that copies of the files are not read again. A private copy exists for this
        // process only.
        if result != kept, bundle.originalPath == bundle.bundlePath { keep(result, name) }
        return result
    }

    /// The results of a bundle, of all programs, whose files are still the ones that were tried.
    func kept(of bundle: PluginBundle) -> [ProbeResult] {
        paths(of: bundle).compactMap(Self.read).filter { result in
            result.bundlePath == bundle.originalPath && result.files.allSatisfy { $0.comparison != .other }
        }
    }

    /// Forgets the results of a bundle, of all programs.
    ///
    /// - Returns: the number of results that were removed.
    func forget(_ bundle: PluginBundle) -> Int { paths(of: bundle).count { unlink($0) == 0 } }

    /// The files with the results of a bundle.
    private func paths(of bundle: PluginBundle) -> [String] {
        let prefix = Self.prefix(bundle)
        guard let directory,
            let names = try? BundleNames(directory: directory, extensions: [Self.pathExtension]).names
        else { return [] }
        return names.filter { $0.text.hasPrefix(prefix) }.map { Path.join(directory, $0.text) }
    }

    // MARK: The files

    private static func read(_ path: String) -> ProbeResult? {
        let reason: String
        do {
            guard let bytes = try OwnFile.bytes(path: path, atMost: mostBytes) else { return nil }
            if let result = ProbeResult(list: try PropertyListReader.read(bytes).value) { return result }
            reason = "is damaged, or of another version"
        } catch let refusal as OwnFile.Refusal {
            reason = refusal.reason
        } catch {
            reason = "is damaged: \(error)"
        }
        HostEnvironment.log(
            .notice, "The result of a probe \(quoted(path)) \(reason); the plug-in is tried again.")
        return nil
    }

    private func keep(_ result: ProbeResult, _ name: String) {
        guard let directory else {
            unwritten.withLock { $0[name] = result }
            return
        }
        let path = Path.join(directory, name)
        let reason: String
        var remedy = ""
        do {
            let bytes = try result.bytes()
            // The catalogue has created the directory, unless the system refused, or the directory was removed.
            if let unmade = OwnFile.makeDirectory(directory) {
                reason = "\(quoted(unmade.path)) cannot be made: \(describe(errno: unmade.errno))"
                remedy = ErrorNumber.remedy(unmade.errno, to: .make)
            } else if bytes.count <= Self.mostBytes {
                try FileReplacement().replace(path, with: bytes)
                FileReplacement.removeLeftovers(of: path)
                unwritten.withLock { _ = $0.removeValue(forKey: name) }
                return
            } else {
                reason = "it would have \(bytes.count) bytes"
            }
        } catch let failure as FileReplacement.Failure {
            reason = describe(errno: failure.errno)
            remedy = failure.remedy
        } catch {
            reason = "\(error)"
        }
        unwritten.withLock { $0[name] = result }
        HostEnvironment.log(
            .info,
            """
            The result of a probe \(quoted(path)) cannot be written (\(reason)); each start tries the plug-in. \(remedy)
            """)
    }

    // MARK: Errors

    /// `isKept`: whether the same files are refused until the user lets them be tried again.
    private func failure(of bundle: PluginBundle, _ findings: [PluginFinding], isKept: Bool) -> PluginError {
        let path = bundle.originalPath
        let again =
            if isUsual {
                "To let it be tried again: pluginhost probe \(path.escapedForDisplay)"
            } else if let directory {
                "To let it be tried again, remove \(quoted(Path.join(directory, Self.name(bundle))))."
            } else {
                "It is tried again when the application starts again."
            }
        var finding = PluginFinding(
            .probeFailed, filePath: path, subject: bundle.displayIdentifier,
            message: """
                \(quoted(bundle.displayIdentifier)) is not loaded, because it failed when it was tried in a confined \
                process before its first use.
                """,
            remedy: isKept
                ? "Install another version of it: a changed file is tried again. \(again)"
                : "Use the plug-in again: this result is not kept, and the next use tries it again.")
        finding.workerEnd = findings.first?.workerEnd
        return PluginError(bundlePath: bundle.bundlePath, findings: [finding] + findings)
    }

    private func untried(_ bundle: PluginBundle, _ error: PluginError) -> PluginError {
        PluginError(
            bundlePath: bundle.bundlePath,
            findings: [
                PluginFinding(
                    .probeFailed, filePath: bundle.originalPath, subject: bundle.displayIdentifier,
                    message: """
                        \(quoted(bundle.displayIdentifier)) is not loaded, because the application demands that it is tried \
                        in a confined process before its first use, and that is not possible.
                        """,
                    remedy: error.findings[0].remedy)
            ] + error.findings)
    }
}

extension PluginBundle {
    /// Tries the code if the catalogue that loads the bundle demands it.
    ///
    /// - Throws: ``PluginError`` of code `probeFailed`.
    ///
    /// **Cost.** If no catalogue demands it: one lock.
    func requireProbe() throws(PluginError) {
        guard let results = codeState.probes.withLock({ $0 }), !isLinked else { return }
        try results.require(self)
    }
}
