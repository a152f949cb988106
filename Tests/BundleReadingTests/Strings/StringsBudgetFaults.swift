import PropertyLists
import TestSupport
import Testing

@testable import BundleReading
@testable import HostBasics

/// Small tables that expand to much, and large ones that do not.
@Suite struct StringsBudgetFaults {
    private static let plural = [
        "NSStringFormatSpecTypeKey": "NSStringPluralRuleType", "NSStringFormatValueTypeKey": "d",
    ]

    /// A `.stringsdict` with many keys for one entry, whose text has the given length.
    private static func sharedEntry(keys: Int, textSize: Int) -> [UInt8] {
        var list = BinaryListFixture()
        func variable(_ text: String) -> Int {
            let entries = (Self.plural + [("other", text)]).map { (key: list.add($0), value: list.add($1)) }
            return list.add(entries)
        }
        // Ten variables with a tenth of the text each would not expand; ten times the same variable does.
        let inner = variable(String(repeating: "x", count: textSize / 100))
        let outer = variable(String(repeating: "%#@inner@", count: 10))
        let format = list.add(String(repeating: "%#@outer@", count: 10))
        let entry = list.add([
            (list.add("NSStringLocalizedFormatKey"), format), (list.add("inner"), inner), (list.add("outer"), outer),
        ])
        let top = list.add((0..<keys).map { (key: list.add("k\($0)"), value: entry) })
        return list.bytes(top: top)
    }

    private static func table(_ bytes: [UInt8], _ type: String = "stringsdict") throws -> (
        table: StringsTable, findings: [PluginFinding]
    ) {
        let tree = try TemporaryTree()
        try tree.write("T.\(type)", bytes: bytes)
        let path = tree("T.\(type)")
        let file = StringsFile(
            strings: type == "strings" ? path : nil, formats: type == "strings" ? nil : path, language: "en")
        return file.read()
    }

    @Test(.fault(173)) func keysThatShareAnEntryShareItsText() throws {
        // 600 texts of 100,000 bytes: 60 MB. They are one text.
        let bytes = Self.sharedEntry(keys: 600, textSize: 100_000)
        let (table, findings) = try Self.table(bytes)
        #expect(findings.isEmpty, "\(findings.first?.message ?? "")")
        #expect(table.count == 600)
        #expect(table["k599"]?.utf8.count == 100_000)
    }

    @Test(.fault(173)) func anEntryThatIsSharedTooOftenIsRefused() throws {
        let bytes = Self.sharedEntry(keys: 2_500, textSize: 1_000_000)
        let (table, findings) = try Self.table(bytes)
        #expect(table.count == 0)
        let finding = try #require(findings.first)
        #expect(findings.count == 1 && finding.code == .stringsTableFaulty)
        #expect(finding.message.contains("T.stringsdict") && finding.message.contains("\(bytes.count) bytes"))
    }

    @Test(.fault(173)) func entriesThatEachGrowAreRefusedTogether() throws {
        let entry = """
            = { NSStringLocalizedFormatKey = "\(String(repeating: "%#@a@", count: 40))";
              a = { NSStringFormatSpecTypeKey = NSStringPluralRuleType; other = "\(String(repeating: "%#@b@", count: 40))"; };
              b = { NSStringFormatSpecTypeKey = NSStringPluralRuleType; other = "\(String(repeating: "x", count: 400))"; }; };
            """
        let text = "{" + (0..<50).map { "k\($0) \(entry)" }.joined() + "}"
        let (table, findings) = try Self.table(Array(text.utf8))
        #expect(table.count == 0)
        #expect(findings.count == 1)
        #expect(findings.first?.message.contains("none of its entries is used") == true)
        #expect(findings.first?.remedy.isEmpty == false)
    }

    @Test(.fault(174)) func aTableOf33000KeysAndOneValueOpensOrIsRefused() throws {
        for (size, isRead) in [(200, true), (65_000, false)] {
            var list = BinaryListFixture()
            let value = list.add(String(repeating: "v", count: size))
            let top = list.add((0..<33_000).map { (key: list.add("k\($0)"), value: value) })
            let (table, findings) = try Self.table(list.bytes(top: top), "strings")
            #expect(table.count == (isRead ? 33_000 : 0))
            #expect(findings.map(\.code) == (isRead ? [] : [.stringsTableFaulty]))
            #expect(table["k32999"]?.utf8.count == (isRead ? size : nil))
        }
    }

    @Test(.fault(175), arguments: [true, false]) func aChainOf7000VariablesIsAFault(forwards: Bool) throws {
        let variables = (0..<7_000).map { number in
            "v\(number) = { NSStringFormatSpecTypeKey = NSStringPluralRuleType; "
                + "other = \"\(number == 6_999 ? "end" : "%#@v\(number + 1)@")\"; };"
        }
        // Backwards, each variable is known when it is used, and none seems deep.
        let format = forwards ? "%#@v0@" : (0..<7_000).reversed().map { "%#@v\($0)@" }.joined()
        let text = "{ k = { NSStringLocalizedFormatKey = \"\(format)\"; \(variables.joined()) }; good = \"text\"; }"
        let (table, findings) = try Self.table(Array(text.utf8))
        #expect(table["k"] == nil)
        #expect(table["good"] == "text")
        #expect(findings.count == 1)
        #expect(findings.first?.message.contains("more than 64 deep") == true)
    }

