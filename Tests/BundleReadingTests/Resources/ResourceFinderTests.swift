import TestSupport
import Testing

@testable import BundleReading

/// A finder for the resources in a tree.
func finder(
    _ tree: TemporaryTree, declared: [String] = [], region: String? = "en", languages: [String] = ["fr-CA", "de"],
    preference: VariantPreference = VariantPreference()
) -> ResourceFinder {
    ResourceFinder(
        directory: tree.path,
        settings: LocalizationSettings(declared: declared, developmentRegion: region, languages: languages),
        preference: preference)
}

@Suite("ResourceFinder: the order of the search")
struct ResourceFinderOrderTests {
    /// Every place that can have it, from the first to the last.
    static let places = ["", "fr_CA.lproj/", "Base.lproj/", "fr.lproj/", "en.lproj/"]

    @Test(arguments: places.indices)
    func thePlacesAreSearchedInOrder(_ first: Int) throws {
        let tree = try TemporaryTree()
        // The user's other languages are not searched.
        try tree.write("de.lproj/note.txt")
        for place in Self.places { try tree.write(place + "other.txt") }
        for place in Self.places[first...] { try tree.write(place + "note.txt") }
        #expect(finder(tree).path(forResource: "note", ofType: "txt") == tree(Self.places[first] + "note.txt"))
    }

    @Test func otherLanguagesOfTheUserAreNotSearched() throws {
        let tree = try TemporaryTree(["fr.lproj/a.txt": "", "de.lproj/b.txt": "", "en.lproj/c.txt": ""])
        let finder = finder(tree)
        #expect(finder.path(forResource: "b", ofType: "txt") == nil)
        #expect(finder.path(forResource: "c", ofType: "txt") == tree("en.lproj/c.txt"))
    }

    @Test func theDevelopmentRegionIsFoundUnderAnOldName() throws {
        let tree = try TemporaryTree(["fr.lproj/a.txt": "", "English.lproj/c.txt": ""])
        #expect(finder(tree).path(forResource: "c", ofType: "txt") == tree("English.lproj/c.txt"))
    }

    @Test func aSubdirectoryIsSearchedInAndBesideTheLocalisation() throws {
        let tree = try TemporaryTree([
            "fr.lproj/help/a.html": "", "help/fr.lproj/a.html": "", "help/fr.lproj/b.html": "",
        ])
        let finder = finder(tree)
        #expect(finder.path(forResource: "a", ofType: "html", inDirectory: "help") == tree("fr.lproj/help/a.html"))
        #expect(finder.path(forResource: "b", ofType: "html", inDirectory: "help") == tree("help/fr.lproj/b.html"))
        try tree.write("help/a.html")
        settle()
        #expect(finder.path(forResource: "a", ofType: "html", inDirectory: "help/") == tree("help/a.html"))
    }

