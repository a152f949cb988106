import HostBasics
@_spi(Tools) import PluginHost
import SettingsReading

/// The settings of an application and of its plug-ins: the files of all layers, and what is wrong with them.
struct SettingsCheck {
    private var findings: [PluginFinding] = []
    private var facts: [String] = []

    /// Reads the settings of the application and of the plug-ins in use.
    ///
    /// `catalog`: a catalogue of the application that `HostEnvironment` names. `application`: what it stored about itself.
    init(_ catalog: PluginCatalog, _ application: RecordedApplication?) {
        if let main = application?.mainBundle, let identifier = main.bundleIdentifier {
            add(identifier) { main }
        }
        for plugin in catalog.plugins { add(plugin.identifier) { try plugin.candidate.open() } }
    }

    /// Nil if neither the application nor a plug-in has settings.
    var check: DoctorCheck? {
        facts.isEmpty && findings.isEmpty ? nil : DoctorCheck("Settings", findings, facts: facts)
    }

    private mutating func add(_ identifier: String, _ bundle: () throws -> PluginBundle) {
        do {
            guard let settings = try bundle().settings else { return }
            findings += settings.findings
            let count = settings.keys.count
            facts.append("\(identifier) has \(counted(count, "setting"))")
            let places = settings.places
            add(places.distribution, of: .distribution)
            add(places.administrator, of: .administrator)
            add([places.user].compactMap(\.self), of: .user)
            let locked = settings.keys.filter { settings.origin(of: $0)?.lock != nil }
            if !locked.isEmpty { facts.append("  the administrator has locked \(locked.joined(separator: ", "))") }
        } catch {
            findings += (error as? PluginError)?.findings ?? []
        }
    }

    /// The files that exist; in the directories of one layer, the first counts.
    private mutating func add(_ paths: [String], of layer: SettingsLayer) {
        for path in paths where FileIdentity(path: path) != nil {
            facts.append("  \(layer.words) has the file \(path.escapedForTerminal)")
        }
    }
}
