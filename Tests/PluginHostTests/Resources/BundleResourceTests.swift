import Foundation
import Glibc
import TestSupport
import Testing

@testable import PluginHost

/// A bundle in a temporary tree; paths of resources are relative to the resources.
struct ResourceBundle {
    let tree: TemporaryTree
    let bundle: PluginBundle

    init(_ resources: [String], info: String = "") throws {
        tree = try TemporaryTree([
            "X.bundle/Contents/Info.plist": """
            <plist version="1.0"><dict><key>CFBundleIdentifier</key><string>org.example.resources</string>
            <key>CFBundleDevelopmentRegion</key><string>en</string>\(info)</dict></plist>
            """
        ])
        for name in resources { try tree.write(Self.prefix + name) }
        bundle = try PluginBundle.open(path: tree("X.bundle"))
    }

    private static let prefix = "X.bundle/Contents/Resources/"

    /// The absolute path of a resource.
    func callAsFunction(_ name: String) -> String { tree(Self.prefix + name) }

    func write(_ name: String) throws { try tree.write(Self.prefix + name) }
    func remove(_ name: String) { tree.remove(Self.prefix + name) }
    func rename(_ old: String, to new: String) throws { try tree.rename(Self.prefix + old, to: Self.prefix + new) }
    func link(_ name: String, to target: String) throws { try tree.link(Self.prefix + name, to: target) }
}