    @Test func aNameMayBringADirectory() throws {
        let tree = try TemporaryTree(["images/small/a.png": "", "fr.lproj/images/b.png": ""])
        let finder = finder(tree)
        #expect(finder.path(forResource: "images/small/a", ofType: "png") == tree("images/small/a.png"))
        #expect(
            finder.path(forResource: "small/a.png", ofType: nil, inDirectory: "images") == tree("images/small/a.png"))
        #expect(finder.path(forResource: "images/b", ofType: "png") == tree("fr.lproj/images/b.png"))
    }

    @Test("a localisation named by a language's English name is found by the code, and the other way", .fault(290))
    func englishNamesOfLanguages() throws {
        let tree = try TemporaryTree([
            "Hungarian.lproj/a.txt": "", "TraditionalChinese.lproj/b.txt": "", "Slovene.lproj/c.txt": "",
            "BrazilianPortuguese.lproj/d.txt": "", "cs.lproj/e.txt": "", "Xyzzyish.lproj/f.txt": "",
        ])
        let finder = finder(tree)
        func path(_ name: String, _ localization: String) -> String? {
            finder.path(forResource: name, ofType: "txt", forLocalization: localization)
        }
        #expect(path("a", "hu") == tree("Hungarian.lproj/a.txt"))
        #expect(path("b", "zh-Hant") == tree("TraditionalChinese.lproj/b.txt"))
        #expect(path("c", "sl") == tree("Slovene.lproj/c.txt"))
        #expect(path("d", "pt-BR") == tree("BrazilianPortuguese.lproj/d.txt"))
        #expect(path("e", "Czech") == tree("cs.lproj/e.txt"))
        #expect(path("f", "xy") == nil)
    }

    @Test func oneLocalisationLimitsTheSearchToItAndGlobal() throws {
        let tree = try TemporaryTree([
            "de.lproj/a.txt": "", "fr.lproj/a.txt": "", "fr.lproj/b.txt": "", "c.txt": "", "French.lproj/d.txt": "",
        ])
        let finder = finder(tree)
        func path(_ name: String, _ localization: String) -> String? {
            finder.path(forResource: name, ofType: "txt", forLocalization: localization)
        }
        #expect(path("a", "de") == tree("de.lproj/a.txt"))
        #expect(path("b", "de") == nil)
        #expect(path("c", "de") == tree("c.txt"))
        #expect(path("a", "German") == tree("de.lproj/a.txt"))
        #expect(path("a", "es") == nil)
        #expect(path("d", "French") == tree("French.lproj/d.txt"))
        #expect(path("a", "French") == nil)
    }

    @Test func aResourceMayBeADirectory() throws {
        let tree = try TemporaryTree(["Nested.bundle/Contents/Info.plist": "", "fr.lproj/Letter.rtfd/TXT.rtf": ""])
        let finder = finder(tree)
        #expect(finder.path(forResource: "Nested", ofType: "bundle") == tree("Nested.bundle"))
        #expect(finder.path(forResource: "Letter", ofType: "rtfd") == tree("fr.lproj/Letter.rtfd"))
    }

    @Test func withoutADirectoryNothingIsFound() throws {
        let tree = try TemporaryTree(["file": ""])
        for name in ["none", "file"] {
            let finder = ResourceFinder(directory: tree(name))
            #expect(finder.path(forResource: "a", ofType: "txt") == nil)
            #expect(finder.paths(forResourcesOfType: nil) == [])
            #expect(finder.localizations == [])
            #expect(finder.preferredLocalizations == ["en"])
        }
    }

    @Test func otherLanguagesTakeEffectAtTheNextLookUp() throws {
        let tree = try TemporaryTree(["fr.lproj/a.txt": "", "de.lproj/a.txt": ""])
        let finder = finder(tree)
        #expect(finder.path(forResource: "a", ofType: "txt") == tree("fr.lproj/a.txt"))
        finder.settings.languages = ["de"]
        #expect(finder.path(forResource: "a", ofType: "txt") == tree("de.lproj/a.txt"))
        #expect(finder.preferredLocalizations == ["de"])
    }
}