    @Test(.fault(281)) func anEntryOfTooManyPiecesIsLeftOut() throws {
        for (count, isRead) in [(4_999, true), (5_001, false)] {
            // Each is a conversion and a text, which has any length.
            let format = String(repeating: "%1$d" + String(repeating: "x", count: 60), count: count)
            let (table, findings) = try Self.table(Array("{ k = \"\(format)\"; good = text; }".utf8))
            #expect(table["k"] == (isRead ? format : nil))
            #expect(table["good"] == "text")
            #expect(findings.count == (isRead ? 0 : 1))
            #expect(findings.allSatisfy { $0.message.contains("10000 conversions") && $0.subject == "k" })
        }
    }

    @Test(.fault(281)) func formatsAreCountedAsTheyAreStored() throws {
        // Once parsed, each is fifty times as long.
        let text = "{" + (0..<100).map { "k\($0) = \"\(String(repeating: "%d", count: 2_500))\";" }.joined() + "}"
        let (table, findings) = try Self.table(Array(text.utf8))
        #expect(table.count == 0)
        #expect(findings.count == 1)
        #expect(findings.first?.message.contains("none of its entries is used") == true)
    }

    @Test func variablesMayNestAsDeepAsNeeded() throws {
        for (count, isRead) in [(63, true), (64, false)] {
            let variables = (0..<count).map { number in
                "v\(number) = { other = \"\(number == count - 1 ? "end" : "%#@v\(number + 1)@")\"; };"
            }
            let text = "{ k = { NSStringLocalizedFormatKey = \"%#@v0@\"; \(variables.joined()) }; }"
            #expect(try Self.table(Array(text.utf8)).table["k"] == (isRead ? "end" : nil))
        }
    }

    @Test func manyFaultyEntriesAreCounted() throws {
        let text = "{" + (0..<1_000).map { "k\($0) = (1);" }.joined() + "good = text; }"
        let (table, findings) = try Self.table(Array(text.utf8))
        #expect(table["good"] == "text")
        #expect(findings.count == 101)
        #expect(findings.last?.message.hasPrefix("900 more problems") == true)
    }

    @Test(.fault(181)) func widthsDoNotMakeATextOfAnyLength() {
        let format = String(repeating: "%1$999d", count: 100_000)
        let (text, misfits) = FormatString(format).formatted([FormatArgument(7)])
        #expect(text.utf8.count <= ReadingBudget.limit(forInputOf: format.utf8.count + 1) + format.utf8.count)
        #expect(misfits.count == ReadingBudget.mostFindings)
        #expect(text.hasSuffix("%1$999d"))
        // As many as any text needs are followed.
        let few = FormatString(String(repeating: "%1$999d", count: 1_000)).formatted([FormatArgument(7)])
        #expect(few.text.utf8.count == 999_000 && few.misfits.isEmpty)
    }

    @Test(.fault(181)) func anArgumentMayHaveAnyLength() {
        let long = String(repeating: "x", count: 5_000_000)
        let (text, misfits) = FormatString("%1$@ and %1$@").formatted([FormatArgument(long)])
        #expect(text.utf8.count == 10_000_005 && misfits.isEmpty)
    }

    @Test(.fault(104, 159), arguments: ["UTF-8", "UTF-16", "slow"])
    func aTableOfTenMegabytesTakesSixTimesItsSizeAtMost(form: String) async {
        await #expect(processExitsWith: .success) { [form = form as String] in
            var text = ""
            for number in 0..<200_000 { text += "\"key number \(number)\" = \"a translation of no.\(number)\";\n" }
            // Without its last semicolon, the reader that accepts all tables reads it.
            if form == "slow" { text.removeLast(2) }
            var bytes = Array(text.utf8)
            if form == "UTF-16" { bytes = [0xFF, 0xFE] + text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] } }
            try #require(bytes.count > 9_000_000)
            let tree = try TemporaryTree()
            try tree.write("T.strings", bytes: bytes)
            let size = bytes.count
            bytes = []
            text = ""
            let before = ProcessUse.mostMemory
            // Memory that the test itself has freed would hide what the reader takes.
            let ballast = [UInt8](repeating: 1, count: max(0, before - currentMemory()))
            let (table, findings) = StringsFile(strings: tree("T.strings"), formats: nil, language: "en").read()
            let taken = ProcessUse.mostMemory - before
            try #require(findings.count == (form == "slow" ? 1 : 0) && ballast.count >= 0)
            try #require(table.count == 200_000)
            try #require(table["key number 199999"] == "a translation of no.199999")
            // A table with faults is read into a dictionary, within the budget of all readers.
            try #require(taken <= (form == "slow" ? ReadingBudget.factor : 6) * size, "\(taken) bytes for \(size)")
        }
    }
}
