import CFuzz
import Glibc
import PluginHost

/// Makes index files of a catalogue with a right checksum but wrong places, counts and texts.
enum HostileIndexes {
    /// The index of some bundles, made by the library.
    static let sample: [UInt8] = {
        let folder = "\(ScratchFolder.path)/bundles"
        for number in 0..<24 {
            let list = """
                { CFBundleIdentifier = "org.example.b\(number % 20)"; CFBundleShortVersionString = "1.\(number)";
                PHFactories = ({ name = n\(number); extensionPoint = point; version = 2; displayName = "Name \(number)"; },
                { name = m\(number); extensionPoint = other; });
                PHRequires = { "org.example.b\((number + 1) % 30)" = "^1.0"; }; PHUses = { service = 1; };
                \(number % 5 == 4 ? "CFBundleName = (wrong);" : "") }
                """
            Files.write(Array(list.utf8), to: "\(folder)/B\(number).bundle/Contents/Info.plist")
        }
        // A file that is read shortly after it was written is not remembered.
        usleep(100_000)
        _ = IndexChecks.catalog()
        guard let path = IndexChecks.indexPath, let bytes = Files.read(path) else { fatalError("there is no index") }
        return bytes
    }()

    static func input(_ random: inout SeededGenerator) -> [UInt8] {
        var bytes = sample
        let entries = Int(word(4, bytes))
        for _ in 0..<(1 + random.below(6)) {
            switch random.below(6) {
            // A count or the place of the folders, in the header.
            case 0: put(number(&random, bytes.count), 8, at: 8 * (4 + random.below(4)), in: &bytes)
            // A place or length of a row: name, identifier, record, findings.
            case 1, 2:
                let field = 64 + 80 * random.below(entries) + 40 + 4 * random.below(10)
                put(number(&random, bytes.count), 4, at: field, in: &bytes)
            // All rows get the longest record.
            case 3:
                let start = 64 + 80 * entries
                for entry in 0..<entries {
                    put(UInt64(start), 4, at: 64 + 80 * entry + 64, in: &bytes)
                    put(UInt64(bytes.count - start), 4, at: 64 + 80 * entry + 68, in: &bytes)
                }
            // A count in a record, or whatever is there.
            case 4:
                let place = 64 + random.below(bytes.count - 72)
                put(number(&random, bytes.count), 4, at: place, in: &bytes)
            default: bytes[64 + random.below(bytes.count - 64)] = UInt8(truncatingIfNeeded: random.next())
            }
        }
        // A file may be longer than the part it uses.
        if random.oneIn(8) { bytes += [UInt8](repeating: UInt8(random.below(256)), count: random.below(1 << 18)) }
        put(UInt64(bytes.count), 8, at: 16, in: &bytes)
        put(checksum(bytes[32...]), 8, at: 24, in: &bytes)
        return bytes
    }

    private static func number(_ random: inout SeededGenerator, _ size: Int) -> UInt64 {
        switch random.below(4) {
        case 0: UInt64(random.below(size + 2))
        case 1: UInt64(random.below(64))
        case 2: UInt64(size) &- UInt64(random.below(16))
        default: random.pick([0, 1, 0xFFFF_FFFF, 0x7FFF_FFFF, 0x8000_0000, 1 << 63, .max])
        }
    }

    private static func word(_ number: Int, _ bytes: [UInt8]) -> UInt64 {
        bytes[8 * number..<8 * number + 8].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    private static func put(_ value: UInt64, _ size: Int, at place: Int, in bytes: inout [UInt8]) {
        for index in 0..<size where place + index < bytes.count {
            bytes[place + index] = UInt8(truncatingIfNeeded: value >> UInt64(8 * index))
        }
    }

    /// The library's checksum: a file with a wrong sum is not read further.
    private static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        var sum: UInt64 = 0xCBF2_9CE4_8422_2325
        func add(_ word: UInt64) {
            sum = (sum ^ word) &* 0x9E37_79B9_7F4A_7C15
            sum = sum << 29 | sum >> 35
        }
        var rest = bytes
        while rest.count >= 8 {
            add(rest.prefix(8).reversed().reduce(0) { $0 << 8 | UInt64($1) })
            rest = rest.dropFirst(8)
        }
        add(rest.reduce(0) { $0 << 8 | UInt64($1) })
        return sum
    }
}

/// The rule for every index file: the catalogue has the existing plug-ins, or at least does not crash.
struct IndexChecks {
    let bytes: UnsafeRawBufferPointer

    static func catalog() -> PluginCatalog {
        let options = PluginCatalog.Options(
            validation: .folders, index: .directory("\(ScratchFolder.path)/index-\(getpid())"))
        return PluginCatalog(searchPaths: ["\(ScratchFolder.path)/bundles"], options: options)
    }

    static var indexPath: String? { catalog().indexPath }

    func run() throws(Violation) {
        guard let path = Self.path else { throw Violation("the catalogue keeps no index") }
        Files.write(Array(bytes), to: path)
        chmod(path, 0o600)
        fuzz_memory_start()
        let catalog = Self.catalog()
        for candidate in catalog.candidates {
            _ = candidate.findings
            _ = candidate.verdict
        }
        for plugin in catalog.plugins {
            _ = plugin.extensions.count
            _ = catalog.plugin(plugin.identifier)
        }
        for point in ["point", "other", "none"] {
            for found in catalog.extensions(at: point) { _ = found.displayName }
        }
        let peak = fuzz_memory_peak()
        guard peak <= 16 * bytes.count + (4 << 20) else {
            throw Violation("an index of \(bytes.count) bytes takes \(peak) bytes of memory")
        }
    }

    // The catalogue's name for its index; read once.
    private static let path = indexPath
}
