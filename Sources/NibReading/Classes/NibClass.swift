@_spi(PluginHost) package import PluginABI

/// A class that nibs may name, by one of its names.
package final class NibClass: Sendable {
    /// The name in nibs.
    package let name: String
    package let registration: NibRegistration

    /// For a class that only a list declares: the module, or nil if the list states none.
    ///
    /// The outer nil means a class of code, whose type has a module.
    private let declaredModule: String??

    package init(name: String, _ registration: NibRegistration, declaredModule: String?? = nil) {
        self.name = name
        self.registration = registration
        self.declaredModule = declaredModule
    }

    package var table: NibClassTable { registration.table }

    /// The module that declares the class; nil if it is not known.
    var module: String? {
        if let declaredModule { return declaredModule }
        // C has no modules.
        if registration.type == NibForeignObject.self { return nil }
        return String(String(reflecting: registration.type).prefix { $0 != "." })
    }

    /// The faults in the class's interface.
    package var faults: [String] { table.faults + [table.fault(for: registration.type)].compactMap(\.self) }
}
