import CPluginSupport
import ELFImages
import ForeignCalls
import Foundation
import HostBasics
import PluginABI
import TestSupport
import Testing

@testable import PluginHost
@testable import PluginWorkers

/// The objects of C factories, whose table of functions the application describes: in its process and in workers.
@Suite(.serialized, .timeLimit(.minutes(5))) struct CTableTests {
    /// The table of the plug-in, as a C header of the application would declare it.
    struct Functions {
        typealias Object = UnsafeMutableRawPointer
        var header: plugin_header
        var title: plugin_string
        var length: UInt32
        var add: @convention(c) (Object, UInt64) -> UInt64
        var finish: @convention(c) (Object, UnsafeMutablePointer<UInt8>) -> Void
        var parse: @convention(c) (Object, UnsafePointer<CChar>, UnsafeMutablePointer<Int32>) -> plugin_status
        var name: @convention(c) (Object) -> UnsafePointer<CChar>?
        var sum: @convention(c) (Object, UnsafeRawPointer, Int) -> Double
        var die: @convention(c) (Object) -> Int32
        /// Newer than the plug-in.
        var later: (@convention(c) (Object) -> Void)?
    }

    static let point = "org.example.sums"
    static let description = CRemoteTable(
        point, version: 3,
        [
            "title": "bytes", "length": "uint32", "add": "(object, uint64) -> uint64",
            "finish": "(object, out length) -> void", "parse": "(object, string) throws -> int32",
            "name": "(object) -> string", "sum": "(object, bytes) -> double", "die": "(object) -> int32",
            "later": "(object) -> void",
        ])

    /// Everything that the table offers gives the same, wherever the code runs.
    private static func useEverything(of plugin: TablePlugin, isElsewhere: Bool) throws {
        let factory = try #require(try plugin.bundle.cProviders(at: point, version: 3).first)
        let object = try factory.make()
        let other = try factory.make()
        let worker = PluginWorker.all.contains { $0.bundles.contains { $0 === plugin.bundle } }
        #expect(worker == isElsewhere)
        let table = try #require(object.functions(as: Functions.self))
        let size = MemoryLayout<Functions>.size - 8
        #expect(Int(table.pointee.header.size) == size && table.pointee.header.version == 3)
        let functions = UnsafeRawPointer(table)
        let known = functions.load(as: plugin_header.self).size >= MemoryLayout<Functions>.size
        #expect(!known, "the plug-in does not have the last function")
        let title = table.pointee.title
        #expect(String(decoding: UnsafeRawBufferPointer(start: title.ptr, count: title.len), as: UTF8.self) == "Sums")
        #expect(table.pointee.length == 8)
        #expect(table.pointee.add(object.pointer, 40) == 40)
        #expect(table.pointee.add(object.pointer, 2) == 42)
        #expect(table.pointee.add(other.pointer, 1) == 1, "each object has its own sum")
        var digest = [UInt8](repeating: 9, count: 9)
        table.pointee.finish(object.pointer, &digest)
        #expect(digest == [42, 0, 0, 0, 0, 0, 0, 0, 9])
        var number: Int32 = 0
        #expect(table.pointee.parse(object.pointer, "123", &number) == PLUGIN_OK && number == 123)
        #expect(table.pointee.name(object.pointer).map { String(cString: $0) } == "sum of 42")
        #expect([UInt8](1...4).withUnsafeBytes { table.pointee.sum(object.pointer, $0.baseAddress!, $0.count) } == 10)
        #expect(object.takeFailure() == nil)
        for text in ["x", "y"] {
            #expect(table.pointee.parse(object.pointer, text, &number) < 0)
            let isOfAnother = Lock(false)
            onThreads(1) { _ in isOfAnother.withLock { $0 = object.takeFailure() == nil } }
            #expect(isOfAnother.withLock { $0 })
            let failure = try #require(object.takeFailure())
            #expect(failure.code == .functionFailed && failure.subject == (isElsewhere ? "parse" : "sum"))
            #expect(failure.description.contains("“\(text)” is no number"), "\(failure)")
            #expect(object.takeFailure() == nil, "it was taken")
        }
        #expect(plugin.bundle.liveObjects.map(\.count) == [2])
        // Objects outlive an unload.
        #expect(plugin.bundle.unload())
        #expect(table.pointee.add(other.pointer, 1) == 2)
        withExtendedLifetime((object, other)) {}
    }

    @Test func aTableWorksInTheProcess() async {
        await #expect(processExitsWith: .success) {
            HostEnvironment.current.remoteTables = [CTableTests.description]
            try CTableTests.useEverything(of: TablePlugin(execution: "any"), isElsewhere: false)
        }
    }

    @Test func aDescribedTableWorksInAWorker() async {
        await #expect(processExitsWith: .success) {
            HostEnvironment.current.remoteTables = [CTableTests.description]
            try CTableTests.useEverything(of: TablePlugin(execution: "isolated"), isElsewhere: true)
        }
    }

    @Test(.enabled(if: OtherUser.canConfine)) func aDescribedTableWorksInASandbox() async {
        await #expect(processExitsWith: .success) {
            HostEnvironment.current.remoteTables = [CTableTests.description]
            if geteuid() == 0 { HostEnvironment.current.isolation.user = OtherUser.name }
            try CTableTests.useEverything(of: TablePlugin(execution: "sandboxed"), isElsewhere: true)
        }
    }

    @Test func theEndOfTheWorkerIsTheFailureOfTheObject() async {
        await #expect(processExitsWith: .success) {
            HostEnvironment.current.remoteTables = [CTableTests.description]
            let plugin = try TablePlugin(execution: "isolated")
            let factory = try plugin.bundle.cProviders()[0]
            let object = try factory.make()
            let table = try #require(object.functions(as: Functions.self))
            #expect(table.pointee.die(object.pointer) == 0)
            let failure = try #require(object.takeFailure())
            #expect(failure.code == .workerEnded && failure.workerEnd?.phase == .call(provider: "sum", method: "die"))
            #expect(table.pointee.add(object.pointer, 1) == 0, "the object stays dead")
            #expect(object.takeFailure() != nil, "each call fails")
            let next = try factory.make()
            #expect(try #require(next.functions(as: Functions.self)).pointee.add(next.pointer, 1) == 1)
            withExtendedLifetime((object, next)) {}
        }
    }

    @Test func aFunctionOfATableThatEndedTwoWorkersIsRefused() async {
        await #expect(processExitsWith: .success) {
            HostEnvironment.current.remoteTables = [CTableTests.description]
            let plugin = try TablePlugin(execution: "isolated")
            let factory = try plugin.bundle.cProviders()[0]
            for code: PluginError.Code in [.workerEnded, .workerEnded, .callRefused] {
                let object = try factory.make()
                let table = try #require(object.functions(as: Functions.self))
                #expect(table.pointee.die(object.pointer) == 0)
                let failure = object.takeFailure()
                #expect(failure?.code == code && failure?.subject == (code == .callRefused ? "die" : nil))
                #expect((table.pointee.add(object.pointer, 1) == 1) == (code == .callRefused), "other calls are made")
                withExtendedLifetime(object) {}
            }
        }
    }

    @Test func aTableThatNobodyDescribesIsNotRemote() async {
        await #expect(processExitsWith: .success) {
            let plugin = try TablePlugin(execution: "isolated")
            let factory = try plugin.bundle.cProviders()[0]
            let error = #expect(throws: PluginError.self) { try factory.make() }
            #expect(error?.code == .notRemote && error?.subject == "sum")
            #expect(error?.findings[0].remedy.contains("HostEnvironment.remoteTables") == true)
        }
    }

    @Test func aWrongDescriptionIsReportedWithItsField() async {
        await #expect(processExitsWith: .success) {
            let plugin = try TablePlugin(execution: "isolated")
            let factory = try plugin.bundle.cProviders()[0]
            HostEnvironment.current.remoteTables = [
                CRemoteTable(CTableTests.point, version: 3, ["add": "(object, int) -> int64"])
            ]
            let error = #expect(throws: PluginError.self) { try factory.make() }
            #expect(error?.code == .signatureInvalid && error?.subject == "add")
            #expect(error?.description.contains("wrong at character 10") == true)
        }
    }

    @Test(arguments: [
        ("(object, pointer) -> void", "mean nothing in another process"),
        ("(object, (int32) -> void) -> void", "mean nothing in another process"),
        ("(object) -> pointer", "mean nothing in another process"),
        ("(uint32) -> void", "the first argument must be “object”"),
        ("() -> void", "the first argument must be “object”"),
        ("(object, object) -> void", "is not a type"),
        ("(object, out 0) -> void", "neither a number of bytes"),
        ("(object, out nothing) -> void", "neither a number of bytes"),
        ("(object, out) -> void", "is expected"),
        ("pointer", "neither the type of a constant"),
        ("uint32?", "cannot be NULL"),
    ])
    func whatCannotCrossIsRefused(type: String, reason: String) {
        let fault = #expect(throws: CTableLayout.Fault.self) { try CTableLayout([CRemoteTable.Field("f", type)]) }
        #expect(fault?.reason.contains(reason) == true, "\(String(describing: fault))")
    }

    // MARK: A worker may state anything

    /// An object whose calls end as a test decides.
    private struct LyingDesk: CObjectDesk {
        let outcome: CMethodOutcome

        func describe(_ fields: [[String]]) throws -> CTableAnswer { .none }
        func call(_ field: UInt32, _ arguments: [SentValue]) throws -> CMethodOutcome { outcome }
    }

    private static let contents: [ForeignValue?] =
        [.bytes(Array("Sums".utf8)), .uint(8)] + Array(repeating: .void, count: 6) + [nil]

    private func table(_ fields: [ForeignValue?], _ bundle: PluginBundle) throws -> RemoteCTable {
        try RemoteCTable(
            Self.description, CTableLayout(Self.description.fields),
            CTableContents(version: 3, fields: fields.map { $0.map(SentValue.init) }), of: bundle)
    }

    @Test func theContentsOfATableAreComparedWithTheDescription() throws {
        let world = try IsolatedLoadingTests.World("LyingTable")
        _ = try table(Self.contents, world.bundle)
        #expect(throws: ForeignFault.self) { try table([], world.bundle) }
        let wrong: [(Int, ForeignValue?)] = [(0, .uint(1)), (1, .uint(1 << 40)), (1, .string("8")), (1, nil)]
        for (field, value) in wrong {
            var contents = Self.contents
            contents[field] = value
            #expect(throws: ForeignFault.self, "\(field)") { try table(contents, world.bundle) }
        }
    }

    @Test func resultsOfAnotherFormAreNotWritten() throws {
        let world = try IsolatedLoadingTests.World("LyingObject")
        let table = try table(Self.contents, world.bundle)
        let functions = table.address.assumingMemoryBound(to: Functions.self)
        let right = [UInt8](repeating: 1, count: 8)
        let wrong: [(ForeignValue, [[UInt8]])] = [
            (.void, []), (.void, [right + [1]]), (.void, [right, right]), (.uint(1), [right]),
        ]
        for (value, outputs) in wrong {
            let worker = PretendedWorker(LoadedReport(), PretendedDesk(), nil)
            let object = try RemoteCObject(
                LyingDesk(outcome: .returned(SentValue(value), outputs: outputs)), table,
                over: IsolatedConnection(worker, of: world.bundle, PoisonCalls()), #require(WorkerHold.on(worker)),
                of: "sum", world.bundle)
            var digest = [UInt8](repeating: 9, count: 9)
            functions.pointee.finish(object.pointer, &digest)
            #expect(digest == [UInt8](repeating: 9, count: 9))
            let failure = object.takeFailure()
            #expect(failure?.code == .resultInvalid && failure?.subject == "finish")
            withExtendedLifetime(object) {}
        }
    }

    @Test func fieldsStandWhereCPutsThem() throws {
        let layout = try CTableLayout(Self.description.fields)
        #expect(layout.fields.map(\.offset) == [8, 24, 32, 40, 48, 56, 64, 72, 80])
        #expect(layout.size == MemoryLayout<Functions>.size)
    }
}

