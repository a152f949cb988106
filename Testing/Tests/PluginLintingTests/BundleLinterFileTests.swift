import Testing

@_spi(Tools) @testable import PluginLinting

/// Single files.
///
/// Numbers in comments are those of docs/faults.md.
@Suite struct BundleLinterFileTests {
    @Test func aGoodFileHasNoFindings() {
        #expect(findings("\"a\" = \"b %@\";\n", .stringsTable).isEmpty)
        #expect(findings(LintFixture.list("<key>a</key><string>b</string>"), .propertyList).isEmpty)
        #expect(findings("{ a = b; }", .propertyList).isEmpty)
    }

    @Test(.fault(101)) func everyFaultOfATableIsLocated() {
        let table = "\"a\" = \"1\"\n\"b\" = \"2\";\n\"c\" \"3\";\n\"b\" = \"4\";\n"
        let expected = ["1:10 error missingSeparator", "3:5 error missingSeparator", "4:1 warning duplicateKey"]
        #expect(findings(table, .stringsTable) == expected)
    }

    @Test(.fault(43)) func theFirstOfEqualKeysIsReported() throws {
        let table = BundleLinter().lint(Array("\"a\" = \"1\";\n  \"a\" = \"2\";\n".utf8), as: .stringsTable, named: "-")
        let finding = try #require(table.findings.first)
        #expect(finding.place?.line == 2)
        #expect(finding.place?.column == 3)
        #expect(finding.related.map(\.place?.line) == [1])
        let list = LintFixture.list(
            "<key>a</key><dict><key>x</key><true/>\n<key>x</key><true/></dict>\n<key>a</key><true/>")
        let report = BundleLinter().lint(Array(list.utf8), as: .propertyList, named: "-")
        #expect(report.findings.map(\.severity) == [.warning, .error])
        #expect(report.findings.map(\.place?.line) == [4, 5])
        #expect(report.findings.map { $0.related.first?.place?.line } == [3, 3])
        let oldStyle = BundleLinter().lint(Array("{ a = 1;\n b = 2;\n a = 3; }".utf8), as: .propertyList, named: "-")
        #expect(oldStyle.findings.map { $0.related.first?.place?.line } == [1])
    }

    /// Including faults after the first one.
    @Test(.fault(49)) func everyFaultOfAnXMLListIsLocated() {
        let list = LintFixture.list(
            "<key>a</key><integer>x</integer>\n<key>b</key><date>y</date>\n<key>c</key><string>z</string>")
        #expect(findings(list, .propertyList) == ["3:13 error invalidInteger", "4:13 error invalidDate"])
    }

    @Test func aFaultOfABinaryListHasItsByte() {
        let report = BundleLinter().lint(Array("bplist00 nonsense".utf8), as: .propertyList, named: "-")
        #expect(report.findings.count == 1)
        #expect(report.findings.first?.place?.byte != nil)
        #expect(report.findings.first?.place?.line == nil)
    }

    @Test(.fault(102)) func aFileInUTF16IsShownAsText() throws {
        let units = Array("\u{FEFF}\"é\" = \"1\";\n\"b\" \"日本\";".utf16)
        let bytes = units.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        let findings = BundleLinter().lint(bytes, as: .stringsTable, named: "-").findings
        #expect(findings.map(\.place?.line) == [2])
        #expect(findings.last?.place?.excerpt?.before == "\"b\" ")
        #expect(findings.last?.place?.excerpt?.after == "\"日本\";")
    }

    @Test func aLongLineIsCutAroundThePlace() throws {
        let blanks = String(repeating: "é", count: 5_000)
        let table = "\"a\" = \"\(blanks)\" \"\(blanks)\";"
        let finding = try #require(BundleLinter().lint(Array(table.utf8), as: .stringsTable, named: "-").findings.first)
        let excerpt = try #require(finding.place?.excerpt)
        #expect(finding.place?.column == 5_010)
        #expect(excerpt.isCutBefore && excerpt.isCutAfter)
        #expect(excerpt.before.count < 401 && excerpt.before.hasSuffix("é\" "))
        #expect(excerpt.after.hasPrefix("\"éé"))
    }

    @Test func aByteThatIsNotUTF8IsShown() throws {
        let report = BundleLinter().lint([0x3C, 0x61, 0x3E, 0x0A, 0x62, 0xFF], as: .propertyList, named: "-")
        #expect(report.findings.map(\.code.rawValue) == ["invalidEncoding"])
        #expect(report.findings.first?.place?.line == 2)
        #expect(report.findings.first?.place?.excerpt?.before == "b")
    }

    @Test func valuesThatAreNotTextHaveThePlaceOfTheirKey() {
        let table = LintFixture.list("<key>a</key><string>1</string>\n<key>b</key><true/>")
        #expect(findings(table, .stringsTable) == ["4:1 error valueNotString"])
    }

    @Test(.fault(22, 24, 25)) func aPathThatIsNotAFileIsReported() throws {
        let tree = try TemporaryTree(["folder/x": ""])
        for name in ["missing.strings", "folder"] {
            let report = BundleLinter().lint(file: tree(name))
            #expect(report.findings.map(\.code) == [.unreadable])
            #expect(report.count(.error) == 1)
        }
    }

