import BundleReading
import HostBasics

extension PluginBundle {
    /// Requirements and conflicts that contradict each other or have no effect.
    static func decisionAdvice(on manifest: Manifest, path: String) -> [PluginFinding] {
        func warning(_ key: ManifestKey, _ identifier: String, _ message: String) -> PluginFinding {
            PluginFinding(
                .warning, .manifestInvalid, filePath: path, subject: key.spelling,
                message: "The key \(key.spelling) names \(quoted(identifier)), \(message).",
                remedy: "Remove it from one of the keys.")
        }
        var findings: [PluginFinding] = []
        if let own = manifest.identifier {
            for (key, ranges) in [
                (ManifestKey.conflicts, manifest.conflicts), (.optionalRequires, manifest.optionalRequires),
            ] where ranges[own] != nil {
                findings.append(warning(key, own, "which is the bundle itself, so this has no effect"))
            }
            if manifest.replaces.contains(own) {
                findings.append(warning(.replaces, own, "which is the bundle itself, so this has no effect"))
            }
        }
        for identifier in manifest.conflicts.keys.sorted() where manifest.requires[identifier] != nil {
            findings.append(
                warning(
                    .conflicts, identifier,
                    "which the bundle also requires: in a version that is in both ranges, it "
                        + "excludes the bundle"))
        }
        for identifier in Set(manifest.replaces).sorted()
        where manifest.requires[identifier] != nil || manifest.conflicts[identifier] != nil {
            let other = manifest.requires[identifier] != nil ? "requires" : "conflicts with"
            findings.append(
                warning(
                    .replaces, identifier, "which the bundle also \(other): it takes its place, so this has no effect"))
        }
        for identifier in manifest.optionalRequires.keys.sorted() where manifest.requires[identifier] != nil {
            findings.append(
                warning(.optionalRequires, identifier, "which the bundle requires anyway, so this has no effect"))
        }
        return findings
    }
}