/// A bundle with a factory in C, compiled at test time.
final class TablePlugin {
    let directory: URL
    let bundle: PluginBundle

    init(execution: String) throws {
        directory = try CPluginSource(name: "Sums", info: "PHExecution = \(execution);", text: Self.source).build()
        bundle = try PluginBundle.open(path: directory.appending(path: "Sums.bundle").path)
    }

    deinit { try? FileManager.default.removeItem(at: directory) }

    private static let source = """
        #include <plugin_abi.h>
        #include <stdio.h>
        #include <stdlib.h>
        #include <string.h>
        PLUGIN_DECLARE_NOTE;

        static const plugin_host *the_host;
        typedef struct sum { uint64_t value; char name[32]; } sum;
        typedef struct functions {
            plugin_header header;
            plugin_string title;
            uint32_t length;
            uint64_t (*add)(void *, uint64_t);
            void (*finish)(void *, uint8_t *);
            plugin_status (*parse)(void *, const char *, int32_t *);
            const char *(*name)(void *);
            double (*sum)(void *, const void *, size_t);
            int32_t (*die)(void *);
        } functions;

        static uint64_t add(void *object, uint64_t number) { return ((sum *)object)->value += number; }
        static void finish(void *object, uint8_t *digest) { memcpy(digest, &((sum *)object)->value, 8); }
        static plugin_status parse(void *object, const char *text, int32_t *result) {
            if (*text < '0' || *text > '9') {
                char message[64];
                int length = snprintf(message, sizeof message, "“%s” is no number.", text);
                the_host->set_error(the_host, PLUGIN_STRING("org.example.Sums"), 1,
                                    (plugin_string){message, (size_t)length}, PLUGIN_STRING("Write digits."));
                return PLUGIN_FAILED;
            }
            *result = atoi(text);
            return PLUGIN_OK;
        }
        static const char *name(void *object) {
            snprintf(((sum *)object)->name, 32, "sum of %d", (int)((sum *)object)->value);
            return ((sum *)object)->name;
        }
        static double total(void *object, const void *bytes, size_t count) {
            double result = 0;
            for (size_t i = 0; i < count; i++) result += ((const uint8_t *)bytes)[i];
            return result;
        }
        static int32_t die(void *object) { abort(); }

        static plugin_status create(const plugin_factory *factory, const plugin_host *host, void **object) {
            *object = calloc(1, sizeof(sum));
            return PLUGIN_OK;
        }
        static const functions table = {
            {sizeof(functions), 3}, {"Sums", 4}, 8, add, finish, parse, name, total, die};
        static const plugin_factory factory = {
            {sizeof(plugin_factory), 1}, {"sum", 3}, {"org.example.sums", 16}, 3, 0, 0, &table, create, 0, free};

        PLUGIN_EXPORT plugin_status plugin_entry(const plugin_host *host) {
            the_host = host;
            return host->register_factory(host, &factory);
        }
        """
}
