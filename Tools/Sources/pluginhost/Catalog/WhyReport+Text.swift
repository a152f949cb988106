@_spi(Tools) import PluginHost

extension WhyReport {
    func write(to page: inout Page) {
        page.line((explanation.identifier, .bold), answer)
        if candidates.isEmpty {
            page.paragraph(explanation.sentence, indent: 2)
            if !similar.isEmpty {
                page.paragraph("Did you mean \(similar.joined(separator: " or "))?", indent: 2, .yellow)
            }
            if !explanation.remedy.isEmpty { page.paragraph("To do: \(explanation.remedy)", indent: 2) }
            FindingReport(findings: folders.flatMap(\.findings), bundlePath: nil).write(to: &page)
        }
        for facts in candidates { write(facts, to: &page) }
        decided.write(to: &page)
        if let sentence = explanation.unansweredSentence { page.paragraph(sentence, indent: 2, .yellow) }
        for replacement in replacements { page.paragraph(Self.sentence(replacement), indent: 2) }
        for probe in probes { write(probe, to: &page) }
        writeCheck(to: &page)
        if let settings {
            page.gap()
            settings.writeSummary(
                to: &page, command: applicationName.map { SettingsFacts.command(explanation.identifier, $0) })
        }
        writeNeeds(to: &page)
        writeNeededBy(to: &page)
        writeAbsence(to: &page)
    }

    private static func sentence(_ replacement: PluginReplacement) -> String {
        replacement.hasTakenOver
            ? "It has taken over the choices, answers and data of \(replacement.old)."
            : """
            It replaces \(replacement.old), and has taken over nothing of it: to let it, install it with --adopt, or let the \
            application ask.
            """
    }

    /// The Info.plist of the bundle that is used; nil if none is.
    private var usedManifest: Manifest? { candidates.first { $0.candidate.verdict == .usable }?.manifest }

    /// The answer in a few words.
    private var answer: (String, Page.Style) {
        if explanation.plugin == nil { return ("not used", .red) }
        switch isLoadable {
        case false: return ("chosen, but its code cannot be loaded", .red)
        case nil: return ("used, if the application brings the libraries that it needs", .yellow)
        default:
            let isRefused = probes.contains { !$0.findings.isEmpty }
            if isRefused { return ("used, but not by every application", .yellow) }
            if let range = usedManifest?.hostRequires, HostEnvironment.current.version.isEmpty {
                return ("used, if the application has version \(range)", .yellow)
            }
            return ("used", .green)
        }
    }

    private func write(_ facts: CandidateFacts, to page: inout Page) {
        let candidate = facts.candidate
        let isUnloadable = candidate.verdict == .usable && isLoadable == false
        page.gap()
        page.line(
            (candidate.path.relativeToCurrentDirectory, .bold), (candidate.version ?? "", .plain),
            isUnloadable ? ("not loadable", .red) : (candidate.verdict.words, candidate.verdict.style))
        let findings = candidate.findings
        if findings.isEmpty {
            page.paragraph(
                isUnloadable
                    ? "It is the one that is chosen, but its code cannot be loaded: see the complete check."
                    : candidate.explanationWithNextStep, indent: 2)
        }
        FindingReport(findings: findings, bundlePath: candidate.bundlePath).write(to: &page)
        facts.advice.write(to: &page)
        facts.isolation?.write(to: &page)
    }

    /// Writes that an application does not load the plug-in after this probe.
    ///
    /// Writes nothing if it passed.
    private func write(_ probe: PluginCatalog.KeptProbe, to page: inout Page) {
        guard let reason = probe.findings.first, let path = explanation.plugin?.bundlePath else { return }
        page.paragraph(
            """
            \(probe.program.relativeToCurrentDirectory) does not load it, because it failed when it was tried before its \
            first use: \(reason.message) To let it be tried again: pluginhost probe \(path.relativeToCurrentDirectory)
            """, indent: 2, .yellow)
    }

    private func writeCheck(to page: inout Page) {
        guard explanation.plugin != nil else { return }
        page.gap()
        let style: Page.Style = check.errors > 0 ? .red : check.warnings > 0 ? .yellow : .green
        page.line(("Complete check:", .bold), (check.count ?? "fine", style))
        check.write(to: &page)
    }

    private func writeNeeds(to page: inout Page) {
        page.gap()
        page.line(("Needs", .bold), (needs.isEmpty && uses.isEmpty ? "no other plug-in" : "", .plain))
        for need in needs { write(need, indent: 2, to: &page) }
        for need in optional {
            page.line(
                ("can use \(need.identifier) \(need.range):", .plain), (need.state, need.isMet ? .green : .yellow),
                indent: 2)
        }
        for use in uses {
            let offers = (use.isOfApplication ? ["the application"] : []) + use.offeredBy
            page.line(
                ("the service \(use.point) \(use.version):", .plain),
                offers.isEmpty
                    ? ("no plug-in offers it", .yellow) : ("offered by " + offers.joined(separator: ", "), .green),
                indent: 2)
        }
        guard let manifest = usedManifest else { return }
        if !manifest.conflicts.isEmpty {
            page.paragraph("never used together with " + manifest.conflicts.shown, indent: 2)
        }
        if let range = manifest.hostRequires {
            let version = HostEnvironment.current.version
            let known = version.isEmpty ? "which is not known: see --host-version" : "which is \(version)"
            page.paragraph("version \(range) of the application, \(known)", indent: 2)
        }
        if !manifest.capabilities.isEmpty {
            page.paragraph("of the application: \(manifest.capabilities.joined(separator: ", "))", indent: 2)
        }
    }

    private func write(_ need: Need, indent: Int, to page: inout Page) {
        page.line(
            (need.identifier, .plain), ("\(need.range):", .plain), (need.state, need.isMet ? .green : .red),
            (need.isShortened ? "(its own needs: why \(need.identifier))" : "", .faint), indent: indent)
        for need in need.needs { write(need, indent: indent + 2, to: &page) }
    }

    private func writeNeededBy(to page: inout Page) {
        page.gap()
        page.line(("Needed by", .bold), (explanation.requiredBy.isEmpty ? "no other plug-in" : "", .plain))
        for (candidate, range) in explanation.requiredBy {
            page.line(
                (candidate.identifier, .plain), (candidate.version ?? "", .plain), ("wants \(range):", .plain),
                (candidate.verdict.words, candidate.verdict.style), indent: 2)
        }
    }

    private func writeAbsence(to page: inout Page) {
        guard let plugin = explanation.plugin, let absence else { return }
        page.gap()
        page.line(("Without it", .bold))
        if let other = absence.changed.first(where: { $0.identifier == plugin.identifier }) {
            page.paragraph(
                "\(other.candidate.path.relativeToCurrentDirectory) \(other.version ?? "") would be used in its place.",
                indent: 2)
        }
        for other in absence.changed where other.identifier != plugin.identifier {
            page.paragraph(
                "\(other.identifier) \(other.version ?? "") would be used, another version than now.", indent: 2)
        }
        let lost = absence.removed.filter { $0.identifier != plugin.identifier }
        if !lost.isEmpty {
            page.paragraph(
                "These could not be used either: \(lost.map(\.identifier).joined(separator: ", ")).", indent: 2)
        }
        let offers = absence.removed.flatMap { plugin in plugin.extensions.map(\.name) }
        if !offers.isEmpty {
            page.paragraph("The application would lack \(offers.joined(separator: ", ")).", indent: 2)
        }
        if absence.changed.isEmpty, lost.isEmpty, offers.isEmpty {
            page.paragraph("Nothing else would change.", indent: 2)
        }
    }
}
