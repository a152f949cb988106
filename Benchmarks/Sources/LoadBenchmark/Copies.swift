import Foundation

/// Bundles with copies of the benchmark's plug-in.
struct Copies {
    /// Where they are or will be.
    let folder: URL

    static let products = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()

    /// Makes the missing ones.
    func make(_ count: Int) throws {
        let plugin = Self.products.appending(path: "libBenchmarkPlugin.so")
        for index in 0..<count {
            let linux = bundle(index).appending(path: "Contents/Linux")
            let file = linux.appending(path: name(index))
            if FileManager.default.fileExists(atPath: file.path) { continue }
            try FileManager.default.createDirectory(at: linux, withIntermediateDirectories: true)
            try FileManager.default.copyItem(at: plugin, to: file)
            try infoList(index).write(
                to: bundle(index).appending(path: "Contents/Info.plist"), atomically: false, encoding: .utf8)
        }
    }

    func name(_ index: Int) -> String { "Sample\(index)" }
    func bundle(_ index: Int) -> URL { folder.appending(path: "\(name(index)).bundle") }
    func executable(_ index: Int) -> String { bundle(index).appending(path: "Contents/Linux/\(name(index))").path }

    /// About 1.5 kB, with the keys of an ordinary bundle.
    private func infoList(_ index: Int) -> String {
        let strings = [
            ("CFBundleDevelopmentRegion", "en"), ("CFBundleDisplayName", "Sample plug-in number \(index)"),
            ("NSExecutable", name(index)), ("CFBundleIdentifier", "org.example.benchmark.\(name(index))"),
            ("CFBundleInfoDictionaryVersion", "6.0"), ("CFBundleName", name(index)), ("CFBundlePackageType", "BNDL"),
            ("CFBundleShortVersionString", "1.4.2"), ("CFBundleVersion", "142"),
            ("NSHumanReadableCopyright", "Copyright © the authors. All rights reserved."),
            ("SampleCategory", "filter"), ("SampleMinimumHostVersion", "2.0"),
            ("SampleDescription", "A plug-in that exists to be loaded &amp; never to be used"),
        ]
        let body = strings.map { "\t<key>\($0.0)</key>\n\t<string>\($0.1)</string>\n" }.joined()
        // As long as two items of ordinary length, and matching what the entry registers.
        let factories = """
            \t\t<dict>
            \t\t\t<key>name</key>
            \t\t\t<string>Sample</string>
            \t\t\t<key>displayName</key>
            \t\t\t<string>What a host with an interface of its own would ask for</string>
            \t\t\t<key>version</key>
            \t\t\t<integer>2</integer>
            \t\t\t<key>order</key>
            \t\t\t<integer>0</integer>
            \t\t</dict>

            """
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
