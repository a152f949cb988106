import Foundation
import HostBasics
@_spi(Tools) import PluginHost
import PluginLinting

/// The facts about a bundle that its files state.
///
/// Reading them runs none of its code.
struct BundleFacts {
    private let path: String
    private let bundle: PluginBundle?
    private let problems: FindingReport
    private let isolation: IsolationFacts?
    private let settings: SettingsFacts?
    private let application: String?
    let status: ExitStatus

    /// Collects them.
    ///
    /// `sources`: the lists of an application that decide where its plug-ins run. `application`: its name.
    init(_ selected: SelectedBundle, _ sources: PlacementSources, _ application: String?) {
        self.application = application
        switch selected {
        case .bundle(let bundle):
            path = bundle.bundlePath
            self.bundle = bundle
            isolation = IsolationFacts(bundle, sources)
            settings = SettingsFacts(bundle, isOfApplication: application != nil)
            problems = FindingReport(findings: bundle.manifestError?.findings ?? [], bundlePath: bundle.bundlePath)
            status = problems.errors == 0 ? .fine : .problems
        case .unopened(let error), .missing(let error):
            path = error.bundlePath
            bundle = nil
            (isolation, settings) = (nil, nil)
            problems = FindingReport(findings: error.findings, bundlePath: error.bundlePath)
            status = if case .missing = selected { .unable } else { .problems }
        }
    }

    private var manifest: Manifest? { bundle?.manifest }

    /// “1.0 (17)”.
    private var version: String? {
        guard let short = manifest?.shortVersion else { return manifest?.version }
        return manifest?.version.map { $0 == short ? short : "\(short) (\($0))" } ?? short
    }

    /// What the executable was built for, according to its note: “ABI 1.1, revision 3 of the Swift level, by …”.
    private func builtFor(_ note: PluginNote) -> String {
        let swift = note.isSwift ? ", revision \(note.swiftRevision) of the Swift level" : ""
        return "ABI \(note.abiMajor).\(note.abiMinor)\(swift)\(note.toolchain.map { ", by \($0)" } ?? "")"
    }