@Suite("PluginBundle: resources")
struct BundleResourceTests {
    @Test func everyInstanceFormFindsTheSame() throws {
        let resources = try ResourceBundle(["a.txt", "s/b.txt", "en.lproj/c.txt", "en.lproj/s/d.txt", "fr.lproj/e.txt"])
        let bundle = resources.bundle
        #expect(bundle.path(forResource: "a", ofType: "txt") == resources("a.txt"))
        #expect(bundle.path(forResource: "b", ofType: "txt", inDirectory: "s") == resources("s/b.txt"))
        #expect(
            bundle.path(forResource: "e", ofType: "txt", inDirectory: nil, forLocalization: "fr")
                == resources("fr.lproj/e.txt"))
        #expect(bundle.url(forResource: "a", withExtension: "txt")?.path == resources("a.txt"))
        #expect(
            bundle.url(forResource: "d", withExtension: "txt", subdirectory: "s")?.path == resources("en.lproj/s/d.txt")
        )
        #expect(
            bundle.url(forResource: "c", withExtension: "txt", subdirectory: nil, localization: "en")?.path
                == resources("en.lproj/c.txt"))
        let all = ["a.txt", "en.lproj/c.txt"].map { resources($0) }
        #expect(bundle.paths(forResourcesOfType: "txt", inDirectory: nil) == all)
        #expect(bundle.urls(forResourcesWithExtension: "txt", subdirectory: nil)?.map(\.path) == all)
        let french = ["a.txt", "fr.lproj/e.txt"].map { resources($0) }
        #expect(bundle.paths(forResourcesOfType: "txt", inDirectory: nil, forLocalization: "fr") == french)
        let urls: [URL]? = bundle.urls(forResourcesWithExtension: "txt", subdirectory: nil, localization: "fr")
        #expect(urls?.map(\.path) == french)
        #expect(bundle.urls(forResourcesWithExtension: "png", subdirectory: nil)?.count == 0)
    }

    @Test func classMethodsFindWhatTheObjectFinds() throws {
        let resources = try ResourceBundle(["a.txt", "s/b.txt", "en.lproj/c.txt"])
        let directory = resources.tree("X.bundle")
        let url = URL(filePath: directory)
        #expect(PluginBundle.path(forResource: "a", ofType: "txt", inDirectory: directory) == resources("a.txt"))
        #expect(
            PluginBundle.path(forResource: "c", ofType: "txt", inDirectory: directory) == resources("en.lproj/c.txt"))
        #expect(PluginBundle.path(forResource: "../Info", ofType: "plist", inDirectory: directory) == nil)
        #expect(
            PluginBundle.paths(forResourcesOfType: "txt", inDirectory: directory)
                == [resources("a.txt"), resources("en.lproj/c.txt")])
        #expect(
            PluginBundle.url(forResource: "b", withExtension: "txt", subdirectory: "s", in: url)?.path
                == resources("s/b.txt"))
        #expect(
            PluginBundle.urls(forResourcesWithExtension: "txt", subdirectory: "s", in: url)?.map(\.path)
                == [resources("s/b.txt")])
        let objects: [NSURL]? = PluginBundle.urls(
            forResourcesWithExtension: "txt", subdirectory: "s", in: NSURL(fileURLWithPath: directory))
        #expect(objects?.map(\.path) == [resources("s/b.txt")])
    }

    @Test func classFormsWithoutABundleFindNothing() throws {
        let tree = try TemporaryTree(["file": ""])
        for path in [tree("none"), tree("file"), "", "a\0b"] {
            #expect(PluginBundle.path(forResource: "a", ofType: "txt", inDirectory: path) == nil)
            #expect(PluginBundle.paths(forResourcesOfType: nil, inDirectory: path) == [])
        }
        let url = URL(filePath: tree("none"))
        #expect(PluginBundle.url(forResource: "a", withExtension: nil, subdirectory: nil, in: url) == nil)
        let web = try #require(URL(string: "https://example.org/X.bundle"))
        #expect(PluginBundle.url(forResource: "a", withExtension: nil, subdirectory: nil, in: web) == nil)
        let urls: [URL]? = PluginBundle.urls(forResourcesWithExtension: nil, subdirectory: nil, in: url)
        #expect(urls == nil)
    }

    @Test func theURLOfADirectoryEndsInASlash() throws {
        let resources = try ResourceBundle(["Nested.bundle/a.txt", "a.bundle"])
        try resources.link("Link.bundle", to: "Nested.bundle")
        let bundle = resources.bundle
        let urls: [URL]? = bundle.urls(forResourcesWithExtension: "bundle", subdirectory: nil)
        #expect(urls?.map(\.hasDirectoryPath) == [true, true, false])
        #expect(bundle.url(forResource: "Nested", withExtension: "bundle")?.absoluteString.hasSuffix("/") == true)
        #expect(bundle.path(forResource: "Nested", ofType: "bundle") == resources("Nested.bundle"))
    }

    @Test func listsOfURLsCanBeTakenAsObjects() throws {
        let resources = try ResourceBundle(["a.txt", "en.lproj/", "fr.lproj/b.txt"])
        let all: [NSURL]? = resources.bundle.urls(forResourcesWithExtension: "txt", subdirectory: nil)
        #expect(all?.map(\.path) == [resources("a.txt")])
        let french: [NSURL]? = resources.bundle.urls(
            forResourcesWithExtension: "txt", subdirectory: nil, localization: "fr")
        #expect(french?.map(\.path) == [resources("a.txt"), resources("fr.lproj/b.txt")])
    }

    @Test func theDeviceAndScaleOfTheHostChooseAmongTheVariants() async {
        await #expect(processExitsWith: .success) {
            HostEnvironment.current.device = "phone"
            HostEnvironment.current.scale = 3
            HostEnvironment.current.preferredLanguages = ["fr"]
            let resources = try ResourceBundle([
                "a.png", "a@2x.png", "a~phone.png", "a~phone@2x.png", "a~phone@3x.png", "b.png", "b@2x.png",
                "fr.lproj/c.png", "en.lproj/c~phone@3x.png",
            ])
            func path(_ name: String) -> String? { resources.bundle.path(forResource: name, ofType: "png") }
            precondition(path("a") == resources("a~phone@3x.png"))
            precondition(path("b") == resources("b@2x.png"))
            precondition(path("c") == resources("fr.lproj/c.png"))
        }
    }

    @Test func theUsersLanguagesDecideTheOrder() async {
        await #expect(processExitsWith: .success) {
            HostEnvironment.current.preferredLanguages = ["fr-CA", "de"]
            let places = ["", "fr_CA.lproj/", "Base.lproj/", "fr.lproj/", "en.lproj/"]
            let resources = try ResourceBundle(places.map { $0 + "a.txt" } + ["de.lproj/a.txt", "de.lproj/b.txt"])
            for place in places {
                settle()
                precondition(resources.bundle.path(forResource: "a", ofType: "txt") == resources(place + "a.txt"))
                resources.remove(place + "a.txt")
            }
            settle()
            precondition(resources.bundle.path(forResource: "a", ofType: "txt") == nil)
            precondition(resources.bundle.path(forResource: "b", ofType: "txt") == nil)
        }
    }
}

@Suite("PluginBundle: resources that go wrong")
struct BundleResourceFaultTests {
    @Test("Nothing outside of the resources is found, Info.plist neither", .fault(96))
    func parentsAreNotFound() throws {
        let resources = try ResourceBundle(["a.txt", "s/b.txt"])
        let bundle = resources.bundle
        #expect(bundle.path(forResource: "../Info", ofType: "plist") == nil)
        #expect(bundle.url(forResource: "../Info", withExtension: "plist") == nil)
        #expect(bundle.path(forResource: "Info", ofType: "plist", inDirectory: "..") == nil)
        #expect(bundle.path(forResource: "Info", ofType: "plist", inDirectory: nil, forLocalization: "..") == nil)
        #expect(bundle.path(forResource: "../a", ofType: "txt", inDirectory: "s") == nil)
        #expect(bundle.paths(forResourcesOfType: "plist", inDirectory: "..") == [])
        #expect(bundle.urls(forResourcesWithExtension: "plist", subdirectory: "s/../..")?.count == 0)
    }

