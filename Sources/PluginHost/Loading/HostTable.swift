internal import CPluginSupport
internal import CPluginSupport.Shims
import Glibc
@_spi(PluginHost) internal import PluginABI
import Synchronization

/// The host's side of the ABI for one plug-in: the table its entry is given, the transaction that its registrations go
/// into, and what stands behind its contexts.
///
/// **Lifetime.** Immortal, because the plug-in may keep the table's address; there is one for each entry called.
final class HostTable: @unchecked Sendable {
    // @unchecked because of the pointers: `table` is written once, in init, and never again.

    private struct State {
        /// What was registered; nil from the entry's return on. Before its call nobody has the table.
        var registrations: Registrations? = Registrations()
        /// What makes the load fail, whatever status the entry returns.
        var findings: [PluginFinding] = []
        /// What set_error() was last told, by thread.
        var reasons: [pthread_t: Reason] = Dictionary()  // [:] would be a call at each load
    }

    /// What a plug-in told by set_error().
    struct Reason: Sendable {
        let domain: String
        let code: Int32
        let message: String
        let hint: String
    }

    let bundle: PluginBundle
    private let thread = pthread_self()
    private let state = Lock(State())
    private let table: UnsafeMutablePointer<plugin_host>

    /// Everything but `opaque_self` is the same for every plug-in.
    init(bundle: PluginBundle) {
        self.bundle = bundle
        let identity = HostEnvironment.immortalIdentity
        table = .allocate(capacity: 1)
        table.initialize(
            to: plugin_host(
                header: plugin_header(size: UInt32(MemoryLayout<plugin_host>.size), version: 1),
                magic: UInt64(PLUGIN_ABI_MAGIC), abi_major: UInt32(PLUGIN_ABI_MAJOR),
                abi_minor: UInt32(PLUGIN_ABI_MINOR),
                name: identity.name, version: identity.version, opaque_self: nil,
                register_factory: { host, factory in HostTable.of(host).register(factory) },
                register_function: { host, function in HostTable.of(host).register(function) },
                set_error: { host, domain, code, message, hint in
                    HostTable.of(host).setReason(
                        Reason(domain: domain.text, code: code, message: message.text, hint: hint.text))
                },
                log: { host, level, message in HostTable.of(host).log(level, message.text) },
                alloc: { _, size in malloc(size) },
                free: { _, memory in Glibc.free(memory) },
                get_extension: { _, id in HostExtensions.table(id: id) }))
        // +1 for ever: the table's address is with the plug-in.
        table.pointee.opaque_self = Unmanaged.passRetained(self).toOpaque()
    }

    /// The object behind a table that a plug-in passes back.
    static func of(_ host: UnsafePointer<plugin_host>?) -> HostTable {
        guard let host, let opaque = host.pointee.opaque_self else {
            // There is no bundle to name and no status to return from every one of these functions.
            preconditionFailure("a plug-in called a host function without the host table it was given")
        }
        return Unmanaged<HostTable>.fromOpaque(opaque).takeUnretainedValue()
    }

    var pointer: UnsafePointer<plugin_host> { UnsafePointer(table) }

    // MARK: The transaction

    /// Calls the entry, once, and gives what it registered.
    ///
    /// - Throws: what went wrong; then nothing was registered.
    func enter(_ entry: EntryFunction, path: String) throws(PluginError) -> Registrations {
        bundle.begin(.entry)
        HeldLocks.preconditionNone(before: "the entry of a plug-in")
        var exception: UnsafeMutablePointer<CChar>?
        let status = phs_call_entry(entry, pointer, &exception)
        let (registrations, findings) = state.withLock { state in
            (state.registrations.take()!, state.findings)
        }
        if let exception { throw entryFailure(CPlusPlusException(taking: exception), path) }
        if !findings.isEmpty {
            throw PluginError(
                bundlePath: bundle.bundlePath,
                findings: findings.map { finding in
                    var finding = finding
                    finding.filePath = path
                    return finding
                })
        }
        guard status == PLUGIN_OK else { throw entryFailure(status, takeReason(), path) }
        if registrations.isEmpty, bundle.manifest.functions.isEmpty, bundle.manifest.principalClass == nil {
            throw PluginError(
                bundlePath: bundle.bundlePath,
                PluginFinding(
                    .nothingRegistered, filePath: path,
                    message: "The entry of \(quoted(path)) succeeded and registered nothing.",
                    remedy:
                        "Register a class, a provider, a factory or a function in plugin_entry, or name NSPrincipalClass."
                ))
        }
        return registrations
    }

