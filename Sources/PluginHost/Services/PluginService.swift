/// What a plug-in offers at an extension point, loaded or not.
struct PluginService {
    /// Whose it is.
    enum Owner {
        /// A bundle that was loaded, by whomever.
        case bundle(PluginBundle)
        /// A plug-in of the catalogue, loaded when it is used, after what it requires.
        case plugin(PluginDescription)
    }

    let owner: Owner
    let name: String
    let order: Int

    /// Lets a caller use the bundle; of a watched catalogue's plug-in the generation in service, which is not deactivated
    /// before the body has returned.
    func withBundle<Result>(_ body: (PluginBundle) throws -> Result) throws -> Result {
        switch owner {
        case .bundle(let bundle): try body(bundle)
        case .plugin(let plugin): try plugin.catalog.withPlugin(plugin.identifier, body)
        }
    }

    /// Whether another generation has taken the owner's place, which is to be asked then.
    var isSuperseded: Bool {
        switch owner {
        case .bundle(let bundle): bundle.isSuperseded
        case .plugin: false
        }
    }
}
