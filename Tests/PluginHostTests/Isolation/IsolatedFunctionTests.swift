@_spi(PluginHost) import PluginABI
import Testing

@testable import PluginHost

/// C functions of a plug-in in a worker process.
@Suite struct IsolatedFunctionTests {
    private func world(_ name: String, _ functions: [String: String]) throws -> IsolatedLoadingTests.World {
        try IsolatedLoadingTests.World(name) { report in
            report.functions += functions.map { .init(number: 0, name: $0.key, signature: $0.value) }
        }
    }

    private func error(_ body: () throws -> Void) -> PluginError? {
        #expect(throws: PluginError.self) { try body() }
    }

    @Test func aFunctionIsCalledByItsSignature() throws {
        let world = try world("IsolatedCalls", [:])
        #expect(try world.bundle.function("add")(.int(40), .int(2)) == .int(42))
        #expect(try world.bundle.function("add", as: ((Int32, Int32) -> Int32).self)(1, 2) == 3)
        #expect(error { _ = try world.bundle.function("add", "(int64) -> int64") }?.code == .signatureMismatch)
        #expect(error { _ = try world.bundle.function("none") }?.code == .functionUnavailable)
    }

    @Test func argumentsAreComparedWithTheSignature() throws {
        let world = try world("IsolatedArguments", [:])
        let add = try world.bundle.function("add")
        #expect(error { try add(.int(1)) }?.code == .argumentInvalid)
        #expect(error { try add(.int(1), .int(1 << 40)) }?.code == .argumentInvalid)
        #expect(error { try add(.int(1), .string("2")) }?.code == .argumentInvalid)
    }

    @Test func theResultIsComparedWithTheSignatureToo() throws {
        let world = try world("IsolatedResults", ["lie": "() -> int32"])
        #expect(error { try world.bundle.function("lie")() }?.code == .resultInvalid)
        let typed = try world.bundle.function("lie", as: (() -> Int32).self)
        #expect(error { _ = try typed() }?.code == .resultInvalid)
    }

    @Test func aFailureNamesTheBundleHere() throws {
        let world = try world("IsolatedFunctionFailure", ["fail": "() throws -> void"])
        let error = error { try world.bundle.function("fail")() }
        #expect(error?.code == .functionFailed && error?.bundlePath == world.bundle.bundlePath)
    }

    @Test(
        arguments: [
            "(pointer) -> void", "() -> pointer?", "({pointer, int32}) -> void", "((pointer) -> void) -> void",
            "(kept () -> void) -> void",
        ])
    func whatIsBoundToOneProcessIsRefused(signature: String) throws {
        let world = try world("IsolatedPointers", ["use": signature])
        let error = error { _ = try world.bundle.function("use") }
        #expect(error?.code == .functionUnavailable && error?.subject == "use")
    }

    @Test func aClosureRunsHereDuringTheCall() throws {
        let world = try world("IsolatedClosures", ["each": "((int32) -> int32) -> int32"])
        let each = try world.bundle.function("each")
        #expect(try each(.callback { .int($0[0].int64! * 10) }) == .int(60))
    }

    @Test func theErrorOfAClosureIsThrownUnchanged() throws {
        struct Own: Error {}
        let world = try world("IsolatedClosureErrors", ["each": "((int32) -> int32) -> int32"])
        let each = try world.bundle.function("each")
        #expect(throws: Own.self) { try each(.callback { _ in throw Own() }) }
        #expect(try each(.callback { $0[0] }) == .int(6))
    }

    @Test func aFunctionWorksAgainAfterACrashAndAfterTheNextLoad() throws {
        let world = try world("IsolatedFunctionLife", [:])
        let add = try world.bundle.function("add")
        world.workers.last.crash()
        #expect(try add(.int(1), .int(2)) == .int(3))
        world.bundle.unload()
        #expect(error { try add(.int(1), .int(2)) }?.code == .functionUnavailable)
        world.bundle.load()
        #expect(try add(.int(1), .int(2)) == .int(3))
        #expect(world.workers.all.count == 3)
    }
}
