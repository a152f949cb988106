package import BundleReading
package import HostBasics
@_spi(PluginHost) package import PluginABI

/// The first message to a worker: what it needs before it runs code of a plug-in.
package struct WorkerHello: Sendable, Hashable {
    /// The version of the protocol; the two sides must have the same.
    ///
    /// Raise it with each change of a message or of the window's layout.
    package static let currentVersion: UInt32 = 6

    // These two come first in every version, so that each side recognises another version.
    package var version = WorkerHello.currentVersion
    /// Which build of the library the host has.
    package var fingerprint: String
    /// The application's name and version, as plug-ins see them.
    package var hostName = ""
    package var hostVersion = ""
    package var capabilities: [String] = []
    /// The user's languages, best first.
    package var languages: [String] = []
    package var device: String?
    package var scale = 1
    package var requiresDeclaredRegistrations = false
    /// The main bundle of the application, which is also the worker's; nil only in tests of messages.
    package var application: ApplicationBundle?
    /// The system calls that the worker's filter allows; nil if the worker is isolated and not sandboxed.
    package var filter: WorkerFilter?
    /// The most bytes of a message on a lane.
    package var longestMessage: UInt32 = 0
    /// Whether the worker waits for a debugger before it does anything.
    package var waitsForDebugger = false
}

/// What the filter of system calls allows in addition to the calls that every worker may make.
package struct WorkerFilter: Sendable, Hashable {
    package var anyNetwork = false
    package var connects = false
    package var listens = false
    package var processes = false
    package var devices = false
}

/// The first answer of a worker.
package struct WorkerReady: Sendable, Hashable {
    package var version = WorkerHello.currentVersion
    /// Which build of the library the worker has.
    package var fingerprint: String

    package init(version: UInt32 = WorkerHello.currentVersion, fingerprint: String) {
        self.version = version
        self.fingerprint = fingerprint
    }
}

/// Asks a worker to load a bundle.
package struct LoadRequest: Sendable, Hashable {
    /// The host's number for the bundle, from 1; every other message refers to it.
    package var bundle: UInt32
    /// The bundle's directory.
    package var path: String
    /// The directory that only this plug-in may write to; nil without the permission.
    package var stateDirectory: String?
    /// The values of its settings; nil if it has no Settings.bundle.
    package var settings: SettingsUpdate?
}

/// What the code of a bundle registered in a worker.
package struct LoadedReport: Sendable, Hashable {
    /// A provider at an extension point.
    package struct ReportedProvider: Sendable, Hashable {
        /// The number with which an object is created; the worker chooses it.
        package var number: UInt32
        package var name: String
        package var point: String
        package var pointVersion: UInt32
        package var order: Int
        /// The text for the user, not localised.
        package var text: String
        /// The names of the methods that the worker serves, in order; nil if the point has no remote interface.
        package var methods: [String]?

        package init(
            number: UInt32, name: String, point: String, pointVersion: UInt32, order: Int, text: String,
            methods: [String]?
        ) {
            self.number = number
            self.name = name
            self.point = point
            self.pointVersion = pointVersion
            self.order = order
            self.text = text
            self.methods = methods
        }
    }

    /// A C factory.
    package struct ReportedCProvider: Sendable, Hashable {
        package var number: UInt32
        package var name: String
        /// Empty for none.
        package var point: String
        package var pointVersion: UInt32
        package var order: Int

        package init(number: UInt32, name: String, point: String, pointVersion: UInt32, order: Int) {
            self.number = number
            self.name = name
            self.point = point
            self.pointVersion = pointVersion
            self.order = order
        }
    }

    /// A C function with its signature.
    package struct ReportedFunction: Sendable, Hashable {
        package var number: UInt32
        package var name: String
        package var signature: String

        package init(number: UInt32, name: String, signature: String) {
            self.number = number
            self.name = name
            self.signature = signature
        }
    }

    package var providers: [ReportedProvider] = []
    package var cProviders: [ReportedCProvider] = []
    package var functions: [ReportedFunction] = []
    /// The names of the classes that were registered.
    package var classes: [String] = []
    /// The names of all classes of the library, in the order of the file.
    package var classNames: [String] = []
    /// The functions of `PHFunctions` that the executable exports, and that were not registered.
    package var exports: [String] = []
    package var warnings: [PluginFinding] = []

    package init(
        providers: [ReportedProvider] = [], cProviders: [ReportedCProvider] = [], functions: [ReportedFunction] = [],
        classes: [String] = [], classNames: [String] = [], exports: [String] = [], warnings: [PluginFinding] = []
    ) {
        self.providers = providers
        self.cProviders = cProviders
        self.functions = functions
        self.classes = classes
        self.classNames = classNames
        self.exports = exports
        self.warnings = warnings
    }

    /// The most bytes of a report, and the most registrations in it.
    package static let longest = 16 << 20
    package static let mostRegistrations = 100_000

    package var registrationCount: Int { providers.count + cProviders.count + functions.count + classes.count }
}

