package import BundleReading
internal import CSandbox
import Glibc
import HostBasics
@_spi(PluginHost) internal import PluginABI

/// What is decided about a worker process before it starts.
package struct WorkerStart: @unchecked Sendable {
    // @unchecked because of the pointer: the table of calls never changes.
    let placement: Placement
    /// The plug-in for which it is started; others may follow if they belong to the same group.
    let plugin: PluginInfo
    let host: WorkerHost
    /// The calls that confine the worker: the kernel's, or those of a test.
    var kernel: UnsafePointer<phs_kernel>?
    /// Where its control group is made.
    var groups = ControlGroupSystem()
    /// Whether the worker waits for a debugger before it is confined.
    let waitsForDebugger = WorkerEnvironment.waitsForDebugger
    /// The program, if a test has decided it.
    var program: String?

    package init(_ placement: Placement, for plugin: PluginInfo, of host: WorkerHost) {
        self.placement = placement
        self.plugin = plugin
        self.host = host
    }

    /// The directory of the bundle for which it is started.
    var bundlePath: String { plugin.path }
    var bundleIdentifier: String { plugin.identifier }

    var isSandboxed: Bool { placement.execution == .sandboxed }
    /// Whether it may start processes although it is sandboxed; the kernel then ends them with it.
    var hasOwnProcesses: Bool { isSandboxed && placement.permissions.processes }

    /// Requires `/proc`: the host reads there what the worker uses, and without it no limit of memory would hold.
    static func requireProcesses() throws(WorkerFailure) {
        guard access("/proc/self/status", R_OK) == 0 else {
            throw WorkerFailure(step: WorkerFailure.processesStep, errno: errno)
        }
    }

    /// Starts the process.
    ///
    /// - Parameter program: the program from ``WorkerProgram/path(in:)``.
    /// - Returns: the worker, which has not answered yet.
    /// - Throws: ``WorkerFailure``.
    func launch(_ program: String) throws(WorkerFailure) -> PluginWorker {
        try Self.requireProcesses()
        let variables = WorkerEnvironment.variables(
            granted: placement.permissions.environment, libraries: try libraryDirectories)
        var ends: [CInt] = [-1, -1]
        let error = phs_control_make(&ends)
        guard error == 0 else { throw WorkerFailure(step: "socketpair", errno: error) }
        let socket = RemoteDescriptor(adopting: ends[0])
        let itsSocket = RemoteDescriptor(adopting: ends[1])
        let pipeError = phs_worker_make_pipe(&ends)
        guard pipeError == 0 else { throw WorkerFailure(step: "pipe2", errno: pipeError) }
        let pipe = RemoteDescriptor(adopting: ends[0])
        let itsPipe = RemoteDescriptor(adopting: ends[1])
        let null = open("/dev/null", O_RDWR | O_CLOEXEC)
        guard null >= 0 else { throw WorkerFailure(step: WorkerFailure.inputStep, errno: errno) }
        let input = RemoteDescriptor(adopting: null)
        let window = try LaneWindow(longest: Int(longestMessage))
        let monitor = try WorkerMonitor.shared()
        let owner = try user()
        try makeStateDirectory(for: owner)
        let group = ControlGroup.make(for: self)
        do throws(WorkerFailure) {
            // Made last, because only phs_worker_start() closes it.
            let ruleset = isSandboxed ? try grants(program).ruleset(kernel) : -1
            let descriptors = [input, itsPipe, itsPipe, itsSocket]
            return try process(program, variables, descriptors, ruleset, owner, monitor, group) { process in
                let worker = PluginWorker(
                    self, process, sender: ControlSender(socket), window: window, monitor: monitor)
                let output = WorkerOutput(
                    pipe, bundleIdentifier: bundleIdentifier,
                    mostPerSecond: WorkerLimits.bytes(max(1, placement.limits.output)), to: host.log)
                let joined = group?.joined(process.join_error, by: self)
                return (worker, WatchedWorker(worker, process, socket: socket, output: output, group: joined))
            }
        } catch {
            group?.remove()
            throw error
        }
    }

    /// The bytes of memory that the worker may have: its limit, and the window, which belongs to the host.
    var mostMemory: Int {
        let limit = WorkerLimits.bytes(placement.limits.memory)
        let (bytes, overflow) = limit.addingReportingOverflow(Int(PHS_WINDOW_SIZE))
        return overflow ? .max : bytes
    }

    /// Where the program searches for libraries first.
    private var libraryDirectories: [String] {
        get throws(WorkerFailure) {
            // A runtime must not find the application's libraries, which another toolchain built.
            if let runtime = placement.runtime { return runtime.libraryDirectories }
            return try StartUpLibraries.current().directories + WorkerEnvironment.libraryDirectories
        }
    }

    private var longestMessage: UInt32 { UInt32(clamping: WorkerLimits.bytes(max(1, placement.limits.message))) }

    private func grants(_ program: String) throws(WorkerFailure) -> SandboxGrants {
        guard phs_filter_is_available(kernel) else {
            throw WorkerFailure(layer: .systemCalls, step: "seccomp", errno: errno)
        }
        if hasOwnProcesses { try ProcessTree.check() }
        return try SandboxGrants(
            program: program, libraries: placement.runtime?.libraryDirectories, bundles: bundles, shared: shared,
            permissions: placement.permissions, places: places)
    }

    /// The directories that every worker of the application may read: the resources of the main bundle, and the library
    /// directories in the user's `LD_LIBRARY_PATH`.
    private var shared: [String] {
        let libraries = placement.runtime == nil ? WorkerEnvironment.libraryDirectories : []
        return (host.application?.resourceDirectories ?? []).compactMap(Path.resolved)
            + libraries.filter { $0.hasPrefix("/") && !$0.contains("$") }
    }

    private var places: PermissionPlaces {
        PermissionPlaces(
            identifier: bundleIdentifier, application: host.name, host: placement.settings.directories)
    }

    /// The directory that only this plug-in may write to; nil if that was not granted.
    var stateDirectory: String? { placement.stateDirectory?.path }

    private func makeStateDirectory(for owner: (user: UInt32, group: UInt32)?) throws(WorkerFailure) {
        guard let directory = placement.stateDirectory else { return }
        do throws(StateDirectory.Failure) {
            try directory.make(for: owner)
        } catch {
            throw WorkerFailure(step: WorkerFailure.stateStep, errno: error.errno, path: directory.path)
        }
    }

    /// The bundles that the worker may read.
    ///
    /// With a group also those beside the first one, which may be loaded later.
    private var bundles: [String] {
        guard placement.group != nil, let end = bundlePath.lastIndex(of: ".") else { return [bundlePath] }
        let folder = Path.parent(bundlePath)
        let names = (try? OpenedDirectory(path: folder).names.map(OpenedDirectory.text)) ?? []
        let others = names.filter { $0.hasSuffix(bundlePath[end...]) }.map { Path.join(folder, $0) }
        return [bundlePath] + others.filter { $0 != bundlePath }.sorted().prefix(Self.mostBundles)
    }

    private static let mostBundles = 256

    // MARK: The process

    /// Starts the process on the monitor's thread.
    private func process(
        _ program: String, _ variables: [String], _ descriptors: [RemoteDescriptor], _ ruleset: CInt,
        _ owner: (user: UInt32, group: UInt32)?, _ monitor: WorkerMonitor, _ group: ControlGroup?,
        _ watch: @escaping (phs_worker) -> (PluginWorker, WatchedWorker)
    ) throws(WorkerFailure) -> PluginWorker {
        let launch = Reply<Result<PluginWorker, WorkerFailure>>()
        nonisolated(unsafe) let watch = watch
        monitor.perform { [self] loop in
            let plan = WorkerPlan(
                program: program, arguments: [Path.lastComponent(program), "--pluginhost-worker", bundlePath],
                environment: variables,
                descriptors: descriptors.map(\.descriptor), limits: limits, groupProcesses: group?.processes,
                ruleset: ruleset, user: owner, directories: directories(above: program), hasProcesses: hasOwnProcesses,
                kernel: kernel)
            let result = plan.start().map { process in
                let (worker, watched) = watch(process)
                loop.watch(watched)
                return worker
            }
            launch.give(result)
        }
        return try launch.wait().get()
    }

    /// The directories that the worker's user has to enter to reach the program, the bundle and `$STATE`; for each, the
    /// outermost first.
    private func directories(above program: String) -> [String] {
        // The kernel opens a program in /proc in another way.
        let files = [program].filter { !$0.hasPrefix("/proc/") } + [Path.join(bundlePath, "Contents")]
        // Check the directory itself, too: it may belong to an earlier user of the workers.
        let state = stateDirectory.map { [Path.join($0, "file")] } ?? []
        return (files + state).flatMap { file in
            sequence(first: Path.parent(file)) { $0 == "/" ? nil : Path.parent($0) }.reversed()
        }
    }

    /// The user who runs the worker, if it is not the one who runs the host.
    private func user() throws(WorkerFailure) -> (user: UInt32, group: UInt32)? {
        guard geteuid() == 0, let name = placement.settings.user else { return nil }
        // getpwnam() leaves the number unchanged if there is no such user.
        errno = 0
        guard let user = getpwnam(name) else {
            throw WorkerFailure(
                layer: .privileges, step: WorkerFailure.userStep, errno: ErrorNumber.isPassing(errno) ? errno : ENOENT,
                path: name)
        }
        return (user.pointee.pw_uid, user.pointee.pw_gid)
    }

    private var limits: [phs_limit] {
        let asked = placement.limits
        func limit(_ resource: __rlimit_resource, _ value: Int) -> phs_limit {
            let value = UInt64(clamping: value)
            return phs_limit(resource: CInt(resource.rawValue), soft: value, hard: value)
        }
        var limits = [
            limit(RLIMIT_DATA, WorkerLimits.bytes(asked.memory)),
            limit(RLIMIT_AS, WorkerLimits.bytes(asked.addressSpace)),
            limit(RLIMIT_NOFILE, asked.openFiles), limit(RLIMIT_FSIZE, WorkerLimits.bytes(asked.fileSize)),
            limit(RLIMIT_CORE, 0), limit(__RLIMIT_SIGPENDING, 256), limit(__RLIMIT_MSGQUEUE, 0),
        ]
        if hasOwnProcesses { limits.append(limit(__RLIMIT_NPROC, WorkerLimits.mostProcesses)) }
        if let seconds = asked.processorSeconds {
            // At the soft limit the kernel sends SIGXCPU, which nothing else does. A process that continues is killed a
            // second later.
            var limit = limit(RLIMIT_CPU, seconds)
            limit.hard += limit.hard == .max ? 0 : 1
            limits.append(limit)
        }
        return limits
    }

    // MARK: What the worker learns

    /// The first message.
    var hello: WorkerHello {
        // A runtime has another build of the same version.
        var hello = WorkerHello(
            fingerprint: placement.runtime == nil ? LibraryFingerprint.current : LibraryFingerprint.version)
        hello.hostName = host.name
        hello.hostVersion = host.version
        hello.capabilities = host.capabilities
        hello.languages = host.languages
        hello.device = host.device
        hello.scale = host.scale
        hello.requiresDeclaredRegistrations = host.requiresDeclaredRegistrations
        hello.application = host.application
        hello.longestMessage = longestMessage
        hello.waitsForDebugger = waitsForDebugger
        if isSandboxed { hello.filter = WorkerFilter(placement.permissions) }
        return hello
    }

    /// The confinement of the worker, once it has reported that its filter is installed.
    var confinement: Confinement {
        guard isSandboxed else {
            return Confinement(
                enforced: [.memory],
                missing: [
                    .privileges: "It has the rights of the user, but cannot get more.",
                    .files: "It reaches the user's files.", .network: "It may make connections.",
                    .signals: "It may send signals to the user's processes.",
                    .systemCalls: "It may make every system call.",
                    .threads: Confinement.threadsAreNotLimited, .processes: "It may start programs.",
                ])
        }
        // A confined worker is never root's: it has another user, or was not started.
        return Confinement.machine(kernel: kernel, isRoot: false)
    }
}

extension WorkerFilter {
    fileprivate init(_ permissions: PluginPermissions) {
        switch permissions.network {
        case .none: break
        case .any: anyNetwork = true
        case .ports(let connect, let listen): (connects, listens) = (!connect.isEmpty, !listen.isEmpty)
        }
        processes = permissions.processes
        devices = !permissions.devices.isEmpty
    }
}
