@_spi(PluginHost) internal import PluginABI
import Synchronization

/// A bundle's code after its entry succeeded: where it stands and what it registered.
final class LoadedCode: Sendable {
    /// Nil for code that is linked into the program: whose image is not the plug-in's alone.
    let image: LoadedImage?
    let registrations: Registrations
    let table: HostTable
    /// Where the registrations differ from what Info.plist declares.
    let findings: [PluginFinding]
    /// Whether the registrations are offered. Atomic, because each call of a function looks at it.
    let isActive = Atomic(false)
    private let census = Lock<ObjectCensus?>(nil)
    /// The objects that the code made; counted from the first on, because most loads make none.
    var objects: ObjectCensus {
        census.withLock { census in
            if let census { return census }
            let new = ObjectCensus()
            census = new
            return new
        }
    }
    /// All classes of the image.
    private var classes: ImageClasses? { image.map { ImageClasses(ofImageAt: $0.base) } }
    /// The names of all classes, qualified by their modules: those of the image in the order of the file, of linked code
    /// those that were registered.
    var classNames: [String] {
        classes?.names ?? registrations.classes.map { ImageClasses.qualifiedName(of: $0.type) }
    }
    /// What an object of the plug-in is made with; made anew for each, because most loads make none.
    var context: PluginContext { PluginContext(services: table) }
    /// Nil while the code is not offered: who comes too late is not to get an object that outlives the release.
    private let services = Lock<[ServiceKey: SharedObject]?>(Dictionary())  // [:] would be a call at each load
    private let principal = Lock<Principal?>(nil)

    /// The principal class, looked for once.
    struct Principal: Sendable {
        let type: AnyClass?
        /// The class with its conformance, where it was registered.
        let plugin: (any Plugin.Type)?
    }

    /// `findings`: where the registrations differ from what Info.plist declares.
    init(
        image: LoadedImage?, registrations: consuming Registrations, findings: [PluginFinding], table: HostTable
    ) {
        self.image = image
        self.registrations = registrations
        self.findings = findings
        self.table = table
    }

    private struct ServiceKey: Hashable {
        let kind: PluginBundle.Registration.Kind
        let name: String
        let point: String
    }

    /// The object of a provider or C factory that is shared as a service; nil if the bundle was unloaded meanwhile.
    func shared(_ kind: PluginBundle.Registration.Kind, _ name: String, at point: String) -> SharedObject? {
        let key = ServiceKey(kind: kind, name: name, point: point)
        return services.withLock { services in
            if services == nil { return nil }
            if let known = services?[key] { return known }
            let new = SharedObject()
            services?[key] = new
            return new
        }
    }

    /// Lets objects be shared, until ``releaseServices()``. It begins so.
    func openServices() { services.withLock { $0 = $0 ?? [:] } }

    /// Lets go of the objects that were shared: whoever asks after the next load gets new ones.
    func releaseServices() {
        // Destroyed when the lock is free: the last release runs the plug-in's code.
        let old = services.withLock { services in
            defer { services = nil }
            return services
        }
        withExtendedLifetime(old) {}
    }

    /// What keeps the registrations from being offered, because they are not what Info.plist declares.
    var declarationError: PluginError? {
        if findings.isEmpty { return nil }
        var findings = findings
        if HostEnvironment.current.requiresDeclaredRegistrations {
            for index in findings.indices { findings[index].severity = .error }
        }
        guard findings.contains(where: { $0.severity == .error }) else { return nil }
        return PluginError(bundlePath: table.bundle.bundlePath, findings: findings)
    }

    func logWarnings() {
        for finding in findings where finding.severity == .warning {
            HostEnvironment.log(
                HostLogRecord(
                    level: .warning, bundleIdentifier: table.bundle.displayIdentifier,
                    message: "\(finding.message) \(finding.remedy)"))
        }
    }

    /// `name`: `NSPrincipalClass`, or nil for the first class.
    func principal(named name: String?) -> Principal {
        if let known = principal.withLock({ $0 }) { return known }
        // Found outside of the lock: finding a class by name runs a metadata accessor, which is the plug-in's code.
        let found = findPrincipal(named: name)
        principal.withLock { $0 = found }
        return found
    }

    private func findPrincipal(named name: String?) -> Principal {
        if let name {
            if let plugin = registrations.class(named: name) { return Principal(type: plugin, plugin: plugin) }
            return Principal(type: classes?.class(named: name), plugin: nil)
        }
        if let first = registrations.classes.first { return Principal(type: first.type, plugin: first.type) }
        return Principal(type: classes?.first, plugin: nil)
    }

    /// A class of this image only, by the name it was registered under or its own, qualified or not.
    func `class`(named name: String) -> AnyClass? {
        registrations.class(named: name) ?? classes?.class(named: name)
    }
}
