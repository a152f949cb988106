import Glibc
import TestSupport
import Testing

@testable import BundleReading
@testable import HostBasics

/// A temporary error, such as one descriptor too many or a disk that stalls, is reported and never remembered.
///
/// In processes of their own, because the errors affect the whole process.
@Suite struct PassingErrorTests {
    private static func tables(_ tree: TemporaryTree, _ log: FindingLog) -> BundleStrings {
        let finder = ResourceFinder(
            directory: tree.path, settings: LocalizationSettings(developmentRegion: "en", languages: ["fr"])
        ) { log.add($0) }
        return BundleStrings(finder: finder) { log.add($0) }
    }

    private static func tree() throws -> TemporaryTree {
        try TemporaryTree([
            "fr.lproj/Localizable.strings": "a = un;", "fr.lproj/Localizable.stringsdict": "{ c = trois; }",
            "en.lproj/Localizable.strings": "a = one; b = two;", "icon.png": "", "fr.lproj/page.html": "",
        ])
    }

    private static func string(_ key: String, _ tables: BundleStrings) -> String {
        tables.localizedString(forKey: key, value: nil, table: nil)
    }

    @Test(.fault(195)) func aTableThatCannotBeOpenedOnceIsReadAtTheNextQuestion() async {
        await #expect(processExitsWith: .success) {
            for errno in [EMFILE, ENFILE, EIO, ENOMEM, EACCES, ESTALE] {
                for file in ["Localizable.strings", "Localizable.stringsdict"] {
                    let tree = try Self.tree()
                    let log = FindingLog()
                    let tables = Self.tables(tree, log)
                    FailingCalls.fail("open", "fr.lproj/" + file, errno, times: 2)
                    let isStrings = file.hasSuffix("s")
                    // The other language's text, or nothing; never the end of the table.
                    for _ in 0..<2 {
                        precondition(Self.string(isStrings ? "a" : "c", tables) == (isStrings ? "one" : "c"))
                    }
                    precondition(FailingCalls.left == 0)
                    for _ in 0..<2 {
                        precondition(Self.string("a", tables) == "un")
                        precondition(Self.string("b", tables) == "two")
                        precondition(Self.string("c", tables) == "trois")
                    }
                    // Reported once, with a remedy for the system and not for the file.
                    precondition(log.findings.count == 1, "\(log.findings)")
                    precondition(log.findings[0].code == .stringsTableUnreadable)
                    precondition(log.findings[0].filePath == tree("fr.lproj/" + file))
                    precondition(log.findings[0].remedy == ErrorNumber.remedy(errno))
                    precondition(!log.findings[0].remedy.contains("regular file"))
                    FailingCalls.stop()
                }
            }
        }
    }

    @Test(.fault(195)) func aTableThatCannotBeReadToItsEndIsReadAtTheNextQuestion() async {
        await #expect(processExitsWith: .success) {
            let tree = try Self.tree()
            let log = FindingLog()
            let tables = Self.tables(tree, log)
            FailingCalls.fail("read", "fr.lproj/Localizable.strings", EIO)
            precondition(Self.string("a", tables) == "one")
            precondition(Self.string("a", tables) == "un")
            precondition(FailingCalls.left == 0)
            precondition(log.findings.count == 1)
        }
    }

    @Test(.fault(266)) func aTableThatGrowsOrShrinksWhileItIsReadIsReadAtTheNextQuestion() async {
        await #expect(processExitsWith: .success) {
            for text in ["a = un; z = \"and much more than before\";", "a=un;"] {
                let tree = try Self.tree()
                let log = FindingLog()
                let tables = Self.tables(tree, log)
                FailingCalls.before("read", "fr.lproj/Localizable.strings") {
                    // In place, as no installation should do it.
                    try? tree.write("fr.lproj/Localizable.strings", text)
                }
                precondition(Self.string("a", tables) == "one")
                precondition(FailingCalls.left == 0)
                precondition(Self.string("a", tables) == "un")
                precondition(log.findings.map(\.code) == [.stringsTableUnreadable])
                precondition(log.findings[0].message.contains("changed while it was read"))
            }
        }
    }

    @Test(.fault(195)) func aHiddenTableThatCannotBeOpenedOnceIsReadAtTheNextQuestion() async {
        await #expect(processExitsWith: .success) {
            let tree = try Self.tree()
            let log = FindingLog()
            let tables = Self.tables(tree, log)
            precondition(Self.string("a", tables) == "un")
            FailingCalls.fail("open", "en.lproj/Localizable.strings", EMFILE, times: 3)
            for _ in 0..<3 { precondition(Self.string("b", tables) == "b") }
            precondition(Self.string("b", tables) == "two")
            precondition(Self.string("nowhere", tables) == "nowhere")
            precondition(log.findings.count == 1)
        }
    }

    @Test(.fault(195)) func aFolderOfALanguageThatCannotBeReadOnceIsReadAtTheNextQuestion() async {
        await #expect(processExitsWith: .success) {
            for (call, errno) in [("open", EMFILE), ("list", EIO), ("fstat", EIO), ("open", EACCES)] {
                for folder in ["fr.lproj", ""] {
                    let tree = try Self.tree()
                    let log = FindingLog()
                    let tables = Self.tables(tree, log)
                    let path = folder.isEmpty ? tree.path : tree(folder)
                    // Makes the bundle read directories, which the first look-up does not need.
                    precondition(tables.finder.path(forResource: "none", ofType: "none") == nil)
                    usleep(1_000)
                    if folder.isEmpty { try tree.write("new/") }
                    if !folder.isEmpty { try tree.write("fr.lproj/new/") }
                    // The root is read for its files, and for its languages.
                    FailingCalls.fail(call, path, errno, times: folder.isEmpty ? 2 : 1)
                    // The other language's text or the key: what can be read now.
                    precondition(
                        Self.string("a", tables) == (folder.isEmpty ? "a" : "one"), "\(call) \(errno) \(folder)")
                    precondition(FailingCalls.left == 0)
                    precondition(Self.string("a", tables) == "un")
                    precondition(Self.string("b", tables) == "two")
                    precondition(tables.finder.path(forResource: "page", ofType: "html") == tree("fr.lproj/page.html"))
                    precondition(tables.finder.localizations == ["en", "fr"])
                    precondition(log.findings.map(\.code) == [.resourcesUnreadable], "\(log.findings)")
                    precondition(log.findings[0].filePath == path)
                    precondition(log.findings[0].remedy == ErrorNumber.remedy(errno))
                    FailingCalls.stop()
                }
            }
        }
    }

    @Test(.fault(195)) func theResultOfAFailedSearchIsNotRemembered() async {
        await #expect(processExitsWith: .success) {
            let tree = try Self.tree()
            let log = FindingLog()
            let finder = ResourceFinder(
                directory: tree.path, settings: LocalizationSettings(languages: ["fr"])
            ) { log.add($0) }
            try tree.write("page.html")
            // The first reading of the root fails, and the second in the same search does not: the page of the language is
            // found, and not the page for everybody, which has priority.
            _ = finder.paths(forResourcesOfType: "none")
            usleep(1_000)
            try tree.write("new/")
            FailingCalls.fail("open", tree.path, EMFILE)
            precondition(finder.path(forResource: "page", ofType: "html") == tree("fr.lproj/page.html"))
            precondition(finder.path(forResource: "page", ofType: "html") == tree("page.html"))
            precondition(log.findings.count == 1)
        }
    }

    @Test(.fault(195)) func aResourceThatCannotBeLookedAtOnceIsFoundAtTheNextQuestion() async {
        await #expect(processExitsWith: .success) {
            let tree = try Self.tree()
            try tree.link("linked.png", to: "icon.png")
            for ask in 0..<2 {
                let log = FindingLog()
                let finder = ResourceFinder(directory: tree.path) { log.add($0) }
                if ask == 1 { _ = finder.path(forResource: "none", ofType: "none") }
                FailingCalls.fail("stat", "linked.png", EIO, times: 2)
                precondition(finder.path(forResource: "linked", ofType: "png") == nil)
                if ask == 1 { precondition(finder.path(forResource: "linked", ofType: "png") == nil) }
                precondition(FailingCalls.left == 0)
                precondition(finder.path(forResource: "linked", ofType: "png") == tree("linked.png"))
                precondition(log.findings.count == 1)
                FailingCalls.stop()
            }
        }
    }

    /// Not by a call that is made to fail: the process really has no descriptor left.
    @Test(.fault(195)) func afterRunningOutOfDescriptorsAProcessUsesTheUsersLanguageAgain() async {
        await #expect(processExitsWith: .success) {
            for isWarm in [false, true] {
                let tree = try Self.tree()
                let log = FindingLog()
                let tables = Self.tables(tree, log)
                if isWarm { precondition(tables.finder.localizations == ["en", "fr"]) }
                let without = FailingCalls.withoutDescriptors { Self.string("a", tables) }
                precondition(without == "a")
                precondition(!log.findings.isEmpty)
                precondition(log.findings.allSatisfy { $0.remedy.contains("ulimit -n") })
                precondition(Self.string("a", tables) == "un")
                precondition(Self.string("b", tables) == "two")
            }
        }
    }

    @Test(.fault(195)) func aTableThatTheUserMayNotReadIsReadWhenHeMay() async {
        await #expect(processExitsWith: .success) {
            let tree = try Self.tree()
            chmod(tree.path, 0o755)
            let log = FindingLog()
            let tables = Self.tables(tree, log)
            // Root may read everything.
            if geteuid() == 0 { seteuid(65534) }
            defer { seteuid(0) }
            func change(_ mode: mode_t) {
                let user = geteuid()
                if getuid() == 0 { seteuid(0) }
                chmod(tree("fr.lproj/Localizable.strings"), mode)
                if getuid() == 0 { seteuid(user) }
            }
            change(0)
            for _ in 0..<3 { precondition(Self.string("a", tables) == "one") }
            precondition(log.findings.count == 1)
            precondition(log.findings[0].remedy.contains("permissions"))
            change(0o644)
            precondition(Self.string("a", tables) == "un")
        }
    }
}
