import BundleReading
internal import CPluginSupport
import ELFImages
import Glibc
import HostBasics
import HostLogging
@_spi(PluginHost) internal import PluginABI

/// The tables that `get_extension` returns.
enum HostExtensions {
    static func table(id: plugin_string) -> UnsafeRawPointer? {
        if id.bytes.holds(PLUGIN_SWIFT_ID) { return UnsafeRawPointer(swift.pointer) }
        if id.bytes.holds(PLUGIN_RESOURCES_ID) { return UnsafeRawPointer(resources.pointer) }
        if id.bytes.holds(PLUGIN_LIFECYCLE_ID) { return UnsafeRawPointer(lifecycle.pointer) }
        if id.bytes.holds(PLUGIN_SERVICES_ID) { return UnsafeRawPointer(services.pointer) }
        if id.bytes.holds(PLUGIN_STATE_ID) { return UnsafeRawPointer(state.pointer) }
        if id.bytes.holds(PLUGIN_SETTINGS_ID) { return UnsafeRawPointer(settings.pointer) }
        if id.bytes.holds(PLUGIN_NIB_ID) { return UnsafeRawPointer(nib.pointer) }
        return nil
    }

    /// A table that is written once and never freed.
    private struct Immortal<Table>: @unchecked Sendable {
        // @unchecked because of the pointer: no code writes through it after init.
        let pointer: UnsafePointer<Table>

        init(_ table: Table) {
            let memory = UnsafeMutablePointer<Table>.allocate(capacity: 1)
            memory.initialize(to: table)
            pointer = UnsafePointer(memory)
        }
    }

    // MARK: org.pluginhost.swift/1

    private static let swift = Immortal(
        plugin_swift_host(
            header: plugin_header(size: UInt32(MemoryLayout<plugin_swift_host>.size), version: 1),
            begin: { host, identity in
                guard let identity, identity.pointee.header.size >= UInt32(PLUGIN_SWIFT_IDENTITY_SIZE_1_0) else {
                    return plugin_status(PLUGIN_INVALID_ARGUMENT)
                }
                return HostExtensions.begin(HostTable.of(host), SwiftIdentity(identity))
            },
            commit: { host, registrar in
                guard let registrar else { return plugin_status(PLUGIN_INVALID_ARGUMENT) }
                return HostTable.of(host).register(
                    Unmanaged<PluginRegistrar>.fromOpaque(registrar).takeUnretainedValue())
            }))

    /// The toolchain and copies that a plug-in was compiled with.
    ///
    /// Fields beyond the size in its own header are not read, because today's struct may be longer.
    private struct SwiftIdentity {
        let abiIdentity: UnsafeRawPointer?
        let toolchain: plugin_string
        let revision: UInt32
        /// Empty for a plug-in that was compiled for ABI 1.0.
        let conformances: UnsafeRawBufferPointer

        init(_ identity: UnsafePointer<plugin_swift_identity>) {
            abiIdentity = identity.pointee.abi_identity
            toolchain = identity.pointee.toolchain
            revision = identity.pointee.revision
            let hasConformances = identity.pointee.header.size >= UInt32(PLUGIN_SWIFT_IDENTITY_SIZE_1_1)
            conformances = UnsafeRawBufferPointer(
                start: hasConformances ? identity.pointee.conformances : nil,
                count: hasConformances ? identity.pointee.conformances_size : 0)
        }
    }

    /// Compares the toolchains and copies of both sides.
    ///
    /// Swift objects are exchanged afterwards, so everything must be equal.
    private static func begin(_ table: HostTable, _ identity: SwiftIdentity) -> plugin_status {
        var findings: [PluginFinding] = []
        if identity.abiIdentity != abiIdentity {
            let library = identity.abiIdentity.flatMap { LoadedLibraries.path(containing: $0) } ?? "the plug-in"
            let own = LoadedLibraries.path(containing: abiIdentity) ?? "the host"
            findings.append(
                PluginFinding(
                    .duplicateABI, subject: "PluginABI",
                    message: "The process contains the module PluginABI twice: in \(quoted(library)), which the "
                        + "plug-in uses, and in \(quoted(own)), which the host uses. The types of the two copies are different.",
                    remedy: OwnCopyRemedy.text))
        }
        if !PluginNote.isHostToolchain(identity.toolchain.bytes) {
            findings.append(
                PluginFinding(
                    .toolchainMismatch, subject: identity.toolchain.text,
                    message:
                        "The plug-in was built by \(quoted(identity.toolchain.text)), the host by \(quoted(PluginNote.hostToolchain)).",
                    remedy: "Build the plug-in with the host's Swift toolchain."))
        }
        let expected = UInt32(PLUGIN_SWIFT_REVISION)
        // The plug-in reads its revision from its note, at the address where the linker put it. If a tool moved the
        // note, that address contains other bytes.
        let revision =
            identity.revision == expected
            ? expected : LoadedNotes.swiftRevision(ofLibraryContaining: identity.toolchain.bytes.baseAddress)
        if revision == nil {
            findings.append(
                PluginFinding(
                    .abiMismatch, subject: PLUGIN_NOTE_SECTION,
                    message:
                        "The plug-in's note, the section \(PLUGIN_NOTE_SECTION), was removed or overwritten after the "
                        + "plug-in was linked.",
                    remedy: "Build the plug-in again, and remove no section from it."))
        } else if let revision, revision != expected {
            findings.append(
                PluginFinding(
                    .abiMismatch, subject: "PLUGIN_SWIFT_REVISION",
                    message: "The plug-in was built for revision \(revision) of the Swift level, the host has "
                        + "revision \(expected).",
                    remedy: "Build the plug-in against the host's version of PluginABI."))
        }
        // The records of another compiler cannot be read.
        if findings.isEmpty {
            findings = InterfaceComparison.findings(
                for: identity.conformances,
                record: table.bundle.compiledRecord(ofCodeAt: identity.conformances.baseAddress))
        }
        guard !findings.isEmpty else { return plugin_status(PLUGIN_OK) }
        let status = identity.abiIdentity != abiIdentity ? PLUGIN_DUPLICATE_ABI : PLUGIN_ABI_MISMATCH
        table.fail(findings)
        return plugin_status(status)
    }

