import BundleReading
import HostBasics
@_spi(PluginHost) public import PluginABI
import PluginWorkers
public import SettingsReading
import Synchronization

/// The settings of a bundle, made at their first use.
///
/// **Lifetime.** As long as the bundle.
final class BundleSettings: Sendable {
    /// Nil if the bundle has no Settings.bundle.
    let settings: PluginSettings?
    /// For code of the plug-in: without a Settings.bundle, or with one that cannot be read, no key is declared.
    let services: any PluginSettingsServices
    let audience: SettingsAudience
    /// Why the schema cannot be read.
    let error: PluginError?

    /// The settings from the files of this process.
    convenience init(_ bundle: PluginBundle) {
        let texts = bundle.settingsBundle
        let schema = texts.map { Self.schema(of: $0, in: bundle) } ?? SettingsSchema()
        let files = FileSettings(
            bundlePath: bundle.bundlePath, identifier: bundle.displayIdentifier, schema: schema,
            places: texts == nil ? .none : bundle.settingsPlaces, texts: texts)
        self.init(files: files)
    }

    init(files: FileSettings) {
        services = files
        audience = files.audience
        settings = files.texts == nil ? nil : files.audience.makeHandle(files)
        // Without the root there is nothing to use.
        let unreadable = files.schema.findings.first { $0.code == .settingsUnreadable }
        error =
            files.schema.panes.isEmpty ? unreadable.map { PluginError(bundlePath: files.bundlePath, $0) } : nil
    }

    /// The settings that the host of this worker process sent; nil if the bundle has no Settings.bundle.
    init(_ bundle: PluginBundle, received update: SettingsUpdate?) {
        let worker = RemoteSettings(bundle, update ?? SettingsUpdate(version: 0, values: [:]))
        services = worker
        audience = worker.audience
        settings = update == nil ? nil : worker.audience.makeHandle(worker)
        error = nil
    }

    /// Begins to report changes of files; only the object that is used does so.
    func begin() { (services as? FileSettings)?.begin() }

    // MARK: For a worker

    /// All values; nil if the bundle has no Settings.bundle.
    var update: SettingsUpdate? { settings == nil ? nil : audience.update }

    /// The values of some keys.
    func update(of keys: Set<String>) -> SettingsUpdate {
        var update = audience.update
        update.values = update.values.filter { keys.contains($0.key) }
        return update
    }

    /// What the Settings.bundle of a plug-in declares.
    static func schema(of settings: PluginBundle, in bundle: PluginBundle) -> SettingsSchema {
        let layout = settings.layout
        return SettingsSchemaReader.read(
            directories: ([layout.resources] + layout.furtherResources).map { Path.join(settings.bundlePath, $0) },
            inside: bundle.bundlePath)
    }
}

extension PluginBundle {
    /// The bundle's Settings.bundle; nil if it has none.
    @_spi(Tools) public var settingsBundle: PluginBundle? {
        let found = resources.resource("Settings", type: "bundle", subdirectory: nil, localization: nil)
        return found.flatMap { $0.isDirectory ? PluginBundle(path: $0.path) : nil }
    }

    /// What the bundle's Settings.bundle declares, read now, and what is wrong with it; nil if there is none.
    @_spi(Tools) public var settingsSchema: SettingsSchema? {
        settingsBundle.map { BundleSettings.schema(of: $0, in: self) }
    }

    /// Where the values of the bundle's settings are.
    var settingsPlaces: SettingsPlaces {
        guard manifest.identifier != nil else { return .none }
        return HostEnvironment.current.settingsPlaces(of: displayIdentifier)
    }

    /// The settings if they were used before.
    var knownSettings: BundleSettings? {
        if let folder = HostEnvironment.current.settingsFolder { return folder.known(self) }
        return settingsReference.load()
    }

    var bundleSettings: BundleSettings {
        if let folder = HostEnvironment.current.settingsFolder { return folder.settings(of: self) }
        if let known = settingsReference.load() { return known }
        let made = BundleSettings(self)
        let kept = settingsReference.storeIfNil(made)
        if kept === made { kept.begin() }
        return kept
    }

    /// Keeps the settings that the host of this worker process sent.
    func receiveSettings(_ update: SettingsUpdate?) -> RemoteSettings? {
        let kept = settingsReference.load() ?? settingsReference.storeIfNil(BundleSettings(self, received: update))
        let settings = kept.services as? RemoteSettings
        // The bundle was loaded before, with older values.
        if let update { settings?.take(update) }
        return settings
    }

    /// The settings that the bundle's Settings.bundle declares; nil if it has none.
    ///
    /// The plug-in's own code gets the same values from `PluginContext.settings`. For the main bundle, these are the
    /// application's own settings.
    ///
    /// - Throws: ``PluginError`` of code `settingsUnreadable` if `Root.plist` cannot be read. The plug-in's code then has
    ///   its own defaults.
    ///
    /// **Threads.** Any. **Lifetime.** The same object as long as the bundle exists. The name of the application, which
    /// chooses the files, is the one of ``HostEnvironment`` at the first use. **Cost.** The first use reads the lists of
    /// the Settings.bundle and up to four files.
    public var settings: PluginSettings? {
        get throws {
            let settings = bundleSettings
            if let error = settings.error { throw error }
            return settings.settings
        }
    }
}
