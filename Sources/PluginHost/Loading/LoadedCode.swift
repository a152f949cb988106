import ELFImages
import HostBasics
import HostLogging
@_spi(PluginHost) internal import PluginABI
import Synchronization

/// A bundle's code after its entry succeeded: its library and its registrations.
final class LoadedCode: Sendable {
    /// Nil for code that is linked into the program, because the program does not belong to the plug-in alone, and for
    /// code in a worker process.
    let library: LoadedLibrary?
    /// The private copy from which the code was loaded because its libraries need names of their own; otherwise nil.
    let copy: BundleCopy?
    /// The code in a worker process; nil if it runs in this one.
    let isolated: IsolatedCode?
    let registrations: Registrations
    let table: HostTable
    /// The differences between the registrations and the declarations in Info.plist.
    let findings: [PluginFinding]
    /// What the code changed in the process while it was loaded, activated or deactivated, each change once.
    private let changes: Lock<[PluginFinding]>
    /// What did not prevent the load.
    var warnings: [PluginFinding] { findings.filter { $0.severity == .warning } + changes.withLock(\.self) }
    /// Whether the bundle's state is `active` with this code.
    ///
    /// For callers that have the code and ask often.
    let isOffered = Atomic(false)
    private let census = Lock<ObjectCensus?>(nil)
    /// The objects that the code created.
    ///
    /// The counters are created with the first object, because most loads create none.
    var objects: ObjectCensus {
        census.withLock { census in
            if let census { return census }
            let new = ObjectCensus()
            census = new
            return new
        }
    }
    /// All classes of the library.
    private var classes: LibraryClasses? { library.map { LibraryClasses(ofLibraryAt: $0.base) } }
    /// The names of all classes, qualified by their modules: the classes of the library in the order of the file; for
    /// linked code, the registered classes.
    var classNames: [String] {
        classes?.names ?? isolated?.report.classNames
            ?? registrations.classes.map { LibraryClasses.qualifiedName(of: $0.type) }
    }
    /// The context for a new object of the plug-in; created each time, because most loads create no object.
    var context: PluginContext { PluginContext(services: table) }
    /// Nil while the registrations are not offered: a late caller must not get an object that outlives the release.
    private let services = Lock<[ServiceKey: SharedObject]?>(Dictionary())  // [:] would be a call at each load
    private let principal = Lock<Principal?>(nil)

    /// The principal class, which is searched for once.
    struct Principal: Sendable {
        let type: AnyClass?
        /// The class with its conformance, if it was registered.
        let plugin: (any Plugin.Type)?
    }

    /// `findings`: the differences between the registrations and the declarations in Info.plist.
    ///
    /// `changes`: what the code has changed in the process.
    init(
        library: LoadedLibrary? = nil, copy: BundleCopy? = nil, isolated: IsolatedCode? = nil,
        registrations: consuming Registrations,
        findings: [PluginFinding], changes: [PluginFinding] = [], table: HostTable
    ) {
        self.library = library
        self.copy = copy
        self.isolated = isolated
        self.registrations = registrations
        self.findings = findings
        self.changes = Lock(changes)
        self.table = table
    }

    private struct ServiceKey: Hashable {
        let kind: PluginBundle.Registration.Kind
        let name: String
        let point: String
    }

    /// The object of a provider or C factory that is shared as a service; nil if the bundle has been unloaded.
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

    /// Allows objects to be shared until ``releaseServices()``.
    ///
    /// This is also the initial state.
    func openServices() { services.withLock { $0 = $0 ?? [:] } }

    /// Releases the shared objects.
    ///
    /// A request after the next load gets new ones.
    func releaseServices() {
        // Destroyed after the lock is released, because the last release runs the plug-in's code.
        let old = services.withLock { services in
            defer { services = nil }
            return services
        }
        withExtendedLifetime(old) {}
    }

    /// Why the registrations cannot be offered: they differ from the declarations in Info.plist.
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
        // Look at the environment only for a warning: most loads have none.
        for finding in warnings where HostEnvironment.current.logsLoadWarnings { log(finding) }
    }

    private func log(_ finding: PluginFinding) {
        HostEnvironment.log(
            HostLogRecord(
                level: .warning, bundleIdentifier: table.bundle.displayIdentifier,
                message: "\(finding.message) \(finding.remedy)"))
    }

    /// Records and logs changes of the process that the code made after its entry, except those that are known.
    ///
    /// `isLast`: whether nobody looks at ``PluginBundle/loadWarnings`` afterwards.
    @inline(never)
    func record(_ found: [PluginFinding], isLast: Bool = false) {
        for finding in found {
            let isNew = changes.withLock { changes in
                if changes.contains(finding) { return false }
                changes.append(finding)
                return true
            }
            if isNew, isLast || HostEnvironment.current.logsLoadWarnings { log(finding) }
        }
    }

    /// `name`: `NSPrincipalClass`, or nil for the first class.
    func principal(named name: String?) -> Principal {
        if let known = principal.withLock({ $0 }) { return known }
        // The search runs outside the lock: finding a class by name runs a metadata accessor, which is the plug-in's
        // code.
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

    /// A class of this library only, found by its registered name or its own name, with or without the module.
    func `class`(named name: String) -> AnyClass? {
        registrations.class(named: name) ?? classes?.class(named: name)
    }
}
