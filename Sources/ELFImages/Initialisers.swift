import HostBasics

/// The arrays of functions that the dynamic linker calls at the load and at the end of the process, after the
/// relocations: each entry must point to code, or the call crashes the process (fault 80).
struct Initialisers {
    private struct Array {
        var address: UInt64
        var bytes: UnsafeRawBufferPointer
        var end: UInt64 { address &+ UInt64(bytes.count) }
    }

    private enum Entry: Equatable {
        /// Unchanged from the file: without the base address added, it leads nowhere.
        case untouched
        /// An address in the file.
        case address(UInt64)
        /// A relocation wrote a value that is not an address.
        case other
    }

    private let arrays: (Array, Array)
    /// The entries of both arrays, one after the other.
    private var entries: [Entry]
    private let start: UInt64
    private let end: UInt64

    init(of inspection: inout QuickInspection, _ file: borrowing OpenedFile) throws(TableFault) {
        let table = inspection.dynamic
        let initial = Array(
            address: table.initArray,
            bytes: try inspection.table("initialisers (DT_INIT_ARRAY)", table.initArray, table.initArraySize, file))
        let final = Array(
            address: table.finiArray,
            bytes: try inspection.table("finalisers (DT_FINI_ARRAY)", table.finiArray, table.finiArraySize, file))
        guard initial.address % 8 == 0, final.address % 8 == 0 else {
            throw TableFault(what: "its initialisers or finalisers are not aligned")
        }
        arrays = (initial, final)
        entries = [Entry](repeating: .untouched, count: (initial.bytes.count + final.bytes.count) / 8)
        start = min(initial.bytes.isEmpty ? .max : initial.address, final.bytes.isEmpty ? .max : final.address)
        end = max(initial.bytes.isEmpty ? 0 : initial.end, final.bytes.isEmpty ? 0 : final.end)
    }

    /// Whether bytes may overlap one of the arrays.
    @inline(__always)
    package func overlap(_ target: UInt64, _ width: UInt64) -> Bool { target < end && target &+ width > start }

    /// `address`: the written value without the base address; nil if it is not an address in the file.
    package mutating func write(_ target: UInt64, _ width: UInt64, _ address: UInt64?) {
        change(target, width) { _, _ in address.map(Entry.address) ?? .other }
    }

    /// Adds the base address to the current value.
    mutating func addBase(_ target: UInt64) {
        change(target, 8) { entry, inFile in entry == .untouched ? .address(inFile) : .other }
    }

    private mutating func change(_ target: UInt64, _ width: UInt64, _ new: (Entry, UInt64) -> Entry) {
        var first = 0
        for array in [arrays.0, arrays.1] {
            let count = array.bytes.count / 8
            defer { first += count }
            guard count > 0, target &+ width > array.address, target < array.end else { continue }
            if target >= array.address, (target - array.address) % 8 == 0, width == 8 {
                let index = Int((target - array.address) / 8)
                let inFile = array.bytes.loadUnaligned(fromByteOffset: index * 8, as: UInt64.self)
                entries[first + index] = new(entries[first + index], inFile)
            } else {
                // A part of an entry, or parts of two.
                for index in 0..<count {
                    let entry = array.address &+ UInt64(index) * 8
                    if entry < target &+ width, entry &+ 8 > target { entries[first + index] = .other }
                }
            }
        }
    }

    /// Checks that each entry points to code.
    package func check(
        in inspection: borrowing QuickInspection, _ targets: borrowing RelocationTargets
    ) throws(TableFault) {
        for (index, entry) in entries.enumerated() {
            if case .address(let address) = entry, inspection.isCode(address), !targets.isTable(address) { continue }
            let count = arrays.0.bytes.count / 8
            throw TableFault(
                what: index < count
                    ? "its initialiser \(index) (DT_INIT_ARRAY) does not point to its code"
                    : "its finaliser \(index - count) (DT_FINI_ARRAY) does not point to its code")
        }
    }
}
