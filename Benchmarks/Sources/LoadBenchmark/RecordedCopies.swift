import Foundation
import Measuring
import PluginHost

/// Copies of one bundle, half of them with the record of the interfaces that its code was compiled against.
///
/// Their API library has a record too. Everything else is the same, so the difference of two loads is the comparison: reading
/// the record in Info.plist, and comparing it.
struct RecordedCopies {
    /// Where they are or will be.
    let folder: URL

    private var products: URL { folder.appending(path: "products") }
    /// The built libraries, and the names under which “pluginhost pack” looks for them.
    private static let libraries = [
        ("libRecordedAPI.so", "libRecordedAPI.so"), ("libRecordedPlugin.so", "libRecorded.so"),
    ]

    /// Finds the API library with the record before that of the build folder.
    var environment: [String: String] {
        ["BENCHMARK_COPIES": folder.path, "LD_LIBRARY_PATH": "\(products.path):\(Copies.products.path)"]
    }

    /// Whether a copy has the record.
    static func hasRecord(_ index: Int) -> Bool { index % 2 == 1 }

    func path(_ index: Int) -> String { folder.appending(path: "Recorded\(index).bundle").path }

    /// Records and packs with the command that was built beside this program, and makes the copies.
    func make(_ count: Int) throws {
        let files = FileManager.default, tool = Copies.products.appending(path: "pluginhost").path
        try files.createDirectory(at: products, withIntermediateDirectories: true)
        for (built, name) in Self.libraries {
            try files.copyItem(at: Copies.products.appending(path: built), to: products.appending(path: name))
        }
        let modules = products.appending(path: "Modules")
        try files.createSymbolicLink(at: modules, withDestinationURL: Copies.products.appending(path: "Modules"))
        _ = try Child.run(tool, ["record", products.appending(path: Self.libraries[0].1).path])
        let source = folder.appending(path: "Recorded")
        try files.createDirectory(at: source, withIntermediateDirectories: true)
        try Data(Self.info.utf8).write(to: source.appending(path: "Info.plist"))
        _ = try Child.run(
            tool,
            ["pack", "--products", products.path, "--output", folder.path, source.path], environment: environment)
        let bundle = folder.appending(path: "Recorded.bundle")
        let list = bundle.appending(path: "Contents/Info.plist")
        let info = try PropertyListSerialization.propertyList(from: Data(contentsOf: list), format: nil)
        guard let info = info as? [String: Any], info["PHInterfaces"] != nil else {
            throw Child.Failure(description: "pluginhost pack wrote no record into \(list.path)")
        }
        for index in 0..<count {
            let copy = URL(filePath: path(index))
            try files.copyItem(at: bundle, to: copy)
            var own = info
            own["CFBundleIdentifier"] = "org.example.benchmark.Recorded\(index)"
            if !Self.hasRecord(index) { own["PHInterfaces"] = nil }
            try PropertyListSerialization.data(fromPropertyList: own, format: .xml, options: 0)
                .write(to: copy.appending(path: "Contents/Info.plist"))
        }
    }

    private static let info = """
        {
            CFBundleIdentifier = "org.example.benchmark.Recorded";
            CFBundleShortVersionString = "1.4.2";
            NSExecutable = Recorded;
        }
        """

    /// One process: loads the copies, in turn with and without a record.
    static func round(_ count: Int) throws {
        let copies = Self(folder: URL(filePath: ProcessInfo.processInfo.environment["BENCHMARK_COPIES"] ?? "."))
        var times: [[UInt64]] = [[], []]
        for index in 0..<count {
            let path = copies.path(index)
            let start = now()
            try PluginBundle.open(path: path).loadAndReturnError()
            times[hasRecord(index) ? 1 : 0].append(now() - start)
        }
        // As in the other rounds: the first loads do work that is needed once, such as reading the library's record.
        let means = times.map { all in
            let last = all.dropFirst(3).suffix(60)
            return Double(last.reduce(0, +)) / Double(last.count)
        }
        let first = Double(times[1][0]) / 1000
        print(Figure("load without a record, \(count) loaded", means[0] / 1000, "us").line)
        print(Figure("load with a record of its interfaces", means[1] / means[0], goal: 1.03).line)
        print(Figure("the first one, which reads the library's record", first, "us").line)
    }
}