    private var functions: [(name: String, signature: String)] {
        (manifest?.functions ?? [:]).sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    private var nibs: [NibFacts] { bundle.map(NibFacts.all) ?? [] }

    /// The resources that a look-up finds: the global ones, and those of the user's languages.
    ///
    /// The paths are relative to the directory of the resources.
    private var resources: [String] {
        guard let bundle, let directory = bundle.resourcePath else { return [] }
        return bundle.paths(forResourcesOfType: nil, inDirectory: nil)
            .map { $0.relative(to: directory) }
            .filter { !$0.hasSuffix(".lproj") && !Self.parts.contains($0) }
    }

    /// Items in the root of a bundle that are not resources, in the layouts where the root has resources too.
    private static let parts: Set = [
        "Info.plist", "Info-linux.plist", "Info-gnustep.plist", "Contents", "Linux", "Resources",
    ]

    // MARK: JSON

    var json: JSONValue {
        .object(
            [
                "path": .string(path),
                "identifier": JSONValue(manifest?.identifier),
                "name": JSONValue(manifest?.name),
                "displayName": JSONValue(bundle?.displayName),
                "version": JSONValue(manifest?.version),
                "shortVersion": JSONValue(manifest?.shortVersion),
                "packageType": JSONValue(manifest?.packageType),
                "metadata": bundle.map { MetadataFacts($0).json } ?? .null,
                "executable": JSONValue(bundle?.executablePath),
                "machine": JSONValue(bundle?.executableMachine),
                "layout": JSONValue(bundle?.layoutName),
                "manifest": JSONValue(bundle?.manifestPath),
                "note": (bundle?.executableNote).map(Self.json) ?? .null,
                "runtime": JSONValue(bundle?.runtimeFindings()?.runtime),
                "principalClass": JSONValue(manifest?.principalClass),
                "factories": .array((manifest?.extensions ?? []).map { JSONValue($0) }),
                "functions": .array(
                    functions.map { .object(["name": .string($0.name), "signature": .string($0.signature)]) }),
                "requires": .object((manifest?.requires ?? [:]).mapValues { .string($0.description) }),
                "optionalRequires": .object((manifest?.optionalRequires ?? [:]).mapValues { .string($0.description) }),
                "conflicts": .object((manifest?.conflicts ?? [:]).mapValues { .string($0.description) }),
                "replaces": JSONValue(manifest?.replaces ?? []),
                "enabledByDefault": .bool(manifest?.isEnabledByDefault ?? true),
                "hostRequires": JSONValue(manifest?.hostRequires?.description),
                "capabilities": JSONValue(manifest?.capabilities ?? []),
                "documentTypes": .array((manifest?.documentTypes ?? []).map { JSONValue($0) }),
                "typeDeclarations": .array((manifest?.typeDeclarations ?? []).map { JSONValue($0) }),
                "extensionPoints": .array((manifest?.extensionPoints ?? []).map { JSONValue($0) }),
                "uses": .object((manifest?.uses ?? [:]).mapValues { .integer(Int($0)) }),
                "developmentRegion": JSONValue(manifest?.developmentRegion),
                "localizations": JSONValue(bundle?.localizations ?? []),
                "preferredLocalizations": JSONValue(bundle?.preferredLocalizations ?? []),
                "resourceDirectory": JSONValue(bundle?.resourcePath),
                "resources": JSONValue(resources),
                "nibs": .array(nibs.map(\.json)),
                "settings": SettingsFacts.json(settings),
                "findings": problems.json,
            ].merging(IsolationFacts.members(isolation)) { $1 })
    }

    private static func json(_ note: PluginNote) -> JSONValue {
        .object([
            "abi": .string("\(note.abiMajor).\(note.abiMinor)"), "registersSwift": .bool(note.isSwift),
            "swiftRevision": .integer(Int(note.swiftRevision)), "toolchain": JSONValue(note.toolchain),
        ])
    }

    // MARK: Text

    func write(to page: inout Page) {
        page.line((path.relativeToCurrentDirectory, .bold), (problems.count ?? "", .red))
        if let bundle {
            page.field("Directory", path)
            write(bundle, to: &page)
        }
        problems.write(to: &page)
    }

    private func write(_ bundle: PluginBundle, to page: inout Page) {
        let manifest = bundle.manifest
        page.field("Name", bundle.displayName)
        page.field("Identifier", manifest.identifier)
        page.field("Version", version)
        MetadataFacts(bundle).write(to: &page)
        page.field("Layout", bundle.layoutName)
        page.field("Executable", bundle.executablePath?.relative(to: path) ?? "none")
        page.field("Machine", bundle.executableMachine)
        page.field("Built for", bundle.executableNote.map(builtFor))
        if let elsewhere = bundle.runtimeFindings() {
            page.field("Runs in", elsewhere.runtime.map { "a worker process of the runtime \($0)" })
            FindingReport(findings: elsewhere.findings, bundlePath: path).write(to: &page)
        }
        page.field("Principal class", manifest.principalClass)
        page.field("Requires", manifest.requires.shown)
        page.field("Uses if there", manifest.optionalRequires.shown)
        page.field("Conflicts with", manifest.conflicts.shown)
        page.field("Replaces", manifest.replaces.joined(separator: ", "))
        page.field("Enabled", manifest.isEnabledByDefault ? nil : "only after the user has enabled it")
        page.field("Requires of host", manifest.hostRequires?.description)
        page.field("Capabilities", manifest.capabilities.joined(separator: ", "))
        page.field(
            "Uses", manifest.uses.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", "))
        isolation?.write(to: &page)
        page.field("Written in", manifest.developmentRegion)
        page.field("Languages", bundle.localizations.joined(separator: ", "))
        if !bundle.localizations.isEmpty {
            page.field("Your language", bundle.preferredLocalizations.joined(separator: ", "))
        }
        if !manifest.extensions.isEmpty {
            page.line(("Offers", .faint), indent: 2)
            page.table(
                manifest.extensions.map { factory in
                    let point = factory.extensionPoint.map { "\($0) \(factory.version)" } ?? ""
                    // Show the name as applications do, translated by the table Providers.
                    let name = factory.displayName == nil ? "" : "“\(bundle.displayName(of: factory))”"
                    let order = factory.order == 0 ? "" : "order \(factory.order)"
                    return [factory.name, point, name, order]
                }, indent: 4)
        }
        DocumentFacts(manifest).write(to: &page)
        if !manifest.extensionPoints.isEmpty {
            page.line(("Opens to others", .faint), indent: 2)
            page.table(
                manifest.extensionPoints.map { ["\($0.name) \($0.version)", $0.displayName.map { "“\($0)”" } ?? ""] },
                indent: 4)
        }
        if !functions.isEmpty {
            page.line(("C functions", .faint), indent: 2)
            page.table(functions.map { [$0.name, $0.signature] }, indent: 4)
        }
        writeResources(bundle, to: &page)
        let nibs = nibs
        if !nibs.isEmpty {
            page.line(("Nibs", .faint), indent: 2)
            page.table(nibs.map(\.row), indent: 4)
        }
        if let settings {
            page.line(("Settings", .faint), indent: 2)
            settings.writeTable(to: &page, indent: 4)
            let problems = FindingReport(findings: settings.findings, bundlePath: path).count
            let command = application.map { SettingsFacts.command(manifest.identifier ?? "", $0) }
            let words =
                problems.map { "\($0): see \(command ?? "pluginhost lint \(path.relativeToCurrentDirectory)")" }
                ?? command
            if let words { page.paragraph(words, indent: 4, problems == nil ? .faint : .yellow) }
        }
    }

    /// A limit, because a directory may contain a hundred thousand files.
    private static let mostResources = 24

    private func writeResources(_ bundle: PluginBundle, to page: inout Page) {
        guard let directory = bundle.resourcePath else { return }
        let all = resources
        page.field("Resources in", directory == path ? "." : directory.relative(to: path))
        page.field("Resources", shownList(all, atMost: Self.mostResources))
    }
}

extension [String: VersionRange] {
    /// “org.example.a >=1.0, org.example.b 2”.
    var shown: String { sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ") }
}
