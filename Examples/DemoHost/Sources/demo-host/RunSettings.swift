import PluginABI
import PluginHost

/// The settings of plug-ins for this run: what `--setting` says.
struct RunSettings {
    private struct Value {
        var identifier: String
        var key: String
        var text: String
    }

    private var values: [Value] = []

    /// Takes the value of an option: the identifier of a plug-in, a key and the value, as `org.example.Charts.order=largest`.
    mutating func add(_ option: String) throws(UsageError) {
        let parts = option.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let point = parts[0].lastIndex(of: ".") else {
            throw UsageError(message: localized("{0} is no setting. Write it as PLUGIN.KEY=VALUE.", option))
        }
        let key = parts[0][parts[0].index(after: point)...]
        values.append(Value(identifier: String(parts[0][..<point]), key: String(key), text: String(parts[1])))
    }

    /// Sets the values.
    ///
    /// - Returns: the bundles; they must be kept, because the values end with them.
    func apply(to catalog: PluginCatalog) throws(UsageError) -> [PluginBundle] {
        var bundles: [PluginBundle] = []
        for value in values {
            do {
                let bundle = try catalog.plugin(value.identifier)?.candidate.open()
                guard let bundle, let settings = try bundle.settings, let known = settings.value(of: value.key)
                else {
                    throw UsageError(
                        message: localized("No plug-in {0} has a setting {1}.", value.identifier, value.key))
                }
                // A text of another type is refused below, with what is allowed.
                settings.overrides[value.key] = SettingScalar(value.text, as: known.type) ?? .text(value.text)
                if let finding = settings.findings.first(where: { $0.subject == value.key && $0.filePath == nil }) {
                    throw UsageError(message: "\(finding.message) \(finding.remedy)")
                }
                bundles.append(bundle)
            } catch let error as UsageError {
                throw error
            } catch {
                throw UsageError(message: "\(error)")
            }
        }
        return bundles
    }
}