    @inline(never)
    private func entryFailure(_ exception: CPlusPlusException, _ path: String) -> PluginError {
        PluginError(
            bundlePath: bundle.bundlePath,
            PluginFinding(
                .entryFailed, filePath: path, subject: ImageInspector.entrySymbol,
                message: "The entry of \(quoted(path)) failed: \(exception.complaint.asSentence)",
                remedy: exception.remedy(in: ImageInspector.entrySymbol), systemMessage: exception.text))
    }

    private func entryFailure(_ status: plugin_status, _ reason: Reason?, _ path: String) -> PluginError {
        let code: PluginError.Code = status == PLUGIN_ABI_MISMATCH ? .abiMismatch : .entryFailed
        guard let reason else {
            let what =
                code == .abiMismatch
                ? "The plug-in \(quoted(path)) does not support the host's ABI \(PLUGIN_ABI_MAJOR).\(PLUGIN_ABI_MINOR)."
                : "The entry of \(quoted(path)) returned \(status) and told no reason."
            return PluginError(
                bundlePath: bundle.bundlePath,
                PluginFinding(
                    code, filePath: path, message: what,
                    remedy: code == .abiMismatch
                        ? "Install a version of the plug-in for this application."
                        : "The plug-in's author should call set_error() before returning a failure."))
        }
        let origin = reason.domain.isEmpty ? "" : " (\(reason.domain), code \(reason.code))"
        let message = reason.message.isEmpty ? "It told no reason." : reason.message
        return PluginError(
            bundlePath: bundle.bundlePath,
            PluginFinding(
                code, filePath: path, subject: reason.domain.isEmpty ? nil : reason.domain,
                message: "The entry of \(quoted(path)) failed\(origin): \(message.asSentence)",
                remedy: reason.hint.asSentence,
                systemMessage: reason.message.isEmpty ? nil : reason.message))
    }

    /// Runs one registration if it comes from the entry, on its thread.
    func registering(
        _ what: @autoclosure () -> String, _ body: (inout Registrations) -> Registrations.Fault?
    ) -> plugin_status {
        if pthread_equal(thread, pthread_self()) == 0 { return refuseOtherThread(what()) }
        let status: plugin_status? = state.withLock { state in
            guard state.registrations != nil else { return nil }
            guard let problem = body(&state.registrations!) else { return plugin_status(PLUGIN_OK) }
            state.findings.append(finding(problem))
            return problem.status
        }
        return status ?? refuseLate(what())
    }

    @inline(never)
    private func refuseOtherThread(_ what: String) -> plugin_status {
        let finding = PluginFinding(
            .registrationInvalid,
            message: "The plug-in registered \(what) on another thread than its entry's.",
            remedy: "Register on the thread that plugin_entry was called on.")
        let isLate = state.withLock { state in
            if state.registrations == nil { return true }
            state.findings.append(finding)
            return false
        }
        return isLate ? refuseLate(what) : plugin_status(PLUGIN_CLOSED)
    }

    @inline(never)
    private func refuseLate(_ what: String) -> plugin_status {
        log(
            PluginLogger.Level.error.rawValue,
            "The plug-in registered \(what) after its entry had returned; it is ignored.")
        return plugin_status(PLUGIN_CLOSED)
    }

    private func finding(_ problem: Registrations.Fault) -> PluginFinding {
        switch problem {
        case .duplicate(let key):
            let place = key.point.isEmpty ? "in one bundle" : "at the extension point \(quoted(key.point))"
            return PluginFinding(
                .duplicateFactory, subject: key.name,
                message: "The plug-in registered the name \(quoted(key.name)) twice \(place).",
                remedy: "Give each registration a name of its own.")
        case .interface(let name, let fault):
            return PluginFinding(
                .nibInterfaceInvalid, subject: name, message: "The interface for nibs of \(quoted(name)): \(fault)",
                remedy: "Correct nibInterface of the class.")
        case .unusable(let name, let complaint, let remedy):
            return PluginFinding(
                .registrationInvalid, subject: name,
                message: "The plug-in registered \(quoted(name)), which \(complaint).",
                remedy: remedy)
        }
    }

    // MARK: What the table's functions do

