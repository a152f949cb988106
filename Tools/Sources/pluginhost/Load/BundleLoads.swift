import CChildProcess
import Glibc
import PluginHost

/// The loads of one invocation: each bundle once, in a process of its own.
struct BundleLoads {
    private let bundles: [PluginBundle]
    private let limit: Duration
    private let isStrict: Bool
    private let interrupts: Int32
    private var known: [String: LoadOutcome] = [:]
    /// Which bundle has a name at an extension point.
    private var owners: [PointName: String] = [:]

    private struct PointName: Hashable {
        let point: String
        let name: String
    }

    init(of selected: [SelectedBundle], limit: Duration, isStrict: Bool) {
        bundles = selected.compactMap { if case .bundle(let bundle) = $0 { bundle } else { nil } }
        self.limit = limit
        self.isStrict = isStrict
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
        let mark = ChildReport.newMark()
        var arguments = [LoadInChildCommand.name, "--mark", mark]
        if isStrict { arguments.append("--strict") }
        for needed in needed(by: bundle) { arguments += ["--after", needed.bundlePath] }
        arguments += ["--", bundle.bundlePath]
        do throws(ChildProcess.Failure) {
            let child = try ChildProcess(arguments)
            return ChildEnd(child.run(mark: mark, limit: limit, interrupts: interrupts), of: bundle, limit: limit)
                .outcome
        } catch {
            return LoadOutcome(
                path: bundle.bundlePath, identifier: bundle.bundleIdentifier, state: .failed,
                findings: [error.finding(bundle)], isUnable: true)
        }
    }

    // MARK: Several bundles

    /// The bundles among the arguments that a bundle requires, or whose services it uses, with what these need.
    ///
    /// Each comes after its own needs.
    private func needed(by bundle: PluginBundle) -> [PluginBundle] {
        var found: [PluginBundle] = []
        var seen: Set = [bundle.bundlePath]
        // The bundles in progress, each with the number of its needs that are done; no recursion on data of Info.plist.
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

    /// In one application a name at an extension point belongs to one bundle: the second bundle fails to load.
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
