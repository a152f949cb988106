import Glibc
import HostBasics
import HostLogging
@_spi(PluginHost) internal import PluginABI

/// The services of a plug-in's ``PluginContext``.
extension HostTable: PluginContextServices {
    var bundleIdentifier: String { bundle.displayIdentifier }
    var bundlePath: String { bundle.bundlePath }
    var hostName: String { HostEnvironment.current.name }
    var hostVersion: String { HostEnvironment.current.version }
    var preferredLocalizations: [String] { bundle.preferredLocalizations }

    var logger: PluginLogger {
        let identifier = bundle.displayIdentifier
        return PluginLogger { level, message in
            HostEnvironment.log(HostLogRecord(level: level, bundleIdentifier: identifier, message: message))
        }
    }

    var stateDirectory: String? { bundle.makeStateDirectory() }

    var settings: PluginSettings {
        if let known = settingsHandle.withLock({ $0 }) { return known }
        let own = bundle.bundleSettings
        let new = own.audience.makeHandle(own.services)
        return settingsHandle.withLock { handle in
            handle = handle ?? new
            return handle!
        }
    }

    func resourcePath(_ name: String, type: String?, subdirectory: String?) -> String? {
        bundle.path(forResource: name, ofType: type, inDirectory: subdirectory)
    }

    func localizedString(_ key: String, value: String?, table: String?) -> String {
        bundle.localizedString(forKey: key, value: value, table: table)
    }

    func localizedString(_ key: String, value: String?, table: String?, arguments: [Any]) -> String {
        bundle.localizedString(forKey: key, value: value, table: table, arguments: arguments)
    }

    func service<Interface: Sendable>(_ point: ExtensionPoint<Interface>) throws -> Interface? {
        try bundle.service(point)
    }

    func requiredService<Interface: Sendable>(_ point: ExtensionPoint<Interface>) throws -> Interface {
        try bundle.requiredService(point)
    }

    func nib(_ name: String) throws -> Nib { try bundle.nib(named: name) }

    func image(_ name: String) -> NamedImage? { bundle.image(named: name) }

    func sound(_ name: String) -> NamedSound? { bundle.sound(named: name) }

    /// The largest resource that is read whole.
    ///
    /// A larger one indicates a mistake and would fill the memory.
    private static let maximumTextSize: UInt64 = 1 << 30

    func resourceText(_ name: String, type: String?, subdirectory: String?) throws -> String {
        let file = name + (type.map { $0.isEmpty ? "" : "." + $0 } ?? "")
        guard let path = resourcePath(name, type: type, subdirectory: subdirectory) else {
            throw PluginFailure(
                "The bundle \(quoted(bundle.bundlePath)) has no resource \(quoted(file)).",
                remedy: "Install the bundle again.")
        }
        let text: String?
        do throws(OpenedFile.Failure) {
            text = try Self.text(ofFile: path)
        } catch {
            throw PluginFailure(
                "The resource \(quoted(path)) \(error.reason).", remedy: error.remedy(else: "Install the bundle again.")
            )
        }
        guard let text else {
            throw PluginFailure("The resource \(quoted(path)) is not UTF-8 text.", remedy: "Save it as UTF-8.")
        }
        return text
    }

    private static func text(ofFile path: String) throws(OpenedFile.Failure) -> String? {
        let file = try OpenedFile(path: path)
        guard file.identity.size <= maximumTextSize else { throw .system(errno: EFBIG) }
        // One more byte, to detect a file that grows during the read.
        return try withTemporaryBytes(Int(file.identity.size) + 1) { (buffer) throws(OpenedFile.Failure) in
            let count = try file.read(into: buffer, at: 0)
            try file.requireUnchanged(afterReading: count)
            return String(validating: UnsafeRawBufferPointer(rebasing: buffer[..<count]), as: UTF8.self)
        }
    }
}
