/// Makes XIB documents by the grammar of the format: objects in objects, values of every type, connections of every
/// kind.
///
/// Ids repeat, names are wrong, numbers are extreme, and some documents are damaged afterwards.
enum HostileNibs {
    static func input(_ random: inout SeededGenerator) -> [UInt8] {
        // Each rare mistake ends the plan of its document, so most documents make none of a kind.
        let mistakes = random.oneIn(3) ? 0 : random.pick([2, 8, 40])
        var writer = Writer(random: SeededGenerator(seed: random.next()), mistakes: mistakes)
        var text = Array(writer.document().utf8)
        for _ in 0..<(random.oneIn(3) ? 1 + random.below(6) : 0) where !text.isEmpty {
            let place = random.below(text.count)
            let piece = Array(text[place..<min(text.count, place + 1 + random.below(60))])
            switch random.below(4) {
            case 0: text.removeSubrange(place..<place + piece.count)
            case 1: text.insert(contentsOf: piece, at: random.below(text.count))
            case 2: text[place] = UInt8(truncatingIfNeeded: random.next())
            default: for _ in 0..<random.below(random.oneIn(16) ? 200 : 4) { text.insert(contentsOf: piece, at: place) }
            }
        }
        return text
    }

    private struct Writer {
        var random: SeededGenerator
        /// One of so many choices is wrong on purpose; 0 for none.
        let mistakes: Int
        var count = 0
        var connections = 0
        var text = """
            <?xml version="1.0" encoding="UTF-8" standalone="no"?>
            <document type="com.apple.InterfaceBuilder3.Cocoa.XIB" version="3.0" toolsVersion="14313.18" useAutolayout="YES">

            """

        private mutating func errs() -> Bool { mistakes > 0 && random.oneIn(mistakes) }

        mutating func document() -> String {
            text +=
                "<dependencies><deployment identifier=\"macosx\"/><plugIn identifier=\"x\" version=\"1\"/></dependencies>\n"
            text += "<objects>\n"
            text += "<customObject id=\"-2\" userLabel=\"File's Owner\" customClass=\"FuzzedBlock\">"
            writeConnections(of: "-2")
            text += "</customObject>\n<customObject id=\"-1\" customClass=\"FirstResponder\"/>\n"
            if random.oneIn(3) {
                text += "<customObject id=\"-3\" userLabel=\"Application\" customClass=\"NSObject\"/>\n"
            }
            if errs() { text += "<placeholder placeholderIdentifier=\"Other\" id=\"other\"/>\n" }
            for _ in 0..<(1 + random.below(6)) { writeObject(depth: 0, key: nil) }
            text += "</objects>\n"
            if random.oneIn(3) {
                text +=
                    "<resources><image name=\"\(word())\" width=\"1\" height=\"1\"/><sound name=\"\(word())\"/></resources>\n"
            }
            return text + "</document>\n"
        }

        // MARK: Objects

        private mutating func writeObject(depth: Int, key: String?) {
            let element = random.pick(["view", "view", "textField", "customObject"])
            let id = "v\(errs() && count > 0 ? random.below(count) : count)"
            count += 1
            text += "<\(element) id=\"\(id)\""
            if let key { text += " key=\"\(key)\"" }
            if element == "customObject" || random.oneIn(4) {
                text += " customClass=\"\(errs() ? word() : "FuzzedBlock")\""
            }
            if errs() {
                text += random.pick([" customModule=\"x\"", " customModuleProvider=\"target\"", " customModule=\"\""])
            }
            for _ in 0..<random.below(3) { text += " \(attribute())" }
            text += ">\n"
            for _ in 0..<random.below(4) { writeValue() }
            if depth < 12, random.oneIn(3) {
                text += "<subviews>"
                for _ in 0..<random.below(4) { writeObject(depth: depth + 1, key: nil) }
                text += "</subviews>\n"
            }
            if depth < 12, random.oneIn(6) { writeObject(depth: depth + 1, key: errs() ? word() : "header") }
            if errs() {
                text += random.pick([
                    "<cells><x/></cells>", "<view id=\"v\(count)\"/>", "<column><view id=\"q\"/></column>",
                ])
            }
            if random.oneIn(5) {
                text += "<constraints><constraint id=\"k\(count)\" firstItem=\"\(id)\"/></constraints>"
            }
            if random.oneIn(4) { writeRuntimeAttributes() }
            writeConnections(of: id)
            text += "</\(element)>\n"
        }

