import Foundation
import Glibc

/// Reads a text file block by block, and passes it on in passages of whole lines.
struct DocumentReader {
    /// Why a file cannot be used as a document.
    struct Unreadable: Error, CustomStringConvertible {
        var description: String
    }

    /// So large that the cost of a call to a plug-in does not matter, and so small that it fits in a processor's cache.
    private static let blockLength = 512 * 1024

    let name: String
    let byteCount: Int
    private let path: String
    private let file: FileHandle

    init(path: String) throws(Unreadable) {
        self.path = path
        name = URL(filePath: path).lastPathComponent
        let look: FileLook
        do throws(SystemFailure) {
            look = try FileLook(path: path)
            (file, byteCount) = try look == .file ? Self.open(path) : (.nullDevice, 0)
        } catch {
            throw Unreadable(
                description: error.number == EACCES
                    ? localized("{0} may not be read.", path) : error.sentence(about: path))
        }
        switch look {
        case .nothing: throw Unreadable(description: localized("There is no file {0}.", path))
        case .directory: throw Unreadable(description: localized("{0} is a directory, not a document.", path))
        case .file: break
        }
    }

    private static func open(_ path: String) throws(SystemFailure) -> (FileHandle, Int) {
        let descriptor = try SystemFailure.checked { Glibc.open(path, O_RDONLY | O_CLOEXEC) }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        var status = stat()
        _ = try SystemFailure.checked { fstat(descriptor, &status) }
        return (file, Int(status.st_size))
    }

    /// Reads the whole file.
    ///
    /// - Parameters:
    ///   - block: takes the unchanged bytes of the file.
    ///   - passage: takes the text, and how many bytes of the file are done.
    /// - Throws: ``SystemFailure`` if the file cannot be read, and the errors of the two functions.
    func read(block: ([UInt8]) throws -> Void, passage: (String, _ offset: Int) throws -> Void) throws {
        var pending: [UInt8] = []
        var offset = 0
        while case let bytes = try nextBlock(), !bytes.isEmpty {
            if offset == 0 { try refuseOtherEncodings(bytes) }
            guard !bytes.contains(0) else {
                throw Unreadable(description: localized("{0} is not text but binary data.", name))
            }
            try block(bytes)
            pending += offset == 0 && bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes[3...] : bytes[...]
            offset += bytes.count
            let end = endOfPassage(in: pending)
            if end > 0 { try passage(text(pending[..<end]), offset) }
            pending.removeSubrange(..<end)
        }
        if offset == 0 { throw Unreadable(description: localized("{0} is empty.", name)) }
        if !pending.isEmpty { try passage(text(pending[...]), offset) }
    }

    /// Empty at the end.
    private func nextBlock() throws -> [UInt8] {
        do {
            return try [UInt8](unsafeUninitializedCapacity: Self.blockLength) { buffer, count in
                count = try SystemFailure.checked { Glibc.read(file.fileDescriptor, buffer.baseAddress, buffer.count) }
            }
        } catch let failure as SystemFailure {
            throw Unreadable(description: failure.sentence(about: path))
        }
    }

    /// After the last line end, else after the last space, else before the last character, which may be incomplete.
    private func endOfPassage(in bytes: [UInt8]) -> Int {
        if let newline = bytes.lastIndex(of: 0x0A) { return newline + 1 }
        if let space = bytes.lastIndex(of: 0x20) { return space + 1 }
        return bytes.lastIndex { $0 & 0xC0 != 0x80 } ?? bytes.count
    }

    private func text(_ bytes: ArraySlice<UInt8>) throws -> String {
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        throw Unreadable(description: localized("{0} is not in UTF-8. Convert it, for instance with iconv.", name))
    }

    private func refuseOtherEncodings(_ bytes: [UInt8]) throws {
        if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) {
            throw Unreadable(description: localized("{0} is not in UTF-8. Convert it, for instance with iconv.", name))
        }
    }
}
