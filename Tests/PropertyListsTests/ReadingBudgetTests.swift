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
        try budget.spend(steps: 1 << 20)
        let next = budget.take(steps: 1)
        #expect(!next)
        let bytes = budget.take(bytes: 5)
        #expect(bytes)
        #expect(budget.bytes == (1 << 20) - 5)
        #expect(budget.exhausted.resource == .steps)
    }

    @Test func nothingIsLeftAfterARefusal() {
        var budget = ReadingBudget(inputSize: 10)
        for count in [Int.max, 1] {
            let taken = budget.take(bytes: count)
            #expect(!taken)
        }
        #expect(budget.lacks == .bytes)
        let negative = budget.take(steps: -1)
        #expect(!negative)
        #expect(budget.exhausted.reason == "expands to more than 1048736 bytes of content, the limit for its 10 bytes")
    }
}