// MARK: - As bytes

extension WorkerHello: RemoteValue {
    package func write(to writer: inout RemoteWriter) throws {
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

    package static func read(from reader: inout RemoteReader) throws -> WorkerHello {
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
    package func write(to writer: inout RemoteWriter) throws {
        try writer.write(anyNetwork)
        try writer.write(connects)
        try writer.write(listens)
        try writer.write(processes)
        try writer.write(devices)
    }

    package static func read(from reader: inout RemoteReader) throws -> WorkerFilter {
        WorkerFilter(
            anyNetwork: try reader.next(), connects: try reader.next(), listens: try reader.next(),
            processes: try reader.next(), devices: try reader.next())
    }
}

extension ApplicationBundle: RemoteValue {
    package func write(to writer: inout RemoteWriter) throws {
        try writer.write(program)
        try writer.write(path)
        try writer.write(layout)
        try writer.write(manifestPath)
        try writer.write(texts)
        try writer.write(allowsMixedLocalizations)
        try writer.write(localizations)
    }

    package static func read(from reader: inout RemoteReader) throws -> ApplicationBundle {
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
    package func write(to writer: inout RemoteWriter) throws {
        try writer.write(name)
        try writer.write(infoDirectories)
        try writer.write(resources)
        try writer.write(furtherResources)
        try writer.write(executableDirectories)
        try writer.write(auxiliaryDirectories)
        try writer.write(supportDirectories)
    }

    package static func read(from reader: inout RemoteReader) throws -> BundleLayout {
        BundleLayout(
            name: try reader.next(), infoDirectories: try reader.next(), resources: try reader.next(),
            furtherResources: try reader.next(), executableDirectories: try reader.next(),
            auxiliaryDirectories: try reader.next(), supportDirectories: try reader.next())
    }
}

extension WorkerReady: RemoteValue {
    package func write(to writer: inout RemoteWriter) throws {
        try writer.write(version)
        try writer.write(fingerprint)
    }

    package static func read(from reader: inout RemoteReader) throws -> WorkerReady {
        let ready = WorkerReady(version: try reader.next(), fingerprint: try reader.next())
        if ready.version != WorkerHello.currentVersion { try reader.skipRest() }
        return ready
    }
}

extension LoadRequest: RemoteValue {
    package func write(to writer: inout RemoteWriter) throws {
        try writer.write(bundle)
        try writer.write(path)
        try writer.write(stateDirectory)
        try writer.write(settings)
    }

    package static func read(from reader: inout RemoteReader) throws -> LoadRequest {
        LoadRequest(
            bundle: try reader.next(), path: try reader.next(), stateDirectory: try reader.next(),
            settings: try reader.next())
    }
}

extension LoadedReport: RemoteValue {
    package func write(to writer: inout RemoteWriter) throws {
        try writer.write(providers)
        try writer.write(cProviders)
        try writer.write(functions)
        try writer.write(classes)
        try writer.write(classNames)
        try writer.write(exports)
        try writer.write(warnings.map(SentFinding.init))
    }

    package static func read(from reader: inout RemoteReader) throws -> LoadedReport {
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
    package func write(to writer: inout RemoteWriter) throws {
        try writer.write(number)
        try writer.write(name)
        try writer.write(point)
        try writer.write(pointVersion)
        try writer.write(order)
        try writer.write(text)
        try writer.write(methods)
    }

    package static func read(from reader: inout RemoteReader) throws -> Self {
        Self(
            number: try reader.next(), name: try reader.next(), point: try reader.next(),
            pointVersion: try reader.next(), order: try reader.next(), text: try reader.next(),
            methods: try reader.next())
    }
}

extension LoadedReport.ReportedCProvider: RemoteValue {
    package func write(to writer: inout RemoteWriter) throws {
        try writer.write(number)
        try writer.write(name)
        try writer.write(point)
        try writer.write(pointVersion)
        try writer.write(order)
    }

    package static func read(from reader: inout RemoteReader) throws -> Self {
        Self(
            number: try reader.next(), name: try reader.next(), point: try reader.next(),
            pointVersion: try reader.next(), order: try reader.next())
    }
}

extension LoadedReport.ReportedFunction: RemoteValue {
    package func write(to writer: inout RemoteWriter) throws {
        try writer.write(number)
        try writer.write(name)
        try writer.write(signature)
    }

    package static func read(from reader: inout RemoteReader) throws -> Self {
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
package struct SentFinding: RemoteValue {
    package let finding: PluginFinding

    package init(_ finding: PluginFinding) { self.finding = finding }

    package func write(to writer: inout RemoteWriter) throws {
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
        .workerEnded, .callTimedOut, .quarantined,
    ]

    package static func read(from reader: inout RemoteReader) throws -> SentFinding {
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
