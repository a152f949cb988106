/// Which identifiers take the place of older ones, according to the plug-ins that claim to replace others.
///
/// An identifier is replaced only if that is certain: not if two plug-ins claim it, if the claims lead in a circle, or
/// if they lead over more than ``mostSteps`` identifiers. If one of two claimants is itself replaced by the other, they
/// agree.
package struct Replacements: Sendable, Equatable {
    /// Why a claim has no effect.
    package enum Fault: Sendable, Hashable {
        /// These claim it too, in order.
        case claimedBy([String])
        case circle
        case tooManySteps
    }

    /// What takes the place of an older identifier.
    package struct Newer: Sendable, Hashable {
        /// The identifier at the end of the chain.
        package var identifier: String
        /// The older identifier that this one claims itself: the last step of the chain.
        package var claim: String
    }

    /// By older identifier.
    package private(set) var newer: [String: Newer] = [:]
    /// By older identifier that several claim, or that is in a circle or a long chain.
    package private(set) var faults: [String: Fault] = [:]

    /// The most identifiers from an older one to the one that takes its place.
    package static let mostSteps = 8
    /// The most claimants of one identifier between which replacements of each other can decide.
    static let mostClaimants = 16

    /// - Parameter claims: by identifier, those that it claims to replace.
    ///
    /// **Cost.** Linear in the claims, times ``mostSteps``.
    package init(_ claims: [String: Set<String>]) {
        var claimants: [String: [String]] = [:]
        for (identifier, olds) in claims {
            for old in olds where old != identifier { claimants[old, default: []].append(identifier) }
        }
        var next: [String: String] = [:]
        for (old, all) in claimants {
            guard all.count <= Self.mostClaimants else {
                faults[old] = .claimedBy(all.sorted())
                continue
            }
            let last = all.filter { one in !all.contains { claims[$0]?.contains(one) ?? false && $0 != one } }
            if all.count == 1 || last.count == 1 {
                next[old] = all.count == 1 ? all[0] : last[0]
            } else {
                faults[old] = .claimedBy(all.sorted())
            }
        }
        for old in next.keys {
            guard let end = end(of: old, next) else { continue }
            newer[old] = end
        }
        // What leads to an identifier without an effect has none either.
        newer = newer.filter { faults[$0.key] == nil }
    }

    private mutating func end(of old: String, _ next: [String: String]) -> Newer? {
        var (place, steps) = (old, 0)
        var path: [String] = []
        while let following = next[place] {
            path.append(place)
            steps += 1
            if following == old || path.contains(following) {
                for step in path { faults[step] = .circle }
                return nil
            }
            guard steps <= Self.mostSteps else {
                for step in path where faults[step] == nil { faults[step] = .tooManySteps }
                return nil
            }
            place = following
        }
        return path.last.map { Newer(identifier: place, claim: $0) }
    }
}
