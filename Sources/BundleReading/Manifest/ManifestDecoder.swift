import Glibc
import HostBasics
internal import PropertyLists

/// Extracts typed values from an Info.plist and reports each value that does not have the type of its key.
struct ManifestDecoder {
    /// The list's path, for the findings.
    package let path: String?
    /// The first findings; a list can have a value of the wrong type every ten bytes.
    private var listed: [PluginFinding] = []
    /// The number of findings that are not listed.
    private var further = 0
    /// The keys of names and versions with unusable values.
    package private(set) var ignoredKeys: [String] = []
    /// The number of findings, listed or not.
    package var count: Int { listed.count + further }

    /// All findings: those that are listed, and one that states how many others there are.
    package var findings: [PluginFinding] {
        if further == 0 { return listed }
        let most = ReadingBudget.mostFindings
        return listed.prefix(most) + [
            .further(
                count - most, .error, .manifestInvalid, in: path, remedy: "Correct the keys that are listed first.")
        ]
    }

    init(path: String?) {
        self.path = path
    }

    package mutating func string(_ item: ListItem) -> String? {
        guard let value = item.value else { return nil }
        guard case .string(let text) = value else { return mismatch(item.key, value, expected: "a string") }
        return text
    }

    /// The identifier.
    ///
    /// An unusable identifier is kept unchanged, for questions about the bundle, unless it contains NUL. The bundle's
    /// code is then not loaded.
    package mutating func identifier(_ item: ListItem) -> String? {
        guard let text = string(item) else { return nil }
        // Templates leave an empty identifier behind; it counts as absent.
        guard !text.isEmpty else {
            return ignored(
                item.key, "is empty, so that the bundle has no identifier", "Write an identifier, or remove the key.")
        }
        if text.holds(0) { return invalid(item.key, "contains a NUL character") }
        if let fault = NameRules.fault(ofIdentifier: text) {
            complain(item.key, fault.complaint, remedy: fault.remedy)
        }
        return text
    }

    /// A name that is shown to people.
    mutating func shownName(_ item: ListItem) -> String? {
        guard let text = string(item) else { return nil }
        guard let variable = text.unexpandedVariable else { return text }
        return ignored(
            item.key,
            "has \(quoted(NameRules.shortened(variable))), which the build did not expand, so that it is ignored",
            "Write the name itself, or let the build expand the variable.")
    }

    /// A version that is shown to people and decides the order of bundles.
    mutating func shownVersion(_ item: ListItem) -> String? {
        guard let text = string(item) else { return nil }
        if let variable = text.unexpandedVariable {
            return ignored(
                item.key,
                "has \(quoted(NameRules.shortened(variable))), which the build did not expand, so that it counts as 0",
                "Write the version itself, or let the build expand the variable.")
        }
        if !PluginVersion.beginsWithNumber(text) {
            _ =
                ignored(
                    item.key,
                    "is \(quoted(NameRules.shortened(text))), which begins with no number, so that it counts as 0",
                    "Write a version such as 1.0.") as String?
        }
        return text
    }

    /// Records an unusable value: a warning here, and an error for the author.
    private mutating func ignored<Value>(_ key: String, _ complaint: String, _ remedy: String) -> Value? {
        ignoredKeys.append(key)
        complain(key, complaint, .warning, remedy: remedy)
        return nil
    }

    /// A string that names something: not empty, and without NUL, at which a C interface would cut it.
    package mutating func name(_ item: ListItem) -> String? {
        guard let text = string(item) else { return nil }
        if text.holds(0) { return invalid(item.key, "contains a NUL character") }
        // Templates leave an empty NSPrincipalClass or identifier behind: it counts as absent.
        return text.isEmpty ? nil : text
    }

    /// The name of a file.
    ///
    /// A path could lead out of the bundle, so it is refused.
    package mutating func executable(_ item: ListItem) -> String? {
        guard let text = string(item), text.unexpandedVariable == nil else { return nil }
        if text.holds(0) { return invalid(item.key, "contains a NUL character") }
        if text.isEmpty || text == "." || text == ".." {
            return invalid(item.key, "is \(quoted(text)), which is not the name of a file")
        }
        guard !text.holds(UInt8(ascii: "/")) else {
            let path = path
            add(
                PluginFinding(
                    .executableOutsideBundle, filePath: path, subject: item.key,
                    message: "The key \(item.key) of \(quoted(path ?? "Info.plist")) is the path \(quoted(text)).",
                    remedy: "Write the name of a file in the bundle's Contents/Linux directory, without a slash."))
            return nil
        }
        return text
    }

