internal import CPluginSupport
import HostBasics
import HostRecords
@_spi(PluginHost) internal import PluginABI
import Synchronization

extension PluginBundle {
    /// Loads the bundle's code, unless it is already loaded: see ``loadAndReturnError()``.
    ///
    /// - Returns: whether the code is now loaded; if not, see ``loadError``.
    @discardableResult
    public func load() -> Bool {
        do {
            try loadAndReturnError()
            return true
        } catch {
            return false
        }
    }

    /// Loads the bundle's code, unless it is already loaded.
    ///
    /// 1. The executable is inspected without running it, then opened, and its entry is called, once in the life of the
    ///    process.
    /// 2. The registrations are compared with `PHFactories`, if Info.plist has that key, and their names at extension
    ///    points are reserved.
    /// 3. `activate` of each registered class is called, in the order of registration.
    /// 4. All registrations become visible at once, and ``didLoadNotification`` is posted.
    ///
    /// Nothing of a plug-in is therefore used before it is active. After a failure nothing is registered, and the load
    /// may be tried again: if the entry failed, after the file was replaced; if `activate` failed, without another call
    /// of the entry.
    ///
    /// - Throws: ``PluginError`` with every fault that was found: `manifestUnreadable`, `manifestInvalid`, `notCode`,
    ///   `executionConflict`, `workerUnavailable`, `executableMissing`, `executableOutsideBundle`, `notLoadable`,
    ///   `executableChanged`, `dependencyMissing`, `libraryClash`, `unsafeSearchPath`, `symbolMissing`, `abiMismatch`,
    ///   `toolchainMismatch`, `duplicateABI`, `alreadyEntered`, `loadFailed`, `entryFailed`, `nothingRegistered`,
    ///   `registrationInvalid`, `duplicateFactory`, `undeclaredRegistration`, `activationFailed`, `loadReentered`,
    ///   `dependencyCycle`, `loadInterrupted`, `superseded`, `probeFailed`.
    ///
    /// The main bundle's code already runs, so loading it succeeds and runs nothing.
    ///
    /// **Threads.** Any. If another thread is loading the bundle, a caller waits and gets the same outcome; if another
    /// thread is unloading it, a caller waits and then loads it. An entry or a hook may load other bundles. A call that
    /// would wait for itself fails with `loadReentered` or `dependencyCycle`.
    /// **Cost.** The dynamic linker's work, and five system calls for the inspection.
    public func loadAndReturnError() throws { try load(inPlaceOf: nil) }

    /// Loads the code beside the code of another bundle, and may take over that bundle's names.
    ///
    /// The other bundle does not change; the caller must unload it as soon as no new user can reach it.
    func load(inPlaceOf predecessor: PluginBundle?) throws {
        while true {
            switch try nextStep() {
            case .done: return
            case .wait(let ticket):
                let outcome = try LoadActivity.shared.wait(for: ticket, to: .load)
                // The caller shares the outcome of a load. After an unload it loads the bundle itself.
                if ticket.work == .load { return try outcome.get() }
            case .load(let ticket, let previous): return try run(ticket, after: previous, inPlaceOf: predecessor)
            }
        }
    }

    /// The state of the bundle's code.
    public var state: PluginState { isProgram ? .active : codeState.load.withLock(\.visible) }

    /// Whether the code is loaded and its registrations are offered; always true for the main bundle.
    public var isLoaded: Bool {
        codeState.load.withLock { if case .active = $0 { true } else { false } } || isProgram
    }

    /// Findings that did not prevent the load: declarations in PHFactories that the code did not register, and changes of
    /// the floating-point state of the thread, which were undone (`processChanged`).
    ///
    /// Empty while the bundle is not loaded.
    public var loadWarnings: [PluginFinding] { currentCode?.warnings ?? [] }

    /// Why the last load failed, or nil.
    public var loadError: PluginError? {
        codeState.load.withLock { state in
            switch state {
            case .failed(let failure): failure.error
            case .dormant(_, let error): error
            case .unloaded, .loading, .active, .deactivating: nil
            }
        }
    }

    /// Unloads the bundle: see ``unloadAndReturnError()``.
    ///
    /// - Returns: whether this call unloaded it.
    @discardableResult
    public func unload() -> Bool { (try? unloadAndReturnError()) ?? false }

