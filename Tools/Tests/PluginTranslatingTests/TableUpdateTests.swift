import Foundation
import PluginLinting
import PropertyLists
import Testing

@testable import PluginTranslating

@Suite struct TableUpdateTests {
    private static let source = """
        NSLocalizedString("Open", comment: "A button")
        NSLocalizedString("%@ of %d", comment: "")
        NSLocalizedString("Close", tableName: "Menus", comment: "")
        """

    @discardableResult
    private func update(
        _ tree: TranslationTree, _ source: String = Self.source, options: TableUpdate.Options = .init(),
        at path: String = "R"
    ) throws -> TableUpdate {
        try tree.write("Sources/a.swift", source)
        let update = try TableUpdate(KeyExtractor().extract(from: [tree("Sources")]), at: tree(path), options: options)
        try update.write()
        return update
    }

    @Test func newTablesAreSortedWithTheirComments() throws {
        let tree = try TranslationTree()
        try FileManager.default.createDirectory(atPath: tree("R"), withIntermediateDirectories: true)
        try update(tree)
        let expected = """
            "%@ of %d" = "%1$@ of %2$d";

            /* A button */
            "Open" = "Open";

            """
        #expect(try tree.text("R/en.lproj/Localizable.strings") == expected)
        #expect(try tree.text("R/en.lproj/Menus.strings") == "\"Close\" = \"Close\";\n")
    }

