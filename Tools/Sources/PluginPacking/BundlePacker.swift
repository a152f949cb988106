import Glibc
public import HostBasics
@_spi(Tools) internal import PluginHost
@_spi(Tools) public import PluginLinting
internal import PropertyLists

/// Makes bundles from their source folders.
///
/// A bundle is made in a directory beside its destination, checked there, and then renamed. So the destination always
/// has either the complete old bundle or the complete new one. Equal sources give equal bytes.
///
/// **Threads.** A value. Pack only one bundle at a time into a directory.
public struct BundlePacker: Sendable {
    /// Where the code comes from.
    public enum Code: Sendable, Hashable {
        /// From a file.
        case file(String)
        /// From `libNAME.so` in a directory of products.
        case products(String)
        /// From the Swift package that contains the source, which is built first.
        case package(configuration: String, scratchPath: String?)
    }

    /// The directory for the bundles.
    public var output: String
    /// Where the code comes from; nil for bundles without code.
    public var code: Code?
    /// Whether the products were built just now, so that a source that is newer did not change the code.
    public var isJustBuilt = false
    /// The bundle's name.
    ///
    /// If nil, it is the name of the executable in Info.plist, or the source folder's name if there is none.
    public var name: String?
    /// The application's executable.
    ///
    /// Libraries that it has loaded are not reported as missing.
    public var program: String?
    /// The range of the application's versions to write into an Info.plist that has none.
    public var hostRequires: String?
    /// Whether to remove symbols that are not needed for loading.
    public var strips = false
    /// Whether to write an archive of the bundle beside it.
    public var archives = false
    /// Whether a warning of the checks also stops the bundle from being published.
    public var isStrict = false

    /// A packer that writes to a directory.
    public init(output: String) { self.output = output }

    /// The result of packing one bundle.
    public struct Result: Sendable {
        /// The path of the bundle's destination, even if the bundle is not there.
        public var path: String
        /// The findings of the checks.
        ///
        /// Their paths are in the bundle's destination.
        public var findings: [PluginFinding]
        /// The errors and warnings that the linter found, beyond ``findings``, and those of them that have a place in the
        /// source's Info.plist.
        ///
        /// Their paths are in the source.
        public var lint: [LintFinding]
        /// Files of the source that were left out, each with the reason.
        public var leftOut: [(path: String, reason: String)]
        /// Whether the bundle is at its destination.
        public var isPacked: Bool
        /// Whether a bundle with the same bytes was already there.
        ///
        /// It was not touched.
        public var isUnchanged: Bool
        /// The archive that was written; nil if none was requested.
        public var archive: String?
    }

    /// Packs one bundle.
    ///
    /// - Parameter path: the folder with Info.plist and Resources.
    /// - Returns: the bundle's path and the findings. The bundle is at its destination unless a finding stops it.
    /// - Throws: ``PackingError`` if packing failed; then nothing was changed.
    public func pack(_ path: String) throws(PackingError) -> Result {
        let source = try BundleSource(path, name: name)
        let info = BundleLinter().lint(file: source.infoPath).findings
        let lint = Self.errors(in: info, badKeys: Manifest(dictionary: source.info, path: nil).keysWithBlanks)
        let executable = try executable(of: source)
        try FileTree.makeDirectory(output)
        guard let output = Path.resolved(output) else {
            throw .refused(.unwritable, output, cannot: "be written to", to: .make, errno: errno)
        }
        let target = Path.join(output, source.name + ".bundle")
        var tree = FileTree(root: target)
        let leftOut = try gather(source, executable, into: &tree)
        let staging = try StagingDirectory(in: output)
        let staged = Path.join(staging.path, source.name + ".bundle")
        guard mkdir(staged, 0o755) == 0 else {
            throw .refused(.unwritable, staged, cannot: "be made", to: .make, errno: errno)
        }
        try tree.write(to: staged)
        var compiled: CompiledInterfaces?
        if let executable { compiled = CompiledInterfaces(of: executable, program: program) }
        try finish(source, tree, staged, interfaces: compiled?.list, hasExecutable: executable != nil)
        let bundle = try opened(staged)
        var findings = bundle.findings(forHost: program, from: staged, as: target)
        findings += compiled?.findings ?? []
        let isJustBuilt = if case .package? = code { true } else { isJustBuilt }
        if !isJustBuilt, let executable, let finding = try source.newerThan(executable) {
            findings.append(finding)
        }
        var result = Result(
            path: target, findings: findings, lint: lint,
            leftOut: leftOut, isPacked: false,
            isUnchanged: false)
        // What the checks have not reported, or without a place in the source: the author corrects the source, not the bundle.
        let placed = Set(info.map(\.problem))
        let known = Set(findings.map { LintFinding($0).problem }).subtracting(placed).union(lint.map(\.problem))
        result.lint += BundleLinter().lint(bundle).findings
            .map { $0.moved(from: Path.join(staged, "Contents"), to: source.directory).moved(from: staged, to: target) }
            .map { $0.filePath == source.infoPath ? Self.placed($0, by: info) : $0 }
            .filter { $0.severity != .note && !known.contains($0.problem) }
        guard !result.lint.contains(where: { $0.severity == .error || isStrict }),
            !result.findings.contains(where: { $0.severity == .error || isStrict })
        else { return result }
        if archives { result.archive = try archive(bundle, staged, source.name, staging, in: output) }
        result.isUnchanged = try Self.holdsSame(staged, target)
        if !result.isUnchanged { try staging.publish(source.name + ".bundle", at: target) }
        result.isPacked = true
        return result
    }

