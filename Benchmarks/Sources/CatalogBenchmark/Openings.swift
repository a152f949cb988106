import Foundation
import Measuring
import PluginHost

/// What document types cost: in the index, at a start, and when the plug-in for a file is looked up.
///
/// There are two folders with the same 1,000 plug-ins, one of which also declares a document type for each.
struct Openings {
    private static let count = 1000
    private static let rounds = 31
    private static let lookUps = 2000

    let folder: Folder

    private var plain: String { folder.url.appending(path: "plain").path }
    private var typed: String { folder.url.appending(path: "typed").path }

    func make() throws {
        for (path, hasType) in [(plain, false), (typed, true)] {
            for number in 0..<Self.count {
                let contents = "\(path)/Sample\(number).bundle/Contents"
                try FileManager.default.createDirectory(atPath: contents, withIntermediateDirectories: true)
                try Self.infoList(number, hasType).write(
                    toFile: contents + "/Info.plist", atomically: false, encoding: .utf8)
            }
        }
    }

    func run() throws -> [Figure] {
        // The first use of each folder writes its index.
        for path in [plain, typed] { _ = try Way.indexed.run(folder, in: path) }
        let ratio = try start()
        let index = folder.index(of: typed)
        let bytes = try FileManager.default.contentsOfDirectory(atPath: index).reduce(0) { sum, name in
            let attributes = try FileManager.default.attributesOfItem(atPath: "\(index)/\(name)")
            return sum + (attributes[.size] as? Int ?? 0)
        }
        return [
            Figure("a look-up of who opens a file", try lookUp() / 1000, "us", goal: 5),
            Figure("start with an index with document types", ratio, goal: 1.05),
            Figure("index a plug-in", Double(bytes) / Double(Self.count), "bytes", goal: 450),
        ]
    }

    /// The time of a start, relative to one without document types: the median of pairs.
    private func start() throws -> Double {
        var ratios: [Double] = []
        for round in 0..<Self.rounds {
            // Each is first as often as the other.
            let order = round % 2 == 0 ? [plain, typed] : [typed, plain]
            var times: [String: Double] = [:]
            for path in order {
                let start = now()
                _ = try Way.indexed.run(folder, in: path)
                times[path] = Double(now() - start)
            }
            ratios.append(times[typed]! / times[plain]!)
        }
        return ratios.sorted()[Self.rounds / 2]
    }

    /// Nanoseconds: the median of some rounds.
    private func lookUp() throws -> Double {
        let catalog = Way.indexed.catalog(folder, in: typed)
        let files = (0..<Self.lookUps).map { "scores/file.kind\($0 % 200)" }
        guard catalog.plugins(opening: files[7]).count == Self.count / 200 else {
            throw Child.Failure(description: "the catalogue of \(typed) has no plug-in for \(files[7])")
        }
        return (0..<Self.rounds).map { _ in
            let start = now()
            for file in files { use(catalog.plugins(opening: file)) }
            return Double(now() - start) / Double(files.count)
        }.sorted()[Self.rounds / 2]
    }

    /// With one extension, one requirement and, if it has one, one document type.
    private static func infoList(_ number: Int, _ hasType: Bool) -> String {
        let type = """
            CFBundleDocumentTypes = (
                { CFBundleTypeName = "Kind \(number)"; CFBundleTypeExtensions = ( kind\(number % 200) ); }
            );
            """
        return """
            {
                CFBundleIdentifier = "org.example.benchmark.sample\(number)";
                CFBundleShortVersionString = "1.4.2";
                NSExecutable = Sample\(number);
                PHFactories = (
                    { name = "blur-\(number)"; extensionPoint = "org.example.filter-\(number % 50)"; version = 2; }
                );
                \(number == 0 ? "" : "PHRequires = { \"org.example.benchmark.sample0\" = \"1.0\"; };")
                \(hasType ? type : "")
            }
            """
    }
}
