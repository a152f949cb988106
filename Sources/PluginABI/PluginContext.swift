/// What a plug-in gets to work with: the resources and strings of its own bundle, a logger, and information about the
/// host.
///
/// **Threads.** Any. **Lifetime.** May be kept; each loaded bundle has one.
public final class PluginContext: Sendable {
    let services: any PluginContextServices

    /// For the host, which implements these services.
    @_spi(PluginHost)
    public init(services: any PluginContextServices) {
        self.services = services
    }

    /// `CFBundleIdentifier` of the plug-in's bundle, or the name of its directory if it has none.
    public var bundleIdentifier: String { services.bundleIdentifier }

    /// The absolute path of the plug-in's bundle directory.
    public var bundlePath: String { services.bundlePath }

    /// The application's name.
    public var hostName: String { services.hostName }

    /// The application's version; empty if the application did not set one.
    public var hostVersion: String { services.hostVersion }

    /// The absolute path of the directory in which the plug-in keeps what should outlive a restart.
    ///
    /// It belongs to this plug-in alone and is named after its identifier: `APPLICATION/plugins/IDENTIFIER` in
    /// `XDG_STATE_HOME`, otherwise in `.local/state` in the user's home directory. The host creates it, accessible to
    /// its owner only.
    ///
    /// It is the same directory wherever the plug-in runs. In a worker, the plug-in gets it only if its `PHPermissions`
    /// requests `$STATE` among the files and the application grants the request; the files in it then count against the
    /// limit `state`.
    ///
    /// Nil if it was not granted. Also nil if it cannot be created; the application's log then states the reason.
    ///
    /// **Cost.** A few system calls per use: if somebody removed the directory, it is created again.
    public var stateDirectory: String? { services.stateDirectory }

    /// The plug-in's own settings: what its Settings.bundle declares, with the values that count now.
    ///
    /// They are the same wherever the plug-in runs, and need no permission. Without a Settings.bundle, every setting has
    /// its fallback.
    public var settings: PluginSettings { services.settings }

    /// The application's log.
    public var logger: PluginLogger { services.logger }

    /// The localisations in which the bundle's strings are looked up, best first, spelled like its `.lproj`
    /// directories.
    public var preferredLocalizations: [String] { services.preferredLocalizations }

    /// Finds a resource of the plug-in's own bundle, by the search order of docs/bundle-format.md.
    ///
    /// - Parameters:
    ///   - name: the file's name without its extension.
    ///   - type: the extension without the dot; nil or empty if `name` includes it.
    ///   - subdirectory: a directory inside the resources, or nil.
    /// - Returns: an absolute path, or nil if there is no such resource. A `..` never leads to a path outside of the
    ///   resources.
    public func resourcePath(_ name: String, type: String? = nil, subdirectory: String? = nil) -> String? {
        services.resourcePath(name, type: type, subdirectory: subdirectory)
    }

    /// The full text of a resource, found as by ``resourcePath(_:type:subdirectory:)``.
    ///
    /// - Returns: the file's text.
    /// - Throws: ``PluginFailure`` with the resource's name if it is missing, cannot be read, or is not UTF-8.
    public func resourceText(_ name: String, type: String? = nil, subdirectory: String? = nil) throws -> String {
        try services.resourceText(name, type: type, subdirectory: subdirectory)
    }

    /// The string for a key in the user's language, read from the bundle's `.strings` tables.
    ///
    /// - Parameters:
    ///   - key: the key, usually the text in the development language.
    ///   - value: what to return if there is no translation; nil or empty for the key itself.
    ///   - table: the table's name without `.strings`; nil for `Localizable`.
    /// - Returns: the translation, otherwise `value`, otherwise the key.
    public func localizedString(_ key: String, value: String? = nil, table: String? = nil) -> String {
        services.localizedString(key, value: value, table: table)
    }

