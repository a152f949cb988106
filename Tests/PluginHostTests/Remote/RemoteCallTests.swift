import Foundation
@_spi(PluginHost) import PluginABI
import TestSupport
import Testing

@Suite struct RemoteCallTests {
    private let server = RemoteServer.ofConverters()

    /// Calls a converter on the other side of a connection.
    private func withConverter<Result>(
        over transport: Transport, pieces: Int = 64, _ body: (any Converter, any ConnectionPair) throws -> Result
    ) throws -> Result {
        let pair = try transport.connect(worker: server, pieces: pieces)
        defer { pair.end() }
        return try body(
            ConverterProxy.interface.make(0, methods: ConverterProxy.interface.methodNames, over: pair.host), pair)
    }

    private let progress = RemoteCallback<Bool, Double> { _ in true }

    @Test(arguments: Transport.allCases, [1, 7, 4_096])
    func callsThroughAProxyCrossAsBytes(over transport: Transport, pieces: Int) throws {
        try withConverter(over: transport, pieces: pieces) { converter, pair throws in
            #expect(converter is ConverterProxy)
            #expect(converter.fileExtension == "txt")
            #expect(try converter.title == "Grüße")
            try converter.begin(.example)
            try converter.begin(.example)
            #expect(try converter.total() == 4)
            #expect(try converter.convert("Straße", progress: progress) == "STRASSE")
            #expect(pair.channelsOfHost == 1)
            #expect(pair.violations.isEmpty)
        }
    }

    @Test(arguments: Transport.allCases)
    func anObjectIsReleasedWithItsProxy(over transport: Transport) throws {
        let pair = try transport.connect(worker: server)
        defer { pair.end() }
        let names = ConverterProxy.interface.methodNames
        try withExtendedLifetime(pair) { () throws in
            let first = try ConverterProxy.interface.make(0, methods: names, over: pair.host)
            for _ in 0..<50 { _ = try ConverterProxy.interface.make(0, methods: names, over: pair.host) }
            #expect(server.count == 1)
            #expect(try first.total() == 0)
        }
    }

    // MARK: Errors

