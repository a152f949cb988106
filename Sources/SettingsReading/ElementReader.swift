import HostBasics
import PluginABI
import PropertyLists

/// Reads one element of a list of settings.
struct ElementReader {
    /// A fault in the element.
    struct Fault {
        var severity = PluginFinding.Severity.error
        var code = PluginError.Code.settingsMalformed
        let spot: SettingsList.Spot
        let message: String
        let remedy: String
    }

    /// An element that can be used.
    struct Result {
        let element: SettingsElement
        /// Nil for a group and a link.
        let declaration: SettingDeclaration?
    }

    private(set) var faults: [Fault] = []
    let content: [String: PropertyList]
    private let number: Int
    private let dictionary: Int?
    private let path: String
    /// The keys that were looked at; all others are unknown.
    private var known: Set<String> = [
        "Type", "Title", "SupportedUserInterfaceIdioms", "ApplicationGroupContainerIdentifier",
    ]

    /// - Parameters:
    ///   - content: the dictionary.
    ///   - number: the element's number in its array, from 1, for messages.
    ///   - spot: its number among the dictionaries with keys, for its line; nil if it has none.
    ///   - path: the list.
    init(_ content: [String: PropertyList], number: Int, spot: Int?, path: String) {
        self.content = content
        self.number = number
        dictionary = spot
        self.path = path
    }

    /// The element for a message: “Element 3, the PSSliderSpecifier of “rate”,”.
    var name: String {
        let type = content["Type"]?.string.flatMap(SettingsElement.Kind.init)?.rawValue
        let key = content["Key"]?.string
        guard let type else { return "Element \(number)" }
        return "Element \(number), the \(type)" + (key.map { " of \(quoted($0))," } ?? ",")
    }

    func spot(_ key: String?) -> SettingsList.Spot { SettingsList.Spot(element: dictionary, key: key) }

    /// - Returns: nil if the element cannot be used; the reason is among the faults.
    mutating func read() -> Result? {
        guard let kind = kind() else { return nil }
        var element = SettingsElement(kind)
        element.title = text("Title")
        if kind == .group || kind == .radioGroup { element.footer = text("FooterText") }
        if kind == .childPane {
            guard let pane = paneName() else { return nil }
            element.pane = pane
        }
        guard kind.hasValue else {
            checkUnknownKeys(kind)
            return Result(element: element, declaration: nil)
        }
        guard let key = key() else { return nil }
        // Once all keys of its kind were looked at.
        defer { checkUnknownKeys(kind) }
        element.key = key
        guard let rule = rule(kind, &element) else { return nil }
        return Result(element: element, declaration: declaration(key, rule, element))
    }

    /// What the element says about its values.
    struct Rule {
        var type: SettingType
        var allowed = SettingDeclaration.Allowed.any
        /// The value without a `DefaultValue` that can be used.
        var fallback: SettingScalar
    }

    // MARK: Parts

    private mutating func kind() -> SettingsElement.Kind? {
        guard let type = content["Type"] else {
            fault("Type", "has no Type", "Give it one, such as \(SettingsElement.Kind.toggle.rawValue).")
            return nil
        }
        guard let name = type.string else {
            fault("Type", "has \(type.typeName) as its Type", "Write the name of a type as text.")
            return nil
        }
        guard let kind = SettingsElement.Kind(rawValue: name) else {
            var suggestions = NameSuggestions()
            let near = suggestions.names(near: name, among: SettingsElement.Kind.allCases.map(\.rawValue), most: 1)
            faults.append(
                Fault(
                    severity: .warning, code: .settingUnknown, spot: spot("Type"),
                    message:
                        "Element \(number) has the type \(ShownValue.text(name)), which is not known; it is left out.",
                    remedy: near.first.map { "Did you mean \(quoted($0))?" } ?? "Use a type of Apple's schema."))
            return nil
        }
        return kind
    }

    private mutating func key() -> String? {
        known.formUnion(["Key", "DefaultValue", "PHFormerKeys"])
        guard let value = content["Key"] else {
            fault("Key", "has no Key", "Give it a key that no other element has.")
            return nil
        }
        guard let key = value.string, Self.isKey(key) else {
            fault(
                "Key", "has the Key \(ShownValue.list(value))",
                "Use a text of 1 to \(SettingsLimits.longestKey) bytes without control characters.")
            return nil
        }
        return key
    }

    static func isKey(_ key: String) -> Bool {
        1...SettingsLimits.longestKey ~= key.utf8.count && key.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
    }

    private mutating func paneName() -> String? {
        known.insert("File")
        let value = content["File"]
        if let name = value?.string, !name.isEmpty, name.utf8.count <= 200, name != ".", name != "..",
            !name.utf8.contains(where: { $0 == UInt8(ascii: "/") || $0 == 0 })
        {
            return name
        }
        fault(
            "File", value.map { "has the File \(ShownValue.list($0))" } ?? "has no File",
            "Write the name of a list in the Settings.bundle, without .plist.")
        return nil
    }

