package import CSandbox
import Glibc
package import HostBasics

/// Why a worker process could not be started or confined.
package struct WorkerFailure: Error {
    /// Nil if it does not concern the confinement.
    var layer: Confinement.Layer?
    /// The call or check that failed.
    var step: String
    var errno: CInt
    /// The file that the step concerned.
    var path: String?

    /// The step of phs_worker_start() that checks whether another user can enter a directory.
    static let enterStep = "enter"
    /// The step at which a device is granted.
    static let deviceStep = "device"
    /// The step at which the plug-in's own directory is created.
    static let stateStep = "state"
    /// The step that looks for the user of the worker.
    static let userStep = "getpwnam"
    /// The step that opens what the worker gets as its standard input.
    static let inputStep = "open /dev/null"
    /// The check that the file system with the processes exists.
    static let processesStep = "/proc"
    /// The check that the kernel lists the children of a process.
    static let childrenStep = "CONFIG_PROC_CHILDREN"

    init(layer: Confinement.Layer? = nil, step: String, errno: CInt, path: String? = nil) {
        self.layer = layer
        self.step = step
        self.errno = errno
        self.path = path
    }

    package init(_ failure: phs_failure, path: String? = nil) {
        layer = failure.layer.flatMap { Confinement.Layer(rawValue: String(cString: $0)) }
        step = failure.step.map { String(cString: $0) } ?? "start"
        errno = failure.error
        self.path = path
    }
}

extension PluginFinding {
    /// The finding for a worker that could not be started or confined.
    ///
    /// - Parameters:
    ///   - failure: what failed.
    ///   - program: the worker program.
    ///   - user: who was to run the worker, if not the user of this process.
    ///   - isSandboxed: whether the worker was to be confined.
    package init(_ failure: WorkerFailure, program: String, user: String? = nil, isSandboxed: Bool) {
        // A temporary shortage says nothing about what the system can confine.
        if isSandboxed, let layer = failure.layer, !ErrorNumber.isPassing(failure.errno) {
            self = .sandboxUnavailable(layer, failure)
            return
        }
        if failure.step == WorkerFailure.stateStep, let directory = failure.path {
            self = .stateDirectoryUnusable(directory, failure.errno)
            return
        }
        if failure.step == WorkerFailure.enterStep, let directory = failure.path {
            self.init(
                .workerUnavailable, filePath: directory, subject: user,
                message: "The user \(quoted(user ?? "")), who runs the worker, cannot enter \(quoted(directory)).",
                remedy: """
                    Let this user enter the directory (“chmod o+x”), put the bundle elsewhere, or name another user in \
                    IsolationPolicy.user. If it is above the plug-ins' own directories, XDG_STATE_HOME can lead elsewhere.
                    """,
                systemMessage: describe(errno: failure.errno))
            return
        }
        if failure.step == WorkerFailure.userStep, ErrorNumber.saysAbsent(failure.errno), let name = failure.path {
            let (message, remedy) = Self.absentUser(name)
            self.init(
                .workerUnavailable, subject: name, message: message, remedy: remedy,
                systemMessage: describe(errno: failure.errno))
            return
        }
        if let absence = SystemCallAbsence(failure) {
            self.init(
                .workerUnavailable, subject: absence.name,
                message: "No worker process can be started: \(absence.message)", remedy: absence.remedy,
                systemMessage: describe(errno: failure.errno))
            return
        }
        let isProgram = failure.step == "execve"
        self.init(
            .workerUnavailable, filePath: isProgram ? program : nil, subject: failure.step,
            message: isProgram
                ? "The worker program \(quoted(program)) cannot be started."
                : "No worker process can be started: \(failure.step) failed.",
            remedy: isProgram && ErrorNumber.saysAbsent(failure.errno)
                ? "Install the application again, or set HostEnvironment.workerPath to the directory of “pluginhost-worker”."
                : failure.step == WorkerFailure.inputStep && ErrorNumber.saysAbsent(failure.errno)
                    ? "Give the root file system its devices: “mknod -m 666 /dev/null c 1 3”, or start the container with /dev."
                    : ErrorNumber.remedy(failure.errno, to: .start),
            systemMessage: describe(errno: failure.errno))
        if ErrorNumber.isPassing(failure.errno) { refusal = failure.errno }
    }

    /// The finding for a plug-in's own directory that cannot be created or used.
    package static func stateDirectoryUnusable(_ path: String, _ errno: CInt) -> PluginFinding {
        var finding = PluginFinding(
            .workerUnavailable, filePath: path, subject: "$STATE",
            message: "The directory for the state of the plug-in, \(quoted(path)), cannot be created or opened.",
            remedy: [EEXIST, ENOTDIR, ELOOP].contains(errno)
                ? "Remove what is in its place, or in that of a directory above it, unless that is a directory; links are not followed."
                : ErrorNumber.remedy(errno, to: .make),
            systemMessage: describe(errno: errno))
        finding.remedy += " Or set XDG_STATE_HOME to another directory."
        if ErrorNumber.isPassing(errno) { finding.refusal = errno }
        return finding
    }