    @Test func otherLanguagesGetTheTextAsUntranslated() throws {
        let tree = try TranslationTree([
            "R/en.lproj/Localizable.strings": "\"Open\" = \"Open …\";\n",
            "R/de.lproj/Localizable.strings": "/* von Hand */\n\"%@ of %d\" = \"%d: %@\";\n",
            "R/Base.lproj/x.strings": "", "R/qqq.lproj/x.strings": "", "R/en-XA.lproj/x.strings": "",
        ])
        let update = try update(tree)
        let expected = """
            /* von Hand */
            "%@ of %d" = "%d: %@";

            /* A button */
            /* Flag: untranslated */
            "Open" = "Open …";

            """
        #expect(try tree.text("R/de.lproj/Localizable.strings") == expected)
        #expect(try tree.text("R/en.lproj/Localizable.strings").contains("/* A button */\n\"Open\" = \"Open …\";"))
        #expect(
            update.tables.map { "\($0.language)/\($0.name) \($0.untranslated)" }
                == ["en/Localizable 0", "en/Menus 0", "de/Localizable 1", "de/Menus 1"])
    }

    @Test func aSecondRunChangesNoByte() throws {
        let tree = try TranslationTree([
            "R/en.lproj/Localizable.strings":
                "/* Head */\r\n\r\n\"Old\" = \"Old\";\r\n/* no */\r\n\"Gone\" = \"x\";\r\n",
            "R/de.lproj/Localizable.strings": "{\n  Old = Alt;\n  Gone = 'Weg' // mine\n  ;\n}\n",
        ])
        let wide = TableEncoding.utf16BigEndian.bytes(of: "\"Open\" = \"Ouvrir\";\n")
        try tree.write("R/fr.lproj/Localizable.strings", wide)
        try update(tree)
        let first = try tree.content()
        let second = try update(tree)
        #expect(try tree.content() == first)
        #expect(second.tables.filter(\.isChanged).isEmpty)
        #expect(first["R/fr.lproj/Localizable.strings"]?.starts(with: [0xFE, 0xFF]) == true)
        for (name, bytes) in first where name.hasSuffix(".strings") {
            #expect(StringsReader.read(bytes).faults.isEmpty, "\(name)")
        }
    }

    @Test func keysThatAreNoLongerUsedAreKeptAndMarked() throws {
        let tree = try TranslationTree([
            "R/en.lproj/Localizable.strings": "/* Mine */\n\"Gone\" = \"G\";\n\"made 1\" = \"M\";\n\"text\" = \"T\";\n",
            "R/de.lproj/Localizable.strings": "\"Gone\" = \"Weg\";\n",
        ])
        let source = "let a = \"made \\(n)\", b = \"text\"\n"
        let first = try update(tree, source)
        #expect(first.tables.map(\.unused) == [["Gone"], ["Gone"]])
        let english = try tree.text("R/en.lproj/Localizable.strings")
        #expect(english.hasPrefix("/* Mine */\n/* Flag: unused */\n\"Gone\" = \"G\";\n\"made 1\" = \"M\";\n"))
        #expect(try tree.text("R/de.lproj/Localizable.strings") == "/* Flag: unused */\n\"Gone\" = \"Weg\";\n")
        let second = try update(tree, source + "NSLocalizedString(\"Gone\", comment: \"\")\n")
        #expect(second.tables.map(\.usedAgain) == [["Gone"], ["Gone"]])
        #expect(try tree.text("R/de.lproj/Localizable.strings") == "\"Gone\" = \"Weg\";\n")
    }

    @Test func aChangedCommentReplacesTheSourcesCommentAlone() throws {
        let tree = try TranslationTree(["R/de.lproj/x.txt": "", "R/fr.lproj/x.txt": ""])
        try update(tree, "NSLocalizedString(\"k\", comment: \"old\")")
        try tree.write(
            "R/fr.lproj/Localizable.strings", "/* translator's */\n// own\n\"k\" = \"clé\";\n")
        try update(tree, "NSLocalizedString(\"k\", comment: \"new\")")
        #expect(try tree.text("R/en.lproj/Localizable.strings") == "/* new */\n\"k\" = \"k\";\n")
        #expect(
            try tree.text("R/de.lproj/Localizable.strings") == "/* new */\n/* Flag: untranslated */\n\"k\" = \"k\";\n")
        #expect(
            try tree.text("R/fr.lproj/Localizable.strings")
                == "/* new */\n/* translator's */\n// own\n\"k\" = \"clé\";\n")
    }

    @Test func severalCommentsAreLinesOfOne() throws {
        let tree = try TranslationTree()
        let source = "NSLocalizedString(\"k\", comment: \"a */ b\")\nNSLocalizedString(\"k\", comment: \"c\\n  d\")\n"
        try update(tree, source, at: "de.lproj")
        let expected = "/* a * / b\n   c\n   d */\n\"k\" = \"k\";\n"
        #expect(try tree.text("de.lproj/Localizable.strings") == expected)
        #expect(try update(tree, source, at: "de.lproj").tables.filter(\.isChanged).isEmpty)
    }

    @Test func keysWithPluralFormsNeedNoEntry() throws {
        let plural = "<plist version=\"1.0\"><dict><key>%d files</key><string>x</string></dict></plist>"
        let tree = try TranslationTree([
            "R/en.lproj/Localizable.stringsdict": plural, "R/de.lproj/Localizable.strings": "",
        ])
        try update(tree, "NSLocalizedString(\"%d files\", comment: \"\")")
        let tables = try tree.content().keys.filter { $0.hasSuffix(".strings") }
        #expect(tables == ["R/de.lproj/Localizable.strings"])
        #expect(try tree.text("R/de.lproj/Localizable.strings").isEmpty)
    }

    @Test(arguments: [
        ("\"Open\" \"x\";\n", "missingSeparator"), ("\"a\" = \"1\";\n\"a\" = \"2\";\n", "duplicateKey"),
        ("<plist version=\"1.0\"><dict/></plist>", "notText"), ("bplist00", "notText"), ("/* no end", "truncated"),
    ])
    func aTableThatCannotBeReadIsNeverWritten(_ content: String, _ code: String) throws {
        let tree = try TranslationTree([
            "R/en.lproj/Menus.strings": "\"a\" = \"1\";\n", "R/de.lproj/Localizable.strings": content,
        ])
        try tree.write("Sources/a.swift", Self.source)
        let before = try tree.content()
        let finding = #expect(throws: LintFinding.self) { try update(tree) }
        #expect(finding?.code.rawValue == code && finding?.filePath == tree("R/de.lproj/Localizable.strings"))
        #expect(try tree.content() == before)
    }

    @Test func bytesInNoEncodingAreNeverReplaced() throws {
        let tree = try TranslationTree()
        let latin: [UInt8] = Array("\"a\" = \"".utf8) + [0xE9] + Array("\";".utf8)
        try tree.write("R/en.lproj/Localizable.strings", latin)
        let finding = #expect(throws: LintFinding.self) { try update(tree) }
        #expect(finding?.code.rawValue == "invalidEncoding")
        #expect(try tree.bytes("R/en.lproj/Localizable.strings") == latin)
    }

    @Test func theRightsOfAFileAndALinkAreKept() throws {
        let tree = try TranslationTree(["real.strings": ""])
        try FileManager.default.createDirectory(atPath: tree("R/en.lproj"), withIntermediateDirectories: true)
        let link = tree("R/en.lproj/Localizable.strings")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: tree("real.strings"))
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: tree("real.strings"))
        try update(tree)
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == tree("real.strings"))
        let rights = try FileManager.default.attributesOfItem(atPath: tree("real.strings"))[.posixPermissions]
        #expect((rights as? NSNumber)?.intValue == 0o640)
        #expect(try tree.text("real.strings").contains("Open"))
    }

    @Test func newTablesMayBeInUTF16() throws {
        let tree = try TranslationTree()
        var options = TableUpdate.Options()
        options.encoding = .utf16
        options.numbersPlaceholders = false
        try update(tree, options: options, at: "en.lproj")
        let bytes = try tree.bytes("en.lproj/Localizable.strings")
        #expect(bytes.starts(with: [0xFF, 0xFE]))
        #expect(StringsReader.read(bytes).entries == ["Open": "Open", "%@ of %d": "%@ of %d"])
    }

    @Test(arguments: [
        ("%@ of %d", "%1$@ of %2$d"), ("%d %%", "%d %%"), ("%%d %@ %-5.2f%%", "%%d %1$@ %2$-5.2f%%"),
        ("%*d %@", "%*d %@"), ("%2$@ %1$@", "%2$@ %1$@"), ("%#@files@ %@", "%1$#@files@ %2$@"),
        ("é%@é%@", "é%1$@é%2$@"),
        ("%Y-%m-%d", "%Y-%m-%d"), ("100 % of", "100 % of"),
    ])
    func severalPlaceholdersAreNumbered(_ text: String, _ expected: String) {
        #expect(TableMerge.numbered(text) == expected)
    }
}
