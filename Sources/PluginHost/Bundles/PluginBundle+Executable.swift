@_spi(Tools) import BundleReading
@_spi(Tools) import ELFImages
import Glibc
@_spi(Tools) import HostBasics
internal import PropertyLists

/// The executable, found and open.
struct OpenedExecutable: ~Copyable {
    let file: OpenedFile
    let path: String
}

extension PluginBundle {
    /// The path of the executable, or nil if there is none.
    ///
    /// It is the first place of the layout that contains a file with the executable's name. For the main bundle, it is
    /// the running program; for a bundle whose code is linked (``linked(at:entry:)``), the program or library that
    /// contains the code.
    ///
    /// If a script starts the program, the two differ: the main bundle's ``Manifest/executable`` names the script, and
    /// this property is the program that the script started.
    public var executablePath: String? {
        if BundleOpening.isMain(self) { return BundleOpening.mainProgram }
        if let linkedExecutable { return linkedExecutable }
        return (executableCandidates.first { $0.isRegularFile } ?? versionedExecutables.first { $0.isRegularFile })?
            .path
    }

    /// The executable's name in Info.plist, or the name of the bundle.
    var executableName: String { manifest.executable ?? Path.stem(bundlePath) }

    /// A place where the executable may be.
    private struct ExecutablePlace {
        let path: String
        /// The directory that must contain the file, with all links resolved.
        let boundary: String

        var isRegularFile: Bool { FileIdentity(path: path)?.isRegularFile ?? false }
    }

    /// The prefixes and suffixes that build systems add to the name of a shared object.
    static let affixes = [noAffix, ("", ".so"), ("lib", ".so")]
    private static let noAffix = ("", "")

    /// Where the executable may be, in order.
    private var executableCandidates: [ExecutablePlace] {
        layout.executableDirectories.flatMap { directory in
            Self.affixes.map { candidate(directory, $0, executableName) }
        }
    }

    private func candidate(_ directory: String, _ affix: (String, String), _ name: String) -> ExecutablePlace {
        // The code must be inside the bundle. If the layout puts it next to the bundle, it must be in exactly that
        // directory.
        let isBeside = BundleLayout.isBeside(directory)
        let boundary = isBeside ? Path.join(bundlePath, directory) : bundlePath
        return ExecutablePlace(
            path: Path.join(boundary, isBeside ? "" : directory, file: affix.0, name, affix.1),
            boundary: boundary)
    }

    /// Files like `libX.so.1.2`, the highest version first.
    ///
    /// They matter where the link `libX.so` is in another package, for developers, and is not installed. They are used
    /// only when no other candidate exists.
    private var versionedExecutables: [ExecutablePlace] {
        var failure: OpenedDirectory.Failure?
        return versionedExecutables(&failure)
    }

    /// `failure`: set to a directory that could not be listed, because the file may be there.
    private func versionedExecutables(_ failure: inout OpenedDirectory.Failure?) -> [ExecutablePlace] {
        let stems = Self.affixes.dropFirst().map { $0.0 + executableName + $0.1 + "." }
        return layout.executableDirectories.flatMap { directory in
            let place = Path.join(bundlePath, directory)
            let listing = DirectoryListing(path: place)
            // A directory that may be entered but not listed still opens files by name.
            if let errno = listing.failure, errno != EACCES { failure = .init(path: place, errno: errno) }
            let found = listing.names.keys.compactMap { name -> (PluginVersion, String)? in
                guard let stem = stems.first(where: name.hasPrefix) else { return nil }
                let version = name.dropFirst(stem.count)
                guard version.allSatisfy({ $0.isASCII && $0.isNumber || $0 == "." }) else { return nil }
                return (PluginVersion(reading: String(version)), name)
            }
            return found.sorted { $1 < $0 }.map { candidate(directory, ("", ""), $0.1) }
        }
    }

    /// - Throws: ``PluginError`` unless Info.plist can be read and every key in it has a usable value.
    func requireUsableManifest() throws(PluginError) {
        if let manifestError { throw manifestError }
        if manifest.findings.isEmpty { return }
        let errors = manifest.errors
        if !errors.isEmpty { throw PluginError(bundlePath: bundlePath, findings: errors) }
    }

    /// Opens the executable.
    ///
    /// With every link resolved, it must be inside the bundle.
    ///
    /// - Throws: ``PluginError`` of code `notCode`, `executableMissing`, `executableOutsideBundle` or `notLoadable`.
    func openExecutable() throws(PluginError) -> OpenedExecutable {
        var namesake: String?
        // Nearly always the first place is the right one, so only its path is built.
        let first = candidate(layout.executableDirectories[0], Self.noAffix, executableName)
        if let found = try open(first, &namesake) { return found }
        return try openElsewhere(&namesake)
    }

    @inline(never)
    private func openElsewhere(_ namesake: inout String?) throws(PluginError) -> OpenedExecutable {
        let candidates = executableCandidates
        for candidate in candidates.dropFirst() {
            if let found = try open(candidate, &namesake) { return found }
        }
        var failure: OpenedDirectory.Failure?
        for candidate in versionedExecutables(&failure) {
            if let found = try open(candidate, &namesake) { return found }
        }
        if let failure {
            throw notLoadable(
                candidates[0].path,
                "cannot be searched for in \(quoted(failure.path)) (\(describe(errno: failure.errno)))",
                refusal: failure.errno)
        }
        if let namesake { throw notLoadable(namesake, "is a directory, not a regular file") }
        throw missingExecutable(candidates.map(\.path))
    }

