import Synchronization

/// The generations of one plug-in's code, of which one is in service, as a catalogue uses them. Hot reload makes them.
protocol Generations: AnyObject, Sendable {
    /// The bundle in service; nil before the first use.
    var bundleInService: PluginBundle? { get }

    /// Lets a caller use the bundle in service, which is not deactivated before the body has returned.
    func use<Result>(_ body: (PluginBundle) throws -> Result) throws -> Result
}

/// The generations of a catalogue's plug-ins, by their identifiers.
protocol GenerationsByIdentifier: AnyObject, Sendable {
    func known(_ identifier: String) -> (any Generations)?

    /// Those of a plug-in that is about to be used, kept for as long as the catalogue lives; nil while nobody watches.
    func madeIfWatched(_ plugin: PluginDescription) -> (any Generations)?
}

/// A class around the protocol, which a reference that is stored once needs.
final class GenerationsInUse: Sendable {
    let all: any GenerationsByIdentifier

    init(_ all: any GenerationsByIdentifier) { self.all = all }
}

extension PluginCatalog {
    /// Nil for a catalogue that was never watched, which looks nothing up.
    var generations: (any GenerationsByIdentifier)? { generationsInUse.load()?.all }
}
