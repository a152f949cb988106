@_spi(Tools) package import BundleReading
@_spi(Tools) import ELFImages
@_spi(Tools) package import HostBasics

/// The catalogue's data about one candidate.
///
/// This is the part of its Info.plist that states what it offers and requires, and the findings about the bundle.
/// Nothing in it depends on the host or on other candidates.
package struct PluginRecord: Sendable, Equatable {
    /// `CFBundleIdentifier`, otherwise the directory's name without its extension.
    package var identifier = ""
    package var name: String?
    package var shortVersion: String?
    package var version: String?
    package var extensions: [Manifest.Extension] = []
    package var extensionPoints: [Manifest.Point] = []
    package var requires: [String: VersionRange] = [:]
    package var hostRequires: VersionRange?
    package var capabilities: [String] = []
    package var deviceCapabilities: [String: Bool] = [:]
    package var uses: [String: UInt32] = [:]
    package var execution: ExecutionRequest?
    package var workerRequest: WorkerRequest?
    package var isEnabledByDefault = true
    package var optionalRequires: [String: VersionRange] = [:]
    package var conflicts: [String: VersionRange] = [:]
    package var replaces: [String] = []
    package var documentTypes: [Manifest.DocumentType] = []
    package var typeDeclarations: [Manifest.TypeDeclaration] = []
    /// The path of Info.plist in the bundle; nil if none could be opened.
    package var listPath: String?
    /// The directory with its links resolved, if there are links; otherwise nil.
    package var linkedPath: String?
    /// Whether it is not a bundle: a file, a broken link, or a name that is not UTF-8.
    package var isNoBundle = false
    /// Why it cannot be used.
    package var findings: [PluginFinding] = []

    /// An empty record.
    package init() {}

    /// Whether the system refused to let it be read.
    ///
    /// The next scan must then read it again.
    package var isProvisional: Bool { findings.contains(where: \.isProvisional) }

    /// The place of Info.plist in nearly every bundle.
    package static let usualListPath = "Contents/Info.plist"
}

extension PluginRecord {
    /// `path`: where the candidate was found.
    package init(_ contents: borrowing BundleContents, foundAt path: String) {
        if contents.path != path { linkedPath = contents.path }
        if let finding = contents.finding {
            identifier = Path.stem(path)
            findings = [finding]
            return
        }
        identifier = contents.manifest.identifier ?? Path.stem(path)
        name = contents.manifest.name
        shortVersion = contents.manifest.shortVersion
        version = contents.manifest.version
        extensions = contents.manifest.extensions
        extensionPoints = contents.manifest.extensionPoints
        requires = contents.manifest.requires
        hostRequires = contents.manifest.hostRequires
        capabilities = contents.manifest.capabilities
        deviceCapabilities = contents.manifest.deviceCapabilities
        uses = contents.manifest.uses
        execution = contents.manifest.executionRequest
        workerRequest = contents.manifest.workerRequest
        isEnabledByDefault = contents.manifest.isEnabledByDefault
        optionalRequires = contents.manifest.optionalRequires
        conflicts = contents.manifest.conflicts
        replaces = contents.manifest.replaces
        documentTypes = contents.manifest.documentTypes
        typeDeclarations = contents.manifest.typeDeclarations
        findings = contents.manifest.errors
        let length = contents.path.utf8.count + 1
        // The constant is shared, so bundles with the usual place need no new string.
        listPath =
            contents.manifestPath.utf8.count == length + Self.usualListPath.utf8.count
                && contents.manifestPath.hasSuffix(Self.usualListPath)
            ? Self.usualListPath : String(contents.manifestPath.utf8.dropFirst(length))
    }

    /// Creates the record of a candidate that cannot be opened as a bundle.
    package init(noBundle path: String, _ error: PluginError) {
        identifier = Path.stem(path)
        isNoBundle = true
        findings = error.findings
    }

    /// Whether it requires anything from the host or from other bundles.
    package var hasRequirements: Bool {
        !requires.isEmpty || hostRequires != nil || !capabilities.isEmpty || !deviceCapabilities.isEmpty
    }

    // MARK: As bytes

