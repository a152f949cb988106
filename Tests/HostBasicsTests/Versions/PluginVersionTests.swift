import Testing

@testable import HostBasics

@Suite struct PluginVersionTests {
    @Test(arguments: [
        "0", "1", "1.2", "1.2.3", "1.2.3.4.5.6", "01.002", "2024.11.21", "9223372036854775807", "1-a", "1.0-beta",
        "1.0-beta.2", "1.0-0.a-b.-.--", "1.0--", "1+1", "1.0+linux.x86-64", "1.0-rc.1+a.b", "1-18446744073709551616",
    ])
    func aVersionIsShownAsItWasWritten(text: String) throws {
        let version = try #require(PluginVersion(text))
        #expect(version.description == text)
    }

    @Test(arguments: [
        "", " ", "1 ", " 1", ".", "1.", ".1", "1..2", "a", "v1", "1.a", "1.x", "1.*", "-1", "+1", "1-", "1+", "1-a.",
        "1-.a", "1-a..b", "1+a..b", "1+a+b", "1-ä", "١", "1\u{301}", "1\0", "1.\0", "\u{0}1", "1\n", "1_0", "1,0",
        "0x1",
        "1-a b", "9223372036854775808", "1.99999999999999999999999999999999",
    ])
    func anInvalidVersionIsRefused(text: String) {
        #expect(PluginVersion(text) == nil)
    }

    @Test func aVersionHasAtMost255Bytes() {
        let longest = "1." + String(repeating: "0", count: 252) + "7"
        #expect(longest.utf8.count == 255)
        #expect(PluginVersion(longest) == PluginVersion("1.7"))
        #expect(PluginVersion(longest + "1") == nil)
        #expect(PluginVersion(String(repeating: "1", count: 1_000_000)) == nil)
        #expect(PluginVersion(String(repeating: "1.", count: 500_000) + "1") == nil)
        #expect(PluginVersion(reading: String(repeating: "1.", count: 500_000)).numbers.count == 128)
        #expect(PluginVersion(reading: String(repeating: "9", count: 1_000_000)) == .zero)
    }

    /// From the lowest to the highest: the versions of Semantic Versioning's section 11, and more around them.
    static let ordered = [
        "0-0", "0-1", "0", "0.0.1", "0.1-a", "0.1", "0.9", "0.10", "1.0.0-0", "1.0.0-9", "1.0.0-10",
        "1.0.0-18446744073709551616", "1.0.0-18446744073709551617", "1.0.0--", "1.0.0-A", "1.0.0-alpha",
        "1.0.0-alpha.1", "1.0.0-alpha.beta", "1.0.0-beta", "1.0.0-beta.2", "1.0.0-beta.11", "1.0.0-rc.1", "1.0.0",
        "1.0.0.0.1", "1.0.1", "1.1", "1.9", "1.10", "2-alpha", "2", "10", "9223372036854775807",
    ].map { PluginVersion($0)! }

    @Test func versionsAreInOrder() {
        for (place, version) in Self.ordered.enumerated() {
            for (otherPlace, other) in Self.ordered.enumerated() {
                #expect((version < other) == (place < otherPlace), "\(version) < \(other)")
                #expect((version == other) == (place == otherPlace), "\(version) == \(other)")
            }
        }
    }

    @Test(arguments: [
        ("1", "1.0"), ("1", "1.0.0.0"), ("0", "0.0"), ("1.2", "01.02"), ("1.0-beta", "1-beta"), ("1-01", "1-1"),
        ("1-000", "1-0"), ("1+a", "1+b"), ("1", "1.0+b"), ("1-a+1", "1.0-a"),
    ])
    func equalVersionsAreEqualInEveryWay(one: String, other: String) throws {
        let (a, b) = (try #require(PluginVersion(one)), try #require(PluginVersion(other)))
        #expect(a == b)
        #expect(a.hashValue == b.hashValue)
        #expect(!(a < b) && !(b < a))
    }

    // MARK: Of bundles

    @Test(arguments: [
        (nil, "0"), ("", "0"), ("x", "0"), ("v1.2", "0"), ("1.2b3", "1.2"), ("1.2 (142)", "1.2"), ("1.2.", "1.2"),
        ("1..2", "1"), ("1.2-", "1.2"), ("1.2_3", "1.2"), ("12\0", "12"), ("1.2-beta", "1.2-beta"), ("1.2.x", "1.2"),
        ("9223372036854775808", "0"), ("1.9223372036854775808", "1"),
    ])
    func aBundleHasTheNumbersThatItsVersionBeginsWith(text: String?, expected: String) {
        let version = PluginVersion(reading: text)
        #expect(version == PluginVersion(expected))
        #expect(version.description == expected)
    }

    @Test(arguments: [("1.9", "1.10"), ("1.0", "1.0.1"), ("9", "10"), (nil, "0.0.1"), ("x", "1"), ("1.2b3", "1.3")])
    func versionsOfBundlesCompareNumberByNumber(lower: String?, higher: String) {
        #expect(PluginVersion(reading: lower) < PluginVersion(reading: higher))
    }

    @Test func theBuildDecidesBetweenEqualVersionsAlone() {
        let first = PluginVersion(short: "1.2", build: "141")
        let second = PluginVersion(short: "1.2.0", build: "142")
        #expect(first < second)
        #expect(first != second)
        #expect(second < PluginVersion(short: "1.3", build: "1"))
        #expect(PluginVersion(short: "1.2", build: nil) < first)
        #expect(PluginVersion(short: "1.2", build: nil) == PluginVersion("1.2"))
        #expect(first.description == "1.2")
    }

    @Test(arguments: [nil, "", "Spring Edition"])
    func withoutAShortVersionTheBuildIsTheVersion(short: String?) {
        #expect(PluginVersion(short: short, build: "142") == PluginVersion("142"))
        #expect(PluginVersion(short: short, build: nil) == PluginVersion("0"))
    }
}
