import PropertyLists

/// The rules for every strings table.
struct TableChecks {
    private let bytes: UnsafeRawBufferPointer
    /// Which of the checks read the table again; all of them would take most of the time.
    private let choice: Int

    init(bytes: UnsafeRawBufferPointer, random: inout SeededGenerator) {
        self.bytes = bytes
        choice = random.below(8)
    }

    func run(sample: Sample?) throws(Violation) {
        let (entries, faults) = StringsReader.read(bytes)
        for fault in faults { try fault.check(inFileOf: bytes.count) }
        guard faults.count <= StringsReader.mostFaults else { throw Violation("\(faults.count) faults are listed") }
        guard entries.count <= bytes.count else { throw Violation("\(entries.count) entries in \(bytes.count) bytes") }
        if case .dictionary(let expected)? = sample?.value {
            guard faults.isEmpty else { throw Violation("a right table has faults: \(faults)") }
            guard entries.mapValues(PropertyList.string) == expected else {
                throw Violation("a right table is read as something else: \(entries), not \(expected)")
            }
        }
        try checkIndex(entries, faults)
        try checkInspection(entries, faults)
        try checkAgreement(entries, faults)
        if faults.isEmpty, choice < Self.spoilers.count { try checkClean(entries) }
    }

    /// The fast way gives the reader's result, or leaves the table to it.
    private func checkIndex(_ entries: [String: String], _ faults: [PropertyListFault]) throws(Violation) {
        let text = ListText(capacity: bytes.count)
        UnsafeMutableRawBufferPointer(start: text.bytes, count: bytes.count).copyMemory(from: bytes)
        let whole = StringsIndex.recognizing(text)
        if UTF16Text(beginning: text.buffer, size: text.count) != nil {
            guard indexOfPieces(text)?.dictionary == whole?.dictionary else {
                throw Violation("a table in pieces of \(choice + 4) bytes is read as another one than as a whole")
            }
        }
        guard let index = whole else { return }
        guard faults.isEmpty else { throw Violation("the fast way takes a table with the faults \(faults)") }
        guard index.dictionary == entries else {
            throw Violation("the fast way reads \(index.dictionary), the reader \(entries)")
        }
        for (key, value) in entries {
            var key = key
            let found = key.withUTF8 { index.places.find($0) }
            guard found.map(index.value) == value else {
                throw Violation("the fast way does not find the key \(key.debugDescription)")
            }
        }
    }

    /// The index of a table in UTF-16 that comes in small pieces.
    private func indexOfPieces(_ file: ListText) -> StringsIndex? {
        guard var text = UTF16Text(beginning: file.buffer, size: file.count) else { return nil }
        var offset = text.start
        while offset < file.count {
            let piece = UnsafeBufferPointer(rebasing: file.buffer[offset..<min(offset + 4 + choice, file.count)])
            guard let taken = text.append(piece), taken > 0 else { return nil }
            offset += taken
        }
        return StringsIndex.recognizing(text)
    }

    /// The checker finds what the reader finds.
    private func checkInspection(_ entries: [String: String], _ faults: [PropertyListFault]) throws(Violation) {
        let inspected = ListInspector.inspect(bytes, as: .stringsTable, limits: .stringsTable)
        for fault in inspected.faults { try fault.fault.check(inFileOf: bytes.count) }
        let values = inspected.value?.dictionary ?? [:]
        guard values == entries.mapValues(PropertyList.string) else {
            throw Violation("the checker reads \(values), the reader \(entries)")
        }
        let codes = inspected.faults.map(\.fault.code.rawValue).sorted()
        guard codes == faults.map(\.code.rawValue).sorted() else {
            throw Violation("the checker finds \(codes), the reader \(faults)")
        }
        guard inspected.format == .openStep, choice == 7 else { return }
        let places = inspected.keyPlaces()
        for key in entries.keys where inspected.place(ofKey: [key], in: places) == nil {
            throw Violation("the key \(key.debugDescription) has no place")
        }
    }

    /// A table is a property list: if both readers accept it, they read the same.
    private func checkAgreement(_ entries: [String: String], _ faults: [PropertyListFault]) throws(Violation) {
        let limits = PropertyListLimits.stringsTable
        guard let value = try? PropertyListReader.read(bytes, limits: limits).value else { return }
        guard case .dictionary(let list) = value else { return }
        let texts = list.compactMapValues(\.string)
        guard texts.count == list.count else { return }
        // Of equal keys, a list has the first value and a table the last.
        if faults.contains(where: { $0.code == .duplicateKey }) { return }
        guard faults.isEmpty || faults.allSatisfy({ $0.code == .missingSeparator || $0.code == .assumedLatin1 }) else {
            throw Violation("the list is good, the table has faults: \(faults)")
        }
        guard texts == entries else { throw Violation("as a list \(texts), as a table \(entries)") }
    }

    /// A clean table keeps its entries beside a bad one, and when it is written again.
    private func checkClean(_ entries: [String: String]) throws(Violation) {
        // With a mark: without one, a NUL in the first key would make it look like UTF-16.
        var text = ""
        for (key, value) in entries { text += "\(Self.quoted(key)) = \(Self.quoted(value));\n" }
        let again = StringsReader.read(Self.mark + Array(text.utf8))
        guard again.faults.isEmpty, again.entries == entries else {
            throw Violation("written anew it differs: \(again.faults) in \(text)")
        }
        let (before, after) = Self.spoilers[choice]
        let last = "\"zz\" = \"last\";\n"
        let spoilt = StringsReader.read(Self.mark + Array((before + text + after + last).utf8))
        guard !spoilt.faults.isEmpty else { throw Violation("\(before + after) is taken for an entry") }
        var expected = entries
        expected["zz"] = "last"
        guard expected.allSatisfy({ spoilt.entries[$0.key] == $0.value }) else {
            throw Violation("\((before + after).debugDescription) spoils others: \(spoilt.entries), not \(expected)")
        }
    }

    private static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// Bad entries, before or after good ones.
    private static let spoilers = [("", "= = ;\n"), ("\"x\" \"y\";\n", ""), ("", "\"odd\n"), ("\"odd\" = ;\n", "")]

    private static func quoted(_ string: String) -> String {
        var text = "\""
        for scalar in string.unicodeScalars {
            switch scalar {
            case "\"", "\\": text += "\\" + String(scalar)
            // On one line, because a reader that looks for the next entry goes by lines.
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text + "\""
    }
}
