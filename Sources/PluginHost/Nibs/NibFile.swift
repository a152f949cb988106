import BundleReading
import HostBasics
import NibReading
@_spi(PluginHost) internal import PluginABI
internal import PropertyLists
import Synchronization

/// A parsed nib: its document, and the plans made from it.
///
/// **Threads.** Any; no lock is held while code is loaded or a plug-in's code runs.
final class NibFile: NibServices {
    let name: String
    /// The file; nil for a nib from bytes in memory.
    let path: String?
    let bundle: PluginBundle
    private let xml: XMLDocument
    /// The element `objects`.
    private let root: Int
    /// Whether a strings table translates the nib's texts; false for a nib of one language.
    let isTranslated: Bool
    /// Whether a table of the nib's name exists, if a search at that resource generation determined it.
    private let knownTable: (generation: Int, exists: Bool)?
    private let limits: NibLimits
    private let classes: any NibClassSource
    private let plans = Lock<[NibInstantiation]>([])
    /// If callers pass owners of more different classes than this, plans replace one another.
    private static let mostPlans = 4

    /// Reads a nib's document.
    ///
    /// - Parameters:
    ///   - bytes: the file's content.
    ///   - name: the nib's name.
    ///   - path: the file; nil for none.
    ///   - bundle: the bundle whose classes, tables and resources the nib uses.
    ///   - isTranslated: whether the bundle's table with the nib's name translates its texts.
    ///   - knownTable: whether such a table exists, if that is already known.
    ///   - classes: where the nib finds its classes; nil for the bundle's.
    /// - Throws: ``PluginError`` of code `nibUnreadable` or `nibUnsupported`.
    init(
        _ bytes: [UInt8], name: String, path: String?, bundle: PluginBundle, isTranslated: Bool,
        knownTable: (generation: Int, exists: Bool)? = nil, classes: (any NibClassSource)? = nil
    ) throws(PluginError) {
        self.name = name
        self.path = path
        self.bundle = bundle
        self.isTranslated = isTranslated
        self.knownTable = knownTable
        self.classes = classes ?? BundleNibClasses(bundle: bundle)
        limits = HostEnvironment.current.nibLimits
        let document = try NibDocument(bytes, path: path, bundlePath: bundle.bundlePath, limits: limits)
        xml = document.xml
        root = document.root
    }

    // MARK: Instantiation

    func instantiate(
        owner: (any NibObject)?, placeholders: [String: any NibObject], options: NibOptions,
        connected: ((NibInstance) -> Void)?
    ) throws -> NibInstance {
        let made = try instantiation(
            owner: owner, placeholders: placeholders, connectors: options.connectors.keys)
        do throws(NibInstantiation.Failure) {
            return try made.run(owner: owner, placeholders: placeholders, options: options, connected: connected)
        } catch {
            throw failure(error, made.plan)
        }
    }

    /// The plan for the caller's objects: an existing one that is still valid, or a new one.
    func instantiation(
        owner: (any NibObject)?, placeholders: [String: any NibObject], connectors: some Collection<String>
    ) throws -> NibInstantiation {
        // Read the generations first: a plan made with an outdated generation is then made again at the next use.
        let generation = HostEnvironment.resourceGeneration.load(ordering: .acquiring)
        let classesVersion = HostEnvironment.nibClassesVersion.load(ordering: .acquiring)
        let externals = NibInstantiation.Externals(owner: owner, placeholders: placeholders)
        let known = plans.withLock { plans in plans.first { $0.externals == externals } }
        if let known, known.generation == generation, known.classesVersion == classesVersion,
            classes.isCurrent(known.classes), known.plan.connectorKinds.isSubset(of: connectors)
        {
            return known
        }
        let (plan, available) = try makePlan(
            owner: owner, placeholders: placeholders, connectors: Set(connectors), generation)
        let made = NibInstantiation(
            plan, externals: externals, classes: available, generation: generation, classesVersion: classesVersion)
        let replaced: [NibInstantiation] = plans.withLock { plans in
            var replaced = plans.filter { $0.externals == externals }
            plans.removeAll { $0.externals == externals }
            plans.append(made)
            if plans.count > Self.mostPlans { replaced.append(plans.removeFirst()) }
            return replaced
        }
        // A plan holds closures of plug-ins, so it is released after the lock.
        withExtendedLifetime(replaced) {}
        return made
    }

