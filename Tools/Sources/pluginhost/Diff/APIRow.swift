import InterfaceRecords
import PluginLinting

/// A change, with its outcome for each role.
struct APIRow {
    let change: InterfaceChange
    let implementer: InterfaceRules.Outcome
    let caller: InterfaceRules.Outcome
    private let hasEvolution: Bool

    static func rows(from old: InterfaceRecord.Module, to new: InterfaceRecord.Module) -> [APIRow] {
        let hasEvolution = old.hasEvolution && new.hasEvolution
        return InterfaceChange.changes(from: old, to: new).map { change in
            func outcome(_ role: InterfaceRules.Role) -> InterfaceRules.Outcome {
                InterfaceRules.outcome(of: change.kind, role: role, hasEvolution: hasEvolution)
            }
            return APIRow(
                change: change, implementer: outcome(.implementer), caller: outcome(.caller),
                hasEvolution: hasEvolution)
        }
    }

    var isFine: Bool { implementer.isFine && caller.isFine }
    private var raise: String {
        if change.kind == .added { return "the package's minor version" }
        return isFine
            ? "the package's minor version"
            : "the version of each extension point of \(change.subject), and the package's major version"
    }

    private static func word(_ outcome: InterfaceRules.Outcome) -> String {
        switch outcome {
        case .works: "works"
        case .usesDefault: "uses the default"
        case .refused(let code): "refused: \(code)"
        case .keepsOldValue: "keeps the old value"
        case .keepsIfInlined: "keeps the old value if inlined"
        case .refusedUnlessInlined(let code): "refused: \(code) unless inlined"
        }
    }

    var json: JSONValue {
        .object([
            "subject": .string(change.subject), "change": .string(change.kind.rawValue), "text": .string(change.text),
            "implementers": .string(Self.word(implementer)), "callers": .string(Self.word(caller)),
            "evolution": .bool(hasEvolution), "raise": .string(raise),
        ])
    }

    /// An error for each code with which plug-ins are refused.
    ///
    /// `path`: the library as it is now.
    func findings(about path: String) -> [LintFinding] {
        let codes = [implementer, caller].flatMap { outcome -> [String] in
            switch outcome {
            case .refused(let text), .refusedUnlessInlined(let text): text.split(separator: " or ").map { String($0) }
            case .works, .usesDefault, .keepsOldValue, .keepsIfInlined: []
            }
        }
        return Set(codes).sorted().map { code in
            LintFinding(
                .error, LintFinding.Code(rawValue: code), filePath: path, subject: change.subject,
                message:
                    "\(change.subject): \(change.text). Old plug-ins that implement it: \(Self.word(implementer)); "
                    + "those that call or use it: \(Self.word(caller)).",
                remedy: "Raise \(raise).")
        }
    }

    func write(to page: inout Page) {
        page.line((change.subject + ":", .bold), (change.text, isFine ? .green : .red))
        page.field("Implementers", Self.word(implementer))
        page.field("Callers", Self.word(caller))
        page.field("Raise", raise)
    }
}
