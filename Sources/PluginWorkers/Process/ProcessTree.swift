import BundleReading
internal import CSandbox
import Glibc
import HostBasics

/// What the kernel currently states about the first process of a PID namespace and all its descendants.
///
/// The first process adopts the processes whose parents end. So this misses only a process that starts meanwhile.
///
/// **Cost.** About fifty microseconds for each process, and more for ``exceedsMemory(_:)``.
struct ProcessTree {
    private(set) var looks: [(process: Int32, look: ProcessLook)]

    /// Nil if the first process has ended.
    init?(first process: Int32) {
        guard let look = ProcessLook(process: process) else { return nil }
        looks = [(process, look)]
        var known: Set = [process]
        var next = 0
        while next < looks.count {
            for child in Self.children(of: looks[next].process) where looks.count < WorkerLimits.mostProcesses {
                // The child may have ended, and its number may belong to an unrelated process.
                guard let look = ProcessLook(process: child), known.contains(look.parent),
                    known.insert(child).inserted
                else { continue }
                looks.append((child, look))
            }
            next += 1
        }
    }

    var threads: Int { looks.reduce(0) { $0 + $1.look.threads } }

    /// The bytes of memory that the processes have.
    ///
    /// Shared memory counts for each process that has it.
    var mostMemory: Int { looks.reduce(0) { $0 + $1.look.memory } }

    /// Whether the processes have more than this many bytes of memory.
    ///
    /// Shared memory counts once.
    ///
    /// **Cost.** Nothing, unless ``mostMemory`` is too much; then in proportion to their memory.
    func exceedsMemory(_ most: Int) -> Bool {
        guard mostMemory > most else { return false }
        return looks.reduce(0) { $0 + Self.share(of: $1.process, parent: $1.look.parent) } > most
    }

    private static func share(of process: Int32, parent: Int32) -> Int {
        // Until it executes a program, a process that vfork() started has its parent's memory.
        if phs_has_same_memory(process, parent) { return 0 }
        if let share = ProcessLook.shareOfMemory(process: process) { return share }
        // It has ended since the first look, and has no memory any more, or the kernel does not report shares.
        return ProcessLook(process: process)?.memory ?? 0
    }

    /// Throws if the kernel does not list the children of a process.
    static func check(_ path: String = "/proc/thread-self/children") throws(WorkerFailure) {
        guard access(path, R_OK) == 0 else {
            throw WorkerFailure(layer: .processes, step: WorkerFailure.childrenStep, errno: errno)
        }
    }

    /// The kernel lists the children of each thread separately.
    private static func children(of process: Int32) -> [Int32] {
        let threads = "/proc/\(process)/task"
        return DirectoryListing(path: threads).names.keys.flatMap { thread in
            (ProcessLook.text(of: "\(threads)/\(thread)/children") ?? "").split(separator: " ").compactMap { Int32($0) }
        }
    }
}
