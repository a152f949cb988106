import Foundation
import Testing

/// What the moved file finds in a bundle, as Apple documents it.
@Suite struct MovedFileTests {
    private let fixture: MovedBundle
    private let user: BundleUser

    init() throws {
        fixture = try MovedBundle()
        user = try #require(BundleUser(path: fixture.url.path))
    }

    /// All of them the same.
    private func isEach<Value: Equatable>(_ values: [Value], _ expected: Value, count: Int) -> Bool {
        values.count == count && values.allSatisfy { $0 == expected }
    }

    @Test func bundlesAreFound() {
        #expect(BundleUser(url: fixture.url)?.bundle === user.bundle)
        #expect(BundleUser(identifier: "org.example.moved") != nil)
        #expect(BundleUser(identifier: "org.example.moved.not") == nil)
        #expect(BundleUser(path: fixture.contents("none")) == nil)
        #expect(BundleUser(definingClass: MovedBundle.self).bundle == BundleUser.main)
        #expect(BundleUser.everyBundle.contains(user.bundle))
        #expect(BundleUser.everyBundle.first == BundleUser.main)
    }

    @Test func locationsAreTheOnesOfTheLayout() throws {
        #expect(user.directory.path == fixture.url.path)
        #expect(user.directory.url.path == fixture.url.path)
        let expected = [
            "resources": "Resources", "executable": "Linux/Moved", "private frameworks": "Frameworks",
            "shared frameworks": "SharedFrameworks", "shared support": "SharedSupport", "plug-ins": "PlugIns",
        ]
        for (name, place) in expected {
            let location = try #require(user.locations[name])
            #expect(location.path == fixture.contents(place))
            #expect(location.url?.path == fixture.contents(place))
        }
        #expect(user.locations["receipt"]?.url == nil)
        #expect(user.auxiliaryExecutable("helper").path == fixture.contents("Linux/helper"))
        #expect(user.auxiliaryExecutable("helper").url?.path == fixture.contents("Linux/helper"))
        #expect(user.auxiliaryExecutable("none").path == nil)
    }

    @Test func resourcesAreFoundInEveryForm() {
        #expect(isEach(user.resource("note", "txt"), fixture.resource("note.txt"), count: 6))
        #expect(isEach(user.resource("letter", "txt"), fixture.resource("en.lproj/letter.txt"), count: 6))
        #expect(isEach(user.resource("page", "txt", in: "more"), fixture.resource("more/page.txt"), count: 4))
        #expect(isEach(user.resource("letter", "txt", for: "en"), fixture.resource("en.lproj/letter.txt"), count: 2))
        #expect(isEach(user.resource("letter", "txt", for: "fr"), nil, count: 2))
        #expect(isEach(user.resource("none", "txt"), nil, count: 6))
        #expect(isEach(user.resource(nil, "txt"), fixture.resource("note.txt"), count: 6))
        #expect(isEach(user.resource(nil, nil), nil, count: 6))
        #expect(isEach(user.resource("../Info", "plist"), nil, count: 6))
        let all = ["note.txt", "en.lproj/letter.txt"].map(fixture.resource)
        #expect(isEach(user.resources("txt"), all, count: 4))
        let pages = ["more/page.txt", "en.lproj/more/page2.txt"].map(fixture.resource)
        #expect(isEach(user.resources("txt", in: "more"), pages, count: 4))
        #expect(isEach(user.resources("txt", for: "fr"), [fixture.resource("note.txt")], count: 2))
        #expect(user.names("txt") == ["note.txt", "letter.txt"])
    }

    @Test func resourcesOfADirectoryAreFoundInEveryForm() {
        let path = fixture.url.path
        let letter = fixture.resource("en.lproj/letter.txt")
        #expect(isEach(BundleUser.resource("letter", "txt", ofBundleAt: path), letter, count: 2))
        #expect(isEach(BundleUser.resource("letter", "txt", ofBundleAt: path + "/none"), nil, count: 2))
        #expect(
            isEach(BundleUser.resources("txt", ofBundleAt: path), [fixture.resource("note.txt"), letter], count: 2))
        #expect(isEach(BundleUser.resources("txt", ofBundleAt: path + "/none"), [], count: 2))
    }

    @Test func informationIsLocalisedFirst() {
        #expect(user.identifier == "org.example.moved")
        #expect(user.information?["CFBundleName"] as? String == "Moved")
        #expect(user.localizedInformation as? [String: String] == ["CFBundleName": "Moved here"])
        #expect(user.bundle.object(forInfoDictionaryKey: "CFBundleName") as? String == "Moved here")
        #expect(user.version() == "7")
    }

    @Test func languagesAndTextsAreTheBundles() {
        #expect(user.languages.all == ["en"])
        #expect(user.languages.preferred == ["en"])
        #expect(user.languages.development == "en")
        #expect(BundleUser.preferred(["de", "fr"], for: ["fr-CA"]) == ["fr"])
        #expect(BundleUser.preferred(["de"]) == ["de"])
        #expect(user.text("hello") == "Good day")
        #expect(user.text("hello", table: "Other") == "Hi")
        #expect(user.text("none") == "none")
        #expect(user.text("none", "value") == "value")
        #expect(user.marked("hello") == "Good day")
        #expect(user.marked("hello", table: "Other") == "Hi")
        #expect(BundleUser.marked("no such key") == "no such key")
    }

    @Test func theAliasMovesTheOtherFilesOfItsModule() {
        #expect(OtherFile(bundle: user.bundle).texts == ["Good day", "Hi", "no such key"])
        #expect(ImportingFile(bundle: user.bundle).text == "Good day")
        #expect(OtherFile.loadedClassesKey == "NSLoadedClasses" && ImportingFile.loadedClassesKey == "NSLoadedClasses")
        #expect(OtherFile.isLoad(PluginBundle.didLoadNotification))
    }

    @Test func codeThatIsNoneFailsWithTheReason() throws {
        let errors = user.load()
        #expect(errors.count == 2)
        for error in errors { #expect((error as? PluginError)?.code == .notLoadable) }
        #expect(!user.bundle.isLoaded)
        #expect(!user.takeBack())
        #expect(user.principal == nil)
        #expect(user.type("Moved.Reporter") == nil)
        #expect(user.machines == nil)
    }

    @Test func aBundleIsAnObject() async {
        let identity = user.identity
        #expect(identity.isItself)
        #expect(identity.hash == BundleUser(path: fixture.url.path)?.identity.hash)
        #expect(identity.count == 1)
        for text in identity.texts {
            #expect(text == "PluginBundle “\(fixture.url.path)” (not loaded)")
        }
        #expect(await user.identifierElsewhere() == "org.example.moved")
    }

    @Test func theConstantsHaveApplesValues() {
        #expect(NSLoadedClasses == "NSLoadedClasses")
        #expect(PluginBundle.didLoadNotification.rawValue == "NSBundleDidLoadNotification")
        #expect(NSBundleExecutableArchitectureI386 == 0x7)
        #expect(NSBundleExecutableArchitecturePPC == 0x12)
        #expect(NSBundleExecutableArchitectureX86_64 == 0x100_0007)
        #expect(NSBundleExecutableArchitecturePPC64 == 0x100_0012)
        #expect(NSBundleExecutableArchitectureARM64 == 0x100_000C)
    }
}
