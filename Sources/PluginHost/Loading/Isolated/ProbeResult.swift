@_spi(Tools) import HostBasics
import HostRecords
import PluginWorkers
internal import PropertyLists

/// The result of a probe of a bundle, and the files that were tried.
struct ProbeResult: Sendable, Equatable {
    /// The program that tried it, because whether code works depends on the libraries that the program has.
    let program: String
    /// Where the bundle is installed.
    let bundlePath: String
    /// The build of this library, which includes its version and differs for each toolchain.
    let library: String
    /// Info.plist, and the files whose code ran; for a private copy, with their paths in the installed bundle.
    private(set) var files: [CodeFile]
    /// The findings of the failure; empty if the probe passed.
    let findings: [PluginFinding]

    /// Records a result.
    ///
    /// `files`: the files that were tried.
    init(of bundle: PluginBundle, files: [CodeFile], findings: [PluginFinding]) {
        program = Self.thisProgram
        bundlePath = bundle.originalPath
        library = LibraryFingerprint.current
        self.files = files.map {
            CodeFile(path: bundle.installedPath(of: $0.path), digest: $0.digest, identity: $0.identity)
        }
        self.findings = findings.prefix(Self.mostFindings).map(CopiedPaths.withOriginalPaths)
    }

    static var thisProgram: String { Path.mainProgram }
    private static let mostFindings = 16

    /// The result with the current identities of its files.
    ///
    /// - Parameters:
    ///   - bundle: the bundle that would be tried.
    ///   - paths: the files that would be tried now.
    /// - Returns: nil if the result belongs to other files, or to another program or build of this library.
    ///
    /// **Cost.** One system call for each file. A file that was written again is read.
    func renewed(for bundle: PluginBundle, _ paths: [String]) -> ProbeResult? {
        guard program == Self.thisProgram, bundlePath == bundle.originalPath,
            library == LibraryFingerprint.current, files.count == paths.count
        else { return nil }
        let known = Dictionary(files.map { ($0.path, $0) }, uniquingKeysWith: { first, _ in first })
        var renewed = self
        renewed.files = []
        for path in paths {
            guard let file = known[bundle.installedPath(of: path)] else { return nil }
            switch CodeFile(path: path, digest: file.digest, identity: file.identity).comparison {
            case .same: renewed.files.append(file)
            case .copied(let now):
                renewed.files.append(CodeFile(path: file.path, digest: file.digest, identity: now.identity))
            case .other: return nil
            }
        }
        return renewed
    }
}

extension PluginBundle {
    /// The path that a file of a private copy has in the installed bundle; any other path unchanged.
    fileprivate func installedPath(of path: String) -> String {
        guard originalPath != bundlePath, let part = Path.part(of: path, in: bundlePath) else { return path }
        return Path.join(originalPath, String(part))
    }
}

// MARK: - As property lists

extension ProbeResult {
    private enum Key {
        static let check = "Check", program = "Program", bundle = "Bundle", library = "Library", files = "Files"
        static let path = "Path", digest = "Digest", identity = "Identity", isPassed = "Passed", findings = "Findings"
        static let code = "Code", subject = "Subject", message = "Message", remedy = "Remedy", system = "System"
    }

    /// The content of a file.
    ///
    /// - Throws: the fault of a text that a property list cannot contain.
    func bytes() throws(PropertyListFault) -> [UInt8] {
        var items = items
        items[Key.check] = .string(try Self.checksum(items))
        return Array(try PropertyListWriter.xml(.dictionary(items)).utf8)
    }

    private var items: [String: PropertyList] {
        [
            Key.program: .string(program), Key.bundle: .string(bundlePath), Key.library: .string(library),
            Key.isPassed: .boolean(findings.isEmpty),
            Key.files: .array(
                files.map {
                    .dictionary([
                        Key.path: .string($0.path), Key.digest: .string($0.digest),
                        Key.identity: .string($0.identity),
                    ])
                }),
            Key.findings: .array(findings.map(Self.list)),
        ]
    }

    private static func list(_ finding: PluginFinding) -> PropertyList {
        var items: [String: PropertyList] = [
            Key.code: .string(finding.code.rawValue), Key.message: .string(finding.message),
            Key.remedy: .string(finding.remedy),
        ]
        items[Key.path] = finding.filePath.map(PropertyList.string)
        items[Key.subject] = finding.subject.map(PropertyList.string)
        // A plug-in's message may contain characters that a property list cannot contain.
        items[Key.system] = finding.systemMessage.map { .string($0.escapedForDisplay) }
        return .dictionary(items)
    }

    /// Detects damage, but not forgery: the file belongs to the user.
    private static func checksum(_ items: [String: PropertyList]) throws(PropertyListFault) -> String {
        String(try PropertyListWriter.xml(.dictionary(items)).utf8.nameHash, radix: 16)
    }

    /// Reads the content of a file; nil unless this version wrote exactly this content.
    init?(list: PropertyList) {
        guard case .dictionary(var items) = list, let check = items.removeValue(forKey: Key.check)?.string,
            check == (try? Self.checksum(items)), let program = items[Key.program]?.string,
            let bundlePath = items[Key.bundle]?.string, let library = items[Key.library]?.string,
            let isPassed = items[Key.isPassed]?.boolean, let files = items[Key.files]?.array,
            let findings = items[Key.findings]?.array, findings.isEmpty == isPassed
        else { return nil }
        (self.program, self.bundlePath, self.library) = (program, bundlePath, library)
        let known: [CodeFile] = files.compactMap {
            guard let path = $0[Key.path]?.string, let digest = $0[Key.digest]?.string,
                let identity = $0[Key.identity]?.string
            else { return nil }
            return CodeFile(path: path, digest: digest, identity: identity)
        }
        let failures: [PluginFinding] = findings.compactMap {
            guard let code = $0[Key.code]?.string, let message = $0[Key.message]?.string,
                let remedy = $0[Key.remedy]?.string
            else { return nil }
            return PluginFinding(
                PluginError.Code(rawValue: code), filePath: $0[Key.path]?.string, subject: $0[Key.subject]?.string,
                message: message, remedy: remedy, systemMessage: $0[Key.system]?.string)
        }
        guard known.count == files.count, failures.count == findings.count else { return nil }
        (self.files, self.findings) = (known, failures)
    }
}
