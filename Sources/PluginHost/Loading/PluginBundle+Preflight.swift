@_spi(Tools) import BundleReading
internal import CPluginSupport
@_spi(Tools) public import ELFImages
@_spi(Tools) import HostBasics
import PluginWorkers
internal import PropertyLists

extension PluginBundle {
    /// Makes all checks of a load, and those that otherwise run only after a load has failed, without running any code
    /// of the bundle.
    ///
    /// - Throws: ``PluginError`` with all findings; its code is the code of the first error, as in
    ///   ``loadAndReturnError()``. Warnings alone throw nothing; ``findings(loadedBy:)`` returns them too. Never throws
    ///   for the main bundle, because its code already runs.
    ///
    /// **Cost.** Milliseconds: it reads the executable's symbol tables and searches for every library that it needs.
    public func preflight() throws {
        // The program runs even if its Info.plist is faulty or missing.
        if isProgram { return }
        let found = findings()
        if found.contains(where: { $0.severity == .error }) {
            throw PluginError(bundlePath: bundlePath, findings: found)
        }
    }

    /// All findings about the bundle, errors and warnings.
    ///
    /// No code of the bundle runs.
    ///
    /// - Parameter program: the executable of the application to check for; its libraries count as present. Nil for
    ///   this process.
    /// - Returns: the findings, those about Info.plist first; empty if the bundle has no fault. Having no code is not a
    ///   fault.
    public func findings(loadedBy program: String? = nil) -> [PluginFinding] {
        findings(loadedBy: program.map { InspectedProgram(path: $0) })
    }

    /// The same for a program whose libraries were read before.
    ///
    /// `reportsUnrecorded`: whether to warn of libraries whose interfaces are not recorded. Libraries in a build folder have
    /// no record, so only a demanding check asks for it.
    @_spi(Tools) public func findings(
        loadedBy program: InspectedProgram?, reportsUnrecorded: Bool = false
    ) -> [PluginFinding] {
        if let manifestError { return manifestError.findings + permissionFindings }
        var findings = manifest.findings
        do throws(PluginError) {
            _ = try runsElsewhere()
        } catch {
            findings += error.findings
        }
        findings += Self.advice(on: manifest, path: manifestPath)
        // Code that is linked into this program needs no file. Which code is linked into another program is unknown.
        if program == nil, isLinked || isProgram { return findings + permissionFindings }
        do throws(PluginError) {
            let executable = try openExecutable()
            findings += staleSummary(of: executable.file, executable.path)
            let compiled = compiledRecord(ofFile: executable.path)
            findings += compiled.findings
            let elsewhere = runtimeFindings()
            let worker = elsewhere?.runtime.map { Path.join($0, WorkerProgram.fileName) }
            let loader = worker.map { InspectedProgram(path: $0) } ?? program
            let inspected = ELFInspector.inspectCompletely(
                path: executable.path, bundlePath: bundlePath, libraries: CarriedLibraries(of: self),
                surroundings: loader.map(ELFSurroundings.program) ?? .process,
                declared: DeclaredPoints(
                    names: Set(manifest.extensions.compactMap(\.extensionPoint)), list: manifestPath),
                record: compiled.record, reportsUnrecorded: reportsUnrecorded)
            findings += inspected.filter {
                elsewhere == nil || $0.code != .toolchainMismatch || $0.severity != .error
            }
            findings += elsewhere?.findings ?? []
            findings += principalFindings(inFileAt: executable.path)
        } catch {
            if error.code != .notCode { findings += error.findings }
        }
        return findings + permissionFindings
    }

