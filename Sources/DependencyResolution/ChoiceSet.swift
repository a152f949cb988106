/// A set of an identifier's choices, which are numbered from 0 for the most preferred one.
///
/// It stores the numbers at which membership changes, so a range of versions needs two numbers, whatever its size.
struct ChoiceSet: Sendable, Hashable {
    /// The limits of the ranges of choices, ascending.
    ///
    /// The set contains the choices from the first number up to the second, from the third up to the fourth, and so on.
    /// The number of limits is even.
    private var changes: [Int32]

    init(_ range: Range<Int>) {
        changes = range.isEmpty ? [] : [Int32(range.lowerBound), Int32(range.upperBound)]
    }

    /// - Parameter members: in ascending order.
    init(ascending members: some Sequence<Int>) {
        changes = []
        for member in members { append(member..<(member + 1)) }
    }

    /// - Parameter range: must begin at the end of the set or later.
    mutating func append(_ range: Range<Int>) {
        guard !range.isEmpty else { return }
        if changes.last == Int32(range.lowerBound) {
            changes[changes.count - 1] = Int32(range.upperBound)
        } else {
            changes += [Int32(range.lowerBound), Int32(range.upperBound)]
        }
    }

    var isEmpty: Bool { changes.isEmpty }
    var first: Int? { changes.first.map(Int.init) }
    /// The only member, or nil if there are none or several.
    var only: Int? { changes.count == 2 && changes[1] == changes[0] + 1 ? Int(changes[0]) : nil }
    var count: Int { members.reduce(0) { $0 + $1.count } }

    /// The members as ranges, in ascending order.
    var members: [Range<Int>] {
        stride(from: 0, to: changes.count, by: 2).map { Int(changes[$0])..<Int(changes[$0 + 1]) }
    }

    func contains(_ choice: Int) -> Bool {
        var isMember = false
        for change in changes {
            if change > choice { break }
            isMember.toggle()
        }
        return isMember
    }

    /// All choices below a count that the set does not contain.
    func complement(of count: Int) -> ChoiceSet { combined(ChoiceSet(0..<count)) { $0 != $1 } }

    func intersection(_ other: ChoiceSet) -> ChoiceSet { combined(other) { $0 && $1 } }

    func union(_ other: ChoiceSet) -> ChoiceSet { combined(other) { $0 || $1 } }

    private func combined(_ other: ChoiceSet, _ rule: (Bool, Bool) -> Bool) -> ChoiceSet {
        var result = ChoiceSet(0..<0)
        var isMember = false
        Self.walk(changes, other.changes) { place, isInOne, isInOther in
            if rule(isInOne, isInOther) != isMember {
                isMember.toggle()
                result.changes.append(place)
            }
            return true
        }
        return result
    }

    /// How a set of possible choices relates to another set.
    enum Relation {
        /// Every member is in the other.
        case subset
        /// No member is in the other.
        case disjoint
        case overlapping
    }

    func relation(to other: ChoiceSet) -> Relation {
        var isInside = false
        var isOutside = false
        Self.walk(changes, other.changes) { _, isInOne, isInOther in
            if isInOne {
                if isInOther { isInside = true } else { isOutside = true }
            }
            return !isInside || !isOutside
        }
        return isInside && isOutside ? .overlapping : isOutside ? .disjoint : .subset
    }

    /// Visits the places where either set changes, with the membership in both after each place, until the visitor
    /// returns false.
    private static func walk(_ one: [Int32], _ other: [Int32], _ visit: (Int32, Bool, Bool) -> Bool) {
        var (a, b) = (0, 0)
        while a < one.count || b < other.count {
            let place = min(a < one.count ? one[a] : .max, b < other.count ? other[b] : .max)
            if a < one.count, one[a] == place { a += 1 }
            if b < other.count, other[b] == place { b += 1 }
            guard visit(place, a & 1 == 1, b & 1 == 1) else { return }
        }
    }
}
