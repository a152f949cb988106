import HostBasics

@testable import DependencyResolution

/// Candidates written as lines: `org.a 1.0: org.b >=2; org.c`.
///
/// Equal lines have ranks in their order.
struct Candidates {
    private(set) var list: [ResolutionCandidate] = []

    init(_ lines: [String]) throws {
        for line in lines {
            let parts = line.split(separator: ":", maxSplits: 1)
            let head = parts[0].split(separator: " ")
            var requires: [(identifier: String, range: VersionRange)] = []
            for requirement in parts.count > 1 ? parts[1].split(separator: ";") : [] {
                let words = requirement.split(separator: " ", maxSplits: 1)
                if words.isEmpty { continue }
                requires.append((String(words[0]), try words.count > 1 ? VersionRange(String(words[1])) : .any))
            }
            list.append(
                ResolutionCandidate(
                    number: list.count, identifier: String(head[0]), version: PluginVersion(String(head[1]))!,
                    requires: requires, rank: list.count))
        }
    }

    func name(_ number: Int) -> String { "\(list[number].identifier) \(list[number].version)" }

    func resolved(pinned: [String: String] = [:], limit: Int = 5_000_000) -> Resolved {
        Resolved(
            candidates: self,
            resolution: resolve(list, pinned: pinned.mapValues { PluginVersion($0)! }, limit: limit))
    }
}

/// A resolution with names instead of numbers.
struct Resolved {
    let candidates: Candidates
    let resolution: Resolution

    /// In load order.
    var chosen: [String] { resolution.chosen.map(candidates.name) }

    var failures: [String: ResolutionFailure] {
        Dictionary(uniqueKeysWithValues: resolution.failures.map { (candidates.name($0.key), $0.value) })
    }

    var sentences: [String: String] { failures.mapValues(\.sentence) }

    var passedOver: [String: Resolution.Replacement.Rule] {
        Dictionary(uniqueKeysWithValues: resolution.passedOver.map { (candidates.name($0.key), $0.value.rule) })
    }
}

func resolved(_ lines: String..., pinned: [String: String] = [:]) throws -> Resolved {
    try Candidates(lines).resolved(pinned: pinned)
}
