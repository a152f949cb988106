import HostBasics
import PropertyLists

/// The compiled form of a `.strings` file, used only while it matches the text next to it.
///
/// The text is authoritative. A compiled table is used only if it was made from this text: the size must match, and so
/// must the time of the last change or else a hash of the bytes. The first strings are then found in the file without
/// reading it as a whole, because a program that starts needs only a few strings of a large table.
struct CompiledTable: ~Copyable {
    private let file: OpenedFile
    private let head: CompiledStrings.Head

    /// Opens the compiled table next to a `.strings` file; nil if there is none that matches the text.
    ///
    /// **Cost.** One system call if there is none, otherwise four; if the time differs, also reading the text.
    init?(beside strings: String) {
        let path = Self.path(beside: strings)
        guard let file = try? OpenedFile(path: path) else { return nil }
        let head: CompiledStrings.Head? = withUnsafeTemporaryAllocation(
            byteCount: CompiledStrings.Head.size, alignment: 8
        ) { bytes in
            guard (try? file.read(into: bytes, at: 0)) == bytes.count else { return nil }
            return CompiledStrings.Head(UnsafeRawBufferPointer(bytes), fileSize: file.identity.size)
        }
        guard let head, file.identity.size <= Self.mostBytes, Self.isCurrent(head, strings) else { return nil }
        self.file = file
        self.head = head
    }

    /// The compiled form of a text within its limit is never larger.
    private static let mostBytes = UInt64(4 * PropertyListLimits.stringsTable.size)

    /// `fr.lproj/Localizable.compiled-strings` for `fr.lproj/Localizable.strings`.
    package static func path(beside strings: String) -> String {
        strings.dropLast("strings".utf8.count) + CompiledStrings.pathExtension
    }

    private static func isCurrent(_ head: CompiledStrings.Head, _ strings: String) -> Bool {
        guard let text = FileIdentity(path: strings), text.isRegularFile, text.size == head.sourceSize else {
            return false
        }
        if text.modified == head.sourceModified { return true }
        // The file was copied without its time, or it was changed. Only its bytes show which.
        let limit = PropertyListLimits.stringsTable.size
        guard text.size <= UInt64(limit), let bytes = try? OpenedFile(path: strings).bytes(atMost: limit) else {
            return false
        }
        return bytes.withUnsafeBytes { CompiledStrings.hash($0) } == head.sourceHash
    }

    /// The translation of a key, from the file; nil if the table lacks it or must be read as a whole.
    package func text(forKey key: String) -> String? {
        let answer = CompiledStrings.find(key, head) { offset, count in
            var isWhole = false
            let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
                filled = (try? file.read(into: UnsafeMutableRawBufferPointer(buffer), at: UInt64(offset))) ?? 0
                isWhole = filled == count
            }
            return isWhole ? bytes : nil
        }
        if case .text(let text) = answer { return text }
        return nil
    }

    /// All entries, in memory; nil if the table is damaged.
    package func index(_ limits: PropertyListLimits) -> StringsIndex? {
        let size = Int(clamping: file.identity.size)
        let text = ListText(capacity: size)
        let memory = UnsafeMutableRawBufferPointer(start: text.bytes, count: size)
        guard (try? file.read(into: memory, at: 0)) == size else { return nil }
        return StringsIndex.compiled(text, limits: limits)
    }
}
