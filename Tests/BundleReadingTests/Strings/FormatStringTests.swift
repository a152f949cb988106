import Glibc
import Testing

@testable import BundleReading

@Suite("FormatString")
struct FormatStringTests {
    private func formatted(_ format: String, _ arguments: Any...) -> String {
        FormatString(format).formatted(arguments.map(FormatArgument.init)).text
    }

    private func misfits(_ format: String, _ arguments: Any...) -> Int {
        FormatString(format).formatted(arguments.map(FormatArgument.init)).misfits.count
    }

    private static func printed(_ format: String, _ arguments: [any CVarArg]) -> String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 4096) { buffer in
            _ = withVaList(arguments) { vsnprintf(buffer.baseAddress!, buffer.count, format, $0) }
            return String(cString: buffer.baseAddress!)
        }
    }

    /// All but C's flag for a blank, which is text here.
    static let flags = ["", "-", "0", "+", "#", "-+", "0+", "0#", "-0"]
    static let widths = ["", "1", "8", "12.3", ".0", ".5", "9.", "3.12"]

    @Test("Whole numbers look as printf() writes them", arguments: flags)
    func wholeNumbersLookAsInC(_ flags: String) {
        for width in Self.widths {
            for type in ["ld", "li", "lu", "lx", "lX", "lo", "lld", "zd", "llu", "qd"] {
                for number in [0, 1, -1, 42, -4_096, Int.max, Int.min] {
                    let format = "%" + flags + width + type
                    // C does not define a sign or # for other conversions; glibc ignores them, and so does this function.
                    #expect(formatted("[\(format)]", number) == Self.printed("[\(format)]", [number]), "\(format)")
                }
            }
            for type in ["d", "i", "u", "x", "X", "o"] {
                for number: Int32 in [0, 7, -7, .max, .min] {
                    let format = "%" + flags + width + type
                    #expect(formatted(format, number) == Self.printed(format, [number]), "\(format)")
                    #expect(formatted(format, Int(number)) == Self.printed(format, [number]), "\(format)")
                }
            }
        }
    }

    @Test("Real numbers look as printf() writes them", arguments: flags)
    func realNumbersLookAsInC(_ flags: String) {
        for width in Self.widths + ["5.1", ".2", "20.15"] {
            for type in ["f", "F", "e", "E", "g", "G", "a", "A", "lf"] {
                for number in [0, 1, -1.5, 3.14159, 1e-7, -1e21, 1e300, .infinity, -.infinity] {
                    let format = "%" + flags + width + type
                    #expect(formatted(format, number) == Self.printed(format, [number]), "\(format)")
                }
            }
        }
        #expect(formatted("%f", Double.nan) == "nan")
    }

    @Test func numbersAreWrittenInTheCLocale() async {
        await #expect(processExitsWith: .success) {
            // With or without this locale, the point stays.
            setlocale(LC_ALL, "de_DE.UTF-8")
            precondition(FormatString("%.1f").formatted([FormatArgument(2.5)]).text == "2.5")
        }
    }

    @Test func textsAndCharacters() {
        #expect(formatted("%@, %s!", "Hello", "world") == "Hello, world!")
        #expect(formatted("[%6@|%-6@|%.2@|%6.2s]", "été", "été", "été", "été") == "[   été|été   |ét|    ét]")
        #expect(formatted("%c%C%c%c", 0x41, 0x1F9E9, "z", Character("é")) == "A🧩zé")
        #expect(formatted("%c", -1) == "\u{FFFD}")
        #expect(formatted("%@ %@ %@", 3, 2.5, [1, 2]) == "3 2.5 [1, 2]")
        #expect(formatted("%@ %@", Optional(3) as Any, Optional<Int>.none as Any) == "3 (null)")
        #expect(formatted("100%% of %d%%", 5) == "100% of 5%")
        #expect(formatted("%%%%d") == "%%d")
        #expect(formatted("%d %d", true, UInt64.max) == "1 18446744073709551615")
        #expect(formatted("%d", 5_000_000_000) == "5000000000")
        #expect(formatted("%x %x %lx", Int8(-1), -1, -1) == "ffffffff ffffffff ffffffffffffffff")
        #expect(formatted("%f %d %.1f", 3, 4.0, Float(0.5)) == "3.000000 4 0.5")
    }

    @Test func positionsAreFollowed() {
        #expect(formatted("%2$@ of %1$@", "a", "b") == "b of a")
        #expect(formatted("%1$d %1$x", 10) == "10 a")
        #expect(formatted("[%*d|%-*d|%.*f|%2$*1$d]", 4, 7) == "[   7|%-*d|%.*f|   7]")
        #expect(formatted("[%*d|%.*f]", -4, 7, 2, 1.0) == "[7   |1.00]")
    }

    @Test(
        "Formats that do not fit their arguments never crash", .fault(103),
        arguments: [
            ("%d", "text"), ("%f", "text"), ("%x", "text"), ("%c", "text"), ("%d", "2.5"), ("%*d", "text"),
            ("%.*f", "text"),
        ])
    func textsUnderNumericConversionsAreShown(_ format: String, _ argument: String) {
        let shown = formatted(format, argument, 1)
        #expect(format.contains("*") ? shown == format : shown == argument)
        #expect(misfits(format, argument, 1) == 1)
    }

    @Test("What cannot be followed stays as it is written", .fault(103))
    func oddFormatsAreText() {
        for format in [
            "%d", "%2$@", "%s %s", "%", "100%", "%y", "%5", "%.", "%l", "%-", "% d %", "%99999d", "%1000d", "%.1000f",
            "%9999999999999999999$@", "%0$@", "%n", "%p", "%*1000$d", "%#@name@", "%#@", "%\u{0}d", "%é",
        ] {
            #expect(formatted(format) == format, "\(format)")
        }
        #expect(formatted("%n %p", 1, 2) == "%n %p")
        #expect(formatted("%2$@ and %1$@", "one") == "%2$@ and one")
        #expect(formatted("%d", 2.5) == "2.5")
        #expect(formatted("[%5d]", "é") == "[    é]")
        #expect(formatted("%*d", 1 << 40, 1) == "%*d")
        // A surplus argument does not concern the format.
        #expect(misfits("%d", 1, 2) == 0)
    }

    @Test func manyFormatsWithManyArgumentsNeverCrash() {
        var random = SystemRandomNumberGenerator()
        let alphabet = Array("%%%%%%%%@dxfsc$123*.#-+ 0lhn@ é")
        let values: [Any] = [1, -1, "text", 2.5, UInt64.max, Optional<Int>.none as Any, Character("é"), [1], true]
        for _ in 0..<20_000 {
            let format = String((0..<Int.random(in: 1...12, using: &random)).map { _ in alphabet.randomElement()! })
            let arguments = (0..<Int.random(in: 0...3)).map { _ in FormatArgument(values.randomElement()!) }
            let parsed = FormatString(format)
            #expect(parsed.formatted(arguments).text.utf8.count < 5_000)
            // Numbered and written again, it is the same format.
            var next = 1
            let numbered = FormatString(
                pieces: parsed.pieces.map { piece in
                    guard case .conversion(var conversion) = piece else { return piece }
                    conversion.number(from: &next)
                    return .conversion(conversion)
                })
            #expect(
                FormatString(numbered.text).formatted(arguments).text == numbered.formatted(arguments).text
                    || numbered.formatted(arguments).misfits.count > 0, "\(format)")
        }
    }

    @Test(
        "a percent sign before a blank is text", .fault(786),
        arguments: [
            ("100 % des fichiers : %d", "100 % des fichiers : 7"), ("% d", "% d"), ("%d %", "7 %"), ("% %d", "% 7"),
            ("%% %d", "% 7"), ("%d %%", "7 %"), ("%%%d", "%7"), ("%", "%"), ("%%", "%"), ("%1$ d", "%1$ d"),
            ("%+ d", "%+ d"), ("%- 5d|%-5d|", "%- 5d|7    |"), ("5 % @ %@", "5 % @ 7"), ("%\u{A0}d", "%\u{A0}d"),
        ])
    func aPercentSignBeforeABlankBeginsNothing(_ format: String, _ expected: String) {
        let (text, misfits) = FormatString(format).formatted([FormatArgument(7)])
        #expect(text == expected)
        #expect(misfits.isEmpty)
    }

    @Test func theParserReportsWhatEachPercentSignBegins() {
        var parser = FormatParser("a%% %d %y %2$#@n@ é%-5.*ld%")
        var found: [String] = []
        while let part = parser.next() {
            let what =
                switch part.content {
                case .percent: "percent"
                case .stray: "stray"
                case .conversion(let conversion): conversion.source
                case .variable(let name, let position): "\(name) \(position ?? 0)"
                }
            found.append("\(part.range.lowerBound)-\(part.range.upperBound) \(what)")
        }
        #expect(found == ["1-3 percent", "4-6 %d", "7-8 stray", "10-17 n 2", "20-27 %-5.*ld", "27-28 stray"])
    }
}
