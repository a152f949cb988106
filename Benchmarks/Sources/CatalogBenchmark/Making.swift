import Foundation
import Measuring
import PluginABI
import PluginHost

/// The cost of an object that a plug-in of a catalogue makes, compared with one from a kept provider.
///
/// The plug-in is linked into this program, because the way in which its code was loaded makes no difference here.
struct Making {
    /// At most this many times the provider's time.
    private static let goal = 1.3
    private static let objects = 20_000
    private static let rounds = 31

    /// The object that the plug-in makes.
    private final class Sample: Sendable {
        let text: String
        init(context: PluginContext) { text = context.bundleIdentifier }
    }

    private static let point = ExtensionPoint<Sample>("org.example.benchmark.making")
    /// The measured provider comes after others.
    private static let names = (0..<10).map { "sample-\($0)" }

    func run(in folder: String) throws -> [Figure] {
        let contents = "\(folder)/Making.bundle/Contents"
        try FileManager.default.createDirectory(atPath: contents, withIntermediateDirectories: true)
        let declared = Self.names.map { "{ name = \"\($0)\"; extensionPoint = \"\(Self.point.name)\"; }" }
            .joined(separator: ", ")
        try "{ CFBundleIdentifier = \"org.example.benchmark.making\"; PHFactories = (\(declared)); }"
            .write(toFile: contents + "/Info.plist", atomically: false, encoding: .utf8)
        let bundle = try PluginBundle.linked(at: "\(folder)/Making.bundle") { host in
            registerPlugin(with: host) { plugin in
                for name in Making.names { plugin.provide(Making.point, named: name, Sample.init) }
            }
        }
        let catalog = PluginCatalog(searchPaths: [folder], options: .init(index: .none))
        guard let last = Self.names.last, let found = catalog.extension(named: last, of: Self.point),
            let provider = try bundle.providers(of: Self.point).last
        else { throw Child.Failure(description: "the catalogue of \(folder) offers nothing to make") }
        // The two alternate, so that other work of the machine affects both.
        var times: [[Double]] = [[], []]
        for _ in 0..<Self.rounds {
            times[0].append(try Self.nanoseconds { try provider.make() })
            times[1].append(try Self.nanoseconds { try found.make() })
        }
        let ratios = zip(times[0], times[1]).map { $1 / $0 }.sorted()
        return [
            Figure("an object of a kept provider", times[0].sorted()[Self.rounds / 2], "ns"),
            Figure("an object of an extension", ratios[Self.rounds / 2], goal: Self.goal),
        ]
    }

    private static func nanoseconds(_ make: () throws -> Sample) throws -> Double {
        let start = now()
        for _ in 0..<objects { use(try make()) }
        return Double(now() - start) / Double(objects)
    }
}
