import BundleReading
import CSandbox
import Glibc
import HostBasics
import Testing

@_spi(Tools) @testable import PluginWorkers

/// What a machine offers, on kernels that tests choose.
@Suite struct ConfinementTests {
    /// What a kernel of a version of Landlock offers; 0 for none.
    private func machine(
        landlock: @convention(c) (UnsafeRawPointer?, Int, UInt32) -> Int,
        seccomp: @convention(c) (UInt32, UInt32, UnsafeMutableRawPointer?) -> Int = { _, _, _ in 0 },
        isRoot: Bool = false
    ) -> Confinement {
        var kernel = phs_real_kernel
        kernel.landlock_create_ruleset = landlock
        kernel.seccomp = seccomp
        return Confinement.machine(kernel: &kernel, isRoot: isRoot)
    }

    @Test func aRecentKernelHasEveryLayerButTheThreads() {
        let found = machine(landlock: { _, _, _ in 6 })
        #expect(found.enforced == Set(Confinement.Layer.allCases).subtracting([.threads]))
        #expect(Set(found.missing.keys) == [.threads] && found.allowsSandbox)
    }

    @Test(.fault(429)) func withoutLandlockThereIsNoSandbox() {
        let found = machine(landlock: { _, _, _ in
            errno = EOPNOTSUPP
            return -1
        })
        #expect(!found.enforced.contains(.files) && !found.allowsSandbox)
        #expect(found.missing[.files]?.contains("no Landlock") == true)
        #expect(found.missing[.network] != nil && found.enforced.contains(.network))
    }

    @Test(.fault(429)) func withoutSeccompThereIsNoSandbox() {
        let found = machine(
            landlock: { _, _, _ in 6 },
            seccomp: { _, _, _ in
                errno = ENOSYS
                return -1
            })
        #expect(found.enforced.isDisjoint(with: [.systemCalls, .network, .signals, .processes]))
        #expect(!found.allowsSandbox && found.missing[.systemCalls]?.contains("no seccomp") == true)
    }

    @Test(.fault(429)) func whereNothingWouldEndItsProcessesTheMachineGrantsNone() {
        var kernel = phs_real_kernel
        kernel.landlock_create_ruleset = { _, _, _ in 6 }
        kernel.seccomp = { _, _, _ in 0 }
        kernel.clone = { _, _, _, _, _ in
            errno = EPERM
            return -1
        }
        let found = Confinement.tried(kernel: &kernel, isRoot: false)
        #expect(found.enforced.contains(.processes) && found.allowsSandbox, "nobody starts any")
        #expect(found.missing[.processes]?.contains("no PID namespace") == true)
        #expect(Set(found.missing.keys) == [.threads, .processes])
    }

    @Test(.fault(429)) func withoutTheChildrenOfAProcessNoneAreGranted() throws {
        let error = #expect(throws: WorkerFailure.self) { try ProcessTree.check("/proc/thread-self/no children") }
        let finding = PluginFinding(try #require(error), program: "/program", isSandboxed: true)
        #expect(finding.code == .sandboxUnavailable && finding.subject == "processes")
        #expect(finding.message.contains("CONFIG_PROC_CHILDREN"))
        try ProcessTree.check()
    }

    @Test func anOlderLandlockIsStatedWithWhatItLacks() {
        let second = machine(landlock: { _, _, _ in 2 })
        #expect(second.allowsSandbox && second.missing[.files]?.contains("truncation") == true)
        #expect(second.missing[.network]?.contains("Landlock 4") == true)
        let fourth = machine(landlock: { _, _, _ in 4 })
        #expect(fourth.missing[.files]?.contains("devices") == true && fourth.missing[.network] == nil)
        #expect(fourth.enforced.contains(.files))
    }

    @Test(.fault(430)) func aHostThatIsRootLearnsThatItNeedsAUser() {
        let found = machine(landlock: { _, _, _ in 6 }, isRoot: true)
        #expect(found.missing[.privileges]?.contains("IsolationPolicy.user") == true)
    }
}