    package mutating func boolean(_ item: ListItem) -> Bool {
        switch item.value {
        case nil: return false
        case .boolean(let value): return value
        case .integer(let value): return value != 0
        // Old-style lists have no Booleans; NSString.boolValue treats these words as true, too.
        case .string(let text): return ["YES", "Yes", "yes", "true", "1"].contains(text)
        case let value?:
            _ = mismatch(item.key, value, expected: "a Boolean") as Bool?
            return false
        }
    }

    package mutating func strings(_ item: ListItem) -> [String] {
        guard let value = item.value else { return [] }
        guard case .array(let values) = value else {
            return mismatch(item.key, value, expected: "an array of strings") ?? []
        }
        return values.compactMap { element in
            guard case .string(let text) = element else {
                return mismatch(item.key, element, expected: "strings", in: "an array of")
            }
            return text
        }
    }

    mutating func stringsByName(_ item: ListItem) -> [String: String] {
        guard let value = item.value else { return [:] }
        guard case .dictionary(let values) = value else {
            return mismatch(item.key, value, expected: "a dictionary of strings") ?? [:]
        }
        var result: [String: String] = [:]
        for (name, element) in values {
            if case .string(let text) = element {
                result[name] = text
            } else {
                _ = mismatch(item.key, element, expected: "strings", in: "a dictionary of") as String?
            }
        }
        return result
    }

    package mutating func range(_ item: ListItem) -> VersionRange? { string(item).flatMap { range($0, of: item.key) } }

    mutating func rangesByName(_ item: ListItem) -> [String: VersionRange] {
        let texts = stringsByName(item)
        if texts.isEmpty { return [:] }
        var ranges: [String: VersionRange] = [:]
        for (name, text) in texts.sorted(by: { $0.key < $1.key }) { ranges[name] = range(text, of: item.key) }
        return ranges
    }

    private mutating func range(_ text: String, of key: String) -> VersionRange? {
        do throws(VersionRange.Fault) {
            return try VersionRange(text)
        } catch {
            return invalid(key, "has the version range \(quoted(text)): \(error)")
        }
    }

    /// Flags by name.
    ///
    /// An array of names sets each of them to true.
    mutating func flagsByName(_ item: ListItem) -> [String: Bool] {
        switch item.value {
        case nil: return [:]
        case .array: return Dictionary(strings(item).map { ($0, true) }, uniquingKeysWith: { first, _ in first })
        case .dictionary(let values):
            return Dictionary(uniqueKeysWithValues: values.keys.map { ($0, boolean(ListItem($0, in: values))) })
        case let value?:
            return mismatch(item.key, value, expected: "an array of strings or a dictionary of Booleans") ?? [:]
        }
    }

    /// Reports the keys that the list contains more than once: an error if it is not clear which code is meant,
    /// otherwise a warning.
    package mutating func note(_ duplicates: DuplicateKeys) {
        let path = path
        // Leaves room for the finding that states the number of the others.
        let listed = duplicates.listed.prefix(ReadingBudget.mostFindings - (duplicates.further > 0 ? 1 : 0))
        for duplicate in listed { add(Self.finding(duplicate, path)) }
        let unlisted = duplicates.listed.dropFirst(listed.count)
        let further = duplicates.further + unlisted.count
        guard further > 0 else { return }
        // One of the unlisted keys may affect code.
        let differ = duplicates.furtherDiffer || unlisted.contains { !$0.hasSameValue }
        add(
            .further(
                further, differ ? .error : .warning, .manifestInvalid, in: path,
                remedy: "Remove the keys that are listed first."))
    }

    private static func finding(_ duplicate: DuplicateKey, _ path: String?) -> PluginFinding {
        let key = duplicate.name == duplicate.outermost ? "" : " in \(duplicate.outermost)"
        let decides = !duplicate.hasSameValue && PlatformKeys.decidesAboutCode(duplicate.outermost)
        let values =
            duplicate.hasSameValue
            ? "with the same value" : "with different values, of which \(decides ? "none" : "the first") counts"
        return PluginFinding(
            decides ? .error : .warning, .manifestInvalid, filePath: path, subject: duplicate.outermost,
            message: """
                The key \(quoted(duplicate.name))\(key) occurs twice in \(quoted(path ?? "Info.plist")), again at \
                \(duplicate.position), \(values).
                """,
            remedy: "Remove \(duplicate.hasSameValue ? "one of them" : "the wrong one").")
    }