@Suite("ResourceFinder: names")
struct ResourceFinderNameTests {
    @Test func theTypeIsWrittenInManyWays() throws {
        let tree = try TemporaryTree(["a.txt": "", "b.tar.gz": "", "plain": ""])
        let finder = finder(tree)
        for type in ["txt", ".txt"] { #expect(finder.path(forResource: "a", ofType: type) == tree("a.txt")) }
        for type in [nil, "", "."] {
            #expect(finder.path(forResource: "a.txt", ofType: type) == tree("a.txt"))
            #expect(finder.path(forResource: "plain", ofType: type) == tree("plain"))
            #expect(finder.path(forResource: "a", ofType: type) == nil)
        }
        #expect(finder.path(forResource: "b", ofType: "tar.gz") == tree("b.tar.gz"))
        #expect(finder.path(forResource: "b", ofType: ".tar.gz") == tree("b.tar.gz"))
        #expect(finder.path(forResource: "b.tar", ofType: "gz") == tree("b.tar.gz"))
        #expect(finder.path(forResource: "b.tar.gz", ofType: nil) == tree("b.tar.gz"))
    }

    @Test func withoutANameTheFirstOfTheTypeIsFound() throws {
        let tree = try TemporaryTree([
            "z.txt": "", "m.txt": "", ".hidden.txt": "", "a.tar.gz": "", "fr.lproj/a.rtf": "",
        ])
        let finder = finder(tree)
        for name in [nil, ""] {
            #expect(finder.path(forResource: name, ofType: "txt") == tree("m.txt"))
            #expect(finder.path(forResource: name, ofType: "gz") == tree("a.tar.gz"))
            #expect(finder.path(forResource: name, ofType: "tar.gz") == tree("a.tar.gz"))
            #expect(finder.path(forResource: name, ofType: "rtf") == tree("fr.lproj/a.rtf"))
            #expect(finder.path(forResource: name, ofType: "jpg") == nil)
            #expect(finder.path(forResource: name, ofType: nil) == nil)
        }
    }

    @Test("Names are case-sensitive, and names that differ only in case are two resources", .fault(100))
    func caseCounts() throws {
        let tree = try TemporaryTree(["Icon.png": "", "icon.png": "", "fr.lproj/ICON.png": ""])
        let finder = finder(tree)
        #expect(finder.path(forResource: "Icon", ofType: "png") == tree("Icon.png"))
        #expect(finder.path(forResource: "icon", ofType: "png") == tree("icon.png"))
        #expect(finder.path(forResource: "ICON", ofType: "png") == tree("fr.lproj/ICON.png"))
        #expect(finder.path(forResource: "iCON", ofType: "png") == nil)
        #expect(finder.path(forResource: "icon", ofType: "PNG") == nil)
    }

    @Test func eitherNormalFormOfUnicodeFindsAFileWithItsOwnSpelling() throws {
        let decomposed = "re\u{301}sume\u{301}.txt"
        let tree = try TemporaryTree([decomposed: ""])
        let path = finder(tree).path(forResource: "r\u{E9}sum\u{E9}", ofType: "txt")
        #expect(path.map { Array($0.utf8) } == Array(tree(decomposed).utf8))
    }

    @Test func hiddenFilesAreFoundByNameAlone() throws {
        let tree = try TemporaryTree([".config": ""])
        #expect(finder(tree).path(forResource: ".config", ofType: nil) == tree(".config"))
        #expect(finder(tree).paths(forResourcesOfType: "config") == [])
    }
}

@Suite("ResourceFinder: variants")
struct ResourceFinderVariantTests {
    @Test func thePlatformsFileReplacesTheGenericOne() throws {
        let tree = try TemporaryTree([
            "a.txt": "", "a-linux.txt": "", "b-linux.txt": "", "c.tar.gz": "", "c-linux.tar.gz": "",
        ])
        let finder = finder(tree)
        #expect(finder.path(forResource: "a", ofType: "txt") == tree("a-linux.txt"))
        #expect(finder.path(forResource: "a.txt", ofType: nil) == tree("a-linux.txt"))
        #expect(finder.path(forResource: "c.tar.gz", ofType: nil) == tree("c-linux.tar.gz"))
        // Only if there is a generic one.
        #expect(finder.path(forResource: "b", ofType: "txt") == nil)
        #expect(finder.path(forResource: "b-linux", ofType: "txt") == tree("b-linux.txt"))
    }

    @Test func thePlatformsFileIsTakenFromTheDirectoryOfTheHitAlone() throws {
        let tree = try TemporaryTree(["a.txt": "", "fr.lproj/a-linux.txt": "", "fr.lproj/b.txt": "", "b-linux.txt": ""])
        let finder = finder(tree)
        #expect(finder.path(forResource: "a", ofType: "txt") == tree("a.txt"))
        #expect(finder.path(forResource: "b", ofType: "txt") == tree("fr.lproj/b.txt"))
    }

    static let icons = ["icon~phone@2x.png", "icon~phone.png", "icon@2x.png", "icon.png"]

    @Test(arguments: icons.indices)
    func deviceAndScaleFallBackInOrder(_ first: Int) throws {
        let tree = try TemporaryTree()
        for icon in Self.icons[first...] { try tree.write(icon) }
        let finder = finder(tree, preference: VariantPreference(device: "phone", scale: 2))
        #expect(finder.path(forResource: "icon", ofType: "png") == tree(Self.icons[first]))
        #expect(finder.path(forResource: "icon.png", ofType: nil) == tree(Self.icons[first]))
    }

