internal import PropertyLists

/// Takes typed values out of an Info.plist and notes each value that is not of its key's type.
struct ManifestDecoder {
    let dictionary: [String: PropertyList]
    /// The list's path, for the findings.
    let path: String?
    private(set) var findings: [PluginFinding] = []

    init(dictionary: [String: PropertyList], path: String?) {
        self.dictionary = dictionary
        self.path = path
    }

    mutating func string(_ key: String) -> String? {
        guard let value = dictionary[key] else { return nil }
        guard case .string(let text) = value else { return mismatch(key, value, expected: "a string") }
        return text
    }

    /// A string that names something: not empty, no NUL (a C interface further on would cut it there).
    mutating func name(_ key: String) -> String? {
        guard let text = string(key) else { return nil }
        if text.utf8.contains(0) { return invalid(key, "contains a NUL character") }
        // An empty NSPrincipalClass or identifier is what templates leave behind: the same as none.
        return text.isEmpty ? nil : text
    }

    /// A file's name. A path could lead out of the bundle, so it is refused and not followed.
    mutating func executable(_ key: String) -> String? {
        guard let text = string(key), !text.hasVariable else { return nil }
        if text.utf8.contains(0) { return invalid(key, "contains a NUL character") }
        if text.isEmpty || text == "." || text == ".." {
            return invalid(key, "is \(quoted(text)), which names no file")
        }
        guard !text.utf8.contains(UInt8(ascii: "/")) else {
            findings.append(
                PluginFinding(
                    .executableOutsideBundle, filePath: path, subject: key,
                    message: "The key \(key) of \(quoted(path ?? "Info.plist")) is the path \(quoted(text)).",
                    remedy: "Write the name of a file in the bundle's Contents/Linux directory, without a slash."))
            return nil
        }
        return text
    }

    mutating func boolean(_ key: String) -> Bool {
        switch dictionary[key] {
        case nil: return false
        case .boolean(let value): return value
        case .integer(let value): return value != 0
        // Old-style lists have no Booleans; these are the words that NSString.boolValue takes for true.
        case .string(let text): return ["YES", "Yes", "yes", "true", "1"].contains(text)
        case let value?:
            _ = mismatch(key, value, expected: "a Boolean") as Bool?
            return false
        }
    }

    mutating func strings(_ key: String) -> [String] {
        guard let value = dictionary[key] else { return [] }
        guard case .array(let values) = value else {
            return mismatch(key, value, expected: "an array of strings") ?? []
        }
        return values.compactMap { element in
            guard case .string(let text) = element else {
                return mismatch(key, element, expected: "strings", in: "an array of")
            }
            return text
        }
    }

    mutating func stringsByName(_ key: String) -> [String: String] {
        guard let value = dictionary[key] else { return [:] }
        guard case .dictionary(let values) = value else {
            return mismatch(key, value, expected: "a dictionary of strings") ?? [:]
        }
        var result: [String: String] = [:]
        for (name, element) in values {
            if case .string(let text) = element {
                result[name] = text
            } else {
                _ = mismatch(key, element, expected: "strings", in: "a dictionary of") as String?
            }
        }
        return result
    }

    mutating func factories(_ key: String) -> [Manifest.Factory] {
        entries(key) { name, entry in
            Manifest.Factory(
                name: name, extensionPoint: entry.name("extensionPoint"), version: entry.version("version"),
                displayName: entry.string("displayName"), order: entry.order("order"))
        }
    }

    mutating func points(_ key: String) -> [Manifest.Point] {
        entries(key) { name, entry in
            Manifest.Point(name: name, version: entry.version("version"), displayName: entry.string("displayName"))
        }
    }

    /// An array of dictionaries, each of which has at least a `name`.
    private mutating func entries<Entry>(
        _ key: String, _ read: (_ name: String, _ entry: inout ManifestDecoder) -> Entry
    ) -> [Entry] {
        guard let value = dictionary[key] else { return [] }
        guard case .array(let values) = value else {
            return mismatch(key, value, expected: "an array of dictionaries") ?? []
        }
        return values.compactMap { element in
            guard case .dictionary(let dictionary) = element else {
                return mismatch(key, element, expected: "dictionaries", in: "an array of")
            }
            var decoder = ManifestDecoder(dictionary: dictionary, path: path)
            let name = decoder.name("name")
            let entry = read(name ?? "", &decoder)
            findings += decoder.findings
            if name == nil, decoder.findings.isEmpty { return invalid(key, "has an entry without a name") }
            return name == nil ? nil : entry
        }
    }

    mutating func versionsByName(_ key: String) -> [String: Int] {
        guard let value = dictionary[key] else { return [:] }
        guard case .dictionary(let values) = value else {
            return mismatch(key, value, expected: "a dictionary of whole numbers above zero") ?? [:]
        }
        var decoder = ManifestDecoder(dictionary: values, path: path)
        let versions = values.keys.map { ($0, decoder.version($0)) }
        findings += decoder.findings
        return Dictionary(uniqueKeysWithValues: versions)
    }

    /// A whole number above zero; 1 where there is none. Old-style lists write it as a string.
    private mutating func version(_ key: String) -> Int {
        number(key, in: 1...Int(UInt32.max), else: 1, expected: "a whole number above zero")
    }

    /// A whole number that a C plug-in can give too; 0 where there is none.
    private mutating func order(_ key: String) -> Int {
        number(key, in: Int(Int32.min)...Int(Int32.max), else: 0, expected: "a whole number of 32 bits")
    }

    private mutating func number(
        _ key: String, in range: ClosedRange<Int>, else missing: Int, expected: String
    ) -> Int {
        let number: Int? =
            switch dictionary[key] {
            case nil: missing
            case .integer(let value): Int(value)
            case .string(let text): Int(text)
            default: nil
            }
        if let number, range.contains(number) { return number }
        return dictionary[key].flatMap { mismatch(key, $0, expected: expected) } ?? missing
    }

    private mutating func mismatch<Value>(
        _ key: String, _ value: PropertyList, expected: String, in container: String? = nil
    ) -> Value? {
        let found = container == nil ? "is \(value.typeName)" : "holds \(value.typeName)"
        let wanted = container.map { "\($0) \(expected)" } ?? expected
        return invalid(key, "\(found), where \(wanted) is expected")
    }

    private mutating func invalid<Value>(_ key: String, _ complaint: String) -> Value? {
        findings.append(
            PluginFinding(
                .manifestInvalid, filePath: path, subject: key,
                message: "The key \(key) of \(quoted(path ?? "Info.plist")) \(complaint).",
                remedy: "Correct the key, or remove it; docs/bundle-format.md lists the keys and their types."))
        return nil
    }
}

extension String {
    /// Whether a `${…}` or `$(…)` that a build system should have expanded stands in the text. By bytes, because
    /// searching text costs more than all the other keys of a list together.
    fileprivate var hasVariable: Bool {
        var last: UInt8 = 0
        for byte in utf8 {
            if last == UInt8(ascii: "$"), byte == UInt8(ascii: "{") || byte == UInt8(ascii: "(") { return true }
            last = byte
        }
        return false
    }
}
