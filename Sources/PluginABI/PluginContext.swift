/// What a plug-in is given to work with: its own bundle's resources and strings, a logger, and who the host is.
///
/// **Threads.** Any. **Lifetime.** May be kept; there is one for each loaded bundle.
public final class PluginContext: Sendable {
    let services: any PluginContextServices

    /// For the host, which implements the services.
    @_spi(PluginHost)
    public init(services: any PluginContextServices) {
        self.services = services
    }

    /// `CFBundleIdentifier` of the plug-in's bundle, or its directory's name where it has none.
    public var bundleIdentifier: String { services.bundleIdentifier }

    /// The absolute path of the plug-in's bundle directory.
    public var bundlePath: String { services.bundlePath }

    /// The application's name.
    public var hostName: String { services.hostName }

    /// The application's version, empty where it told none.
    public var hostVersion: String { services.hostVersion }

    /// The application's log.
    public var logger: PluginLogger { services.logger }

    /// The localisations that the bundle's strings are looked up in, best first, as its `.lproj` directories spell them.
    public var preferredLocalizations: [String] { services.preferredLocalizations }

    /// Finds a resource of the plug-in's own bundle, by the search order of docs/bundle-format.md.
    ///
    /// - Parameters:
    ///   - name: the file's name without its extension.
    ///   - type: the extension without the dot; nil or empty if `name` has it.
    ///   - subdirectory: a directory in the resources, or nil.
    /// - Returns: an absolute path, or nil if there is no such resource. Never a path outside of the resources by `..`.
    public func resourcePath(_ name: String, type: String? = nil, subdirectory: String? = nil) -> String? {
        services.resourcePath(name, type: type, subdirectory: subdirectory)
    }

    /// The whole of a resource as text, found as by ``resourcePath(_:type:subdirectory:)``.
    ///
    /// - Returns: the file's text.
    /// - Throws: ``PluginFailure`` that names the resource if it is missing, cannot be read, or is not UTF-8.
    public func resourceText(_ name: String, type: String? = nil, subdirectory: String? = nil) throws -> String {
        try services.resourceText(name, type: type, subdirectory: subdirectory)
    }

    /// The string for a key in the user's language, from the bundle's `.strings` tables.
    ///
    /// - Parameters:
    ///   - key: the key, by custom the text in the development language.
    ///   - value: what to give where there is no translation; nil or empty for the key itself.
    ///   - table: the table's name without `.strings`; nil for `Localizable`.
    /// - Returns: the translation, else `value`, else the key.
    public func localizedString(_ key: String, value: String? = nil, table: String? = nil) -> String {
        services.localizedString(key, value: value, table: table)
    }

    /// The string for a key in the user's language, with arguments in the place of its conversions, and in the forms of
    /// the bundle's `.stringsdict` that the numbers among them need: `localizedString("%d words", arguments: count)`.
    ///
    /// A format that does not fit its arguments never crashes: a conversion without an argument stays as it is written,
    /// and an argument that a conversion cannot show is shown as by `%@`.
    ///
    /// - Parameters:
    ///   - key: the key, by custom the format in the development language.
    ///   - value: the format where there is no translation; nil or empty for the key itself.
    ///   - table: the table's name without `.strings`; nil for `Localizable`.
    ///   - argument: the value for the position 1: a number, a text or any other. An array alone stands for its elements.
    ///   - others: those for the positions that follow.
    /// - Returns: the text, formatted.
    public func localizedString(
        _ key: String, value: String? = nil, table: String? = nil, arguments argument: Any, _ others: Any...
    ) -> String {
        let all = others.isEmpty ? argument as? [Any] ?? [argument] : [argument] + others
        return services.localizedString(key, value: value, table: table, arguments: all)
    }
}

extension PluginContext {
    /// The one object that another plug-in, or the application, offers to all at an extension point: a service.
    ///
    /// ```swift
    /// let speller = try context.service(.spelling)
    /// ```
    /// It is made when it is first asked for, and its plug-in is loaded and activated before. Of several offers it is the
    /// one of the lowest order. All who ask share it, so its type is Sendable.
    ///
    /// - Parameter point: the extension point; Info.plist must declare it with this version in `PHUses`.
    /// - Returns: the object that all share.
    /// - Throws: an error that says what is wrong: it is not declared, nobody offers it, its plug-in does not load, its
    ///   initialiser failed, or plug-ins wait for one another's services, with the chain named.
    ///
    /// **Threads.** Any; others that ask while it is made wait. **Lifetime.** The object goes on working after its plug-in
    /// was unloaded or replaced by a newer build; who asks then gets another. So keep it for a piece of work, and not for
    /// ever. **Cost.** A search of what is offered.
    public func service<Interface: Sendable>(_ point: ExtensionPoint<Interface>) throws -> Interface {
        try services.requiredService(point)
    }

    /// The service as by ``service(_:)``, or nil where nobody offers it.
    public func serviceIfAvailable<Interface: Sendable>(_ point: ExtensionPoint<Interface>) throws -> Interface? {
        try services.service(point)
    }
}

extension PluginContext {
    /// A nib of the plug-in's own bundle, in the user's language and for the device.
    ///
    /// - Parameter name: the file's name, without extension or with `.xib` or `.nib`.
    /// - Returns: the nib, read; nothing is made yet.
    /// - Throws: an error that says where it was looked for, or what is wrong with the file.
    public func nib(_ name: String) throws -> Nib { try services.nib(name) }

    /// An image of the plug-in's own bundle, or else of the application's.
    ///
    /// - Parameter name: the file's name without the marks of device and scale; with or without extension.
    /// - Returns: nil if neither has one of that name.
    public func image(_ name: String) -> NamedImage? { services.image(name) }

    /// A sound of the plug-in's own bundle, or else of the application's.
    ///
    /// - Parameter name: the file's name, with or without extension.
    /// - Returns: nil if neither has one of that name.
    public func sound(_ name: String) -> NamedSound? { services.sound(name) }
}

/// What the host does for a ``PluginContext``.
@_spi(PluginHost)
public protocol PluginContextServices: AnyObject, Sendable {
    var bundleIdentifier: String { get }
    var bundlePath: String { get }
    var hostName: String { get }
    var hostVersion: String { get }
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
