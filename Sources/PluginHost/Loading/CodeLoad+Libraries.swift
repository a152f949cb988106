import ELFImages
import HostBasics

extension CodeLoad {
    /// The file that the dynamic linker opens as the executable.
    struct Executable {
        var path: String
        var inspection: ELFInspection
        /// All files that were inspected with it, which are compared again after it was opened.
        var files = InspectedFiles()
        /// The private copy that contains it; nil for the bundle's own file.
        var copy: OwnNamesCopy?
    }

    /// Inspects and opens the libraries that the executable needs and the bundle contains.
    ///
    /// Most plug-ins need only libraries that the process already has, and define no unique symbols. No file is read for
    /// them. If the names of libraries are taken, the executable is that of a private copy afterwards.
    ///
    /// `changes`: changes of the process by constructors, also if this fails.
    @inline(never)
    func openOwnLibraries(
        _ executable: inout Executable, _ changes: inout [PluginFinding]
    ) throws(PluginError) {
        guard !executable.inspection.absentLibraries.isEmpty || !executable.inspection.uniqueSymbols.isEmpty else {
            return
        }
        var opening = LibraryOpening(of: bundle)
        do throws(LibraryOpening.Failure) {
            defer {
                executable.files = opening.files
                changes += opening.changes
            }
            try opening.open(for: executable.inspection, path: executable.path)
        } catch .clash(let clash) {
            try openCopy(&executable, opening.found, because: clash, &changes)
        } catch {
            throw explained(error, executable.path)
        }
    }

    /// Loads the libraries from a private copy in which they have names of their own.
    @inline(never)
    private func openCopy(
        _ executable: inout Executable, _ found: [LibraryOpening.Found], because clash: LibraryClash,
        _ changes: inout [PluginFinding]
    ) throws(PluginError) {
        let copy = try OwnNamesCopy(
            of: bundle.bundlePath, executable.inspection, with: found, because: clash)
        executable.copy = copy
        let path = copy.path(of: executable.path)
        let file: OpenedFile
        do throws(OpenedFile.Failure) { file = try OpenedFile(path: path) } catch {
            throw clash.error(
                .copy([
                    PluginFinding(.copyFailed, filePath: path, message: "\(quoted(path)) \(error.reason).")
                        .refused(by: error.errno)
                ]), bundlePath: bundle.bundlePath)
        }
        guard file.settle() else { throw changed(path) }
        executable.files.append(path, file.identity)
        executable.inspection = ELFInspector.inspectQuickly(file, path: path, bundlePath: copy.copy.path)
        guard executable.inspection.isLoadable else {
            throw PluginError(bundlePath: bundle.bundlePath, findings: executable.inspection.findings)
        }
        var opening = LibraryOpening(of: bundle, in: copy)
        defer { changes += opening.changes }
        do throws(LibraryOpening.Failure) {
            try opening.open(for: executable.inspection, path: path)
        } catch {
            throw explained(error, executable.path)
        }
        executable.files.append(contentsOf: opening.files)
        executable.path = path
    }

    @inline(never)
    private func explained(_ failure: LibraryOpening.Failure, _ path: String) -> PluginError {
        switch failure {
        case .refused(let findings):
            return completed(PluginError(bundlePath: bundle.bundlePath, findings: findings), path: path)
        case .changed(let path): return changed(path)
        case .linker(let library, let said):
            return self.failure(
                library,
                PluginFinding(
                    .dependencyMissing, filePath: library, subject: Path.lastComponent(library),
                    message: "The library \(quoted(library)), which is part of the bundle, cannot be loaded.",
                    remedy: "Install the bundle again, together with everything that its libraries need.",
                    systemMessage: said.text))
        case .clash(let clash):
            return clash.error(.unresolvedLinks(file: path), bundlePath: bundle.bundlePath)
        case .foreign(let name, let file, let carrier): return foreign(name, neededBy: file, carrier)
        }
    }

    /// The error for a library that only another bundle carries.
    ///
    /// If the system has it by now, the name is taken for the life of the process.
    private func foreign(
        _ name: String, neededBy file: String, _ carrier: CarriedNames.Carrier
    ) -> PluginError {
        let carries =
            "the bundle \(quoted(carrier.bundlePath)) has brought its own \(quoted(carrier.path)) into the process under that name"
        if let path = CarriedNames.systemLibrary(name) {
            return failure(
                file,
                PluginFinding(
                    .libraryClash, filePath: file, subject: name,
                    message: "\(quoted(file)) needs the system's library \(quoted(path)), but \(carries).",
                    remedy: "Restart the application."))
        }
        return failure(
            file,
            PluginFinding(
                .dependencyMissing, filePath: file, subject: name,
                message:
                    "\(quoted(file)) needs the library \(quoted(name)), which neither this bundle nor the system has; "
                    + "\(carries), for itself only.",
                remedy: "Put the library into Contents/Frameworks of this bundle and link the plug-in with -rpath "
                    + "'$ORIGIN/../Frameworks', or install it for the system."))
    }
}
