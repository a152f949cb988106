import HostBasics

/// One generation of a plug-in's code: a build of it that was loaded into the process.
public struct GenerationReport: Sendable, Hashable, CustomStringConvertible {
    /// A running number from 1, for each plug-in.
    public let number: Int
    /// The private copy from which it was loaded.
    public let bundlePath: String
    /// The version in its Info.plist.
    public let version: String?
    /// The state of its code: `active` for the generation in use.
    public let state: PluginState
    /// The existing objects that still need it, grouped by what created them.
    public let liveObjects: [LiveObjects]

    /// “generation 3 (1.2, deactivated): 2 of “spell-check””.
    public var description: String {
        let what = [version, state.description].compactMap(\.self).joined(separator: ", ")
        let held = liveObjects.map { "\($0.count) of \(quoted($0.name))" }
        return "generation \(number) (\(what))" + (held.isEmpty ? "" : ": " + held.joined(separator: ", "))
    }
}