        private mutating func writeConnections(of id: String) {
            guard random.oneIn(2) else { return }
            text += "<connections>"
            if random.oneIn(2) { write("outlet property=\"\(name("next"))\"", to: destination()) }
            if random.oneIn(3) { write("outlet property=\"\(name("delegate"))\"", to: destination()) }
            if random.oneIn(4) { write("outlet property=\"\(name("served"))\"", to: destination()) }
            for _ in 0..<random.below(3) { write("outletCollection property=\"\(name("blocks"))\"", to: destination()) }
            if random.oneIn(3) { write("action selector=\"\(name("open:"))\"", to: target(), as: "target") }
            for _ in 0..<random.below(3) {
                write("action selector=\"\(name("open"))\" eventType=\"\(name("touch"))\"", to: target())
            }
            if errs() { write(random.pick(["binding name=\"x\"", "segue kind=\"show\"", "outlet", "action"]), to: id) }
            text += "</connections>\n"
        }

        private mutating func write(_ start: String, to destination: String, as name: String = "destination") {
            connections += 1
            text += "<\(start) \(name)=\"\(destination)\" id=\"c\(connections)\"/>"
        }

        /// Any object, also one that comes later.
        private mutating func destination() -> String {
            errs()
                ? random.pick(["-1", "none", "", "c1", "k1"]) : random.oneIn(6) ? "-2" : "v\(random.below(count + 1))"
        }

        private mutating func target() -> String { random.oneIn(2) ? "-1" : destination() }

        private mutating func name(_ usual: String) -> String { errs() ? word() : usual }

        // MARK: Values

        private mutating func attribute() -> String {
            let (name, values) = random.pick(Self.attributes)
            return "\(name)=\"\(errs() ? random.pick(Self.numbers) : random.pick(values))\""
        }

        private mutating func number() -> String { errs() ? random.pick(Self.numbers) : "\(random.below(500)).5" }

        private mutating func writeValue() {
            switch random.below(10) {
            case 0:
                text += "<rect key=\"frame\" x=\"\(number())\" y=\"\(number())\" width=\"\(number())\" height=\"1\"/>"
            case 1: text += "<point key=\"origin\" x=\"\(number())\" y=\"\(number())\"/>"
            case 2: text += "<size key=\"extent\" width=\"\(number())\" height=\"\(number())\"/>"
            case 3: text += "<range key=\"span\" location=\"\(errs() ? "-1" : "0")\" length=\"9\"/>"
            case 4: text += "<color key=\"color\" red=\"\(number())\" alpha=\"1\" colorSpace=\"calibratedRGB\"/>"
            case 5: text += "<string key=\"title\">\(word()) &amp; &#x\(errs() ? "D800" : "263A");\n</string>"
            case 6: text += "<string key=\"title\" base64-UTF8=\"YES\">\(errs() ? "=" : "w6Q")</string>"
            case 7: text += "<font key=\"font\" metaFont=\"system\" size=\"\(number())\"/>"
            case 8: text += "<integer key=\"tag\" value=\"\(errs() ? random.pick(Self.numbers) : "7")\"/>"
            default: text += "<\(word()) key=\"\(word())\"/>"
            }
            text += "\n"
        }

        private mutating func writeRuntimeAttributes() {
            text += "<userDefinedRuntimeAttributes>"
            for _ in 0..<random.below(4) {
                let path = (random.oneIn(6) ? "next." : "") + (errs() ? word() : "title")
                let value = random.pick([
                    "type=\"string\" keyPath=\"\(path)\" value=\"\(word())\"/>",
                    "type=\"number\" keyPath=\"tag\"><integer key=\"value\" value=\"\(random.below(99))\"/></userDefinedRuntimeAttribute>",
                    "type=\"nil\" keyPath=\"title\"/>", "type=\"image\" keyPath=\"image\" value=\"\(word())\"/>",
                    "type=\"point\" keyPath=\"origin\"><point key=\"value\" x=\"1\" y=\"2\"/></userDefinedRuntimeAttribute>",
                ])
                text += "<userDefinedRuntimeAttribute \(value)"
            }
            text += "</userDefinedRuntimeAttributes>\n"
        }

        private mutating func word() -> String { random.pick(Self.words) }

        private static let attributes: [(String, [String])] = [
            ("title", ["a", "", "&lt;b&gt;", "\u{1F600}", "x&#10;y"]), ("tag", ["0", "-7", "+9223372036854775807"]),
            ("ratio", ["1", "-2.5e-3", "0"]), ("isOn", ["YES", "NO", "true", "0"]), ("weight", ["light", "bold"]),
            ("fixedFrame", ["YES"]), ("translatesAutoresizingMaskIntoConstraints", ["NO"]), ("userLabel", ["x"]),
        ]

        private static let numbers = [
            "nan", "inf", "-inf", "1e999", "9223372036854775808", "0x10", "", " 1", "1.", "--1", "\u{661}", "1e-999",
            "x",
        ]

        private static let words = [
            "title", "next", "blocks", "Dial", "FuzzedBloc", "a.b", "..", "../x", "", "\u{E9}", "reset", "open:",
            "frame", ":",
            "value", "none",
        ]
    }
}