    // MARK: org.pluginhost.resources/1

    private static let resources = Immortal(
        plugin_resources(
            header: plugin_header(size: UInt32(MemoryLayout<plugin_resources>.size), version: 1),
            resource_path: { host, name, type, subdirectory in
                let bundle = HostTable.of(host).bundle
                // No resource has a name that is not UTF-8, and repairing it would make it a different name.
                guard let name = name.validText, let type = type.validText, let directory = subdirectory.validText
                else { return nil }
                let path = bundle.path(
                    forResource: name, ofType: type, inDirectory: directory.isEmpty ? nil : directory)
                return path.flatMap { strdup($0) }
            },
            localized_string: { host, key, fallback, table in
                strdup(
                    HostTable.of(host).bundle.localizedString(
                        forKey: key.text, value: fallback.text, table: table.len > 0 ? table.text : nil))
            }))

    // MARK: org.pluginhost.lifecycle/1

    private static let lifecycle = Immortal(
        plugin_lifecycle(
            header: plugin_header(size: UInt32(MemoryLayout<plugin_lifecycle>.size), version: 1),
            register_hooks: { host, hooks in HostTable.of(host).register(hooks) }))

    // MARK: org.pluginhost.services/1

    private static let services = Immortal(
        plugin_services(
            header: plugin_header(size: UInt32(MemoryLayout<plugin_services>.size), version: 1),
            find_service: { host, point, version, service in
                let client = HostTable.of(host).bundle
                guard let service, service.pointee.header.size >= UInt32(PLUGIN_SERVICE_SIZE_1_0) else {
                    return plugin_status(PLUGIN_INVALID_ARGUMENT)
                }
                guard let point = point.validText else { return plugin_status(PLUGIN_INVALID_ARGUMENT) }
                do {
                    let instance = try client.cService(point, version)
                    service.pointee.functions = UnsafeRawPointer(instance.table)
                    service.pointee.instance = instance.pointer
                    return plugin_status(PLUGIN_OK)
                } catch {
                    HostEnvironment.log(
                        HostLogRecord(level: .error, bundleIdentifier: client.displayIdentifier, message: "\(error)"))
                    let isMissing = (error as? PluginError)?.code == .serviceMissing
                    return plugin_status(isMissing ? PLUGIN_NOT_FOUND : PLUGIN_FAILED)
                }
            }))

    // MARK: org.pluginhost.state/1

    private static let state = Immortal(
        plugin_state(
            header: plugin_header(size: UInt32(MemoryLayout<plugin_state>.size), version: 1),
            state_directory: { host in HostTable.of(host).bundle.makeStateDirectory().flatMap { strdup($0) } }))

    // MARK: org.pluginhost.settings/1

    private static let settings = Immortal(
        plugin_settings(
            header: plugin_header(size: UInt32(MemoryLayout<plugin_settings>.size), version: 1),
            get_boolean: { host, key, value in
                HostTable.of(host).get(key, into: value) { $0.booleanBit }
            },
            get_integer: { host, key, value in
                HostTable.of(host).get(key, into: value) {
                    if case .integer(let value) = $0 { Int64(value) } else { nil }
                }
            },
            get_real: { host, key, value in
                HostTable.of(host).get(key, into: value) { if case .real(let value) = $0 { value } else { nil } }
            },
            get_string: { host, key, value in
                HostTable.of(host).get(key, into: value) { if case .text(let text) = $0 { strdup(text) } else { nil } }
            },
            set_boolean: { host, key, value, reason in HostTable.of(host).set(key, .boolean(value != 0), reason) },
            set_integer: { host, key, value, reason in HostTable.of(host).set(key, .integer(Int(value)), reason) },
            set_real: { host, key, value, reason in HostTable.of(host).set(key, .real(value), reason) },
            set_string: { host, key, value, reason in
                guard let text = value.validText else { return plugin_status(PLUGIN_INVALID_ARGUMENT) }
                return HostTable.of(host).set(key, .text(text), reason)
            },
            reset: { host, key, reason in HostTable.of(host).set(key, nil, reason) },
            observe: { host, observer, userData in HostTable.of(host).observeSettings(observer, userData) }))

    // MARK: org.pluginhost.nib/1

    private static let nib = Immortal(
        plugin_nib(
            header: plugin_header(size: UInt32(MemoryLayout<plugin_nib>.size), version: 1),
            register_class: { host, nibClass in HostTable.of(host).register(nibClass: nibClass) },
            instantiate: { host, name, ownerClass, owner, nib in
                HostTable.of(host).instantiate(nib: name, ownerClass: ownerClass, owner: owner, into: nib)
            },
            find_object: { host, nib, id, object in HostTable.of(host).findObject(of: nib, id: id, into: object) },
            release: { host, nib in HostTable.of(host).release(nib: nib) },
            send: { host, action, sender in HostTable.of(host).send(action, from: sender) }))
}
