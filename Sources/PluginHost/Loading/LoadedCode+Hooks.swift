internal import CPluginSupport
internal import CPluginSupport.Shims
import HostBasics
internal import PluginABI

extension LoadedCode {
    /// Runs the hooks that tell the plug-in that its registrations are about to be offered.
    ///
    /// The hooks of its classes run first, then the C-level hooks, each in the order of registration. If one fails,
    /// those that ran before it are undone.
    ///
    /// - Throws: ``PluginError`` of code `activationFailed`.
    func activate() throws(PluginError) {
        let classes = registrations.classes
        let hooks = registrations.hooks
        if classes.isEmpty, hooks.isEmpty {
            if let isolated { try isolated.activate() }
            return
        }
        table.bundle.begin(.activation)
        HeldLocks.preconditionNone(before: "the hooks of a plug-in")
        let context = context
        for index in classes.indices {
            do {
                try classes[index].type.activate(context: context)
            } catch {
                deactivate(classes: classes[..<index], context)
                let name = classes[index].name
                throw table.bundle.pluginFailed(
                    .activationFailed, subject: name, "Activating the class \(quoted(name))", error)
            }
        }
        for (index, hook) in hooks.enumerated() {
            guard let failure = activate(hook) else { continue }
            deactivate(hooks: hooks[..<index])
            deactivate(classes: classes[...], context)
            throw table.bundle.pluginFailed(.activationFailed, "Activating the plug-in", failure)
        }
    }

    /// Runs the hooks that tell the plug-in that its registrations are no longer offered, in reverse order.
    func deactivate() {
        if let isolated { return isolated.deactivate() }
        let classes = registrations.classes
        // Before the hooks, which may free what the plug-in's observers use.
        table.endSettings()
        HeldLocks.preconditionNone(before: "the hooks of a plug-in")
        if !registrations.hooks.isEmpty { deactivate(hooks: registrations.hooks[...]) }
        if !classes.isEmpty { deactivate(classes: classes[...], context) }
    }

    private func deactivate(classes: ArraySlice<Registrations.Class>, _ context: PluginContext) {
        for entry in classes.reversed() { entry.type.deactivate(context: context) }
    }

    // MARK: The C level

    /// - Returns: the reason for the failure, or nil.
    private func activate(_ hook: Registrations.Hook) -> PluginFailure? {
        guard hook.pointer.pointee.activate != nil else { return nil }
        _ = table.takeReason()  // discards a reason that was set before this call
        var exception: UnsafeMutablePointer<CChar>?
        let status = phs_call_activate(hook.pointer, table.pointer, &exception)
        if let exception { return CPlusPlusException(taking: exception).failure(in: "activate()") }
        guard status != PLUGIN_OK else { return nil }
        let reason = table.takeReason()
        return PluginFailure(reason?.message ?? "it returned \(status) and gave no reason", remedy: reason?.hint ?? "")
    }

    private func deactivate(hooks: ArraySlice<Registrations.Hook>) {
        for hook in hooks.reversed() { hook.pointer.pointee.deactivate?(table.pointer, hook.pointer.pointee.user_data) }
    }
}