    /// The string for a key in the user's language, with its conversions replaced by the arguments.
    ///
    /// Where the bundle has a `.stringsdict`, the numbers among the arguments select the plural form:
    /// `localizedString("%d words", arguments: count)`.
    ///
    /// A format that does not fit its arguments never crashes: a conversion without an argument stays as written, and
    /// an argument that does not fit its conversion is formatted as by `%@`.
    ///
    /// - Parameters:
    ///   - key: the key, usually the format in the development language.
    ///   - value: the format to use if there is no translation; nil or empty for the key itself.
    ///   - table: the table's name without `.strings`; nil for `Localizable`.
    ///   - argument: the value for position 1: a number, a text or any other value. A single array is taken as the list
    ///     of all values.
    ///   - others: the values for the positions that follow.
    /// - Returns: the formatted text.
    public func localizedString(
        _ key: String, value: String? = nil, table: String? = nil, arguments argument: Any, _ others: Any...
    ) -> String {
        let all = others.isEmpty ? argument as? [Any] ?? [argument] : [argument] + others
        return services.localizedString(key, value: value, table: table, arguments: all)
    }
}

extension PluginContext {
    /// The shared object that another plug-in, or the application, provides at an extension point: a service.
    ///
    /// ```swift
    /// let speller = try context.service(.spelling)
    /// ```
    /// It is created at the first request, after its plug-in was loaded and activated. If several providers are
    /// registered, the one with the lowest order is used. All callers share the object, so its type is Sendable.
    ///
    /// - Parameter point: the extension point; Info.plist must declare it with this version in `PHUses`.
    /// - Returns: the shared object.
    /// - Throws: an error that states the problem: the point is not declared, nobody provides the service, its plug-in
    ///   does not load, its initialiser failed, or plug-ins wait for one another's services (the message names them in
    ///   order).
    ///
    /// **Threads.** Any; other callers wait while it is created. **Lifetime.** The object keeps working after its
    /// plug-in is unloaded or replaced by a newer build, but a new request then returns a different object. So keep it
    /// for one piece of work only. **Cost.** A search of the registered providers.
    public func service<Interface: Sendable>(_ point: ExtensionPoint<Interface>) throws -> Interface {
        try services.requiredService(point)
    }

    /// The service as returned by ``service(_:)``, or nil if nobody provides it.
    public func serviceIfAvailable<Interface: Sendable>(_ point: ExtensionPoint<Interface>) throws -> Interface? {
        try services.service(point)
    }
}

extension PluginContext {
    /// A nib of the plug-in's own bundle, in the user's language and for the device.
    ///
    /// - Parameter name: the file's name, without extension or with `.xib` or `.nib`.
    /// - Returns: the nib, already read and parsed; it has not made any objects yet.
    /// - Throws: an error that states where the host searched, or what is wrong with the file.
    public func nib(_ name: String) throws -> Nib { try services.nib(name) }

    /// An image of the plug-in's own bundle; if that has none, of the application's bundle.
    ///
    /// - Parameter name: the file's name without the markers of device and scale; with or without extension.
    /// - Returns: nil if neither bundle has an image of that name.
    public func image(_ name: String) -> NamedImage? { services.image(name) }

    /// A sound of the plug-in's own bundle; if that has none, of the application's bundle.
    ///
    /// - Parameter name: the file's name, with or without extension.
    /// - Returns: nil if neither bundle has a sound of that name.
    public func sound(_ name: String) -> NamedSound? { services.sound(name) }
}

/// What the host does for a ``PluginContext``.
@_spi(PluginHost)
public protocol PluginContextServices: AnyObject, Sendable {
    var bundleIdentifier: String { get }
    var bundlePath: String { get }
    var hostName: String { get }
    var hostVersion: String { get }
    var stateDirectory: String? { get }
    var settings: PluginSettings { get }
    var logger: PluginLogger { get }
    var preferredLocalizations: [String] { get }
    func resourcePath(_ name: String, type: String?, subdirectory: String?) -> String?
    func resourceText(_ name: String, type: String?, subdirectory: String?) throws -> String
    func localizedString(_ key: String, value: String?, table: String?) -> String
    func localizedString(_ key: String, value: String?, table: String?, arguments: [Any]) -> String
    func service<Interface: Sendable>(_ point: ExtensionPoint<Interface>) throws -> Interface?
    func requiredService<Interface: Sendable>(_ point: ExtensionPoint<Interface>) throws -> Interface
    func nib(_ name: String) throws -> Nib
    func image(_ name: String) -> NamedImage?
    func sound(_ name: String) -> NamedSound?
}
