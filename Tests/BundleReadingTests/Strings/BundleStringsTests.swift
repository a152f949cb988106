import Glibc
import TestSupport
import Testing

@testable import BundleReading
@testable import HostBasics

@Suite("BundleStrings")
struct BundleStringsTests {
    private let log = FindingLog()

    private func tables(_ tree: TemporaryTree, languages: [String] = ["fr-CA", "de"], region: String? = "en")
        -> BundleStrings
    {
        BundleStrings(finder: finder(tree, region: region, languages: languages)) { [log] in log.add($0) }
    }

    @Test("A key that is nowhere comes back, or the value", .fault(105))
    func missingKeysGiveTheValueOrTheKey() throws {
        let tree = try TemporaryTree(["fr.lproj/Localizable.strings": "\"a\" = \"A\"; \"void\" = \"\";"])
        let tables = tables(tree)
        #expect(tables.localizedString(forKey: "a", value: "x", table: nil) == "A")
        #expect(tables.localizedString(forKey: "b", value: nil, table: nil) == "b")
        #expect(tables.localizedString(forKey: "b", value: "", table: nil) == "b")
        #expect(tables.localizedString(forKey: "b", value: "x", table: nil) == "x")
        #expect(tables.localizedString(forKey: "b", value: "x", table: "None") == "x")
        #expect(tables.localizedString(forKey: "", value: nil, table: nil) == "")
        // An empty translation is a translation.
        #expect(tables.localizedString(forKey: "void", value: "x", table: nil) == "")
        #expect(log.calls.isEmpty)
    }

    @Test func tablesAreNamedInManyWays() throws {
        let tree = try TemporaryTree([
            "fr.lproj/Localizable.strings": "a = default;", "fr.lproj/Other.strings": "a = other;",
            "fr.lproj/strings.strings": "a = odd;",
        ])
        let tables = tables(tree)
        for _ in 0..<2 {
            for name in [nil, "", "Localizable", "Localizable.strings"] {
                #expect(tables.localizedString(forKey: "a", value: nil, table: name) == "default")
            }
            for name in ["Other", "Other.strings"] {
                #expect(tables.localizedString(forKey: "a", value: nil, table: name) == "other")
            }
            #expect(tables.localizedString(forKey: "a", value: nil, table: "strings") == "odd")
            #expect(tables.localizedString(forKey: "a", value: nil, table: "other") == "a")
            #expect(tables.localizedString(forKey: "a", value: nil, table: "../fr.lproj/Other") == "a")
        }
    }

    @Test func theFirstTableInTheOrderOfTheSearchIsUsed() throws {
        let tree = try TemporaryTree(["fr_CA.lproj/": ""])
        for place in ["en.lproj/", "fr.lproj/", "Base.lproj/", "fr_CA.lproj/", ""] {
            try tree.write(place + "Localizable.strings", "where = \"\(place)\";")
            #expect(tables(tree).localizedString(forKey: "where", value: nil, table: nil) == place)
        }
    }

    @Test("A key the first table lacks is taken from the region's language, then the development region", .fault(106))
    func missingKeysAreFoundInHiddenTables() throws {
        let tree = try TemporaryTree([
            "fr_CA.lproj/Localizable.strings": "a = \"a fr_CA\";",
            "fr.lproj/Localizable.strings": "a = \"a fr\"; b = \"b fr\";",
            "en.lproj/Localizable.strings": "a = \"a en\"; b = \"b en\"; c = \"c en\";",
            "de.lproj/Localizable.strings": "d = \"d de\";",
        ])
        let tables = tables(tree)
        for _ in 0..<2 {
            #expect(tables.localizedString(forKey: "a", value: nil, table: nil) == "a fr_CA")
            #expect(tables.localizedString(forKey: "b", value: nil, table: nil) == "b fr")
            #expect(tables.localizedString(forKey: "c", value: "x", table: nil) == "c en")
            #expect(tables.localizedString(forKey: "d", value: nil, table: nil) == "d")
        }
    }

    @Test func tablesAfterOneWithoutKeysOfItsOwnAreSearchedToo() throws {
        let tree = try TemporaryTree([
            "fr_CA.lproj/Localizable.strings": "a = \"a fr_CA\"; b = \"b fr_CA\";",
            "fr.lproj/Localizable.strings": "b = \"b fr\"; a = \"a fr\";", "Base.lproj/Localizable.strings": "",
            "en.lproj/Localizable.strings": "a = \"a en\"; b = \"b en\"; c = \"c en\";",
        ])
        let tables = tables(tree)
        for _ in 0..<2 {
            #expect(tables.localizedString(forKey: "d", value: nil, table: nil) == "d")
            #expect(tables.localizedString(forKey: "c", value: nil, table: nil) == "c en")
            #expect(tables.localizedString(forKey: "b", value: nil, table: nil) == "b fr_CA")
            #expect(tables.localizedString(forKey: "c", value: nil, table: nil, arguments: [], width: nil) == "c en")
        }
    }