    private func makePlan(
        owner: (any NibObject)?, placeholders: [String: any NibObject], connectors: Set<String>, _ generation: Int
    ) throws -> (plan: NibPlan, classes: AvailableNibClasses) {
        HeldLocks.preconditionNone(before: "the conversions of a nib's classes")
        let available: AvailableNibClasses
        do throws(PluginError) {
            available = try classes.nibClasses()
        } catch {
            throw unloaded(error)
        }
        let scope = NibScope(available.levels, leavingOut: HostEnvironment.current.nibClasses.elementsLeftOut)
        let planner: NibPlanner
        do throws(NibFinding) {
            planner = try NibPlanner(
                xml, root: root, scope: scope, resources: planResources(generation), limits: limits, owner: owner,
                placeholders: placeholders, connectors: connectors)
        } catch {
            throw PluginError(
                bundlePath: bundle.bundlePath, findings: NibFinding.located([error], in: xml, path: path))
        }
        let plan = planner.plan()
        let findings = planner.findings.located(in: xml, path: path)
        guard let plan else { throw PluginError(bundlePath: bundle.bundlePath, findings: findings) }
        for finding in findings {
            HostEnvironment.log(
                .warning, bundleIdentifier: bundle.displayIdentifier, "\(finding.placedMessage) \(finding.remedy)")
        }
        return (plan, available)
    }

    private func planResources(_ generation: Int) -> NibPlanner.Resources {
        var resources = NibPlanner.Resources()
        // Without a table, the planner does not look up each text.
        let isTable =
            if let knownTable, knownTable.generation == generation {
                knownTable.exists
            } else {
                isTranslated && !bundle.resources.places(of: name, types: Self.tableTypes, most: 1).isEmpty
            }
        if isTranslated, isTable {
            resources.translate = { [bundle, name] in bundle.resources.translation(ofKey: $0, table: name) }
        }
        resources.image = { [bundle] in bundle.image(named: $0) }
        resources.sound = { [bundle] in bundle.sound(named: $0) }
        resources.stranger = { [classes] in classes.stranger(withNibClass: $0) }
        return resources
    }

    // MARK: Errors

    /// The error for code that does not load, with the position in the nib that needs the code.
    private func unloaded(_ error: PluginError) -> PluginError {
        let first = error.findings[0]
        let place = xml.places(of: [xml.offset(ofElement: root)])[0]
        var finding = PluginFinding(
            first.code, filePath: path, subject: first.subject,
            message:
                "The nib needs the classes of the bundle \(quoted(error.bundlePath)), whose code does not load: \(first.message)",
            remedy: first.remedy, systemMessage: first.systemMessage)
        finding.place = PluginFinding.Place(line: place.line, column: place.column)
        return PluginError(bundlePath: bundle.bundlePath, findings: [finding] + error.findings)
    }

    private func failure(_ failure: NibInstantiation.Failure, _ plan: NibPlan) -> PluginError {
        let nib = "the nib \(quoted(path ?? name))"
        switch failure {
        case .nested:
            return PluginError(
                bundlePath: bundle.bundlePath,
                PluginFinding(
                    .nibNested, filePath: path,
                    message:
                        "More than \(NibInstantiation.mostNested) nibs instantiate one another, the last one \(nib).",
                    remedy: "Do not instantiate a nib in the initialiser of a class of its own."))
        case .thread:
            return PluginError(
                bundlePath: bundle.bundlePath,
                PluginFinding(
                    .nibThread, filePath: path,
                    message: "A class of \(nib) is isolated to the main actor, and this code does not run on it.",
                    remedy: "Instantiate the nib on the main thread, or in a task of the main actor."))
        case .initializer(let number, let error):
            let (aClass, name) = plan.description(ofMade: number)
            return bundle.pluginFailed(
                .nibObjectFailed, subject: aClass,
                "Making the object \(quoted(name)) of the class \(quoted(aClass)) for \(nib)", error)
        case .connector(let kind, let error):
            return bundle.pluginFailed(
                .nibObjectFailed, subject: kind, "The connector of the kind \(quoted(kind)) of \(nib)", error)
        }
    }
}
