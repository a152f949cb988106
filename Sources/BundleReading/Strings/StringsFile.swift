package import HostBasics
package import PropertyLists

/// The files of one strings table in one place, and the code that reads them.
package struct StringsFile: Sendable, Equatable {
    /// The path of the `.strings`; nil if there is none.
    package let strings: String?
    /// The path of the `.stringsdict`; nil if there is none.
    package let formats: String?
    /// The language of the formats; irrelevant without any.
    package let language: String

    /// The content of the files and their problems.
    ///
    /// A file that cannot be read counts as empty.
    ///
    /// If a key is in both files, the translation in the `.stringsdict` is used.
    ///
    /// - Parameters:
    ///   - device: the name of the host's device, for entries that depend on it.
    ///   - limits: the limits for a file.
    /// - Returns: the table and the problems. If a finding is provisional, the system did not let a file be read, and
    ///   the table must not be cached.
    ///
    /// **Cost.** Linear in the files' sizes. A file that exceeds the limit is not read.
    package func read(
        device: String? = nil, limits: PropertyListLimits = .stringsTable
    ) -> (table: StringsTable, findings: [PluginFinding]) {
        var findings: [PluginFinding] = []
        let index = strings.flatMap { Self.index($0, limits, &findings) } ?? StringsIndex([:])
        guard let path = formats else { return (StringsTable(index), findings) }
        let rules = PluralRules(language: language)
        let formats = Self.formats(path, limits, LocalizedFormat.Choice(rules: rules, device: device), &findings)
        let table = StringsTable(
            index.adding(formats.mapValues(\.text)), formats: formats.mapValues(\.format), rules: rules)
        return (table, findings)
    }

    private static func index(
        _ path: String, _ limits: PropertyListLimits, _ findings: inout [PluginFinding]
    ) -> StringsIndex? {
        if let index = CompiledTable(beside: path)?.index(limits) { return index }
        return reading(path, &findings) { file throws(OpenedFile.Failure) in
            if let index = try indexOfUTF16(file, limits) { return (index, []) }
            let text = try text(of: file, limits)
            if let index = StringsIndex.recognizing(text, limits: limits) { return (index, []) }
            let (entries, faults) = StringsReader.read(UnsafeRawBufferPointer(text.buffer), limits: limits)
            return (StringsIndex(entries), faults)
        }
    }

    /// The index of a large file in UTF-16, which is read in pieces; nil for any other file, and if only the general
    /// reader can read it.
    private static func indexOfUTF16(
        _ file: borrowing OpenedFile, _ limits: PropertyListLimits
    ) throws(OpenedFile.Failure) -> StringsIndex? {
        let size = Int(clamping: file.identity.size)
        guard size > Self.pieceSize, size <= limits.size else { return nil }
        let piece = ListText(capacity: Self.pieceSize)
        let memory = UnsafeMutableRawBufferPointer(start: piece.bytes, count: piece.count)
        func read(at offset: Int, atMost count: Int) throws(OpenedFile.Failure) -> UnsafeBufferPointer<UInt8> {
            let count = try file.read(
                into: UnsafeMutableRawBufferPointer(rebasing: memory[..<count]), at: UInt64(offset))
            return UnsafeBufferPointer(rebasing: piece.buffer[..<count])
        }
        guard var text = UTF16Text(beginning: try read(at: 0, atMost: 4), size: size) else { return nil }
        var offset = text.start
        while offset < size {
            // Less than a unit is left if the file was truncated or became shorter.
            guard let taken = text.append(try read(at: offset, atMost: min(piece.count, size - offset))), taken > 0
            else { return nil }
            offset += taken
        }
        return StringsIndex.recognizing(text, limits: limits)
    }

    /// Large enough to need few system calls, small enough to stay in the processor's cache.
    private static let pieceSize = 65_536

    /// An entry of a `.stringsdict`, with its text for the case without arguments.
    private typealias Format = (format: LocalizedFormat, text: String)

    private static func formats(
        _ path: String, _ limits: PropertyListLimits, _ choice: LocalizedFormat.Choice,
        _ findings: inout [PluginFinding]
    ) -> [String: Format] {
        var budget = ReadingBudget(inputSize: 0)
        let values: [String: PropertyList] =
            reading(path, &findings) { file throws(OpenedFile.Failure) in
                let text = try text(of: file, limits)
                budget = ReadingBudget(inputSize: text.count)
                return StringsReader.readValues(UnsafeRawBufferPointer(text.buffer), limits: limits)
            } ?? [:]
        var formats: [String: Format] = [:]
        // Several entries of a binary list may be the same object, which is read only once.
        var known: [UInt: Result<Format, LocalizedFormat.Fault>] = [:]
        var faults = 0
        // A dictionary has no order, but the report needs one.
        for (key, value) in values.sorted(by: { $0.key < $1.key }) {
            let identity = identity(of: value)
            let result = identity.flatMap { known[$0] } ?? Self.format(value, choice, &budget)
            if let identity { known[identity] = result }
            switch result {
            case .success(let format): formats[key] = format
            case .failure(let fault):
                if let exhausted = fault.exhausted {
                    findings.append(overBudget(exhausted, path))
                    return [:]
                }
                faults += 1
                // One more than the limit: a single further fault is listed, not counted.
                if faults <= ReadingBudget.mostFindings + 1 { findings.append(finding(fault, key, in: path)) }
            }
        }
        if faults > ReadingBudget.mostFindings + 1 {
            findings[findings.endIndex - 1] =
                .further(
                    faults - ReadingBudget.mostFindings, .warning, .stringsTableFaulty, in: path,
                    remedy: "Correct the entries; the others are used.")
        }
        return formats
    }

    private static func format(
        _ value: PropertyList, _ choice: LocalizedFormat.Choice, _ budget: inout ReadingBudget
    ) -> Result<Format, LocalizedFormat.Fault> {
        do throws(LocalizedFormat.Fault) {
            let format = try LocalizedFormat(value, &budget)
            return .success((format, format.resolved(choice).text))
        } catch {
            return .failure(error)
        }
    }

    /// Identifies dictionaries that are the same object in memory, as long as both exist; nil for other values.
    private static func identity(of value: PropertyList) -> UInt? {
        // A dictionary consists only of a reference to its storage.
        guard case .dictionary(let entries) = value, MemoryLayout<[String: PropertyList]>.size == 8 else { return nil }
        return unsafeBitCast(entries, to: UInt.self)
    }

    private static func text(
        of file: borrowing OpenedFile, _ limits: PropertyListLimits
    ) throws(OpenedFile.Failure) -> ListText {
        // One byte more than the limit is requested, so that the reader recognises a file that is too large, even one
        // that grows while it is read.
        let text = ListText(capacity: min(Int(clamping: file.identity.size), limits.size) + 1)
        let memory = UnsafeMutableRawBufferPointer(start: text.bytes, count: text.count)
        let count = try file.read(into: memory, at: 0)
        if count <= limits.size { try file.requireUnchanged(afterReading: count) }
        text.shorten(to: count)
        return text
    }

    /// The result of body for a file; nil if the file cannot be read.
    private static func reading<Value>(
        _ path: String, _ findings: inout [PluginFinding],
        _ body: (borrowing OpenedFile) throws(OpenedFile.Failure) -> (Value, faults: [PropertyListFault])
    ) -> Value? {
        do throws(OpenedFile.Failure) {
            let (value, faults) = try body(try OpenedFile(path: path))
            findings += faults.map { finding($0, in: path) }
            return value
        } catch {
            findings.append(
                PluginFinding(
                    .warning, .stringsTableUnreadable, filePath: path,
                    message: "The strings table \(quoted(path)) \(error.reason).",
                    remedy: "Make it a regular file that the program may read."
                ).refused(by: error.errno))
            return nil
        }
    }

    private static func finding(_ fault: PropertyListFault, in path: String) -> PluginFinding {
        PluginFinding(
            .warning, .stringsTableFaulty, filePath: path, subject: fault.position.description,
            message: "The strings table \(quoted(path)) has a fault: \(fault)",
            remedy: "Correct the entry; the others are used.")
    }

    private static func overBudget(_ exhausted: ReadingBudget.Exhausted, _ path: String) -> PluginFinding {
        PluginFinding(
            .warning, .stringsTableFaulty, filePath: path,
            message: "The strings table \(quoted(path)) \(exhausted.reason); none of its entries is used.",
            remedy: ReadingBudget.Exhausted.remedy)
    }

    private static func finding(_ fault: LocalizedFormat.Fault, _ key: String, in path: String) -> PluginFinding {
        let place = ([key] + fault.path).map { quoted($0) }.joined(separator: " › ")
        return PluginFinding(
            .warning, .stringsTableFaulty, filePath: path, subject: key,
            message: "The strings table \(quoted(path)) has a fault at \(place): \(fault.message)",
            remedy: "Correct the entry; the others are used.")
    }
}
