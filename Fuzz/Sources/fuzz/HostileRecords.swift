@_spi(Tools) import ELFImages
import Glibc
import HostBasics
import InterfaceRecords
import PropertyLists

/// Makes libraries whose record of interfaces is damaged, and such records alone, as a plug-in's Info.plist has them.
enum HostileRecords {
    /// A sound record, with everything that a record can have.
    static let record: InterfaceRecord = {
        var module = InterfaceRecord.Module(
            hasEvolution: false, library: "libAPI.so",
            interfaces: [
                "API.Filter": .init(
                    isClassOnly: true,
                    requirements: [
                        "protocol API.Parent", "where Self.T: Swift.Equatable", "associatedtype T",
                        "run(API.Options) -> Swift.Int", "tag.getter : Swift.Int, throws",
                        "static make() async -> API.Mode",
                    ], defaults: [2, 3], calls: [4]),
                "API.Parent": .init(requirements: ["first() -> ()", "init(x: Swift.Int) -> A"]),
            ],
            types: [
                "API.Options": .init(
                    kind: .structure, entries: ["depth: API.Mode", "weak node: API.Node"], isFrozen: true),
                "API.Mode": .init(kind: .enumeration, entries: ["one", "indirect two(API.Mode)"]),
                "API.Node": .init(
                    kind: .class, entries: ["superclass API.Root", "count: Swift.Int", "q() -> Swift.Int"]),
            ])
        module.functions = [
            "API.free(Swift.Int) -> Swift.Int": .init(body: "1f", defaultValues: "2e"),
            "(extension in API):API.Filter.run(API.Options) -> Swift.Int": .init(body: "3d"),
            "API.Options.depth.getter : API.Mode": .init(isOfStorage: true),
        ]
        return InterfaceRecord(modules: ["API": module, "Other": .init(hasEvolution: true, isOfSymbols: true)])
    }()

    /// A small library with that record in its section.
    static let library: [UInt8] = {
        let path = "\(ScratchFolder.path)/records/lib.so"
        Files.write(HostileNames.sample, to: path)
        do {
            try InterfaceSectionWriter.write(Array((try PropertyListWriter.xml(record.list)).utf8), into: path)
        } catch { fatalError("\(error)") }
        guard let bytes = Files.read(path) else { fatalError("\(path) cannot be read") }
        return bytes
    }()

    static func prepare() { _ = library }

    static func input(_ random: inout SeededGenerator) -> [UInt8] {
        if random.oneIn(64) { return library }
        var maker = Maker(random: SeededGenerator(seed: random.next()))
        let content = maker.content()
        return random.oneIn(3) ? content : maker.damaged(Section(library).flatMap { $0.file(with: content) } ?? library)
    }

    /// The section of a library, found without the code under test.
    private struct Section {
        private let bytes: [UInt8]
        /// The place of its header.
        private let header: Int

        init?(_ bytes: [UInt8]) {
            self.bytes = bytes
            // The writer puts the table at the end of the file, and the new section at the end of the table.
            let (table, count) = (Int(ELFFields.number(bytes, 40, 8)), Int(ELFFields.number(bytes, 60, 2)))
            header = table + 64 * (count - 1)
            guard count > 0, header >= 0, header + 64 <= bytes.count else { return nil }
        }

        /// The file with another content, which is put at its end.
        func file(with content: [UInt8]) -> [UInt8]? {
            var file = bytes + content
            Maker.put(UInt64(bytes.count), 8, at: header + 24, in: &file)
            Maker.put(UInt64(content.count), 8, at: header + 32, in: &file)
            return file
        }
    }

    private struct Maker {
        var random: SeededGenerator

        static func put(_ value: UInt64, _ size: Int, at place: Int, in bytes: inout [UInt8]) {
            for index in 0..<size where place + index < bytes.count {
                bytes[place + index] = UInt8(truncatingIfNeeded: value >> UInt64(8 * index))
            }
        }

        /// A record as a file, mostly of a wrong shape.
        mutating func content() -> [UInt8] {
            var list = HostileRecords.record.list
            for _ in 0..<(1 + random.below(4)) { list = changed(list, depth: 0) }
            if random.oneIn(24) {
                for _ in 0..<random.below(40) { list = .dictionary(["Format": .integer(1), "Modules": list]) }
            }
            var bytes: [UInt8]
            switch random.below(3) {
            case 0: bytes = (try? PropertyListWriter.xml(list)).map { Array($0.utf8) } ?? []
            case 1:
                var writer = OldStyleWriter(SeededGenerator(seed: random.next()))
                writer.write(list)
                bytes = Array(writer.text.utf8)
            default: bytes = BinaryListWriter.bytes(of: list, &random)
            }
            if random.oneIn(4), !bytes.isEmpty {
                for _ in 0..<(1 + random.below(4)) {
                    bytes[random.below(bytes.count)] = UInt8(truncatingIfNeeded: random.next())
                }
            }
            return bytes
        }