    @Test func aTableIsReadOnceAndKept() throws {
        let tree = try TemporaryTree()
        let tables = tables(tree)
        #expect(tables.localizedString(forKey: "a", value: nil, table: nil) == "a")
        // A table that did not exist is found once it is added.
        try tree.write("fr.lproj/Localizable.strings", "a = one;")
        settle()
        #expect(tables.localizedString(forKey: "a", value: nil, table: nil) == "one")
        try tree.write("fr.lproj/Localizable.strings", "a = two;")
        settle()
        #expect(tables.localizedString(forKey: "a", value: nil, table: nil) == "one")
        #expect(tables.localizedString(forKey: "a", value: nil, table: "Localizable") == "one")
    }

    @Test("Faults are located and logged once, and cost no other entry", .fault(101))
    func faultsAreLoggedOncePerFile() throws {
        let tree = try TemporaryTree([
            "fr.lproj/Localizable.strings": "\"a\" = \"A\";\n\"bad\" = = \"x\";\n\"b\" = \"B\";\n",
            "fr.lproj/Good.strings": "a = good;",
        ])
        let tables = tables(tree)
        for _ in 0..<3 {
            #expect(tables.localizedString(forKey: "a", value: nil, table: nil) == "A")
            #expect(tables.localizedString(forKey: "b", value: nil, table: nil) == "B")
            #expect(tables.localizedString(forKey: "a", value: nil, table: "Good") == "good")
        }
        #expect(log.calls.count == 1)
        let finding = try #require(log.findings.first)
        #expect(finding.code == .stringsTableFaulty)
        #expect(finding.severity == .warning)
        #expect(finding.filePath == tree("fr.lproj/Localizable.strings"))
        #expect(finding.subject?.hasPrefix("line 2") == true)
    }

    @Test("UTF-16 without a mark and with an odd byte is read as far as it goes", .fault(102))
    func oddUTF16IsRead() throws {
        let tree = try TemporaryTree()
        let text = "a = \"A\";\n"
        try tree.write("fr.lproj/Localizable.strings", bytes: text.utf16.flatMap { [UInt8($0), 0] })
        try tree.write("fr.lproj/Odd.strings", bytes: text.utf16.flatMap { [UInt8($0), 0] } + [0x20])
        let tables = tables(tree)
        #expect(tables.localizedString(forKey: "a", value: nil, table: nil) == "A")
        #expect(log.calls.isEmpty)
        #expect(["A", "a"].contains(tables.localizedString(forKey: "a", value: nil, table: "Odd")))
    }

