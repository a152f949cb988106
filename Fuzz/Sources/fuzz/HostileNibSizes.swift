/// Makes nibs that are valid but large in one way, each with a list of classes that is large in another: few large parts,
/// many small ones, deep ones, long names.
///
/// An input is a XIB document, a NUL and a NibClasses.plist.
struct HostileNibSizes {
    private var random: SeededGenerator
    /// How many bytes each of the two should have, approximately.
    private let size: Int

    /// One in ten is larger than 256 KB.
    static func input(_ random: inout SeededGenerator) -> [UInt8] {
        let size = random.oneIn(10) ? 262_144 + random.below(700_000) : 256 + random.below(1 << (8 + random.below(9)))
        var maker = HostileNibSizes(random: SeededGenerator(seed: random.next()), size: size)
        return maker.nib() + [0] + maker.list()
    }

    /// A usual nib and list of the size of two others.
    static func sound(nib: Int, list: Int) -> [UInt8] {
        let nib = document(objects: nib, maximum: 4_000) { number in
            "<view id=\"v\(number)\" title=\"A title\"><rect key=\"frame\" x=\"1\" y=\"2\" width=\"3\" height=\"4\"/></view>\n"
        }
        let list = Self.list(size: list) { number in
            "<dict><key>CLASS</key><string>Class\(number)</string><key>OUTLETS</key><dict><key>next</key><string>*</string></dict></dict>\n"
        }
        return nib + [0] + list
    }

    private static let head = """
        <document type="com.apple.InterfaceBuilder3.Cocoa.XIB" version="3.0">
        <objects>
        <customObject id="-2" userLabel="File's Owner" customClass="Base"/>
        <customObject id="-1" customClass="FirstResponder"/>

        """

    private static func document(objects size: Int, maximum: Int = .max, _ object: (Int) -> String) -> [UInt8] {
        var bytes = Array(head.utf8)
        var number = 0
        while bytes.count < size, number < maximum {
            bytes += object(number).utf8
            number += 1
        }
        // The rest is blank.
        bytes += Array(repeating: 0x20, count: max(0, size - bytes.count))
        return bytes + "</objects></document>".utf8
    }

    private static func list(size: Int, _ row: (Int) -> String) -> [UInt8] {
        var bytes = Array("<plist version=\"1.0\"><dict><key>IBClasses</key><array>\n".utf8)
        var number = 0
        while bytes.count < size {
            bytes += row(number).utf8
            number += 1
        }
        return bytes + "</array></dict></plist>".utf8
    }

    // MARK: Nibs

    private mutating func nib() -> [UInt8] {
        let long = longName()
        let base = random.oneIn(2) ? " customClass=\"Base\"" : ""
        let size = size
        // So that every other nib keeps below the limit on objects.
        let most = random.oneIn(2) ? 4_090 : Int.max
        switch random.below(16) {
        case 0: return Self.document(objects: size, maximum: most) { "<x\($0) id=\"v\($0)\"/>" }
        case 1: return Self.document(objects: size, maximum: most) { "<view id=\"v\($0)\" customClass=\"C\($0)\"/>" }
        case 2: return Self.document(objects: size, maximum: most) { "<view id=\"v\($0)\"\(base) a\($0 % 100)=\"1\"/>" }
        case 3: return connections { "<outlet property=\"o\($0)\" destination=\"v\($0)\" id=\"c\($0)\"/>" }
        case 4: return connections { "<outlet property=\"\(long)\" destination=\"a\" id=\"c\($0)\"/>" }
        case 5:
            return connections { "<action selector=\"s\($0)\" target=\"-1\" eventType=\"e\($0)\" id=\"c\($0)\"/>" }
        case 6: return connections { "<outletCollection property=\"p\($0)\" destination=\"a\" id=\"c\($0)\"/>" }
        case 7:
            return Self.document(objects: size, maximum: most) { number in
                "<view id=\"some-id-\(number)\"><connections><outlet property=\"next\" destination=\"some-od-\(number)\" id=\"c\(number)\"/></connections></view>"
            }
        case 8: return nested(" key=\"\(long)\" title=\"A text\"")
        case 9: return nested(" id=\"v\"")
        case 10:
            return Self.document(objects: size, maximum: most) { number in
                "<view id=\"v\(number)\" customClass=\"Mod.C\(number)\" customModule=\"Mod\" customModuleProvider=\"target\"/>"
            }
        case 11:
            return Self.document(objects: size) { "<placeholder placeholderIdentifier=\"P\($0)\" id=\"p\($0)\"/>" }
        case 12:
            let path = String(repeating: "next.", count: max(1, long.utf8.count / 5)) + "title"
            return inOne("userDefinedRuntimeAttributes") { _ in
                "<userDefinedRuntimeAttribute type=\"string\" keyPath=\"\(path)\" value=\"A text\"/>"
            }
        case 13: return Self.document(objects: size) { "<column><column><view id=\"v\($0)\"/></column></column>" }
        case 14:
            return Self.document(objects: size, maximum: most) { number in
                "<view id=\"\(number)\(long)\" customClass=\"\(long)\" title=\"t\"><string key=\"\(long)\">x</string></view>"
            }
        default:
            return inOne("subviews") { number in
                "<view id=\"v\(number % 3)\" weight=\"x\"><string key=\"k\(number)\">A text</string></view>"
            }
        }
    }

