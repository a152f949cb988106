import Foundation

/// Reads a text file block by block, and hands it on in passages of whole lines.
struct DocumentReader {
    /// Why a file is no document for the workbench.
    struct Unreadable: Error, CustomStringConvertible {
        var description: String
    }

    /// Large enough that the cost of a call to a plug-in does not count, small enough to stay in a processor's cache.
    private static let blockLength = 512 * 1024

    let name: String
    let byteCount: Int
    private let file: FileHandle

    init(path: String) throws(Unreadable) {
        name = URL(filePath: path).lastPathComponent
        var isDirectory: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) else {
            throw Unreadable(description: localized("There is no file {0}.", path))
        }
        guard !isDirectory.boolValue else {
            throw Unreadable(description: localized("{0} is a directory, not a document.", path))
        }
        guard let file = FileHandle(forReadingAtPath: path) else {
            throw Unreadable(description: localized("{0} may not be read.", path))
        }
        self.file = file
        byteCount = (try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int) ?? 0
    }

    /// Reads the whole file.
    ///
    /// - Parameters:
    ///   - block: takes the file's bytes as they are.
    ///   - passage: takes the text, and how many bytes of the file have been dealt with.
    func read(block: ([UInt8]) throws -> Void, passage: (String, _ offset: Int) throws -> Void) throws {
        var pending: [UInt8] = []
        var offset = 0
        while let data = try file.read(upToCount: Self.blockLength), !data.isEmpty {
            let bytes = [UInt8](data)
            if offset == 0 { try refuseOtherEncodings(bytes) }
            guard !bytes.contains(0) else {
                throw Unreadable(description: localized("{0} is no text but binary data.", name))
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

    /// Behind the last line end, else behind the last space, else before the last character, which may be incomplete.
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
