@_spi(PluginHost) import PluginABI
import Testing

@testable import PluginHost

/// In which language the texts of a nib are.
///
/// Numbers in titles are those of the project's list of faults.
@Suite struct NibLocalizationTests {
    private static let nib = NibWorld.document(
        """
        <view id="17" title="Title" toolTip="Tip">
            <string key="note">Note</string>
            <textField key="headerCell" title="Head"/>
            <userDefinedRuntimeAttributes>
                <userDefinedRuntimeAttribute type="number" keyPath="tag"><integer key="value" value="1"/></userDefinedRuntimeAttribute>
                <userDefinedRuntimeAttribute type="string" keyPath="weight" value="light"/>
                <userDefinedRuntimeAttribute type="string" keyPath="headerCell.note" value="First"/>
            </userDefinedRuntimeAttributes>
        </view>
        <view id="18" title="Kept"/>
        """)

    private static let table = """
        "17.title" = "Titel"; "17.ibShadowedToolTip" = "Hinweis"; "17.note" = "Notiz"; "17.headerCell.title" = "Kopf";
        "17.ibExternalUserDefinedRuntimeAttributesLocalizableStrings[1]" = "Erster";
        """

    /// Seed 65: a nib of Base, or for all languages, is translated by the table of its name.
    @Test(arguments: ["Base.lproj/", ""])
    func baseNibsAreTranslated(folder: String) async {
        await #expect(processExitsWith: .success) { [folder = folder as String] in
            HostEnvironment.current.preferredLanguages = ["de"]
            let world = try NibWorld([
                folder + "A.xib": NibLocalizationTests.nib, "de.lproj/A.strings": NibLocalizationTests.table,
                "en.lproj/Other.strings": "",
            ])
            let nib = try world.named("A")
            var made = try nib.instantiate()
            let block = made.object("17", as: Block.self)!
            #expect(block.title == "Titel" && block.toolTip == "Hinweis" && block.note == "Notiz")
            #expect(block.header?.title == "Kopf" && block.header?.note == "Erster" && block.weight == .light)
            #expect(made.object("18", as: Block.self)?.title == "Kept")
            // Another language: the next instantiation has its texts.
            HostEnvironment.current.preferredLanguages = ["fr"]
            made = try nib.instantiate()
            #expect(made.object("17", as: Block.self)?.title == "Title")
        }
    }

    /// A table of plural forms may have a nib's texts, and goes before the strings of the same name.
    @Test func textsWithPluralFormsAreTranslatedToo() async {
        await #expect(processExitsWith: .success) {
            HostEnvironment.current.preferredLanguages = ["de"]
            let world = try NibWorld([
                "Base.lproj/A.xib": NibLocalizationTests.nib,
                "de.lproj/A.stringsdict": "{ \"17.title\" = { NSStringLocalizedFormatKey = \"Titel\"; }; }",
            ])
            let made = try world.named("A").instantiate()
            #expect(made.object("17", as: Block.self)?.title == "Titel")
            #expect(made.object("18", as: Block.self)?.title == "Kept")
        }
    }

    @Test("a nib of one language is used as it is, whatever the table has", .fault(253))
    func languageNibsAreComplete() async {
        await #expect(processExitsWith: .success) {
            HostEnvironment.current.preferredLanguages = ["de"]
            let world = try NibWorld([
                "de.lproj/A.xib": NibLocalizationTests.nib, "de.lproj/A.strings": NibLocalizationTests.table,
            ])
            #expect(try world.named("A").instantiate().object("17", as: Block.self)?.title == "Title")
        }
    }

    @Test("a malformed table is located in the log, and its other texts are used", .fault(250))
    func malformedTableTranslatesTheRest() async {
        await #expect(processExitsWith: .success) {
            nonisolated(unsafe) var logged: [String] = []
            HostEnvironment.current.log = { logged.append($0.message) }
            HostEnvironment.current.preferredLanguages = ["de"]
            let world = try NibWorld([
                "Base.lproj/A.xib": NibLocalizationTests.nib,
                "de.lproj/A.strings": "\"17.title\" = \"Titel\";\n\"17.note\" = = ;\n\"18.title\" = \"Anderer\";",
            ])
            let made = try world.named("A").instantiate()
            #expect(made.object("17", as: Block.self)?.title == "Titel")
            #expect(made.object("17", as: Block.self)?.note == "Note")
            #expect(made.object("18", as: Block.self)?.title == "Anderer")
            #expect(logged.contains { $0.contains("A.strings") && $0.contains("2") }, "\(logged)")
        }
    }
}
