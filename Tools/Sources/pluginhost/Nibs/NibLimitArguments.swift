import ArgumentParser
import PluginHost

/// How large a nib may be, for an application that allows more than the library's default.
struct NibLimitArguments: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "How many objects a nib may make, if the application raises the limit of \(NibLimits().objects).",
            valueName: "number"))
    var maxObjects: Int?

    @Option(
        help: ArgumentHelp(
            "How many connections a nib may have, if the application raises the limit of \(NibLimits().connections).",
            valueName: "number"))
    var maxConnections: Int?

    mutating func validate() throws {
        for (name, number) in [("--max-objects", maxObjects), ("--max-connections", maxConnections)] {
            // No document may have more elements.
            if let number, !(1...NibLimits().elements).contains(number) {
                throw ValidationError("The number of \(name) must be from 1 to \(NibLimits().elements).")
            }
        }
    }

    /// Sets the limits of this process.
    func apply() {
        if let maxObjects { HostEnvironment.current.nibLimits.objects = maxObjects }
        if let maxConnections { HostEnvironment.current.nibLimits.connections = maxConnections }
    }

    /// The arguments that set the same limits in another process of the tool.
    var arguments: [String] {
        [("--max-objects", maxObjects), ("--max-connections", maxConnections)].flatMap { name, number in
            number.map { [name, "\($0)"] } ?? []
        }
    }
}
