import PropertyLists
import Testing

@Suite("ReadingBudget")
struct ReadingBudgetTests {
    @Test func anInputHasSixteenTimesItsSizeAndAMegabyte() {
        let budget = ReadingBudget(inputSize: 1_000)
        #expect(budget.steps == 16_000 + 1 << 20)
        #expect(budget.bytes == 16_000 + 1 << 20)
        #expect(budget.lacks == nil)
        #expect(ReadingBudget.limit(forInputOf: 0) == 1 << 20)
    }

    @Test func sizesThatOverflowDoNotTrap() {
        #expect(ReadingBudget.limit(forInputOf: .max) == .max)
        #expect(ReadingBudget.limit(forInputOf: .max / 16) == .max)
        #expect(ReadingBudget.limit(forInputOf: .min) == 1 << 20)
    }

    @Test func stepsAndBytesAreCountedApart() throws {
        var budget = ReadingBudget(inputSize: 0)
        #expect(budget.take(steps: 1 << 20))
        #expect(!budget.take(steps: 1))
        #expect(budget.take(bytes: 5))
        #expect(budget.bytes == (1 << 20) - 5)
        #expect(budget.exhausted == ReadingBudget.Exhausted(resource: .steps, inputSize: 0))
        #expect(throws: ReadingBudget.Exhausted.self) { try budget.spend(steps: 1) }
        try budget.spend(bytes: 1)
    }

    @Test func nothingIsLeftAfterARefusal() {
        var budget = ReadingBudget(inputSize: 10)
        #expect(!budget.take(bytes: .max))
        #expect(!budget.take(bytes: 1))
        #expect(budget.lacks == .bytes)
        #expect(!budget.take(steps: -1))
        #expect(budget.exhausted.reason == "stands for more than 1048736 bytes of content, the limit for its 10 bytes")
    }
}
