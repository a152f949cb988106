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
        return (found + PluginBundle.advice(on: manifest, path: file.path)).map { LintFinding($0, in: file) }
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
