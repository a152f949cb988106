extension InterfaceRecord {
    /// What a forecast knows about a function, method or accessor outside of protocols.
    public struct Function: Sendable, Hashable {
        /// A digest of the code that other modules may compile in, such as that of an `@inlinable` function; nil if they
        /// always call it.
        public var body: String?
        /// A digest of the default values of its parameters: callers have them compiled in.
        public var defaultValues: String?
        /// Whether it reads or writes a stored property of a type: without library evolution, other modules do that
        /// without it.
        public var isOfStorage: Bool

        /// Creates the entry of a function.
        public init(body: String? = nil, defaultValues: String? = nil, isOfStorage: Bool = false) {
            self.body = body
            self.defaultValues = defaultValues
            self.isOfStorage = isOfStorage
        }
    }
}

extension InterfaceRecord.Module {
    private static let none: Substring = "-"
    private static let storage: Substring = "s"

    /// The functions, methods and accessors outside of protocols by their full names; nil if they are not known.
    ///
    /// Methods that subclasses may override are in the layout of their class instead. A line that is none is left out.
    ///
    /// **Cost.** Linear, at each call.
    public var functions: [String: InterfaceRecord.Function]? {
        get {
            guard let functionText else { return nil }
            var functions: [String: InterfaceRecord.Function] = [:]
            for line in functionText.split(separator: "\n") {
                let parts = line.split(separator: " ", maxSplits: 3)
                guard parts.count == 4 else { continue }
                functions[String(parts[3])] = InterfaceRecord.Function(
                    body: parts[0] == Self.none ? nil : String(parts[0]),
                    defaultValues: parts[1] == Self.none ? nil : String(parts[1]),
                    isOfStorage: parts[2] == Self.storage)
            }
            return functions
        }
        set {
            functionText = newValue.map { functions in
                functions.sorted { $0.key < $1.key }.map { name, function in
                    [
                        function.body.map { $0[...] } ?? Self.none,
                        function.defaultValues.map { $0[...] } ?? Self.none,
                        function.isOfStorage ? Self.storage : Self.none, name[...],
                    ].joined(separator: " ")
                }.joined(separator: "\n")
            }
        }
    }

    /// Whether a function is in the layout of a class, as a method that subclasses may override.
    public func isOverridable(_ name: String) -> Bool {
        let (container, member) = InterfaceText.divided(name)
        guard let container, let type = types[container], type.kind == .class else { return false }
        return type.entries.contains(member)
    }
}
