import Foundation
import Measuring
import PluginHost

/// The first bundle of a process, from opening it to its first localised resource, with a process for each library. Only
/// the parts of a library that its main bundle needs have run before, as in a program that uses this library and not the
/// other.
enum FirstBundle {
    /// - Returns: the times of both libraries, one after the other.
    static func figures(environment: [String: String]) throws -> [Figure] {
        let ours = try Child.figures(["--first", "PluginHost"], environment: environment)[0]
        let theirs = try Child.figures(["--first", "Foundation"], environment: environment)[0]
        return [
            ours, Figure("the same, to Foundation's", ours.value / theirs.value, goal: 0.09), theirs,
        ]
    }

    /// `folder`: a path and not a URL, so that nothing of Foundation is used except what its bundles need.
    static func measure(_ library: String, in folder: String) throws -> Figure {
        // Both find it in the system's caches: each has one process in each round.
        let path = folder + "/Sample1.bundle"
        switch library {
        case "PluginHost":
            use(PluginBundle.main.localizations)
            let time = try microseconds { try OpeningMeasurements.findPage(path) }
            return Figure("open + first localised resource, of a process", time, "us", goal: 350)
        case "Foundation":
            use(Bundle.main.localizations)
            let time = microseconds { OpeningMeasurements.findPageByFoundation(path) }
            return Figure("Foundation: the same", time, "us")
        default:
            throw Child.Failure(description: "there is no measurement of \(library)")
        }
    }

    /// `open`: returns a bundle, which is kept until the time is measured.
    private static func microseconds(_ open: () throws -> AnyObject) rethrows -> Double {
        let start = now()
        let bundle = try open()
        let time = now() - start
        use(bundle)
        return Double(time) / 1000
    }
}
