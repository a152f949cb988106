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
        if let isolated { return record(try isolated.activate()) }
        if registrations.classes.isEmpty, registrations.hooks.isEmpty { return }
        table.bundle.begin(.activation)
        HeldLocks.preconditionNone(before: "the hooks of a plug-in")
        var changes: [PluginFinding] = []
        do throws(PluginError) {
            try runActivation(&changes)
        } catch {
            throw error.adding(changes)
        }
        record(changes)
    }

    private func runActivation(_ changes: inout [PluginFinding]) throws(PluginError) {
        let classes = registrations.classes
        let hooks = registrations.hooks
        let context = context
        for index in classes.indices {
            do {
                try call(.activation, &changes) { try classes[index].type.activate(context: context) }
            } catch {
                deactivate(classes: classes[..<index], context, &changes)
                let name = classes[index].name
                throw table.bundle.pluginFailed(
                    .activationFailed, subject: name, "Activating the class \(quoted(name))", error)
            }
        }
        for (index, hook) in hooks.enumerated() {
            guard let failure = call(.activation, &changes, { activate(hook) }) else { continue }
            deactivate(hooks: hooks[..<index], &changes)
            deactivate(classes: classes[...], context, &changes)
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
        var changes: [PluginFinding] = []
        if !registrations.hooks.isEmpty { deactivate(hooks: registrations.hooks[...], &changes) }
        if !classes.isEmpty { deactivate(classes: classes[...], context, &changes) }
        record(changes, isLast: true)
    }

    private func deactivate(
        classes: ArraySlice<Registrations.Class>, _ context: PluginContext, _ changes: inout [PluginFinding]
    ) {
        for entry in classes.reversed() {
            call(.deactivation, &changes) { entry.type.deactivate(context: context) }
        }
    }

    /// Calls one hook, and undoes its change of the thread's floating-point state, so that the next one begins as usual.
    private func call<Result, Failure>(
        _ step: FloatChange.Step, _ changes: inout [PluginFinding], _ hook: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let float = FloatState.current
        defer { if let change = float.restore(after: step) { changes.append(change.finding(in: file)) } }
        return try hook()
    }

    /// The file that contains the hooks.
    private var file: String { table.bundle.executablePath ?? table.bundle.bundlePath }

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

    private func deactivate(hooks: ArraySlice<Registrations.Hook>, _ changes: inout [PluginFinding]) {
        for hook in hooks.reversed() {
            call(.deactivation, &changes) {
                hook.pointer.pointee.deactivate?(table.pointer, hook.pointer.pointee.user_data)
            }
        }
    }
}
