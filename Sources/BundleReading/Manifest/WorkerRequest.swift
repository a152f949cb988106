/// `PHPermissions` and `PHLimits`: what a bundle requests for its code in a worker.
///
/// It is a class because manifests are copied, and nearly no bundle requests anything.
package final class WorkerRequest: Sendable, Equatable {
    package let permissions: PluginPermissions
    package let limits: WorkerLimits

    package init(permissions: PluginPermissions, limits: WorkerLimits) {
        self.permissions = permissions
        self.limits = limits
    }

    package static func == (a: WorkerRequest, b: WorkerRequest) -> Bool {
        a.permissions == b.permissions && a.limits == b.limits
    }
}
