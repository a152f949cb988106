extension LibraryClasses {
    /// The name of a class with its module and outer types: “Module.Outer.Inner”.
    ///
    /// **Cost.** The runtime builds and demangles the name.
    package static func qualifiedName(of aClass: AnyClass) -> String { String(reflecting: aClass) }

    /// Whether a name, with or without the module, is the name of a class.
    package static func matches(_ name: String, class aClass: AnyClass) -> Bool {
        // The last component first: comparing it costs only one memory access.
        guard let last = name.split(separator: ".").last, hasOwnName(String(last), class: aClass) else { return false }
        let qualified = qualifiedName(of: aClass)
        return qualified == name || qualified.hasSuffix("." + name)
    }

    /// The first class of ``names``.
    package var first: AnyClass? { names.first.flatMap { self.class(named: $0) } }
}
