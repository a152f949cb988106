import PluginHost
import PluginTesting
import PropertyLists
import Synchronization
import Testing

/// Each assertion passes where it may, and fails where it must, with a message that names the cause.
@Suite(.testHost) struct ExpectationTests {
    /// Expects as many failures as there are texts; each contains its text.
    private func expectFailures(_ texts: String..., from body: () throws -> Void) rethrows {
        let missing = Mutex(texts)
        try withKnownIssue {
            try body()
        } matching: { issue in
            let message = issue.comments.map(\.rawValue).joined()
            return missing.withLock { missing in
                guard let index = missing.firstIndex(where: { message.contains($0) }) else { return false }
                missing.remove(at: index)
                return true
            }
        }
        let left = missing.withLock { $0 }
        #expect(left.isEmpty, "no failure contains these")
    }

    private func greeter(_ name: String, _ info: [String: PropertyList]) throws -> PluginBundle {
        let uses: PropertyList = ["org.example.audience": 1]
        let bundle = try TemporaryBundle(
            name, info: info.merging(["PHUses": uses]) { $1 }, executable: builtLibrary(named: "Greeter"))
        return try bundle.open()
    }

    private let declared: PropertyList = ["name": "greeter", "extensionPoint": "org.example.greeting", "version": 1]

    @Test func equalDeclarationsAndRegistrationsPass() throws {
        expectDeclaredRegistrations(of: try Greeting.bundle())
    }

    @Test func anUndeclaredProviderFails() throws {
        let bundle = try greeter("Undeclared", ["PHFactories": [["name": "Greeter"]]])
        expectFailures("registered “greeter” for version 1 of the extension point “org.example.greeting”") {
            expectDeclaredRegistrations(of: bundle)
        }
    }

    @Test func aProviderWithoutPHFactoriesFails() throws {
        let bundle = try greeter("Silent", [:])
        expectFailures("“greeter” at the extension point “org.example.greeting”, and Info.plist has no PHFactories") {
            expectDeclaredRegistrations(of: bundle)
        }
    }

    @Test func eachDeclarationWithoutRegistrationFails() throws {
        let functions: PropertyList = ["length": "(string) -> uint64"]
        let bundle = try greeter(
            "Promising", ["PHFactories": [declared, ["name": "Nobody"]], "PHFunctions": functions])
        expectFailures("PHFactories declares “Nobody”", "PHFunctions declares “length”") {
            expectDeclaredRegistrations(of: bundle)
        }
    }

    @Test func aBundleThatDoesNotLoadFailsWithItsError() throws {
        let bundle = try TemporaryBundle("Text", info: ["NSExecutable": "Text"], resources: [:])
        expectFailures("executable") { expectDeclaredRegistrations(of: try! bundle.open()) }
    }

    @Test func anErrorWithTheCodeAndTheWordsPasses() throws {
        let error = expectPluginError(.bundleNotFound, saying: "/nonexistent.bundle") {
            try PluginBundle.open(path: "/nonexistent.bundle")
        }
        #expect(error?.bundlePath == "/nonexistent.bundle")
    }

    @Test func anotherErrorOrNoneFails() throws {
        let open = { try PluginBundle.open(path: "/nonexistent.bundle") }
        expectFailures("has the code “bundleNotFound” and not “notLoadable”. Its message is: The bundle") {
            expectPluginError(.notLoadable, when: open)
        }
        expectFailures("does not contain “colour”. It is: The bundle “/nonexistent.bundle”") {
            expectPluginError(.bundleNotFound, saying: "colour", when: open)
        }
        expectFailures("There was no error; “notLoadable” was expected.") { expectPluginError(.notLoadable) {} }
        expectFailures("none of PluginHost with the code “notLoadable”, but: CancellationError()") {
            #expect(expectPluginError(.notLoadable) { throw CancellationError() } == nil)
        }
    }

    @Test func completeTranslationsPass() throws {
        expectCompleteLocalizations(of: try Greeting.bundle(), in: "en", "de")
    }

    @Test func eachGapOfATranslationFails() throws {
        let english = ["One": "One", "Two": "Two", "Four": "Four", "%d words": "%d words"]
        let bundle = try TemporaryBundle(
            "Gaps", info: ["CFBundleDevelopmentRegion": "en"],
            strings: [
                "en": ["Localizable": english, "Providers": ["Filter": "Filter"]],
                "de": ["Localizable": ["One": "Eins", "%d words": "%@ Wörter", "Three": "Drei", "Four": ""]],
            ])
        let open = try bundle.open()
        expectFailures(
            "“de” has no text for “Two”", "“en” has no text for “Three”", "(%@)", "“de” has no text for “Filter”",
            "“de” has no text for “Four”"
        ) { expectCompleteLocalizations(of: open) }
        expectFailures("no localisation “fr”", "“Two”", "“Three”", "(%@)", "“Filter”", "“Four”") {
            expectCompleteLocalizations(of: open, in: "en", "fr")
        }
    }

    @Test func aBundleWithoutTranslationsAndADamagedTableFail() throws {
        let bare = try TemporaryBundle("Bare").open()
        expectFailures("has no localisation") { expectCompleteLocalizations(of: bare) }
        let damaged = try TemporaryBundle(
            "Damaged", resources: ["en.lproj/Localizable.strings": "\"One\" = \"One\"\n\"Two\" = \"Two\";"])
        expectFailures("Localizable.strings:") { expectCompleteLocalizations(of: try! damaged.open()) }
    }

    @Test func releasedObjectsPassAndALivingOneFails() throws {
        let bundle = try Greeting.bundle()
        try expectObjectsReleased(of: bundle) { _ = try Greeting.made(bundle) }
        var kept: (any CustomStringConvertible)?
        try expectFailures("1 of the provider “greeter” at “org.example.greeting” still live, and 0 lived before") {
            try expectObjectsReleased(of: bundle) { kept = try Greeting.made(bundle) }
        }
        // It lived before, and so is not reported again.
        try expectObjectsReleased(of: bundle) { _ = try Greeting.made(bundle) }
        withExtendedLifetime(kept) {}
    }

    @Test func anObjectThatRefersToItselfFails() throws {
        let bundle = try greeter("Selfish", ["PHFactories": [declared]])
        try expectFailures("1 of the provider “greeter”") {
            try expectObjectsReleased(of: bundle) { _ = try Greeting.made(bundle, for: "myself") }
        }
    }
}
