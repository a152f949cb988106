import TestSupport
import Testing

@testable import HostBasics

@Suite struct VersionRangeTests {
    /// A range with versions that are in it and versions that are not, each at a border.
    struct Row: Sendable, CustomTestStringConvertible {
        let range: String
        let inside: String
        let outside: String
        let words: String

        init(_ range: String, _ inside: String, _ outside: String, _ words: String) {
            (self.range, self.inside, self.outside, self.words) = (range, inside, outside, words)
        }

        var testDescription: String { range }
    }

    static let rows = [
        Row("*", "0-0 0 1 1-a 9223372036854775807", "", ""),
        Row(">=1.2", "1.2 1.2.0 1.2+x 1.2.0.1 1.3-a 9", "1.2-rc 1.1.9 0", "1.2 or later"),
        Row(">=1.2-beta", "1.2-beta 1.2-beta.1 1.2-rc 1.2", "1.2-alpha 1.1", "1.2-beta or later"),
        Row(">1.2", "1.2.0.1 1.3-a 2", "1.2 1.2.0 1.2+x 1.2-rc", "later than 1.2"),
        Row("<2", "1.9.9 1.9-a 0-0", "2 2.0 2-alpha 2-0 2.1", "below 2"),
        Row("<2-beta", "1.9 2-0 2-alpha", "2-beta 2-rc 2", "below 2-beta"),
        Row("<=2", "2 2.0.0 2-rc 2+x 0", "2.0.1 2.0.1-a 2.1 3", "2 or earlier"),
        Row("<=2-beta", "2-beta 2-alpha 1", "2-beta.1 2-rc 2", "2-beta or earlier"),
        Row("=1.2", "1.2 1.2.0 1.2+x", "1.2.1 1.2-a 1.1 1.3", "exactly 1.2"),
        Row("=1.2-beta", "1.2-beta 1.2.0-beta", "1.2 1.2-beta.1 1.2-alpha", "exactly 1.2-beta"),
        Row("1.2", "1.2 1.2.0 1.9.9 1.3-a", "1.2-a 1.1 2 2-a 2-0", "from 1.2 to below 2"),
        Row("^1.2", "1.2 1.99 1.3-a", "1.2-a 1.1.9 2-a 2", "from 1.2 to below 2"),
        Row("^1.2-beta", "1.2-beta 1.2 1.9", "1.2-alpha 2-a 2", "from 1.2-beta to below 2"),
        Row("1", "1 1.0.1 1.99", "1-a 0.9 2-0 2", "from 1 to below 2"),
        Row("^0.3", "0.3 0.3.9", "0.2.9 0.3-a 0.4-a 0.4 1", "from 0.3 to below 0.4"),
        Row("^0.0.3", "0.0.3 0.0.3.9", "0.0.2 0.0.4-a 0.0.4", "from 0.0.3 to below 0.0.4"),
        Row("^0", "0 0.9.9", "0-a 1-a 1", "from 0 to below 1"),
        Row("^0.0", "0 0.0.9", "0.1-a 0.1", "from 0.0 to below 0.1"),
        Row("~1.2", "1.2 1.2.9", "1.2-a 1.1 1.3-a 1.3", "from 1.2 to below 1.3"),
        Row("~1.2.3", "1.2.3 1.2.9", "1.2.2 1.3-a 1.3", "from 1.2.3 to below 1.3"),
        Row("~1", "1 1.9", "0.9 2-a 2", "from 1 to below 2"),
        Row("~0", "0 0.9", "1-a 1", "from 0 to below 1"),
        Row("~1.2-rc", "1.2-rc 1.2.5", "1.2-beta 1.3", "from 1.2-rc to below 1.3"),
        Row("1.2...1.9", "1.2 1.9 1.9.0 1.9-a 1.5", "1.2-a 1.9.0.1 1.1 2", "from 1.2 to 1.9"),
        Row("1.2 ..< 1.9", "1.2 1.8.9 1.8-a", "1.2-a 1.9 1.9-a 1.1", "from 1.2 to below 1.9"),
        Row("1.2-a..<1.9-b", "1.2-a 1.2 1.9-a", "1.9-b 1.9 1.2-0", "from 1.2-a to below 1.9-b"),
        Row("1...1", "1 1.0", "1.0.1 1-a", "exactly 1"),
        Row(">=1.2 <2", "1.2 1.9", "1.1 2 2-a", "from 1.2 to below 2"),
        Row(">1.2,<=2", "1.2.1 2 2-a", "1.2 2.0.1", "later than 1.2 and up to 2"),
        Row(">1.2 <2", "1.2.1 1.9", "1.2 2-a", "later than 1.2 and below 2"),
        Row(" > 1.2 , <2 ", "1.2.1", "1.2 2", "later than 1.2 and below 2"),
        Row("^1.2 <1.5", "1.2 1.4", "1.5 1.1", "from 1.2 to below 1.5"),
        Row("* <2", "1", "2", "below 2"),
        Row("<1 || >=3", "0.9 3 4", "1 2 2.9 3-a", "below 1 or 3 or later"),
        Row("3||1", "1 1.9 3", "2 4 0", "from 1 to below 2 or from 3 to below 4"),
        Row("1 || 1.5...3", "1 3", "0.9 3.1", "from 1 to 3"),
        Row("1 || *", "0 1 5", "", ""),
        Row(">=1 || <1", "1 0.9", "1-a", "below 1 or 1 or later"),
        Row("1||3||5||7||9||11||13", "13", "2", "“1||3||5||7||9||11||13”"),
    ]

