import Glibc

/// The executable, found and open.
struct OpenedExecutable: ~Copyable {
    let file: OpenedFile
    let path: String
}

extension PluginBundle {
    /// Where the executable is, or nil: the first place of the layout that holds a file of its name.
    public var executablePath: String? {
        executableCandidates.first { FileIdentity(path: $0)?.isRegularFile ?? false }
    }

    /// The executable's name as Info.plist says, or the bundle's own.
    private var executableName: String { manifest.executable ?? BundlePath.stem(bundlePath) }

    /// What build systems put around the name of a shared object.
    private static let affixes = [("", ""), ("", ".so"), ("lib", ".so")]

    /// Where the executable may be, in order.
    private var executableCandidates: [String] {
        let name = executableName
        return layout.executableDirectories.flatMap { directory in
            Self.affixes.map { BundlePath.join(bundlePath, directory, file: $0.0, name, $0.1) }
        }
    }

    /// - Throws: ``PluginError`` unless Info.plist can be read and every key in it has a usable value.
    func requireUsableManifest() throws(PluginError) {
        if let manifestError { throw manifestError }
        if !manifest.findings.isEmpty { throw PluginError(bundlePath: bundlePath, findings: manifest.findings) }
    }

    /// Opens the executable, which must stand inside the bundle with every link resolved.
    ///
    /// - Throws: ``PluginError`` of code `notCode`, `executableMissing`, `executableOutsideBundle` or `notLoadable`.
    func openExecutable() throws(PluginError) -> OpenedExecutable {
        let name = executableName
        var namesake: String?
        for directory in layout.executableDirectories {
            // Loops and not the list of all candidates, because nearly always the first is the one.
            for (prefix, suffix) in Self.affixes {
                let path = BundlePath.join(bundlePath, directory, file: prefix, name, suffix)
                let file: OpenedFile
                do throws(OpenedFile.Failure) {
                    file = try OpenedFile(path: path)
                } catch .missing {
                    continue
                } catch .notRegular(kind: "a directory") {
                    // A bundle may have a directory of its own name; the executable can still stand in a later place.
                    namesake = namesake ?? path
                    continue
                } catch {
                    throw notLoadable(path, error.reason)
                }
                if file.passedLinks { try requireInside(file, path) }
                return OpenedExecutable(file: file, path: path)
            }
        }
        if let namesake { throw notLoadable(namesake, "is a directory, not a regular file") }
        throw missingExecutable(executableCandidates)
    }

    private func notLoadable(_ path: String, _ complaint: String) -> PluginError {
        PluginError(
            bundlePath: bundlePath,
            PluginFinding(
                .notLoadable, filePath: path, message: "The executable \(quoted(path)) \(complaint).",
                remedy: "Put a shared object there that the application may read."))
    }

    /// A path with a link in it may lead anywhere; the descriptor tells where it led.
    private func requireInside(_ file: borrowing OpenedFile, _ path: String) throws(PluginError) {
        guard let resolved = file.resolvedPath else {
            throw notLoadable(path, "cannot be followed to where its links lead, which needs /proc")
        }
        guard !BundlePath.isInside(resolved, directory: bundlePath) else { return }
        throw PluginError(
            bundlePath: bundlePath,
            PluginFinding(
                .executableOutsideBundle, filePath: path, subject: resolved,
                message:
                    "The executable \(quoted(path)) is a link that leads out of the bundle, to \(quoted(resolved)).",
                remedy: "Copy the file into the bundle; code is loaded from inside it only."))
    }

    private func missingExecutable(_ candidates: [String]) -> PluginError {
        let place = candidates[0]
        if manifest.executable == nil, manifest.principalClass == nil {
            return PluginError(
                bundlePath: bundlePath,
                PluginFinding(
                    .notCode, filePath: place,
                    message:
                        "The bundle has no code: its Info.plist names no executable and \(quoted(place)) does not exist.",
                    remedy: "Use its resources without loading it, or name the executable by NSExecutable."))
        }
        let directories = layout.executableDirectories.map { quoted(BundlePath.join(bundlePath, $0)) }
        let dangling = candidates.first { readLink($0) != nil }
        let link =
            dangling.map { " \(quoted($0)) is a link to \(quoted(readLink($0) ?? "")), which does not exist." } ?? ""
        return PluginError(
            bundlePath: bundlePath,
            PluginFinding(
                .executableMissing, filePath: place, subject: manifest.executable,
                message: "The executable \(quoted(executableName)) is missing; it was "
                    + "looked for in \(directories.joined(separator: ", ")).\(link)",
                remedy: "Build the plug-in's library and copy it to \(quoted(place))."))
    }

    private func readLink(_ path: String) -> String? {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX) + 1) { buffer in
            let length = readlink(path, buffer.baseAddress!, Int(PATH_MAX))
            guard length >= 0 else { return nil }
            buffer[length] = 0
            return String(validatingCString: buffer.baseAddress!)
        }
    }
}
