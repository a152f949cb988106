/// The position of a key in text.
struct KeyRecord: Sendable {
    let name: String
    let offset: Int
    /// How many arrays and dictionaries contain the key.
    let depth: Int
    /// Where its dictionary begins, which identifies the dictionary.
    let container: Int
}

/// Reads lists for a checker: finds all faults and the position of each key.
///
/// It accepts what ``PropertyListReader`` and ``StringsReader`` accept. It continues where they stop, and takes two to
/// three times their time and memory.
///
/// **Threads**: no shared state; may be called from any thread.
public enum ListInspector {
    /// The intended type of a file.
    public enum Kind: Sendable, Hashable {
        case propertyList
        case stringsTable
    }

    /// Reads a list.
    ///
    /// - Parameters:
    ///   - bytes: The file's content. Not referred to after the call.
    ///   - kind: The type to read the file as.
    ///   - limits: How much is accepted.
    /// - Returns: The readable content, and all faults in the order of the file. If there are no faults, the reader of
    ///   this kind reads the list without faults and with the same value. In tables, escapes that mean something else
    ///   in Swift or C are faults of code `foreignEscape` here; readers accept them.
    ///
    /// **Cost**: linear in the size.
    public static func inspect(
        _ bytes: UnsafeRawBufferPointer, as kind: Kind, limits: PropertyListLimits
    ) -> InspectedList {
        do throws(PropertyListFault) {
            try PropertyListReader.checkSize(bytes, limits)
            if PropertyListReader.isBinary(bytes) { return try inspectBinary(bytes, kind, limits) }
        } catch {
            return InspectedList(fault: error)
        }
        let text = bytes.bindMemory(to: UInt8.self)
        do throws(PropertyListFault) {
            switch kind {
            case .propertyList:
                guard !bytes.isEmpty else {
                    throw PropertyListFault(code: .empty, position: .whole, message: "The file is empty.")
                }
                return try TextSource.withText(of: bytes) { (text) throws(PropertyListFault) in
                    inspectList(text, ofFile: bytes.count, limits)
                }
            case .stringsTable:
                var faults = FaultList()
                return try StringsReader.withText(of: text, &faults) { (text, faults) throws(PropertyListFault) in
                    inspectTable(text, ofFile: bytes.count, limits, faults)
                }
            }
        } catch {
            // The encoding is invalid: show the position in the text as well as possible.
            return InspectedList(fault: error, in: readable(text))
        }
    }

    private static func policy(for kind: Kind) -> TreeBuilder.DuplicatePolicy {
        kind == .stringsTable ? .keepLast : .keepFirst
    }

    private static func inspectBinary(
        _ bytes: UnsafeRawBufferPointer, _ kind: Kind, _ limits: PropertyListLimits
    ) throws(PropertyListFault) -> InspectedList {
        var parser = BinaryParser(
            try BinaryObjects(bytes), limits: limits, policy: policy(for: kind), isLenient: true)
        var list = InspectedList(format: .binary)
        do throws(PropertyListFault) {
            list.value = try parser.parse()
        } catch {
            list.faults = parser.tolerated.map { InspectedList.Fault($0) } + [InspectedList.Fault(error)]
            list.shorten(further: parser.furtherTolerated)
            return list
        }
        list.faults = parser.tolerated.map { InspectedList.Fault($0) }
        list.shorten(further: parser.furtherTolerated + (kind == .stringsTable ? list.keepTexts(parser.budget) : 0))
        return list
    }

    private static func inspectList(
        _ text: UnsafeBufferPointer<UInt8>, ofFile size: Int, _ limits: PropertyListLimits
    ) -> InspectedList {
        do throws(TextFault) {
            switch try TextSource.form(of: text) {
            case .xml: return inspectXML(text, ofFile: size, limits, FaultList())
            case .openStep: return inspectOldStyle(text, ofFile: size, limits)
            }
        } catch {
            var faults = FaultList()
            faults.add(error)
            return InspectedList(format: nil, text: text, faults: faults)
        }
    }

    private static func inspectXML(
        _ text: UnsafeBufferPointer<UInt8>, ofFile size: Int, _ limits: PropertyListLimits, _ earlier: FaultList,
        as kind: Kind = .propertyList
    ) -> InspectedList {
        var parser = XMLParser(text, ofFile: size, limits: limits, policy: policy(for: kind), isLenient: true)
        parser.builder.recordsKeys = true
        let (value, faults) = StringsReader.salvage(&parser, earlier)
        let keys = faults.faults.first?.code == .overBudget ? [] : parser.builder.recordedKeys
        return InspectedList(
            value: value, format: .xml, text: text, faults: faults, keys: keys,
            tableWith: kind == .stringsTable ? parser.builder.budget : nil)
    }

    private static func inspectOldStyle(
        _ text: UnsafeBufferPointer<UInt8>, ofFile size: Int, _ limits: PropertyListLimits
    ) -> InspectedList {
        var parser = OldStyleParser(text, ofFile: size, limits: limits)
        parser.builder.recordsKeys = true
        var faults = FaultList()
        var value: PropertyList?
        do throws(TextFault) {
            value = try parser.parse()
        } catch {
            value = .dictionary(error.code == .overBudget ? [:] : parser.builder.salvage())
            faults.add(error)
        }
        faults.add(parser.builder)
        return InspectedList(
            value: value, format: .openStep, text: text, faults: faults, keys: parser.builder.recordedKeys)
    }

    private static func inspectTable(
        _ text: UnsafeBufferPointer<UInt8>, ofFile size: Int, _ limits: PropertyListLimits, _ earlier: FaultList
    ) -> InspectedList {
        if case .xml? = try? TextSource.form(of: text) {
            return inspectXML(text, ofFile: size, limits, earlier, as: .stringsTable)
        }
        var parser = StringsTableParser(text, ofFile: size, limits: limits)
        parser.recordsKeys = true
        parser.scanner.reportsForeignEscapes = true
        parser.parse()
        let keys = parser.recordedKeys
        let (entries, found) = parser.finish()
        var faults = earlier
        faults.add(found)
        return InspectedList(
            value: .dictionary(entries.mapValues(PropertyList.string)), format: .openStep, text: text,
            faults: faults, keys: keys)
    }

    /// A text with an invalid encoding, converted as well as possible.
    private static func readable(_ bytes: UnsafeBufferPointer<UInt8>) -> SourceText {
        let (encoding, markLength) = TextEncoding.detect(bytes)
        let content = UnsafeBufferPointer(rebasing: bytes[markLength...])
        guard encoding != .utf8 else { return SourceText(content) }
        var decoder = TextDecoder(isLenient: true)
        let converted = (try? decoder.convert(content, from: encoding)) ?? []
        return converted.withUnsafeBufferPointer { SourceText($0) }
    }
}
