import Foundation
import HostBasics
import TestSupport
import Testing

@_spi(Tools) @testable import PluginHost
@_spi(Tools) @testable import PluginWorkers

/// Workers that wait for a debugger, or have one.
///
/// Each test runs in a process of its own, because the environment and the policy belong to the process.
@Suite(.timeLimit(.minutes(5))) struct WorkerDebuggerTests {
    /// Attaches this process to another one as a debugger does, without stopping it.
    private final class Debugger: Sendable {
        private typealias Attach = @convention(c) (Int32) -> Int32
        private let ends = DispatchSemaphore(value: 0)

        /// - Parameter process: a child of this process.
        /// - Throws: the error of compiling the function, or an expectation that failed.
        init(attachedTo process: Int32) throws {
            let library = try ELFFixtures.c(
                "attach.so",
                """
                #include <sys/ptrace.h>
                #include <errno.h>
                int attach(int process) { return ptrace(PTRACE_SEIZE, process, 0, 0) == 0 ? 0 : errno; }
                """)
            let handle = try #require(dlopen(library, RTLD_NOW))
            let address = try #require(dlsym(handle, "attach"))
            let attach = unsafeBitCast(address, to: Attach.self)
            let status = Lock<Int32?>(nil)
            let attached = DispatchSemaphore(value: 0)
            // The end of the thread detaches it.
            Thread { [ends] in
                let error = attach(process)
                status.withLock { $0 = error }
                attached.signal()
                ends.wait()
            }.start()
            attached.wait(until: "the debugger is attached")
            try #require(status.withLock(\.self) == 0)
        }

        /// Returns when nobody is attached to the process any more.
        func detach(from process: Int32) {
            ends.signal()
            let limit = Wait.ofATest
            while ProcessLook(process: process)?.isTraced == true, limit.sleep() {}
        }
    }

    @Test func aWorkerWaitsForADebuggerLongerThanTheStartTime() async {
        await #expect(processExitsWith: .success) {
            setenv("PLUGINHOST_WORKER_DEBUG", "wait", 1)
            let waiting = Lock<Int32?>(nil)
            HostEnvironment.current.log = { record in
                if let process = DebuggerWait.process(in: record.message) { waiting.withLock { $0 = process } }
            }
            let fixture = try WorkerFixture()
            var placement = fixture.placement()
            placement.settings.startTime = .milliseconds(300)
            let bundle = fixture.bundle
            let result = Lock<Result<PluginWorker, PluginError>?>(nil)
            let started = DispatchSemaphore(value: 0)
            Thread { [placement] in
                let start = Result { () throws(PluginError) in try PluginWorker.start(placement, for: bundle) }
                result.withLock { $0 = start }
                started.signal()
            }.start()
            let limit = Wait.ofATest
            while waiting.withLock({ $0 }) == nil, limit.sleep() {}
            let process = try #require(waiting.withLock { $0 })
            try await Task.sleep(for: .seconds(3))
            #expect(result.withLock { $0 == nil }, "it waits, and no time runs")
            let debugger = try Debugger(attachedTo: process)
            started.wait(until: "the worker has started")
            let worker = try #require(result.withLock { $0 }).get()
            #expect(worker.processIdentifier == process && worker.state == .idle)
            debugger.detach(from: process)
            await worker.stop(within: .seconds(60))
        }
    }

    @Test func theTimeOfACallDoesNotRunWhileADebuggerIsAttached() async {
        await #expect(processExitsWith: .success) {
            // Enough for a call that only answers, however busy the machine is.
            HostEnvironment.current.isolation.callTime = .seconds(3)
            let plugin = try CrashingPlugin()
            let process = try plugin.bundle.function("process", as: (() -> Int32).self)()
            let waits = try plugin.bundle.function("waits", as: ((UInt32) -> Int32).self)
            let debugger = try Debugger(attachedTo: process)
            #expect(try waits(8_000) == 1)
            debugger.detach(from: process)
            let error = #expect(throws: PluginError.self) { try waits(.max) }
            #expect(error?.code == .callTimedOut && error?.workerEnd?.cause == .timeOut(.seconds(3)))
        }
    }

    @Test func theTimeForStoppingDoesNotRunWhileADebuggerIsAttached() async {
        await #expect(processExitsWith: .success) {
            let plugin = try CrashingPlugin(.deactivate)
            let process = try plugin.bundle.function("process", as: (() -> Int32).self)()
            let worker = try #require(PluginWorker.all.first)
            let debugger = try Debugger(attachedTo: process)
            let stopped = DispatchSemaphore(value: 0)
            Task.detached {
                // Its deactivation never ends.
                await worker.stop(within: .milliseconds(100))
                stopped.signal()
            }
            #expect(stopped.wait(timeout: .now() + 4) == .timedOut && worker.end == nil)
            debugger.detach(from: process)
            stopped.wait(until: "the worker was killed")
            #expect(worker.end?.cause == .host)
        }
    }
}
