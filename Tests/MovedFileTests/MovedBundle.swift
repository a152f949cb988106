import Foundation

/// The bundle for both compilations of BundleUser, in a temporary directory.
final class MovedBundle {
    let url: URL

    init() throws {
        url = URL(fileURLWithPath: FileManager.default.temporaryDirectory.resolvingSymlinksInPath().path)
            .appendingPathComponent("moved-\(UUID().uuidString)").appendingPathComponent("Moved.bundle")
        for (name, content) in Self.files {
            let file = url.appendingPathComponent("Contents/" + name)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try content.write(to: file, atomically: false, encoding: .utf8)
        }
    }

    deinit { try? FileManager.default.removeItem(at: url.deletingLastPathComponent()) }

    func resource(_ name: String) -> String { contents("Resources/" + name) }
    func contents(_ name: String) -> String { url.path + "/Contents/" + name }

    private static let files = [
        "Info.plist": """
        <?xml version="1.0" encoding="UTF-8"?>
        <plist version="1.0"><dict>
        <key>CFBundleIdentifier</key><string>org.example.moved</string>
        <key>CFBundleName</key><string>Moved</string>
        <key>CFBundleVersion</key><string>7</string>
        <key>CFBundleDevelopmentRegion</key><string>en</string>
        <key>CFBundleExecutable</key><string>Moved</string>
        </dict></plist>
        """,
        "Linux/Moved": "no ELF file",
        "Linux/helper": "no ELF file either",
        "Frameworks/x": "", "SharedFrameworks/x": "", "SharedSupport/x": "", "PlugIns/x": "",
        "Resources/note.txt": "", "Resources/more/page.txt": "",
        "Resources/en.lproj/letter.txt": "", "Resources/en.lproj/more/page2.txt": "",
        "Resources/en.lproj/Localizable.strings": "\"hello\" = \"Good day\";",
        "Resources/en.lproj/Other.strings": "\"hello\" = \"Hi\";",
        "Resources/en.lproj/InfoPlist.strings": "\"CFBundleName\" = \"Moved here\";",
    ]
}
