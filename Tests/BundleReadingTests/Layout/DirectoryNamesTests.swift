import Testing

@testable import BundleReading
@testable import HostBasics

@Suite struct DirectoryNamesTests {
    private static func names(_ list: [(String, DirectoryListing.Kind)]) -> DirectoryNames {
        var names = DirectoryNames()
        for (name, kind) in list {
            names.note(length: name.utf8.count, kind, isASCII: name.utf8.allSatisfy { $0 < 0x80 })
        }
        Array(list.map(\.0).joined().utf8).withUnsafeBytes { names.append($0) }
        names.finish()
        return names
    }

    @Test(arguments: [3, 256, 257, 1_000])
    func everyNameIsFoundAndNoOther(_ count: Int) {
        let list = (0..<count).map { ("name\($0).png", $0 % 2 == 0 ? DirectoryListing.Kind.file : .directory) }
        let names = Self.names(list)
        for (name, kind) in list {
            #expect(names[name]?.name == name && names[name]?.kind == kind)
            #expect(names[String(name.dropLast())] == nil && names[name + "x"] == nil)
        }
        #expect(names[""] == nil && names.all == Dictionary(uniqueKeysWithValues: list))
        #expect(names == Self.names(list.reversed()) && names != Self.names(Array(list.dropLast())))
    }

    @Test func anEmptyDirectoryHasNoNames() {
        let names = Self.names([])
        #expect(names["a"] == nil && names[""] == nil && names.all.isEmpty)
    }

    @Test func ofTwoNormalFormsTheFirstByBytesRepresentsBoth() {
        let forms = ["\u{E9}", "e\u{301}"]
        for order in [forms, forms.reversed()] {
            let names = Self.names(order.map { ($0, .file) })
            for form in forms { #expect(names[form].map { Array($0.name.utf8) } == Array("e\u{301}".utf8)) }
            #expect(names.all.count == 1)
        }
    }

    @Test func aNameIsFoundByAnEqualOneOfOtherBytes() {
        // The Kelvin sign and the letter K.
        #expect(Self.names([("K", .file), ("L", .file)])["\u{212A}"].map { Array($0.name.utf8) } == Array("K".utf8))
        #expect(Self.names([("\u{212A}", .file)])["K"] != nil)
        #expect(Self.names([("K", .file)])["\u{E9}"] == nil)
    }

    @Test func aNameThatIsToldTwiceIsOne() {
        let names = Self.names([("a", .file), ("a", .file)])
        #expect(names.all == ["a": .file] && names["a"]?.kind == .file)
        #expect(names == Self.names([("a", .file)]))
    }

    @Test func aKnownSearchOrderKeepsTheSpellingOfEachBundle() {
        let settings = LocalizationSettings(languages: ["fr"])
        for name in ["caf\u{E9}", "cafe\u{301}", "caf\u{E9}"] {
            let order = SearchOrder.order(settings, folders: [name + ".lproj", "fr.lproj"])
            #expect(order.localizations.map { Array($0.utf8) } == [Array(name.utf8), Array("fr".utf8)])
            #expect(order == SearchOrder(settings, folders: [name + ".lproj", "fr.lproj"]))
        }
    }
}
