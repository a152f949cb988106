/// `PHPermissions` and `PHLimits`: what a bundle asks for, for the time when its code runs in a worker.
///
/// It is an object, because nearly no bundle asks for anything and manifests are copied.
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