    @Test(arguments: Transport.allCases)
    func aPluginFailureCrossesWithAllItsFields(over transport: Transport) throws {
        try withConverter(over: transport) { converter, _ throws in
            let order = Order(name: "none", pieces: [:], state: nil)
            let error = #expect(throws: PluginFailure.self) { try converter.begin(order) }
            #expect(error?.message == "There is no order.")
            #expect(error?.remedy == "Order something.")
            #expect(error?.code == 7)
            #expect(try converter.total() == 0, "later calls work")
        }
        let pair = try transport.connect(worker: server)
        defer { pair.end() }
        try withExtendedLifetime(pair) { () throws in
            let error = #expect(throws: PluginFailure.self) {
                try ConverterProxy.interface.make(1, methods: ConverterProxy.interface.methodNames, over: pair.host)
            }
            #expect(error?.code == 3)
        }
    }

    @Test(.fault(426), arguments: Transport.allCases)
    func anErrorOfAnotherTypeCrossesAsTypeAndText(over transport: Transport) throws {
        try withConverter(over: transport) { converter, pair throws in
            let error = #expect(throws: RemoteFailure.self) { try converter.convert("unknown", progress: progress) }
            #expect(error?.code == .callFailed)
            #expect(
                error?.message
                    == "PluginHostTests.TextConverter.Unknown: Unknown(description: \"a reason of the plug-in's own\")"
                    || error?.message.hasSuffix("TextConverter.Unknown: a reason of the plug-in's own") == true)
            #expect(pair.violations.isEmpty)
        }
    }

    @Test(arguments: Transport.allCases)
    func aResultOverTheLimitIsAnErrorAndTheNextCallWorks(over transport: Transport) throws {
        try withConverter(over: transport) { converter, pair throws in
            let error = #expect(throws: RemoteFailure.self) { try converter.convert("long", progress: progress) }
            #expect(error?.code == .messageTooLarge)
            let argument = String(repeating: "x", count: 2_000_000)
            let own = #expect(throws: RemoteFailure.self) { try converter.convert(argument, progress: progress) }
            #expect(own?.code == .messageTooLarge)
            #expect(try converter.title == "Grüße")
            #expect(pair.violations.isEmpty)
        }
    }

    @Test(.fault(425), arguments: Transport.allCases)
    func requirementsThatThePluginLacksAreAllNamed(over transport: Transport) throws {
        let older = RemoteInterface<any Converter>(
            proxy: { _ in fatalError("The worker makes no proxies.") },
            methods: ConverterProxy.methods.filter { !["total()", "fileExtension", "open()"].contains($0.name) }
                .reversed())
        let pair = try transport.connect(worker: .ofConverters(older))
        defer { pair.end() }
        try withExtendedLifetime(pair) { () throws in
            let error = #expect(throws: RemoteFailure.self) {
                try ConverterProxy.interface.make(0, methods: older.methodNames, over: pair.host)
            }
            #expect(error?.code == .interfaceMismatch)
            #expect(
                error?.message
                    == "The plug-in was compiled for a “Converter” without “fileExtension”, “total()”, “open()”.")
            #expect(error?.remedy.contains("new version") == true)
            // With those requirements only, the order does not matter.
            let newer = RemoteInterface<any Converter>(
                proxy: { OnlyTitle($0) }, methods: ConverterProxy.methods.filter { $0.name == "title" })
            #expect(try newer.make(0, methods: older.methodNames, over: pair.host).title == "Grüße")
        }
    }

    private final class OnlyTitle: Converter {
        private let remote: RemoteObject
        init(_ remote: RemoteObject) { self.remote = remote }
        var title: String { get throws { try remote.call(0) } }
        var fileExtension: String { "" }
        func begin(_ order: Order) throws {}
        func convert(_ text: String, progress: RemoteCallback<Bool, Double>) throws -> String { "" }
        func total() throws -> Int { 0 }
        func fetch(_ text: String, times: Int) async throws -> String { "" }
        func wait(until number: Int) async throws {}
        func render(into frame: RemoteBuffer, source: RemoteDescriptor) throws -> Int { 0 }
        func open() throws -> RemoteDescriptor { throw RemoteObject.isNoPlugin }
        func perform(_ work: RemoteCallback<String, String, Int>) throws -> [String] { [] }
    }

    @Test(arguments: Transport.allCases)
    func theEndOfTheOtherProcessIsAnErrorOfTheCall(over transport: Transport) throws {
        try withConverter(over: transport) { converter, pair throws in
            _ = try converter.total()
            pair.end()
            let error = #expect(throws: (any Error).self) { try converter.total() }
            #expect(error.map(pair.isEnd) == true)
            #expect(converter.fileExtension == "txt", "a constant is here already")
        }
    }

    // MARK: Callbacks

    @Test(arguments: Transport.allCases)
    func callbacksRunOnTheThreadOfTheCaller(over transport: Transport) throws {
        try withConverter(over: transport) { converter, _ throws in
            let caller = ObjectIdentifier(Thread.current)
            nonisolated(unsafe) var fractions: [Double] = []
            let callback = RemoteCallback<Bool, Double> { fraction in
                #expect(ObjectIdentifier(Thread.current) == caller)
                fractions.append(fraction)
                return fraction < 0.5
            }
            #expect(try converter.convert("a", progress: callback) == "stopped at 2")
            #expect(fractions == [0.25, 0.5])
            #expect(try converter.convert("elsewhere", progress: callback) == "true")
            _ = try converter.convert("leave", progress: callback)
            #expect(fractions == [0.25, 0.5, 0.25, 0.75])
        }
    }

    @Test(.fault(421), arguments: Transport.allCases)
    func aCallbackAfterItsCallIsRefused(over transport: Transport) throws {
        try withConverter(over: transport) { converter, pair throws in
            _ = try converter.convert("keep", progress: progress)
            let error = #expect(throws: RemoteFailure.self) { try converter.convert("use", progress: progress) }
            #expect(error?.code == .callRefused)
            #expect(error?.message == "A callback is called after the call that passed it has returned.")
            #expect(pair.violations.isEmpty)
        }
    }

    @Test(arguments: Transport.allCases)
    func whatACallbackThrowsReachesThePluginAndComesBackAsItself(over transport: Transport) throws {
        struct Stop: Error, Equatable { var reason: Int }
        try withConverter(over: transport) { converter, _ throws in
            // The plug-in passes an error on that it does not know.
            #expect(throws: Stop(reason: 5)) {
                try converter.convert("a", progress: RemoteCallback { _ in throw Stop(reason: 5) })
            }
            // And it understands one that it knows.
            #expect(
                try converter.perform(RemoteCallback { _, _ in throw PluginFailure("Not today.") }) == ["Not today."])
            #expect(try converter.perform(RemoteCallback { "\($0)\($1)" }) == ["a1", "b2"])
        }
    }

    @Test(arguments: Transport.allCases)
    func callsInsideOfCallbacksNestOnOneThreadOfEachSide(over transport: Transport) throws {
        try withConverter(over: transport) { converter, pair throws in
            nonisolated(unsafe) let converter = converter
            let text = try converter.perform(
                RemoteCallback { text, number in
                    try converter.begin(.example)
                    let inner = try converter.perform(RemoteCallback { inner, _ in "\(text)\(inner)" })
                    return "\(inner.joined())\(try converter.total())"
                })
            #expect(text == ["aaab2", "babb4"])
            #expect(pair.channelsOfHost == 1)
        }
    }

    @Test(arguments: Transport.allCases)
    func callsThatAreNestedWithoutEndAreRefused(over transport: Transport) throws {
        try withConverter(over: transport) { converter, pair throws in
            nonisolated(unsafe) let converter = converter
            nonisolated(unsafe) var depth = 0
            @Sendable func descend() throws -> String {
                depth += 1
                return try converter.perform(RemoteCallback { _, _ in try descend() }).joined()
            }
            let error = #expect(throws: RemoteFailure.self) { try descend() }
            #expect(error?.code == .callRefused)
            #expect(depth <= 52 && depth > 40)
            #expect(try converter.total() == 0)
            #expect(pair.channelsOfHost == 1)
        }
    }

    @Test(arguments: Transport.allCases)
    func aCallbackThatRunsRefusesAnother(over transport: Transport) throws {
        let interface = RemoteInterface<any Converter>(
            proxy: { ConverterProxy($0, ()) },
            methods: [
                RemoteMethod("two") { (_: any Converter, callback: RemoteCallback<Bool, Double>) throws -> String in
                    let done = DispatchSemaphore(value: 0)
                    nonisolated(unsafe) var first: Bool?
                    Thread {
                        first = try? callback(1)
                        done.signal()
                    }.start()
                    usleep(20_000)
                    let second = Result { try callback(2) }
                    done.wait(until: "the first callback has returned")
                    guard case .failure(let error as RemoteFailure) = second else { return "both ran" }
                    return "\(first == true) \(error.code)"
                }
            ])
        let pair = try transport.connect(worker: .ofConverters(interface))
        defer { pair.end() }
        try withExtendedLifetime(pair) { () throws in
            let proxy = try interface.make(0, methods: interface.methodNames, over: pair.host)
            let result =
                try (proxy as! ConverterProxy).remoteForTests.call(
                    0,
                    RemoteCallback<Bool, Double> { _ in
                        usleep(100_000)
                        return true
                    }) as String
            #expect(result == "true callRefused")
        }
    }

    @Test func aCallbackInAResultIsRefused() throws {
        #expect(throws: RemoteFailure.self) { try MessageFixture.bytes(of: progress) }
        #expect(throws: RemoteFailure.self) {
            try MessageFixture.value(RemoteCallback<Bool, Double>.self, from: [0, 0, 0, 0])
        }
        #expect(try progress(1) == true, "in one process it is a function")
    }

    // MARK: Descriptors and shared memory

    @Test(arguments: Transport.allCases)
    func descriptorsAndSharedMemoryCross(over transport: Transport) throws {
        try withConverter(over: transport) { converter, _ throws in
            let frame = try RemoteBuffer(byteCount: 5_000)
            #expect(frame.byteCount == 5_000)
            var ends: [Int32] = [0, 0]
            #expect(pipe(&ends) == 0)
            let source = try RemoteDescriptor(duplicating: ends[0])
            close(ends[0])
            #expect(
                "through shared memory".utf8.withContiguousStorageIfAvailable {
                    write(ends[1], $0.baseAddress, $0.count)
                } == 21)
            #expect(try converter.render(into: frame, source: source) == 21)
            #expect(frame.withBytes { String(decoding: $0.prefix(21), as: UTF8.self) } == "through shared memory")
            close(ends[1])
            let null = try converter.open()
            var byte: UInt8 = 0
            #expect(read(null.descriptor, &byte, 1) == 0)
            #expect(fcntl(null.descriptor, F_GETFD) & FD_CLOEXEC != 0)
        }
    }

    @Test func descriptorsAreClosedWithTheirLastReference() throws {
        let before = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
        for _ in 0..<200 {
            _ = try RemoteBuffer(byteCount: 1)
            _ = try RemoteDescriptor(duplicating: 1)
        }
        // Other tests run at the same time; a leak would be 400.
        #expect(try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count < before + 200)
        #expect(throws: PluginFailure.self) { try RemoteDescriptor(duplicating: -1) }
        #expect(throws: PluginFailure.self) { try RemoteBuffer(byteCount: 0) }
        #expect(throws: PluginFailure.self) { try RemoteBuffer(byteCount: .max) }
    }

    // MARK: Asynchronous methods, time and cancellation

    @Test(arguments: Transport.allCases)
    func asynchronousMethodsCross(over transport: Transport) async throws {
        let pair = try transport.connect(worker: server)
        defer { pair.end() }
        let converter = try ConverterProxy.interface.make(
            0, methods: ConverterProxy.interface.methodNames, over: pair.host)
        #expect(try await converter.fetch("ab", times: 3) == "ababab")
        await #expect(throws: PluginFailure.self) { try await converter.fetch("ab", times: -1) }
        nonisolated(unsafe) let same = converter
        let task = Task { try await same.wait(until: 5) }
        try await Task.sleep(for: .milliseconds(20))
        task.cancel()
        let result = await task.result
        #expect(throws: RemoteFailure.self) { try result.get() }
        #expect(try await converter.fetch("c", times: 1) == "c")
    }

    @Test func aPluginLearnsThatItsTimeIsOver() throws {
        let here = TextConverter()
        #expect(!PluginCall.isCancelled)
        #expect(PluginCall.deadline == nil)
        // In this process.
        let text = try PluginCall.within(.milliseconds(20)) { try here.convert("endless", progress: progress) }
        #expect(text == "cancelled")
        PluginCall.within(.seconds(100)) {
            let outer = PluginCall.deadline
            #expect(outer != nil)
            PluginCall.within(.seconds(1_000)) { #expect(PluginCall.deadline == outer, "the earlier limit stays") }
            PluginCall.within(.seconds(-1)) { #expect(PluginCall.isCancelled) }
            #expect(!PluginCall.isCancelled)
        }
        #expect(PluginCall.deadline == nil)
    }

    @Test(arguments: Transport.allCases)
    func aCancelledTaskCancelsItsCallInTheOtherProcess(over transport: Transport) async throws {
        let interface = RemoteInterface<any Converter>(
            proxy: { ConverterProxy($0, ()) },
            methods: [
                RemoteMethod("endless") { (_: any Converter) throws -> String in
                    untilCancelled() ? "cancelled" : "waited"
                }
            ])
        let pair = try transport.connect(worker: .ofConverters(interface))
        defer { pair.end() }
        let proxy = try interface.make(0, methods: interface.methodNames, over: pair.host) as! ConverterProxy
        let remote = proxy.remoteForTests
        let task = Task { try await remote.callAsync(0) as String }
        try await Task.sleep(for: .milliseconds(10))
        task.cancel()
        #expect(try await task.value == "cancelled")
    }

    // MARK: Objects of the host

    @Test(arguments: Transport.allCases)
    func thePluginUsesObjectsOfTheHostInsideOfACall(over transport: Transport) throws {
        // The plug-in gets a service, and calls it while it performs a call.
        let service = RemoteServer.ofConverters()
        let connections = Connections()
        let interface = RemoteInterface<any Converter>(
            proxy: { ConverterProxy($0, ()) },
            methods: [
                RemoteMethod("ask") { (_: any Converter) throws -> String in
                    let names = ConverterProxy.interface.methodNames
                    return try ConverterProxy.interface.make(0, methods: names, over: connections.worker!).title
                }
            ])
        let pair = try transport.connect(worker: .ofConverters(interface), host: service)
        connections.worker = pair.worker
        defer { pair.end() }
        let proxy = try interface.make(0, methods: interface.methodNames, over: pair.host) as! ConverterProxy
        #expect(try proxy.remoteForTests.call(0) as String == "Grüße")
        #expect(pair.channelsOfWorker == 0, "it used the host's own channel")
        #expect(service.count == 0, "the object was released")
    }

    private final class Connections: @unchecked Sendable {
        // @unchecked because it is set before the threads that read it start.
        weak var worker: (any RemoteConnection)?
    }

    @Test(arguments: Transport.allCases)
    func manyThreadsUseOneObject(over transport: Transport) throws {
        try withConverter(over: transport) { converter, pair throws in
            nonisolated(unsafe) let converter = converter
            let progress = progress
            onThreads(8) { number in
                for round in 0..<50 {
                    let text = try? converter.convert("thread \(number) \(round)", progress: progress)
                    #expect(text == "THREAD \(number) \(round)")
                }
            }
            #expect(pair.channelsOfHost <= 8)
            #expect(pair.violations.isEmpty)
        }
    }
}
