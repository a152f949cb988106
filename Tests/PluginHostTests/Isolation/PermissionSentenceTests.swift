import BundleReading
import Testing

@_spi(Tools) @testable import PluginHost
@_spi(Tools) @testable import PluginWorkers

/// What an application shows the user of a plug-in's permissions.
@Suite struct PermissionSentenceTests {
    private static let all = """
        files=$DOCUMENTS/Scores:write,files=$HOME,files=/srv/fonts,files=$STATE:write,files=$HOST/brushes/oil,\
        network=connect:443,network=connect:80,network=listen:8080,processes,devices=/dev/snd/seq,environment=EDITOR
        """

    @Test func eachKindHasItsSentence() throws {
        let sentences = try PluginPermissions(parsing: Self.all).sentences(in: ["en"])
        #expect(
            sentences.map { "\($0.permission) \($0.text)" } == [
                "files Read these files and directories: Home directory, /srv/fonts, "
                    + "A directory of the application (brushes) › oil.",
                "files Read, change and remove these files and directories: Documents › Scores, Its own data.",
                "network Connect to the network on these ports: 80, 443.",
                "network Accept connections from the network on these ports: 8080.",
                "processes Start the programs of this computer, and its own.",
                "devices Use these devices: /dev/snd/seq.",
                "environment Read these environment variables: EDITOR.",
            ])
        #expect(PluginPermissions().sentences().isEmpty)
    }

    @Test(arguments: [
        ("de-AT", "Alle Verbindungen ins Netz aufbauen und annehmen."),
        ("fr", "Établir et accepter toutes les connexions au réseau."), ("ja", "ネットワークへのすべての接続を行い、受け付ける。"),
        ("en-GB", "Make and accept all connections to the network."),
        ("tlh", "Make and accept all connections to the network."),
    ])
    func theSentencesAreInTheUsersLanguage(_ language: String, _ sentence: String) throws {
        #expect(try PluginPermissions(parsing: "network=any").sentences(in: [language]).map(\.text) == [sentence])
        // Every language has every sentence.
        let texts = try PluginPermissions(parsing: Self.all).sentences(in: [language]).map(\.text)
        #expect(texts.count == 7 && Set(texts).count == 7 && texts.allSatisfy { $0.count > 8 })
    }

    /// A path of a bundle cannot forge a line of the question.
    @Test func whatControlsADisplayIsEscaped() {
        var permissions = PluginPermissions()
        permissions.files = [.init("/srv/a\u{202E}b\u{2028}c", .read)]
        permissions.devices = ["/dev/x\u{1B}[31m"]
        permissions.environment = ["E\n.Nothing else."]
        for sentence in permissions.sentences(in: ["en"]) {
            #expect(
                !sentence.text.unicodeScalars.contains { $0.value < 0x20 || [0x202E, 0x2028].contains($0.value) },
                "\(sentence)")
        }
    }
}
