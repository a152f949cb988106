import CPluginSupport
import HostBasics

extension QuickInspection {
    /// Reads all notes, and compares the note of PluginHost with the host (fault 83).
    ///
    /// The dynamic linker also reads notes, in memory; ``checkSegments(_:)`` has verified that these are the same
    /// bytes.
    mutating func readNotes(_ file: borrowing OpenedFile) {
        for segment in segments
        where (segment.type == ELF.note || segment.type == ELF.gnuProperty) && segment.fileSize > 0 {
            guard segment.fileSize <= Self.notesLimit,
                let bytes = tableBytes.bytes(
                    at: segment.offset, count: Int(segment.fileSize), through: &window, file)
            else {
                if window.failure == nil {
                    refuseDamaged("its notes have \(segment.fileSize) bytes, too many to be read")
                }
                continue
            }
            let findings = result.findings.count
            if role == .plugin, segment.type == ELF.note {
                for descriptor in OwnNotes(in: bytes, alignment: segment.alignment) { take(descriptor) }
            }
            if result.findings.count == findings, !Notes.areSound(bytes, alignment: segment.alignment) {
                refuseDamaged("one of its notes claims more bytes than exist")
            }
        }
    }

    private static var notesLimit: UInt64 { 1 << 20 }

    /// Compares one note with the host.
    ///
    /// A file has several notes if several of its object files declare a note; each must match.
    @inline(never)
    private mutating func take(_ descriptor: UnsafeRawBufferPointer) {
        do throws(PluginNote.Fault) {
            let note = try PluginNote(descriptor: descriptor)
            let isFirst = result.note == nil
            if isFirst { result.note = note }
            guard isFirst || note != result.note else { return }
            let findings = NoteComparison(path: path).findings(for: note)
            if !findings.isEmpty { result.findings += findings }
        } catch {
            result.findings += NoteComparison(path: path).findings(for: error)
        }
    }
}

/// The notes with any owner in the bytes of one PT_NOTE segment or one section.
struct Notes: Sequence, IteratorProtocol {
    package struct Note {
        package var type: UInt32
        package var name: UnsafeRawBufferPointer
        package var descriptor: UnsafeRawBufferPointer
    }

    private let bytes: UnsafeRawBufferPointer
    private let alignment: Int
    private var offset = 0
    /// Whether a note claims more bytes than exist, and whether that note contains properties.
    package private(set) var isDamaged = false
    private(set) var hasDamagedProperties = false

    /// `alignment`: 4 or 8.
    init(in bytes: UnsafeRawBufferPointer, alignment: Int) {
        self.bytes = bytes
        self.alignment = alignment
    }

    /// Whether each note ends inside the bytes.
    ///
    /// Both alignments are accepted, because linkers have merged segments of both kinds; but the dynamic linker reads
    /// properties only with the segment's alignment.
    static func areSound(_ bytes: UnsafeRawBufferPointer, alignment: UInt64) -> Bool {
        var notes = Notes(in: bytes, alignment: alignment == 8 ? 8 : 4)
        while notes.next() != nil {}
        guard notes.isDamaged else { return true }
        guard !notes.hasDamagedProperties else { return false }
        notes = Notes(in: bytes, alignment: alignment == 8 ? 4 : 8)
        while notes.next() != nil {}
        return !notes.isDamaged
    }

    /// The next note: three 32-bit numbers, the name, and the descriptor; the last two are padded to the alignment.
    package mutating func next() -> Note? {
        guard offset <= bytes.count - 12 else { return nil }
        let nameSize = Int(bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
        let descriptorSize = Int(bytes.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self))
        let type = bytes.loadUnaligned(fromByteOffset: offset + 8, as: UInt32.self)
        // Int has 64 bits, and both sizes have 32, so none of these sums can overflow.
        let nameStart = offset + 12
        let descriptorStart = (nameStart + nameSize + alignment - 1) & ~(alignment - 1)
        let end = descriptorStart + descriptorSize
        guard nameStart + nameSize <= bytes.count, end <= bytes.count else {
            isDamaged = true
            hasDamagedProperties = type == Self.propertiesType && nameSize == 4
            return nil
        }
        offset = (end + alignment - 1) & ~(alignment - 1)
        return Note(
            type: type, name: UnsafeRawBufferPointer(rebasing: bytes[nameStart..<(nameStart + nameSize)]),
            descriptor: UnsafeRawBufferPointer(rebasing: bytes[descriptorStart..<end]))
    }