    @Test func anInfoListHasItsKeysChecked() throws {
        let content = LintFixture.list(
            """
            <key>CFBundleIdentifier</key><integer>1</integer>
            <key>PHFactory</key><true/>
            <key>PHFunctions</key><dict><key>f</key><string>?</string></dict>
            <key>PHHostRequires</key><string>2..3</string>
            <key>PHRequires</key><dict><key>org.example.Words</key><string>newest</string></dict>
            """
        )
        let tree = try TemporaryTree(["Info.plist": content, "Other.plist": content])
        let report = BundleLinter().lint(file: tree("Info.plist"))
        #expect(report.findings.map(\.place?.line) == [3, 4, 5, 6, 7])
        #expect(report.findings.map(\.severity) == [.error, .warning, .error, .error, .error])
        let subjects = ["CFBundleIdentifier", "PHFactory", "PHFunctions", "PHHostRequires", "PHRequires"]
        #expect(report.findings.map(\.subject) == subjects)
        #expect(BundleLinter().lint(file: tree("Other.plist")).findings.isEmpty)
    }

    @Test(.fault(795, 796, 797, 798, 799)) func namesThatABuildDidNotExpandAreErrorsForTheAuthor() throws {
        let content = LintFixture.list(
            """
            <key>CFBundleIdentifier</key><string>$(PRODUCT_BUNDLE_IDENTIFIER)</string>
            <key>CFBundleName</key><string>${PRODUCT_NAME}</string>
            <key>CFBundleShortVersionString</key><string>@VERSION@</string>
            <key>CFBundleVersion</key><string>v1</string>
            <key>PHFactories </key><array/>
            """
        )
        let tree = try TemporaryTree(["Info.plist": content])
        let report = BundleLinter().lint(file: tree("Info.plist"))
        #expect(report.findings.map(\.place?.line) == [3, 4, 5, 6, 7])
        #expect(report.findings.map(\.severity) == [.error, .error, .error, .error, .warning])
    }

    @Test(.fault(787, 788)) func escapesOfOtherLanguagesAndWindows1252AreWarnings() {
        #expect(
            findings(#""a" = "Hello \(name)";"# + "\n" + #""b" = "\U0001F600 \x41";"#, .stringsTable)
                == ["1:14 warning foreignEscape", "2:8 warning foreignEscape", "2:19 warning foreignEscape"])
        let report = BundleLinter().lint(
            Array("a = \"".utf8) + [0x93, 0x81] + Array("\";".utf8), as: .stringsTable, named: "-")
        #expect(report.findings.map(\.code.rawValue) == ["assumedLatin1", "invalidEncoding"])
        #expect(report.findings.map(\.severity) == [.warning, .error])
    }

    @Test(.fault(880)) func whatIsLeftOfAnotherEncodingIsAWarningInAnyTable() {
        let good = "\"d\" = \"é\u{A0}\\U001b\\t…\u{303}\";\n"
        let table = "\"a\" = \"it\u{92}s \u{85}\";\n\"b\" = \"x\\0y\";\n\"c\" = \"\\U0093\";\n" + good
        let expected = ["1:1 warning controlCharacter", "2:1 warning controlCharacter", "3:1 warning controlCharacter"]
        #expect(findings(table, .stringsTable) == expected)
        let wide: [UInt8] = [0xFF, 0xFE] + table.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        let report = BundleLinter().lint(wide, as: .stringsTable, named: "-")
        #expect(report.findings.map(\.code) == Array(repeating: .controlCharacter, count: 3))
    }

    @Test(.fault(786)) func aPercentSignBeforeABlankIsStrayForTheLinterToo() {
        #expect(
            findings("\"a\" = \"100 % des fichiers : %d\";\n\"b\" = \"% d\";", .stringsTable) == [
                "1:1 warning strayPercent"
            ])
    }

    @Test func anInfoListMustBeADictionary() throws {
        let tree = try TemporaryTree(["Info.plist": "<array/>"])
        #expect(BundleLinter().lint(file: tree("Info.plist")).findings.map(\.code.rawValue) == ["manifestUnreadable"])
    }

    @Test(.fault(749)) func aRowOfAPredicateEditorIsNoFormat() {
        let table = """
            "%[a,b]@ %[is]@ %@" = "%1$[A,B]@ %2$[ist,ist nicht]@ %3$@";
            "c" = "%[a]@ %@";
            "d" = "%@ [50 %]@";
            """
        #expect(findings(table, .stringsTable) == ["3:1 warning strayPercent"])
    }

    @Test(.fault(103)) func aFormatIsCheckedOnItsOwn() {
        let table = "\"a\" = \"%@ 50 % of\";\n\"b\" = \"%1$@ %@\";\n\"c\" = \"%1$@ %1$d\";\n\"d\" = \"50 % of\";\n"
        let expected = ["1:1 warning strayPercent", "2:1 warning mixedPlaceholders", "3:1 error placeholderMismatch"]
        #expect(findings(table, .stringsTable) == expected)
    }
}