    private mutating func longName() -> String {
        String(repeating: "n", count: random.pick([1, 20, 127, 129, 1_000, max(1, size / 8), max(1, size / 2)]))
    }

    private func connections(_ connection: (Int) -> String) -> [UInt8] { inOne("connections", connection) }

    private func inOne(_ part: String, _ child: (Int) -> String) -> [UInt8] {
        var text = "<view id=\"a\" customClass=\"Base\"><\(part)>"
        var number = 0
        while text.utf8.count < size {
            text += child(number)
            number += 1
        }
        return Self.document(objects: 0, maximum: 0) { _ in "" }.dropLast("</objects></document>".utf8.count)
            + Array((text + "</\(part)></view></objects></document>").utf8)
    }

    /// Objects in one another, as deep as they may be.
    private func nested(_ attributes: String) -> [UInt8] {
        let depth = 120
        return Self.document(objects: size) { _ in
            String(repeating: "<view\(attributes)>", count: depth) + String(repeating: "</view>", count: depth)
        }
    }

    // MARK: Lists

    private mutating func list() -> [UInt8] {
        let long = longName()
        let size = size
        func row(_ name: String, _ more: String = "", superclass: String? = nil) -> String {
            "<dict><key>CLASS</key><string>\(name)</string>"
                + (superclass.map { "<key>SUPERCLASS</key><string>\($0)</string>" } ?? "") + more + "</dict>\n"
        }
        func texts(_ key: String, _ value: String, prefix: String, size: Int) -> String {
            var text = "<key>\(key)</key><dict>"
            var number = 0
            while text.utf8.count < size {
                text += "<key>\(prefix)\(number)</key><string>\(value)</string>"
                number += 1
            }
            return text + "</dict>"
        }
        func names(_ key: String, prefix: String, size: Int) -> String {
            var text = "<key>\(key)</key><array>"
            var number = 0
            while text.utf8.count < size {
                text += "<string>\(prefix)\(number)</string>"
                number += 1
            }
            return text + "</array>"
        }
        let view = "<key>ELEMENT</key><array><string>view</string></array>"
        switch random.below(14) {
        case 0: return Self.list(size: size) { row("C\($0)", superclass: $0 == 0 ? "Base" : "C\($0 - 1)") }
        case 1: return Self.list(size: size) { row("C\($0)", superclass: "C\($0 + 1)") }
        case 2:
            return Self.list(size: size) { number in
                number == 0
                    ? row("Base", texts("OUTLETS", "*", prefix: "o", size: size / 2) + view)
                    : row("C\(number)", superclass: "Base")
            }
        case 3:
            return Self.list(size: size) { number in
                number == 0
                    ? row("Base", texts("OUTLETS", "*", prefix: "o", size: size / 2) + view)
                    : row(
                        "C\(number)", "<key>OUTLETS</key><dict><key>x</key><string>*</string></dict>",
                        superclass: "Base")
            }
        case 4:
            return Self.list(size: size) { _ in
                row(
                    "Base",
                    texts("OUTLETS", "*", prefix: "o", size: size / 2)
                        + names("REQUIRED", prefix: "o", size: size / 3) + view)
            }
        case 5:
            return Self.list(size: size) {
                row(
                    "Base",
                    texts("ACTIONS", "", prefix: "s", size: size / 2)
                        + texts("EVENTS", "many", prefix: "e", size: size / 2) + view + ($0 > 0 ? "" : ""))
            }
        case 6:
            return Self.list(size: size) { _ in row("Base", texts("COLLECTIONS", "C", prefix: "p", size: size) + view) }
        case 7:
            let type = "Int" + String(repeating: "?", count: size / 2)
            return Self.list(size: size) { _ in
                row("Base", "<key>ATTRIBUTES</key><dict><key>title</key><string>\(type)</string></dict>" + view)
            }
        case 8:
            let type = "Enum(" + (0..<max(1, size / 6)).map(String.init).joined(separator: "|") + ")"
            return Self.list(size: size) { _ in
                row("Base", "<key>ATTRIBUTES</key><dict><key>weight</key><string>\(type)</string></dict>" + view)
            }
        case 9: return Self.list(size: size) { row("C\($0)", view) }
        case 10:
            return Self.list(size: size) {
                row("C\($0)", "<key>EVENTS</key><dict><key>e</key><string>x</string></dict>", superclass: "Gone")
            }
        case 11:
            return Self.list(size: size) { _ in
                row(
                    long,
                    "<key>OUTLETS</key><dict><key>\(long)</key><string>\(long)</string></dict>"
                        + names("REQUIRED", prefix: long, size: 1) + view)
            }
        case 12: return Self.list(size: size) { row("C\($0)", "<key>MODULE</key><string>Mod</string>") }
        default:
            return Self.list(size: size) { number in
                row(
                    number == 0 ? "Base" : "C\(number)",
                    "<key>ATTRIBUTES</key><dict><key>title</key><string>String</string></dict>"
                        + (number == 0 ? view : ""))
            }
        }
    }
}
