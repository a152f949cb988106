import CatalogIndexing
import Glibc
import HostBasics
import Synchronization
import TestSupport
import Testing

@_spi(Tools) @testable import PluginHost

/// Faults of a bundle's directory, by the numbers of docs/faults.md.
@Suite struct BundleDirectoryFaults {
    private static let info = "{ CFBundleIdentifier = org.example.X; NSExecutable = X; }"

    private func openError(_ path: String) -> PluginError? {
        #expect(throws: PluginError.self) { try PluginBundle.open(path: path) }
    }

    @Test(.fault(1, 2)) func onlyADirectoryIsABundle() throws {
        let tree = try TemporaryTree(["file.bundle": "", "x.bundle/Contents/Info.plist": Self.info])
        #expect(mkfifo(tree("fifo.bundle"), 0o644) == 0)
        for (name, reason) in [
            ("gone.bundle", "No such file or directory"), ("file.bundle", "it is a regular file, not a directory"),
            ("fifo.bundle", "it is a FIFO, not a directory"),
            ("x.bundle/Contents/Info.plist", "it is a regular file, not a directory"),
            ("file.bundle/x.bundle", "Not a directory"),
        ] {
            let error = openError(tree(name))
            #expect(error?.code == .bundleNotFound && error?.bundlePath == tree(name))
            #expect(error?.description.contains(reason) == true, "\(name)")
            #expect(PluginBundle(path: tree(name)) == nil)
        }
    }

    @Test(.fault(3, 4)) func aBundleWithNothingInItOpensAndDoesNotLoad() throws {
        let tree = try TemporaryTree(["empty.bundle/": "", "noContents.bundle/readme.txt": ""])
        for name in ["empty.bundle", "noContents.bundle"] {
            let bundle = try PluginBundle.open(path: tree(name))
            let error = #expect(throws: PluginError.self) { try bundle.loadAndReturnError() }
            #expect(error?.code == .manifestUnreadable)
            #expect(error?.filePath == tree(name) + "/Info.plist")
            #expect(!bundle.isLoaded && bundle.executablePath == nil && bundle.localizations.isEmpty)
        }
    }

    @Test(.fault(5)) func aLackingPermissionIsToldAtEveryLevel() async {
        await #expect(processExitsWith: .success) { try LackingPermissions.check() }
    }

    @Test(.fault(6, 7)) func linksThatLeadNowhereAreToldFromMissingBundles() throws {
        let tree = try TemporaryTree()
        try tree.link("dangling.bundle", to: "nowhere")
        try tree.link("loop.bundle", to: "loop.bundle")
        #expect(openError(tree("dangling.bundle"))?.description.contains("No such file or directory") == true)
        #expect(openError(tree("loop.bundle"))?.description.contains("Too many levels of symbolic links") == true)
    }

    @Test(.fault(8)) func contentsOutsideOfTheBundleAreReadButNotLoaded() throws {
        let tree = try TemporaryTree(["other/Info.plist": Self.info, "other/Linux/X": "", "x.bundle/": ""])
        try tree.link("x.bundle/Contents", to: "../other")
        let bundle = try PluginBundle.open(path: tree("x.bundle"))
        #expect(bundle.bundleIdentifier == "org.example.X" && bundle.layoutName == "Contents")
        let error = #expect(throws: PluginError.self) { try bundle.loadAndReturnError() }
        #expect(error?.code == .executableOutsideBundle && error?.subject == tree("other/Linux/X"))
    }

    // MARK: Whom to trust

    private func warnings(_ bundle: PluginBundle, _ code: PluginError.Code) -> [String] {
        let found = bundle.findings().filter { $0.code == code }
        #expect(found.allSatisfy { $0.severity == .warning })
        return found.compactMap(\.filePath)
    }