    /// The position of the identifier's text in a record.
    ///
    /// It is the first part, after its length.
    package static func placeOfIdentifier(_ identifier: String, inRecordAt place: IndexPlace) -> IndexPlace {
        IndexPlace(offset: place.offset + MemoryLayout<UInt32>.size, length: identifier.utf8.count)
    }

    /// The parts that few records have, and how Info.plist is found.
    private struct Parts: OptionSet {
        let rawValue: UInt8
        /// Info.plist is in its usual place, so the record does not name it.
        static let usualList = Self(rawValue: 1)
        static let documentTypes = Self(rawValue: 2)
        static let typeDeclarations = Self(rawValue: 4)
        static let optionalRequires = Self(rawValue: 8)
        static let conflicts = Self(rawValue: 16)
        /// It is not used before the user has enabled it.
        static let waits = Self(rawValue: 32)
        static let replaces = Self(rawValue: 64)
    }

    private var parts: Parts {
        var parts: Parts = listPath == Self.usualListPath ? .usualList : []
        if !documentTypes.isEmpty { parts.insert(.documentTypes) }
        if !typeDeclarations.isEmpty { parts.insert(.typeDeclarations) }
        if !optionalRequires.isEmpty { parts.insert(.optionalRequires) }
        if !conflicts.isEmpty { parts.insert(.conflicts) }
        if !isEnabledByDefault { parts.insert(.waits) }
        if !replaces.isEmpty { parts.insert(.replaces) }
        return parts
    }

    package func write(to writer: inout RecordWriter) {
        writer.put(identifier)
        writer.put(name)
        writer.put(shortVersion)
        writer.put(version)
        writer.put(extensions) { writer, declaration in
            writer.put(declaration.name)
            writer.put(declaration.extensionPoint)
            writer.put(declaration.version)
            writer.put(declaration.displayName)
            writer.put(Int32(declaration.order))
        }
        writer.put(extensionPoints) { writer, point in
            writer.put(point.name)
            writer.put(point.version)
            writer.put(point.displayName)
        }
        writer.put(requires) { $0.put($1.description) }
        writer.put(hostRequires?.description)
        writer.put(capabilities) { $0.put($1) }
        writer.put(deviceCapabilities) { $0.put($1 ? UInt8(1) : 0) }
        writer.put(uses) { $0.put($1) }
        writer.put(execution?.rawValue)
        writer.put(workerRequest == nil ? UInt8(0) : 1)
        workerRequest?.write(to: &writer)
        writer.put(parts.rawValue)
        if !parts.contains(.usualList) { writer.put(listPath) }
        if parts.contains(.documentTypes) { writer.put(documentTypes) { $1.write(to: &$0) } }
        if parts.contains(.typeDeclarations) { writer.put(typeDeclarations) { $1.write(to: &$0) } }
        if parts.contains(.optionalRequires) { writer.put(optionalRequires) { $0.put($1.description) } }
        if parts.contains(.conflicts) { writer.put(conflicts) { $0.put($1.description) } }
        if parts.contains(.replaces) { writer.put(replaces) { $0.put($1) } }
        writer.put(linkedPath)
        writer.put(isNoBundle ? UInt8(1) : 0)
        writer.put(findings) { $1.write(to: &$0) }
    }

