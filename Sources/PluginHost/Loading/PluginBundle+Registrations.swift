public import BundleReading
internal import CPluginSupport
@_spi(PluginHost) internal import PluginABI

extension PluginBundle {
    /// One registration of the bundle's entry.
    public struct Registration: Sendable, Hashable {
        /// What kind of item the code registered.
        public enum Kind: String, Sendable, Hashable, CaseIterable {
            /// A Swift class, see ``PluginBundle/classNamed(_:)``, or a C-level class whose objects nibs create.
            case pluginClass
            /// A typed provider at an extension point, see ``PluginBundle/providers(of:)``.
            case provider
            /// A C-level factory, see ``PluginBundle/cProviders(at:version:)``.
            case cProvider = "factory"
            /// A C function, see ``PluginBundle/function(_:_:)``.
            case function
        }

        /// The kind of item.
        public let kind: Kind
        /// The name under which it was registered.
        public let name: String
        /// The extension point of a provider or factory; nil if there is none.
        public var extensionPoint: String?
        /// The version of the extension point.
        public var extensionVersion: UInt32?
        /// The order of a provider or factory; lower comes first.
        public var order: Int?
        /// The signature of a function.
        public var signature: ForeignSignature?
    }

    /// The registrations of the entry: classes, providers, factories and functions, each kind in order.
    ///
    /// Empty while the bundle is not loaded.
    public var registrations: [Registration] {
        guard let code = currentCode else { return [] }
        let elsewhere = code.isolated?.report.classes ?? []
        return elsewhere.map { Registration(kind: .pluginClass, name: $0) } + code.registrations.all
    }

    /// The names of all Swift classes in the bundle's library, qualified by their modules, in the order of the file.
    ///
    /// For code that is linked into the program, these are the registered classes. Empty while the bundle is not
    /// loaded.
    ///
    /// **Cost.** Reads the library's metadata at each call.
    public var classNames: [String] { currentCode?.classNames ?? [] }
}

extension Registrations {
    fileprivate var all: [PluginBundle.Registration] {
        var all = (classes.map(\.name) + foreignNibClasses.map(\.name)).map {
            PluginBundle.Registration(kind: .pluginClass, name: $0)
        }
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