    /// The findings that stop a bundle: the errors, and keys that have no effect because of spaces around their names.
    private static func errors(in findings: [LintFinding], badKeys: [String]) -> [LintFinding] {
        let badKeys = Set(badKeys)
        return findings.compactMap { finding in
            if finding.severity == .error { return finding }
            guard let key = finding.subject, badKeys.contains(key) else { return nil }
            var finding = finding
            finding.severity = .error
            return finding
        }
    }

    /// A finding in Info.plist with its place in the source, because the list that was made of it has other lines.
    ///
    /// `found`: the findings in the source's list. If none of them is the same, the finding gets no place.
    private static func placed(_ finding: LintFinding, by found: [LintFinding]) -> LintFinding {
        if let same = found.first(where: { $0.code == finding.code && $0.subject == finding.subject }) { return same }
        var finding = finding
        finding.place = nil
        return finding
    }

    // MARK: Parts

    private func gather(
        _ source: BundleSource, _ executable: String?, into tree: inout FileTree
    ) throws(PackingError) -> [(path: String, reason: String)] {
        var leftOut: [FileTree.LeftOut] = []
        let resources = Path.join(source.directory, "Resources")
        if let identity = try FileIdentity.file(at: resources) {
            guard identity.isDirectory else { throw tree.unsafe("Contents/Resources", "it is no directory") }
            leftOut = try tree.add(contentsOf: resources, at: "Contents/Resources", isSource: true)
            try tree.addCompiledTables()
        }
        if let executable {
            var status = stat()
            guard stat(executable, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
                throw absence(of: executable, source)
            }
            guard let resolved = Path.resolved(executable) else {
                throw .refused(.unreadable, executable, cannot: "be read", errno: errno)
            }
            try tree.add(
                "Contents/Linux/" + executableName(of: source),
                .file(.disk(path: resolved, size: Int64(status.st_size)), isExecutable: true))
        }
        // This only reserves the path. ``finish(_:_:_:interfaces:hasExecutable:)`` writes the content, which depends on the code's
        // note.
        try tree.add("Contents/Info.plist", .file(.memory([]), isExecutable: false))
        try tree.check()
        return leftOut.map { ($0.path, $0.reason) }
    }

    /// The error for code that is not there: not built, or built under another name.
    private func absence(of executable: String, _ source: BundleSource) -> PackingError {
        let missing = "The code of \(quoted(source.directory)) is missing: there is no file \(quoted(executable))."
        let remedy = "Build it first, or let --build do so; --executable names another file."
        guard case .products(let directory) = code, let name = Manifest(dictionary: source.info, path: nil).executable
        else { return PackingError(.executableMissing, path: executable, message: missing, remedy: remedy) }
        let others = DirectoryListing(path: directory).names.keys.sorted()
            .filter { $0.hasPrefix("lib") && $0.hasSuffix(".so") }.map { String($0.dropFirst(3).dropLast(3)) }
        var suggestions = NameSuggestions()
        let near = suggestions.names(near: name, among: others)
        let list = (near.isEmpty ? others : near).prefix(8).map(quoted).joined(separator: ", ")
        return PackingError(
            .executableMissing, path: executable,
            message: "\(missing) Its name comes from NSExecutable in Info.plist, \(quoted(name)).",
            remedy: others.isEmpty
                ? remedy
                : "Correct NSExecutable (\(near.isEmpty ? "libraries there" : "there is"): \(list)), or build the library first."
        )
    }

    private func executableName(of source: BundleSource) -> String {
        Manifest(dictionary: source.info, path: nil).executable ?? source.name
    }

    /// Strips the code, completes Info.plist with facts from the code's note, and sets the time of every file.
    private func finish(
        _ source: BundleSource, _ tree: FileTree, _ staged: String, interfaces: PropertyList?, hasExecutable: Bool
    ) throws(PackingError) {
        let executable = Path.join(staged, "Contents/Linux/" + executableName(of: source))
        if strips, hasExecutable {
            try ChildProgram.run(["strip", "--strip-unneeded", executable], to: "strip the code")
        }
        let info = Path.join(staged, "Contents/Info.plist")
        func write(_ note: PluginNote?) throws(PackingError) {
            let bytes = try source.completedInfo(
                note: note, interfaces: interfaces, hasExecutable: hasExecutable, hostRequires: hostRequires)
            let descriptor = openFile(info, O_WRONLY | O_TRUNC | O_NOFOLLOW | O_CLOEXEC)
            guard descriptor >= 0 else { throw .refused(.unwritable, info, cannot: "be written", errno: errno) }
            defer { close(descriptor) }
            try FileTree.append(bytes, to: descriptor, info)
        }
        try write(hasExecutable ? try note(of: executable) : nil)
        try tree.setTimes(in: staged)
    }

