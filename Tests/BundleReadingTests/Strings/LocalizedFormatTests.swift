import TestSupport
import Testing

@testable import BundleReading
@testable import HostBasics

@Suite("LocalizedFormat: .stringsdict")
struct LocalizedFormatTests {
    private let log = FindingLog()

    /// The tables of one `fr.lproj`, or of another language's.
    private func tables(
        _ formats: String, strings: String? = nil, language: String = "fr", device: String? = nil
    ) throws -> BundleStrings {
        let tree = try TemporaryTree(["\(language).lproj/Localizable.stringsdict": formats])
        if let strings { try tree.write("\(language).lproj/Localizable.strings", strings) }
        let finder = finder(tree, languages: [language], preference: VariantPreference(device: device))
        // The tables are read before the tree is removed.
        let tables = BundleStrings(finder: finder) { [log] in log.add($0) }
        _ = tables.string(forKey: "", table: nil)
        return tables
    }

    private func text(_ tables: BundleStrings, _ key: String, _ arguments: Any..., width: Int? = nil) -> String {
        tables.localizedString(forKey: key, value: nil, table: nil, arguments: arguments, width: width)
    }

    private func plain(_ tables: BundleStrings, _ key: String) -> String {
        tables.localizedString(forKey: key, value: nil, table: nil)
    }

    @Test func theFormThatTheNumberNeedsIsChosen() throws {
        let english = try tables(pluralFormats, language: "en")
        #expect((0...2).map { text(english, "%d files", $0) } == ["No file left", "1 file left", "2 files left"])
        #expect(text(english, "%d files", -1) == "-1 file left")
        #expect(text(english, "%d files", UInt8(1)) == "1 file left")
        #expect(text(english, "%d files", 1.5) == "1.5 files left")
        // In French 1.5 takes the singular.
        #expect(text(try tables(pluralFormats), "%d files", 1.5) == "1.5 file left")
        #expect(log.findings.allSatisfy { $0.code == .stringFormatMismatch })
    }

