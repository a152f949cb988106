import ELFImages
import Foundation
import HostBasics
import PluginABI
import Testing

@testable import PluginHost

/// The guard: each place that calls foreign code stops the process if a lock is held, and names the rule.
@Suite(.timeLimit(.minutes(5))) struct LockFunnelFaults {
    enum Funnel: String, CaseIterable, Codable, Sendable {
        case entry, hooks, provider, factory, principal, function, service, linker, accessor, plugin, error
        case streams, notification, wait

        /// The part of the message that says what is about to run.
        var foreignCode: String {
            switch self {
            case .entry: "the entry of a plug-in"
            case .hooks: "the hooks of a plug-in"
            case .provider: "a provider of a plug-in"
            case .factory: "the create function of a C factory"
            case .principal: "an initialiser of a plug-in"
            case .function: "a C function of a plug-in"
            case .service: "the initialiser of a service"
            case .linker: "the constructors of a library"
            case .accessor: "the metadata accessor of a plug-in's class"
            case .plugin: "what uses a plug-in"
            case .error: "the description of an error of a plug-in's own type"
            case .streams: "tasks that listen to events"
            case .notification: "the observers of a load"
            case .wait: "another thread's load, which is waited for,"
            }
        }
    }

    @Test(.fault(171), arguments: Funnel.allCases) func foreignCodeUnderALockStopsTheProcessWithTheRule(funnel: Funnel)
        async throws
    {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { [funnel = funnel as Funnel] in
            // If the guard does not stop the process, it ends with success, and the test fails.
            try Self.underALock(funnel)
        }
        let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(message.contains("PluginHost was about to run \(funnel.foreignCode) while"), "\(message.suffix(500))")
        #expect(message.contains("Nothing foreign runs under a lock"))
    }

    private struct Thrown: Error {}

    private static func underALock(_ funnel: Funnel) throws {
        let bundle = try CallingPlugin.make()
        if funnel != .entry { try bundle.loadAndReturnError() }
        let provider = funnel == .provider ? try bundle.providers(of: CallingPlugin.service)[0] : nil
        let factory = funnel == .factory ? try bundle.cProviders()[0] : nil
        let function = funnel == .function ? try bundle.function("call") : nil
        if funnel == .notification { _ = PluginBundle.didLoadNotification }
        let listener = funnel == .streams ? PluginBundle.stateChanges.makeAsyncIterator() : nil
        let shared = SharedObject()
        let ticket = LoadTicket(.load, of: "/none")
        // The message is in standard error and the process ends; nothing below returns.
        try Lock(0).withLock { _ in
            switch funnel {
            case .entry: bundle.load()
            case .hooks, .streams: bundle.unload()
            case .provider: _ = try provider?.make()
            case .factory: _ = try factory?.make()
            case .principal: _ = try bundle.makePrincipal(as: CallingPlugin.Object.self)
            case .function: _ = try function?()
            case .service: let _: Int = try shared.value(of: "/none", "point") { ServiceBox(1) }
            case .linker: _ = try LoadedLibrary.open(path: "/none/such.so")
            case .accessor: _ = LibraryClasses(ofLibraryAt: own).class(named: "PluginHost.PluginCatalog")
            case .plugin: _ = try PluginCatalog(searchPaths: [], options: .init(index: .none)).withPlugin("x") { _ in }
            case .error: _ = bundle.instantiationFailed("it", Thrown())
            case .notification: bundle.announceLoad(of: try bundle.loadedCode())
            case .wait: _ = try LoadActivity.shared.wait(for: ticket, to: .load)
            }
        }
        withExtendedLifetime(listener) {}
    }

    /// Where the image of this program begins.
    private static var own: UInt { LibraryClasses.base(ofLibraryDefining: PluginCatalog.self) ?? 0 }
}
