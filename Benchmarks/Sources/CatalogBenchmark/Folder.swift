import Foundation

/// The folder of bundles for a catalogue.
struct Folder {
    let url: URL

    /// The folder that the process was started with.
    static var ofParent: Folder {
        Folder(url: URL(filePath: ProcessInfo.processInfo.environment["BENCHMARK_BUNDLES"] ?? "."))
    }

    var bundles: String { url.appending(path: "bundles").path }
    /// A few of the same bundles, for the work that a process needs once.
    var few: String { url.appending(path: "few").path }
    /// One plug-in that makes objects.
    var making: String { url.appending(path: "making-\(getpid())").path }
    var index: String { url.appending(path: "index").path }
    /// One index for each folder, so that none replaces another.
    func index(of folder: String) -> String { index + "/" + (folder as NSString).lastPathComponent }

    func make(_ count: Int) throws {
        for (folder, count) in [(bundles, count), (few, 20)] {
            for number in 0..<count {
                let contents = "\(folder)/Sample\(number).bundle/Contents"
                try FileManager.default.createDirectory(atPath: contents, withIntermediateDirectories: true)
                try Self.infoList(number).write(toFile: contents + "/Info.plist", atomically: false, encoding: .utf8)
            }
        }
    }

    /// About 1.6 kB, with the keys of an ordinary plug-in and two factories, each with a different name.
    private static func infoList(_ number: Int) -> String {
        let strings = [
            ("CFBundleDevelopmentRegion", "en"), ("CFBundleDisplayName", "Sample plug-in number \(number)"),
            ("NSExecutable", "Sample\(number)"), ("CFBundleIdentifier", "org.example.benchmark.sample\(number)"),
            ("CFBundleInfoDictionaryVersion", "6.0"), ("CFBundleName", "Sample\(number)"),
            ("CFBundlePackageType", "BNDL"), ("CFBundleShortVersionString", "1.4.2"), ("CFBundleVersion", "142"),
            ("NSHumanReadableCopyright", "Copyright © the authors. All rights reserved."),
            ("SampleCategory", "filter"), ("SampleMinimumHostVersion", "2.0"),
            ("SampleDescription", "A plug-in that exists to be found &amp; never to be used"),
        ]
        let body = strings.map { "\t<key>\($0.0)</key>\n\t<string>\($0.1)</string>\n" }.joined()
        let factories = ["blur", "sharpen"].map { name in
            """
            \t\t<dict>
            \t\t\t<key>name</key>
            \t\t\t<string>\(name)-\(number)</string>
            \t\t\t<key>extensionPoint</key>
            \t\t\t<string>org.example.filter-\(number % 50)</string>
            \t\t\t<key>version</key>
            \t\t\t<integer>2</integer>
            \t\t</dict>

            """
        }.joined()
        return """
            <?xml version="1.0" encoding="UTF-8"?>
            <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
            <plist version="1.0">
            <dict>
            \(body)\t<key>PHFactories</key>
            \t<array>
            \(factories)\t</array>
            </dict>
            </plist>

            """
    }
}
