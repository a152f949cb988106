import ForeignCalls
import Foundation
import Synchronization
import Testing

@testable import PluginHost

/// Closures of the application that C code calls.
@Suite struct ForeignCallbackTests {
    private struct Stop: Error, Equatable { var number: Int64 }

    private func function(_ name: String) throws -> ForeignFunction { try FunctionFixture.bundle().function(name) }

    @Test func aClosureIsCalledWithEveryTypeOfArgumentAndResult() throws {
        let all = ForeignCallback { (a: Int8, b: Float, c: UInt16, d: Double, e: Int64, f: Bool) -> Double in
            Double(a) + Double(b) + Double(c) + d + Double(e) + (f ? 1 : 0)
        }
        let expected = -1 + 0.5 + 65535 + 0.25 + Double(Int64.min / 2) + 1
        #expect(try function("map_all")(.callback(all)) == .double(expected))
        let moved = try function("move")(
            .callback { values in .structure(values[0].fields!.reversed()) }, .structure([.double(1), .double(2)]))
        #expect(moved == .structure([.double(2), .double(1)]))
        let sized = try function("sized")(
            .callback { .int($0[0].int64! - 1) }, .callback { .uint($0[0].uint64! + 1) },
            .callback { .float(Float($0[0].double!) * 2) }, .callback { _ in .bool(true) }, .callback { _ in .void })
        #expect(sized == .double(-101 + 65001 + 1 + 1000))
    }

    @Test func aClosureTakesAndGivesStringsBytesAndNull() throws {
        let told = Mutex<[ForeignValue]>([])
        let answer = try function("tell")(
            .callback { values in
                told.withLock { $0 = values }
                return .string("antwört")
            })
        #expect(answer == .string("antwört"))
        #expect(told.withLock { $0 } == [.string("naïve"), .bytes([0, 1, 2]), .null, .null])
        #expect(try function("tell")(.callback { _ in .null }) == .null)
    }

    @Test func aTypedFunctionTakesAClosure() throws {
        let apply = try FunctionFixture.bundle().function("apply", as: ((ForeignCallback, Int32) -> Int32).self)
        #expect(try apply(ForeignCallback { (value: Int32) -> Int32 in value * 10 }, 1) == 30)
    }

