import Foundation
import Measuring
import PluginHost

/// Look-ups of strings in a table that was read before, compared with the same look-up in a Swift dictionary.
enum StringMeasurements {
    static func run(_ bundles: Bundles, _ number: Int) throws -> [Figure] {
        let bundle = try PluginBundle.open(path: bundles.path(0))
        guard let foundation = Bundle(path: bundles.path(0)) else { throw CocoaError(.fileNoSuchFile) }
        let dictionary = Dictionary(uniqueKeysWithValues: Bundles.keys.map { ($0, $0.uppercased()) })
        let hits = (0..<number * 10).map { Bundles.keys[$0 % Bundles.keys.count] }
        let misses = hits.map { $0 + "?" }

        for key in Bundles.keys where bundle.localizedString(forKey: key, value: nil, table: nil) == key {
            throw CocoaError(.fileReadCorruptFile)
        }
        let known = nanoseconds(hits) { use(dictionary[$0] ?? $0) }
        let unknown = nanoseconds(misses) { use(dictionary[$0] ?? $0) }
        let hit = nanoseconds(hits) { use(bundle.localizedString(forKey: $0, value: nil, table: nil)) }
        let named = nanoseconds(hits) { use(bundle.localizedString(forKey: $0, value: nil, table: "Localizable")) }
        let miss = nanoseconds(misses) { use(bundle.localizedString(forKey: $0, value: nil, table: nil)) }
        let theirHit = nanoseconds(hits) { use(foundation.localizedString(forKey: $0, value: nil, table: nil)) }
        return [
            Figure("Swift dictionary look-up of a string", known, "ns"),
            Figure("localised string, warm, hit", hit / known, goal: 1.1),
            Figure("localised string, warm, hit in a named table", named / known, goal: 1.1),
            Figure("localised string, warm, miss", miss / unknown, goal: 1.1),
            Figure("Foundation: localised string, hit", theirHit / known),
        ]
    }
}