    /// Opens a candidate; nil if there is no such file.
    ///
    /// Sets the namesake to the first candidate that is a directory: a bundle may contain a directory with its own
    /// name, and the executable may still be in a later place.
    private func open(_ candidate: ExecutablePlace, _ namesake: inout String?) throws(PluginError) -> OpenedExecutable?
    {
        let file: OpenedFile
        do throws(OpenedFile.Failure) {
            file = try OpenedFile(path: candidate.path)
        } catch .missing {
            return nil
        } catch .notRegular(kind: "a directory") {
            namesake = namesake ?? candidate.path
            return nil
        } catch {
            throw notLoadable(
                candidate.path, error.reason(at: candidate.path), at: error.place(of: candidate.path),
                refusal: error.errno)
        }
        if file.passedLinks { try require(file, candidate) }
        return OpenedExecutable(file: file, path: candidate.path)
    }

    @inline(never)
    private func notLoadable(
        _ path: String, _ complaint: String, at place: String? = nil, refusal: CInt? = nil
    ) -> PluginError {
        PluginError(
            bundlePath: bundlePath,
            PluginFinding(
                .notLoadable, filePath: place ?? path, message: "The executable \(quoted(path)) \(complaint).",
                remedy: "Put a shared object there that the application can read."
            ).refused(by: refusal))
    }

    /// A path that contains a link may lead anywhere; the descriptor shows which file was opened.
    @inline(never)
    private func require(_ file: borrowing OpenedFile, _ candidate: ExecutablePlace) throws(PluginError) {
        guard let resolved = file.resolvedPath else {
            throw notLoadable(candidate.path, "has links that cannot be resolved without /proc")
        }
        guard !Path.isInside(resolved, directory: candidate.boundary) else { return }
        throw PluginError(
            bundlePath: bundlePath,
            PluginFinding(
                .executableOutsideBundle, filePath: candidate.path, subject: resolved,
                message: """
                    The executable \(quoted(candidate.path)) is a link to a file outside of the bundle, \
                    \(quoted(resolved)).
                    """,
                remedy: "Copy the file into the bundle; code is loaded only from inside it."))
    }

    @inline(never)
    private func missingExecutable(_ candidates: [String]) -> PluginError {
        let place = candidates[0]
        if manifest.executable == nil, manifest.principalClass == nil {
            return PluginError(
                bundlePath: bundlePath,
                PluginFinding(
                    .notCode, filePath: place,
                    message:
                        "The bundle has no code: its Info.plist names no executable and \(quoted(place)) does not exist.",
                    remedy: "Use its resources without loading it, or name the executable with the key NSExecutable."))
        }
        let directories = layout.executableDirectories.map { quoted(Path.join(bundlePath, $0)) }
        let others = otherLibraries
        let hints = [danglingLink(candidates), codeOfOtherSystem, misspelling(others)].compactMap(\.self)
            .map { " " + $0 }.joined()
        return PluginError(
            bundlePath: bundlePath,
            PluginFinding(
                .executableMissing, filePath: place, subject: manifest.executable,
                message: """
                    The executable \(quoted(executableName)) is missing; searched: \
                    \(directories.joined(separator: ", ")).\(hints)
                    """,
                remedy: others.isEmpty
                    ? "Build the plug-in's library and copy it to \(quoted(place))."
                    : "Correct \(executableKey ?? "NSExecutable") in Info.plist, or give the file that name."))
    }

    /// The key that names the executable; nil if no key does.
    private var executableKey: String? {
        guard let name = manifest.executable else { return nil }
        if case .string(name) = manifest.dictionary["NSExecutable"] { return "NSExecutable" }
        return "CFBundleExecutable"
    }

    /// Shared objects that are in the executable's directories under other names.
    private var otherLibraries: [String] {
        // A directory next to the bundle is full of other programs' files.
        layout.executableDirectories.filter { !BundleLayout.isBeside($0) }.flatMap { directory in
            let place = Path.join(bundlePath, directory)
            return DirectoryListing(path: place).names.keys.sorted().prefix(Self.mostNames)
                .map { Path.join(place, $0) }.filter(Self.isELF)
        }
    }

    /// More files than usually stand next to an executable.
    private static let mostNames = 100

    private static func isELF(_ path: String) -> Bool {
        guard let file = try? OpenedFile(path: path) else { return false }
        return ELFInspector.machine(of: file) != nil
    }

    /// `others`: the shared objects in the executable's directories.
    private func misspelling(_ others: [String]) -> String? {
        if others.isEmpty { return nil }
        let naming =
            executableKey.map { "The key \($0) of \(quoted(manifestPath)) names \(quoted(executableName))" }
            ?? "Info.plist names no executable, so it must have the name of the bundle"
        let more = others.count > 3 ? " and \(others.count - 3) more" : ""
        return "\(naming); found there: \(others.prefix(3).map { quoted($0) }.joined(separator: ", "))\(more)."
    }

    private func danglingLink(_ candidates: [String]) -> String? {
        for path in candidates {
            guard let target = Path.linkTarget(path) else { continue }
            return "\(quoted(path)) is a link to \(quoted(target)), which does not exist."
        }
        return nil
    }

    /// Recognises a bundle that was built for another system and copied here.
    ///
    /// Such a bundle is not broken.
    private var codeOfOtherSystem: String? {
        for (folder, system) in [("MacOS", "macOS"), ("Windows", "Windows")] {
            for directory in layout.supportDirectories {
                let path = Path.join(Path.join(bundlePath, directory), folder)
                if FileIdentity(path: path)?.isDirectory ?? false {
                    return "The bundle has code for \(system), in \(quoted(path))."
                }
            }
        }
        return nil
    }
}
