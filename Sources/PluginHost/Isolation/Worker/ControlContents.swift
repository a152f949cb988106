import BundleReading
@_spi(PluginHost) internal import PluginABI

/// The first message to a worker: what it needs before it runs code of a plug-in.
struct WorkerHello: Sendable, Hashable {
    /// The version of the protocol; the two sides must have the same.
    ///
    /// Raise it with each change of a message or of the window's layout.
    static let currentVersion: UInt32 = 3

    // These two come first in every version, so that each side recognises another version.
    var version = WorkerHello.currentVersion
    /// Which build of the library the host has.
    var fingerprint: String
    /// The application's name and version, as plug-ins see them.
    var hostName = ""
    var hostVersion = ""
    var capabilities: [String] = []
    /// The user's languages, best first.
    var languages: [String] = []
    var device: String?
    var scale = 1
    var requiresDeclaredRegistrations = false
    /// The main bundle of the application, which is also the worker's; nil only in tests of messages.
    var application: ApplicationBundle?
    /// The system calls that the worker's filter allows; nil if the worker is isolated and not sandboxed.
    var filter: WorkerFilter?
    /// The most bytes of a message on a lane.
    var longestMessage: UInt32 = 0
    /// Whether the worker waits for a debugger before it does anything.
    var waitsForDebugger = false
}

/// What the filter of system calls allows in addition to the calls that every worker may make.
struct WorkerFilter: Sendable, Hashable {
    var anyNetwork = false
    var connects = false
    var listens = false
    var processes = false
    var devices = false
}

/// The first answer of a worker.
struct WorkerReady: Sendable, Hashable {
    var version = WorkerHello.currentVersion
    /// Which build of the library the worker has.
    var fingerprint: String
}

/// Asks a worker to load a bundle.
struct LoadRequest: Sendable, Hashable {
    /// The host's number for the bundle, from 1; every other message refers to it.
    var bundle: UInt32
    /// The bundle's directory.
    var path: String
    /// The directory that only this plug-in may write to; nil without the permission.
    var stateDirectory: String?
}

/// What the code of a bundle registered in a worker.
struct LoadedReport: Sendable, Hashable {
    /// A provider at an extension point.
    struct ReportedProvider: Sendable, Hashable {
        /// The number with which an object is created; the worker chooses it.
        var number: UInt32
        var name: String
        var point: String
        var pointVersion: UInt32
        var order: Int
        /// The text for the user, not localised.
        var text: String
        /// The names of the methods that the worker serves, in order; nil if the point has no remote interface.
        var methods: [String]?
    }

    /// A C factory.
    struct ReportedCProvider: Sendable, Hashable {
        var number: UInt32
        var name: String
        /// Empty for none.
        var point: String
        var pointVersion: UInt32
        var order: Int
    }

    /// A C function with its signature.
    struct ReportedFunction: Sendable, Hashable {
        var number: UInt32
        var name: String
        var signature: String
    }

    var providers: [ReportedProvider] = []
    var cProviders: [ReportedCProvider] = []
    var functions: [ReportedFunction] = []
    /// The names of the classes that were registered.
    var classes: [String] = []
    /// The names of all classes of the library, in the order of the file.
    var classNames: [String] = []
    /// The functions of `PHFunctions` that the executable exports, and that were not registered.
    var exports: [String] = []
    var warnings: [PluginFinding] = []

    /// The most bytes of a report, and the most registrations in it.
    static let longest = 16 << 20
    static let mostRegistrations = 100_000

    var registrationCount: Int { providers.count + cProviders.count + functions.count + classes.count }
}

// MARK: - As bytes

extension WorkerHello: RemoteValue {
    func write(to writer: inout RemoteWriter) throws {
        try writer.write(version)
        try writer.write(fingerprint)
        try writer.write(hostName)
        try writer.write(hostVersion)
        try writer.write(capabilities)
        try writer.write(languages)
        try writer.write(device)
        try writer.write(scale)
        try writer.write(requiresDeclaredRegistrations)
        try writer.write(application)
        try writer.write(filter)
        try writer.write(longestMessage)
        try writer.write(waitsForDebugger)
    }

