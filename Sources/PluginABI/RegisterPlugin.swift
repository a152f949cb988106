@_exported public import CPluginSupport

/// Runs a Swift plug-in's registration inside its entry function.
///
/// ```swift
/// @c(plugin_entry)
/// public func pluginEntry(_ host: UnsafePointer<plugin_host>) -> plugin_status {
///     registerPlugin(with: host) { plugin in
///         plugin.register(Reporter.self)
///     }
/// }
/// ```
/// First, the host and the plug-in compare their toolchains and their copies of this module. If they differ, the body
/// does not run, and the load fails with an error that names both sides.
///
/// This function is compiled into the plug-in. So the plug-in's file contains the ELF note that a host reads before
/// loading.
///
/// - Parameters:
///   - host: the table that was passed to the entry function.
///   - body: registers the plug-in's classes and providers. If it throws, the load fails with that error, and nothing
///     is registered.
/// - Returns: the status that the entry function must return.
///
/// **Threads.** The thread of the entry function, once.
@_alwaysEmitIntoClient
public func registerPlugin(
    with host: UnsafePointer<plugin_host>, _ body: (PluginRegistrar) throws -> Void
) -> plugin_status {
    _registerPlugin(
        with: host, note: plugin_swift_note_address(), toolchain: plugin_swift_toolchain(),
        conformances: UnsafeRawBufferPointer(
            start: plugin_swift_conformances(), count: plugin_swift_conformances_size()),
        body)
}

/// The part of ``registerPlugin(with:_:)`` that is in this library.
///
/// Not for direct use.
///
/// - Parameters:
///   - host: the host's table.
///   - note: the note in the plug-in's file; it is a parameter so that the compiler emits the note there.
///   - toolchain: the toolchain that compiled the plug-in.
///   - conformances: the list of the protocol conformances in the plug-in's file.
///   - body: what the plug-in registers.
/// - Returns: the status for the entry to return.
public func _registerPlugin(
    with host: UnsafePointer<plugin_host>, note: UnsafePointer<plugin_note>, toolchain: plugin_string,
    conformances: UnsafeRawBufferPointer, _ body: (PluginRegistrar) throws -> Void
) -> plugin_status {
    let table = HostTable(pointer: host)
    guard table.isCompatible else { return plugin_status(PLUGIN_ABI_MISMATCH) }
    guard let swift = table.swiftExtension else {
        table.setError("This host does not load Swift plug-ins.", remedy: "Use a PluginHost of ABI 1.0 or later.")
        return plugin_status(PLUGIN_ABI_MISMATCH)
    }
    var identity = plugin_swift_identity()
    identity.header = plugin_header(size: UInt32(MemoryLayout<plugin_swift_identity>.size), version: 1)
    identity.abi_identity = abiIdentity
    identity.toolchain = toolchain
    identity.revision = UInt32(note.pointee.head.swift_revision)
    identity.conformances = conformances.baseAddress
    identity.conformances_size = conformances.count
    let compared = swift.pointee.begin(host, &identity)
    guard compared == PLUGIN_OK else { return compared }

    let registrar = PluginRegistrar(host: host)
    do {
        try body(registrar)
    } catch {
        _ = registrar.close()
        if let failure = error as? PluginFailure {
            table.setError(failure.message, remedy: failure.remedy, code: failure.code)
        } else {
            table.setError(String(describing: error))
        }
        return plugin_status(PLUGIN_FAILED)
    }
    if let misuse = registrar.close() {
        table.setError("The plug-in \(misuse)", remedy: "Register on the thread of plugin_entry only.")
        return plugin_status(PLUGIN_CLOSED)
    }
    return swift.pointee.commit(host, Unmanaged.passUnretained(registrar).toOpaque())
}

/// The variant for plug-ins compiled for ABI 1.0, which do not pass their conformances.
///
/// Not for direct use.
public func _registerPlugin(
    with host: UnsafePointer<plugin_host>, note: UnsafePointer<plugin_note>, toolchain: plugin_string,
    _ body: (PluginRegistrar) throws -> Void
) -> plugin_status {
    _registerPlugin(
        with: host, note: note, toolchain: toolchain, conformances: UnsafeRawBufferPointer(start: nil, count: 0), body)
}

/// An address that is different for each copy of this module: the metadata of one of its classes.
@_spi(PluginHost)
public var abiIdentity: UnsafeRawPointer { unsafeBitCast(PluginRegistrar.self, to: UnsafeRawPointer.self) }

/// The host's C table, with an interface in Swift types.
struct HostTable: @unchecked Sendable {
    // @unchecked because of the pointer: the table is never freed and never changes (plugin_abi.h).
    let pointer: UnsafePointer<plugin_host>

    /// The beginning of the table has the same layout in every version, so this can read it before the rest is known to
    /// be compatible.
    var isCompatible: Bool {
        pointer.pointee.magic == PLUGIN_ABI_MAGIC && pointer.pointee.abi_major == PLUGIN_ABI_MAJOR
            && pointer.pointee.header.size >= UInt32(PLUGIN_HOST_SIZE_1_0)
    }

    var swiftExtension: UnsafePointer<plugin_swift_host>? {
        withPluginString(PLUGIN_SWIFT_ID) { pointer.pointee.get_extension(pointer, $0) }?
            .assumingMemoryBound(to: plugin_swift_host.self)
    }

    func setError(_ message: String, remedy: String = "", code: Int32 = 0) {
        withPluginString("") { domain in
            withPluginString(message) { message in
                withPluginString(remedy) { pointer.pointee.set_error(pointer, domain, code, message, $0) }
            }
        }
    }

    func log(_ level: PluginLogger.Level, _ message: String) {
        withPluginString(message) { pointer.pointee.log(pointer, level.rawValue, $0) }
    }
}

/// Passes a string's UTF-8 to a call across the C ABI.
@_spi(PluginHost)
public func withPluginString<Result>(_ string: String, _ body: (plugin_string) throws -> Result) rethrows -> Result {
    var string = string
    return try string.withUTF8 { utf8 in
        try utf8.withMemoryRebound(to: CChar.self) { try body(plugin_string(ptr: $0.baseAddress, len: $0.count)) }
    }
}
