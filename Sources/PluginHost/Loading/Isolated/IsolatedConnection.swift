import BundleReading
import Glibc
import HostBasics
@_spi(PluginHost) internal import PluginABI
@_spi(Tools) import PluginWorkers
import Synchronization

/// A bundle's use of a worker process.
///
/// The proxies of all its objects hold it.
///
/// The use ends when the loaded code and the last proxy are gone. The objects of an unloaded bundle therefore keep
/// working, as they do inside one process, and the process ends with the last of them.
final class IsolatedConnection: RemoteConnection {
    let session: any WorkerSession
    private let bundle: PluginBundle
    private let base: any RemoteConnection
    /// The provider or C factory that created the objects; empty if there is none.
    private let provider: String
    /// The provider's number in the process; 0 for a desk, whose user knows better which function was called.
    private let number: UInt32
    private let use: Use
    /// The hold of the objects; nil without a provider.
    private let hold: WorkerHold?
    private let poison: PoisonCalls

    /// Ends the use of the process with the last connection.
    private final class Use: Sendable {
        let session: any WorkerSession
        let plugin: PluginInfo
        /// The number of the bundle in the process; 0 before its load.
        let number = Atomic<UInt32>(0)
        /// The bundle's settings, of which the process has a copy, and the number of that copy.
        let copy = Lock<(audience: SettingsAudience, number: Int)?>(nil)

        init(_ session: any WorkerSession, _ plugin: PluginInfo) {
            self.session = session
            self.plugin = plugin
        }

        deinit {
            if let copy = copy.withLock({ $0 }) { copy.audience.removeCopy(copy.number) }
            HeldLocks.afterRelease { [session, plugin] in session.leave(plugin) }
        }
    }

    /// `poison`: the calls that ended processes of the same code.
    convenience init(_ session: any WorkerSession, of bundle: PluginBundle, _ poison: PoisonCalls) {
        self.init(session, bundle, provider: "", number: 0, Use(session, bundle.info), poison)
    }

    private init(
        _ session: any WorkerSession, _ bundle: PluginBundle, provider: String, number: UInt32, _ use: Use,
        _ poison: PoisonCalls
    ) {
        self.poison = poison
        self.session = session
        self.bundle = bundle
        self.provider = provider
        self.number = number
        self.use = use
        hold = provider.isEmpty ? nil : WorkerHold.on(session)
        base = session.connection
    }

    /// The bundle, as the process knows it.
    var plugin: PluginInfo { use.plugin }

    /// Records that the bundle was loaded, with its number in the process.
    func isLoaded(as number: UInt32) { use.number.store(number, ordering: .relaxed) }

    /// Keeps the settings in the process equal to those of this one, as long as it is used.
    func sendSettings(_ settings: BundleSettings, to number: UInt32) {
        guard settings.settings != nil else { return }
        let copy = settings.audience.addCopy { [weak session, weak settings] keys in
            guard let session, let settings else { return }
            session.send(settings.update(of: keys), to: number)
        }
        let isFirst = use.copy.withLock { known in
            if known != nil { return false }
            known = (settings.audience, copy)
            return true
        }
        if !isFirst { settings.audience.removeCopy(copy) }
        // They may have changed while the code was loaded.
        if let update = settings.update { session.send(update, to: number) }
    }

    /// The connection for the objects of a provider, whose errors name it, or of a C factory.
    ///
    /// `number`: the provider's number in the process; 0 for a C factory.
    func connection(of provider: String, number: UInt32) -> IsolatedConnection {
        IsolatedConnection(session, bundle, provider: provider, number: number, use, poison)
    }

    // MARK: RemoteConnection

    /// One for the whole process, which may keep an object from a call of one bundle and use it in a call of another
    /// bundle.
    var server: RemoteServer { base.server }

    func open() throws -> any RemoteChannel {
        let channel = try base.open()
        noteCall(on: channel, bundle: use.number.load(ordering: .relaxed), provider: number)
        return channel
    }

