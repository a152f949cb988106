@_spi(Tools) package import HostBasics
package import PluginABI
import PropertyLists

/// The value that counts for each setting, and why.
package struct SettingsResolution: Sendable {
    /// Where a value comes from.
    package struct Origin: Sendable, Hashable {
        package var layer: SettingsLayer
        /// The file; nil for the layers without one.
        package var path: String?
        /// The key in the file, which may be a former one.
        package var key: String
    }

    package private(set) var values: [String: SettingScalar] = [:]
    package private(set) var origins: [String: Origin] = [:]
    /// The files that lock settings, by key.
    package private(set) var locks: [String: String] = [:]
    /// What is wrong with files and values.
    package private(set) var findings: [PluginFinding]

    private var files: SettingsFiles
    private var places: [String: FilePlaces] = [:]
    private var counts: [String: Int] = [:]
    private var textBytes = 0

    /// Finds the values.
    ///
    /// - Parameters:
    ///   - schema: what the plug-in declares.
    ///   - files: the files of all layers.
    ///   - overrides: what the application set for this run.
    package init(_ schema: SettingsSchema, _ files: SettingsFiles, overrides: [String: SettingScalar] = [:]) {
        self.files = files
        findings = files.findings
        for declaration in schema.declarations { resolve(declaration, overrides[declaration.key]) }
        for key in overrides.keys.sorted() where schema[key] == nil {
            findings.append(
                PluginFinding(
                    .warning, .settingUndeclared, subject: key,
                    message:
                        "The application sets \(quoted(key)) for this run, which the Settings.bundle does not declare.",
                    remedy: "Use a key of the Settings.bundle."))
        }
        for file in [files.distribution].compactMap(\.self) + files.locking { noteUndeclared(in: file, schema) }
        for (path, count) in counts.sorted(by: { $0.key < $1.key }) where count > SettingsLimits.mostFindings {
            findings.append(
                .further(
                    count - SettingsLimits.mostFindings, .warning, .settingInvalid, in: path,
                    remedy: "Correct the values above first."))
        }
        // Their bytes are not needed any more.
        (places, self.files) = ([:], SettingsFiles())
    }

    // MARK: One setting

    /// A value that is not used.
    private struct Unused {
        let code: PluginError.Code
        let layer: SettingsLayer
        let file: SettingsFile?
        let key: String
        let problem: String
    }

    private mutating func resolve(_ declaration: SettingDeclaration, _ override: SettingScalar?) {
        var value = declaration.defaultValue
        var origin = Origin(layer: .plugin, path: declaration.filePath, key: declaration.key)
        var unused: [Unused] = []
        let lock = files.lock(of: declaration)
        if let lock { locks[declaration.key] = lock.path }
        for file in sources(of: declaration, lock) {
            if let found = stored(declaration, file, &unused) {
                value = found.value
                origin = Origin(layer: file.layer, path: file.path, key: found.key)
            }
        }
        if let override {
            if let lock {
                unused.append(
                    Unused(
                        code: .settingLocked, layer: .run, file: nil, key: declaration.key,
                        problem: "is not used, because \(quoted(lock.path)) locks the setting"))
            } else if let checked = check(override, declaration, &unused) {
                value = checked
                origin = Origin(layer: .run, path: nil, key: declaration.key)
            }
        }
        if case .text(let text) = value { textBytes += text.utf8.count }
        values[declaration.key] = value
        origins[declaration.key] = origin
        for fault in unused { report(fault, declaration, counts: value, origin) }
    }

    /// The files whose values count, the least important first.
    private func sources(of declaration: SettingDeclaration, _ lock: SettingsFile?) -> [SettingsFile] {
        var sources = [files.distribution, files.administrator]
        // Its own value goes before that of a file that the environment put first.
        if let lock, lock.path != files.administrator?.path { sources.append(lock) }
        if lock == nil { sources.append(files.user) }
        return sources.compactMap(\.self)
    }

    /// The valid value of a file: that of the key, else of the first former key.
    private mutating func stored(
        _ declaration: SettingDeclaration, _ file: SettingsFile, _ unused: inout [Unused]
    ) -> (value: SettingScalar, key: String)? {
        for key in [declaration.key] + declaration.formerKeys {
            guard let list = file.values[key] else { continue }
            func note(_ code: PluginError.Code, _ problem: String) {
                unused.append(Unused(code: code, layer: file.layer, file: file, key: key, problem: problem))
            }
            if declaration.isSecret {
                note(.settingSecret, "is not used, because the setting is secret and files are not")
                continue
            }
            do throws(SettingDeclaration.Fault) {
                let value = try declaration.value(list)
                if case .text(let text) = value, textBytes + text.utf8.count > SettingsLimits.longestTexts {
                    note(
                        .settingInvalid,
                        "is not used, because all texts have more than \(SettingsLimits.longestTexts) bytes together")
                    continue
                }
                return (value, key)
            } catch {
                note(.settingInvalid, "is \(ShownValue.list(list)); the setting can have \(declaration.allowedWords)")
            }
        }
        return nil
    }

    private func check(
        _ override: SettingScalar, _ declaration: SettingDeclaration, _ unused: inout [Unused]
    ) -> SettingScalar? {
        do throws(SettingDeclaration.Fault) {
            return try declaration.checked(override)
        } catch {
            let shown = declaration.isSecret ? SettingDeclaration.hidden : override.shown
            unused.append(
                Unused(
                    code: .settingInvalid, layer: .run, file: nil, key: declaration.key,
                    problem: "is \(shown); the setting can have \(declaration.allowedWords)"))
            return nil
        }
    }

    // MARK: Findings

    /// Reports keys that the plug-in does not declare, in a file that somebody wrote by hand.
    ///
    /// The user's file is written by applications, and keeps what other versions of the plug-in have stored.
    private mutating func noteUndeclared(in file: SettingsFile, _ schema: SettingsSchema) {
        let declared = Set(schema.declarations.flatMap { [$0.key] + $0.formerKeys })
        let unknown = Set(file.values.keys).union(file.locked).subtracting(declared).sorted()
        if unknown.isEmpty { return }
        let sorted = declared.sorted()
        var suggestions = NameSuggestions()
        let places = places(in: file)
        findings += PluginFinding.listed(on: unknown, in: file.path) { key in
            let near = suggestions.names(near: key, among: sorted, most: 1).first
            var finding = PluginFinding(
                .warning, .settingUndeclared, filePath: file.path, subject: key,
                message: """
                    The file of \(file.layer.words) \(file.values[key] == nil ? "locks" : "has a value for") the setting \
                    \(quoted(key)), which the Settings.bundle does not declare, so it has no effect.
                    """,
                remedy: near.map { "Did you mean \(quoted($0))?" } ?? "Remove it, or use a key of the Settings.bundle.")
            finding.place = places.place(of: key)
            return finding
        }
    }

    private mutating func places(in file: SettingsFile) -> FilePlaces {
        let known = places[file.path] ?? FilePlaces(file.bytes)
        places[file.path] = known
        return known
    }

    private mutating func report(
        _ fault: Unused, _ declaration: SettingDeclaration, counts value: SettingScalar, _ origin: Origin
    ) {
        if let file = fault.file {
            counts[file.path, default: 0] += 1
            if counts[file.path, default: 0] > SettingsLimits.mostFindings { return }
        }
        let place = fault.file.map { " in \(quoted($0.path))" } ?? ""
        let shown = declaration.isSecret ? SettingDeclaration.hidden : value.shown
        var finding = PluginFinding(
            .warning, fault.code, filePath: fault.file?.path, subject: declaration.key,
            message: """
                The value of \(fault.layer.words) for the setting \(quoted(fault.key))\(place) \(fault.problem). The value of \
                \(origin.layer.words) counts: \(shown).
                """,
            remedy: fault.code == .settingInvalid
                ? "Write \(declaration.allowedWords), or remove the value." : "Remove the value.")
        if let file = fault.file {
            finding.place = places(in: file).place(of: fault.key)
        }
        findings.append(finding)
    }
}

extension SettingDeclaration {
    /// What is shown instead of a secret value.
    public static let hidden = "••••"
}

/// The places of the values in a file, found when the first is asked for.
package struct FilePlaces {
    private let list: InspectedList
    private let keys: KeyPlaces

    package init(_ bytes: [UInt8]) {
        list = bytes.withUnsafeBytes {
            ListInspector.inspect($0, as: .propertyList, limits: SettingsFile.limits)
        }
        keys = list.keyPlaces()
    }

    /// Line and column of a key's value; nil in a binary list.
    package func place(of key: String) -> PluginFinding.Place? {
        let position = list.place(ofKey: [SettingsFile.valuesKey, key], in: keys)?.position
        guard case .text(let line, let column)? = position else { return nil }
        return PluginFinding.Place(line: line, column: column)
    }
}
