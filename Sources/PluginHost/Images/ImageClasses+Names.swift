extension ImageClasses {
    /// “Module.Outer.Inner” of a class that is at hand.
    ///
    /// **Cost.** The runtime's: it builds and demangles the name.
    static func qualifiedName(of aClass: AnyClass) -> String { String(reflecting: aClass) }

    /// Whether a name, qualified or not, is a class's own.
    static func matches(_ name: String, class aClass: AnyClass) -> Bool {
        // The own name first: comparing it costs one read in memory.
        guard let last = name.split(separator: ".").last, hasOwnName(String(last), class: aClass) else { return false }
        let qualified = qualifiedName(of: aClass)
        return qualified == name || qualified.hasSuffix("." + name)
    }

    /// The first class of the image, in the order of the file.
    var first: AnyClass? { names.first.flatMap { self.class(named: $0) } }
}
