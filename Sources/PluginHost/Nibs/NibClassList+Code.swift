public import NibReading

extension NibClassList {
    /// The classes that the loaded code of a bundle registered for nibs, with their superclasses; nil if no code is
    /// loaded.
    @_spi(Tools) public init?(registeredBy bundle: PluginBundle) {
        guard let code = bundle.currentCode else { return nil }
        self.init(registered: code.registrations.nibClasses)
    }

    /// The classes that the application registered, with their superclasses.
    @_spi(Tools) public init(_ classes: NibClasses) {
        self.init(registered: Array(classes.named.values), leavingOut: classes.elementsLeftOut)
    }
}
