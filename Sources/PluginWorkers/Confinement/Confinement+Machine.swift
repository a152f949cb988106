internal import CPluginSupport
internal import CSandbox
import Glibc
import HostBasics

extension Confinement {
    /// What this machine offers for a sandboxed worker.
    ///
    /// It changes nothing. To find out whether the permission `processes` can be granted, it starts a process that ends
    /// at once.
    @_spi(Tools) public static var ofThisMachine: Confinement { tried(kernel: nil, isRoot: geteuid() == 0) }

    /// Like ``machine(kernel:isRoot:)``, but also tries what only a trial shows.
    static func tried(kernel: UnsafePointer<phs_kernel>?, isRoot: Bool) -> Confinement {
        var confinement = machine(kernel: kernel, isRoot: isRoot)
        if confinement.enforced.contains(.processes), let failure = WorkerPlan.obstacleToProcesses(kernel: kernel) {
            confinement.missing[.processes] = PluginFinding.sandboxUnavailable(.processes, failure).message
        }
        return confinement
    }

    /// Whether the layers exist that every sandboxed worker needs.
    @_spi(Tools) public var allowsSandbox: Bool { enforced.isSuperset(of: [.files, .systemCalls]) }

    /// Why the layer ``Layer/threads`` is missing everywhere.
    static let threadsAreNotLimited =
        "Only the limit of memory bounds their number. “threads” in PHLimits lets the host count them."

    private static func absence(of feature: String, _ errno: CInt) -> String {
        // The kernel itself never returns EPERM here.
        errno == EPERM
            ? "A filter of system calls, such as that of a container, refuses \(feature)."
            : "The kernel has no \(feature) (\(describe(errno: errno)))."
    }

    /// `kernel`: nil for the real kernel, or a test's.
    static func machine(kernel: UnsafePointer<phs_kernel>?, isRoot: Bool) -> Confinement {
        var confinement = Confinement(enforced: Set(Layer.allCases).subtracting([.threads]))
        confinement.missing[.threads] = threadsAreNotLimited
        if isRoot {
            confinement.missing[.privileges] =
                "This process runs as root. An application that runs as root must name another user in IsolationPolicy.user."
        }
        errno = 0
        let landlock = phs_landlock_version(kernel)
        if landlock < 1 {
            confinement.enforced.remove(.files)
            confinement.missing[.files] = absence(of: "Landlock", errno)
        } else if landlock < 3 {
            confinement.missing[.files] = "Landlock \(landlock) does not restrict truncation: version 3 is needed."
        } else if landlock < 5 {
            confinement.missing[.files] =
                "Landlock \(landlock) cannot restrict requests to devices: version 5 is needed."
        }
        if landlock < 4 {
            confinement.missing[.network] =
                "The network can be granted as a whole only: single ports need Landlock 4."
        }
        errno = 0
        if !phs_filter_is_available(kernel) {
            let reason = absence(of: "seccomp filters", errno)
            for layer in [Layer.systemCalls, .network, .signals, .processes] {
                confinement.enforced.remove(layer)
                confinement.missing[layer] = reason
            }
        }
        return confinement
    }
}