    @Test func theErrorThatAClosureThrowsIsTheCallsAndItIsNotCalledAgain() throws {
        let calls = Atomic(0)
        let error = #expect(throws: Stop.self) {
            try function("apply")(
                .callback { values in
                    calls.add(1, ordering: .relaxed)
                    throw Stop(number: values[0].int64 ?? 0)
                }, .int(5))
        }
        #expect(error == Stop(number: 5))
        #expect(calls.load(ordering: .relaxed) == 1)
    }

    @Test func aCallbackThatThrowsGivesThePluginAFailureAndAZero() throws {
        let attempt = try function("attempt")
        #expect(try attempt(.callback { .int($0[0].int64! * 2) }, .int(4)) == .int(8))
        // The call throws the closure's error, because it is the cause of the plug-in's own error.
        #expect(throws: Stop(number: 1)) { try attempt(.callback { _ in throw Stop(number: 1) }, .int(4)) }
    }

    @Test func aClosureIsCalledOnAThreadOfThePlugin() throws {
        let here = pthread_self()
        let isElsewhere = Atomic(false)
        let result = try function("elsewhere")(
            .callback { values in
                isElsewhere.store(pthread_equal(here, pthread_self()) == 0, ordering: .relaxed)
                return .int(values[0].int64! + 1)
            }, .int(41))
        #expect(result == .int(42))
        let wasElsewhere = isElsewhere.load(ordering: .relaxed)
        #expect(wasElsewhere)
        #expect(throws: Stop(number: 2)) {
            try function("elsewhere")(.callback { _ in throw Stop(number: 2) }, .int(0))
        }
    }

    @Test func whatAClosureReturnsMustBeOfItsType() throws {
        let error = #expect(throws: ForeignFault.self) {
            try function("apply")(.callback { _ in .string("1") }, .int(1))
        }
        #expect(error?.description == "the result of the callback, “1”, is not of type int32")
        let extra = #expect(throws: ForeignFault.self) {
            try function("sized")(
                .callback { $0[0] }, .callback { $0[0] }, .callback { $0[0] }, .callback { _ in .bool(true) },
                .callback { _ in .int(1) })
        }
        #expect(extra?.description == "the result of the callback, 1, is not of type void")
    }

    @Test func anArgumentThatThePluginMayNotGiveIsTheCallsError() throws {
        let error = #expect(throws: ForeignFault.self) { try function("bad_argument")(.callback { _ in .int(1) }) }
        #expect(error?.description.hasPrefix("argument 1 that the plug-in gave is NULL") == true)
    }

    @Test func aClosureOfOtherTypesIsRefused() throws {
        let wrong = ForeignCallback { (value: Int64) -> Int32 in Int32(value) }
        let error = #expect(throws: PluginError.self) { try function("apply")(.callback(wrong), .int(1)) }
        #expect(error?.code == .argumentInvalid)
        #expect(error?.description.contains("is a closure of other types than (int32) -> int32") == true)
    }

    // MARK: Kept callbacks

    /// Counts the closures that exist.
    private final class Witness: Sendable {
        static let living = Atomic(0)
        init() { Self.living.add(1, ordering: .relaxed) }
        deinit { Self.living.subtract(1, ordering: .relaxed) }
    }

    /// This is one test because the fixture can keep only one function.
    @Test func aKeptClosureLivesUntilItIsReleasedAndACallAfterwardsDoesNothing() throws {
        let (keep, use) = (try function("keep"), try function("use"))
        do {
            let witness = Witness()
            let callback = ForeignCallback { (value: Int32) -> Int32 in
                withExtendedLifetime(witness) { value + 1 }
            }
            let first = try keep(.callback(callback))
            #expect(try keep(.callback(callback)) == first, "the same address each time")
        }
        #expect(Witness.living.load(ordering: .relaxed) == 1)
        #expect(try use(.int(1)) == .int(2))

        let failing = ForeignCallback { _ in throw Stop(number: 3) }
        try keep(.callback(failing))
        #expect(try use(.int(1)) == .int(0), "a zero for the error, which is logged")

        let released = ForeignCallback { (value: Int32) -> Int32 in value + 2 }
        try keep(.callback(released))
        #expect(try use(.int(1)) == .int(3))
        released.release()
        #expect(try use(.int(1)) == .int(0))
        let error = #expect(throws: PluginError.self) { try keep(.callback(released)) }
        #expect(error?.description.contains("which was released") == true)
        released.release()
    }

    @Test func theClosureOfAReleasedCallbackEnds() throws {
        let bundle = try FunctionFixture.make(
            "Keeper",
            FunctionFixture.source(
                "static void (*f)(void); static void keep(void (*g)(void)) { f = g; } static void use(void) { f(); }",
                "R(keep, \"(kept () -> void) -> void\"), R(use, \"() -> void\")"))
        final class End: Sendable {
            let ended: Atomic<Int>
            static let count = Atomic(0)
            init() { ended = Atomic(0) }
            deinit { Self.count.add(1, ordering: .relaxed) }
            func touch() { ended.add(1, ordering: .relaxed) }
        }
        let callback: ForeignCallback
        do {
            let end = End()
            callback = ForeignCallback { () -> Void in end.touch() }
        }
        try bundle.function("keep")(.callback(callback))
        try bundle.function("use")()
        #expect(End.count.load(ordering: .relaxed) == 0)
        callback.release()
        #expect(End.count.load(ordering: .relaxed) == 1)
        try bundle.function("use")()
    }

    @Test func closuresAreLentOnManyThreadsAtOnce() throws {
        let apply = try function("apply")
        let wrong = Atomic(0)
        DispatchQueue.concurrentPerform(iterations: 8) { thread in
            for round in 0..<100 {
                let number = Int64(thread * 100 + round)
                let sum = try? apply(.callback { .int($0[0].int64! + number) }, .int(1)).int64
                let error = round % 9 == 0 ? (try? apply(.callback { _ in throw Stop(number: number) }, .int(1))) : nil
                if sum != 2 * number + 3 || error != nil { wrong.add(1, ordering: .relaxed) }
            }
        }
        #expect(wrong.load(ordering: .relaxed) == 0)
    }
}
