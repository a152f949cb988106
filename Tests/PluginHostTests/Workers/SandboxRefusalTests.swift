import CSandbox
import Foundation
import Testing

@testable import PluginHost
@testable import PluginWorkers

/// Kernels that cannot confine a process: the application's load is refused, and nothing of the plug-in runs anywhere.
@Suite(.timeLimit(.minutes(5))) struct SandboxRefusalTests {
    /// Starts workers as the library does, on another kernel.
    private final class Workers: WorkerSource {
        /// Never freed: the process ends with the test.
        nonisolated(unsafe) private let kernel = UnsafeMutablePointer<phs_kernel>.allocate(capacity: 1)

        init(_ change: (inout phs_kernel) -> Void) {
            var kernel = phs_real_kernel
            change(&kernel)
            self.kernel.initialize(to: kernel)
        }

        func session(for bundle: PluginBundle) throws(PluginError) -> any WorkerSession {
            var start = WorkerStart(try bundle.placement(), for: bundle)
            start.kernel = UnsafePointer(kernel)
            return try PluginWorker.start(start)
        }
    }

    /// Loads a bundle whose code ends every process in which it is opened.
    private static func expectRefusal(
        byThe layer: Confinement.Layer, on workers: Workers, saying text: String, info: String = ""
    ) throws {
        if geteuid() == 0 { HostEnvironment.current.isolation.user = OtherUser.name }
        let plugin = try CrashingPlugin(.constructor, execution: "sandboxed", info: info)
        WorkerSources[plugin.bundle.bundlePath] = workers
        let before = children
        let error = #expect(throws: PluginError.self) { try plugin.bundle.loadAndReturnError() }
        #expect(error?.code == .sandboxUnavailable && error?.subject == layer.rawValue)
        #expect(error?.bundlePath == plugin.bundle.bundlePath && error?.description.contains(text) == true, "\(error!)")
        #expect(error?.findings[0].remedy.isEmpty == false)
        #expect(!plugin.bundle.isLoaded && plugin.bundle.loadError?.code == .sandboxUnavailable)
        #expect(PluginWorker.all.isEmpty)
        let ended = waitpid(-1, nil, WNOHANG)
        #expect(ended == -1 && errno == ECHILD && children == before, "no process was started")
        let mappings = try String(contentsOfFile: "/proc/self/maps", encoding: .utf8)
        #expect(!mappings.contains(plugin.bundle.bundlePath), "the code is not in this process")
        // A second attempt is refused too, and not loaded with less safety.
        #expect(plugin.bundle.load() == false && !plugin.bundle.isLoaded)
    }

    /// The page faults of the processes of this one that have ended: each has some.
    private static var children: Int {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_CHILDREN.rawValue), &usage)
        return usage.ru_minflt
    }

    @Test(.fault(429)) func aLoadIsRefusedOnAKernelWithoutLandlock() async {
        await #expect(processExitsWith: .success) {
            let workers = Workers {
                $0.landlock_create_ruleset = { _, _, _ in
                    errno = ENOSYS
                    return -1
                }
            }
            try SandboxRefusalTests.expectRefusal(byThe: .files, on: workers, saying: "Landlock")
        }
    }

    @Test(.fault(429)) func aLoadIsRefusedWhereLandlockIsTurnedOff() async {
        await #expect(processExitsWith: .success) {
            let workers = Workers {
                $0.landlock_create_ruleset = { _, _, _ in
                    errno = EOPNOTSUPP
                    return -1
                }
            }
            try SandboxRefusalTests.expectRefusal(byThe: .files, on: workers, saying: "Landlock")
        }
    }

    @Test(.fault(429)) func aLoadIsRefusedOnAKernelWithoutSeccomp() async {
        await #expect(processExitsWith: .success) {
            let workers = Workers {
                $0.seccomp = { _, _, _ in
                    errno = ENOSYS
                    return -1
                }
            }
            try SandboxRefusalTests.expectRefusal(byThe: .systemCalls, on: workers, saying: "seccomp")
        }
    }

    @Test(.fault(429), .enabled(if: OtherUser.canConfine)) func aLoadIsRefusedWhereNothingWouldEndItsProcesses() async {
        await #expect(processExitsWith: .success) {
            HostEnvironment.current.isolation.grant = { _, asked in asked }
            let workers = Workers {
                // As where user namespaces are denied; nothing else is started.
                $0.clone = { _, _, _, _, _ in
                    errno = EPERM
                    return -1
                }
            }
            try SandboxRefusalTests.expectRefusal(
                byThe: .processes, on: workers, saying: "user.max_user_namespaces",
                info: "PHPermissions = { processes = YES; };")
        }
    }
}
