import BundleReading
internal import CPluginSupport.Shims
import Glibc
import HostBasics
import PluginABI

/// A control group (cgroup, version 2) for one worker and the processes that it starts.
///
/// The kernel itself limits their memory.
///
/// It also catches what the host's measurements miss. It replaces none of them: all other limits apply with and without a
/// group.
struct ControlGroup: Sendable {
    /// The directory of the group.
    let path: String
    private let system: ControlGroupSystem

    /// Where a process writes “0” to join the group.
    var processes: String { Path.join(path, "cgroup.procs") }

    fileprivate init(_ path: String, memory: Int, _ system: ControlGroupSystem) throws(WorkerFailure) {
        self.path = path
        self.system = system
        ControlGroupSystem.used.withLock { _ = $0.insert(path) }
        guard system.makeDirectory(path) == 0 else {
            let failure = WorkerFailure(step: "mkdir", errno: errno, path: path)
            ControlGroupSystem.used.withLock { _ = $0.remove(path) }
            throw failure
        }
        do throws(WorkerFailure) {
            // The kernel counts more than the host does: page tables, socket buffers and cached files.
            let (most, overflow) = memory.addingReportingOverflow(memory / 8)
            try Self.write(overflow ? "max" : "\(most)", to: Path.join(path, "memory.max"))
            // Otherwise the group could exceed the limit by using swap space.
            try Self.write("0", to: Path.join(path, "memory.swap.max"), ifPresent: true)
            // If memory runs out, the kernel ends the worker together with what it has started.
            try Self.write("1", to: Path.join(path, "memory.oom.group"), ifPresent: true)
        } catch {
            remove()
            throw error
        }
    }

    /// Whether the kernel has ended a process of the group because the group had reached its limit.
    var hasRunOutOfMemory: Bool {
        let lines = (ProcessLook.text(of: Path.join(path, "memory.events")) ?? "").split(separator: "\n")
        func count(_ name: String) -> Int {
            lines.firstNonNil { line in
                line.hasPrefix("\(name) ") ? Int(line.dropFirst(name.utf8.count + 1)) : nil
            } ?? 0
        }
        // “oom_kill” alone is not enough: it also counts an end because the whole machine, or a group above, had no
        // memory left.
        return count("oom") > 0 && count("oom_kill") > 0
    }

    /// Makes the group of a worker that is about to be started.
    ///
    /// Nil if no group was delegated, or if the group cannot be used, which is reported.
    static func make(for start: WorkerStart) -> ControlGroup? {
        do throws(WorkerFailure) {
            return try start.groups.makeGroup(memory: start.mostMemory)
        } catch {
            report(error, start.plugin.identifier, start.host.log)
            return nil
        }
    }

    /// This group if the error number of a worker's start shows that the worker joined it.
    ///
    /// Otherwise nil, and the failure is reported.
    func joined(_ error: CInt, by start: WorkerStart) -> ControlGroup? {
        if error == 0 { return self }
        Self.report(WorkerFailure(step: "join", errno: error, path: processes), start.plugin.identifier, start.host.log)
        WorkerReports.clean(remove)
        return nil
    }

    private static let reported = Lock<Set<String>>([])

    /// Reports each reason once, because it usually applies to all workers.
    private static func report(_ failure: WorkerFailure, _ bundleIdentifier: String, _ log: @escaping WorkerHost.Log) {
        let reason = "\(failure.step) \(quoted(failure.path ?? "")): \(describe(errno: failure.errno))"
        guard reported.withLock({ $0.insert("\(failure.step) \(failure.errno)").inserted }) else { return }
        WorkerReports.log(
            """
            The control group that was delegated to the application cannot be used for workers (\(reason)). The host measures \
            the memory of this one without it. With systemd, set DelegateSubgroup= of the service, so that the group has no \
            process of its own.
            """, .notice, of: bundleIdentifier, to: log)
    }

    /// Removes the group, after its processes have ended.
    ///
    /// If one of them has not, a later start of a worker removes the group.
    func remove() {
        _ = system.removeDirectory(path)
        ControlGroupSystem.used.withLock { _ = $0.remove(path) }
    }

