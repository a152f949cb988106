import PropertyLists

/// The public protocols and types of modules, as text: what a compiled plug-in takes for granted about them.
///
/// A library with a plug-in API carries the record of its modules (the section ``sectionName``), and a plug-in's
/// Info.plist has those parts that its code was compiled against (`PHInterfaces`). A load compares the two. Why text and
/// not a hash: a message can state both sides.
///
/// **Threads.** A value; may be shared freely.
public struct InterfaceRecord: Sendable, Hashable {
    /// A protocol.
    public struct Interface: Sendable, Hashable {
        /// Whether only classes can conform: such an `any` value has another size.
        public var isClassOnly: Bool
        /// The requirements in the order of the witness table, without the protocol's name.
        ///
        /// Inherited protocols, associated types and their conditions are entries too, because each has a place in the
        /// table. Marker protocols such as `Sendable` have none.
        public var requirements: [String] {
            get { InterfaceText.lines(of: text) }
            set { text = InterfaceText.text(of: newValue) }
        }
        /// The requirements, each on a line: a load compares them as a whole.
        var text: String
        /// The positions of the requirements that have a default implementation.
        public var defaults: [Int]
        /// The positions of the accessors that the plug-in's code calls and that could not throw an error; only in the
        /// record of a plug-in, and only of a module with library evolution.
        ///
        /// Nothing else in compiled code would notice that such an accessor throws now.
        public var calls: [Int]

        /// Creates a protocol's entry.
        public init(
            isClassOnly: Bool = false, requirements: [String], defaults: [Int] = [], calls: [Int] = []
        ) {
            self.init(isClassOnly: isClassOnly, text: InterfaceText.text(of: requirements), defaults, calls)
        }

        init(isClassOnly: Bool, text: String, _ defaults: [Int], _ calls: [Int]) {
            self.isClassOnly = isClassOnly
            self.text = text
            self.defaults = defaults
            self.calls = calls
        }

        /// The inherited protocols.
        ///
        /// The places of their tables are compiled into every call, even with library evolution.
        var parents: [String] { requirements.filter { $0.hasPrefix(InterfaceText.inherited) } }
    }

    /// A struct, enum or class.
    public struct Layout: Sendable, Hashable {
        /// What the type is.
        public enum Kind: String, Sendable, Hashable {
            case structure = "struct"
            case enumeration = "enum"
            case `class`

            /// The word for one entry of ``Layout/entries``.
            public var entry: String {
                switch self {
                case .structure: "field"
                case .enumeration: "case"
                case .class: "member"
                }
            }
        }

        /// What the type is.
        public var kind: Kind
        /// The stored properties with their types, the cases with their values, or the superclass, stored properties and
        /// methods of a class, in order.
        public var entries: [String] {
            get { InterfaceText.lines(of: text) }
            set { text = InterfaceText.text(of: newValue) }
        }
        /// The entries, each on a line: a load compares them as a whole.
        var text: String
        /// Whether the type is `@frozen`: then its layout counts even with library evolution.
        public var isFrozen: Bool

        /// Creates a type's entry.
        public init(kind: Kind, entries: [String], isFrozen: Bool = false) {
            self.init(kind: kind, text: InterfaceText.text(of: entries), isFrozen: isFrozen)
        }

        init(kind: Kind, text: String, isFrozen: Bool) {
            self.kind = kind
            self.text = text
            self.isFrozen = isFrozen
        }
    }

    /// A module.
    public struct Module: Sendable, Hashable {
        /// Whether the module was compiled with library evolution.
        public var hasEvolution: Bool
        /// Whether everything comes from symbols of a plug-in: then there are no layouts, and nothing states whether an
        /// accessor throws.
        public var isOfSymbols: Bool
        /// The name by which the plug-in needs the module's library; nil in a library's own record.
        public var library: String?
        /// The protocols by their full names, such as `API.Filter`.
        public var interfaces: [String: Interface]
        /// The types by their full names.
        public var types: [String: Layout]
        /// The public functions outside of protocols, as text, which ``functions`` reads; nil if they are not known.
        ///
        /// Only a library's record has them, and only a forecast needs them. One text, because a load reads the list and
        /// should not pay for each function.
        public var functionText: String?

        /// Creates a module's entry.
        public init(
            hasEvolution: Bool, isOfSymbols: Bool = false, library: String? = nil,
            interfaces: [String: Interface] = [:], types: [String: Layout] = [:]
        ) {
            self.hasEvolution = hasEvolution
            self.isOfSymbols = isOfSymbols
            self.library = library
            self.interfaces = interfaces
            self.types = types
        }
    }

    /// The modules by name.
    public var modules: [String: Module]

    /// Creates a record.
    public init(modules: [String: Module] = [:]) { self.modules = modules }

    /// Whether there is nothing to compare.
    public var isEmpty: Bool { modules.isEmpty }

    /// The section of a library that holds its record.
    ///
    /// It is not loaded into memory.
    public static let sectionName = ".pluginhost.interfaces"
    /// The largest record that is read, in bytes.
    public static let sizeLimit = 256 << 10
    /// The format that this version reads and writes; a record of a later one is ignored.
    public static let format: Int64 = 1

    /// The limits for reading a section.
    static let limits = PropertyListLimits(size: sizeLimit, depth: 8, nodes: 50_000)
}
