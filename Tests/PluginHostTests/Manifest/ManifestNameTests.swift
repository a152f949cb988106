import BundleReading
import PropertyLists
import Testing

@_spi(Tools) @testable import PluginHost

/// What identifiers, names and versions may be (faults 795 to 799).
@Suite struct ManifestNameTests {
    /// The manifest of a list with one key, read by both readers.
    private func manifest(_ key: String, _ value: String) throws -> Manifest {
        let list: PropertyList = .dictionary([key: .string(value)])
        let bytes = Array(try PropertyListWriter.xml(list).utf8)
        let text = ListText(capacity: bytes.count)
        for (index, byte) in bytes.enumerated() { text.bytes[index] = byte }
        // The fast reader leaves rare characters to the general one.
        let recognized =
            Manifest(recognizing: text, path: "/x/Info.plist")
            ?? Manifest(dictionary: [key: .string(value)], path: "/x/Info.plist")
        let general = Manifest(dictionary: [key: .string(value)], path: "/x/Info.plist")
        #expect(recognized.findings == general.findings && recognized.ignoredKeys == general.ignoredKeys)
        #expect(recognized.identifier == general.identifier && recognized.version == general.version)
        #expect(recognized.keysWithBlanks == general.keysWithBlanks)
        return recognized
    }

    @Test func theAdviceOnAnUnknownKeyNamesTheKeyThatWasMeant() throws {
        func remedy(_ key: String) throws -> String? {
            PluginBundle.advice(on: try manifest(key, "x"), path: "/x/Info.plist").first { $0.subject == key }?.remedy
        }
        #expect(try remedy("PHFactory")?.hasPrefix("Did you mean PHFactories?") ?? false)
        #expect(try remedy("PHsomethingElse")?.hasPrefix("Check its spelling.") ?? false)
        #expect(try remedy("NSExecutible")?.hasPrefix("Did you mean NSExecutable?") ?? false)
        #expect(try remedy("CFBundlelocalizations")?.hasPrefix("Did you mean CFBundleLocalizations?") ?? false)
        let entry: PropertyList = .dictionary([
            "name": .string("a"), "extensionPiont": .string("b"), "note": .string(""),
        ])
        let list = Manifest(dictionary: ["PHFactories": .array([entry])], path: "/x/Info.plist")
        let advice = PluginBundle.advice(on: list, path: "/x/Info.plist").filter { $0.code == .manifestInvalid }
        #expect(advice.map(\.remedy) == ["Did you mean extensionPoint?"])
        // Keys of other programs are no mistakes.
        for key in ["NSExtension", "NSMainStoryboardFile", "LSMinimumSystemVersion", "NSTypes", "CFBundleIcons"] {
            #expect(try remedy(key) == nil)
        }
    }

    /// A list may have tens of thousands of them.
    @Test(arguments: ["PHSomething", "NSExecutab"])
    func keysOfOneKindAreListedUpToALimitAndTheRestIsCounted(_ beginning: String) {
        let letters = "abcdfghijkmnopqr"
        let keys = letters.flatMap { first in letters.map { "\(beginning)\(first)\($0)" } }
        let list = Dictionary(uniqueKeysWithValues: keys.map { ($0, PropertyList.string("x")) })
        let advice = PluginBundle.advice(on: Manifest(dictionary: list, path: "/x/Info.plist"), path: "/x/Info.plist")
        #expect(advice.count == 101 && advice.allSatisfy { $0.severity == .warning }, "\(advice.count)")
        #expect(advice.last?.message == "156 more problems of this kind were found, which are not listed.")
    }