    /// A finding if `PHBuiltFor` does not match the executable because that file was replaced after the bundle was
    /// packed.
    private func staleSummary(of file: borrowing OpenedFile, _ path: String) -> [PluginFinding] {
        guard !manifest.builtFor.isEmpty,
            let note = ELFInspector.inspectQuickly(file, path: path, bundlePath: bundlePath).note,
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

    /// A warning if no class of the executable has the name that `NSPrincipalClass` states.
    ///
    /// It is not an error, because the code may register a class under another name. Code without Swift is not
    /// examined: its classes may be those of another runtime.
    private func principalFindings(inFileAt path: String) -> [PluginFinding] {
        guard let wanted = manifest.principalClass, wanted.unexpandedVariable == nil,
            let names = LibraryClasses.names(inFileAt: path),
            !names.contains(where: { LibraryClasses.isName(wanted, of: $0) })
        else { return [] }
        var suggestions = NameSuggestions()
        // Authors write the name with or without its module.
        let known = names.flatMap { [$0, LibraryClasses.nameWithoutModule($0)] }
        let near = suggestions.names(near: wanted, among: known, most: 1).first
        let remedy =
            if let near {
                "Did you mean \(quoted(near))?"
            } else if names.isEmpty {
                "Remove the key."
            } else {
                "Write one of \(names.prefix(5).map(quoted).joined(separator: ", "))."
            }
        return [
            PluginFinding(
                .warning, .principalClassMissing, filePath: manifestPath, subject: ManifestKey.principalClass.spelling,
                message: """
                    NSPrincipalClass is \(quoted(NameRules.shortened(wanted))), but \(quoted(path)) defines no class with that \
                    name.
                    """,
                remedy: "\(remedy) A name that the code registers for a class is correct too.")
        ]
    }

    /// A checker's additional findings about an Info.plist: keys that have no effect although the author probably
    /// expected one, and signatures that cannot be called.
    @_spi(Tools) public static func advice(on manifest: Manifest, path: String) -> [PluginFinding] {
        var suggestions = NameSuggestions()
        let known = Manifest.ownKeys.sorted()
        let unknown = PluginFinding.listed(on: manifest.unknownKeys, in: path) { key in
            let near = suggestions.names(near: key, among: known, most: 1).first
            let question = near.map { "Did you mean \($0)? " } ?? "Check its spelling. "
            return PluginFinding(
                .warning, .manifestInvalid, filePath: path, subject: key,
                message: "The key \(key) begins with PH, but this version does not know it.",
                remedy: question + "The page bundle-format.md lists the keys.")
        }
        // Other programs read keys of the same list, so only one is reported that is nearly a key that the list lacks.
        // Apple's NSExtension is no misspelt NSExtensions.
        let absent = known.filter {
            !$0.hasPrefix("PH") && $0 != ManifestKey.handledExtensions.spelling && manifest.dictionary[$0] == nil
        }
        let misspelt = PluginFinding.listed(on: manifest.foreignKeys, in: path) { key in
            suggestions.names(near: key, among: absent, atMost: 2, most: 1).first.map { near in
                PluginFinding(
                    .warning, .manifestInvalid, filePath: path, subject: key,
                    message: "The key \(quoted(key)) is not read.",
                    remedy: "Did you mean \(near)? If another program reads it, leave it as it is.")
            }
        }
        let ineffective = manifest.ineffectiveKeys.map { key in
            PluginFinding(
                .warning, .manifestInvalid, filePath: path, subject: key,
                message: "The key \(key) has no effect: the key without the suffix cannot differ between platforms.",
                remedy: "Use NSExecutable-linux to name another executable; an identifier never varies.")
        }
        let needsItself = [manifest.identifier].compactMap(\.self).filter { manifest.requires[$0] != nil }.map { own in
            PluginFinding(
                .warning, .manifestInvalid, filePath: path, subject: ManifestKey.requires.spelling,
                message: "PHRequires names the bundle itself, so no catalogue ever uses it.",
                remedy: "Remove \(quoted(own)) from PHRequires.")
        }
        return unknown + misspelt + needsItself + itemAdvice(on: manifest, path: path, &suggestions) + ineffective
            + nameAdvice(on: manifest, path: path)
            + metadataAdvice(on: manifest, path: path)
            + decisionAdvice(on: manifest, path: path) + documentAdvice(on: manifest, path: path)
            + executionAdvice(on: manifest, path: path)
            + signatureFindings(of: manifest, path: path)
    }

    /// Keys in the entries of PHFactories and PHExtensionPoints that are nearly one that the entry lacks.
    private static func itemAdvice(
        on manifest: Manifest, path: String, _ suggestions: inout NameSuggestions
    ) -> [PluginFinding] {
        let known = ItemKey.allCases.map(\.spelling)
        var findings: [PluginFinding] = []
        for list in [ManifestKey.factories, .extensionPoints].map(\.spelling) {
            guard case .array(let entries)? = manifest.dictionary[list] else { continue }
            for case .dictionary(let entry) in entries {
                for key in entry.keys.sorted() where !known.contains(key) {
                    guard findings.count < ReadingBudget.mostFindings else { return findings }
                    let absent = known.filter { entry[$0] == nil }
                    guard let near = suggestions.names(near: key, among: absent, atMost: 2, most: 1).first else {
                        continue
                    }
                    findings.append(
                        PluginFinding(
                            .warning, .manifestInvalid, filePath: path, subject: key,
                            message: "The key \(quoted(key)) in an entry of \(list) is not read.",
                            remedy: "Did you mean \(near)?"))
                }
            }
        }
        return findings
    }

    /// Keys with blanks around them, and names that other systems or people read differently.
    private static func nameAdvice(on manifest: Manifest, path: String) -> [PluginFinding] {
        func warning(_ code: PluginError.Code, _ key: String, _ message: String, _ remedy: String) -> PluginFinding {
            PluginFinding(.warning, code, filePath: path, subject: key, message: message, remedy: remedy)
        }
        var findings = PluginFinding.listed(on: manifest.keysWithBlanks, in: path) { key in
            warning(
                .manifestInvalid, key,
                "The key \(quoted(NameRules.shortened(key))) has a blank around its name, so it is not known.",
                "Write \(NameRules.withoutBlanks(key) ?? key).")
        }
        let identifier = ManifestKey.identifier.spelling
        if let text = manifest.identifier, NameRules.fault(ofIdentifier: text) == nil,
            let unusual = NameRules.unusualCharacter(inIdentifier: text)
        {
            let isUnderscore = unusual == "_" && !text.contains { $0 != "_" && NameRules.isUnusual($0) }
            findings.append(
                warning(
                    isUnderscore ? .identifierUnderscore : .identifierUnusual, identifier,
                    "The identifier \(quoted(text)) has the character \(quoted(String(unusual))), "
                        + "which Apple's systems do not allow.",
                    "Use letters, digits, hyphens and dots only."))
        }
        let shown = [
            (ManifestKey.name, manifest.name), (.displayName, manifest.displayName), (.version, manifest.version),
            (.shortVersion, manifest.shortVersion),
        ]
        findings += shown.compactMap { key, text in
            guard let text else { return nil }
            if text.isEmpty, key == .name || key == .displayName {
                return warning(
                    .manifestInvalid, key.spelling, "The key \(key.spelling) is empty, so it has no effect.",
                    "Write the name, or remove the key.")
            }
            guard NameRules.isRagged(text) else { return nil }
            return warning(
                .manifestInvalid, key.spelling,
                "The key \(key.spelling) is \(quoted(NameRules.shortened(text))), with blanks around it or a line break in it; they are shown.",
                "Remove them; nothing is trimmed.")
        }
        func written(_ key: ManifestKey) -> String? { manifest.dictionary[key.spelling]?.string }
        let names: [(ManifestKey, [String?])] = [
            (.executable, [written(.executable)]), (.bundleExecutable, [written(.bundleExecutable)]),
            (.developmentRegion, [manifest.developmentRegion]), (.localizations, manifest.localizations),
            (.principalClass, [manifest.principalClass]), (.mainNibFile, [manifest.mainNibFile]),
            (.requires, manifest.requires.keys.sorted()), (.optionalRequires, manifest.optionalRequires.keys.sorted()),
            (.conflicts, manifest.conflicts.keys.sorted()), (.replaces, manifest.replaces),
            (.uses, manifest.uses.keys.sorted()),
        ]
        // A value that names no file, bundle or language has no effect, and no other check reports it.
        for (key, texts) in names where manifest.executable == nil || key != .executable && key != .bundleExecutable {
            guard let variable = texts.lazy.compactMap({ $0?.unexpandedVariable }).first else { continue }
            findings.append(
                warning(
                    .manifestInvalid, key.spelling,
                    "The key \(key.spelling) has \(quoted(NameRules.shortened(variable))), which the build did not expand, "
                        + "so it names nothing.",
                    "Write the name itself, or let the build expand the variable."))
        }
        return findings
    }

    /// Permissions and limits that have no effect, and permissions without a reason that a user can read.
    private static func executionAdvice(on manifest: Manifest, path: String) -> [PluginFinding] {
        guard let request = manifest.workerRequest else { return [] }
        if manifest.executionRequest == .inProcess {
            return [ManifestKey.permissions, .limits].map(\.spelling).filter { manifest.dictionary[$0] != nil }.map {
                PluginFinding(
                    .warning, .manifestInvalid, filePath: path, subject: $0,
                    message: "The key \($0) has no effect: PHExecution keeps the code in the application's process.",
                    remedy: "Remove one of the two keys.")
            }
        }
        let key = ManifestKey.permissions.spelling
        let unexplained = request.permissions.names.map(\.rawValue)
            .filter { (request.permissions.reasons[$0] ?? "").isEmpty }
        if unexplained.isEmpty { return [] }
        let names = unexplained.map { quoted($0) }.joined(separator: ", ")
        return [
            PluginFinding(
                .warning, .reasonMissing, filePath: path, subject: key,
                message: "PHPermissions asks for \(names) without a reason.",
                remedy: "Write a sentence for each into “reasons”, which the application shows to the user.")
        ]
    }

    private static func signatureFindings(of manifest: Manifest, path: String) -> [PluginFinding] {
        PluginFinding.listed(on: manifest.functions.keys.sorted(), in: path) { name in
            let signature = manifest.functions[name] ?? ""
            do throws(ForeignSignature.Fault) {
                _ = try ForeignSignature(signature)
                return nil
            } catch {
                return PluginFinding(
                    .manifestInvalid, filePath: path, subject: "PHFunctions",
                    message: "PHFunctions declares \(quoted(name)) as \(quoted(signature)), \(error.reason).",
                    remedy: ForeignSignature.remedy)
            }
        }
    }
}
