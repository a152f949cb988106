@_spi(Tools) import ELFImages
import Glibc
import PluginHost

/// Makes ELF files that are damaged where the edit of libraries' names reads.
enum HostileNames {
    /// Damages a small library, so that each input is written quickly.
    private static let mutator = ELFMutator(sample)

    /// A library of the system that a bundle could carry: it needs another one, and has versions and a SONAME.
    static let sample: [UInt8] = {
        let places = ["/lib/x86_64-linux-gnu", "/lib/aarch64-linux-gnu", "/lib64", "/usr/lib64", "/usr/lib"]
        for place in places {
            for name in ["libdl.so.2", "libutil.so.1", "librt.so.1", "libBrokenLocale.so.1", "libanl.so.1"] {
                if let bytes = Files.read("\(place)/\(name)"), bytes.count < 1 << 17 { return bytes }
            }
        }
        fatalError("the system has no small library of glibc")
    }()

    /// Reads the sample, so that all processes share it.
    static func prepare() {
        _ = mutator.bytes.count
        _ = ScratchFolder.path
    }

    static func input(_ random: inout SeededGenerator) -> [UInt8] {
        if random.oneIn(64) { return sample }
        var bytes = mutator.mutant(&random).bytes
        // Unique symbols, as g++ makes them: the edit makes them weak.
        if random.oneIn(2), let tables = NameTables(bytes), tables.symbols < bytes.count {
            for _ in 0..<(1 + random.below(4)) {
                let place = tables.symbols + 24 * random.below(32) + 4
                if place < bytes.count { bytes[place] = 0xA0 | UInt8(random.below(16)) }
            }
        }
        return bytes
    }
}

/// Where the strings and the symbols of an ELF file are, read without the library under test.
struct NameTables {
    private(set) var strings = 0..<0
    private(set) var symbols = Int.max
    /// DT_NEEDED and DT_SONAME.
    private(set) var names: [String] = []

    /// Creates nil for a file without these tables.
    init?(_ bytes: [UInt8]) {
        func number(_ offset: Int, _ size: Int) -> UInt64 { ELFFields.number(bytes, offset, size) }
        var segments: [(type: UInt64, offset: UInt64, address: UInt64, size: UInt64)] = []
        guard bytes.count >= 64, let headers = Int(exactly: number(32, 8)), headers < bytes.count else { return nil }
        for index in 0..<Int(number(56, 2)) {
            let start = headers + index * 56
            guard start <= bytes.count - 56 else { break }
            segments.append((number(start, 4), number(start + 8, 8), number(start + 16, 8), number(start + 32, 8)))
        }
        func offset(_ address: UInt64) -> Int? {
            for segment in segments
            where segment.type == 1 && address >= segment.address && address - segment.address < segment.size {
                return Int(exactly: segment.offset &+ (address - segment.address))
            }
            return nil
        }
        // The dynamic linker takes the last one.
        guard let dynamic = segments.last(where: { $0.type == 2 }), let start = Int(exactly: dynamic.offset),
            let size = Int(exactly: dynamic.size), start <= bytes.count, size <= bytes.count - start
        else { return nil }
        var values: [UInt64: UInt64] = [:]
        var named: [UInt64] = []
        for place in stride(from: start, through: start + size - 16, by: 16) {
            let (tag, value) = (number(place, 8), number(place + 8, 8))
            if tag == 0 { break }
            values[tag] = value
            if tag == 1 || tag == 14 { named.append(value) }
        }
        guard let table = values[5].flatMap(offset), let length = values[10].flatMap({ Int(exactly: $0) }),
            table <= bytes.count, length <= bytes.count - table
        else { return nil }
        strings = table..<table + length
        symbols = values[6].flatMap(offset) ?? .max
        for value in named {
            guard let place = Int(exactly: value), place < length else { continue }
            let text = bytes[(table + place)..<(table + length)].prefix { $0 != 0 }
            names.append(String(decoding: text, as: UTF8.self))
        }
    }
}

/// The rules for every edit: a file that is refused stays unchanged, and of any other only the strings and the bindings of
/// unique symbols change.
struct NameChecks {
    let bytes: UnsafeRawBufferPointer

    func run() throws(Violation) {
        let path = "\(ScratchFolder.path)/names-\(getpid())/lib.so"
        let file = Array(bytes)
        Files.write(file, to: path)
        let tables = NameTables(file)
        let found = OwnNamesTrial.edits(ofFile: path, names: tables?.names ?? [])
        guard Files.read(path) == file else { throw Violation("the file itself changes") }
        guard let edits = found, !edits.isEmpty else { return }
        guard let tables else { throw Violation("a file without strings is edited") }
        for edit in edits {
            guard let start = Int(exactly: edit.offset), start <= file.count, edit.bytes.count <= file.count - start
            else {
                throw Violation("an edit at \(edit.offset) lies outside of the file")
            }
            for (index, byte) in edit.bytes.enumerated() where file[start + index] != byte {
                try check(file, start + index, byte, tables)
            }
        }
    }

    private func check(_ file: [UInt8], _ place: Int, _ byte: UInt8, _ tables: NameTables) throws(Violation) {
        if tables.strings.contains(place) {
            if file[place] == 0 || byte == 0 { throw Violation("an edit moves the end of a string, at \(place)") }
            return
        }
        guard place >= tables.symbols, (place - tables.symbols) % 24 == 4 else {
            throw Violation("an edit changes the byte \(place), which is neither of a string nor of a binding")
        }
        guard file[place] >> 4 == 10, byte == 0x20 | file[place] & 15 else {
            throw Violation("an edit changes the symbol at \(place) from \(file[place]) to \(byte)")
        }
    }
}
