internal import CPluginSupport

extension PluginBundle {
    /// Makes every check of a load, and those that only matter when it fails, without running any code of the bundle.
    ///
    /// - Throws: ``PluginError`` with everything that is wrong; its code is that of the first error, as of
    ///   ``loadAndReturnError()``. Warnings alone throw nothing; ``findings(loadedBy:)`` gives them too. For the main
    ///   bundle, whose code runs, nothing.
    ///
    /// **Cost.** Milliseconds: it reads the executable's symbol tables and finds every library it needs.
    public func preflight() throws {
        // The program runs, whatever its Info.plist says, or without one.
        if isProgram { return }
        let found = findings()
        if found.contains(where: { $0.severity == .error }) {
            throw PluginError(bundlePath: bundlePath, findings: found)
        }
    }

    /// Everything that is wrong with the bundle, errors and warnings, found without running any of its code.
    ///
    /// - Parameter program: the executable of the application to check for: its libraries count as present. Nil for
    ///   this process.
    /// - Returns: the findings, those of Info.plist first; empty if the bundle is fine. A bundle without code has no
    ///   problem by that.
    public func findings(loadedBy program: String? = nil) -> [PluginFinding] {
        if let manifestError { return manifestError.findings + permissionFindings }
        var findings = manifest.findings
        findings += [executionFinding].compactMap(\.self) + Self.advice(on: manifest, path: manifestPath)
        // What is linked into this program needs no file. Of another program nobody knows what is linked into it.
        if program == nil, isLinked || isProgram { return findings + permissionFindings }
        do throws(PluginError) {
            let executable = try openExecutable()
            findings += staleSummary(of: executable.file, executable.path)
            findings += ImageInspector.inspectCompletely(
                path: executable.path, bundlePath: bundlePath, libraries: CarriedLibraries(of: self),
                surroundings: program.map { .program(path: $0) }
                    ?? .currentProcess(pluginImages: LoadedImages.ofPlugins),
                declared: DeclaredPoints(
                    names: Set(manifest.extensions.compactMap(\.extensionPoint)), list: manifestPath))
        } catch {
            if error.code != .notCode { findings += error.findings }
        }
        return findings + permissionFindings
    }

    /// A `PHBuiltFor` that is not about the executable: one that was exchanged since the bundle was packed.
    private func staleSummary(of file: borrowing OpenedFile, _ path: String) -> [PluginFinding] {
        guard !manifest.builtFor.isEmpty,
            let note = ImageInspector.inspectQuickly(file, path: path, bundlePath: bundlePath).note,
            note.summary != manifest.builtFor
        else { return [] }
        let found = note.summary.sorted { $0.key < $1.key }.map { "\($0.key) \(quoted($0.value))" }
        return [
            PluginFinding(
                .warning, .manifestInvalid, filePath: manifestPath, subject: "PHBuiltFor",
                message: "PHBuiltFor does not describe the executable \(quoted(path)), which was built for "
                    + found.joined(separator: ", ") + ".",
                remedy: "Pack the bundle again: “pluginhost pack” writes the key.")
        ]
    }

    /// What a checker says about an Info.plist beyond its findings: keys that the author meant to have a meaning and
    /// that have none, and signatures that cannot be called.
    @_spi(Tools) public static func advice(on manifest: Manifest, path: String) -> [PluginFinding] {
        let unknown = manifest.unknownKeys.map { key in
            PluginFinding(
                .warning, .manifestInvalid, filePath: path, subject: key,
                message: "The key \(key) begins with PH and is not known to this version.",
                remedy: "Check its spelling; docs/bundle-format.md lists the keys.")
        }
        let ineffective = manifest.ineffectiveKeys.map { key in
            PluginFinding(
                .warning, .manifestInvalid, filePath: path, subject: key,
                message: "The key \(key) has no effect: no platform may change the key that it is for.",
                remedy: "Name another executable by NSExecutable-linux; an identifier holds on every platform.")
        }
        return unknown + ineffective + signatureFindings(of: manifest, path: path)
    }

    private static func signatureFindings(of manifest: Manifest, path: String) -> [PluginFinding] {
        manifest.functions.sorted { $0.key < $1.key }.compactMap { name, signature in
            do throws(ForeignSignature.Fault) {
                _ = try ForeignSignature(signature)
                return nil
            } catch {
                return PluginFinding(
                    .manifestInvalid, filePath: path, subject: "PHFunctions",
                    message: "PHFunctions gives \(quoted(name)) the signature \(quoted(signature)), \(error.reason).",
                    remedy: ForeignSignature.remedy)
            }
        }
    }
}