    /// A text that a page shows; nil if there is none.
    mutating func text(_ key: String) -> String? {
        known.insert(key)
        guard let value = content[key] else { return nil }
        if let text = value.string { return text }
        fault(key, "has \(value.typeName) as its \(key)", "Write a text.")
        return nil
    }

    mutating func boolean(_ key: String) -> Bool {
        known.insert(key)
        guard let value = content[key] else { return false }
        if case .boolean(let result)? = SettingScalar(value, as: .boolean) { return result }
        fault(key, "has \(ShownValue.list(value)) as its \(key)", "Write true or false.")
        return false
    }

    /// A limit; nil if there is none.
    mutating func number(_ key: String) -> Double? {
        known.insert(key)
        guard let value = content[key] else { return nil }
        if case .real(let result)? = SettingScalar(value, as: .real) { return result }
        fault(key, "has \(ShownValue.list(value)) as its \(key)", "Write a number.")
        return nil
    }

    /// The values of an array; nil if it is missing or has other values.
    mutating func scalars(_ key: String) -> [SettingScalar]? {
        known.insert(key)
        guard let value = content[key] else { return nil }
        let scalars = value.array?.map { SettingScalar($0) }
        if let scalars, !scalars.isEmpty, !scalars.contains(nil) { return scalars.compactMap(\.self) }
        fault(key, "has no usable \(key)", "Write an array of texts, numbers or Booleans.")
        return nil
    }

    mutating func texts(_ key: String) -> [String]? {
        known.insert(key)
        guard let value = content[key] else { return nil }
        let texts = value.array?.map(\.string)
        if let texts, !texts.contains(nil) { return texts.compactMap(\.self) }
        fault(key, "has no usable \(key)", "Write an array of texts.")
        return nil
    }

    /// Notes that a key was looked at.
    mutating func note(_ key: String) { known.insert(key) }

    mutating func fault(_ key: String?, _ problem: String, _ remedy: String) {
        faults.append(Fault(spot: spot(key), message: "\(name) \(problem).", remedy: remedy))
    }

    private mutating func checkUnknownKeys(_ kind: SettingsElement.Kind) {
        for key in content.keys.sorted() where !known.contains(key) {
            faults.append(
                Fault(
                    severity: .warning, code: .settingUnknown, spot: spot(key),
                    message: "\(name) has the key \(ShownValue.text(key)), which \(kind.rawValue) does not read.",
                    remedy: "Remove it."))
        }
    }

    // MARK: The declaration

    private mutating func declaration(_ key: String, _ rule: Rule, _ element: SettingsElement) -> SettingDeclaration {
        let bare = SettingDeclaration(
            key: key, type: rule.type, allowed: rule.allowed, defaultValue: rule.fallback, isSecret: element.isSecret,
            formerKeys: formerKeys(key), filePath: path)
        return SettingDeclaration(
            key: key, type: rule.type, allowed: rule.allowed, defaultValue: defaultValue(bare),
            isSecret: element.isSecret, formerKeys: bare.formerKeys, filePath: path)
    }

    private mutating func defaultValue(_ declaration: SettingDeclaration) -> SettingScalar {
        guard let value = content["DefaultValue"] else { return declaration.defaultValue }
        if declaration.isSecret {
            faults.append(
                Fault(
                    code: .settingSecret, spot: spot("DefaultValue"),
                    message: "\(name) is secret and has a DefaultValue, which everybody can read; it is not used.",
                    remedy: "Remove the DefaultValue."))
            return declaration.defaultValue
        }
        do throws(SettingDeclaration.Fault) {
            return try declaration.value(value)
        } catch {
            // `true` and `false` stand for the two values of a switch in Apple's files.
            if case .boolean(let isOn)? = SettingScalar(value), case .values(let values) = declaration.allowed,
                content["Type"]?.string == SettingsElement.Kind.toggle.rawValue
            {
                return values[isOn ? 0 : 1]
            }
            fault(
                "DefaultValue",
                "has the DefaultValue \(ShownValue.list(value)); it counts as \(declaration.defaultValue.shown)",
                "Write \(declaration.allowedWords).")
            return declaration.defaultValue
        }
    }

    private mutating func formerKeys(_ key: String) -> [String] {
        guard let value = content["PHFormerKeys"] else { return [] }
        let keys = value.array?.map(\.string)
        if let keys, keys.count <= 16, keys.allSatisfy({ $0.map(Self.isKey) ?? false && $0 != key }) {
            return keys.compactMap(\.self)
        }
        fault(
            "PHFormerKeys", "has PHFormerKeys that cannot be used",
            "Write an array of at most 16 other keys, the latest first.")
        return []
    }
}