        /// A list in which one value is another one.
        private mutating func changed(_ list: PropertyList, depth: Int) -> PropertyList {
            if depth > 0, random.oneIn(depth < 3 ? 12 : 3) { return value() }
            switch list {
            case .dictionary(var values):
                guard let key = values.keys.sorted().randomElement(using: &random) else { return value() }
                switch random.below(10) {
                case 0: values[key] = nil
                case 1: values[word()] = values[key]
                default: values[key] = changed(values[key] ?? value(), depth: depth + 1)
                }
                return .dictionary(values)
            case .array(var values):
                guard !values.isEmpty else { return .array([value()]) }
                switch random.below(6) {
                case 0: values.append(values[random.below(values.count)])
                case 1: values.swapAt(random.below(values.count), random.below(values.count))
                case 2: values.remove(at: random.below(values.count))
                case 3 where random.oneIn(20):
                    values = (0..<random.below(4_000)).map { .string("f\($0)() -> Swift.Int") }
                default:
                    let place = random.below(values.count)
                    values[place] = changed(values[place], depth: depth + 1)
                }
                return .array(values)
            case .string(let text) where text.utf8.contains(UInt8(ascii: "\n")) && !random.oneIn(4):
                // Requirements and layouts have a line for each.
                let lines = text.split(separator: "\n").map { PropertyList.string(String($0)) }
                let other = changed(.array(lines), depth: depth)
                return other.array.map { .string($0.compactMap(\.string).joined(separator: "\n")) } ?? other
            default: return value()
            }
        }

        private mutating func value() -> PropertyList {
            switch random.below(9) {
            case 0: .integer(random.pick([0, 1, 2, -1, 5, .max, .min, 1 << 32]))
            case 1: .array([])
            case 2: .dictionary([:])
            case 3: .boolean(random.oneIn(2))
            case 4: .array([.integer(random.pick([0, 3, -1, .max])), .string(word())])
            case 5: .dictionary([word(): .string(word())])
            default: .string(word())
            }
        }

        private mutating func word() -> String {
            if random.oneIn(40) {
                return String(repeating: random.pick(["a.", "(", "Swift.", "\u{301}"]), count: 5_000)
            }
            return random.pick([
                "", "API", "API.Filter", "API.", ".", "..", "Swift.", "static ", "static (extension in API):",
                "protocol ",
                "where ", "associatedtype ", ", throws", "tag.getter : Swift.Int", "tag.getter", "struct", "class",
                "enum", "weak ", "superclass ", "(", ")", "((((", "a(() async -> ()) -> ()", "Functions", "Calls",
                "Default", "Layout", "Kind", "Format", "Modules", "- - - x", "- - s API.a.b.getter : I\n\n1 2", "\n",
                "-", "a() -> ()\nb() -> ()", "a() -> ()\r\nb() -> ()\n\n", "depth: Swift.Int\nwidth: Swift.Int",
                "café.run()", "cafe\u{301}.run()", "\u{1B}[31m", "\u{202E}x", "\0",
            ])
        }

        /// A library whose header, table of sections or section is damaged.
        mutating func damaged(_ library: [UInt8]) -> [UInt8] {
            var bytes = library
            let (table, count) = (Int(ELFFields.number(bytes, 40, 8)), Int(ELFFields.number(bytes, 60, 2)))
            if random.oneIn(3) { return bytes }
            for _ in 0..<(1 + random.below(3)) {
                // Fields of the last header: name, type, flags, offset, size; then one of any; then the file's header.
                let own = table + 64 * (count - 1)
                let other = table + 64 * random.below(count)
                let (place, size) = random.pick([
                    (own, 4), (own + 4, 4), (own + 8, 8), (own + 24, 8), (own + 32, 8), (other, 4), (other + 24, 8),
                    (other + 32, 8), (40, 8), (58, 2), (60, 2), (62, 2),
                ])
                let number: UInt64 =
                    switch random.below(5) {
                    case 0: UInt64(random.below(bytes.count + 2))
                    case 1: UInt64(random.below(64))
                    case 2: UInt64(bytes.count) &- UInt64(random.below(16))
                    // The section's own name or place, so that there are two of them.
                    case 3: ELFFields.number(bytes, own + random.pick([0, 24, 32]), random.oneIn(2) ? 4 : 8)
                    default: random.pick([0, 1, 0x800, 0x40000, 0xFFFF_FFFF, 0x8000_0000, 1 << 63, .max])
                    }
                Self.put(number, size, at: place, in: &bytes)
            }
            if random.oneIn(16) { bytes.removeSubrange(random.below(bytes.count)...) }
            return bytes
        }
    }
}