    package mutating func extensions(in values: ManifestValues) -> [Manifest.Extension] {
        declarations(.factories, of: values) { decoder, name, item in
            Manifest.Extension(
                name: name, extensionPoint: decoder.name(item[.extensionPoint]),
                version: decoder.version(item[.version]), displayName: decoder.string(item[.displayName]),
                order: decoder.order(item[.order]))
        }
    }

    package mutating func points(in values: ManifestValues) -> [Manifest.Point] {
        declarations(.extensionPoints, of: values) { decoder, name, item in
            Manifest.Point(
                name: name, version: decoder.version(item[.version]), displayName: decoder.string(item[.displayName]))
        }
    }

    /// An array of dictionaries, each of which has at least a `name`.
    private mutating func declarations<Declaration>(
        _ key: ManifestKey, of values: ManifestValues,
        _ read: (inout ManifestDecoder, _ name: String, ItemValues) -> Declaration
    ) -> [Declaration] {
        let elements = values.dictionaries(of: key) ?? dictionaries(values[key])
        var results: [Declaration] = []
        results.reserveCapacity(elements.count)
        for element in elements {
            let known = count
            let name = name(element[.name])
            let result = read(&self, name ?? "", element)
            if name != nil {
                results.append(result)
            } else if count == known {
                complain(key.spelling, "has an entry without a name")
            }
        }
        return results
    }

    private mutating func dictionaries(_ item: ListItem) -> [ItemValues] {
        guard let value = item.value else { return [] }
        guard case .array(let values) = value else {
            return mismatch(item.key, value, expected: "an array of dictionaries") ?? []
        }
        return values.compactMap { element in
            guard case .dictionary(let dictionary) = element else {
                return mismatch(item.key, element, expected: "dictionaries", in: "an array of")
            }
            return ItemValues(dictionary)
        }
    }

    mutating func versionsByName(_ item: ListItem) -> [String: UInt32] {
        guard let value = item.value else { return [:] }
        guard case .dictionary(let values) = value else {
            return mismatch(item.key, value, expected: "a dictionary of whole numbers above zero") ?? [:]
        }
        return Dictionary(uniqueKeysWithValues: values.keys.map { ($0, version(ListItem($0, in: values))) })
    }

    /// A whole number above zero; 1 if there is none.
    ///
    /// Old-style lists write it as a string.
    private mutating func version(_ item: ListItem) -> UInt32 {
        UInt32(number(item, in: 1...Int(UInt32.max), else: 1, expected: "a whole number above zero"))
    }

    /// A whole number that a C plug-in can state too; 0 if there is none.
    private mutating func order(_ item: ListItem) -> Int {
        number(item, in: Int(Int32.min)...Int(Int32.max), else: 0, expected: "a whole number of 32 bits")
    }

    package mutating func number(
        _ item: ListItem, in range: ClosedRange<Int>, else missing: Int, expected: String
    ) -> Int {
        let number: Int? =
            switch item.value {
            case nil: missing
            case .integer(let value): Int(value)
            case .string(let text): Int(text)
            default: nil
            }
        if let number, range.contains(number) { return number }
        return item.value.flatMap { mismatch(item.key, $0, expected: expected) } ?? missing
    }

    package mutating func mismatch<Value>(
        _ key: String, _ value: PropertyList, expected: String, in container: String? = nil
    ) -> Value? {
        let found = container == nil ? "is" : "holds"
        let wanted = container.map { "\($0) " } ?? ""
        complain(key, "\(found) \(value.typeName), but \(wanted)\(expected) is expected")
        return nil
    }

    package mutating func invalid<Value>(_ key: String, _ complaint: String) -> Value? {
        complain(key, complaint)
        return nil
    }

    mutating func complain(
        _ key: String, _ complaint: @autoclosure () -> String, _ severity: PluginFinding.Severity = .error,
        remedy: @autoclosure () -> String = Self.remedy
    ) {
        let path = path
        add(
            PluginFinding(
                severity, .manifestInvalid, filePath: path, subject: key,
                message: "The key \(key) of \(quoted(path ?? "Info.plist")) \(complaint()).", remedy: remedy()))
    }

    private static var remedy: String {
        "Correct the key, or remove it; the page bundle-format.md lists the keys and their types."
    }

    /// Adds a finding.
    ///
    /// If the list is full, the finding is not created.
    private mutating func add(_ finding: @autoclosure () -> PluginFinding) {
        // One more than the limit: a single further finding is listed, not counted.
        if listed.count <= ReadingBudget.mostFindings { listed.append(finding()) } else { further += 1 }
    }
}