    /// Withdraws the bundle's registrations: its providers, factories, functions and principal class are no longer
    /// offered.
    ///
    /// Then `deactivate` of each registered class is called, in the reverse order of registration, and the names at
    /// extension points become free for other bundles.
    ///
    /// The code stays mapped and existing objects keep working. A later load activates the bundle and offers the same
    /// registrations again without calling the entry. If the plug-in runs in a worker process, that process ends with
    /// the last existing object; a later load starts another process, which calls the entry again.
    ///
    /// - Returns: whether this call unloaded it; false if it was not loaded, and always false for the main bundle.
    /// - Throws: ``PluginError`` of code `loadReentered` in an entry or a hook of the bundle itself, `dependencyCycle`,
    ///   or `loadInterrupted`.
    ///
    /// **Threads.** Any. If another thread is loading or unloading the bundle, the caller waits.
    @discardableResult
    public func unloadAndReturnError() throws -> Bool {
        while true {
            switch nextUnloadStep() {
            case nil: return false
            case .wait(let ticket):
                // Whatever the outcome, the next iteration checks whether there is something to unload.
                _ = try LoadActivity.shared.wait(for: ticket, to: .unload)
            case .unload(let ticket, let code):
                withdraw(code, ticket)
                return true
            }
        }
    }

    /// The code; loads it if necessary.
    func loadedCode() throws -> LoadedCode {
        while true {
            if let code = currentCode { return code }
            try loadAndReturnError()
            // Another thread may unload between the load and the check. The next iteration then loads again.
        }
    }

    var currentCode: LoadedCode? {
        codeState.load.withLock { if case .active(let code) = $0 { code } else { nil } }
    }

    var mappedCode: LoadedCode? { codeState.load.withLock(\.mappedCode) }

    // MARK: Loading

    private enum Step {
        case done
        case wait(LoadTicket)
        case load(LoadTicket, after: LoadState)
    }

    private func nextStep() throws(PluginError) -> Step {
        if isProgram {
            beginAsProgram()
            return .done
        }
        let step: Step? = codeState.load.withLock { state in
            switch state {
            case .active: return .done
            case .loading(let ticket, _), .deactivating(let ticket, _): return .wait(ticket)
            case .unloaded, .dormant, .failed:
                // Its names belong to the newer generation.
                if isSuperseded { return nil }
                let ticket = LoadTicket(.load, of: bundlePath)
                let previous = state
                change(&state, to: .loading(ticket, mapped: previous.mappedCode))
                return .load(ticket, after: previous)
            }
        }
        Self.deliverStateChanges()
        guard let step else { throw replaced }
        return step
    }

    private func run(
        _ ticket: LoadTicket, after previous: LoadState, inPlaceOf predecessor: PluginBundle?
    ) throws(PluginError) {
        LoadActivity.shared.begin(ticket)
        let next = bringIn(after: previous, ticket, inPlaceOf: predecessor)
        begin(.end)
        end(ticket, next)
        switch next {
        case .active(let code):
            ticket.finish(.success(()))
            announceLoad(of: code)
        case .dormant(_, let error?):
            ticket.finish(.failure(error))
            throw error
        case .failed(let failure):
            ticket.finish(.failure(failure.error))
            throw failure.error
        case .unloaded, .loading, .deactivating, .dormant(_, nil):
            preconditionFailure("a load ends as active or with an error")
        }
    }

    /// Loads the code if it is not in the process yet, reserves the names that it registered, and activates it.
    ///
    /// - Returns: the new state of the bundle.
    private func bringIn(
        after previous: LoadState, _ ticket: LoadTicket, inPlaceOf predecessor: PluginBundle?
    ) -> LoadState {
        let code: LoadedCode
        if case .dormant(let mapped, _) = previous, mapped.isolated == nil {
            code = mapped
            code.openServices()
        } else {
            let lastFailure: LoadFailure? = if case .failed(let failure) = previous { failure } else { nil }
            do throws(PluginError) {
                // After the ticket exists, so that several callers wait for one probe.
                try requireProbe()
            } catch {
                return .failed(LoadFailure(error: error, entered: lastFailure?.entered))
            }
            var entered: EnteredCode?
            do throws(PluginError) {
                do throws(PluginError) {
                    if try runsElsewhere() {
                        code = try IsolatedLoad(bundle: self).run(table: previous.mappedCode?.table)
                    } else {
                        ApplicationRecorder.shared.noteOwnProcess(of: displayIdentifier)
                        code = try CodeLoad(bundle: self).run(lastFailure: lastFailure, entered: &entered)
                    }
                } catch {
                    guard entered == nil, try canRunInRuntime(after: error) else { throw error }
                    code = try IsolatedLoad(bundle: self).run(table: previous.mappedCode?.table)
                }
            } catch {
                return .failed(LoadFailure(error: error, entered: entered))
            }
        }
        if let error = code.declarationError { return refused(code, error) }
        code.logWarnings()
        let keys = code.registrations.pointKeys
        do throws(PluginError) {
            // Before any hook runs, so that a name conflict has no effect on the plug-in.
            try ProviderTable.shared.insert(keys, of: bundlePath, inPlaceOf: predecessor?.bundlePath)
        } catch {
            return refused(code, error)
        }
        // A hook that requests a service of its own bundle, through another bundle, then gets an error about the
        // circle.
        codeState.load.withLock { $0 = .loading(ticket, mapped: code) }
        do throws(PluginError) {
            try code.activate()
            if predecessor != nil { ProviderTable.shared.takeOver(keys, by: bundlePath) }
            return .active(code)
        } catch {
            ProviderTable.shared.remove(keys, of: bundlePath)
            return refused(code, error)
        }
    }

