import CSandbox
import Foundation

@testable import PluginHost
@testable import PluginWorkers

/// Who runs the confined workers of tests that root runs: root itself is not confined.
enum OtherUser {
    static let name = "nobody"

    /// Whether the tests run as root, and the other user can start their program.
    static let isUsable = geteuid() == 0 && canReach(program)

    /// Whether this machine can confine workers, with another user if that is necessary.
    static let canConfine =
        phs_landlock_version(nil) > 0 && phs_filter_is_available(nil) && (geteuid() != 0 || canReach(program))

    /// Whether this machine makes the namespaces of a sandboxed plug-in that may start processes.
    static let canContainProcesses = canConfine && WorkerPlan.obstacleToProcesses(kernel: nil) == nil

    /// For fixtures that a worker reads: not a directory that only root can enter.
    static let temporaryDirectory: URL = {
        let usual = FileManager.default.temporaryDirectory
        if geteuid() != 0 || canReach(usual.appending(path: "fixture").path) { return usual }
        return URL(filePath: "/tmp")
    }()

    private static let program = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().path

    /// Whether everybody can enter the directories above a file.
    private static func canReach(_ path: String) -> Bool {
        var directory = URL(filePath: path).resolvingSymlinksInPath()
        while directory.path != "/" {
            directory.deleteLastPathComponent()
            var status = stat()
            guard stat(directory.path, &status) == 0, status.st_mode & S_IXOTH != 0 else { return false }
        }
        return true
    }
}
