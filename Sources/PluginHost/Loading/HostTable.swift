internal import CPluginSupport
internal import CPluginSupport.Shims
import ELFImages
import Glibc
import HostBasics
import HostLogging
@_spi(PluginHost) internal import PluginABI
import Synchronization

/// The host's side of the ABI for one plug-in: the table that its entry receives, the transaction that collects its
/// registrations, and the services of its contexts.
///
/// **Lifetime.** Never freed, because the plug-in may keep the table's address. Each entry that is called has its own.
final class HostTable: @unchecked Sendable {
    // @unchecked because of the pointers: `table` is written only in init.

    private struct State {
        /// The registrations so far; nil after the entry has returned.
        ///
        /// No code has the table before the entry is called.
        var registrations: Registrations? = Registrations()
        /// Findings that make the load fail, whatever status the entry returns.
        var findings: [PluginFinding] = []
        /// The latest reason passed to set_error(), by thread.
        var reasons = LatestByThread<Reason>()
        /// The first registrations that the plug-in attempted after its entry had returned.
        var lateRegistrations: [String] = Array()
    }

    /// A reason that a plug-in passed to set_error().
    struct Reason: Sendable {
        let domain: String
        let code: Int32
        let message: String
        let hint: String

        /// The plug-in's own domain and code, to follow “failed”; empty without a domain.
        var origin: String { domain.isEmpty ? "" : " (\(domain), code \(code))" }
        /// The message; nil if it is empty.
        var words: String? { message.isEmpty ? nil : message }
    }

    let bundle: PluginBundle
    private let thread = pthread_self()
    private let state = Lock(State())
    /// The settings as the plug-in's code sees them; nil until it asks, and again after it was deactivated.
    let settingsHandle = Lock<PluginSettings?>(nil)
    private let table: UnsafeMutablePointer<plugin_host>

