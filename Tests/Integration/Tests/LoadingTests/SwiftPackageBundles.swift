import Fixtures
import Foundation
import PluginHost
import Testing

/// The bundles that the package manager makes of a target's resources, `Bundle.module`.
///
/// The package manager of this toolchain builds them here, in debug and in release, and they are compared with
/// Foundation's results.
@Suite struct SwiftPackageBundles {
    private static let files = [
        "Package.swift": """
        // swift-tools-version: 6.0
        import PackageDescription
        let package = Package(
            name: "P", defaultLocalization: "en",
            targets: [
                .target(name: "T", resources: [.process("Processed"), .copy("Resources"), .copy("Data")]),
                .target(name: "U", resources: [.process("Processed")]),
                .target(name: "V", resources: [.copy("Resources")]),
            ])
        """,
        "T/T.swift": "", "U/U.swift": "", "V/V.swift": "",
        "T/Processed/plain.txt": "", "T/Processed/sub/inner.txt": "",
        "T/Processed/en.lproj/Localizable.strings": "\"hello\" = \"Hello\";",
        "T/Processed/fr.lproj/Localizable.strings": "\"hello\" = \"Bonjour\";",
        "T/Resources/in.txt": "", "T/Resources/deep/far.txt": "", "T/Data/x.dat": "",
        "U/Processed/plain.txt": "", "U/Processed/en.lproj/Localizable.strings": "\"hello\" = \"Hello\";",
        "V/Resources/in.txt": "",
    ]

    /// Where the package manager puts the products.
    private func build(_ configuration: String) throws -> URL {
        let package = Workspace.temporary.appending(path: "package-\(configuration)")
        for (name, content) in Self.files {
            let file = package.appending(path: name.hasSuffix("Package.swift") ? name : "Sources/" + name)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try content.write(to: file, atomically: false, encoding: .utf8)
        }
        try Tool.run(
            try Tool.find("swift"), ["build", "--package-path", package.path, "-c", configuration, "-j", "1"])
        return package.appending(path: ".build/\(configuration)").resolvingSymlinksInPath()
    }

    private static let questions: [(name: String, type: String?, directory: String?)] = [
        ("plain", "txt", nil), ("inner", "txt", nil), ("in", "txt", nil), ("in", "txt", "Resources"),
        ("Resources/in", "txt", nil), ("far", "txt", "deep"), ("far", "txt", "Resources/deep"), ("x", "dat", "Data"),
        ("x", "dat", nil), ("Localizable", "strings", nil), ("Info", "plist", nil), ("none", "txt", nil),
    ]

    @Test(arguments: ["debug", "release"]) func resourcesOfATargetAreFoundAsFoundationFindsThem(configuration: String)
        throws
    {
        let products = try build(configuration)
        for (target, atLeast) in [("T", 8), ("U", 3), ("V", 3)] {
            let path = products.appending(path: "P_\(target).resources").path
            let ours = try PluginBundle.open(path: path)
            let foundations = Foundation.Bundle(path: path)  // the macro takes no name of a module
            let theirs = try #require(foundations)
            var found = 0
            for (name, type, directory) in Self.questions {
                let answer = ours.path(forResource: name, ofType: type, inDirectory: directory)
                // Foundation uses any language.
                if name == "Localizable" {
                    #expect(answer == nil || answer?.hasSuffix(".lproj/Localizable.strings") == true)
                    continue
                }
                let expected = theirs.path(forResource: name, ofType: type, inDirectory: directory)
                #expect(answer == expected, "\(configuration) \(target): \(directory ?? "")/\(name).\(type ?? "")")
                found += answer == nil ? 0 : 1
            }
            #expect(found >= atLeast - 1)
            #expect(ours.resourcePath == theirs.resourcePath?.trimmingSuffix("/"))
            #expect(ours.isLoaded == false && ours.executablePath == nil)
        }
        let bundle = try PluginBundle.open(path: products.appending(path: "P_T.resources").path)
        #expect(bundle.localizations == ["en", "fr"])
        #expect(["Hello", "Bonjour"].contains(bundle.localizedString(forKey: "hello", value: nil, table: nil)))
    }
}

extension String {
    fileprivate func trimmingSuffix(_ suffix: String) -> String {
        hasSuffix(suffix) ? String(dropLast(suffix.count)) : self
    }
}
