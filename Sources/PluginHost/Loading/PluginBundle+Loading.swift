internal import CPluginSupport
@_spi(PluginHost) internal import PluginABI
import Synchronization

extension PluginBundle {
    /// Loads the bundle's code, unless it is loaded: see ``loadAndReturnError()``.
    ///
    /// - Returns: whether the code is loaded now; ``loadError`` tells why it is not.
    @discardableResult
    public func load() -> Bool {
        do {
            try loadAndReturnError()
            return true
        } catch {
            return false
        }
    }

    /// Loads the bundle's code, unless it is loaded.
    ///
    /// The executable is inspected without running it, opened, and its entry called, once in the life of the process.
    /// What the entry registers becomes visible all at once when it has succeeded; then ``didLoadNotification`` is
    /// posted. After a failure nothing is registered, and the load may be tried again; where the entry was called
    /// already, after the file was replaced.
    ///
    /// - Throws: ``PluginError`` with every problem that was found: `manifestUnreadable`, `manifestInvalid`, `notCode`,
    ///   `executableMissing`, `executableOutsideBundle`, `notLoadable`, `executableChanged`, `dependencyMissing`,
    ///   `unsafeSearchPath`, `symbolMissing`, `abiMismatch`, `toolchainMismatch`, `duplicateABI`, `alreadyEntered`,
    ///   `loadFailed`, `entryFailed`, `nothingRegistered`, `registrationInvalid`, `duplicateFactory`, `loadReentered`,
    ///   `dependencyCycle`, `loadInterrupted`.
    ///
    /// **Threads.** Any. A thread that asks while another loads waits and gets the same outcome. An entry may load other
    /// bundles; one that would wait for itself gets `loadReentered` or `dependencyCycle`.
    /// **Cost.** The dynamic linker's, and five system calls for the inspection.
    public func loadAndReturnError() throws {
        switch nextStep() {
        case .done: return
        case .wait(let ticket): try LoadActivity.shared.wait(for: ticket)
        case .load(let ticket, let previous): try run(ticket, after: previous)
        }
    }

    /// Whether the code is loaded and its registrations are offered.
    public var isLoaded: Bool {
        loading.withLock { if case .loaded = $0 { true } else { false } }
    }

    /// Why the last load failed, or nil.
    public var loadError: PluginError? {
        loading.withLock { state in
            switch state {
            case .failed(let failure): failure.error
            case .dormant(_, let error): error
            case .unloaded, .loading, .loaded: nil
            }
        }
    }

    /// Takes the bundle's registrations back: its providers, factories, functions and principal class are no longer
    /// offered. The code stays mapped and objects that exist go on working; a later load offers the same again without
    /// calling the entry.
    ///
    /// - Returns: whether the bundle was loaded.
    @discardableResult
    public func unload() -> Bool {
        let code: LoadedCode? = loading.withLock { state in
            guard case .loaded(let code) = state else { return nil }
            state = .dormant(code, nil)
            return code
        }
        guard let code else { return false }
        ProviderTable.shared.remove(code.registrations.pointKeys, of: bundlePath)
        return true
    }

    /// The code, loaded if it is not.
    func loadedCode() throws -> LoadedCode {
        while true {
            if let code = currentCode { return code }
            try loadAndReturnError()
            // Another thread may unload between the load and the look; then it is loaded again.
        }
    }

    var currentCode: LoadedCode? {
        loading.withLock { if case .loaded(let code) = $0 { code } else { nil } }
    }

    // MARK: Steps

    private enum Step {
        case done
        case wait(LoadTicket)
        case load(LoadTicket, after: LoadState)
    }

    private func nextStep() -> Step {
        loading.withLock { state in
            switch state {
            case .loaded: return .done
            case .loading(let ticket): return .wait(ticket)
            case .unloaded, .dormant, .failed:
                let ticket = LoadTicket(bundlePath: bundlePath)
                let previous = state
                state = .loading(ticket)
                return .load(ticket, after: previous)
            }
        }
    }

    private func run(_ ticket: LoadTicket, after previous: LoadState) throws(PluginError) {
        LoadActivity.shared.begin(ticket)
        let next = bringIn(after: previous)
        LoadActivity.shared.end(ticket)
        loading.withLock { $0 = next }
        switch next {
        case .loaded(let code):
            ticket.finish(.success(()))
            announceLoad(imageBase: code.imageBase)
        case .dormant(_, let error?):
            ticket.finish(.failure(error))
            throw error
        case .failed(let failure):
            ticket.finish(.failure(failure.error))
            throw failure.error
        case .unloaded, .loading, .dormant(_, nil):
            preconditionFailure("a load ends as loaded or with an error")
        }
    }

    /// Loads the code if it is not in the process yet, and offers what it registered.
    ///
    /// - Returns: the state that the bundle has from now on.
    private func bringIn(after previous: LoadState) -> LoadState {
        let code: LoadedCode
        if case .dormant(let mapped, _) = previous {
            code = mapped
        } else {
            let lastFailure: LoadFailure? = if case .failed(let failure) = previous { failure } else { nil }
            var entered: FileIdentity?
            do throws(PluginError) {
                code = try CodeLoad(bundle: self).run(lastFailure: lastFailure, entered: &entered)
            } catch {
                return .failed(LoadFailure(error: error, entered: entered))
            }
        }
        do throws(PluginError) {
            try ProviderTable.shared.insert(code.registrations.pointKeys, of: bundlePath)
            return .loaded(code)
        } catch {
            return .dormant(code, error)
        }
    }
}
