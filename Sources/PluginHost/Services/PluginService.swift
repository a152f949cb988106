/// A plug-in's service at an extension point, loaded or not.
struct PluginService {
    /// The plug-in that provides it.
    enum Owner {
        /// A bundle that is loaded, by a catalogue or otherwise.
        case bundle(PluginBundle)
        /// A plug-in of the catalogue. Its first use loads it, after the plug-ins that it requires.
        case plugin(PluginDescription)
    }

    let owner: Owner
    let name: String
    let order: Int

    /// Lets a caller use the bundle.
    ///
    /// For a plug-in of a watched catalogue, this is the active generation, which is not deactivated until the body has
    /// returned.
    func withBundle<Result>(_ body: (PluginBundle) throws -> Result) throws -> Result {
        switch owner {
        case .bundle(let bundle): try body(bundle)
        case .plugin(let plugin): try plugin.catalog.withPlugin(plugin.identifier, body)
        }
    }

    /// Whether another generation has replaced the owner.
    ///
    /// The caller must then use the new generation.
    var isSuperseded: Bool {
        switch owner {
        case .bundle(let bundle): bundle.isSuperseded
        case .plugin: false
        }
    }
}