    @Test func withoutDeviceAndScaleThePlainFileIsTaken() throws {
        let tree = try TemporaryTree(Dictionary(uniqueKeysWithValues: Self.icons.map { ($0, "") }))
        let finder = finder(tree)
        #expect(finder.path(forResource: "icon", ofType: "png") == tree("icon.png"))
        finder.preference = VariantPreference(scale: 2)
        #expect(finder.path(forResource: "icon", ofType: "png") == tree("icon@2x.png"))
        finder.preference = VariantPreference(device: "tablet", scale: 1)
        #expect(finder.path(forResource: "icon", ofType: "png") == tree("icon.png"))
    }

    @Test func aScaleWithoutAFileTakesTheNextLowerOne() throws {
        let tree = try TemporaryTree([
            "a.png": "", "a@2x.png": "", "b.png": "", "c@3x.png": "", "d@9x.png": "", "d.png": "",
        ])
        func path(_ name: String, scale: Int) -> String? {
            finder(tree, preference: VariantPreference(scale: scale)).path(forResource: name, ofType: "png")
        }
        #expect(path("a", scale: 3) == tree("a@2x.png"))
        #expect(path("b", scale: 3) == tree("b.png"))
        #expect(path("c", scale: 3) == tree("c@3x.png"))
        #expect(path("c", scale: 2) == nil)
        #expect(path("d", scale: .max) == tree("d@9x.png"))
        for scale in [1, 0, -2, .min] { #expect(path("d", scale: scale) == tree("d.png")) }
    }

    @Test func anInvalidDeviceNameFindsThePlainFile() throws {
        let tree = try TemporaryTree(["in/a.png": "", "b.png": ""])
        for device in ["", "..", "/../../b", "x\0y"] {
            let finder = ResourceFinder(directory: tree("in"), preference: VariantPreference(device: device))
            #expect(finder.path(forResource: "a", ofType: "png") == tree("in/a.png"))
        }
    }

    @Test func aVariantHasItsOwnPlatformsFile() throws {
        let tree = try TemporaryTree(["icon.png": "", "icon-linux.png": "", "icon@2x.png": "", "icon-linux@2x.png": ""])
        let finder = finder(tree, preference: VariantPreference(scale: 2))
        #expect(finder.path(forResource: "icon", ofType: "png") == tree("icon-linux@2x.png"))
    }
}

@Suite("ResourceFinder: lists")
struct ResourceFinderListTests {
    @Test func globalComesBeforeLocalisedAndNoNameTwice() throws {
        let tree = try TemporaryTree([
            "b.txt": "", "a.txt": "", "fr_CA.lproj/a.txt": "", "fr_CA.lproj/c.txt": "", "fr.lproj/c.txt": "",
            "fr.lproj/d.txt": "", "en.lproj/e.txt": "", "de.lproj/f.txt": "", "a.png": "",
        ])
        let expected = ["a.txt", "b.txt", "fr_CA.lproj/c.txt", "fr.lproj/d.txt", "en.lproj/e.txt"].map { tree($0) }
        #expect(finder(tree).paths(forResourcesOfType: "txt") == expected)
        #expect(finder(tree).paths(forResourcesOfType: ".txt") == expected)
    }

    @Test func withoutATypeEverythingIsListed() throws {
        let tree = try TemporaryTree(["a.txt": "", "images/b.png": "", "fr.lproj/c": "", ".hidden": ""])
        let expected = ["a.txt", "fr.lproj", "images", "fr.lproj/c"].map { tree($0) }
        #expect(finder(tree).paths(forResourcesOfType: nil) == expected)
        #expect(finder(tree).paths(forResourcesOfType: "") == expected)
    }

    @Test func subdirectoryAndLocalisationLimitTheList() throws {
        let tree = try TemporaryTree([
            "s/a.txt": "", "fr.lproj/s/b.txt": "", "s/de.lproj/c.txt": "", "de.lproj/s/d.txt": "",
        ])
        let finder = finder(tree)
        #expect(
            finder.paths(forResourcesOfType: "txt", inDirectory: "s") == [tree("s/a.txt"), tree("fr.lproj/s/b.txt")])
        #expect(
            finder.paths(forResourcesOfType: "txt", inDirectory: "s", forLocalization: "de")
                == [tree("s/a.txt"), tree("de.lproj/s/d.txt"), tree("s/de.lproj/c.txt")])
        #expect(finder.paths(forResourcesOfType: "txt", inDirectory: "../s") == [])
    }

