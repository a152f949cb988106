import Synchronization

/// The generations of one plug-in's code, as a catalogue uses them.
///
/// One of them is active. Hot reload creates them.
protocol Generations: AnyObject, Sendable {
    /// The active bundle; nil before the first use.
    var bundleInService: PluginBundle? { get }

    /// Lets a caller use the active bundle, which is not deactivated until the body has returned.
    func use<Result>(_ body: (PluginBundle) throws -> Result) throws -> Result
}

/// The generations of a catalogue's plug-ins, by their identifiers.
protocol GenerationsByIdentifier: AnyObject, Sendable {
    func known(_ identifier: String) -> (any Generations)?

    /// The generations of a plug-in that is about to be used, kept as long as the catalogue exists; nil while the
    /// catalogue is not watched.
    func madeIfWatched(_ plugin: PluginDescription) -> (any Generations)?
}

/// A class that wraps the protocol, because a lazily stored reference needs one.
final class GenerationsInUse: Sendable {
    let all: any GenerationsByIdentifier

    init(_ all: any GenerationsByIdentifier) { self.all = all }
}

extension PluginCatalog {
    /// Nil for a catalogue that was never watched, which then skips the look-up.
    var generations: (any GenerationsByIdentifier)? { generationsInUse.load()?.all }
}
