// The function that libFuzzer calls. It is compiled as one module with the sources of PropertyLists, so that their branches
// are counted; a package cannot express that.

/// One input: its first byte chooses the reader.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    guard count > 0 else { return 0 }
    let bytes = UnsafeRawBufferPointer(start: start + 1, count: count - 1)
    if start[0] & 1 == 0 {
        readList(bytes)
    } else {
        readTable(bytes)
    }
    return 0
}

private func readList(_ bytes: UnsafeRawBufferPointer) {
    let inspected = ListInspector.inspect(bytes, as: .propertyList, limits: .standard)
    do throws(PropertyListFault) {
        let value = try PropertyListReader.read(bytes).value
        guard inspected.faults.isEmpty, inspected.value == value else { fatalError("the checker faults a good list") }
        checkEntries(bytes, value)
        guard let text = try? PropertyListWriter.xml(value) else { return }
        let limits = PropertyListLimits(size: .max, depth: 65, nodes: .max)
        _ = try PropertyListReader.read(Array(text.utf8), limits: limits)
    } catch {
        guard !inspected.faults.isEmpty else { fatalError("the checker overlooks \(error)") }
        checkEntries(bytes, nil)
    }
}

/// The fast way gives the reader's result, or leaves the list to it.
private func checkEntries(_ bytes: UnsafeRawBufferPointer, _ value: PropertyList?) {
    let text = ListText(capacity: bytes.count)
    UnsafeMutableRawBufferPointer(start: text.bytes, count: bytes.count).copyMemory(from: bytes)
    var entries: [String: ListPlace] = [:]
    guard
        text.forEachItem({ key, place in
            entries.updateValue(place, forKey: String(decoding: key, as: UTF8.self)) == nil
        })
    else { return }
    guard value == .dictionary(entries.compactMapValues(text.value)) else { fatalError("the fast way reads otherwise") }
}

private func readTable(_ bytes: UnsafeRawBufferPointer) {
    let (entries, faults) = StringsReader.read(bytes)
    let inspected = ListInspector.inspect(bytes, as: .stringsTable, limits: .stringsTable)
    guard inspected.value?.dictionary ?? [:] == entries.mapValues(PropertyList.string),
        inspected.faults.map(\.fault.code.rawValue).sorted() == faults.map(\.code.rawValue).sorted()
    else { fatalError("the checker does not see what the reader sees") }
}
