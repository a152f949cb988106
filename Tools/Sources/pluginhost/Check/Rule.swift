import ArgumentParser
import PluginHost
import PluginLinting

/// One thing that `check` and `lint` look for.
///
/// The id is the code of its findings; ids never change.
struct Rule: Sendable {
    /// How demanding a check is.
    ///
    /// Each level includes the levels before it.
    enum Level: String, CaseIterable, Comparable, ExpressibleByArgument {
        /// Faults that stop a load.
        case load
        /// Faults that cause wrong behaviour.
        case standard
        /// Faults that a careful author corrects.
        case strict

        static func < (a: Level, b: Level) -> Bool { a.rank < b.rank }

        private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }

        /// The first level at which a finding of a severity counts, whatever its rule.
        ///
        /// A warning does not stop a load.
        init(_ severity: LintFinding.Severity) {
            self =
                switch severity {
                case .error: .load
                case .warning: .standard
                case .note: .strict
                }
        }
    }

    /// The part of a check that looks for a fault.
    enum Part: String, CaseIterable {
        /// Info.plist and the files of the bundle.
        case bundle
        /// The executable, without running it.
        case executable
        /// Property lists and strings tables.
        case lists
        /// The languages of a bundle, compared with each other.
        case languages
        /// Nibs, and the tables that translate them.
        case nibs
        /// The lists of a Settings.bundle.
        case settings
        /// Keys in the sources, which only `lint --sources` looks for.
        case sources
        /// A load in a separate process.
        case load
        /// Use of the loaded code, in another separate process.
        case use

        /// The title of its rules in docs/rules.md.
        var title: String {
            switch self {
            case .bundle: "The bundle and its Info.plist"
            case .executable: "The executable, before it runs"
            case .lists: "Property lists and strings tables"
            case .languages: "Languages"
            case .nibs: "Nibs"
            case .settings: "Settings"
            case .sources: "Keys in the sources"
            case .load: "Loading the code"
            case .use: "Using the loaded code"
            }
        }

        /// The commands that make this part of a check.
        var foundBy: String {
            switch self {
            case .bundle, .executable: "check"
            case .nibs: "check, lint"
            case .lists, .languages, .settings: "lint, check --level"
            case .sources: "lint --sources"
            case .load: "load, check --level"
            case .use: "check --level"
            }
        }
    }

    let id: String
    let level: Level
    let part: Part
    /// What is wrong, as full sentences.
    let what: String
    /// Why it matters.
    let why: String
    /// How to correct it.
    let mend: String

    /// A rule for findings of a bundle's checks.
    static func plugin(
        _ code: PluginError.Code, _ level: Level, _ part: Part, what: String, why: String, mend: String
    ) -> Rule {
        Rule(id: code.rawValue, level: level, part: part, what: what, why: why, mend: mend)
    }

    /// A rule for findings of the linter.
    static func lint(
        _ code: LintFinding.Code, _ level: Level, _ part: Part, what: String, why: String, mend: String
    ) -> Rule {
        Rule(id: code.rawValue, level: level, part: part, what: what, why: why, mend: mend)
    }

    /// A rule for a fault in the text of a list or table, which the readers find.
    static func fault(_ id: String, what: String, why: String, mend: String) -> Rule {
        Rule(id: id, level: .standard, part: .lists, what: what, why: why, mend: mend)
    }

    /// All rules, in the order of the parts.
    static let all: [Rule] = bundle + executable + loading + use + lists + languages + nibs + settings + sources

    private static let byID = Dictionary(uniqueKeysWithValues: all.map { ($0.id, $0) })

    /// The rule with an id; nil if there is none.
    static func named(_ id: String) -> Rule? { byID[id] }

    /// The address of its page, for reports that link to it.
    var address: String { "\(Self.pages)#\(id.lowercased())" }

    /// The address of docs/rules.md where the project is published.
    static let pages = "https://example.org/PluginHost/docs/rules.md"
}

extension LintFinding {
    /// The first level at which it counts: the level of its rule or of its severity, whichever is later.
    var level: Rule.Level { max(Rule.named(code.rawValue)?.level ?? .load, Rule.Level(severity)) }
}