    /// The state after code was loaded that cannot be offered.
    ///
    /// Code in this process stays mapped.
    @inline(never)
    private func refused(_ code: LoadedCode, _ error: PluginError) -> LoadState {
        guard let isolated = code.isolated else { return .dormant(code, error) }
        isolated.close()
        return .failed(LoadFailure(error: error, entered: nil))
    }

    /// Opens the code and calls its entry, but activates nothing.
    ///
    /// For a worker process. It activates the code with a load when its host requests that.
    func enter() throws(PluginError) -> LoadedCode {
        precondition(!isProgram, "the program's own bundle has no entry")
        while true {
            if let code = mappedCode { return code }
            let ticket: LoadTicket
            let previous: LoadState
            switch try nextStep() {
            case .done: continue
            case .wait(let other):
                try LoadActivity.shared.wait(for: other, to: .load).get()
                continue
            case .load(let new, let state): (ticket, previous) = (new, state)
            }
            let lastFailure: LoadFailure? = if case .failed(let failure) = previous { failure } else { nil }
            var entered: EnteredCode?
            LoadActivity.shared.begin(ticket)
            do throws(PluginError) {
                let code = try CodeLoad(bundle: self).run(lastFailure: lastFailure, entered: &entered)
                end(ticket, .dormant(code, nil))
                ticket.finish(.success(()))
                return code
            } catch {
                end(ticket, .failed(LoadFailure(error: error, entered: entered)))
                ticket.finish(.failure(error))
                throw error
            }
        }
    }

    private var replaced: PluginError {
        PluginError(
            bundlePath: originalPath,
            PluginFinding(
                .superseded, filePath: bundlePath,
                message: "This generation of the bundle, in \(quoted(bundlePath)), was replaced by a newer one.",
                remedy: "Use the catalogue or PluginBundle(identifier:) to get the newest generation."))
    }

    // MARK: Unloading

    private enum UnloadStep {
        case wait(LoadTicket)
        case unload(LoadTicket, LoadedCode)
    }

    private func nextUnloadStep() -> UnloadStep? {
        if isProgram { return nil }
        let step: UnloadStep? = codeState.load.withLock { state in
            switch state {
            case .unloaded, .dormant, .failed: return nil
            case .loading(let ticket, _), .deactivating(let ticket, _): return .wait(ticket)
            case .active(let code):
                let ticket = LoadTicket(.unload, of: bundlePath)
                change(&state, to: .deactivating(ticket, code))
                return .unload(ticket, code)
            }
        }
        Self.deliverStateChanges()
        return step
    }

    private func withdraw(_ code: LoadedCode, _ ticket: LoadTicket) {
        LoadActivity.shared.begin(ticket)
        code.deactivate()
        code.releaseServices()
        ProviderTable.shared.remove(code.registrations.pointKeys, of: bundlePath)
        code.isolated?.close()
        end(ticket, .dormant(code, nil))
        ticket.finish(.success(()))
    }

    // MARK: Both

    private func end(_ ticket: LoadTicket, _ next: LoadState) {
        LoadActivity.shared.end(ticket)
        codeState.load.withLock { change(&$0, to: next) }
        Self.deliverStateChanges()
    }

    /// Changes the state under its lock, so that observers see the changes in order.
    private func change(_ state: inout LoadState, to next: LoadState) {
        putStateChange(from: state.visible, to: next.visible)
        if case .active(let code) = state { code.isOffered.store(false, ordering: .releasing) }
        if case .active(let code) = next { code.isOffered.store(true, ordering: .releasing) }
        state = next
    }
}