    func close(_ channel: any RemoteChannel) { base.close(channel) }

    func release(_ object: UInt32) { base.release(object) }

    func start(_ work: @escaping @Sendable () -> Void) { base.start(work) }

    func violated(_ failure: RemoteFailure, on channel: (any RemoteChannel)?) {
        base.violated(failure, on: channel)
    }

    func error(
        _ error: any Error, from method: String, after history: CallHistory, digest: () -> UInt64?
    ) -> any Error {
        if session.isEnd(duringCall: error) {
            var isPoison = false
            if isPerformance(method), session.hasCrashedInItsOnlyCall {
                isPoison = poison.note(call(method, after: history, digest), in: session)
            }
            session.callerKnows(plugin, isPoison: isPoison)
        }
        // After callerKnows(): only then is it known whether the end counts.
        let known = self.error(error, from: method, during: .call(provider: provider, method: method))
        return number == 0 ? error : known
    }

    /// Whether a method performs a call of the application.
    ///
    /// A step of the load is not one: it has the same values each time.
    private func isPerformance(_ method: String) -> Bool {
        number != 0 || method == WorkerDeskProxy.performingMethod || method == CObjectProxy.performingMethod
    }

    /// The identity of a call; nil if the call cannot be recognised.
    private func call(_ method: String, after history: CallHistory, _ digest: () -> UInt64?) -> PoisonCalls.Call? {
        guard history != .unknown, let digest = digest() else { return nil }
        return PoisonCalls.Call(provider: provider, history: history.adding(method, digest))
    }

    // Also for a desk, because some of its calls do not belong to its history.
    var checksCalls: Bool { number == 0 || poison.isNeeded }

    func check(_ method: String, after history: CallHistory, digest: () -> UInt64?) throws -> CallHistory {
        guard isPerformance(method) else { return history }
        // If the process has ended, the call itself reports that.
        guard poison.isNeeded, !session.hasEnded, let call = call(method, after: history, digest) else {
            return .unknown
        }
        guard let time = poison.refusalTime(of: call) else { return call.history }
        let minutes = time.components.seconds / 60 + 1
        throw RemoteFailure(
            .callRefused,
            """
            The same call, with the same values and after the same calls of its object, ended the plug-in's process \
            \(PoisonCalls.most) times.
            """,
            remedy: """
                Report this to the author of the plug-in. Other calls are made; this one again in \
                \(counted(Int(minutes), "minute")).
                """)
    }

    func error(_ error: any Error, from method: String, during phase: WorkerEnd.Phase) -> any Error {
        let known = session.error(error, during: phase, of: plugin)
        guard let failure = known as? RemoteFailure else { return known }
        let reason = failure.message.asSentence
        return PluginError(
            bundlePath: bundle.bundlePath,
            PluginFinding(
                PluginError.Code(rawValue: failure.code.rawValue), filePath: bundle.executablePath, subject: method,
                message: "The call of \(quoted(method)) failed: \(reason)",
                remedy: failure.remedy.isEmpty ? remedy(ifRefused: failure) : failure.remedy.asSentence,
                systemMessage: failure.message))
    }

    /// What to do about an error of the plug-in that has the system's words for a refusal, if the process is confined;
    /// otherwise empty.
    ///
    /// Only the text of such an error crosses to this process.
    private func remedy(ifRefused failure: RemoteFailure) -> String {
        guard failure.code == .callFailed, let granted = session.confinedTo,
            [EACCES, EPERM].contains(where: { failure.message.contains(describe(errno: $0)) })
        else { return "" }
        let items = granted.items.isEmpty ? "nothing" : granted.items.joined(separator: ", ")
        return """
            The plug-in runs in a sandbox. It reaches only what its Info.plist names under PHPermissions and the user then \
            allowed; this process was granted: \(items).
            """
    }
}