    /// Everything except `opaque_self` is the same for every plug-in.
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
        // Retained for ever, because the plug-in has the table's address.
        table.pointee.opaque_self = Unmanaged.passRetained(self).toOpaque()
    }

    /// The object behind a table that a plug-in passes back.
    static func of(_ host: UnsafePointer<plugin_host>?) -> HostTable {
        guard let host, let opaque = host.pointee.opaque_self else {
            // Without it, there is no bundle to report, and not all of these functions return a status.
            preconditionFailure("a plug-in called a host function without the host table it was given")
        }
        return Unmanaged<HostTable>.fromOpaque(opaque).takeUnretainedValue()
    }

    var pointer: UnsafePointer<plugin_host> { UnsafePointer(table) }

    // MARK: The transaction

    /// Calls the entry once and returns its registrations.
    ///
    /// `changes`: changes of the process by the entry, also if it fails.
    ///
    /// - Throws: the reason why it failed. Nothing is registered then.
    func enter(
        _ entry: EntryFunction, path: String, _ changes: inout [PluginFinding]
    ) throws(PluginError) -> Registrations {
        bundle.begin(.entry)
        HeldLocks.preconditionNone(before: "the entry of a plug-in")
        var exception: UnsafeMutablePointer<CChar>?
        let float = FloatState.current
        let status = phs_call_entry(entry, pointer, &exception)
        if let change = float.restore(after: .entry) { changes.append(change.finding(in: path)) }
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
                    message: "The entry of \(quoted(path)) succeeded but registered nothing.",
                    remedy:
                        "Register a class, a provider, a factory or a function in plugin_entry, or set NSPrincipalClass."
                ))
        }
        return registrations
    }

    @inline(never)
    private func entryFailure(_ exception: CPlusPlusException, _ path: String) -> PluginError {
        PluginError(
            bundlePath: bundle.bundlePath,
            PluginFinding(
                .entryFailed, filePath: path, subject: ELFInspector.entrySymbol,
                message: "The entry of \(quoted(path)) failed: \(exception.complaint.asSentence)",
                remedy: exception.remedy(in: ELFInspector.entrySymbol), systemMessage: exception.text))
    }

    private func entryFailure(_ status: plugin_status, _ reason: Reason?, _ path: String) -> PluginError {
        let code: PluginError.Code = status == PLUGIN_ABI_MISMATCH ? .abiMismatch : .entryFailed
        guard let reason else {
            let what =
                code == .abiMismatch
                ? "The plug-in \(quoted(path)) does not support the host's ABI \(PLUGIN_ABI_MAJOR).\(PLUGIN_ABI_MINOR)."
                : "The entry of \(quoted(path)) returned \(status) and gave no reason."
            return PluginError(
                bundlePath: bundle.bundlePath,
                PluginFinding(
                    code, filePath: path, message: what,
                    remedy: code == .abiMismatch
                        ? "Install a version of the plug-in for this application."
                        : "The plug-in's author should call set_error() before returning a failure."))
        }
        return PluginError(
            bundlePath: bundle.bundlePath,
            PluginFinding(
                code, filePath: path, subject: reason.domain.isEmpty ? nil : reason.domain,
                message: """
                    The entry of \(quoted(path)) failed\(reason.origin): \((reason.words ?? "It gave no reason").asSentence)
                    """,
                remedy: reason.hint.asSentence, systemMessage: reason.words))
    }

    /// Performs a registration if it is made inside the entry, on the thread of the entry.
    func registering(
        _ what: @autoclosure () -> String, _ body: (inout Registrations) -> Registrations.Fault?
    ) -> plugin_status {
        if pthread_equal(thread, pthread_self()) == 0 { return refuseOtherThread(what()) }
        let status: plugin_status? = state.withLock { state in
            guard state.registrations != nil else { return nil }
            guard let problem = body(&state.registrations!) else { return plugin_status(PLUGIN_OK) }
            state.findings.append(Self.finding(problem))
            return problem.status
        }
        return status ?? refuseLate(what())
    }

    @inline(never)
    private func refuseOtherThread(_ what: String) -> plugin_status {
        let finding = PluginFinding(
            .registrationInvalid,
            message: "The plug-in registered \(what) on another thread than the one that called its entry.",
            remedy: "Register only on the thread that called plugin_entry.")
        let isLate = state.withLock { state in
            if state.registrations == nil { return true }
            state.findings.append(finding)
            return false
        }
        return isLate ? refuseLate(what) : plugin_status(PLUGIN_CLOSED)
    }

    @inline(never)
    private func refuseLate(_ what: String) -> plugin_status {
        state.withLock { if $0.lateRegistrations.count < 16 { $0.lateRegistrations.append(what) } }
        log(
            PluginLogger.Level.error.rawValue,
            "The plug-in registered \(what) after its entry returned; it is ignored.")
        return plugin_status(PLUGIN_CLOSED)
    }

    /// The registrations that the plug-in attempted after its entry had returned, for example “the factory “maker””.
    var lateRegistrations: [String] { state.withLock(\.lateRegistrations) }

    static func finding(_ problem: Registrations.Fault) -> PluginFinding {
        switch problem {
        case .duplicate(let key):
            let place = key.point.isEmpty ? "in one bundle" : "at the extension point \(quoted(key.point))"
            return PluginFinding(
                .duplicateFactory, subject: key.name,
                message: "The plug-in registered the name \(quoted(key.name)) twice \(place).",
                remedy: "Give each registration a different name.")
        case .demand(let demand): return demand.finding
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

    // MARK: The functions of the table

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
            let point = factory.pointee.extension_point.text
            return refusal(at: point, .inProcess)
                ?? registrations.add(
                    Registrations.CProvider(
                        pointer: factory, name: name, point: point, version: factory.pointee.extension_version,
                        order: Int(factory.pointee.order)))
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
            return registrations.add(function: name, signature: function.pointee.signature.text, code: code)
        }
    }

    /// Why nothing may be registered for an extension point in this process; nil if it may.
    private func refusal(at point: String, _ execution: PluginExecution) -> Registrations.Fault? {
        ExecutionDemand(point, execution, in: ProcessPlace.current, of: bundle).map { .demand($0) }
    }

    /// Names are compared, so they must consist of the bytes that their author wrote: repairing two different names
    /// could make them equal.
    private static func firstNotUTF8(_ names: plugin_string...) -> Registrations.Fault? {
        names.first { $0.validText == nil }.map { .unusable($0.shown, "is not UTF-8") }
    }

    func register(_ hooks: UnsafePointer<plugin_hooks>?) -> plugin_status {
        guard let hooks, hooks.pointee.header.size >= UInt32(PLUGIN_HOOKS_SIZE_1_0) else {
            return registering("hooks") { _ in
                .unusable("plugin_hooks", "is shorter than the struct of \(PLUGIN_LIFECYCLE_ID)")
            }
        }
        return registering("hooks") { $0.add(Registrations.Hook(pointer: hooks)) }
    }

    /// Adds everything that a Swift plug-in's registrar contains.
    func register(_ registrar: PluginRegistrar) -> plugin_status {
        for registration in registrar.registrations {
            let status = registering("\(registration)") { registrations in
                switch registration {
                case .pluginClass(let name, let type, let nib):
                    registrations.add(class: type, as: name, nib: nib)
                case .provider(let provider):
                    refusal(at: provider.pointName, provider.pointExecution) ?? registrations.add(provider)
                case .function(let name, let signature, let code):
                    if let code {
                        registrations.add(function: name, signature: signature, code: code)
                    } else {
                        .unusable(
                            name, "is not a @convention(c) function", remedy: "Register a function declared with @c.")
                    }
                }
            }
            if status != PLUGIN_OK { return status }
        }
        return plugin_status(PLUGIN_OK)
    }

    /// Records findings that make the load fail, whatever the entry returns.
    func fail(_ findings: [PluginFinding]) {
        state.withLock { $0.findings += findings }
    }

    private func setReason(_ reason: Reason) {
        state.withLock { $0.reasons.set(reason) }
    }

    /// The latest reason that this thread set since the previous call of this function.
    func takeReason() -> Reason? { state.withLock { $0.reasons.take() } }

    private func log(_ level: Int32, _ message: String) {
        HostEnvironment.log(
            HostLogRecord(
                level: PluginLogger.Level(rawValue: level) ?? .notice, bundleIdentifier: bundle.displayIdentifier,
                message: message))
    }
}
