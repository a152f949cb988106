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

    /// Whether a name, with or without the module, is the name of the class whose name with its module is `qualified`.
    package static func isName(_ name: String, of qualified: String) -> Bool {
        qualified == name || nameWithoutModule(qualified) == name
    }

    /// “Outer.Inner” for “Module.Outer.Inner”.
    package static func nameWithoutModule(_ qualified: String) -> String {
        qualified.split(separator: ".").dropFirst().joined(separator: ".")
    }

    /// The classes that a file on disk defines, as ``names`` has them for a loaded one; nil if it has no Swift code, or
    /// cannot be read.
    ///
    /// No code runs.
    package static func names(inFileAt path: String) -> [String]? {
        guard let file = try? ELFFile(path: path), file.isSwift else { return nil }
        return file.classNames
    }

    /// The first class of ``names``.
    package var first: AnyClass? { names.first.flatMap { self.class(named: $0) } }
}
