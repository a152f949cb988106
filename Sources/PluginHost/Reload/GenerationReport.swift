/// One generation of a plug-in's code: what one build of it became in the process.
public struct GenerationReport: Sendable, Hashable, CustomStringConvertible {
    /// Counts from 1, for each plug-in.
    public let number: Int
    /// The private copy that it was loaded from.
    public let bundlePath: String
    /// Its version, as its Info.plist says.
    public let version: String?
    /// Where its code stands: `active` for the one in service.
    public let state: PluginState
    /// What still holds it: the objects that live, by what made them.
    public let liveObjects: [LiveObjects]

    /// “generation 3 (1.2, deactivated): 2 of “spell-check””.
    public var description: String {
        let what = [version, state.description].compactMap(\.self).joined(separator: ", ")
        let held = liveObjects.map { "\($0.count) of \(quoted($0.name))" }
        return "generation \(number) (\(what))" + (held.isEmpty ? "" : ": " + held.joined(separator: ", "))
    }
}