    @Test func theTableIsXMLAsARule() throws {
        let xml = """
            <?xml version="1.0" encoding="UTF-8"?>
            <plist version="1.0"><dict><key>n</key><dict>
              <key>NSStringLocalizedFormatKey</key><string>%#@n@</string>
              <key>n</key><dict>
                <key>NSStringFormatSpecTypeKey</key><string>NSStringPluralRuleType</string>
                <key>NSStringFormatValueTypeKey</key><string>lu</string>
                <key>one</key><string>%lu файл</string><key>few</key><string>%lu файла</string>
                <key>many</key><string>%lu файлов</string><key>other</key><string>%lu файла</string>
              </dict></dict></dict></plist>
            """
        let russian = try tables(xml, language: "ru")
        #expect(
            [1, 3, 5, 11, 21].map { text(russian, "n", $0) } == [
                "1 файл", "3 файла", "5 файлов", "11 файлов", "21 файл",
            ])
        #expect(plain(russian, "n") == "%lu файла")
    }

    @Test func severalVariablesTakeTheArgumentsInOrderOrByPosition() throws {
        let variables = """
            files = { NSStringFormatSpecTypeKey = NSStringPluralRuleType; one = "%d file"; other = "%d files"; };
            folders = { NSStringFormatSpecTypeKey = NSStringPluralRuleType; one = "%d folder"; other = "%d folders"; };
            """
        let tables = try tables(
            """
            { order = { NSStringLocalizedFormatKey = "%@: %#@files@ in %#@folders@"; \(variables) };
              position = { NSStringLocalizedFormatKey = "%3$#@folders@ with %2$#@files@ of %1$@"; \(variables) };
              twice = { NSStringLocalizedFormatKey = "%1$#@files@, %1$#@folders@, %1$d"; \(variables) };
              width = { NSStringLocalizedFormatKey = "%2#@files@ in %1#@folders@"; \(variables) }; }
            """, language: "en")
        #expect(text(tables, "order", "Ann", 1, 2) == "Ann: 1 file in 2 folders")
        #expect(text(tables, "position", "Ann", 1, 2) == "2 folders with 1 file of Ann")
        #expect(text(tables, "twice", 1) == "1 file, 1 folder, 1")
        // A number without a dollar sign is a width, which a variable does not use, and no position.
        #expect(text(tables, "width", 1, 2) == "1 file in 2 folders")
        // Without arguments they are formats for the same arguments.
        #expect(plain(tables, "order") == "%@: %d files in %d folders")
        #expect(plain(tables, "position") == "%3$d folders with %2$d files of %1$@")
        #expect(plain(tables, "twice") == "%1$d files, %1$d folders, %1$d")
        #expect(log.calls.isEmpty)
    }

    @Test func variablesMayContainVariables() throws {
        let tables = try tables(
            """
            { runs = { NSStringLocalizedFormatKey = "%1$#@done@";
                done = { NSStringFormatSpecTypeKey = NSStringPluralRuleType; zero = "Nothing yet";
                    one = "One %2$#@total@"; other = "%1$d %2$#@total@"; };
                total = { NSStringFormatSpecTypeKey = NSStringPluralRuleType; one = "of %2$d run";
                    other = "of %2$d runs"; }; };
              next = { NSStringLocalizedFormatKey = "%#@a@.";
                a = { NSStringFormatSpecTypeKey = NSStringPluralRuleType; one = "%d apple and %#@b@";
                    other = "%d apples and %#@b@"; };
                b = { NSStringFormatSpecTypeKey = NSStringPluralRuleType; one = "%d pear"; other = "%d pears"; }; };
              deep = { NSStringLocalizedFormatKey = "%#@a@";
                a = { NSStringFormatSpecTypeKey = NSStringPluralRuleType; one = "one";
                    other = { NSStringLocalizedFormatKey = "%d %#@own@";
                        own = { NSStringDeviceSpecificRuleType = x; NSStringFormatSpecTypeKey = NSStringPluralRuleType;
                            other = "own"; }; }; }; }; }
            """, language: "en")
        #expect(text(tables, "runs", 0, 5) == "Nothing yet")
        #expect(text(tables, "runs", 1, 5) == "One of 5 runs")
        #expect(text(tables, "runs", 3, 1) == "3 of 1 run")
        #expect(plain(tables, "runs") == "%1$d of %2$d runs")
        // A text of a variable takes the arguments from the variable's own argument on.
        #expect(text(tables, "next", 1, 2) == "1 apple and 2 pears.")
        #expect(plain(tables, "next") == "%d apples and %d pears.")
    }

    @Test func widthsChooseTheWidestThatFits() throws {
        let tables = try tables(
            """
            { copy = { NSStringVariableWidthRuleType = { 5 = "Copy"; 20 = "Copy the file"; 12 = "Copy file"; }; };
              variable = { NSStringLocalizedFormatKey = "%#@w@: %d"; w = { NSStringFormatSpecTypeKey =
                NSStringVariableWidthRuleType; 1 = n; 9 = number; }; }; }
            """)
        #expect(
            [1, 5, 11, 12, 19, 20, 99].map { text(tables, "copy", width: $0) } == [
                "Copy", "Copy", "Copy", "Copy file", "Copy file", "Copy the file", "Copy the file",
            ])
        #expect(text(tables, "copy") == "Copy the file")
        #expect(plain(tables, "copy") == "Copy the file")
        #expect(text(tables, "variable", 1, 7, width: 3) == "n: 7")
    }

    @Test func devicesChooseTheirOwn() throws {
        let rule = """
            { do = { NSStringDeviceSpecificRuleType = { phone = Tap; mac = Click;
                tablet = { NSStringLocalizedFormatKey = "%#@n@"; n = { one = "Tap %d time"; other = "Tap %d times"; }; };
                other = Press; }; };
              some = { NSStringDeviceSpecificRuleType = { tablet = Tap; mac = Click; }; }; }
            """
        #expect(plain(try tables(rule, device: "phone"), "do") == "Tap")
        #expect(plain(try tables(rule, device: "watch"), "do") == "Press")
        #expect(plain(try tables(rule), "do") == "Press")
        #expect(plain(try tables(rule), "some") == "Click")
        let tablet = try tables(rule, language: "en", device: "tablet")
        #expect(text(tablet, "do", 1) == "Tap 1 time")
        #expect(plain(tablet, "do") == "Tap %d times")
    }

    @Test func theDictionaryOverridesTheStringsOfItsPlaceOnly() throws {
        let tree = try TemporaryTree([
            "fr.lproj/Localizable.strings": "both = \"strings fr\"; only = \"only fr\"; first = \"first fr\";",
            "fr.lproj/Localizable.stringsdict": "{ both = \"dict fr\"; }",
            "en.lproj/Localizable.stringsdict": "{ first = \"dict en\"; second = \"dict en\"; }",
            "en.lproj/Localizable.strings": "second = \"strings en\"; third = \"strings en\";",
            "fr.lproj/Counts.stringsdict": pluralFormats,
        ])
        let tables = BundleStrings(finder: finder(tree, languages: ["fr"])) { [log] in log.add($0) }
        for _ in 0..<2 {
            #expect(plain(tables, "both") == "dict fr")
            #expect(plain(tables, "only") == "only fr")
            #expect(plain(tables, "first") == "first fr")
            #expect(plain(tables, "second") == "dict en")
            #expect(plain(tables, "third") == "strings en")
            // A table need not have a .strings file.
            #expect(tables.localizedString(forKey: "%d files", value: nil, table: "Counts") == "%d files left")
            #expect(
                tables.localizedString(
                    forKey: "%d files", value: nil, table: "Counts.strings", arguments: [0], width: nil)
                    == "No file left")
        }
        #expect(log.calls.isEmpty)
    }

    @Test func theRulesAreThoseOfTheTablesLanguage() throws {
        // The key is missing in Russian; the English table of the development region has it.
        let tree = try TemporaryTree([
            "ru.lproj/Localizable.strings": "a = b;", "en.lproj/Localizable.stringsdict": pluralFormats,
            "Global.stringsdict": pluralFormats, "Base.lproj/Base.stringsdict": pluralFormats,
        ])
        let tables = BundleStrings(finder: finder(tree, languages: ["ru"])) { [log] in log.add($0) }
        for table in ["Localizable", "Global", "Base"] {
            let form = tables.localizedString(forKey: "%d files", value: nil, table: table, arguments: [21], width: nil)
            #expect(form == "21 files left")
        }
    }

    @Test func digitsOfTheValueTypeCount() throws {
        func rule(_ type: String) -> String {
            "{ m = { NSStringLocalizedFormatKey = \"%#@m@\"; m = { NSStringFormatValueTypeKey = \"\(type)\"; "
                + "one = \"%.1f mile\"; other = \"%.1f miles\"; }; }; }"
        }
        #expect(text(try tables(rule(".1f"), language: "en"), "m", 1.0) == "1.0 miles")
        #expect(text(try tables(rule("f"), language: "en"), "m", 1.0) == "1.0 mile")
        #expect(text(try tables(rule("lf"), language: "en"), "m", 2) == "2.0 miles")
    }

    @Test func stringsAreFormattedToo() throws {
        let tables = try tables(pluralFormats, strings: "\"%d of %@\" = \"%2$@ : %1$d\"; \"100%%\" = \"100 %%\";")
        #expect(text(tables, "%d of %@", 1, "x") == "x : 1")
        #expect(text(tables, "100%%") == "100 %")
        // A key without translation is its own format, or the value is.
        #expect(text(tables, "%d of nothing", 3) == "3 of nothing")
        #expect(tables.localizedString(forKey: "k", value: "<%d>", table: nil, arguments: [3], width: nil) == "<3>")
        #expect(plain(tables, "%d of nothing") == "%d of nothing")
    }

    @Test("A format that does not fit is shown as far as possible, and reported once", .fault(103))
    func misfitsAreReportedOnce() throws {
        let tables = try tables(pluralFormats, strings: "two = \"%@ %d\";", language: "en")
        for _ in 0..<3 {
            #expect(text(tables, "%d files", "many") == "many files left")
            #expect(text(tables, "%d files") == "%d files left")
            #expect(text(tables, "two", "a") == "a %d")
        }
        #expect(log.findings.map(\.code) == [.stringFormatMismatch, .stringFormatMismatch])
        #expect(log.findings.map(\.subject) == ["%d files", "two"])
    }

    @Test(
        "A bad entry is located and left out, and costs no other", .fault(101),
        arguments: [
            ("7", "bad"), ("{ }", "bad"), ("{ NSStringLocalizedFormatKey = (1); }", "NSStringLocalizedFormatKey"),
            ("{ NSStringLocalizedFormatKey = \"%#@x@\"; }", "bad"),
            ("{ NSStringLocalizedFormatKey = \"%#@x@\"; x = text; }", "x"),
            ("{ NSStringLocalizedFormatKey = \"%#@x@\"; x = { one = a; }; }", "x"),
            ("{ NSStringLocalizedFormatKey = \"%#@x@\"; x = { other = a; several = b; }; }", "several"),
            ("{ NSStringLocalizedFormatKey = \"%#@x@\"; x = { other = (a); }; }", "other"),
            ("{ NSStringLocalizedFormatKey = \"%#@x@\"; x = { NSStringFormatSpecTypeKey = None; other = a; }; }", "x"),
            ("{ NSStringLocalizedFormatKey = \"%#@x@\"; x = { other = \"%#@x@\"; }; }", "x"),
            (
                "{ NSStringLocalizedFormatKey = \"%#@x@\"; x = { other = \"%#@y@\"; }; y = { other = \"%#@x@\"; }; }",
                "x"
            ),
            ("{ NSStringVariableWidthRuleType = { wide = a; }; }", "wide"),
            ("{ NSStringVariableWidthRuleType = { }; }", "NSStringVariableWidthRuleType"),
            ("{ NSStringVariableWidthRuleType = a; }", "NSStringVariableWidthRuleType"),
            ("{ NSStringDeviceSpecificRuleType = { }; }", "NSStringDeviceSpecificRuleType"),
        ])
    func badEntriesAreLeftOut(_ entry: String, _ place: String) throws {
        // Old-style lists have no numbers of their own; typed values do.
        let value = entry == "7" ? "<*I7>" : entry
        let tables = try tables(
            "{ a = \"A\"; bad = \(value); z = \"Z\"; }", strings: "bad = \"from strings\";")
        #expect(plain(tables, "a") == "A")
        #expect(plain(tables, "z") == "Z")
        #expect(plain(tables, "bad") == "from strings")
        #expect(log.findings.map(\.code) == [.stringsTableFaulty])
        #expect(log.findings.first?.subject == "bad")
        #expect(log.findings.first?.message.contains("“\(place)”: ") == true, "\(log.findings)")
    }

    @Test("Variables that grow without end are refused at once", .fault(101))
    func growingEntriesAreLeftOut() throws {
        for leaf in ["", "text"] {
            var rules = ""
            for number in 0..<60 {
                rules += "v\(number) = { other = \"%#@v\(number + 1)@%#@v\(number + 1)@\"; };"
            }
            let tables = try tables(
                "{ a = \"A\"; bad = { NSStringLocalizedFormatKey = \"%#@v0@\"; \(rules) v60 = { other = \"\(leaf)\"; }; }; }"
            )
            #expect(plain(tables, "a") == "A")
            #expect(plain(tables, "bad") == "bad")
        }
        #expect(log.findings.map(\.code) == [.stringsTableFaulty, .stringsTableFaulty])
    }

    @Test("A damaged list is located; XML keeps the entries before the damage", .fault(101))
    func damagedListsAreReported() throws {
        let xml = try tables("<plist><dict><key>a</key><string>A</string><key>b</key><dict><key>")
        #expect(plain(xml, "a") == "A")
        let old = try tables("{ a = { b = ; }; }", strings: "a = strings;")
        #expect(plain(old, "a") == "strings")
        #expect(log.findings.map(\.code) == [.stringsTableFaulty, .stringsTableFaulty])
        #expect(log.findings.last?.subject?.hasPrefix("line 1") == true)
    }
}