    @Test(arguments: rows)
    func versionsAreInsideUpToTheBorders(_ row: Row) throws {
        let range = try VersionRange(row.range)
        for text in row.inside.split(separator: " ") {
            let version = try #require(PluginVersion(String(text)))
            #expect(range.contains(version), "\(version)")
        }
        for text in row.outside.split(separator: " ") {
            let version = try #require(PluginVersion(String(text)))
            #expect(!range.contains(version), "\(version)")
        }
        #expect(range.inWords == row.words)
    }

    @Test func theBuildOfABundleIsNotPartOfARange() throws {
        let version = PluginVersion(short: "1.2", build: "142")
        for text in ["=1.2", "<=1.2", ">=1.2", "1.1...1.2", "1.2"] { #expect(try VersionRange(text).contains(version)) }
        for text in [">1.2", "<1.2", "1.1..<1.2"] { #expect(try !VersionRange(text).contains(version)) }
    }

    @Test(arguments: [
        ("1.2", "^1.2"), ("1.2", ">=1.2 <2"), ("1.2", "<2,>=1.2.0"), ("1||2-0", ">=1 <3"), ("*", ">=0-0"),
        ("3||1", "1||3"), ("~1", "^1"), ("1 || 1.2", "1"), ("2 || * || 1", "*"), ("=1", "1...1.0"),
    ])
    func rangesOfTheSameVersionsAreEqual(one: String, other: String) throws {
        let (a, b) = (try VersionRange(one), try VersionRange(other))
        #expect(a == b)
        #expect(a.hashValue == b.hashValue)
        #expect(try a != VersionRange("1.2.3"))
    }

    @Test func aRangeIsShownAsItWasWritten() throws {
        #expect(try VersionRange("  >=1.2   <2 \t").description == ">=1.2   <2")
        #expect(VersionRange.any == (try VersionRange("*")))
    }

    @Test(arguments: [
        ("", 0, "the range is empty"),
        ("  ", 0, "the range is empty"),
        ("x", 1, "“x” is not a version"),
        ("1.2 \0", 5, "“\\0” is not a version"),
        (" 1.2b3", 2, "“1.2b3” is not a version"),
        ("1.*", 1, "“1.*” is not a version; write “~1”"),
        (">=1 1.2.x", 5, "“1.2.x” is not a version; write “~1.2”"),
        (">=", 1, "no version follows “>=”"),
        (">= || 1", 1, "no version follows “>=”"),
        (">=,1", 1, "no version follows “>=”"),
        ("==1", 1, "“==” is not an operator (use >=, >, <=, <, =, ^ or ~)"),
        ("1 => 2", 3, "“=>” is not an operator (use >=, >, <=, <, =, ^ or ~)"),
        ("!=1", 1, "“!=” is not an operator (use >=, >, <=, <, =, ^ or ~)"),
        ("1 | 2", 3, "“|” is not an operator (use >=, >, <=, <, =, ^ or ~)"),
        (">=>2", 1, "“>=>” is not an operator (use >=, >, <=, <, =, ^ or ~)"),
        ("|| 1", 1, "an alternative next to “||” is missing"),
        ("1 ||", 5, "an alternative next to “||” is missing"),
        ("1 || || 2", 6, "an alternative next to “||” is missing"),
        ("1,", 2, "nothing follows “,”"),
        (",1", 1, "found “,” where a version is expected"),
        ("1,,2", 3, "found “,” where a version is expected"),
        ("...2", 1, "found “.” where a version is expected"),
        ("1...", 5, "found the end where a version is expected"),
        ("1..2", 2, "found “.” where a version is expected"),
        ("2...1", 1, "2 is not below 1"),
        ("1..<1", 1, "1 is not below 1"),
        (">=2 <1", 1, "no version is in “>=2 <1”"),
        ("1 || >2 <=2", 6, "no version is in “>2 <=2”"),
        ("<0", 1, "no version is in “<0”"),
        ("9223372036854775807", 1, "nothing can be above “9223372036854775807”"),
        ("^9223372036854775807", 2, "nothing can be above “9223372036854775807”"),
        (">=1; 2", 3, "“1;” is not a version"),
        (">=1\u{202E}", 3, "“1\\u{202E}” is not a version"),
    ])
    func aFaultNamesItsPlace(text: String, position: Int, problem: String) throws {
        let fault = try #require(throws: VersionRange.Fault.self) { try VersionRange(text) }
        #expect(fault.position == position)
        #expect(fault.reason == problem)
    }

    @Test func aFaultIsPartOfASentence() throws {
        let fault = try #require(throws: VersionRange.Fault.self) { try VersionRange(">=1 x") }
        #expect("\(fault)" == "at character 5, “x” is not a version")
    }

    @Test func aLongRangeIsRefusedAndALongWordShortened() throws {
        let longest = "1.0" + String(repeating: " ", count: 1021)
        #expect(try VersionRange(longest).description == "1.0")
        let tooLong = try #require(throws: VersionRange.Fault.self) { try VersionRange(longest + " ") }
        #expect("\(tooLong)" == "the range has more than 1024 bytes")
        let huge = String(repeating: "1.", count: 500_000)
        #expect(throws: VersionRange.Fault.self) { try VersionRange(huge) }
        let word = try #require(throws: VersionRange.Fault.self) {
            try VersionRange(String(repeating: "x", count: 900))
        }
        #expect(word.reason.count < 80)
    }

    /// Random texts of the grammar's own characters: a fault or a range, and a range is unchanged when it is read again.
    @Test(arguments: [UInt64(1), 2, 3])
    func anyTextIsReadOrRefused(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let pieces = [
            "1", "2", "0", ".", "..", "...", "..<", "<", ">", "=", "^", "~", "*", "||", "|", ",", " ", "-a", "+",
        ]
        var read = 0
        for _ in 0..<20_000 {
            let text = (0..<Int.random(in: 1...7, using: &generator)).map { _ in
                pieces.randomElement(using: &generator)!
            }.joined()
            guard let range = try? VersionRange(text) else { continue }
            read += 1
            #expect(try VersionRange(range.description) == range, "\(text), seed \(seed)")
            #expect(range.intervals.allSatisfy { !$0.isEmpty }, "\(text), seed \(seed)")
        }
        #expect(read > 500)
    }
}
