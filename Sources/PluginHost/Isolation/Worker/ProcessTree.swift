internal import CSandbox
import Glibc
import HostBasics

/// What the kernel states about the first process of a PID namespace and all that descend from it, at a moment.
///
/// The first process adopts those whose parents end, so that none is missed but one that starts meanwhile.
///
/// **Cost.** Some fifty microseconds for each process, and more for ``exceedsMemory(_:)``.
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
                // It may have ended, and its number belong to a stranger.
                guard let look = ProcessLook(process: child), known.contains(look.parent),
                    known.insert(child).inserted
                else { continue }
                looks.append((child, look))
            }
            next += 1
        }
    }

    var threads: Int { looks.reduce(0) { $0 + $1.look.threads } }

    /// The bytes of memory that they have; what several have in common counts for each of them.
    var mostMemory: Int { looks.reduce(0) { $0 + $1.look.memory } }

    /// Whether they have more than so many bytes of memory, where each counts once.
    ///
    /// **Cost.** Nothing, unless they may have; then in proportion to their memory.
    func exceedsMemory(_ most: Int) -> Bool {
        guard mostMemory > most else { return false }
        return looks.reduce(0) { $0 + Self.share(of: $1.process, parent: $1.look.parent) } > most
    }

    private static func share(of process: Int32, parent: Int32) -> Int {
        // Until it executes a program, a process that was started by vfork() has its parent's memory.
        if phs_has_same_memory(process, parent) { return 0 }
        if let share = ProcessLook.shareOfMemory(process: process) { return share }
        // It has ended since the first look, and has no memory any more, or the kernel does not tell shares.
        return ProcessLook(process: process)?.memory ?? 0
    }

    /// Throws if the kernel does not tell the children of a process.
    static func check(_ path: String = "/proc/thread-self/children") throws(WorkerFailure) {
        guard access(path, R_OK) == 0 else {
            throw WorkerFailure(layer: .processes, step: WorkerFailure.childrenStep, errno: errno)
        }
    }

    /// The kernel keeps them for each thread.
    private static func children(of process: Int32) -> [Int32] {
        let threads = "/proc/\(process)/task"
        return DirectoryListing(path: threads).names.keys.flatMap { thread in
            (ProcessLook.text(of: "\(threads)/\(thread)/children") ?? "").split(separator: " ").compactMap { Int32($0) }
        }
    }
}
