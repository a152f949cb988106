/// A bundle that may be chosen for its identifier.
struct ResolutionCandidate: Sendable {
    /// The caller's own number for it, by which the result names it.
    var number: Int
    var identifier: String
    var version: PluginVersion
    /// The identifiers that must be there before it, each in a version of the range.
    var requires: [(identifier: String, range: VersionRange)]
    /// Among equal versions the lower one is preferred, and then the lower number.
    var rank: Int

    /// Whether it is chosen before another one of its identifier.
    func isPreferred(to other: ResolutionCandidate) -> Bool {
        version == other.version ? (rank, number) < (other.rank, other.number) : version > other.version
    }
}

/// Which candidate of each identifier is used, in which order they are loaded, and what became of all others.
///
/// Every candidate's number is in exactly one of ``chosen``, ``failures`` and ``passedOver``.
struct Resolution: Sendable {
    /// What is used: in the order of identifiers, each one after what it requires.
    var chosen: [Int] = []
    /// What cannot be used because of what it requires, or what that requires.
    var failures: [Int: ResolutionFailure] = [:]
    /// What another one of its identifier is used instead of.
    var passedOver: [Int: Replacement] = [:]
    /// Whether requirements contradicted each other in so many ways that not all of them were tried. Everything chosen
    /// fits together all the same; more might.
    var reachedLimit = false

    /// The candidate that is used instead of another, and why.
    struct Replacement: Sendable, Hashable {
        enum Rule: Sendable, Hashable {
            /// Its version is higher.
            case higherVersion
            /// Its version is equal, and its rank comes first.
            case earlierRank
            /// It is loaded.
            case loaded
            /// Its version is lower, and what requires it accepts no higher one; as a sentence.
            case requirements(String)
        }

        /// The number of what is used; nil if that is loaded and no candidate.
        let replacement: Int?
        let rule: Rule
    }
}

/// Why a candidate cannot be used.
struct ResolutionFailure: Error, Sendable, Hashable {
    enum Reason: Sendable, Hashable {
        /// Nothing has this identifier.
        case missing(identifier: String)
        /// There are only versions of it outside of the range, the highest first.
        case otherVersions(identifier: String, installed: [PluginVersion], Difference)
        /// A version outside of the range is loaded.
        case otherVersionLoaded(identifier: String, PluginVersion)
        /// Each requires the next, and the last one the first; shortened if they are very many.
        case circle([String])
        /// Each of these can be used, and not all of them at once, because of the versions of what they require.
        case conflict(Set<String>)
        /// See ``Resolution/reachedLimit``.
        case undecided
    }

    /// How the versions that there are differ from those that are required.
    enum Difference: Sendable, Hashable {
        case tooOld, tooNew, other
    }

    let reason: Reason
    /// The whole chain from the candidate to the cause, as full sentences.
    let sentence: String
    /// What to do about it, as a full sentence.
    let remedy: String
}
