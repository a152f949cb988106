import HostBasics
import TestSupport
import Testing

@testable import DependencyResolution

@Suite struct ChoiceSetTests {
    /// Compares with the sets of the standard library.
    @Test(arguments: [UInt64(1), 2])
    func setsAgreeWithSets(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<2_000 {
            let count = Int.random(in: 1...9, using: &generator)
            let (a, b) = (random(count, &generator), random(count, &generator))
            let (one, other) = (ChoiceSet(ascending: a.sorted()), ChoiceSet(ascending: b.sorted()))
            #expect(one.intersection(other) == ChoiceSet(ascending: a.intersection(b).sorted()))
            #expect(one.union(other) == ChoiceSet(ascending: a.union(b).sorted()))
            #expect(one.complement(of: count) == ChoiceSet(ascending: Set(0..<count).subtracting(a).sorted()))
            #expect(Array(one.members.joined()) == a.sorted())
            #expect(one.count == a.count && one.isEmpty == a.isEmpty && one.first == a.min())
            #expect(one.only == (a.count == 1 ? a.first : nil))
            #expect((0..<count).allSatisfy { one.contains($0) == a.contains($0) })
            guard !a.isEmpty else { continue }
            let expected: ChoiceSet.Relation =
                a.isSubset(of: b) ? .subset : a.isDisjoint(with: b) ? .disjoint : .overlapping
            #expect(one.relation(to: other) == expected)
        }
    }

    private func random(_ count: Int, _ generator: inout SeededGenerator) -> Set<Int> {
        Set((0..<count).filter { _ in Bool.random(using: &generator) })
    }
}