    private static let propertiesType: UInt32 = 5  // NT_GNU_PROPERTY_TYPE_0
}

/// The descriptors of the notes with the owner `PluginHost` in the bytes of one PT_NOTE segment or one section.
package struct OwnNotes: Sequence, IteratorProtocol {
    private var notes: Notes
    /// The first result of ``next()``.
    private var first: UnsafeRawBufferPointer?

    /// Finds the notes in the bytes.
    ///
    /// `alignment`: the segment's alignment; 8 for notes that are 8-aligned, any other number means 4. If the notes
    /// cannot be parsed with it, the other alignment is tried: linkers have merged segments of both kinds.
    package init(in bytes: UnsafeRawBufferPointer, alignment: UInt64) {
        notes = Notes(in: bytes, alignment: alignment == 8 ? 8 : 4)
        first = nextOwn()
        guard first == nil else { return }
        notes = Notes(in: bytes, alignment: alignment == 8 ? 4 : 8)
        first = nextOwn()
    }

    package mutating func next() -> UnsafeRawBufferPointer? {
        guard let note = first else { return nil }
        first = nextOwn()
        return note
    }

    @inline(never)
    private mutating func nextOwn() -> UnsafeRawBufferPointer? {
        while let note = notes.next() {
            // The name's length includes its NUL.
            if note.type == PLUGIN_NOTE_TYPE, note.name.holds("PluginHost\0") { return note.descriptor }
        }
        return nil
    }
}

/// Compares what a plug-in was built for with this host, and reports every difference with both values.
struct NoteComparison {
    package let path: String

    package func findings(for note: PluginNote) -> [PluginFinding] {
        var findings: [PluginFinding] = []
        let major = PLUGIN_ABI_MAJOR
        if Int32(note.abiMajor) != major {
            findings.append(
                finding(
                    .abiMismatch, "ABI \(note.abiMajor).\(note.abiMinor)",
                    "\(quoted(path)) was built for version \(note.abiMajor).\(note.abiMinor) of the plug-in ABI; "
                        + "this host has version \(major).\(PLUGIN_ABI_MINOR).",
                    "Build the plug-in with the plugin_abi.h of the PluginHost that this host uses, or install the "
                        + "version of the plug-in made for it."
                ))
        }
        guard note.isSwift else { return findings }
        if Int32(note.swiftRevision) != PLUGIN_SWIFT_REVISION {
            findings.append(
                finding(
                    .abiMismatch, "Swift revision \(note.swiftRevision)",
                    "\(quoted(path)) was built for revision \(note.swiftRevision) of the Swift level of the ABI; "
                        + "this host has revision \(PLUGIN_SWIFT_REVISION).",
                    "Build the plug-in against the version of PluginHost that this host uses."))
        }
        if note.toolchain != PluginNote.hostToolchain {
            findings.append(
                finding(
                    .toolchainMismatch, note.toolchain ?? "unknown",
                    "\(quoted(path)) was compiled by \(quoted(note.toolchain ?? "an unknown compiler")); this host "
                        + "was compiled by \(quoted(PluginNote.hostToolchain)).",
                    "Build the plug-in with the host's Swift toolchain, from a clean build folder: swift package "
                        + "clean && swift build -c release."
                ))
        }
        return findings
    }

    package func findings(for fault: PluginNote.Fault) -> [PluginFinding] {
        switch fault {
        case .damaged:
            return [
                finding(
                    .abiMismatch, "note",
                    "\(quoted(path)) has a note of PluginHost whose sizes contradict each other.",
                    "Build the plug-in again, and leave the note to registerPlugin() or PLUGIN_DECLARE_NOTE.")
            ]
        case .format(let format):
            return [
                finding(
                    .abiMismatch, "note format \(format)",
                    "\(quoted(path)) has a note of format \(format); this host reads format \(PLUGIN_NOTE_FORMAT).",
                    "Update the host, or install the version of the plug-in made for it.")
            ]
        }
    }

    private func finding(
        _ code: PluginError.Code, _ subject: String, _ message: String, _ remedy: String
    ) -> PluginFinding {
        PluginFinding(.error, code, filePath: path, subject: subject, message: message, remedy: remedy)
    }
}