    static func read(from reader: inout RemoteReader) throws -> WorkerHello {
        let version = try reader.next(UInt32.self), fingerprint = try reader.next(String.self)
        guard version == currentVersion else {
            try reader.skipRest()
            return WorkerHello(version: version, fingerprint: fingerprint)
        }
        return WorkerHello(
            version: version, fingerprint: fingerprint, hostName: try reader.next(),
            hostVersion: try reader.next(), capabilities: try reader.next(), languages: try reader.next(),
            device: try reader.next(), scale: try reader.next(), requiresDeclaredRegistrations: try reader.next(),
            application: try reader.next(), filter: try reader.next(), longestMessage: try reader.next(),
            waitsForDebugger: try reader.next())
    }
}

extension WorkerFilter: RemoteValue {
    func write(to writer: inout RemoteWriter) throws {
        try writer.write(anyNetwork)
        try writer.write(connects)
        try writer.write(listens)
        try writer.write(processes)
        try writer.write(devices)
    }

    static func read(from reader: inout RemoteReader) throws -> WorkerFilter {
        WorkerFilter(
            anyNetwork: try reader.next(), connects: try reader.next(), listens: try reader.next(),
            processes: try reader.next(), devices: try reader.next())
    }
}

extension ApplicationBundle: RemoteValue {
    func write(to writer: inout RemoteWriter) throws {
        try writer.write(program)
        try writer.write(path)
        try writer.write(layout)
        try writer.write(manifestPath)
        try writer.write(texts)
        try writer.write(allowsMixedLocalizations)
        try writer.write(localizations)
    }

    static func read(from reader: inout RemoteReader) throws -> ApplicationBundle {
        var bundle = ApplicationBundle(
            program: try reader.next(), path: try reader.next(), layout: try reader.next(),
            manifestPath: try reader.next())
        bundle.texts = try reader.next()
        bundle.allowsMixedLocalizations = try reader.next()
        bundle.localizations = try reader.next()
        return bundle
    }
}

extension BundleLayout: RemoteValue {
    func write(to writer: inout RemoteWriter) throws {
        try writer.write(name)
        try writer.write(infoDirectories)
        try writer.write(resources)
        try writer.write(furtherResources)
        try writer.write(executableDirectories)
        try writer.write(auxiliaryDirectories)
        try writer.write(supportDirectories)
    }

    static func read(from reader: inout RemoteReader) throws -> BundleLayout {
        BundleLayout(
            name: try reader.next(), infoDirectories: try reader.next(), resources: try reader.next(),
            furtherResources: try reader.next(), executableDirectories: try reader.next(),
            auxiliaryDirectories: try reader.next(), supportDirectories: try reader.next())
    }
}

extension WorkerReady: RemoteValue {
    func write(to writer: inout RemoteWriter) throws {
        try writer.write(version)
        try writer.write(fingerprint)
    }

    static func read(from reader: inout RemoteReader) throws -> WorkerReady {
        let ready = WorkerReady(version: try reader.next(), fingerprint: try reader.next())
        if ready.version != WorkerHello.currentVersion { try reader.skipRest() }
        return ready
    }
}

extension LoadRequest: RemoteValue {
    func write(to writer: inout RemoteWriter) throws {
        try writer.write(bundle)
        try writer.write(path)
        try writer.write(stateDirectory)
    }

    static func read(from reader: inout RemoteReader) throws -> LoadRequest {
        LoadRequest(bundle: try reader.next(), path: try reader.next(), stateDirectory: try reader.next())
    }
}

extension LoadedReport: RemoteValue {
    func write(to writer: inout RemoteWriter) throws {
        try writer.write(providers)
        try writer.write(cProviders)
        try writer.write(functions)
        try writer.write(classes)
        try writer.write(classNames)
        try writer.write(exports)
        try writer.write(warnings.map(SentFinding.init))
    }