    package init(from reader: inout RecordReader) {
        identifier = reader.text()
        name = reader.optionalText()
        shortVersion = reader.optionalText()
        version = reader.optionalText()
        extensions = reader.list(4 + 1 + 4 + 1 + 4) { reader in
            Manifest.Extension(
                name: reader.text(), extensionPoint: reader.optionalText(), version: reader.number(UInt32.self),
                displayName: reader.optionalText(), order: Int(reader.number(Int32.self)))
        }
        extensionPoints = reader.list(4 + 4 + 1) { reader in
            Manifest.Point(
                name: reader.text(), version: reader.number(UInt32.self), displayName: reader.optionalText())
        }
        // They were written from valid ranges; a damaged index may contain invalid ones.
        requires = reader.dictionary { $0.text() }.compactMapValues { try? VersionRange($0) }
        hostRequires = reader.optionalText().flatMap { try? VersionRange($0) }
        capabilities = reader.list(4) { $0.text() }
        deviceCapabilities = reader.dictionary { $0.number(UInt8.self) != 0 }
        uses = reader.dictionary { $0.number(UInt32.self) }
        execution = reader.optionalText().flatMap(ExecutionRequest.init)
        workerRequest = reader.number(UInt8.self) == 0 ? nil : WorkerRequest(from: &reader)
        let parts = Parts(rawValue: reader.number())
        listPath = parts.contains(.usualList) ? Self.usualListPath : reader.optionalText()
        if parts.contains(.documentTypes) {
            documentTypes = reader.list(Manifest.DocumentType.smallest) { Manifest.DocumentType(from: &$0) }
        }
        if parts.contains(.typeDeclarations) {
            typeDeclarations = reader.list(Manifest.TypeDeclaration.smallest) { Manifest.TypeDeclaration(from: &$0) }
        }
        if parts.contains(.optionalRequires) {
            optionalRequires = reader.dictionary { $0.text() }.compactMapValues { try? VersionRange($0) }
        }
        if parts.contains(.conflicts) {
            conflicts = reader.dictionary { $0.text() }.compactMapValues { try? VersionRange($0) }
        }
        if parts.contains(.replaces) { replaces = reader.list(4) { $0.text() } }
        isEnabledByDefault = !parts.contains(.waits)
        linkedPath = reader.optionalText()
        isNoBundle = reader.number(UInt8.self) != 0
        findings = reader.list(PluginFinding.smallest) { PluginFinding(from: &$0) }
    }
}

extension WorkerRequest {
    package func write(to writer: inout RecordWriter) {
        writer.put(permissions.files) { writer, file in
            writer.put(file.path)
            writer.put(file.access == .write ? UInt8(1) : 0)
        }
        let kind: UInt8 =
            switch permissions.network {
            case .none: 0
            case .ports: 1
            case .any: 2
            }
        writer.put(kind)
        if case .ports(let connect, let listen) = permissions.network {
            for ports in [connect, listen] { writer.put(ports.sorted()) { $0.put($1) } }
        }
        writer.put(permissions.processes ? UInt8(1) : 0)
        for names in [permissions.devices, permissions.environment] { writer.put(names.sorted()) { $0.put($1) } }
        writer.put(permissions.reasons) { $0.put($1) }
        // Zero for no limit; a limit is at least 1.
        for name in WorkerLimits.Name.allCases { writer.put(Int32(clamping: limits[name] ?? 0)) }
    }

    package convenience init(from reader: inout RecordReader) {
        var permissions = PluginPermissions()
        permissions.files = reader.list(4 + 1) { reader in
            PluginPermissions.File(reader.text(), reader.number(UInt8.self) == 1 ? .write : .read)
        }
        switch reader.number(UInt8.self) {
        case 1:
            let ports = [0, 1].map { _ in Set(reader.list(2) { $0.number(UInt16.self) }) }
            permissions.network = .ports(connect: ports[0], listen: ports[1])
        case 2: permissions.network = .any
        default: break
        }
        permissions.processes = reader.number(UInt8.self) != 0
        permissions.devices = Set(reader.list(4) { $0.text() })
        permissions.environment = Set(reader.list(4) { $0.text() })
        permissions.reasons = reader.dictionary { $0.text() }
        var limits = WorkerLimits()
        for name in WorkerLimits.Name.allCases {
            let value = Int(reader.number(Int32.self))
            limits[name] = value > 0 ? value : nil
        }
        self.init(permissions: permissions, limits: limits)
    }
}

extension PluginFinding {
    /// The minimum size in bytes: a severity, three texts, and three that are missing.
    package static let smallest = 1 + 3 * 4 + 3

    package func write(to writer: inout RecordWriter) {
        writer.put(severity == .error ? UInt8(0) : 1)
        writer.put(code.rawValue)
        writer.put(filePath)
        writer.put(subject)
        writer.put(message)
        writer.put(remedy)
        writer.put(systemMessage)
    }

    package init(from reader: inout RecordReader) {
        self.init(
            reader.number(UInt8.self) == 0 ? .error : .warning, PluginError.Code(rawValue: reader.text()),
            filePath: reader.optionalText(), subject: reader.optionalText(), message: reader.text(),
            remedy: reader.text(), systemMessage: reader.optionalText())
    }
}
