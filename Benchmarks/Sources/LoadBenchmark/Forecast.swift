import Foundation
import Measuring

/// What “pluginhost doctor --next” needs for some plug-ins and five next versions of an application, one after the other.
enum Forecast {
    /// Programs that link the library, as applications do.
    private static let programs = [
        "bundle-benchmark", "catalog-benchmark", "call-benchmark", "nib-benchmark", "settings-benchmark",
    ]

    /// `folder`: for the plug-ins.
    static func figure(_ folder: URL, plugins: Int) throws -> Figure {
        try Copies(folder: folder).make(plugins)
        let tool = Copies.products.appending(path: "pluginhost").path
        let start = now()
        for program in programs {
            let text = try Child.run(
                tool,
                [
                    "doctor", "--json", "--host", Child.thisProgram, "--next",
                    Copies.products.appending(path: program).path, folder.path,
                ])
            let document = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
            let unchanged = (document?["next"] as? [String: Any])?["unchanged"] as? [String: Int]
            guard unchanged?["works"] == plugins else {
                throw Child.Failure(description: "pluginhost doctor --next did not find \(plugins) usable plug-ins")
            }
        }
        return Figure(
            "doctor --next, \(plugins) plug-ins, \(programs.count) programs", Double(now() - start) / 1e9, "s",
            goal: 10)
    }
}