    private func note(of executable: String) throws(PackingError) -> PluginNote? {
        do throws(PluginError) { return try PluginNote(ofFile: executable) } catch {
            throw PackingError(.unreadable, path: executable, error.findings[0])
        }
    }

    private func opened(_ staged: String) throws(PackingError) -> PluginBundle {
        do {
            return try PluginBundle.open(path: staged)
        } catch {
            throw PackingError(
                .manifestInvalid, path: staged, message: "The bundle cannot be opened: \(error)",
                remedy: "Check the names in its source.")
        }
    }

    /// Writes `NAME-VERSION.tar.zst` into the directory for the bundles.
    private func archive(
        _ bundle: PluginBundle, _ staged: String, _ name: String, _ staging: borrowing StagingDirectory,
        in output: String
    ) throws(PackingError) -> String {
        let version =
            bundle.shownVersion.map { "-" + $0.filter { $0.isLetter || $0.isNumber || ".+~-".contains($0) } } ?? ""
        let file = Path.join(staging.path, "archive")
        try ArchiveWriter.write(staged, as: name + ".bundle", to: file)
        let target = Path.join(output, name + version + ".tar.zst")
        guard rename(file, target) == 0 else {
            throw .refused(.unwritable, target, cannot: "be written", to: .rename, errno: errno)
        }
        return target
    }

    /// Whether there is a bundle with the same files at the other path.
    static func holdsSame(_ one: String, _ other: String) throws(PackingError) -> Bool {
        guard try FileIdentity.file(at: other)?.isDirectory ?? false else { return false }
        var (mine, theirs) = (FileTree(root: one), FileTree(root: other))
        _ = try mine.add(contentsOf: one)
        // The files at the other path may be of any kind. If they cannot be in a bundle, they are not the same.
        guard (try? theirs.add(contentsOf: other)) != nil else { return false }
        return try mine.holdsSame(as: theirs)
    }

    // MARK: Code

    private func executable(of source: BundleSource) throws(PackingError) -> String? {
        switch code {
        case .file(let path): return path
        case .products(let directory): return source.hasCode ? Self.library(source.name, in: directory) : nil
        case .package(let configuration, let scratch):
            return try source.hasCode ? built(source, configuration, scratch) : nil
        case nil:
            guard source.hasCode else { return nil }
            throw PackingError(
                .executableMissing, path: source.directory,
                message: "\(quoted(source.directory)) has code, and nothing says where its library is.",
                remedy: "Name it by --executable, its directory by --products, or let --build build it.")
        }
    }

    private static func library(_ name: String, in directory: String) -> String {
        Path.join(directory, "lib\(name).so")
    }

    private func built(
        _ source: BundleSource, _ configuration: String, _ scratch: String?
    ) throws(PackingError) -> String {
        var package = source.directory
        while try FileIdentity.file(at: Path.join(package, "Package.swift")) == nil {
            guard package != "/" else {
                throw PackingError(
                    .executableMissing, path: source.directory,
                    message: "\(quoted(source.directory)) and the directories above have no Package.swift.",
                    remedy: "Build the code by other means, and name the library by --executable.")
            }
            package = Path.parent(package)
        }
        var command = ["swift", "build", "--package-path", package, "-c", configuration]
        // In a folder that several packages use, the package manager may take the plan of another package, build that one,
        // and report success.
        if let scratch { command += ["--scratch-path", scratch, "--disable-build-manifest-caching"] }
        try ChildProgram.run(command + ["--product", source.name], to: "build the code", failure: .buildFailed)
        let products = try ChildProgram.output(command + ["--show-bin-path"], to: "find what was built")
        return Self.library(source.name, in: String(products.prefix { !$0.isNewline }))
    }
}

extension PluginFinding {
    /// Whether the finding is about a library that the application may bring, and not about the bundle itself.
    var isAboutSurroundings: Bool { code == .dependencyMissing && subject?.contains(".so") ?? false }

    func moved(from: String, to: String) -> PluginFinding {
        var finding = self
        finding.filePath = filePath?.replacing(from, with: to)
        finding.message = message.replacing(from, with: to)
        finding.remedy = remedy.replacing(from, with: to)
        return finding
    }
}

extension LintFinding {
    func moved(from: String, to: String) -> LintFinding {
        var finding = self
        finding.filePath = filePath.replacing(from, with: to)
        for index in finding.related.indices {
            finding.related[index].filePath = related[index].filePath.replacing(from, with: to)
        }
        finding.message = message.replacing(from, with: to)
        finding.remedy = remedy.replacing(from, with: to)
        return finding
    }
}
