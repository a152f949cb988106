internal import CPluginSupport
@_spi(PluginHost) internal import PluginABI

extension PluginBundle {
    /// Something that the bundle's entry registered.
    public struct Registration: Sendable, Hashable {
        /// What the code registered.
        public enum Kind: String, Sendable, Hashable, CaseIterable {
            /// A Swift class, by ``PluginBundle/classNamed(_:)``.
            case pluginClass
            /// A typed provider at an extension point, by ``PluginBundle/providers(of:)``.
            case provider
            /// A factory of the C level, by ``PluginBundle/cProviders(at:version:)``.
            case cProvider = "factory"
            /// A C function, by ``PluginBundle/function(_:_:)``.
            case function
        }

        /// What it is.
        public let kind: Kind
        /// The name that it was registered by.
        public let name: String
        /// The extension point of a provider or factory; nil for none.
        public var extensionPoint: String?
        /// The version of the extension point.
        public var extensionVersion: UInt32?
        /// The order of a provider or factory; lower comes first.
        public var order: Int?
        /// The signature of a function.
        public var signature: ForeignSignature?
    }

    /// What the entry registered: classes, providers, factories and functions, each kind in order; empty while the
    /// bundle is not loaded.
    public var registrations: [Registration] { currentCode?.registrations.all ?? [] }

    /// The names of all Swift classes in the bundle's image, qualified by their modules, in the order of the file; of
    /// code that is linked into the program those that were registered. Empty while it is not loaded.
    ///
    /// **Cost.** A walk over the image's metadata at each call.
    public var classNames: [String] { currentCode?.classNames ?? [] }
}

extension Registrations {
    fileprivate var all: [PluginBundle.Registration] {
        var all = classes.map { PluginBundle.Registration(kind: .pluginClass, name: $0.name) }
        all += providers.map { provider in
            PluginBundle.Registration(
                kind: .provider, name: provider.name, extensionPoint: provider.pointName,
                extensionVersion: provider.pointVersion, order: provider.order)
        }
        all += cProviders.map { factory in
            PluginBundle.Registration(
                kind: .cProvider, name: factory.name, extensionPoint: factory.point.isEmpty ? nil : factory.point,
                extensionVersion: factory.point.isEmpty ? nil : factory.version, order: factory.order)
        }
        all += functions.values.sorted { $0.name < $1.name }.map { function in
            PluginBundle.Registration(
                kind: .function, name: function.name, signature: function.signature)
        }
        return all
    }
}
