package import HostBasics

/// The edit that gives the libraries of a private copy names of their own, so that the dynamic linker loads them beside
/// libraries of other bundles with the same names.
///
/// A needed name leads to the first image in the process with that SONAME, wherever its file is. A unique symbol
/// (STB_GNU_UNIQUE, which g++ gives the statics of inline functions) has one definition in the process, whatever the
/// scope. The edit therefore writes other names of the same length into the string table, and makes unique symbols
/// weak. No table moves, and no address, size or build-id changes.
///
/// **Threads.** Any. Each call reads the file and changes nothing.
package struct OwnNames: Sendable {
    /// The new name for each SONAME and each needed name.
    private let names: [String: OwnName]

    /// - Parameter names: the new name for each carried SONAME, and for each needed name that means a carried library.
    package init(_ names: [String: OwnName]) { self.names = names }

    /// Bytes to be written into a file.
    package struct Edit: Sendable, Equatable {
        package let offset: UInt64
        package let bytes: [UInt8]
    }

    /// Why a file cannot be edited.
    package enum Failure: Error {
        /// The file is not a sound ELF file for this machine. The findings of its inspection.
        case unsound([PluginFinding])
        /// Another string of the file, such as the name of a symbol or a version, shares bytes with a library's name.
        case shared(name: String)
    }

    /// The edits that a file needs.
    ///
    /// The file is inspected first, so nothing in it is trusted that the inspection did not check.
    ///
    /// - Parameters:
    ///   - file: a file of the private copy.
    ///   - path: its path, for findings.
    ///   - bundlePath: the directory of the copy.
    /// - Returns: the edits; none if the file names no carried library and defines no unique symbol.
    /// - Throws: why the file cannot be edited.
    ///
    /// **Cost.** That of ``ELFInspector/inspectQuickly(_:path:bundlePath:as:)``.
    package func edits(
        of file: borrowing OpenedFile, path: String, bundlePath: String
    ) throws(Failure) -> [Edit] {
        try withTemporaryBytes(QuickInspection.storageSize) { (storage) throws(Failure) in
            var inspection = QuickInspection(
                of: file, path: path, bundlePath: bundlePath, role: .library, storage: storage)
            inspection.run(file)
            guard inspection.result.hasSoundTables else { throw .unsound(inspection.takeResult().findings) }
            let references: NameReferences
            do throws(TableFault) { references = try inspection.nameReferences(file) } catch {
                inspection.refuseDamaged(error.what)
                throw .unsound(inspection.takeResult().findings)
            }
            var edits = try renames(references, inspection)
            if let weak = inspection.weakenedSymbols() { edits.append(weak) }
            return edits
        }
    }

    private func renames(
        _ references: NameReferences, _ inspection: borrowing QuickInspection
    ) throws(Failure) -> [Edit] {
        let strings = inspection.tables.strings
        guard
            let start = inspection.fileOffset(
                ofAddress: inspection.dynamic.strings, count: UInt64(strings.count))
        else { return [] }
        // The offsets of the strings to change, each with the name that is there.
        var found: [UInt64: String] = [:]
        for offset in references.libraries where found[offset] == nil {
            guard let bytes = inspection.string(at: offset) else { continue }
            let text = String(decoding: bytes, as: UTF8.self)
            if names[text] != nil, bytes.elementsEqual(text.utf8) { found[offset] = text }
        }
        var parts = ChangedParts()
        for (offset, name) in found {
            parts.append(at: Int(offset), count: names[name]!.markLength, of: name, in: strings)
        }
        parts.sort()
        for offset in references.libraries where found[offset] == nil {
            if let name = parts.name(changedWith: Int(offset)) { throw .shared(name: name) }
        }
        for (offset, name) in found {
            if let other = parts.name(changedWith: Int(offset), otherThanAt: Int(offset)) {
                throw .shared(name: names[other] == nil ? name : other)
            }
        }
        for offset in references.others {
            if let name = parts.name(changedWith: Int(offset)) { throw .shared(name: name) }
        }
        if !found.isEmpty, let name = inspection.symbolName(in: parts) { throw .shared(name: name) }
        return found.sorted { $0.key < $1.key }.map { offset, name in
            Edit(offset: start + offset, bytes: Array(names[name]!.text.utf8.prefix(names[name]!.markLength)))
        }
    }
}

/// A name that no other library in the process has: the old one, with `~N~` over its first bytes.
///
/// It has the length of the old name, so it fits into its place.
package struct OwnName: Sendable, Equatable {
    package let text: String
    /// How many bytes differ from the old name.
    package let markLength: Int

    /// Nil if the name is too short for the mark.
    ///
    /// - Parameters:
    ///   - name: the old name.
    ///   - number: a number that no other name in the process has.
    package init?(for name: String, number: Int) {
        let mark = "~\(String(number, radix: 36))~"
        markLength = mark.utf8.count
        // The mark may end within a character of more than one byte.
        guard name.utf8.count >= markLength,
            let text = String(validating: Array(mark.utf8) + name.utf8.dropFirst(markLength), as: UTF8.self)
        else { return nil }
        self.text = text
    }
}

/// The parts of a string table that change, each with all offsets at which a string would change with it.
///
/// A string is everything up to the next NUL, so a string that begins earlier and has no NUL before the part contains
/// it: linkers store a string inside of a longer one with the same end.
struct ChangedParts {
    private var parts: [(starts: Range<Int>, offset: Int, name: String)] = []

    mutating func append(at offset: Int, count: Int, of name: String, in strings: UnsafeRawBufferPointer) {
        var first = offset
        while first > 0, strings[first - 1] != 0 { first -= 1 }
        parts.append((first..<(offset + count), offset, name))
    }

    mutating func sort() { parts.sort { $0.starts.lowerBound < $1.starts.lowerBound } }

    /// The library's name that shares a changed byte with the string at an offset; nil for all strings that stay.
    ///
    /// `own`: the offset of a part that does not count, because it is the string itself.
    func name(changedWith offset: Int, otherThanAt own: Int? = nil) -> String? {
        // The last part that begins at the offset or before it. Parts overlap only if one string contains another, and
        // then both begin at the same place.
        var (low, high) = (0, parts.count)
        while low < high {
            let middle = (low + high) / 2
            if parts[middle].starts.lowerBound <= offset { low = middle + 1 } else { high = middle }
        }
        guard low > 0 else { return nil }
        let first = parts[low - 1].starts.lowerBound
        for part in parts[..<low].reversed() {
            guard part.starts.lowerBound == first else { break }
            if part.offset != own, part.starts.contains(offset) { return part.name }
        }
        return nil
    }
}
