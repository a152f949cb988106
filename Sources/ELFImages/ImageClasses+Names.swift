extension ImageClasses {
    /// “Module.Outer.Inner” for an existing class.
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

    /// The first class of the image, in the order of the file.
    package var first: AnyClass? { names.first.flatMap { self.class(named: $0) } }
}
