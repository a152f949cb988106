import HostBasics
import TestSupport
import Testing

@testable import DependencyResolution

@Suite struct StronglyConnectedComponentsTests {
    @Test func eachComponentComesAfterItsTargets() {
        // 0 → 1 ⇄ 2 → 3, 4 alone, 5 to itself.
        #expect(stronglyConnectedComponents([[1], [2], [1, 3], [], [], [5]]) == [[3], [1, 2], [0], [4], [5]])
        #expect(stronglyConnectedComponents([]).isEmpty)
        #expect(stronglyConnectedComponents([[1], [2], [0]]) == [[0, 1, 2]])
        #expect(stronglyConnectedComponents([[1, 2], [3], [3], [0]]) == [[0, 1, 2, 3]])
    }

    @Test func aPathMayBeLongerThanAStack() {
        let count = 200_000
        let path = (0..<count).map { $0 + 1 < count ? [$0 + 1] : [] }
        #expect(stronglyConnectedComponents(path).map { $0[0] } == Array((0..<count).reversed()))
    }

    /// Two nodes are in one component if each can be reached from the other.
    @Test(arguments: [UInt64(1), 2, 3])
    func randomGraphsAgreeWithReachability(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<200 {
            let count = Int.random(in: 1...9, using: &generator)
            let successors = (0..<count).map { _ in
                (0..<Int.random(in: 0...2, using: &generator)).map { _ in Int.random(in: 0..<count, using: &generator) }
            }
            var reaches = (0..<count).map { node in (0..<count).map { $0 == node || successors[node].contains($0) } }
            for middle in 0..<count {
                for from in 0..<count where reaches[from][middle] {
                    for to in 0..<count where reaches[middle][to] { reaches[from][to] = true }
                }
            }
            let components = stronglyConnectedComponents(successors)
            var place = [Int](repeating: -1, count: count)
            for (number, component) in components.enumerated() {
                for node in component { place[node] = number }
            }
            for one in 0..<count {
                for other in 0..<count {
                    #expect(
                        (place[one] == place[other]) == (reaches[one][other] && reaches[other][one]),
                        "\(successors), seed \(seed)")
                    if reaches[one][other] { #expect(place[other] <= place[one], "\(successors), seed \(seed)") }
                }
            }
        }
    }
}
