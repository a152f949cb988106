import CSandbox
import Foundation
import HostBasics
@_spi(PluginHost) import PluginABI
import TestSupport
import Testing

@_spi(Tools) @testable import PluginHost
@_spi(Tools) @testable import PluginWorkers

/// Workers that cannot be started, that break the protocol, and hosts in unusual states.
@Suite(.serialized, .timeLimit(.minutes(5))) struct WorkerFaultTests {
    private let fixture: WorkerFixture

    init() throws { fixture = try WorkerFixture() }

    private func error(_ placement: Placement, kernel: phs_kernel? = nil) throws -> PluginError {
        var start = WorkerStart(placement, for: fixture.bundle)
        return try withUnsafePointer(to: kernel ?? phs_real_kernel) { kernel in
            start.kernel = kernel
            let error = #expect(throws: PluginError.self) { try PluginWorker.start(start) }
            return try #require(error)
        }
    }

    @Test(.fault(766), arguments: [ENOSYS, EPERM]) func withoutCloseRangeAWorkerGetsNoDescriptorOfTheHost(
        _ number: CInt
    )
        throws
    {
        var kernel = phs_real_kernel
        if number == ENOSYS {
            kernel.close_range = { _, _, _ in
                errno = ENOSYS
                return -1
            }
        } else {
            kernel.close_range = { _, _, _ in
                errno = EPERM
                return -1
            }
        }
        // More than one reading of the list returns, and none of them closes by itself.
        let files = (0..<600).map { _ in dup(STDERR_FILENO) }
        defer { for file in files { close(file) } }
        func descriptors(_ kernel: phs_kernel, _ execution: PluginExecution) throws -> Set<String> {
            var start = WorkerStart(fixture.placement(execution), for: fixture.bundle)
            return try withUnsafePointer(to: kernel) { kernel in
                start.kernel = kernel
                let worker = try PluginWorker.start(start)
                defer { worker.stop(by: .seconds(2)) }
                return Set(try FileManager.default.contentsOfDirectory(atPath: "/proc/\(worker.processIdentifier)/fd"))
            }
        }
        #expect(try descriptors(kernel, .isolated) == descriptors(phs_real_kernel, .isolated))
        if OtherUser.canConfine {
            #expect(try descriptors(kernel, .sandboxed) == descriptors(phs_real_kernel, .sandboxed))
        }
    }

    @Test(.fault(767)) func aSystemCallThatIsMissingOrRefusedIsNamed() {
        let calls = [
            "memfd_create": "memfd_create", "socketpair": "socketpair", "prlimit": "prlimit",
            "RLIMIT_RTPRIO": "prlimit",
            "clone": "clone", "PR_SET_PDEATHSIG": "prctl(PR_SET_PDEATHSIG)", "close_range": "close_range",
            "pthread_create": "clone3", "eventfd": "eventfd",
        ]
        for (step, name) in calls {
            for number in [ENOSYS, EPERM] {
                let finding = PluginFinding(WorkerFailure(step: step, errno: number), program: "", isSandboxed: false)
                #expect(finding.code == .workerUnavailable && finding.subject == name)
                #expect(finding.message.contains("“\(name)”") && finding.remedy.contains("“\(name)”"))
                #expect(finding.message.contains(number == ENOSYS ? "too old" : "refuses"))
                // Where a filter refuses a call, the first step is not a newer kernel, nor any other.
                #expect(finding.remedy.hasPrefix(number == ENOSYS ? "Use Linux 5.9" : "In a container, use a newer"))
                #expect(finding.remedy.contains("Docker 20.10.10"))
                #expect(finding.remedy.contains("Linux 5.9") == (number == ENOSYS))
            }
        }
        let refused = PluginFinding(
            WorkerFailure(layer: .privileges, step: "PR_SET_NO_NEW_PRIVS", errno: EPERM), program: "",
            isSandboxed: true)
        #expect(refused.code == .sandboxUnavailable && refused.message.contains("“prctl(PR_SET_NO_NEW_PRIVS)”"))
        let processes = PluginFinding(WorkerFailure(step: "/proc", errno: ENOENT), program: "", isSandboxed: false)
        #expect(processes.subject == "/proc" && processes.message.contains("“/proc” is missing"))
        #expect(processes.remedy.contains("mount -t proc"))
        // Whom the kernel denies groups may be permitted none; where the call itself is missing, that is named.
        let groups = PluginFinding(WorkerFailure(step: "setgroups", errno: ENOSYS), program: "", isSandboxed: false)
        #expect(groups.subject == "setgroups" && groups.message.contains("too old"))
        // What fails for another reason is not blamed on a filter.
        let full = PluginFinding(WorkerFailure(step: "memfd_create", errno: EMFILE), program: "", isSandboxed: false)
        #expect(!full.message.contains("filter") && full.remedy.contains("ulimit"))
        let program = PluginFinding(WorkerFailure(step: "execve", errno: EPERM), program: "/x", isSandboxed: false)
        #expect(program.filePath == "/x" && !program.message.contains("filter"))
    }

    /// A root file system for one program has neither unless somebody puts them there.
    @Test func aRootFileSystemWithoutDevicesOrUsersIsTheCause() {
        let input = PluginFinding(
            WorkerFailure(step: "open /dev/null", errno: ENOENT), program: "/x", isSandboxed: false)
        #expect(input.code == .workerUnavailable && input.remedy.contains("mknod -m 666 /dev/null"))
        let user = WorkerFailure(layer: .privileges, step: "getpwnam", errno: ENOENT, path: "nobody")
        for isSandboxed in [false, true] {
            let finding = PluginFinding(user, program: "/x", isSandboxed: isSandboxed)
            #expect(finding.code == (isSandboxed ? .sandboxUnavailable : .workerUnavailable))
            #expect(finding.message.contains("has no user “nobody”") && finding.remedy.contains("/etc/passwd"))
        }
    }

    @Test(.fault(840)) func aFilterThatRefusesTheConfinementIsNoOldKernel() throws {
        var kernel = phs_real_kernel
        kernel.landlock_create_ruleset = { _, _, _ in
            errno = EPERM
            return -1
        }
        let files = try error(fixture.placement(.sandboxed), kernel: kernel)
        #expect(files.code == .sandboxUnavailable && files.subject == "files")
        let machine = withUnsafePointer(to: kernel) { Confinement.machine(kernel: $0, isRoot: false) }
        #expect(machine.missing[.files]?.hasPrefix("A filter of system calls") == true && !machine.allowsSandbox)
        kernel = phs_real_kernel
        kernel.seccomp = { _, _, _ in
            errno = EPERM
            return -1
        }
        let calls = try error(fixture.placement(.sandboxed), kernel: kernel)
        #expect(calls.code == .sandboxUnavailable && calls.subject == "systemCalls")
        for (error, name) in [(files, "landlock_create_ruleset"), (calls, "seccomp")] {
            #expect(error.findings[0].message.contains("refuses “\(name)”"))
            let remedy = error.findings[0].remedy
            #expect(remedy.hasPrefix("In a container") && !remedy.contains("Use Linux"))
        }
    }

    @Test(.fault(768)) func aTrialStartsAWorkerAndSaysWhatItSaw() throws {
        let isolated = WorkerTrial(.isolated)
        #expect(isolated.findings.isEmpty && isolated.confinement?.enforced == [.memory])
        if OtherUser.canConfine {
            let sandboxed = WorkerTrial(.sandboxed)
            #expect(sandboxed.findings.isEmpty, "\(sandboxed.findings)")
            #expect(sandboxed.confinement?.allowsSandbox == true)
        }
    }

    /// A program that sends packets on the control socket, and then waits.
    private func sending(_ packets: String) throws -> WorkerProgram {
        try fixture.program(
            """
            exec python3 -c "
            import array, os, socket, struct, time
            s = socket.socket(fileno=3)
            def send(kind, body, length=None, sequence=1, files=0):
                head = struct.pack('<IHHI', 12 + len(body) if length is None else length, kind, 0, sequence)
                rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array('i', [0] * files))] if files else []
                s.sendmsg([head + body], rights)
            \(packets)
            time.sleep(60)"
            """)
    }

    @Test(.fault(410)) func aWorkerThatSendsAMessageOfAWrongFormIsEnded() throws {
        for (packet, text) in [
            ("send(999, b'')", "unknown kind"), ("send(36, b'', length=9999)", "wrong length"),
            ("send(36, b'', sequence=7)", "wrong sequence"), ("send(35, b'x')", "cannot be read"),
            ("send(37, bytes(4))", "none is expected"), ("s.close()", "closed its control socket"),
        ] {
            var placement = fixture.placement()
            placement.settings.program = try sending(packet)
            let error = try error(placement)
            #expect(error.code == .workerUnavailable)
            guard case .violation(let said) = error.workerEnd?.cause else {
                Issue.record("\(packet): \(error)")
                continue
            }
            #expect(said.contains(text), "\(said)")
        }
    }

    /// Python that sends a message of the worker.
    private func sending(_ message: ControlMessage, sequence: Int) throws -> String {
        let bytes = try message.bytes().map(String.init).joined(separator: ",")
        return "send(\(message.kind.rawValue), bytes([\(bytes)]), sequence=\(sequence))"
    }

    @Test(.fault(410)) func aWorkerThatDoesNotSayOnceWhichLibraryItHasIsEnded() throws {
        let ready = ControlMessage.ready(WorkerReady(fingerprint: LibraryFingerprint.current))
        for packets in [
            try sending(.confined([]), sequence: 1),
            try sending(.failed(0, []), sequence: 1),
            try sending(ready, sequence: 1) + "\n" + sending(ready, sequence: 2),
        ] {
            var placement = fixture.placement()
            placement.settings.program = try sending(packets)
            let error = try error(placement)
            guard case .violation(let said) = error.workerEnd?.cause else {
                Issue.record("\(packets): \(error)")
                continue
            }
            #expect(said.contains("none is expected"))
        }
    }

    /// The library lets fewer changes wait; this worker is not its own.
    @Test(.fault(578)) func aWorkerThatForgesMoreChangesOfSettingsThanMayWaitIsEnded() throws {
        let ready = ControlMessage.ready(WorkerReady(fingerprint: LibraryFingerprint.current))
        let change = ControlMessage.store(StoreRequest(number: 1, bundle: 1, key: "rate", value: .real(1)))
        let bytes = try change.bytes().map(String.init).joined(separator: ",")
        var placement = fixture.placement()
        placement.settings.program = try sending(
            """
            \(sending(ready, sequence: 1))
            \(sending(.confined([]), sequence: 2))
            time.sleep(0.5)
            for number in range(3, 300): send(\(change.kind.rawValue), bytes([\(bytes)]), sequence=number)
            """)
        let worker = try PluginWorker.start(WorkerStart(placement, for: fixture.bundle))
        let made = Lock(0)
        worker.services.provide(
            { _, _ in throw RemoteFailure(.callRefused, "This test has no services.") },
            store: { _ in
                made.withLock { $0 += 1 }
                usleep(100_000)
                return nil
            })
        let wait = Wait(atMost: .seconds(10))
        while worker.end == nil { try #require(wait.sleep()) }
        guard case .violation(let said) = worker.end?.cause else {
            Issue.record("\(String(describing: worker.end))")
            return
        }
        #expect(said.contains("more than 64 changes of settings wait") && made.withLock(\.self) < 64, "\(said)")
    }

    @Test(.fault(409)) func aWorkerOfAnotherBuildIsRefusedEvenIfItGoesOn() throws {
        var placement = fixture.placement()
        placement.settings.program = try sending(
            sending(.ready(WorkerReady(fingerprint: "other")), sequence: 1) + "\n"
                + sending(.confined([]), sequence: 2))
        let error = try error(placement)
        #expect(error.code == .workerUnavailable && error.subject == "fingerprint")
        #expect(error.findings[0].remedy.contains("Restart the application"))
    }

    @Test(.fault(411)) func aWorkerThatSendsSurplusDescriptorsIsEnded() throws {
        var placement = fixture.placement()
        placement.settings.program = try sending("send(33, bytes(12), files=3)")
        let error = try error(placement)
        guard case .violation(let said) = error.workerEnd?.cause else {
            Issue.record("\(error)")
            return
        }
        #expect(said.contains("3 descriptors"))
    }

    @Test(.fault(424)) func aForkedProcessHasNoWorkers() async {
        await #expect(processExitsWith: .success) {
            let fixture = try WorkerFixture()
            let worker = try fixture.start()
            let isRefused = ForkedChild.succeeds {
                do throws(PluginError) { _ = try worker.load(fixture.bundle) } catch {
                    return error.code == .loadInterrupted && PluginWorker.all.isEmpty
                }
                return false
            }
            #expect(isRefused)
            // The child's end does not concern it.
            #expect(worker.end == nil)
            await worker.stop(within: .seconds(10))
        }
    }

    @Test(.fault(142, 428)) func aWorkerProgramThatCannotBeStartedIsNamed() throws {
        var placement = fixture.placement()
        let folder = fixture.directory.path
        try Data("no program".utf8).write(to: fixture.directory.appending(path: "text"))
        for (path, errno) in [("\(folder)/deleted", ENOENT), ("\(folder)/text", EACCES), (folder, EACCES)] {
            placement.settings.program = .program(path)
            let error = try error(placement)
            #expect(error.code == .workerUnavailable)
            #expect(error.filePath == path)
            #expect(error.systemMessage == describe(errno: errno))
        }
        placement.settings.program = .program("relative")
        #expect(try error(placement).description.contains("is not absolute"))
    }

    @Test(.fault(429)) func aKernelWithoutLandlockOrSeccompConfinesNothing() throws {
        var kernel = phs_real_kernel
        kernel.landlock_create_ruleset = { _, _, _ in
            errno = ENOSYS
            return -1
        }
        let files = try error(fixture.placement(.sandboxed), kernel: kernel)
        #expect(files.code == .sandboxUnavailable && files.subject == "files")
        kernel = phs_real_kernel
        kernel.seccomp = { _, _, _ in
            errno = ENOSYS
            return -1
        }
        let calls = try error(fixture.placement(.sandboxed), kernel: kernel)
        #expect(calls.code == .sandboxUnavailable && calls.subject == "systemCalls")
        #expect(PluginWorker.all.allSatisfy { $0.start.bundlePath != fixture.bundle.bundlePath })
    }

    @Test(.fault(430), .enabled(if: geteuid() == 0)) func rootIsNotConfinedWithoutAnotherUser() throws {
        var placement = fixture.placement(.sandboxed)
        placement.settings.user = nil
        let error = try error(placement)
        #expect(error.code == .sandboxUnavailable && error.subject == "privileges")
        #expect(error.description.contains("IsolationPolicy.user"))
        placement.settings.user = "nobody of this name"
        #expect(try self.error(placement).code == .sandboxUnavailable)
    }

    @Test(.enabled(if: OtherUser.isUsable)) func aDirectoryThatTheWorkersUserCannotEnterIsNamed() throws {
        chmod(fixture.directory.path, 0o700)
        for execution in [PluginExecution.isolated, .sandboxed] {
            var placement = fixture.placement(execution)
            placement.settings.user = OtherUser.name
            let error = try error(placement)
            #expect(error.code == .workerUnavailable && error.filePath == fixture.directory.path)
            #expect(error.description.contains("The user “\(OtherUser.name)”"))
            #expect(error.description.contains("chmod o+x") && error.description.contains("IsolationPolicy.user"))
        }
    }

    @Test(.fault(442)) func anApplicationThatReapsItsChildrenDoesNotHideTheEnd() throws {
        let worker = try fixture.start()
        let process = worker.processIdentifier
        let reaped = DispatchSemaphore(value: 0)
        Thread {
            waitpid(process, nil, 0)
            reaped.signal()
        }.start()
        usleep(50_000)
        #expect(kill(process, SIGTERM) == 0)
        reaped.wait(until: "the application has reaped it")
        let end = try #require(worker.waitForEnd())
        #expect(end.cause == .signal(SIGTERM) || end.cause == .unknown)
    }

    @Test(.fault(444)) func aStoppedWorkerIsEndedWhenItsTimeIsOver() throws {
        var placement = fixture.placement()
        placement.settings.startTime = .milliseconds(500)
        let worker = try PluginWorker.start(placement, for: fixture.bundle)
        #expect(kill(worker.processIdentifier, SIGSTOP) == 0)
        let error = #expect(throws: PluginError.self) { try worker.load(fixture.bundle) }
        #expect(error?.code == .callTimedOut)
        #expect(error?.workerEnd?.cause == .timeOut(.milliseconds(500)))
        #expect(error?.workerEnd?.phase == .open)
        #expect(worker.waitForEnd() != nil)
    }

    @Test func aWorkerThatUsesTooMuchIsEnded() throws {
        var placement = fixture.placement()
        placement.settings.startTime = .seconds(60)
        placement.limits.processorSeconds = 1
        placement.settings.program = try fixture.program("while :; do :; done")
        #expect(try error(placement).workerEnd?.cause == .limit(.processorSeconds))
        // Shared memory counts, although the system's limit of private memory does not cover it.
        placement.limits.memory = 32
        placement.settings.program = try fixture.program(
            "exec python3 -c \"import mmap, time; m = mmap.mmap(-1, 64 << 20); "
                + "[m.write(bytes(65536)) for _ in range(1024)]; time.sleep(60)\"")
        #expect(try error(placement).workerEnd?.cause == .limit(.memory))
        placement.limits = WorkerLimits()
        placement.limits.threads = 16
        placement.settings.program = try fixture.program(
            "exec python3 -c \"import threading, time; "
                + "[threading.Thread(target=time.sleep, args=(60,)).start() for _ in range(17)]; time.sleep(60)\"")
        #expect(try error(placement).workerEnd?.cause == .limit(.threads))
    }

    @Test func aCallWithoutAnAnswerIsReported() async throws {
        let events = PluginWorker.events
        let worker = try fixture.start()
        let began = ContinuousClock.now - .seconds(6)
        worker.noteOldestCall(.now)
        #expect(worker.state == .idle)
        worker.noteOldestCall(began)
        #expect(worker.state == .unresponsive(since: began))
        worker.noteOldestCall(began)
        worker.noteOldestCall(nil)
        #expect(worker.state == .idle)
        await worker.stop(within: .seconds(10))
        var kinds: [WorkerEvent.Kind] = []
        for await event in events where event.worker === worker {
            kinds.append(event.kind)
            if kinds.count == 4 { break }
        }
        #expect(kinds == [.started, .unresponsive, .responsive, .ended(try #require(worker.end))])
    }
}
