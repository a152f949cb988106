import CChildProcess
import Glibc
import PluginHost

/// The loads of one invocation: each bundle is loaded once, in a separate process.
struct BundleLoads {
    private let bundles: [PluginBundle]
    private let limit: Duration
    private let isStrict: Bool
    /// The libraries of the application.
    private let libraries: ApplicationLibraries
    /// Further arguments of the child.
    private let options: [String]
    /// Whether a debugger is started for the worker process.
    private let debugs: Bool
    private let interrupts: Int32
    private var known: [String: LoadOutcome] = [:]
    /// The bundle that registered each name at an extension point.
    private var owners: [PointName: String] = [:]

    private struct PointName: Hashable {
        let point: String
        let name: String
    }

    init(
        of selected: [SelectedBundle], limit: Duration, isStrict: Bool, libraries: ApplicationLibraries,
        options: [String] = [], debugs: Bool = false
    ) {
        bundles = selected.compactMap { if case .bundle(let bundle) = $0 { bundle } else { nil } }
        self.limit = limit
        self.isStrict = isStrict
        self.libraries = libraries
        self.options = options + (debugs ? ["--gdb"] : [])
        self.debugs = debugs
        interrupts = interrupts_catch()
        child_adopt_orphans()
    }

    /// Loads a bundle, unless it was loaded before.
    mutating func load(_ selected: SelectedBundle) -> LoadOutcome {
        switch selected {
        case .unopened(let error): return LoadOutcome(error, isUnable: false)
        case .missing(let error): return LoadOutcome(error, isUnable: true)
        case .bundle(let bundle):
            if let outcome = known[bundle.bundlePath] { return outcome }
            var outcome = loadInChild(bundle)
            claimNames(of: &outcome)
            known[bundle.bundlePath] = outcome
            return outcome
        }
    }

    private func loadInChild(_ bundle: PluginBundle) -> LoadOutcome {
        do throws(ChildProcess.Failure) {
            let run = try run([LoadInChildCommand.name] + (isStrict ? ["--strict"] : []) + options, bundle)
            return ChildEnd(run, of: bundle, limit: limit).outcome
        } catch {
            return notStarted(bundle, error)
        }
    }

    /// Uses everything that a bundle registers, in a separate process.
    ///
    /// The output of the code is not shown, because the load has already shown it. `comparesState`: whether to report what
    /// the code changes in its process.
    func use(_ bundle: PluginBundle, comparesState: Bool) -> UseOutcome {
        do throws(ChildProcess.Failure) {
            let run = try run(
                [UseInChildCommand.name] + (comparesState ? ["--state"] : []), bundle, showsOutput: false)
            var outcome = run.reader.use ?? UseOutcome(nil)
            outcome.load = ChildEnd(run, of: bundle, limit: limit).outcome
            return outcome
        } catch {
            return UseOutcome(notStarted(bundle, error))
        }
    }

    private func run(
        _ command: [String], _ bundle: PluginBundle, showsOutput: Bool = true
    ) throws(ChildProcess.Failure) -> ChildRun {
        let mark = ChildReport.newMark()
        var arguments = command + ["--mark", mark]
        for needed in needed(by: bundle) { arguments += ["--after", needed.bundlePath] }
        let child = try ChildProcess(arguments + ["--", bundle.bundlePath], libraries)
        return child.run(
            mark: mark, limit: limit, interrupts: interrupts, showsOutput: showsOutput, debugs: debugs)
    }

    private func notStarted(_ bundle: PluginBundle, _ failure: ChildProcess.Failure) -> LoadOutcome {
        LoadOutcome(
            path: bundle.bundlePath, identifier: bundle.bundleIdentifier, state: .failed,
            findings: [failure.finding(bundle)], isUnable: true)
    }

    // MARK: Several bundles

    /// The bundles among the arguments that a bundle requires or whose services it uses, and the bundles that these
    /// need in turn.
    ///
    /// Each bundle comes after the bundles that it needs.
    private func needed(by bundle: PluginBundle) -> [PluginBundle] {
        var found: [PluginBundle] = []
        var seen: Set = [bundle.bundlePath]
        // The bundles in progress, each with the number of its needs that are done. Not recursive, because Info.plist
        // decides the depth.
        var pending = [(bundle: bundle, needs: directNeeds(of: bundle), next: 0)]
        while let (current, needs, next) = pending.last {
            if next < needs.count {
                pending[pending.count - 1].next += 1
                if seen.insert(needs[next].bundlePath).inserted {
                    pending.append((needs[next], directNeeds(of: needs[next]), 0))
                }
            } else {
                pending.removeLast()
                if current !== bundle { found.append(current) }
            }
        }
        return found
    }

    private func directNeeds(of bundle: PluginBundle) -> [PluginBundle] {
        let manifest = bundle.manifest
        if manifest.requires.isEmpty, manifest.uses.isEmpty { return [] }
        return bundles.filter { other in
            if let identifier = other.manifest.identifier, manifest.requires[identifier] != nil { return true }
            return other.manifest.extensions.contains { factory in
                factory.extensionPoint.map { manifest.uses[$0] == factory.version } ?? false
            }
        }
    }

    /// In one application, only one bundle can have a name at an extension point.
    ///
    /// A second one fails to load.
    private mutating func claimNames(of outcome: inout LoadOutcome) {
        guard outcome.state == .loaded else { return }
        let names = outcome.registrations.compactMap { registration in
            registration.extensionPoint.map { PointName(point: $0, name: registration.name) }
        }
        if let taken = names.first(where: { owners[$0] != nil }), let owner = owners[taken] {
            outcome.fail(
                PluginFinding(
                    .duplicateFactory, subject: taken.name,
                    message: """
                        The name “\(taken.name)” at the extension point “\(taken.point)” is taken by the bundle \
                        “\(owner)”. An application cannot load both.
                        """,
                    remedy: "Remove one of the two bundles, or rename what it offers."))
        } else {
            for name in names { owners[name] = outcome.path }
        }
    }
}