    @Test func aNameRepresentsItsVariants() throws {
        let tree = try TemporaryTree([
            "a.png": "", "a-linux.png": "", "b.png": "", "b@2x.png": "", "b~phone.png": "", "b~phone@2x.png": "",
            "c-linux.png": "",
        ])
        #expect(
            finder(tree).paths(forResourcesOfType: "png") == ["a-linux.png", "b.png", "c-linux.png"].map { tree($0) })
        let scaled = finder(tree, preference: VariantPreference(scale: 2))
        #expect(scaled.paths(forResourcesOfType: "png") == ["a-linux.png", "b@2x.png", "c-linux.png"].map { tree($0) })
    }

    @Test func allPlacesOfAResourceAreListed() throws {
        let tree = try TemporaryTree([
            "fr.lproj/a.strings": "", "en.lproj/a.strings": "", "en.lproj/a.txt": "", "Base.lproj/a.txt": "",
            "de.lproj/a.strings": "",
        ])
        let expected: [[String?]] = [
            [tree("fr.lproj/a.strings"), nil], [nil, tree("Base.lproj/a.txt")],
            [tree("en.lproj/a.strings"), tree("en.lproj/a.txt")],
        ]
        #expect(
            finder(tree, languages: ["fr"]).allPaths(forResource: "a", ofTypes: ["strings", "txt"]).paths == expected)
    }
}

@Suite("ResourceFinder: localisations")
struct ResourceFinderLocalizationTests {
    @Test func declaredLocalisationsComeFirstThenTheOthersByName() throws {
        let tree = try TemporaryTree([
            "sv.lproj/": "", "fr.lproj/": "", "de.lproj/": "", "Base.lproj/": "", "file.lproj": "",
        ])
        #expect(finder(tree, declared: ["it", "fr"]).localizations == ["it", "fr", "Base", "de", "sv", "en"])
    }

    @Test func theUsersLanguageIsPreferredNotTheFirstInTheDirectory() throws {
        let tree = try TemporaryTree(["de.lproj/": "", "fr.lproj/": "", "en.lproj/": ""])
        #expect(finder(tree, languages: ["fr"]).preferredLocalizations == ["fr"])
        #expect(finder(tree, languages: []).preferredLocalizations == ["en"])
        #expect(finder(tree, region: "de", languages: ["xx"]).preferredLocalizations == ["de"])
        #expect(finder(tree, region: nil, languages: ["xx"]).preferredLocalizations == ["en"])
    }

    @Test func aNewLocalisationIsSeen() throws {
        let tree = try TemporaryTree(["en.lproj/a.txt": ""])
        let finder = finder(tree, languages: ["fr"])
        #expect(finder.preferredLocalizations == ["en"])
        #expect(finder.path(forResource: "a", ofType: "txt") == tree("en.lproj/a.txt"))
        try tree.write("fr.lproj/a.txt")
        settle()
        #expect(finder.preferredLocalizations == ["fr"])
        #expect(finder.path(forResource: "a", ofType: "txt") == tree("fr.lproj/a.txt"))
        tree.remove("fr.lproj")
        settle()
        #expect(finder.path(forResource: "a", ofType: "txt") == tree("en.lproj/a.txt"))
        #expect(finder.localizations == ["en"])
    }

    @Test("A localisation that is no name of a directory is left out", .fault(99))
    func localisationsThatLeaveAreLeftOut() throws {
        let tree = try TemporaryTree([
            "in/...lproj/a.txt": "", "in/.lproj/a.txt": "", "in/en.lproj/b.txt": "", "out.lproj/a.txt": "",
        ])
        let declared = ["..", ".", "", "../out", "/etc", "a\0b", "en"]
        let finder = ResourceFinder(
            directory: tree("in"),
            settings: LocalizationSettings(
                declared: declared, developmentRegion: "../out", languages: ["../out", ".."]))
        #expect(finder.localizations == ["en"])
        #expect(finder.path(forResource: "a", ofType: "txt") == nil)
        for name in ["..", "../out", "../../etc", "a\0b", ""] {
            #expect(finder.path(forResource: "a", ofType: "txt", forLocalization: name) == nil)
        }
        #expect(finder.path(forResource: "b", ofType: "txt") == tree("in/en.lproj/b.txt"))
    }
}
