import Glibc
import PropertyLists
import TestSupport
import Testing

@testable import BundleReading
@testable import HostBasics

@Suite struct ProgramDefaultsTests {
    private func value(_ arguments: String...) -> PropertyList? {
        ProgramDefaults.argument("AppleLanguages", in: ["program"] + arguments)
    }

    @Test func anArgumentIsATextOrAPropertyList() {
        #expect(value("-AppleLanguages", "de") == .string("de"))
        #expect(value("-AppleLanguages", "(de, fr)") == .array([.string("de"), .string("fr")]))
        #expect(value("-AppleLanguages", "(de, fr") == .string("(de, fr"))
        #expect(value("-v", "-AppleLanguages", "de", "-AppleLanguages", "fr") == .string("fr"))
        for arguments in [
            ["-AppleLanguages"], ["-AppleLanguages", "-v"], ["AppleLanguages", "de"], ["-AppleLanguages", ""],
        ] {
            #expect(ProgramDefaults.argument("AppleLanguages", in: ["program"] + arguments) == nil)
        }
    }

    @Test func defaultsExistOnlyWithAFileOfDefaults() throws {
        let tree = try TemporaryTree([
            "none/.config/app/settings.conf": "", "home/.config/.GlobalPreferences.plist": "",
            "host/.config/ByHost/app.plist": "", "config/app.plist": "",
        ])
        func exist(_ environment: [String: String]) -> Bool { ProgramDefaults.mayExist { environment[$0] } }
        // This machine has none for all users either.
        #expect(!exist([:]) && !exist(["HOME": tree("none")]) && !exist(["HOME": tree("missing")]))
        #expect(exist(["HOME": tree("home")]) && exist(["HOME": tree("host")]))
        #expect(exist(["HOME": tree("none"), "XDG_CONFIG_HOME": tree("config")]))
        #expect(!exist(["HOME": tree("home"), "XDG_CONFIG_HOME": tree("none")]))
        #expect(exist(["HOME": tree("none"), "CFFIXED_USER_HOME": tree("home")]))
    }

    @Test func withoutAFileTheEnvironmentDecides() async throws {
        await #expect(processExitsWith: .success) {
            let tree = try TemporaryTree()
            setenv("XDG_CONFIG_HOME", tree.path, 1)
            setenv("LANGUAGE", "fr", 1)
            precondition(LanguagePreferences.current() == ["fr"])
            precondition(!ProgramDefaults.isOn("NSShowNonLocalizedStrings"))
        }
    }
}
