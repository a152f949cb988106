import Foundation
import Measuring
import PluginHost

/// Opening bundles that the process has not seen before.
enum OpeningMeasurements {
    /// How many measurements open bundles of their own: both libraries keep what they know of a directory.
    static let ways = 6

    static func run(_ bundles: Bundles, _ number: Int) throws -> [Figure] {
        var way = 0
        func fresh() -> [String] {
            defer { way += 1 }
            return (0..<number).map { bundles.path(1 + way * number + $0) }
        }
        var kept: [AnyObject] = []
        func findPage(_ path: String) throws -> PluginBundle {
            let bundle = try PluginBundle.open(path: path)
            precondition(bundle.path(forResource: "page7", ofType: "html") != nil)
            return bundle
        }
        func findPageByFoundation(_ path: String) -> Bundle {
            let bundle = Bundle(path: path)!
            precondition(bundle.path(forResource: "page7", ofType: "html") != nil)
            return bundle
        }

        // Both libraries are in use and know the main bundle, as in every program. What is brought in by the first bundle
        // besides that one counts, so there is one sample in a process.
        use((PluginBundle.main.localizations, Bundle.main.localizations))
        let pages = fresh()
        let firstResource = try once(pages[0], &kept, findPage)
        let resource = try medianNanoseconds(Array(pages.dropFirst())) { kept.append(try findPage($0)) }
        let theirPages = fresh()
        let theirFirstResource = once(theirPages[0], &kept, findPageByFoundation)
        let theirResource = medianNanoseconds(Array(theirPages.dropFirst())) { kept.append(findPageByFoundation($0)) }
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
            // Whatever language Foundation takes.
            precondition(bundle.localizedString(forKey: Bundles.keys[7], value: nil, table: nil) != Bundles.keys[7])
            kept.append(bundle)
        }
        use(kept)
        return [
            Figure("open + infoDictionary", opening / 1000, "us"),
            Figure("open + infoDictionary, to Foundation's", opening / theirOpening, goal: 0.33),
            Figure("Foundation: open + infoDictionary", theirOpening / 1000, "us"),
            Figure("open + first localised resource, library in use", firstResource / 1000, "us", goal: 60),
            Figure("the same, to Foundation's", firstResource / theirFirstResource, goal: 0.09),
            Figure("Foundation: the same", theirFirstResource / 1000, "us"),
            Figure("open + first localised resource, later", resource / 1000, "us", goal: 60),
            Figure("Foundation: open + first localised resource, later", theirResource / 1000, "us"),
            Figure("open + first localised string, of 100", string / 1000, "us"),
            Figure("Foundation: open + first localised string, of 100", theirString / 1000, "us"),
        ]
    }

    /// Nanoseconds of opening one bundle, which is kept.
    private static func once<Opened: AnyObject>(
        _ path: String, _ kept: inout [AnyObject], _ open: (String) throws -> Opened
    ) rethrows -> Double {
        let start = now()
        let opened = try open(path)
        let time = now() - start
        kept.append(opened)
        return Double(time)
    }
}