    @Test(
        "an identifier that cannot be used", .fault(795),
        arguments: [
            ("$(PRODUCT_BUNDLE_IDENTIFIER)", "“$(PRODUCT_BUNDLE_IDENTIFIER)”"),
            ("org.example.${PRODUCT_NAME:rfc}", "did not expand"),
            ("org.example.@NAME@", "“@NAME@”"), ("$(", "did not expand"), ("org example", "a blank"),
            (" org.example.a", "a blank"),
            ("org.example.a ", "a blank"), ("org.example.a\n", "a blank"), ("org.example\u{A0}a", "a blank"),
            ("org.example.\u{200B}a", "a blank"), ("\u{FEFF}org.example.a", "a blank"), ("\t", "a blank"),
            ("a\u{7F}b", "a control character"),
            ("a\u{85}b", "a blank"), ("a\u{9B}b", "a control character"), ("org/example", "a slash"),
            ("../../x", "a slash"),
            (".", "an empty part"), ("..", "an empty part"), (".a", "an empty part"), ("a.", "an empty part"),
            ("a..b", "an empty part"),
            (String(repeating: "a", count: 256), "256 bytes"), (String(repeating: "é", count: 128), "256 bytes"),
        ])
    func anIdentifierThatCannotBeUsedIsAnError(_ identifier: String, _ cause: String) throws {
        let manifest = try manifest("CFBundleIdentifier", identifier)
        #expect(manifest.identifier == identifier)
        let finding = try #require(manifest.errors.first)
        #expect(
            manifest.findings.count == 1 && finding.code == .manifestInvalid && finding.subject == "CFBundleIdentifier")
        #expect(finding.message.contains(cause), "\(finding.message)")
        #expect(finding.remedy.contains("org.example.Name"))
        #expect(finding.message.utf8.count < 600)
    }

    @Test(arguments: [
        "org.example.a", "a", "A-1.b", "org.example.a_b", "org.example.a+b", "org.example.é", "a@b", "user@host.org",
        "$a", "a$b",
        String(repeating: "a", count: 255), "@", "@@", "@1@", "a@b.c@d",
    ])
    func otherIdentifiersAreUsed(_ identifier: String) throws {
        let manifest = try manifest("CFBundleIdentifier", identifier)
        #expect(manifest.identifier == identifier && manifest.findings.isEmpty)
    }

    @Test("an empty identifier, and names that were not expanded, are absent", .fault(796))
    func ignoredNamesAreWarnings() throws {
        for (key, value) in [
            ("CFBundleIdentifier", ""), ("CFBundleName", "$(PRODUCT_NAME)"), ("CFBundleDisplayName", "My ${NAME}"),
            ("CFBundleName", "@PROJECT_NAME@"), ("CFBundleDisplayName", "$("),
        ] {
            let manifest = try manifest(key, value)
            #expect(manifest.identifier == nil && manifest.name == nil && manifest.displayName == nil)
            #expect(manifest.findings.map(\.severity) == [.warning] && manifest.errors.isEmpty)
            #expect(manifest.ignoredKeys == [key])
        }
        for name in ["Price in $", "a@b.org", "100 % {x}", "$x", ""] {
            #expect(try manifest("CFBundleName", name).findings.isEmpty)
        }
    }

    @Test(
        "a version without a number counts as 0", .fault(797),
        arguments: [
            ("$(MARKETING_VERSION)", true), ("${V}", true), ("@VERSION@", true), ("", true), ("v1.2", true),
            (" 1.0", true),
            ("beta", true), ("-1", true), ("99999999999999999999", true), ("1", false), ("1.2.3-beta+5", false),
            ("1.0 (4)", false),
            ("1.2 beta", false),
        ])
    func aVersionWithoutANumberIsAWarning(_ version: String, _ isIgnored: Bool) throws {
        for key in ["CFBundleVersion", "CFBundleShortVersionString"] {
            let manifest = try manifest(key, version)
            #expect(manifest.findings.map(\.severity) == (isIgnored ? [.warning] : []))
            #expect(manifest.ignoredKeys == (isIgnored ? [key] : []))
            let read = PluginVersion(short: manifest.shortVersion, build: manifest.version)
            #expect((read == PluginVersion(reading: nil)) == isIgnored)
            // What a build did not expand is never shown.
            #expect((manifest.version ?? manifest.shortVersion ?? "").unexpandedVariable == nil)
        }
    }

    @Test(
        "a key with a blank around its name is unknown", .fault(798),
        arguments: [
            "CFBundleIdentifier ", " PHFactories", "PHRequires\n", "NSExecutable-linux ", "\u{FEFF}CFBundleName",
            "PHUses\u{200B}",
        ])
    func aKeyWithABlankIsAdvice(_ key: String) throws {
        let manifest = Manifest(dictionary: [key: .string("org.example.a")], path: "/x/Info.plist")
        #expect(manifest.findings.isEmpty && manifest.identifier == nil && manifest.keysWithBlanks == [key])
        let advice = PluginBundle.advice(on: manifest, path: "/x/Info.plist")
        #expect(advice.map(\.severity) == [.warning] && advice.map(\.subject) == [key])
        #expect(advice.first?.message.contains("a blank around its name") == true)
    }

    @Test(
        "a variable that was not expanded, in another key that names something", .fault(881),
        arguments: [
            ("CFBundleExecutable", .string("$(EXECUTABLE_NAME)")), ("NSExecutable", .string("@NAME@")),
            ("CFBundleDevelopmentRegion", .string("$(DEVELOPMENT_LANGUAGE)")),
            ("CFBundleLocalizations", .array([.string("de"), .string("${L}")])),
            ("NSPrincipalClass", .string("$(PRODUCT_MODULE_NAME).Main")), ("NSMainNibFile", .string("${NIB}")),
            ("PHRequires", .dictionary(["org.$(X)": .string("1")])), ("PHUses", .dictionary(["@POINT@": .string("1")])),
        ] as [(String, PropertyList)])
    func anUnexpandedNameIsAdvice(_ key: String, _ value: PropertyList) {
        let manifest = Manifest(dictionary: [key: value], path: "/x/Info.plist")
        let advice = PluginBundle.advice(on: manifest, path: "/x/Info.plist").filter { $0.message.contains("expand") }
        #expect(advice.map(\.subject) == [key] && advice.first?.severity == .warning)
        // A good name beside it counts.
        let both = Manifest(
            dictionary: ["CFBundleExecutable": .string("$(EXECUTABLE_NAME)"), "NSExecutable": .string("A")], path: nil)
        #expect(both.executable == "A" && PluginBundle.advice(on: both, path: "").isEmpty)
    }

    @Test func aBundleThatRequiresItselfIsAdvice() {
        func advice(_ required: String) -> [PluginFinding] {
            let list: [String: PropertyList] = [
                "CFBundleIdentifier": .string("org.a"), "PHRequires": .dictionary([required: .string("1.0")]),
            ]
            return PluginBundle.advice(on: Manifest(dictionary: list, path: nil), path: "/x/Info.plist")
        }
        #expect(advice("org.a").map(\.subject) == ["PHRequires"] && advice("org.b").isEmpty)
        #expect(advice("org.a").first?.remedy == "Remove “org.a” from PHRequires.")
    }

    @Test func otherKeysWithBlanksAreTheAuthorsOwn() {
        let manifest = Manifest(
            dictionary: ["My Key ": .boolean(true), " ": .boolean(true), "": .boolean(true)], path: nil)
        #expect(manifest.keysWithBlanks.isEmpty && PluginBundle.advice(on: manifest, path: "").isEmpty)
    }

    @Test(
        "characters that Apple does not allow", .fault(799),
        arguments: [
            ("org.example.a_b", "identifierUnderscore"), ("org.example.a+b", "identifierUnusual"),
            ("org.exämple", "identifierUnusual"),
            ("a_b+c", "identifierUnusual"), ("a@b", "identifierUnusual"),
        ])
    func anUnusualCharacterIsAdvice(_ identifier: String, _ code: String) throws {
        let advice = PluginBundle.advice(on: try manifest("CFBundleIdentifier", identifier), path: "/x/Info.plist")
        #expect(advice.map(\.code.rawValue) == [code] && advice.first?.severity == .warning)
        #expect(advice.first?.remedy == "Use letters, digits, hyphens and dots only.")
    }

    @Test func blanksAroundNamesAndEmptyNamesAreAdvice() throws {
        for (key, value) in [
            ("CFBundleName", " A"), ("CFBundleDisplayName", "A\n"), ("CFBundleName", ""), ("CFBundleName", "A\nB"),
            ("CFBundleShortVersionString", "1.0 "),
        ] {
            let advice = PluginBundle.advice(on: try manifest(key, value), path: "/x/Info.plist")
            #expect(advice.map(\.subject) == [key] && advice.first?.severity == .warning, "\(key) \(value)")
        }
        #expect(PluginBundle.advice(on: try manifest("CFBundleName", "My Plug-in"), path: "").isEmpty)
    }

    @Test func aVariableThatIsNeverClosedIsSearchedOnce() {
        #expect(String(repeating: "$(", count: 500_000).unexpandedVariable?.utf8.count == 1_000_000)
        #expect(String(repeating: "@a", count: 500_000).unexpandedVariable == "@a@")
        #expect(("@" + String(repeating: "a", count: 1_000_000)).unexpandedVariable == nil)
    }
}
