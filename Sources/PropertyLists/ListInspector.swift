/// Where a key stands in text.
struct KeyRecord: Sendable {
    let name: String
    let offset: Int
    /// How many arrays and dictionaries the key stands in.
    let depth: Int
    /// Where its dictionary begins, which tells it from others.
    let container: Int
}

/// Reads lists for a checker: everything that is wrong, and where each key stands.
///
/// What it accepts is what ``PropertyListReader`` and ``StringsReader`` accept. It goes on where they end, and takes
/// two to three times their time and memory.
///
/// **Threads**: no shared state; may be called from any thread.
public enum ListInspector {
    /// What a file is meant to be.
    public enum Kind: Sendable, Hashable {
        case propertyList
        case stringsTable
    }

    /// Reads a list.
    ///
    /// - Parameters:
    ///   - bytes: The file's content. Not referred to after the call.
    ///   - kind: What it is read as.
    ///   - limits: How much is accepted.
    /// - Returns: What could be read, and everything that is wrong, in the order of the file. A list without faults is
    ///   one that the reader of its kind reads without faults, to the same value.
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
            // The encoding is at fault: the place is one in the text as far as it can be shown.
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
        parser.parse()
        let keys = parser.recordedKeys
        let (entries, found) = parser.finish()
        var faults = earlier
        faults.add(found)
        return InspectedList(
            value: .dictionary(entries.mapValues(PropertyList.string)), format: .openStep, text: text,
            faults: faults, keys: keys)
    }

    /// A text whose encoding is at fault, as far as it can be shown.
    private static func readable(_ bytes: UnsafeBufferPointer<UInt8>) -> SourceText {
        let (encoding, markLength) = TextEncoding.detect(bytes)
        let content = UnsafeBufferPointer(rebasing: bytes[markLength...])
        guard encoding != .utf8 else { return SourceText(content) }
        var decoder = TextDecoder(isLenient: true)
        let converted = (try? decoder.convert(content, from: encoding)) ?? []
        return converted.withUnsafeBufferPointer { SourceText($0) }
    }
}
