import Foundation

/// The measured bundles: all alike, with the resources of a plug-in in four languages.
struct Bundles {
    let folder: URL

    /// Resources for everybody.
    static let images = (0..<50).map { "image\($0)" }
    /// Resources in each language.
    static let pages = (0..<20).map { "page\($0)" }
    static let languages = ["Base", "de", "en", "fr", "ja"]
    static let keys = (0..<100).map { "window.main.button.\($0).title" }

    func path(_ index: Int) -> String { folder.appending(path: "Sample\(index).bundle").path }
    func resource(_ name: String, in index: Int = 0) -> String { path(index) + "/Contents/Resources/" + name }

    /// How many bundles to make for measurements that each open several bundles, none of which was open before.
    static func count(_ number: Int) -> Int { 1 + number * OpeningMeasurements.ways }

    func make(_ number: Int) throws {
        let contents = folder.appending(path: "Sample0.bundle/Contents")
        try write(Self.infoList, to: contents.appending(path: "Info.plist"))
        let resources = contents.appending(path: "Resources")
        for image in Self.images { try write("", to: resources.appending(path: image + ".png")) }
        for language in Self.languages {
            let folder = resources.appending(path: language + ".lproj")
            for page in Self.pages { try write("", to: folder.appending(path: page + ".html")) }
            let strings = Self.keys.map { "\"\($0)\" = \"\(language): \($0.uppercased())\";\n" }.joined()
            try write(strings, to: folder.appending(path: "Localizable.strings"))
        }
        for index in 1..<Self.count(number) {
            try FileManager.default.copyItem(atPath: path(0), toPath: path(index))
        }
    }

    private func write(_ text: String, to file: URL) throws {
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try text.write(to: file, atomically: false, encoding: .utf8)
    }

    /// About 1.5 kB, with the keys of an ordinary bundle.
    private static var infoList: String {
        let strings = [
            ("CFBundleIdentifier", "org.example.sample"), ("CFBundleName", "Sample"),
            ("CFBundleDisplayName", "A Sample Among Others"), ("CFBundleVersion", "1.2.3"),
            ("CFBundleShortVersionString", "1.2"), ("CFBundlePackageType", "BNDL"), ("CFBundleSignature", "????"),
            ("CFBundleInfoDictionaryVersion", "6.0"), ("CFBundleDevelopmentRegion", "en"), ("NSExecutable", "Sample"),
            ("CFBundleIconFile", "icon.png"), ("NSHumanReadableCopyright", "Copyright © the authors."),
            ("SampleCategory", "filter"), ("SampleMinimumHostVersion", "2.0"),
            ("SampleDescription", "A bundle that exists to be opened &amp; never to be used"),
        ]
        let body = strings.map { "\t<key>\($0.0)</key>\n\t<string>\($0.1)</string>\n" }.joined()
        let types = ["txt", "md", "html", "rtf", "csv", "tsv"].map { "\t\t<string>\($0)</string>\n" }.joined()
        return """
            <?xml version="1.0" encoding="UTF-8"?>
            <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
            <plist version="1.0">
            <dict>
            \(body)\t<key>SampleTypes</key>
            \t<array>
            \(types)\t</array>
            \t<key>SampleIsFast</key>
            \t<true/>
            </dict>
            </plist>

            """
    }
}