    @Test("Resources that are a link out of the bundle are read, as GNUstep installs them", .fault(97))
    func resourcesMayBeALinkOutOfTheBundle() throws {
        let tree = try TemporaryTree(["shared/a.txt": "", "shared/en.lproj/b.txt": "", "X.bundle/Contents/": ""])
        try tree.link("X.bundle/Contents/Resources", to: "../../shared")
        let bundle = try PluginBundle.open(path: tree("X.bundle"))
        #expect(bundle.path(forResource: "a", ofType: "txt") == tree("X.bundle/Contents/Resources/a.txt"))
        #expect(bundle.path(forResource: "b", ofType: "txt") == tree("X.bundle/Contents/Resources/en.lproj/b.txt"))
        #expect(bundle.path(forResource: "../a", ofType: "txt") == nil)
    }

    @Test("A FIFO in the place of a resource, a table or an icon is not found, and nobody waits for it", .fault(98))
    func pipesAreNeverOpened() throws {
        let resources = try ResourceBundle(["a.txt"])
        for name in ["pipe.txt", "Icon.png", "Default.png", "Localizable.strings"] {
            #expect(mkfifo(resources(name), 0o600) == 0)
        }
        #expect(resources.bundle.path(forResource: "pipe", ofType: "txt") == nil)
        #expect(resources.bundle.paths(forResourcesOfType: nil, inDirectory: nil) == [resources("a.txt")])
        #expect(resources.bundle.iconFiles == [])
        #expect(resources.bundle.launchImages() == [])
        #expect(resources.bundle.localizedString(forKey: "key", value: "value", table: nil) == "value")
    }

    @Test("A declared localisation that names no directory is none", .fault(99))
    func localisationsStayInside() throws {
        let resources = try ResourceBundle(
            ["de.lproj/a.txt"],
            info: """
                <key>CFBundleLocalizations</key><array><string>..</string><string>../../..</string><string>/</string>
                <string>it</string></array>
                """)
        #expect(resources.bundle.localizations == ["it", "de"])
        #expect(resources.bundle.path(forResource: "Info", ofType: "plist") == nil)
    }

    @Test("Directories of languages that differ only in case are two, and each is what it is asked for", .fault(100))
    func localisationsThatDifferInCaseAreTwo() throws {
        let resources = try ResourceBundle(["fr.lproj/a.txt", "FR.lproj/a.txt", "A.txt"])
        #expect(resources.bundle.localizations == ["FR", "fr"])
        for language in ["fr", "FR"] {
            let path = resources.bundle.path(
                forResource: "a", ofType: "txt", inDirectory: nil, forLocalization: language)
            #expect(path == resources(language + ".lproj/a.txt"))
        }
        #expect(resources.bundle.path(forResource: "A", ofType: "txt") == resources("A.txt"))
    }

    @Test("A file that comes late is seen, one that went is not given, under a new name it is", .fault(107))
    func changesAreNoticed() throws {
        let resources = try ResourceBundle(["a.txt"])
        let bundle = resources.bundle
        #expect(bundle.path(forResource: "late", ofType: "txt") == nil)
        #expect(bundle.url(forResource: "a", withExtension: "txt") != nil)
        try resources.write("late.txt")
        settle()
        #expect(bundle.path(forResource: "late", ofType: "txt") == resources("late.txt"))
        resources.remove("a.txt")
        settle()
        #expect(bundle.url(forResource: "a", withExtension: "txt") == nil)
        try resources.rename("late.txt", to: "a.txt")
        settle()
        #expect(bundle.paths(forResourcesOfType: "txt", inDirectory: nil) == [resources("a.txt")])
    }

    @Test("A bundle of 100,000 resources finds each of them, and changes among them", .fault(158))
    func aHundredThousandResourcesAreFound() throws {
        let resources = try ResourceBundle(["image1-linux.png", "zz.txt"])
        let count = 100_000
        for number in 0..<count {
            let descriptor = open(resources("image\(number).png"), O_CREAT | O_WRONLY | O_CLOEXEC, 0o644)
            try #require(descriptor >= 0)
            close(descriptor)
        }
        let bundle = resources.bundle
        let isEachFound = (0..<count).allSatisfy { number in
            let name = number == 1 ? "image1-linux.png" : "image\(number).png"
            return bundle.path(forResource: "image\(number)", ofType: "png") == resources(name)
        }
        #expect(isEachFound)
        #expect(bundle.path(forResource: "image\(count)", ofType: "png") == nil)
        #expect(bundle.paths(forResourcesOfType: "png", inDirectory: nil).count == count)
        #expect(bundle.path(forResource: nil, ofType: "txt") == resources("zz.txt"))
        resources.remove("image7.png")
        try resources.write("image\(count).png")
        settle()
        #expect(bundle.path(forResource: "image7", ofType: "png") == nil)
        #expect(bundle.path(forResource: "image\(count)", ofType: "png") == resources("image\(count).png"))
        #expect(bundle.iconFiles == [])
    }
}
