import Foundation
import Measuring
import PluginHost

/// Repeated look-ups of resources in an open bundle, compared with one stat() of the same file.
enum ResourceMeasurements {
    static func run(_ bundles: Bundles, _ number: Int) throws -> [Figure] {
        let bundle = try PluginBundle.open(path: bundles.path(0))
        guard let foundation = Bundle(path: bundles.path(0)) else { throw CocoaError(.fileNoSuchFile) }
        let hits = repeated(Bundles.images, number)
        let misses = repeated(Bundles.images.map { "no" + $0 }, number)
        let pages = repeated(Bundles.pages, number)

        for name in Bundles.images where bundle.path(forResource: name, ofType: "png") == nil {
            throw CocoaError(.fileNoSuchFile)
        }
        let one = nanoseconds(hits.map { bundles.resource($0 + ".png") }) { precondition(isThere($0)) }
        let hit = nanoseconds(hits) { use(bundle.path(forResource: $0, ofType: "png")) }
        let localised = nanoseconds(pages) { use(bundle.path(forResource: $0, ofType: "html")) }
        let miss = nanoseconds(misses) { use(bundle.path(forResource: $0, ofType: "png")) }
        let theirHit = nanoseconds(hits) { use(foundation.path(forResource: $0, ofType: "png")) }
        let theirMiss = nanoseconds(misses) { use(foundation.path(forResource: $0, ofType: "png")) }
        return [
            Figure("stat() of a resource", one, "ns"),
            Figure("resource look-up, warm, hit", hit / one, goal: 0.3),
            Figure("resource look-up, warm, localised hit", localised / one, goal: 0.3),
            Figure("resource look-up, warm, miss", miss / one, goal: 0.3),
            Figure("resource look-up, 20 us after the last one", afterPause(bundle, bundles), goal: 1.15),
            Figure("Foundation: resource look-up, hit", theirHit / one),
            Figure("Foundation: resource look-up, miss", theirMiss / one),
        ]
    }

    private static func isThere(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0
    }

    private static func repeated(_ names: [String], _ number: Int) -> [String] {
        (0..<number * 10).map { names[$0 % names.count] }
    }

    /// One look-up after the time in which answers are reused without a check.
    ///
    /// It compares with the file system, so it is shown as a ratio to a stat() of the file after the same pause. Each
    /// call is measured alone, in turn with the other.
    private static func afterPause(_ bundle: PluginBundle, _ bundles: Bundles) -> Double {
        func nanoseconds(_ question: () -> Void) -> UInt64 {
            let pause = now() + 20_000
            while now() < pause {}
            let start = now()
            question()
            return now() - start
        }
        var times: [(lookUp: UInt64, stat: UInt64)] = []
        for name in Bundles.images {
            let path = bundles.resource(name + ".png")
            times.append(
                (
                    nanoseconds { use(bundle.path(forResource: name, ofType: "png")) },
                    nanoseconds { precondition(isThere(path)) }
                ))
        }
        let middle = times.count / 2
        return Double(times.map(\.lookUp).sorted()[middle]) / Double(times.map(\.stat).sorted()[middle])
    }
}