    /// `ifPresent`: it is not a failure if the kernel does not have the file.
    fileprivate static func write(_ text: String, to path: String, ifPresent: Bool = false) throws(WorkerFailure) {
        let file = open(path, O_WRONLY | O_CLOEXEC)
        if file < 0, ifPresent, errno == ENOENT { return }
        guard file >= 0 else { throw WorkerFailure(step: "open", errno: errno, path: path) }
        defer { close(file) }
        // In one call, because the kernel takes each write as a whole value.
        guard Glibc.write(file, text, text.utf8.count) == text.utf8.count else {
            throw WorkerFailure(step: "write", errno: errno, path: path)
        }
    }
}

/// The file system of control groups, and the place of this process in it; a test uses directories instead.
struct ControlGroupSystem: Sendable {
    /// Where the file system is mounted.
    var root = "/sys/fs/cgroup"
    /// The file that states the groups of this process.
    var membership = "/proc/self/cgroup"
    /// Like mkdir(), which makes a group with all its files.
    var makeDirectory: @Sendable (String) -> CInt = { mkdir($0, 0o755) }
    /// Like rmdir(), which removes a group with all its files.
    var removeDirectory: @Sendable (String) -> CInt = { rmdir($0) }

    /// The groups of workers of this process, which must not be mistaken for left-overs.
    fileprivate static let used = Lock<Set<String>>([])
    private static let count = Lock(0)
    private static let prefix = "pluginhost-"

    /// Makes a group for a worker, and removes the groups that ended applications have left behind.
    ///
    /// - Parameter memory: the bytes that the worker may have, by the host's measurements.
    /// - Returns: nil if no group was delegated to this process.
    /// - Throws: ``WorkerFailure`` with the path, if a group was delegated but cannot be used.
    ///
    /// **Threads.** Any. **Cost.** Reads one file if no group is delegated; otherwise writes some files that are in
    /// memory.
    func makeGroup(memory: Int) throws(WorkerFailure) -> ControlGroup? {
        guard let parent = delegated else { return nil }
        removeLeftovers(in: parent)
        let control = Path.join(parent, "cgroup.subtree_control")
        let controllers = ProcessLook.text(of: control) ?? ""
        if !controllers.split(whereSeparator: \.isWhitespace).contains("memory") {
            try ControlGroup.write("+memory", to: control)
        }
        let number = Self.count.withLock { count in
            count += 1
            return count
        }
        return try ControlGroup(Path.join(parent, "\(Self.prefix)\(getpid())-\(number)"), memory: memory, self)
    }

    /// The group above this process's own, if it was delegated to this process to make groups in it; nil otherwise.
    ///
    /// Not the process's own group: a group that has processes cannot have groups with limits in it. And no group
    /// further up, because other software manages those.
    private var delegated: String? {
        let lines = (ProcessLook.text(of: membership) ?? "").split(separator: "\n")
        guard let own = lines.firstNonNil({ $0.hasPrefix("0::/") ? String($0.dropFirst(3)) : nil }),
            own != "/", !own.contains("/..")
        else { return nil }
        let parent = Path.parent(own)
        let directory = parent == "/" ? root : root + parent
        // A file that only version 2 has.
        guard access(Path.join(directory, "cgroup.controllers"), F_OK) == 0 else { return nil }
        // Some versions of systemd do not mark what a user delegates.
        return Self.isMarked(directory) || Self.isUnit(parent) && !Self.isUnit(own) ? directory : nil
    }

    /// Whether systemd, or other software that prepared the group, marked it as delegated.
    private static func isMarked(_ directory: String) -> Bool {
        phs_has_attribute(directory, "trusted.delegate", "1") || phs_has_attribute(directory, "user.delegate", "1")
    }

    /// Whether systemd made the group for a service or a scope.
    ///
    /// The processes of such a group are in groups below it only if it was delegated.
    private static func isUnit(_ group: String) -> Bool {
        [".service", ".scope"].contains { group.hasSuffix($0) }
    }

    private func removeLeftovers(in parent: String) {
        for name in DirectoryListing(path: parent).names.keys where name.hasPrefix(Self.prefix) {
            let path = Path.join(parent, name)
            let number = name.dropFirst(Self.prefix.count).prefix { $0 != "-" }
            guard let process = Int32(number), process > 0 else { continue }
            let isLeft =
                process == getpid()
                ? !Self.used.withLock { $0.contains(path) } : kill(process, 0) != 0 && errno == ESRCH
            // This fails while the group has a process.
            if isLeft { _ = removeDirectory(path) }
        }
    }
}
