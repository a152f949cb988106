import Foundation
import PropertyLists
import Testing

/// Random lists, which other implementations must read and write like ours.
struct RandomLists {
    static let seed: UInt64 = 0x5EED_0F_11575

    /// The characters of strings.
    enum Alphabet {
        /// Characters that every implementation keeps in XML.
        case portable
        /// Also control characters and carriage returns.
        case everything
    }

    private var random: SeededGenerator
    private let alphabet: Alphabet

    init(seed: UInt64, alphabet: Alphabet) {
        random = SeededGenerator(seed: seed)
        self.alphabet = alphabet
    }

    static func corpus(_ count: Int, _ alphabet: Alphabet) -> [PropertyList] {
        var lists = RandomLists(seed: seed, alphabet: alphabet)
        return (0..<count).map { _ in lists.container(depth: 0) }
    }

    private mutating func container(depth: Int) -> PropertyList {
        let count = Int.random(in: 0...6, using: &random)
        if Bool.random(using: &random) { return .array((0..<count).map { _ in value(depth: depth + 1) }) }
        var entries: [String: PropertyList] = [:]
        for _ in 0..<count { entries[string()] = value(depth: depth + 1) }
        return .dictionary(entries)
    }

    private mutating func value(depth: Int) -> PropertyList {
        switch Int.random(in: 0..<(depth < 5 ? 12 : 8), using: &random) {
        case 0, 1: .string(string())
        case 2: .integer(Int64(truncatingIfNeeded: random.next()) >> Int64.random(in: 0...63, using: &random))
        case 3: .unsigned(random.next() | 1 << 63)
        case 4: .real(real())
        case 5: .boolean(Bool.random(using: &random))
        case 6: .date(Double(Int.random(in: -63_000_000_000...250_000_000_000, using: &random)))
        case 7:
            .data((0..<Int.random(in: 0...200, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) })
        default: container(depth: depth)
        }
    }

    private mutating func real() -> Double {
        while true {
            // Of all magnitudes, but none that another implementation may write as a whole number.
            let value =
                Bool.random(using: &random)
                ? Double(bitPattern: random.next()) : Double.random(in: -1000...1000, using: &random)
            if value.isNormal, value != value.rounded() { return value }
        }
    }

    private mutating func string() -> String {
        var text = String.UnicodeScalarView()
        for _ in 0..<Int.random(in: 0...30, using: &random) {
            let range: ClosedRange<UInt32> =
                switch Int.random(in: 0..<6, using: &random) {
                case 0: 0x4E00...0x9FFF
                case 1: 0x1F300...0x1F6FF
                case 2: 0xC0...0x24F
                case 3 where alphabet == .everything: 0x01...0x1F
                default: 0x20...0x7E
                }
            if let scalar = Unicode.Scalar(UInt32.random(in: range, using: &random)) { text.append(scalar) }
        }
        return String(text)
    }
}

@Suite("Agreement with Foundation")
struct FoundationAgreementTests {
    /// Foundation's objects for a list.
    private func object(_ list: PropertyList) -> Any {
        switch list {
        case .string(let value): value
        case .integer(let value): NSNumber(value: value)
        case .unsigned(let value): NSNumber(value: value)
        case .real(let value): NSNumber(value: value)
        case .boolean(let value): value
        case .date(let value): Date(timeIntervalSinceReferenceDate: value)
        case .data(let value): Data(value)
        case .array(let value): value.map(object)
        case .dictionary(let value): value.mapValues(object)
        case .uid(let value): value
        }
    }

    @Test("what Foundation writes, we read", arguments: [PropertyListSerialization.PropertyListFormat.xml, .binary])
    func foundationsListsAreRead(format: PropertyListSerialization.PropertyListFormat) throws {
        for (index, list) in RandomLists.corpus(150, .everything).enumerated() {
            let data = try PropertyListSerialization.data(fromPropertyList: object(list), format: format, options: 0)
            #expect(try value(of: [UInt8](data)) == list, "list \(index) of seed \(RandomLists.seed)")
        }
    }

    @Test("what we write, Foundation reads")
    func ourListsAreReadByFoundation() throws {
        for (index, list) in RandomLists.corpus(150, .everything).enumerated() {
            let text = try PropertyListWriter.xml(list)
            #expect(try throughFoundation(Data(text.utf8)) == list, "list \(index) of seed \(RandomLists.seed)")
            #expect(try value(of: text) == list, "list \(index) of seed \(RandomLists.seed)")
        }
    }

    @Test(
        "old-style lists",
        arguments: [
            "{ a = b; \"c d\" = (e, \"f\", {g = h;}); i = <0fbd77 1c>; }", "(a, b, c, )", "word", "\"text\"",
            "a = b; c = d;", "{ k; }",
            #"{ a = "\n\t\"\\\U00e9\351\101"; }"#, "// c\n{ /* d */ a = 'b'; }", "{ path = /usr/lib:x.y-z_$; }", "()",
            "{}", "<>", #"("\Ud83d\Ude00", "\a\b\f\v\r")"#,
        ])
    func oldStyleListsAreReadAlike(text: String) throws {
        #expect(try throughFoundation(Data(text.utf8)) == value(of: text))
    }

    /// Reads with Foundation; we get its objects back as the binary list that it writes.
    private func throughFoundation(_ data: Data) throws -> PropertyList {
        let read = try PropertyListSerialization.propertyList(from: data, options: [], format: nil)
        return try value(
            of: [UInt8](PropertyListSerialization.data(fromPropertyList: read, format: .binary, options: 0)))
    }
}

@Suite("Agreement with Python's plistlib")
struct PythonAgreementTests {
    private static func run(_ arguments: [String]) -> Int32? {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["python3"] + arguments
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return nil }
        process.waitUntilExit()
        return process.terminationStatus
    }

    static let hasPython = run(["-c", "import plistlib"]) == 0

    @Test(
        "what we write plistlib reads, and what it writes we read",
        .enabled(if: hasPython, "python3 with plistlib is not installed"))
    func listsSurviveTheWayThroughPython() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "property-lists-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let lists = RandomLists.corpus(150, .portable)
        for (index, list) in lists.enumerated() {
            try Data(PropertyListWriter.xml(list).utf8).write(to: folder.appendingPathComponent("\(index).plist"))
        }
        let script = """
            import plistlib, sys, os
            for name in os.listdir(sys.argv[1]):
                path = os.path.join(sys.argv[1], name)
                with open(path, 'rb') as file: value = plistlib.load(file)
                for format, suffix in ((plistlib.FMT_XML, '.xml'), (plistlib.FMT_BINARY, '.binary')):
                    with open(path + suffix, 'wb') as file: plistlib.dump(value, file, fmt=format)
            """
        #expect(Self.run(["-c", script, folder.path]) == 0)
        for (index, list) in lists.enumerated() {
            for suffix in ["xml", "binary"] {
                let data = try Data(contentsOf: folder.appendingPathComponent("\(index).plist.\(suffix)"))
                #expect(try value(of: [UInt8](data)) == list, "list \(index).\(suffix) of seed \(RandomLists.seed)")
            }
        }
    }
}
