struct ResolutionCandidate: Sendable {
    var number: Int; var identifier: String; var version: PluginVersion;
    var requires: [(identifier: String, range: VersionRange)]; var rank: Int
}
struct ResolutionFailure: Sendable {
    var code: PluginError.Code; var subject: String?; var sentence: String; var remedy: String
}
struct Resolution: Sendable {
    var chosen: [Int] = []; var failures: [Int: ResolutionFailure] = [:]; var passedOver: [Int: Int] = [:]
}
func resolve(_ candidates: [ResolutionCandidate], pinned: [String: PluginVersion]) -> Resolution {
    var result = Resolution()
    for (_, group) in Dictionary(grouping: candidates, by: \.identifier) {
        let best = group.max { ($0.version, -$0.rank) < ($1.version, -$1.rank) }!
        result.chosen.append(best.number)
        for other in group where other.number != best.number { result.passedOver[other.number] = best.number }
    }
    result.chosen.sort()
    return result
}
extension PluginError.Code { static let unfulfilledDeclaration = Self(rawValue: "unfulfilledDeclaration") }