    private static func absentUser(_ name: String) -> (message: String, remedy: String) {
        (
            "This system has no user \(quoted(name)), who was to run the worker.",
            """
            Name another user in IsolationPolicy.user, or add this one (in a container, to /etc/passwd). An application that \
            runs as root needs another user for its workers.
            """
        )
    }

    /// The finding for a layer of the confinement that a worker needs but did not get.
    static func sandboxUnavailable(_ layer: Confinement.Layer, _ failure: WorkerFailure) -> PluginFinding {
        let message: String
        let remedy: String
        // A filter refuses the call, whatever the kernel has. For namespaces, EPERM has other reasons.
        let refused = failure.errno == EPERM && layer != .processes ? SystemCallAbsence(failure) : nil
        switch (layer, failure.step) {
        case _ where refused != nil:
            message = "The worker cannot be confined: \(refused!.message)"
            remedy = refused!.remedy
        case (.privileges, "user"):
            message = "The application runs as root, and root cannot be confined."
            remedy = "Name another user for its workers (IsolationPolicy.user), or run the application as another user."
        case (.privileges, WorkerFailure.userStep) where ErrorNumber.saysAbsent(failure.errno):
            (message, remedy) = absentUser(failure.path ?? "")
        case (.files, "landlock_create_ruleset"):
            message = "This kernel cannot confine files: Landlock is missing."
            remedy =
                "Use Linux 5.13 or later with Landlock (“landlock” in the parameter “lsm=” at boot), or do not demand a sandbox."
        case (.network, "landlock_create_ruleset"):
            message = "This kernel cannot grant single ports: that needs Landlock of version 4."
            remedy = "Use Linux 6.7 or later, or grant no ports."
        case (.processes, WorkerFailure.childrenStep):
            message = """
                The permission “processes” cannot be granted to a sandboxed plug-in: the kernel was built without \
                CONFIG_PROC_CHILDREN, and the memory of what the plug-in starts could not be limited.
                """
            remedy = """
                Use a kernel with CONFIG_PROC_CHILDREN. Or do not grant the permission (IsolationPolicy.grant), or decide \
                “isolated” for the plug-in, which may then start processes with the rights of the user.
                """
        case (.processes, _):
            message = """
                The permission “processes” cannot be granted to a sandboxed plug-in: this system makes no PID namespace \
                for its worker (\(failure.step)), and nothing else would end the processes together with the worker.
                """
            remedy = """
                Allow user namespaces to the user of the application (the settings of the kernel \
                user.max_user_namespaces, kernel.unprivileged_userns_clone and \
                kernel.apparmor_restrict_unprivileged_userns, or those of the container). Or do not grant the permission \
                (IsolationPolicy.grant), or decide “isolated” for the plug-in, which may then start processes with the \
                rights of the user.
                """
        case (.systemCalls, _):
            message = "This kernel cannot restrict system calls: seccomp is missing."
            remedy = "Use a kernel with CONFIG_SECCOMP_FILTER, or do not demand a sandbox."
        case (.files, WorkerFailure.deviceStep) where failure.errno == ELOOP:
            message = "The device \(quoted(failure.path!)) cannot be granted: there is a symbolic link in its path."
            remedy = """
                Name the device file that the link leads to: under “devices” in PHPermissions of the bundle, and in the \
                grant of the application.
                """
        case (.files, WorkerFailure.deviceStep) where failure.errno == ENODEV:
            message = "The path \(quoted(failure.path!)) cannot be granted as a device: it is no device file."
            remedy = """
                Name a device file under “devices” in PHPermissions of the bundle, and other files and directories under \
                “files”; or do not grant it (IsolationPolicy.grant).
                """
        case (.files, _) where failure.path != nil:
            message = "The path \(quoted(failure.path!)) cannot be granted (\(failure.step))."
            remedy =
                failure.errno == ELOOP
                ? "Grant the directory that the link leads to: a link is not followed, because a plug-in could make it."
                : "Check that the path exists and that the application may read it."
        default:
            let absence = SystemCallAbsence(failure)
            message =
                absence.map { "The worker cannot be confined: \($0.message)" }
                ?? "The worker cannot be confined: the step “\(failure.step)” of the layer “\(layer.rawValue)” failed."
            remedy = absence?.remedy ?? "Run “pluginhost doctor”, which lists what this machine can confine."
        }
        return PluginFinding(
            .sandboxUnavailable, filePath: failure.path, subject: layer.rawValue, message: message, remedy: remedy,
            systemMessage: describe(errno: failure.errno))
    }
}
