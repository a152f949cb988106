import Glibc
package import HostBasics

/// The executable, found and open.
package struct OpenedExecutable: ~Copyable {
    package let file: OpenedFile
    package let path: String
}

/// Where the executable of a bundle may be.
package struct ExecutablePlaces {
    private let bundlePath: String
    private let layout: BundleLayout
    private let name: String

    /// `name`: the executable's name in Info.plist, or the name of the bundle.
    init(bundlePath: String, layout: BundleLayout, name: String) {
        self.bundlePath = bundlePath
        self.layout = layout
        self.name = name
    }

    /// The usual places, in order.
    package var usual: [String] { candidates.map(\.path) }

    /// The first place that contains a file with the executable's name; nil if there is none.
    package var existingFile: String? {
        (candidates.first { $0.isRegularFile } ?? versioned.first { $0.isRegularFile })?.path
    }

    /// A place where the executable may be.
    private struct Place {
        let path: String
        /// The directory that must contain the file, with all links resolved.
        let boundary: String

        var isRegularFile: Bool { FileIdentity(path: path)?.isRegularFile ?? false }
    }

    /// The prefixes and suffixes that build systems add to the name of a shared object.
    package static let affixes = [noAffix, ("", ".so"), ("lib", ".so")]
    private static let noAffix = ("", "")

    /// Where the executable may be, in order.
    private var candidates: [Place] {
        layout.executableDirectories.flatMap { directory in
            Self.affixes.map { candidate(directory, $0, name) }
        }
    }

    private func candidate(_ directory: String, _ affix: (String, String), _ name: String) -> Place {
        // The code must be inside the bundle. If the layout puts it next to the bundle, it must be in exactly that
        // directory.
        let isBeside = BundleLayout.isBeside(directory)
        let boundary = isBeside ? Path.join(bundlePath, directory) : bundlePath
        return Place(
            path: Path.join(boundary, isBeside ? "" : directory, file: affix.0, name, affix.1),
            boundary: boundary)
    }

    /// Files like `libX.so.1.2`, the highest version first.
    ///
    /// They matter where the link `libX.so` is in another package, for developers, and is not installed. They are used
    /// only when no other candidate exists.
    private var versioned: [Place] {
        var failure: OpenedDirectory.Failure?
        return versioned(&failure)
    }

    /// `failure`: set to a directory that could not be listed, because the file may be there.
    private func versioned(_ failure: inout OpenedDirectory.Failure?) -> [Place] {
        let stems = Self.affixes.dropFirst().map { $0.0 + name + $0.1 + "." }
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

    /// Opens the executable.
    ///
    /// With every link resolved, it must be inside the bundle.
    ///
    /// - Returns: nil if there is none.
    /// - Throws: ``PluginError`` of code `executableOutsideBundle` or `notLoadable`.
    package func open() throws(PluginError) -> OpenedExecutable? {
        var namesake: String?
        // Nearly always the first place is the right one, so only its path is built.
        let first = candidate(layout.executableDirectories[0], Self.noAffix, name)
        if let found = try open(first, &namesake) { return found }
        return try openElsewhere(&namesake)
    }

    @inline(never)
    private func openElsewhere(_ namesake: inout String?) throws(PluginError) -> OpenedExecutable? {
        let candidates = self.candidates
        for candidate in candidates.dropFirst() {
            if let found = try open(candidate, &namesake) { return found }
        }
        var failure: OpenedDirectory.Failure?
        for candidate in versioned(&failure) {
            if let found = try open(candidate, &namesake) { return found }
        }
        if let failure {
            throw notLoadable(
                candidates[0].path,
                "cannot be searched for in \(quoted(failure.path)) (\(describe(errno: failure.errno)))",
                refusal: failure.errno)
        }
        if let namesake { throw notLoadable(namesake, "is a directory, not a regular file") }
        return nil
    }

    /// Opens a candidate; nil if there is no such file.
    ///
    /// Sets the namesake to the first candidate that is a directory: a bundle may contain a directory with its own
    /// name, and the executable may still be in a later place.
    private func open(_ candidate: Place, _ namesake: inout String?) throws(PluginError) -> OpenedExecutable? {
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
    private func require(_ file: borrowing OpenedFile, _ candidate: Place) throws(PluginError) {
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
}

extension BundleContents {
    /// The executable's name in Info.plist, or the name of the bundle.
    package var executableName: String { manifest.executable ?? Path.stem(path) }

    package var executablePlaces: ExecutablePlaces {
        ExecutablePlaces(bundlePath: path, layout: layout, name: executableName)
    }

    /// A directory such as `Frameworks`; nil if it does not exist.
    package func existingSupportDirectory(_ name: String) -> String? {
        layout.supportDirectories.firstNonNil {
            let directory = Path.join(path, $0.isEmpty ? name : $0 + "/" + name)
            return FileIdentity(path: directory)?.isDirectory ?? false ? directory : nil
        }
    }
}
