public import PropertyLists

/// The form of a record in a property list.
///
/// ```
/// { Format = 1; Modules = { API = {
///     Evolution = true; Library = "libAPI.so";
///     Protocols = { "API.Filter" = { Class = true; Requirements = "a() -> ()\nb() -> ()"; Default = ( 0 ); }; };
///     Functions = "- - - API.run() -> ()\n0123456789abcdef - - API.size(Swift.Int) -> Swift.Int";
///     Types = { "API.Options" = { Kind = struct; Frozen = true; Layout = "depth: Swift.Int\nwidth: Swift.Int"; }; };
/// }; }; }
/// ```
extension InterfaceRecord {
    /// Why a list is not a record.
    public enum Fault: Error, Hashable {
        /// It is damaged, too large, nested too deeply, or a value has the wrong type.
        case damaged(String)
        /// A later format, whose content is unknown.
        case format(Int64)
    }

    /// Reads the content of a section.
    ///
    /// - Throws: ``Fault``.
    ///
    /// **Cost.** Linear; at most ``sizeLimit`` bytes are read.
    public init(bytes: [UInt8]) throws(Fault) {
        let list: PropertyList
        do throws(PropertyListFault) {
            list = try PropertyListReader.read(bytes, limits: Self.limits).value
        } catch {
            throw .damaged(error.description)
        }
        try self.init(list)
    }

    /// Takes a record from a list.
    ///
    /// - Throws: ``Fault``.
    public init(_ list: PropertyList) throws(Fault) {
        let format = try Self.value("Format", of: list, \.integer, "an integer") ?? 0
        // The shape of a later format is unknown, so nothing else is looked at.
        guard format == Self.format else {
            throw format > Self.format ? .format(format) : .damaged("The key Format is \(format).")
        }
        modules = [:]
        for (name, module) in try Self.entries("Modules", of: list) { modules[name] = try Self.module(module) }
    }

    private static func module(_ list: PropertyList) throws(Fault) -> Module {
        var module = Module(
            hasEvolution: try flag("Evolution", of: list), isOfSymbols: try flag("Symbols", of: list),
            library: try value("Library", of: list, \.string, "a string"))
        module.functionText = try value("Functions", of: list, \.string, "a string")
        for (name, entry) in try entries("Protocols", of: list) {
            let text = try value("Requirements", of: entry, \.string, "a string") ?? ""
            module.interfaces[name] = Interface(
                isClassOnly: try flag("Class", of: entry), text: text,
                try positions("Default", of: entry, in: text), try positions("Calls", of: entry, in: text))
        }
        for (name, entry) in try entries("Types", of: list) {
            let word = try value("Kind", of: entry, \.string, "a string") ?? ""
            guard let kind = Layout.Kind(rawValue: word) else { throw .damaged("A type has no known Kind.") }
            module.types[name] = Layout(
                kind: kind, text: try value("Layout", of: entry, \.string, "a string") ?? "",
                isFrozen: try flag("Frozen", of: entry))
        }
        return module
    }

    private static func value<Value>(
        _ key: String, of list: PropertyList, _ path: (PropertyList) -> Value?, _ type: String
    ) throws(Fault) -> Value? {
        guard case .dictionary(let values) = list else { throw .damaged("An entry is \(list.typeName).") }
        guard let value = values[key] else { return nil }
        guard let typed = path(value) else { throw .damaged("The key \(key) is \(value.typeName), not \(type).") }
        return typed
    }

    private static func flag(_ key: String, of list: PropertyList) throws(Fault) -> Bool {
        // XML and binary lists have Booleans; an old-style list has only words.
        try value(key, of: list, { $0.boolean ?? ($0.string == "true" ? true : nil) }, "a Boolean") ?? false
    }

    private static func entries(_ key: String, of list: PropertyList) throws(Fault) -> [String: PropertyList] {
        try value(key, of: list, \.dictionary, "a dictionary") ?? [:]
    }

    /// The positions of some requirements; a position that is none is left out.
    private static func positions(
        _ key: String, of list: PropertyList, in text: String
    ) throws(Fault) -> [Int] {
        let numbers = try value(key, of: list, \.array, "an array") ?? []
        if numbers.isEmpty { return [] }
        let requirements = InterfaceText.lines(of: text)
        return numbers.compactMap(\.integer).compactMap(Int.init(exactly:)).filter(requirements.indices.contains)
    }

    // MARK: Writing

    /// The record as a list; equal records give equal lists.
    public var list: PropertyList {
        .dictionary([
            "Format": .integer(Self.format), "Modules": .dictionary(modules.mapValues(Self.list)),
        ])
    }

    private static func list(_ module: Module) -> PropertyList {
        var values: [String: PropertyList] = [:]
        if module.hasEvolution { values["Evolution"] = .boolean(true) }
        if module.isOfSymbols { values["Symbols"] = .boolean(true) }
        values["Library"] = module.library.map(PropertyList.string)
        values["Functions"] = module.functionText.map(PropertyList.string)
        if !module.interfaces.isEmpty {
            values["Protocols"] = .dictionary(
                module.interfaces.mapValues { interface in
                    var entry = ["Requirements": PropertyList.string(interface.text)]
                    if interface.isClassOnly { entry["Class"] = .boolean(true) }
                    for (key, positions) in [("Default", interface.defaults), ("Calls", interface.calls)]
                    where !positions.isEmpty { entry[key] = .array(positions.map { .integer(Int64($0)) }) }
                    return .dictionary(entry)
                })
        }
        if !module.types.isEmpty {
            values["Types"] = .dictionary(
                module.types.mapValues { type in
                    var entry: [String: PropertyList] = [
                        "Kind": .string(type.kind.rawValue), "Layout": .string(type.text),
                    ]
                    if type.isFrozen { entry["Frozen"] = .boolean(true) }
                    return .dictionary(entry)
                })
        }
        return .dictionary(values)
    }
}
