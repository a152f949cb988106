package import HostBasics

/// A bundle that may be chosen for its identifier.
package struct ResolutionCandidate: Sendable {
    /// The caller's own number for it, also used in the result.
    package var number: Int
    package var identifier: String
    package var version: PluginVersion
    /// The identifiers that must be loaded before it, each with the range of accepted versions.
    package var requires: [(identifier: String, range: VersionRange)]
    /// Among equal versions, the lower rank is preferred, then the lower number.
    package var rank: Int

    package init(
        number: Int, identifier: String, version: PluginVersion, requires: [(identifier: String, range: VersionRange)],
        rank: Int
    ) {
        self.number = number
        self.identifier = identifier
        self.version = version
        self.requires = requires
        self.rank = rank
    }

    /// Whether it is preferred to another candidate with the same identifier.
    func isPreferred(to other: ResolutionCandidate) -> Bool {
        version == other.version ? (rank, number) < (other.rank, other.number) : version > other.version
    }
}

/// Which candidate of each identifier is used, in which order they are loaded, and why all others are not used.
///
/// Every candidate's number is in exactly one of ``chosen``, ``failures`` and ``passedOver``.
package struct Resolution: Sendable {
    /// The candidates in use, in the order of identifiers, but each after those that it requires.
    package var chosen: [Int] = []
    /// Candidates that cannot be used because of their requirements, or of the requirements of those.
    package var failures: [Int: ResolutionFailure] = [:]
    /// Candidates for which another one with the same identifier is used instead.
    package var passedOver: [Int: Replacement] = [:]
    /// Whether the search ended before all combinations were tried.
    ///
    /// It ends early if requirements contradict each other in too many ways. All chosen candidates still fit together;
    /// a longer search might find more.
    package var reachedLimit = false

    /// The candidate that is used instead of another, and why.
    package struct Replacement: Sendable, Hashable {
        package enum Rule: Sendable, Hashable {
            /// Its version is higher.
            case higherVersion
            /// Its version is equal, and its rank comes first.
            case earlierRank
            /// It is already loaded.
            case loaded
            /// Its version is lower, and the plug-ins that require it accept no higher one. The text is a sentence.
            case requirements(String)
        }

        /// The number of the candidate in use; nil for a loaded version that is not a candidate.
        package let replacement: Int?
        package let rule: Rule
    }
}

/// Why a candidate cannot be used.
package struct ResolutionFailure: Error, Sendable, Hashable {
    package enum Reason: Sendable, Hashable {
        /// No candidate has this identifier.
        case missing(identifier: String)
        /// Only versions outside the range exist, the highest first.
        case otherVersions(identifier: String, installed: [PluginVersion], Difference)
        /// A version outside the range is loaded.
        case otherVersionLoaded(identifier: String, PluginVersion)
        /// Each requires the next, and the last one requires the first; shortened if there are very many.
        case circle([String])
        /// Each of these can be used, but not all of them together, because of the versions that they require.
        case conflict(Set<String>)
        /// See ``Resolution/reachedLimit``.
        case undecided
    }

    /// How the existing versions differ from the required ones.
    package enum Difference: Sendable, Hashable {
        case tooOld, tooNew, other
    }

    package let reason: Reason
    /// The whole chain from the candidate to the cause, as full sentences.
    package let sentence: String
    /// The remedy, as a full sentence.
    package let remedy: String
}
