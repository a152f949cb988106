import Glibc
public import HostBasics
import InterfaceRecords

/// Puts records into libraries, for tools.
public enum InterfaceSectionWriter {
    /// Adds a record to a library, or replaces the one that it has.
    ///
    /// The file is changed in place, so it must be a copy that no process uses. Only its end grows: the content, the names
    /// of the sections and the table of sections are written after everything else, and the header, which leads to
    /// them, last. No address, segment or build-id changes.
    ///
    /// - Parameters:
    ///   - content: the bytes of the section.
    ///   - path: the library.
    /// - Throws: a ``PluginFinding`` of code `notLoadable` if the file is not a library with a table of sections, or
    ///   cannot be written.
    public static func write(_ content: [UInt8], into path: String) throws(PluginFinding) {
        let (bytes, header, start) = try changed(content, path)
        let descriptor = path.withCString { Glibc.open($0, O_RDWR | O_CLOEXEC | O_NOFOLLOW) }
        guard descriptor >= 0 else { throw refused(path, errno) }
        defer { close(descriptor) }
        try write(bytes, at: start, to: descriptor, path)
        try write(header, at: 0, to: descriptor, path)
    }

    /// The bytes for the end of the file and where they begin, and the new header.
    private static func changed(
        _ content: [UInt8], _ path: String
    ) throws(PluginFinding) -> (bytes: [UInt8], header: [UInt8], start: Int64) {
        let table: SectionTable
        let size: UInt64
        do throws(OpenedFile.Failure) {
            let file = try OpenedFile(path: path)
            size = file.identity.size
            guard let found = SectionTable(file) else { throw .notRegular(kind: "a file without a table of sections") }
            table = found
        } catch {
            throw PluginFinding(
                .notLoadable, filePath: path, message: "The file \(quoted(path)) \(error.reason).",
                remedy: error.remedy(else: "Give the path of a library for this machine, as the linker wrote it."))
        }
        let known = table.indices(named: InterfaceRecord.sectionName)
        let start = (size + 7) & ~7
        var names = table.names
        var headers = table.table
        let name = UInt32(names.count)
        if known.isEmpty {
            names += Array(InterfaceRecord.sectionName.utf8) + [0]
            headers += [UInt8](repeating: 0, count: ELF.sectionHeaderSize)
        }
        var bytes = content
        func put(_ value: some FixedWidthInteger, in target: inout [UInt8], at offset: Int) {
            target.withUnsafeMutableBytes { $0.storeBytes(of: value, toByteOffset: offset, as: type(of: value)) }
        }
        func set(_ index: Int, _ field: Int, _ value: UInt64) {
            put(value, in: &headers, at: index * ELF.sectionHeaderSize + field)
        }
        let count = headers.count / ELF.sectionHeaderSize
        for index in known.isEmpty ? [count - 1] : known {
            let place = index * ELF.sectionHeaderSize
            if known.isEmpty { put(name, in: &headers, at: place) }
            put(UInt32(1), in: &headers, at: place + 4)  // SHT_PROGBITS
            set(index, 8, 0)
            set(index, 16, 0)
            set(index, 24, start)
            set(index, 32, UInt64(content.count))
            put(UInt32(0), in: &headers, at: place + 40)
            put(UInt32(0), in: &headers, at: place + 44)
            set(index, 48, 1)
            set(index, 56, 0)
        }
        set(table.namesIndex, 24, start + UInt64(bytes.count))
        set(table.namesIndex, 32, UInt64(names.count))
        bytes += names
        while bytes.count % 8 != 0 { bytes.append(0) }
        var header = table.head
        put(start + UInt64(bytes.count), in: &header, at: 40)
        put(UInt16(count), in: &header, at: 60)
        bytes += headers
        return (bytes, header, Int64(start))
    }

    private static func write(
        _ bytes: [UInt8], at offset: Int64, to descriptor: CInt, _ path: String
    ) throws(PluginFinding) {
        var done = 0
        while done < bytes.count {
            let written = bytes.withUnsafeBytes {
                pwrite(descriptor, $0.baseAddress! + done, $0.count - done, Int(offset) + done)
            }
            if written < 0, errno == EINTR { continue }
            guard written > 0 else { throw refused(path, errno) }
            done += written
        }
    }

    private static func refused(_ path: String, _ errno: CInt) -> PluginFinding {
        PluginFinding(
            .notLoadable, filePath: path,
            message: "The record cannot be written into \(quoted(path)) (\(describe(errno: errno))).",
            remedy: ErrorNumber.remedy(errno, to: .write))
    }
}
