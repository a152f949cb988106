import Testing

@testable import DependencyResolution

/// Who gives way in conflicts, and the order of what can be used but need not be.
@Suite struct ConflictTests {
    @Test(
        arguments: [
            // Nobody, one, two that both declare, a chain, a star, and circles.
            ([:], [:]), ([1: [2]], [1: 2]), ([1: [2], 2: [1]], [2: 1]), ([1: [2], 2: [3]], [2: 3]),
            ([1: [4], 2: [4], 3: [4]], [1: 4, 2: 4, 3: 4]), ([1: [2], 2: [3], 3: [1]], [1: 2, 3: 2]),
            ([1: [2], 2: [3], 3: [4], 4: [1]], [2: 3, 4: 1]),
        ] as [([Int: [Int]], [Int: Int])])
    func theOneThatDeclaresItGivesWay(_ conflicts: [Int: [Int]], _ expected: [Int: Int]) {
        #expect(losersOfConflicts(conflicts) == expected)
    }

    @Test("no two that conflict remain, and nobody gives way without a reason")
    func whatRemainsFitsTogether() {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<300 {
            let count = Int.random(in: 2...12, using: &random)
            var conflicts: [Int: [Int]] = [:]
            for number in 0..<count {
                let others = (0..<count).filter { $0 != number && Int.random(in: 0..<4, using: &random) == 0 }
                if !others.isEmpty { conflicts[number] = others }
            }
            let losers = losersOfConflicts(conflicts)
            for (number, others) in conflicts where losers[number] == nil {
                #expect(others.allSatisfy { losers[$0] != nil }, "\(conflicts) \(losers)")
            }
            for (number, other) in losers {
                let isReason =
                    conflicts[number, default: []].contains(other) || conflicts[other, default: []].contains(number)
                #expect(isReason && losers[other] == nil, "\(conflicts) \(losers)")
            }
        }
    }

    @Test func whatIsOptionalComesFirstUnlessThereIsACircle() {
        #expect(loadingOrder(required: [[], []], optional: [[1], []]) == [1, 0])
        #expect(loadingOrder(required: [[], []], optional: [[1], [0]]) == [0, 1])
        #expect(loadingOrder(required: [[], [0]], optional: [[1], []]) == [0, 1])
        #expect(loadingOrder(required: [[], [0], []], optional: [[1], [2], []]) == [0, 2, 1])
        #expect(loadingOrder(required: [], optional: []).isEmpty)
    }
}