    static func read(from reader: inout RemoteReader) throws -> LoadedReport {
        let report = LoadedReport(
            providers: try reader.next(), cProviders: try reader.next(), functions: try reader.next(),
            classes: try reader.next(), classNames: try reader.next(), exports: try reader.next(),
            warnings: try reader.next([SentFinding].self).map(\.finding))
        guard report.registrationCount <= mostRegistrations else {
            throw RemoteFailure.violation("A worker reports \(report.registrationCount) registrations of a plug-in.")
        }
        return report
    }
}

extension LoadedReport.ReportedProvider: RemoteValue {
    func write(to writer: inout RemoteWriter) throws {
        try writer.write(number)
        try writer.write(name)
        try writer.write(point)
        try writer.write(pointVersion)
        try writer.write(order)
        try writer.write(text)
        try writer.write(methods)
    }

    static func read(from reader: inout RemoteReader) throws -> Self {
        Self(
            number: try reader.next(), name: try reader.next(), point: try reader.next(),
            pointVersion: try reader.next(), order: try reader.next(), text: try reader.next(),
            methods: try reader.next())
    }
}

extension LoadedReport.ReportedCProvider: RemoteValue {
    func write(to writer: inout RemoteWriter) throws {
        try writer.write(number)
        try writer.write(name)
        try writer.write(point)
        try writer.write(pointVersion)
        try writer.write(order)
    }

    static func read(from reader: inout RemoteReader) throws -> Self {
        Self(
            number: try reader.next(), name: try reader.next(), point: try reader.next(),
            pointVersion: try reader.next(), order: try reader.next())
    }
}

extension LoadedReport.ReportedFunction: RemoteValue {
    func write(to writer: inout RemoteWriter) throws {
        try writer.write(number)
        try writer.write(name)
        try writer.write(signature)
    }

    static func read(from reader: inout RemoteReader) throws -> Self {
        Self(number: try reader.next(), name: try reader.next(), signature: try reader.next())
    }
}

extension RemoteReader {
    /// Skips the rest of a message that another version has written.
    fileprivate mutating func skipRest() throws {
        let rest = UnsafeMutableRawBufferPointer.allocate(byteCount: bytesLeft, alignment: 1)
        defer { rest.deallocate() }
        try copyBytes(to: rest)
    }
}

/// A finding in a message.
struct SentFinding: RemoteValue {
    let finding: PluginFinding

    init(_ finding: PluginFinding) { self.finding = finding }

    func write(to writer: inout RemoteWriter) throws {
        try writer.write(finding.severity.rawValue)
        try writer.write(finding.code.rawValue)
        try writer.write(finding.filePath)
        try writer.write(finding.subject)
        try writer.write(finding.message)
        try writer.write(finding.remedy)
        try writer.write(finding.systemMessage)
        try writer.write(finding.place.map { [$0.line, $0.column] } ?? [])
        try writer.write(finding.refusal)
    }

    /// The codes that only the host may report about a worker.
    ///
    /// No message may contain them.
    private static let codesOfHost: Set<PluginError.Code> = [
        .workerEnded, .callTimedOut, .executionConflict, .quarantined,
    ]

    static func read(from reader: inout RemoteReader) throws -> SentFinding {
        let severity = try reader.named(PluginFinding.Severity.self)
        let code = PluginError.Code(rawValue: try reader.next())
        guard !codesOfHost.contains(code) else {
            throw RemoteFailure.violation("A finding of a worker has the code “\(code)”.")
        }
        var finding = PluginFinding(
            severity, code, filePath: try reader.next(),
            subject: try reader.next(), message: try reader.next(), remedy: try reader.next(),
            systemMessage: try reader.next())
        let place = try reader.next([Int].self)
        if place.count == 2 { finding.place = PluginFinding.Place(line: place[0], column: place[1]) }
        finding.refusal = try reader.next()
        return SentFinding(finding)
    }
}
