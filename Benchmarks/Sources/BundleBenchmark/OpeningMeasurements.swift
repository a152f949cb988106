import Foundation
import Measuring
import PluginHost

/// Opening bundles that the process has not seen before.
enum OpeningMeasurements {
    /// How many measurements open bundles of their own, because both libraries remember a directory.
    static let ways = 6

    static func run(_ bundles: Bundles, _ number: Int) throws -> [Figure] {
        var way = 0
        func fresh() -> [String] {
            defer { way += 1 }
            return (0..<number).map { bundles.path(1 + way * number + $0) }
        }
        var kept: [AnyObject] = []
        let resource = try medianNanoseconds(fresh()) { kept.append(try findPage($0)) }
        let theirResource = medianNanoseconds(fresh()) { kept.append(findPageByFoundation($0)) }
        let opening = try medianNanoseconds(fresh()) { path in
            let bundle = try PluginBundle.open(path: path)
            precondition(bundle.infoDictionary?["CFBundleName"] as? String == "Sample")
            kept.append(bundle)
        }
        let theirOpening = medianNanoseconds(fresh()) { path in
            let bundle = Bundle(path: path)!
            precondition(bundle.infoDictionary?["CFBundleName"] as? String == "Sample")
            kept.append(bundle)
        }
        let string = try medianNanoseconds(fresh()) { path in
            let bundle = try PluginBundle.open(path: path)
            precondition(bundle.localizedString(forKey: Bundles.keys[7], value: nil, table: nil).hasPrefix("fr"))
            kept.append(bundle)
        }
        let theirString = medianNanoseconds(fresh()) { path in
            let bundle = Bundle(path: path)!
            // Whatever language Foundation chooses.
            precondition(bundle.localizedString(forKey: Bundles.keys[7], value: nil, table: nil) != Bundles.keys[7])
            kept.append(bundle)
        }
        use(kept)
        return [
            Figure("open + infoDictionary", opening / 1000, "us"),
            Figure("open + infoDictionary, to Foundation's", opening / theirOpening, goal: 0.33),
            Figure("Foundation: open + infoDictionary", theirOpening / 1000, "us"),
            Figure("open + first localised resource", resource / 1000, "us"),
            Figure("the same, to Foundation's", resource / theirResource),
            Figure("Foundation: open + first localised resource", theirResource / 1000, "us"),
            Figure("open + first localised string, of 100", string / 1000, "us"),
            Figure("Foundation: open + first localised string, of 100", theirString / 1000, "us"),
        ]
    }

    /// Opens a bundle and finds a resource that only its localisations have.
    static func findPage(_ path: String) throws -> PluginBundle {
        let bundle = try PluginBundle.open(path: path)
        precondition(bundle.path(forResource: "page7", ofType: "html")?.hasSuffix(".lproj/page7.html") ?? false)
        return bundle
    }

    static func findPageByFoundation(_ path: String) -> Bundle {
        let bundle = Bundle(path: path)!
        precondition(bundle.path(forResource: "page7", ofType: "html")?.hasSuffix(".lproj/page7.html") ?? false)
        return bundle
    }
}
