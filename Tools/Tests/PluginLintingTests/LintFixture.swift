import PluginHost

@testable import PluginLinting

/// A bundle in a temporary tree, for the linter.
struct LintFixture {
    let tree: TemporaryTree

    /// Makes a bundle to lint.
    ///
    /// `info`: what Info.plist has besides its identifier, in XML. `resources`: files by their paths in
    /// Contents/Resources.
    init(info: String = Self.english, _ resources: [String: String]) throws {
        tree = try TemporaryTree([
            "X.bundle/Contents/Info.plist": Self.list(
                "<key>CFBundleIdentifier</key>\n<string>org.example.x</string>\n\(info)")
        ])
        try tree.write("X.bundle/Contents/Resources/")
        for (name, content) in resources { try tree.write("X.bundle/Contents/Resources/\(name)", content) }
    }

    static let english = "<key>CFBundleDevelopmentRegion</key>\n<string>en</string>"

    static func list(_ entries: String) -> String { "<plist version=\"1.0\">\n<dict>\n\(entries)\n</dict>\n</plist>\n" }

    var path: String { tree("X.bundle") }

    func report(_ linter: BundleLinter = BundleLinter()) throws -> LintReport {
        linter.lint(try PluginBundle.open(path: path))
    }

    /// The findings, with the place as “file:line:column severity code subject”, files as in the resources.
    func findings(_ linter: BundleLinter = BundleLinter()) throws -> [String] {
        try report(linter).findings.map { finding in
            var file = finding.filePath
            for prefix in [tree("X.bundle/Contents/Resources/"), tree("X.bundle/Contents/"), tree.path + "/"]
            where file.hasPrefix(prefix) {
                file = String(file.dropFirst(prefix.count))
                break
            }
            let place = finding.place.map { ":\($0.line ?? -1):\($0.column ?? -1)" } ?? ""
            return "\(file)\(place) \(finding.severity) \(finding.code) \(finding.subject ?? "-")"
        }
    }
}

/// The findings of a linter for a text as a file of a type: “line:column severity code”.
func findings(_ text: String, _ type: BundleLinter.FileType) -> [String] {
    BundleLinter().lint(Array(text.utf8), as: type, named: "-").findings.map { finding in
        "\(finding.place.map { "\($0.line ?? -1):\($0.column ?? -1)" } ?? "-") \(finding.severity) \(finding.code)"
    }
}
