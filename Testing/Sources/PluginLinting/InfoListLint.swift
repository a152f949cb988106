internal import HostBasics
@_spi(Tools) public import PluginHost
internal import PropertyLists

/// The faults in the keys of an Info.plist.
enum InfoListLint {
    static func findings(in file: LintedFile) -> [LintFinding] {
        guard let value = file.list?.value else { return [] }
        guard case .dictionary(let dictionary) = value else {
            guard file.findings.isEmpty else { return [] }
            return [
                LintFinding(
                    .error, LintFinding.Code(rawValue: PluginError.Code.manifestUnreadable.rawValue),
                    filePath: file.path,
                    message: "The list is \(value.typeName), where a dictionary is expected.",
                    remedy: "Correct the file.")
            ]
        }
        let manifest = Manifest(dictionary: dictionary, path: file.path)
        let ignored = Set(manifest.ignoredKeys)
        let found = manifest.findings.map { finding in
            // A host ignores such a key; its author should correct it, so here it is an error.
            guard finding.code == .manifestInvalid, let key = finding.subject, ignored.contains(key) else {
                return finding
            }
            var finding = finding
            finding.severity = .error
            return finding
        }
        let license = LicenseLint.finding(about: dictionary["PHLicense"]?.string, path: file.path)
        return (found + PluginBundle.advice(on: manifest, path: file.path) + [license].compactMap(\.self))
            .map { LintFinding($0, in: file) } + unknownTypes(manifest, in: file)
    }

    /// Types of documents that neither the list declares nor every host knows.
    ///
    /// They may be the application's or another plug-in's, so this is only a note.
    private static func unknownTypes(_ manifest: Manifest, in file: LintedFile) -> [LintFinding] {
        manifest.unknownTypes.map { key, type in
            LintFinding(
                .note, LintFinding.Code(rawValue: PluginError.Code.manifestInvalid.rawValue), filePath: file.path,
                place: file.place(of: key), subject: key,
                message: "The key \(key) names the type \(quoted(type)), which this list does not declare.",
                remedy: "Check its spelling, or declare it in UTImportedTypeDeclarations, so that it is known "
                    + "whatever else is installed.")
        }
    }
}

extension LintFinding {
    /// A finding of a bundle's checks, without a place in its file.
    ///
    /// The path is empty if it concerns no file.
    public init(_ finding: PluginFinding) { self.init(finding, in: nil) }

    /// A finding of a bundle's checks, with the place of its key.
    init(_ finding: PluginFinding, in file: LintedFile?) {
        let path = finding.filePath ?? file?.path ?? ""
        self.init(
            finding.severity == .error ? .error : .warning, Code(rawValue: finding.code.rawValue), filePath: path,
            place: finding.place.map { Place(line: $0.line, column: $0.column) }
                ?? finding.subject.flatMap { file?.place(of: $0) }, subject: finding.subject, message: finding.message,
            remedy: finding.remedy, systemMessage: finding.systemMessage)
    }
}