    @Test(.fault(9)) func aBundleThatEverybodyMayWriteToIsAWarning() throws {
        let tree = try TemporaryTree([
            "safe.bundle/Contents/Info.plist": Self.info, "safe.bundle/Contents/Linux/X": "",
            "x.bundle/Contents/Info.plist": Self.info, "x.bundle/Contents/Linux/X": "",
        ])
        let open = [
            tree("x.bundle"), tree("x.bundle/Contents"), tree("x.bundle/Contents/Info.plist"),
            tree("x.bundle/Contents/Linux/X"),
        ]
        for path in open { #expect(chmod(path, 0o777) == 0) }
        #expect(warnings(try PluginBundle.open(path: tree("safe.bundle")), .writableByOthers) == [])
        #expect(warnings(try PluginBundle.open(path: tree("x.bundle")), .writableByOthers).sorted() == open.sorted())
    }

    @Test(.fault(10)) func aDirectoryAboveThatEverybodyMayWriteToIsAWarningUnlessItIsSticky() throws {
        let tree = try TemporaryTree([
            "open/x.bundle/Info.plist": Self.info, "sticky/x.bundle/Info.plist": Self.info,
        ])
        #expect(chmod(tree("open"), 0o777) == 0 && chmod(tree("sticky"), 0o1777) == 0)
        let open = try PluginBundle.open(path: tree("open/x.bundle"))
        #expect(warnings(open, .writableByOthers) == [tree("open")])
        #expect(open.findings().contains { $0.message.contains("may change “\(tree("open"))”") })
        #expect(warnings(try PluginBundle.open(path: tree("sticky/x.bundle")), .writableByOthers) == [])
    }

    @Test(.fault(11), .enabled(if: geteuid() == 0, "only root may give files away"))
    func aBundleOfSomebodyElseIsAWarning() throws {
        let tree = try TemporaryTree(["x.bundle/Contents/Info.plist": Self.info, "x.bundle/Contents/Linux/X": ""])
        let bundle = try PluginBundle.open(path: tree("x.bundle"))
        #expect(warnings(bundle, .foreignOwner) == [])
        for name in ["x.bundle", "x.bundle/Contents/Linux/X"] { #expect(chown(tree(name), 12345, 12345) == 0) }
        #expect(warnings(bundle, .foreignOwner) == [tree("x.bundle"), tree("x.bundle/Contents/Linux/X")])
        #expect(bundle.findings().contains { $0.subject == "12345" })
    }

    // MARK: Names

    @Test(.fault(12)) func aNameThatIsNotUTF8IsACandidateWithAnError() throws {
        let tree = try TemporaryTree(["good.bundle/Info.plist": Self.info])
        let name = Array(tree("caf").utf8) + [0xE9] + Array(".bundle".utf8) + [0]
        #expect(name.withUnsafeBytes { mkdir($0.baseAddress!.assumingMemoryBound(to: CChar.self), 0o755) } == 0)
        let found = candidates(tree.path)
        #expect(found.count == 2)
        let bad = try #require(found.first { $0.verdict == .notABundle })
        #expect(bad.error?.code == .bundleNotFound)
        #expect(bad.error?.description.contains("is not UTF-8") == true)
        #expect(bad.path == tree("caf\u{FFFD}.bundle"))
        name.withUnsafeBytes { _ = rmdir($0.baseAddress!.assumingMemoryBound(to: CChar.self)) }
    }

    @Test(.fault(13)) func aNameWithControlCharactersCannotForgeALine() throws {
        let tree = try TemporaryTree(["a\nb\u{1B}[31m.bundle/a.txt": ""])
        let candidate = try #require(candidates(tree.path).first)
        let text = try #require(candidate.error?.description)
        #expect(!text.contains("\n") && !text.contains("\u{1B}"))
        #expect(text.contains("a\\nb\\u{1B}[31m.bundle"))
    }

    @Test(.fault(14)) func aPathThatIsTooLongIsAnError() throws {
        let tree = try TemporaryTree(["x.bundle/Info.plist": Self.info])
        for path in [tree("x.bundle") + String(repeating: "/.", count: 3000), tree(String(repeating: "x", count: 300))]
        {
            let error = openError(path)
            #expect(error?.code == .bundleNotFound)
            #expect(error?.description.contains("File name too long") == true)
        }
    }

    @Test(.fault(15)) func namesThatDifferInCaseAreTwoBundles() throws {
        let tree = try TemporaryTree([
            "x.bundle/Info.plist": "{ CFBundleIdentifier = low; }",
            "X.bundle/Info.plist": "{ CFBundleIdentifier = up; }",
        ])
        let found = candidates(tree.path)
        #expect(found.map(\.identifier) == ["up", "low"])
        #expect(PluginBundle(path: tree("x.bundle")) !== PluginBundle(path: tree("X.bundle")))
        #expect(PluginBundle(path: tree("x.BUNDLE")) == nil)
    }

    // MARK: Scans

    @Test(.fault(16)) func aBundleThatIsReplacedDuringAScanIsTheOldOrTheNewOne() async throws {
        let tree = try TemporaryTree([
            "dir/x.bundle/Contents/Info.plist": "{ CFBundleIdentifier = Contents; }",
            "other/Resources/Info.plist": "{ CFBundleIdentifier = OpenStep; }",
        ])
        let scanned = tree("dir")
        try await withThrowingTaskGroup { group in
            group.addTask {
                for _ in 0..<400 {
                    try tree.rename("dir/x.bundle", to: "spare")
                    try tree.rename("other", to: "dir/x.bundle")
                    try tree.rename("spare", to: "other")
                }
            }
            for _ in 0..<400 {
                for candidate in candidates(scanned) where candidate.verdict == .usable {
                    let expected = candidate.identifier == "OpenStep" ? "Resources/Info.plist" : "Contents/Info.plist"
                    #expect(candidate.record.listPath == expected)
                }
            }
            try await group.waitForAll()
        }
    }

    @Test(.fault(17)) func aBundleThatIsDeletedDuringAScanIsACandidateWithAnError() throws {
        let tree = try TemporaryTree(["a.bundle/Info.plist": Self.info, "b.bundle/Info.plist": Self.info])
        let index = scan(tree.path) { descriptor, buffer in
            let count = BundleNames.system(descriptor, buffer)
            if count == 0 { tree.remove("a.bundle") }
            return count
        }
        let found = (0..<index.candidateCount).map { PluginCandidate(index, index.candidateRow($0)) }
        #expect(found.map(\.path) == [tree("a.bundle"), tree("b.bundle")])
        #expect(found.map(\.error?.code) == [.bundleNotFound, nil])
        #expect(found.map(\.verdict) == [.notABundle, .usable])
    }

    @Test(.fault(18)) func aBundleThroughTwoLinksIsOneCandidate() throws {
        let tree = try TemporaryTree([
            "real/x.bundle/Contents/Info.plist": Self.info, "dir/own.bundle/Info.plist": "{}",
        ])
        try tree.link("dir/a.bundle", to: "../real/x.bundle")
        try tree.link("dir/b.bundle", to: "../real/x.bundle")
        try tree.link("dir/z.bundle", to: "own.bundle")
        let found = candidates(tree("dir"))
        #expect(found.map(\.path) == [tree("dir/a.bundle"), tree("dir/own.bundle")])
        #expect(found.map(\.bundlePath) == [tree("real/x.bundle"), tree("dir/own.bundle")])
    }

    @Test(.fault(19)) func ofTwoBundlesWithOneIdentifierBothAreFoundAndOneRuleChooses() throws {
        let name = "org.example.fault19"
        let tree = try TemporaryTree([
            "a.bundle/Info.plist": "{ CFBundleIdentifier = \(name); CFBundleVersion = 1.10; }",
            "b.bundle/Info.plist": "{ CFBundleIdentifier = \(name); CFBundleVersion = 1.9; }",
            "c.bundle/Info.plist": "{ CFBundleIdentifier = \(name); CFBundleVersion = 1.10.0; }",
        ])
        let found = candidates(tree.path)
        #expect(found.count == 3 && found.allSatisfy { $0.identifier == name && $0.error == nil })
        #expect(
            found.map(\.verdict) == [
                .usable, .shadowed(by: tree("a.bundle"), rule: .higherVersion), .duplicate(of: tree("a.bundle")),
            ])
        let bundles = try found.map { try $0.open() }
        #expect(PluginBundle(identifier: name) === bundles[2])
    }

    @Test(.fault(20)) func aBundleThatContainsItselfIsOneBundle() throws {
        let tree = try TemporaryTree([
            "dir/x.bundle/Contents/Info.plist": Self.info, "dir/x.bundle/Contents/PlugIns/": "",
        ])
        try tree.link("dir/x.bundle/Contents/PlugIns/x.bundle", to: "../../../x.bundle")
        let found = candidates(tree("dir"))
        #expect(found.count == 1)
        let bundle = try #require(try found.first?.open())
        let inner = try candidates(#require(bundle.builtInPlugInsPath))
        #expect(inner.count == 1 && inner.first?.bundlePath == bundle.bundlePath)
    }

    @Test(.fault(21)) func aDirectoryThatCannotBeReadToItsEndIsAnErrorAndNoShorterList() throws {
        let tree = try TemporaryTree(["a.bundle/Info.plist": Self.info, "b.bundle/Info.plist": Self.info])
        let reads = Mutex(0)
        let index = scan(tree.path) { descriptor, buffer in
            let isFirst = reads.withLock { reads in
                reads += 1
                return reads == 1
            }
            if isFirst { return BundleNames.system(descriptor, buffer) }
            errno = EIO
            return -1
        }
        #expect(index.candidateCount == 0)
        let problem = try #require(index.folders.first?.finding)
        #expect(problem.code == .bundleNotFound && problem.filePath == tree.path)
        #expect(problem.message.contains("cannot be listed: Input/output error"))
    }

    private func candidates(_ directory: String) -> [PluginCandidate] {
        PluginCatalog(searchPaths: [directory], options: .init(index: .none)).candidates
    }

    private func scan(_ directory: String, read: @escaping BundleNames.Read) -> CatalogIndex {
        CatalogScan(
            searchPaths: [directory], extensions: ["bundle"], validation: .bundles, rules: CatalogRules(), read: read
        ).run(old: nil)
    }
}

/// Fault 5, in a process of its own because it changes the user of the process.
private enum LackingPermissions {
    static func check() throws {
        let tree = try TemporaryTree([
            "dir/x.bundle/Contents/Info.plist": "{ CFBundleIdentifier = org.example.X; NSExecutable = X; }",
            "dir/x.bundle/Contents/Linux/X": "", "dir/x.bundle/Contents/Resources/a.txt": "",
            "dir/x.bundle/Contents/Resources/en.lproj/Localizable.strings": "a = A;",
        ])
        chmod(tree.path, 0o755)
        // Root may do everything.
        let isRoot = geteuid() == 0
        if isRoot { precondition(seteuid(65534) == 0) }
        func with(_ mode: mode_t, _ name: String, _ check: (Result<PluginBundle, any Error>) -> Void) {
            func set(_ mode: mode_t) {
                if isRoot { precondition(seteuid(0) == 0) }
                precondition(chmod(tree(name), mode) == 0)
                if isRoot { precondition(seteuid(65534) == 0) }
            }
            set(mode)
            check(Result { try PluginBundle.open(path: tree("dir/x.bundle")) })
            set(0o755)
        }
        func loadError(_ result: Result<PluginBundle, any Error>) -> PluginError? {
            guard case .success(let bundle) = result else { return nil }
            do { try bundle.loadAndReturnError() } catch { return error as? PluginError }
            return nil
        }
        func isDenied(_ error: PluginError?, _ code: PluginError.Code, at name: String) -> Bool {
            guard let error else { return false }
            return error.code == code && error.filePath == tree(name) && error.description.contains(quoted(tree(name)))
                && error.description.contains("Permission denied")
        }

        with(0, "dir") {
            guard case .failure(let error as PluginError) = $0 else { preconditionFailure("it opens") }
            precondition(isDenied(error, .bundleNotFound, at: "dir"))
        }
        with(0, "dir/x.bundle") {
            precondition(isDenied(loadError($0), .manifestUnreadable, at: "dir/x.bundle"))
        }
        with(0, "dir/x.bundle/Contents") {
            precondition(isDenied(loadError($0), .manifestUnreadable, at: "dir/x.bundle/Contents"))
        }
        with(0, "dir/x.bundle/Contents/Info.plist") {
            precondition(isDenied(loadError($0), .manifestUnreadable, at: "dir/x.bundle/Contents/Info.plist"))
        }
        with(0, "dir/x.bundle/Contents/Linux") {
            precondition(isDenied(loadError($0), .notLoadable, at: "dir/x.bundle/Contents/Linux"))
        }
        with(0, "dir/x.bundle/Contents/Linux/X") {
            precondition(isDenied(loadError($0), .notLoadable, at: "dir/x.bundle/Contents/Linux/X"))
        }
        with(0, "dir/x.bundle/Contents/Resources") {
            guard case .success(let bundle) = $0 else { preconditionFailure("it does not open") }
            precondition(bundle.path(forResource: "a", ofType: "txt") == nil && bundle.localizations.isEmpty)
        }
        // A directory that may be entered but not listed hides no bundle.
        with(0o711, "dir/x.bundle") {
            guard case .success(let bundle) = $0 else { preconditionFailure("it does not open") }
            precondition(bundle.layoutName == "Contents" && bundle.bundleIdentifier == "org.example.X")
        }
        if isRoot { seteuid(0) }
    }
}