    @Test("A large table in UTF-16 is read in pieces, and one with a fault as any other", .fault(102, 104))
    func largeUTF16IsRead() throws {
        let tree = try TemporaryTree()
        let text = (0..<1_500).map { "\"key \($0)\" = \"\(String(repeating: "🧩", count: $0 % 9)) été 漢字\";\n" }.joined()
        func write(_ name: String, _ text: String, _ end: [UInt8] = []) throws {
            let bytes = ("\u{FEFF}" + text).utf16.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }
            #expect(bytes.count > 70_000)
            try tree.write("fr.lproj/\(name).strings", bytes: bytes + end)
        }
        try write("Sound", text)
        try write("Faulty", text + "\"bad\" = = ;\n")
        try write("Odd", text, [0x20])
        let tables = tables(tree)
        for table in ["Sound", "Faulty", "Odd"] {
            for number in [0, 8, 749, 1_499] {
                let value = String(repeating: "🧩", count: number % 9) + " été 漢字"
                #expect(tables.localizedString(forKey: "key \(number)", value: nil, table: table) == value)
            }
        }
        #expect(Set(log.findings.map(\.filePath)) == Set(["Faulty", "Odd"].map { tree("fr.lproj/\($0).strings") }))
    }

    @Test("Format specifiers are text here; nothing is formatted", .fault(103))
    func formatSpecifiersAreLeftAlone() throws {
        let tree = try TemporaryTree(["fr.lproj/Localizable.strings": "\"%d of %@\" = \"%2$@ %1$s %n %\";"])
        #expect(tables(tree).localizedString(forKey: "%d of %@", value: nil, table: nil) == "%2$@ %1$s %n %")
    }

    @Test(
        "A table of 10 MB is read whole, and a large one with a fault too", .fault(104, 159),
        arguments: [true, false])
    func aLargeTableIsRead(_ isSound: Bool) throws {
        // A debug build reads a table with a fault thirty times more slowly.
        let count = isSound ? 11_000 : 1_000
        let tree = try TemporaryTree()
        let title = String(repeating: "Le titre de la fenêtre ", count: 40)
        var text = ""
        for number in 0..<count { text += "\"window.title.\(number)\" = \"\(title)\(number)\";\n" }
        #expect(text.utf8.count > count * 920)
        try tree.write("fr.lproj/Localizable.strings", text + (isSound ? "" : "\"bad\" = = ;\n"))
        let tables = tables(tree)
        for key in ["window.title.0", "window.title.\(count - 1)"] {
            #expect(tables.localizedString(forKey: key, value: nil, table: nil) == title + key.dropFirst(13))
        }
        #expect(tables.localizedString(forKey: "window.title.\(count)", value: "x", table: nil) == "x")
        #expect(log.findings.map(\.subject) == (isSound ? [] : ["line \(count + 1), column 9"]))
    }

    @Test func aTableOverTheLimitIsReportedAndNotRead() throws {
        let tree = try TemporaryTree(["a.strings": ""])
        #expect(truncate(tree("a.strings"), 33 << 20) == 0)
        let (table, findings) = StringsFile(strings: tree("a.strings"), formats: nil, language: "").read()
        #expect(table.count == 0)
        #expect(findings.map(\.code) == [.stringsTableFaulty])
    }

    @Test func aPathThatIsNotAFileIsReportedOrNotFound() throws {
        let tree = try TemporaryTree(["fr.lproj/Localizable.strings/": "", "en.lproj/Localizable.strings": "a = A;"])
        let tables = tables(tree)
        #expect(tables.localizedString(forKey: "a", value: nil, table: nil) == "A")
        #expect(log.findings.map(\.code) == [.stringsTableUnreadable])
        // A FIFO is not even found, and reading one by its path does not wait.
        #expect(mkfifo(tree("pipe.strings"), 0o600) == 0)
        #expect(tables.localizedString(forKey: "a", value: nil, table: "pipe") == "a")
        #expect(
            StringsFile(strings: tree("pipe.strings"), formats: nil, language: "").read().findings.map(\.code) == [
                .stringsTableUnreadable
            ])
    }

    @Test func infoPlistStringsAreOneTableWithoutFallback() throws {
        let tree = try TemporaryTree([
            "fr.lproj/InfoPlist.strings": "CFBundleName = \"Greffon\";",
            "en.lproj/InfoPlist.strings": "CFBundleName = \"Plug-in\"; NSHumanReadableCopyright = \"©\";",
        ])
        let french = tables(tree)
        #expect(french.localizedInfo(forKey: "CFBundleName") == "Greffon")
        #expect(french.localizedInfo(forKey: "NSHumanReadableCopyright") == nil)
        #expect(french.localizedInfo == ["CFBundleName": "Greffon"])
        #expect(tables(try TemporaryTree()).localizedInfo == nil)
    }

    @Test func moreTablesThanAreListedAreFoundToo() throws {
        let tree = try TemporaryTree()
        for number in 0..<40 { try tree.write("fr.lproj/Table\(number).strings", "a = \(number);") }
        let tables = tables(tree)
        for _ in 0..<2 {
            for number in 0..<40 {
                #expect(tables.localizedString(forKey: "a", value: nil, table: "Table\(number)") == "\(number)")
            }
        }
    }

    @Test func manyThreadsReadATableOnce() async throws {
        let tree = try TemporaryTree(["fr.lproj/Localizable.strings": "a = A; bad bad bad; b = B;"])
        let tables = tables(tree)
        await withTaskGroup { group in
            for _ in 0..<16 {
                group.addTask {
                    for _ in 0..<200 { #expect(tables.localizedString(forKey: "a", value: nil, table: nil) == "A") }
                }
            }
        }
        #expect(log.calls.count == 1)
    }

    @Test func nonLocalizedStringsAreShownInCapitalsAndLogged() async throws {
        await #expect(processExitsWith: .success) {
            setenv("NSShowNonLocalizedStrings", "YES", 1)
            let tree = try TemporaryTree(["fr.lproj/Localizable.strings": "a = A;"])
            let log = FindingLog()
            let tables = BundleStrings(finder: finder(tree)) { log.add($0) }
            precondition(tables.localizedString(forKey: "a", value: nil, table: nil) == "A")
            precondition(tables.localizedString(forKey: "missing key", value: "x", table: nil) == "MISSING KEY")
            precondition(log.findings.map(\.code) == [.stringNotLocalized])
            precondition(log.findings[0].subject == "missing key")
            // The key in capitals is not a format.
            let shown = tables.localizedString(forKey: "%d", value: nil, table: nil, arguments: [1], width: nil)
            precondition(shown == "%D")
        }
        await #expect(processExitsWith: .success) {
            setenv("NSShowNonLocalizedStrings", "NO", 1)
            let tree = try TemporaryTree(["fr.lproj/Localizable.strings": "a = A;"])
            let tables = BundleStrings(finder: finder(tree)) { _ in preconditionFailure() }
            precondition(tables.localizedString(forKey: "missing key", value: "x", table: nil) == "x")
        }
    }
}
