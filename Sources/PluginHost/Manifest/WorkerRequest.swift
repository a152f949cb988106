/// `PHPermissions` and `PHLimits`: what a bundle asks for, for the time when its code runs in a worker.
///
/// It is an object, because nearly no bundle asks for anything and manifests are copied.
final class WorkerRequest: Sendable, Equatable {
    let permissions: PluginPermissions
    let limits: WorkerLimits

    init(permissions: PluginPermissions, limits: WorkerLimits) {
        self.permissions = permissions
        self.limits = limits
    }

    static func == (a: WorkerRequest, b: WorkerRequest) -> Bool {
        a.permissions == b.permissions && a.limits == b.limits
    }
}
