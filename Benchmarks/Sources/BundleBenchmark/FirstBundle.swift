import Foundation
import Measuring
import PluginHost

/// The first bundle of a process, from opening it to its first localised resource.
///
/// Each measurement has its own process:
/// - the first question of all, which also finds the user's languages and the main bundle;
/// - for each library, the first bundle after the main bundle. Only the parts of a library that its main bundle needs have
///   run before, as in a program that uses this library and not the other.
enum FirstBundle {
    /// - Returns: the times of both libraries, one after the other.
    static func figures(environment: [String: String]) throws -> [Figure] {
        let question = try Child.figures(
            ["--first", "question"], environment: environment.merging(userWithoutDefaults) { $1 })[0]
        let ours = try Child.figures(["--first", "PluginHost"], environment: environment)[0]
        let theirs = try Child.figures(["--first", "Foundation"], environment: environment)[0]
        return [
            question, ours, Figure("the same, to Foundation's", ours.value / theirs.value, goal: 0.09), theirs,
        ]
    }

    /// The environment of a user who has chosen a language and no defaults.
    private static let userWithoutDefaults = ["LANGUAGE": "fr", "XDG_CONFIG_HOME": "/nonexistent"]

    /// How often the first question opens a file of the name service or connects to it; nil without strace.
    static func nameServiceCalls(environment: [String: String], log: String) throws -> Int? {
        guard let strace = Child.strace else { return nil }
        _ = try Child.run(
            strace, ["-f", "-o", log, Child.thisProgram, "--first", "question"],
            environment: environment.merging(userWithoutDefaults) { $1 })
        let lines = try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n")
        guard lines.contains(where: { $0.contains("/page7.html") }) else {
            throw Child.Failure(description: "strace did not see the first question")
        }
        return lines.count { line in
            ["/etc/nsswitch.conf", "/etc/passwd", "nscd", "libnss_"].contains { line.contains($0) }
        }
    }

    /// `folder`: a path and not a URL, so that nothing of Foundation is used except what its bundles need.
    static func measure(_ library: String, in folder: String) throws -> Figure {
        // Both find it in the system's caches: each has one process in each round.
        let path = folder + "/Sample1.bundle"
        switch library {
        case "question":
            let time = try microseconds { try OpeningMeasurements.findPage(path) }
            return Figure("open + first localised resource, first question", time, "us", goal: 350)
        case "PluginHost":
            HostEnvironment.current.preferredLanguages = ["fr"]
            use(PluginBundle.main.localizations)
            let time = try microseconds { try OpeningMeasurements.findPage(path) }
            return Figure("open + first localised resource, of a process", time, "us")
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
