import CatalogIndexing
import HostRecords

extension CatalogRules {
    /// The rules of this process.
    static func current(choices: UserChoices, _ options: PluginCatalog.Options = .init()) -> CatalogRules {
        let host = HostEnvironment.current
        let quarantine = options.quarantine.map { Quarantine.at($0) }
        var rules = CatalogRules(hostVersion: host.version)
        rules.capabilities = host.capabilities
        (rules.disabled, rules.enabled, rules.replaced) = (choices.disabled, choices.enabled, choices.replaced)
        rules.quarantined = quarantine?.entries ?? []
        rules.application = quarantine?.application
        rules.safeStart = options.safeStart
        return rules
    }
}
