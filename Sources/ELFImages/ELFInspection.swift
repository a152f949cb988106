internal import CPluginSupport
public import HostBasics

/// The result of inspecting a plug-in's file without running it.
package struct ELFInspection: Sendable {
    /// All problems, in the order in which they were found.
    package var findings: [PluginFinding] = []
    /// The file's own note, or nil if it has none.
    package var note: PluginNote?
    /// A hash of the file's first bytes; 0 if the first segment does not map them unchanged.
    ///
    /// ``ELFInspector/fingerprint(ofFileMappedAt:)`` returns the same for the file after it was mapped.
    package var fingerprint: UInt64 = 0
    /// Needed libraries that are not in the process yet.
    package var absentLibraries: [String] = []
    /// The search path for ``absentLibraries``; read only if there are any.
    package var searchPath: SearchPath?
    /// DT_SONAME of a library.
    package var ownName: String?
    /// A hash of the name of each unique symbol (STB_GNU_UNIQUE) that the file defines; nearly always empty.
    package var uniqueSymbols: [UInt64] = []
    /// Whether the file is a complete shared object for this machine whose tables never point outside of it.
    ///
    /// Only then can its tables be read further.
    package var hasSoundTables = false

    /// Whether no finding prevents the file from being opened.
    package var isLoadable: Bool { !findings.contains { $0.severity == .error } }

    /// Whether a file in memory is the inspected file, and not a file that has replaced it since.
    ///
    /// `base`: the start address of the loaded file, as the dynamic linker reports it.
    package func describes(libraryAt base: UInt) -> Bool {
        guard fingerprint != 0, let header = UnsafeRawPointer(bitPattern: base) else { return true }
        return fingerprint == ELFInspector.fingerprint(ofFileMappedAt: header)
    }
}

/// DT_RUNPATH, otherwise DT_RPATH.
package struct SearchPath: Sendable {
    package let text: String
    /// DT_RPATH also applies to the libraries of libraries.
    package let isInherited: Bool
}

/// The ELF note with the owner `PluginHost`, which states what a plug-in was built for (plugin_abi.h, "The note in the
/// file").
public struct PluginNote: Sendable, Hashable {
    /// The version of the C ABI.
    public let abiMajor: UInt16
    /// The minor version of the C ABI.
    public let abiMinor: UInt16
    /// The revision of the Swift level; 0 for a plug-in in C.
    public let swiftRevision: UInt16
    package let flags: UInt32
    /// The compiler with its source revision; nil if the note does not contain it.
    public let toolchain: String?

    /// Whether the file registers Swift types, which only the same toolchain can read.
    public var isSwift: Bool { flags & PLUGIN_NOTE_SWIFT != 0 }

    /// The toolchain that this host was compiled with.
    package static let hostToolchain = plugin_swift_toolchain().text

    /// Whether a toolchain is the host's; comparing bytes avoids a String at nearly every load.
    package static func isHostToolchain(_ bytes: UnsafeRawBufferPointer) -> Bool {
        bytes.equals(plugin_swift_toolchain().bytes)
    }

    /// The longest payload that is read, in bytes.
    ///
    /// A line of the payload is about a hundred bytes long.
    static let payloadLimit = 2048

    package enum Fault: Error {
        /// The descriptor is shorter than the head, or the payload longer than the descriptor.
        case damaged
        /// A later format, whose content is unknown.
        case format(UInt16)
    }

    /// `descriptor`: the note's descriptor, a `plugin_note_head` followed by the payload.
    package init(descriptor: UnsafeRawBufferPointer) throws(Fault) {
        let headSize = MemoryLayout<plugin_note_head>.size
        guard descriptor.count >= headSize else { throw .damaged }
        let head = descriptor.loadUnaligned(as: plugin_note_head.self)
        guard head.format == PLUGIN_NOTE_FORMAT else { throw .format(head.format) }
        guard head.payload_length <= descriptor.count - headSize, head.payload_length <= Self.payloadLimit else {
            throw .damaged
        }
        abiMajor = head.abi_major
        abiMinor = head.abi_minor
        swiftRevision = head.swift_revision
        flags = head.flags
        let payload = UnsafeRawBufferPointer(
            rebasing: descriptor[headSize..<(headSize + Int(head.payload_length))])
        toolchain = Self.toolchain(in: payload)
    }

    /// Reads the note of a file; nil if the file has none, or is not an ELF file.
    ///
    /// - Throws: ``PluginError`` of code `notLoadable` if the file cannot be read.
    @_spi(Tools) public init?(ofFile path: String) throws(PluginError) {
        let inspection: ELFInspection
        do throws(OpenedFile.Failure) {
            inspection = ELFInspector.inspectQuickly(
                try OpenedFile(path: path), path: path, bundlePath: Path.parent(path))
        } catch {
            throw PluginError(
                bundlePath: Path.parent(path),
                PluginFinding(
                    .notLoadable, filePath: path, message: "\(quoted(path)) \(error.reason).",
                    remedy: error.remedy(else: "Build the code again.")))
        }
        if let refused = inspection.findings.first(where: { $0.refusal != nil }) {
            throw PluginError(bundlePath: Path.parent(path), refused)
        }
        guard let note = inspection.note else { return nil }
        self = note
    }

    /// The value that a packer writes for `PHBuiltFor` into the bundle's Info.plist.
    @_spi(Tools) public var summary: [String: String] {
        var summary = ["ABI": "\(abiMajor).\(abiMinor)"]
        if isSwift { summary["Toolchain"] = toolchain }
        return summary
    }

    /// The value of the line `toolchain=…`.
    ///
    /// Nearly always this is the host's value, for which nothing is allocated.
    private static func toolchain(in payload: UnsafeRawBufferPointer) -> String? {
        let key = "toolchain="
        var rest = payload
        while !rest.isEmpty {
            let end = rest.offset(of: 0x0A) ?? rest.endIndex
            let line = UnsafeRawBufferPointer(rebasing: rest[..<end])
            rest = UnsafeRawBufferPointer(rebasing: rest[min(end + 1, rest.endIndex)...])
            guard UnsafeRawBufferPointer(rebasing: line.prefix(key.utf8.count)).holds(key) else { continue }
            let value = UnsafeRawBufferPointer(rebasing: line[key.utf8.count...])
            return isHostToolchain(value) ? hostToolchain : String(decoding: value, as: UTF8.self)
        }
        return nil
    }
}