    private func register(_ factory: UnsafePointer<plugin_factory>?) -> plugin_status {
        guard let factory, factory.pointee.header.size >= UInt32(PLUGIN_FACTORY_SIZE_1_0) else {
            return registering("a factory") { _ in .unusable("", "is a factory struct shorter than ABI 1.0's") }
        }
        let name = factory.pointee.name.shown
        return registering("the factory \(quoted(name))") { registrations in
            if let problem = Self.firstNotUTF8(factory.pointee.name, factory.pointee.extension_point) { return problem }
            guard factory.pointee.create != nil, factory.pointee.release != nil else {
                return .unusable(name, "has no create or no release function")
            }
            return registrations.add(
                Registrations.CProvider(
                    pointer: factory, name: name, point: factory.pointee.extension_point.text,
                    version: factory.pointee.extension_version, order: Int(factory.pointee.order)))
        }
    }

    private func register(_ function: UnsafePointer<plugin_function>?) -> plugin_status {
        guard let function, function.pointee.header.size >= UInt32(PLUGIN_FUNCTION_SIZE_1_0) else {
            return registering("a function") { _ in .unusable("", "is a function struct shorter than ABI 1.0's") }
        }
        let name = function.pointee.name.shown
        return registering("the function \(quoted(name))") { registrations in
            if let problem = Self.firstNotUTF8(function.pointee.name, function.pointee.signature) { return problem }
            guard let code = function.pointee.code else { return .unusable(name, "has no code") }
            return registrations.add(
                Registrations.Function(name: name, signature: function.pointee.signature.text, code: code))
        }
    }

    /// A name that is compared with others must be the bytes that its author wrote: repaired, two could become one.
    private static func firstNotUTF8(_ names: plugin_string...) -> Registrations.Fault? {
        names.first { $0.validText == nil }.map { .unusable($0.shown, "is not UTF-8") }
    }

    func register(_ hooks: UnsafePointer<plugin_hooks>?) -> plugin_status {
        guard let hooks, hooks.pointee.header.size >= UInt32(PLUGIN_HOOKS_SIZE_1_0) else {
            return registering("hooks") { _ in
                .unusable("plugin_hooks", "is shorter than that of \(PLUGIN_LIFECYCLE_ID)")
            }
        }
        return registering("hooks") { $0.add(Registrations.Hook(pointer: hooks)) }
    }

    /// Takes what a Swift plug-in's registrar holds.
    func register(_ registrar: PluginRegistrar) -> plugin_status {
        for registration in registrar.registrations {
            let status = registering("\(registration)") { registrations in
                switch registration {
                case .pluginClass(let name, let type, let nib):
                    registrations.add(class: type, as: name, nib: nib)
                case .provider(let provider): registrations.add(provider)
                }
            }
            if status != PLUGIN_OK { return status }
        }
        return plugin_status(PLUGIN_OK)
    }

    /// Notes what makes the load fail, whatever the entry returns.
    func fail(_ findings: [PluginFinding]) {
        state.withLock { $0.findings += findings }
    }

    private func setReason(_ reason: Reason) {
        let thread = pthread_self()
        state.withLock { state in
            // A plug-in may set reasons on threads that end without a failing call; they must not pile up.
            if state.reasons.count >= 64 { state.reasons.removeAll() }
            state.reasons[thread] = reason
        }
    }

    /// What the plug-in told on this thread since the last call of this function.
    func takeReason() -> Reason? {
        let thread = pthread_self()
        return state.withLock { $0.reasons.removeValue(forKey: thread) }
    }

    private func log(_ level: Int32, _ message: String) {
        HostEnvironment.log(
            HostLogRecord(
                level: PluginLogger.Level(rawValue: level) ?? .notice, bundleIdentifier: bundle.displayIdentifier,
                message: message))
    }
}

extension plugin_string {
    /// The bytes, none where the plug-in gave no pointer.
    var bytes: UnsafeRawBufferPointer {
        guard let ptr, len > 0 else { return UnsafeRawBufferPointer(start: nil, count: 0) }
        return UnsafeRawBufferPointer(start: ptr, count: len)
    }

    /// The text; invalid UTF-8 is repaired, so that a message always arrives.
    var text: String { String(decoding: bytes, as: UTF8.self) }

    /// The text, for what is compared or looked up; nil if it is no UTF-8.
    var validText: String? { String(validating: bytes, as: UTF8.self) }

    /// The text for a message that tells that it is no UTF-8.
    var shown: String { validText ?? bytes.shownBytes }
}
