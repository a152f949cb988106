import ELFImages
import Glibc
import HostBasics
import TestSupport
import Testing

@_spi(Tools) @testable import PluginHost

/// If a bundle cannot be read because of a temporary error, it is read again at the next opening or scan.
///
/// In processes of their own, because the errors affect the whole process.
@Suite struct PassingOpeningErrors {
    private static let list = """
        <plist version="1.0"><dict><key>CFBundleIdentifier</key><string>org.example.passing</string></dict></plist>
        """

    @Test(.fault(196)) func anInfoListThatCannotBeOpenedOnceIsReadAtTheNextOpening() async {
        await #expect(processExitsWith: .success) {
            for (call, ending, errno) in [
                ("open", "Info.plist", EMFILE), ("open", "Info.plist", EIO), ("open", "Info.plist", EACCES),
                ("read", "Info.plist", EIO), ("fstat", "Info.plist", ESTALE),
            ] {
                let tree = try TemporaryTree(["X.bundle/Contents/Info.plist": Self.list])
                // The quick way, the way by the layout, and that way again for the change of layouts.
                FailingCalls.fail(call, ending, errno, times: 2)
                let bundle = try PluginBundle.open(path: tree("X.bundle"))
                FailingCalls.stop()
                if call != "read" {
                    precondition(bundle.manifestError?.code == .manifestUnreadable, "\(call) \(errno)")
                }
                if let finding = bundle.manifestError?.findings[0] {
                    precondition(finding.remedy == ErrorNumber.remedy(errno))
                    precondition(finding.systemMessage == describe(errno: errno))
                    precondition(finding.filePath == tree("X.bundle/Contents/Info.plist"))
                }
                let again = try PluginBundle.open(path: tree("X.bundle"))
                precondition(again.bundleIdentifier == "org.example.passing")
                precondition(again.manifestError == nil)
                precondition(PluginBundle(path: tree("X.bundle")) === again)
                precondition(PluginBundle(identifier: "org.example.passing") === again)
                withExtendedLifetime(bundle) {}
            }
        }
    }

    @Test(.fault(27, 266)) func anInfoListThatGrowsOrShrinksWhileItIsReadIsReadAtTheNextOpening() async {
        await #expect(processExitsWith: .success) {
            for text in [Self.list + "<!-- longer -->", Self.list.replacing("\n", with: "")] {
                let tree = try TemporaryTree(["X.bundle/Contents/Info.plist": Self.list + "\n"])
                FailingCalls.before("read", "Info.plist") { try? tree.write("X.bundle/Contents/Info.plist", text) }
                let bundle = try PluginBundle.open(path: tree("X.bundle"))
                precondition(FailingCalls.left == 0)
                precondition(bundle.manifestError?.description.contains("changed while it was read") == true)
                precondition(PluginBundle(path: tree("X.bundle"))?.bundleIdentifier == "org.example.passing")
                withExtendedLifetime(bundle) {}
            }
        }
    }

    @Test(.fault(196)) func aDirectoryOfCodeThatCannotBeListedOnceIsNotTakenForEmpty() async {
        await #expect(processExitsWith: .success) {
            let tree = try TemporaryTree([
                "X.bundle/Contents/Info.plist": Self.list, "X.bundle/Contents/Linux/libX.so.1": "no code",
            ])
            let bundle = try PluginBundle.open(path: tree("X.bundle"))
            FailingCalls.fail("list", "Contents/Linux", EIO)
            bundle.load()
            precondition(bundle.loadError?.code == .notLoadable && bundle.loadError?.isPassing == true)
            bundle.load()
            precondition(bundle.loadError?.filePath == tree("X.bundle/Contents/Linux/libX.so.1"))
        }
    }

    @Test(.fault(196)) func aLayoutThatCannotBeLookedAtOnceIsFoundAtTheNextOpening() async {
        await #expect(processExitsWith: .success) {
            // Found by listing the root, because the name is written in small letters.
            let tree = try TemporaryTree(["X.bundle/contents/Info.plist": Self.list])
            for (call, errno) in [("open", EMFILE), ("list", EIO)] {
                FailingCalls.fail(call, "X.bundle", errno)
                let bundle = try PluginBundle.open(path: tree("X.bundle"))
                precondition(FailingCalls.left == 0)
                let finding = bundle.manifestError?.findings[0]
                precondition(finding?.message.contains("cannot be searched for") == true)
                precondition(finding?.remedy == ErrorNumber.remedy(errno))
                precondition(PluginBundle(path: tree("X.bundle"))?.bundleIdentifier == "org.example.passing")
                withExtendedLifetime(bundle) {}
            }
        }
    }

    @Test(.fault(196)) func aMissingInfoListIsRememberedAndOneObjectIsShared() throws {
        let tree = try TemporaryTree(["X.bundle/Contents/": ""])
        let bundle = try PluginBundle.open(path: tree("X.bundle"))
        #expect(bundle.manifestError != nil)
        #expect(try PluginBundle.open(path: tree("X.bundle")) === bundle)
    }

    @Test(.fault(196)) func aCatalogueReadsABundleAgainThatItCouldNotRead() async {
        await #expect(processExitsWith: .success) {
            for validation in [PluginCatalog.Validation.bundles, .folders] {
                let tree = try TemporaryTree([
                    "plugins/X.bundle/Contents/Info.plist": Self.list, "plugins/Y.bundle/Contents/Info.plist": "",
                    "index/": "",
                ])
                chmod(tree("index"), 0o700)
                let options = PluginCatalog.Options(validation: validation, index: .directory(tree("index")))
                FailingCalls.fail("open", "X.bundle/Contents/Info.plist", EMFILE, times: 2)
                let catalog = PluginCatalog(searchPaths: [tree("plugins")], options: options)
                FailingCalls.stop()
                precondition(catalog.plugins.isEmpty)
                precondition(catalog.candidates.first?.verdict == .malformed)
                precondition(catalog.candidates.first?.findings.first?.remedy.contains("ulimit -n") == true)
                // Neither the file nor the object has remembered it.
                let next = PluginCatalog(searchPaths: [tree("plugins")], options: options)
                precondition(next.plugins.map(\.identifier) == ["org.example.passing"], "\(validation)")
                precondition(catalog.refresh(validation).added.map(\.identifier) == ["org.example.passing"])
            }
        }
    }

    @Test(.fault(196)) func pluginsStayWhileTheirFolderCannotBeListed() async {
        await #expect(processExitsWith: .success) {
            let tree = try TemporaryTree(["plugins/X.bundle/Contents/Info.plist": Self.list])
            let catalog = PluginCatalog(searchPaths: [tree("plugins")], options: .init(index: .none))
            precondition(catalog.plugins.count == 1)
            usleep(30_000)
            try tree.write("plugins/Y.bundle/Contents/Info.plist", Self.list.replacing("passing", with: "second"))
            for (call, errno) in [("open", EMFILE), ("list", EIO)] {
                FailingCalls.fail(call, "/plugins", errno, times: 1)
                let change = catalog.refresh()
                precondition(FailingCalls.left == 0)
                precondition(change.removed.isEmpty && catalog.plugins.count == 1)
                precondition(catalog.folders[0].finding?.systemMessage == describe(errno: errno))
                FailingCalls.stop()
            }
            precondition(catalog.refresh().added.map(\.identifier) == ["org.example.second"])
            precondition(catalog.plugins.count == 2)
        }
    }

    @Test(.fault(285)) func aRequirementIsNotReportedAsMissingIfABundleCouldNotBeRead() async {
        await #expect(processExitsWith: .success) {
            let tree = try CatalogTree([
                "plugins/A.bundle": CatalogTree.list("org.a", "1.0", "PHRequires = { \"org.b\" = \">=2\"; };"),
                "plugins/B.bundle": CatalogTree.list("org.b", "2.0"), "old/B.bundle": CatalogTree.list("org.b", "1.0"),
            ])
            for (errno, folders, sentence) in [
                (EIO, ["plugins"], "org.b is not among the bundles that could be read"),
                (EACCES, ["plugins"], "org.b is not among the bundles that could be read"),
                (EIO, ["plugins", "old"], "org.b 1.0 is installed"),
            ] {
                // The calls for the first folder, by the quick way and by the layout.
                FailingCalls.fail("open", "B.bundle/Contents/Info.plist", errno, times: 2)
                let catalog = PluginCatalog(searchPaths: folders.map { tree($0) }, options: .init(index: .none))
                precondition(FailingCalls.left == 0)
                FailingCalls.stop()
                let candidate = catalog.candidates.first { $0.identifier == "org.a" }
                let finding = candidate?.findings.first
                let list = tree("plugins/B.bundle/Contents/Info.plist")
                precondition(candidate?.verdict == .unresolved && finding?.code == .requirementUnmet)
                precondition(
                    finding?.message
                        == "org.a 1.0 needs org.b 2 or later; \(sentence), and “\(list)” could not be read.",
                    "\(finding?.message ?? "")")
                precondition(finding?.systemMessage == describe(errno: errno))
                let remedy = finding?.remedy ?? ""
                precondition(remedy.hasPrefix(ErrorNumber.remedy(errno)))
                precondition(remedy.contains("Install") == !ErrorNumber.isPassing(errno), remedy)
                if folders == ["plugins"] {
                    let answer = catalog.explanation(of: "org.b")
                    precondition(answer.sentence.hasPrefix("No bundle with the identifier “org.b” is among the"))
                    precondition(answer.sentence.contains(list) && answer.remedy == ErrorNumber.remedy(errno))
                }
                catalog.refresh()
                precondition(catalog.plugins.map(\.identifier) == ["org.a", "org.b"])
            }
        }
    }

    @Test(.fault(285)) func aRequirementIsNotReportedAsMissingIfAFolderCouldNotBeListed() async {
        await #expect(processExitsWith: .success) {
            let tree = try CatalogTree([
                "plugins/A.bundle": CatalogTree.list("org.a", "1.0", "PHRequires = { \"org.b\" = \"*\"; };"),
                "more/B.bundle": CatalogTree.list("org.b"),
            ])
            FailingCalls.fail("list", "/more", EIO)
            let catalog = PluginCatalog(
                searchPaths: [tree("plugins"), tree("more")], options: .init(index: .none))
            FailingCalls.stop()
            let finding = catalog.candidates.first?.findings.first
            precondition(
                finding?.message == """
                    org.a 1.0 needs org.b; org.b is not among the bundles that could be read, and “\(tree("more"))” could \
                    not be read.
                    """, finding?.message ?? "")
            catalog.refresh()
            precondition(catalog.plugins.map(\.identifier) == ["org.a", "org.b"])
        }
    }

    @Test(.fault(285)) func aFileThatCannotBeLookedAtOnceIsNotCalledReplaced() async {
        await #expect(processExitsWith: .success) {
            let tree = try TemporaryTree([
                "X.bundle/Contents/Info.plist": Self.list, "X.bundle/Contents/Linux/X": "code",
            ])
            let path = tree("X.bundle/Contents/Linux/X")
            guard let identity = FileIdentity(path: path) else { preconditionFailure() }
            var files = InspectedFiles()
            files.append(path, identity)
            precondition(identity.change(at: path) == nil && files.firstChange() == nil)
            FailingCalls.fail("stat", "Linux/X", EIO, times: 2)
            precondition(identity.change(at: path) == .unknown(errno: EIO))
            precondition(files.firstChange()?.change == .unknown(errno: EIO))
            FailingCalls.stop()
            // The same call also compares which code a bundle has.
            let code = BundleCode(layout: .contents, executable: "X")
            FailingCalls.fail("stat", "Linux/X", EIO)
            do throws(BundleCode.Failure) {
                _ = try code.identity(in: tree("X.bundle"))
                preconditionFailure("it is not known")
            } catch {
                precondition(error.errno == EIO && error.path == path)
            }
            unlink(path)
            precondition(identity.change(at: path) == .replaced && files.firstChange()?.path == path)
        }
    }

    @Test(.fault(196)) func anExecutableThatCannotBeOpenedOnceIsReportedSo() async {
        await #expect(processExitsWith: .success) {
            let tree = try TemporaryTree([
                "X.bundle/Contents/Info.plist": Self.list, "X.bundle/Contents/Linux/X": "no code",
            ])
            let bundle = try PluginBundle.open(path: tree("X.bundle"))
            FailingCalls.fail("open", "Linux/X", EMFILE)
            bundle.load()
            let first = bundle.loadError
            precondition(first?.code == .notLoadable && first?.findings[0].remedy.contains("ulimit -n") == true)
            bundle.load()
            precondition(bundle.loadError?.description.contains("ulimit") == false)
        }
    }

    /// The second look at each path fails, as if the file disappeared after the first one.
    @Test(.fault(288)) func aDirectoryOrHelperThatDisappearsAfterItWasFoundEndsNoProcess() async {
        await #expect(processExitsWith: .success) {
            let tree = try TemporaryTree([
                "X.bundle/Contents/Info.plist": Self.list, "X.bundle/Contents/PlugIns/": "",
                "X.bundle/Contents/Linux/helper": "",
            ])
            let bundle = try PluginBundle.open(path: tree("X.bundle"))
            func failSecondLook(at path: String) {
                FailingCalls.before("stat", path) { FailingCalls.fail("stat", path, ENOENT) }
            }
            failSecondLook(at: "X.bundle/Contents/PlugIns")
            precondition(bundle.builtInPlugInsPath == tree("X.bundle/Contents/PlugIns"))
            failSecondLook(at: "X.bundle/Contents/Linux/helper")
            precondition(bundle.path(forAuxiliaryExecutable: "helper") == tree("X.bundle/Contents/Linux/helper"))
            // Both files were found at the first look, so there was no second one.
            precondition(FailingCalls.left == 2)
            FailingCalls.stop()
        }
    }

    @Test(.fault(289)) func anExecutableThatCannotBeOpenedIsNotReportedAsMissing() async {
        await #expect(processExitsWith: .success) {
            let tree = try TemporaryTree(["X.bundle/Contents/Linux/X": "x"])
            let path = tree("X.bundle/Contents/Linux/X")
            func findings() -> [PluginFinding] {
                ELFInspector.inspectCompletely(
                    path: path, bundlePath: tree("X.bundle"), surroundings: .currentProcess(pluginLibraries: []))
            }
            for errno in [EMFILE, EIO, EACCES, ENOMEM] {
                FailingCalls.fail("open", "Contents/Linux/X", errno, times: 1)
                let found = findings()
                precondition(FailingCalls.left == 0)
                FailingCalls.stop()
                precondition(found.map(\.code) == [.notLoadable], "\(found)")
                precondition(found[0].remedy == ErrorNumber.remedy(errno) && found[0].systemMessage != nil)
            }
            precondition(unlink(path) == 0)
            precondition(findings().map(\.code) == [.executableMissing])
        }
    }
}
